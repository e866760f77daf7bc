// SPDX-License-Identifier: GPL-2.0
/*
 * Stores into the word that a session watches, because threads wait for it in busy-wait loops. The
 * processor interrupts the thread behind its store, with interrupts off: in its own code, or where
 * the kernel stores for it, which is never within a switch or a sample.
 */
#include <linux/perf_event.h>
#include <linux/uaccess.h>

#include "compat/plain_memory.h"
#include "compat/regs.h"
#include "core/spin_location.h"
#include "switch.h"

/* Reads the word, which is in current's memory. */
static bool read_word(const struct gapp_watch *asked, u64 *word)
{
	*word = 0;
	return gapp_is_plain_memory(current->mm, asked->address) &&
	       !copy_from_user_nofault(word, (const void __user *)(unsigned long)asked->address,
				       asked->bytes);
}

/* Whether a wait for the word may end with such a value. */
static bool may_end(const struct gapp_watch *asked, u64 value)
{
	return !gapp_spin_goes_on(asked->goes_on, asked->bytes, asked->number, value);
}

/* The path begins in the instruction that has stored, not behind it. */
static void take_path(struct gapp_session *session, struct gapp_thread *by, struct pt_regs *regs,
		      struct gapp_store *store)
{
	const unsigned long behind = instruction_pointer(regs);
	const bool own = user_mode(regs) && regs == task_pt_regs(current);

	if (!user_mode(regs))
		store->flags |= GAPP_STORE_IN_KERNEL;
	if (own)
		instruction_pointer_set(regs, behind - 1);
	if (session->settings.unwind_by != GAPP_UNWIND_BY_NONE && gapp_has_user_regs(current))
		gapp_waker_path(session, by, &store->from);
	if (own)
		instruction_pointer_set(regs, behind);
}

static void seen(struct gapp_session *session, struct gapp_thread *by, struct pt_regs *regs,
		 bool is_last)
{
	const struct gapp_watch *asked = &session->watched.asked;
	struct gapp_store store = {
		.address = asked->address,
		.from = { .path = GAPP_PATH_NONE, .image = READ_ONCE(by->image) },
	};

	if (READ_ONCE(by->target->acc.cm.phase) != GAPP_PHASE_RUNNING ||
	    !read_word(asked, &store.value))
		return;
	if (is_last)
		store.flags |= GAPP_STORE_LAST;
	else if (!may_end(asked, store.value))
		return;
	store.t = gapp_clock() - session->threads.start_ns;
	take_path(session, by, regs, &store);
	gapp_export_store(gapp_this_cpu(session), by, &store);
}

/**
 * gapp_store_seen() - current has stored into the word that a session watches, or into one at the
 *	same address in other memory
 * @event: breakpoint of this CPU
 * @data: what perf knows of it
 * @regs: registers of what stored: user code, or the kernel
 */
void gapp_store_seen(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct gapp_session *session = event->overflow_handler_context;
	struct gapp_thread *by;
	unsigned long flags;

	if (current->mm != session->watched.mm || gapp_task_flags(current) & PF_KTHREAD)
		return;
	/* a tracer that stores for a probe may do so anywhere, in a switch, too */
	if (!user_mode(regs) && regs_irqs_disabled(regs))
		return;
	local_irq_save(flags);
	rcu_read_lock();
	by = gapp_lookup(&session->threads, current);
	if (by)
		seen(session, by, regs, !atomic_read(&event->event_limit));
	rcu_read_unlock();
	local_irq_restore(flags);
}
