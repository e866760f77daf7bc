// SPDX-License-Identifier: GPL-2.0
/* What followed threads say of themselves: marks. Process context of the thread. */
#include "core/mark_text.h"
#include "switch.h"

/*
 * Whether the opener may see what current says. A process that became not dumpable after it joined
 * may work for somebody else by now.
 */
static bool may_see(const struct gapp_session *session, const struct gapp_thread *thread)
{
	if (READ_ONCE(thread->flags) & GAPP_THREAD_EXPELLED)
		return false;
	return !session->settings.restricted || gapp_task_is_dumpable(current);
}

static void record(struct gapp_session *session, struct gapp_thread *thread,
		   const struct gapp_mark_text *mark)
{
	struct gapp_acc *acc = &thread->target->acc;
	u32 flags = GAPP_MARK_INTEGRALS;
	struct gapp_at at;

	if (!gapp_acc_read(acc, &at)) {
		gapp_acc_glance(acc, &at);
		flags = 0;
	}
	/* START has begun session time, and current is not counted as active yet */
	if (!at.n)
		flags = 0;
	if (at.phase == GAPP_PHASE_RUNNING)
		gapp_export_mark(gapp_this_cpu(session), thread, &at, flags, mark);
}

/**
 * gapp_mark_made() - current makes a mark
 * @session: a session that takes marks, and runs or has just ended
 * @mark: the mark, valid
 *
 * Nothing happens if the session does not follow current.
 */
void gapp_mark_made(struct gapp_session *session, const struct gapp_mark_text *mark)
{
	struct gapp_thread *thread;
	unsigned long flags;

	local_irq_save(flags);
	thread = gapp_lookup(&session->threads, current);
	if (thread && may_see(session, thread))
		record(session, thread, mark);
	local_irq_restore(flags);
}
