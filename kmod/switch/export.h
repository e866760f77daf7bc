/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From an event to the records that tell it. What is to be told is found out
 * with the thread locked (slices.c), and told afterwards (tell.c): a call path
 * is copied from user memory, which takes its time.
 */
#ifndef GAPP_EXPORT_H
#define GAPP_EXPORT_H

#include <linux/bits.h>

#include "core/slice.h"
#include "threads/table.h"

/* What there is to tell, or to do besides. */
#define GAPP_EXPORT_SLICE BIT(0) /* a slice record */
#define GAPP_EXPORT_PATH BIT(1) /* the path is taken */
#define GAPP_EXPORT_WAIT BIT(2) /* a wait record */
#define GAPP_EXPORT_WAKE BIT(3) /* a wake record */
#define GAPP_EXPORT_ARM BIT(4) /* the sampler must run */
#define GAPP_EXPORT_WANTED BIT(5) /* a wait record needs the path of this thread */
#define GAPP_EXPORT_GONE BIT(6) /* the thread is retired */
#define GAPP_EXPORT_EARLIER_WAIT \
	BIT(7) /* the wait record is not of the block that the slice ends in */
#define GAPP_EXPORT_RECORDS \
	(GAPP_EXPORT_SLICE | GAPP_EXPORT_PATH | GAPP_EXPORT_WAIT | GAPP_EXPORT_WAKE)

/**
 * struct gapp_exported_wait - how a slice ended, as records have it
 * @path: user path, GAPP_PATH_NONE where it was not taken
 * @kernel_path: kernel path, likewise
 * @syscall: system call it was in, or -1
 * @reason: enum gapp_wait_reason
 * @args: first arguments of @syscall
 */
struct gapp_exported_wait {
	u32 path;
	u32 kernel_path;
	s32 syscall;
	u8 reason;
	u64 args[3];
};

/**
 * struct gapp_export - what an event has to tell
 * @what: GAPP_EXPORT_* bits; without any of GAPP_EXPORT_RECORDS the rest is not set
 * @then: enum gapp_then
 * @flags: GAPP_SLICE_REST
 * @end: the slice
 * @t: session time of the event
 * @n: active threads then
 * @wait_ns: the wait
 * @wait_begin: session time of its last stretch
 * @stretches: how many
 * @wait: how it had blocked; @syscall and @args may be set when nothing else is
 * @earlier_wait: how it had blocked before, with GAPP_EXPORT_EARLIER_WAIT
 * @waker: who woke it
 * @image: its address space
 * @comm: its name
 */
struct gapp_export {
	u32 what;
	u32 then;
	u32 flags;
	struct gapp_slice_end end;
	u64 t;
	u32 n;
	u64 wait_ns;
	u64 wait_begin;
	u32 stretches;
	struct gapp_exported_wait wait;
	struct gapp_exported_wait earlier_wait;
	struct gapp_waker waker;
	u32 image;
	char comm[TASK_COMM_LEN];
};

/* Nothing so far. Most of it stays unset, for there is one of these at every event. */
static inline void gapp_export_init(struct gapp_export *export)
{
	export->what = 0;
	export->flags = 0;
}

/* Interrupts are off. */
void gapp_export_write(struct gapp_session *session, struct gapp_cpu *cpu,
		       struct gapp_thread *thread, struct gapp_export *export);

#endif /* GAPP_EXPORT_H */
