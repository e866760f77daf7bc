/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Breakpoints in the code of programs. What a conditional jump does is known from the flags, on
 * x86-64.
 */
#ifndef GAPP_COMPAT_UPROBE_H
#define GAPP_COMPAT_UPROBE_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/uprobes.h>

#if defined(CONFIG_UPROBES) && defined(CONFIG_X86_64)
#define GAPP_CAN_UPROBE 1
#else
#define GAPP_CAN_UPROBE 0
#endif

/**
 * struct gapp_uprobe - a breakpoint at an offset in a file
 * @consumer: what the kernel calls
 * @inode: the file
 * @offset: offset of the instruction in the file
 * @uprobe: the kernel's own
 * @wants: whether the breakpoint belongs into a process's memory; any context that may sleep
 * @hit: current has come to the instruction, with these registers; process context, may sleep.
 *	True: the breakpoint stays in the process, unless @wants says otherwise
 */
struct gapp_uprobe {
	struct uprobe_consumer consumer;
	struct inode *inode;
	loff_t offset;
	struct uprobe *uprobe;
	bool (*wants)(const struct gapp_uprobe *uprobe, const struct mm_struct *mm);
	bool (*hit)(struct gapp_uprobe *uprobe, struct pt_regs *regs);
};

#if GAPP_CAN_UPROBE

/* v6.13, da09a9e0c3ea, and by backport: a word that a handler hands on to the one of the return */
#ifdef GAPP_HAVE_UPROBE_WORD
static inline int gapp_uprobe_hit(struct uprobe_consumer *consumer, struct pt_regs *regs,
				  __u64 *unused)
#else
static inline int gapp_uprobe_hit(struct uprobe_consumer *consumer, struct pt_regs *regs)
#endif
{
	struct gapp_uprobe *uprobe = container_of(consumer, struct gapp_uprobe, consumer);

	return uprobe->hit(uprobe, regs) ? 0 : UPROBE_HANDLER_REMOVE;
}

/*
 * v6.12, and by backport: uprobe_register() returns a handle, 3c83a9ad0295; it is what
 * uprobe_unregister_nosync() takes, 04b01625da13; filters lost a context, 59da880afed2.
 */
#ifdef GAPP_HAVE_UPROBE_HANDLE

static inline bool gapp_uprobe_filter(struct uprobe_consumer *consumer, struct mm_struct *mm)
{
	struct gapp_uprobe *uprobe = container_of(consumer, struct gapp_uprobe, consumer);

	return uprobe->wants(uprobe, mm);
}

static inline int gapp_uprobe_add(struct gapp_uprobe *uprobe)
{
	uprobe->uprobe = uprobe_register(uprobe->inode, uprobe->offset, 0, &uprobe->consumer);
	return PTR_ERR_OR_ZERO(uprobe->uprobe);
}

static inline void gapp_uprobe_remove(struct gapp_uprobe *uprobe)
{
	uprobe_unregister_nosync(uprobe->uprobe, &uprobe->consumer);
}

/* Nobody is in hit() of a removed one any more when it returns. */
static inline void gapp_uprobes_wait(void)
{
	uprobe_unregister_sync();
}

#else

static inline bool gapp_uprobe_filter(struct uprobe_consumer *consumer, enum uprobe_filter_ctx ctx,
				      struct mm_struct *mm)
{
	struct gapp_uprobe *uprobe = container_of(consumer, struct gapp_uprobe, consumer);

	return uprobe->wants(uprobe, mm);
}

static inline int gapp_uprobe_add(struct gapp_uprobe *uprobe)
{
	return uprobe_register(uprobe->inode, uprobe->offset, &uprobe->consumer);
}

static inline void gapp_uprobe_remove(struct gapp_uprobe *uprobe)
{
	uprobe_unregister(uprobe->inode, uprobe->offset, &uprobe->consumer);
}

static inline void gapp_uprobes_wait(void)
{
}

#endif

/* Adds a breakpoint, which may sleep. Returns 0, or a negative errno. */
static inline int gapp_uprobe_begin(struct gapp_uprobe *uprobe)
{
	uprobe->consumer.handler = gapp_uprobe_hit;
	uprobe->consumer.filter = gapp_uprobe_filter;
	return gapp_uprobe_add(uprobe);
}

#else

static inline int gapp_uprobe_begin(struct gapp_uprobe *uprobe)
{
	return -EOPNOTSUPP;
}

static inline void gapp_uprobe_remove(struct gapp_uprobe *uprobe)
{
}

static inline void gapp_uprobes_wait(void)
{
}

#endif

#endif /* GAPP_COMPAT_UPROBE_H */
