// SPDX-License-Identifier: GPL-2.0
/*
 * Stores into words that threads wait for in busy-wait loops. Where a word is watched, the
 * processor interrupts the thread behind its store, with interrupts off: in its own code, or where
 * the kernel stores for it, which is never within a switch or a sample. Where an instruction's
 * stores are told, the thread runs into a breakpoint in front of its store.
 */
#include <linux/perf_event.h>

#include "compat/plain_memory.h"
#include "compat/regs.h"
#include "compat/user_word.h"
#include "compat/watch.h"
#include "core/spin_location.h"
#include "core/store_point.h"
#include "store_points.h"
#include "switch.h"

/* Reads a word of current's memory. */
static bool read_word(u64 address, u32 bytes, u64 *word)
{
	*word = 0;
	return address < TASK_SIZE_MAX - bytes && gapp_is_plain_memory(current->mm, address) &&
	       gapp_is_plain_memory(current->mm, address + bytes - 1) &&
	       gapp_copy_user(word, address, bytes);
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

/* Returns false if nothing is known of the store. */
static bool seen(struct gapp_session *session, struct gapp_thread *by, struct pt_regs *regs,
		 bool is_last)
{
	const struct gapp_watch *asked = &session->watched.asked;
	struct gapp_store store = {
		.address = asked->address,
		.from = { .path = GAPP_PATH_NONE, .image = READ_ONCE(by->image) },
	};

	if (READ_ONCE(by->target->acc.cm.phase) != GAPP_PHASE_RUNNING ||
	    !read_word(asked->address, asked->bytes, &store.value))
		return false;
	if (is_last)
		store.flags |= GAPP_STORE_LAST;
	else if (!may_end(asked, store.value))
		return true;
	store.t = gapp_clock() - session->threads.start_ns;
	take_path(session, by, regs, &store);
	gapp_export_store(gapp_this_cpu(session), by, &store);
	return true;
}

/* The last store that this CPU tells of is not one of the session's, or cannot be read. */
static void untold(struct gapp_session *session)
{
	struct gapp_store store = {
		.from = { .path = GAPP_PATH_NONE, .image = session->watched.image },
		.flags = GAPP_STORE_LAST | GAPP_STORE_UNTOLD,
	};

	/* Pairs with the release in begin(): the session's time has begun, and start_ns is set. */
	if (smp_load_acquire(&session->threads.phase) != GAPP_PHASE_RUNNING)
		return;
	store.t = gapp_clock() - session->threads.start_ns;
	gapp_export_store(gapp_this_cpu(session), NULL, &store);
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
	struct gapp_session *session = gapp_watch_context(event);
	const bool is_last = gapp_watch_is_last(event);
	const bool is_there = current->mm == session->watched.mm &&
			      !(gapp_task_flags(current) & PF_KTHREAD);
	struct gapp_thread *by;
	unsigned long flags;

	/* a tracer that stores for a probe may do so anywhere, in a switch, too */
	if ((!is_there && !is_last) || (!user_mode(regs) && gapp_irqs_were_off(regs)))
		return;
	local_irq_save(flags);
	rcu_read_lock();
	by = is_there ? gapp_lookup(&session->threads, current) : NULL;
	if (!(by && seen(session, by, regs, is_last)) && is_last)
		untold(session);
	rcu_read_unlock();
	local_irq_restore(flags);
}

/* Which word current is about to store into, and what. */
static bool foresee(const struct gapp_store_point *asked, const struct pt_regs *regs,
		    struct gapp_store *store)
{
	struct gapp_regs values;
	u64 word = 0;

	gapp_regs_take(regs, &values);
	return gapp_store_point_locate(asked, &values, &store->address) &&
	       (asked->how == GAPP_STORE_SETS || read_word(store->address, asked->bytes, &word)) &&
	       gapp_store_point_value(asked, &values, word, &store->value);
}

static void at_point(struct gapp_session *session, struct gapp_thread *by,
		     const struct gapp_store_place *place, const struct pt_regs *regs,
		     bool is_given_up)
{
	struct gapp_store store = {
		.from = { .path = GAPP_PATH_NONE, .image = READ_ONCE(by->image) },
		.flags = GAPP_STORE_AT_POINT,
	};

	if (READ_ONCE(by->target->acc.cm.phase) != GAPP_PHASE_RUNNING)
		return;
	store.t = gapp_clock() - session->threads.start_ns;
	if (is_given_up) {
		store.flags |= GAPP_STORE_LAST;
		store.address = place->asked.address;
	} else if (!foresee(&place->asked, regs, &store)) {
		return;
	} else if (session->settings.unwind_by != GAPP_UNWIND_BY_NONE &&
		   gapp_has_user_regs(current)) {
		gapp_waker_path(session, by, &store.from);
	}
	gapp_export_store(gapp_this_cpu(session), by, &store);
}

/**
 * gapp_store_point_hit() - current has come to an instruction whose stores are told
 * @uprobe: of the instruction
 * @regs: current's registers in front of it
 *
 * Return: false if the breakpoint can be taken out of the process.
 */
bool gapp_store_point_hit(struct gapp_uprobe *uprobe, struct pt_regs *regs)
{
	struct gapp_breakpoints *points = gapp_breakpoint_of(uprobe)->of;
	const struct gapp_store_place *place =
		container_of(points, struct gapp_store_place, points);
	struct gapp_thread *by;
	unsigned long flags;
	bool may_pass;

	if (!gapp_breakpoint_is_for(uprobe, current->mm))
		return false;
	local_irq_save(flags);
	rcu_read_lock();
	may_pass = gapp_breakpoints_may_pass(points);
	by = gapp_lookup(&points->session->threads, current);
	if (by)
		at_point(points->session, by, place, regs, !may_pass);
	/* a thread that the session has no room for tells of no end: the reader has to ask */
	if (!may_pass)
		gapp_breakpoints_give_up(points);
	rcu_read_unlock();
	local_irq_restore(flags);
	return true;
}
