// SPDX-License-Identifier: GPL-2.0
/* Who gets the CPU of a thread that still wants to run. */
#include <linux/sched.h>

#include "switch.h"

/**
 * gapp_preempter() - find out who preempts a thread
 * @session: the session, with GAPP_CONFIG_WAITS
 * @cpu: this CPU, whose @next gets it
 * @thread: the thread that is switched out; it is locked
 *
 * In the context switch, interrupts off, under RCU. A session without privilege learns of no thread
 * that it does not follow. A thread that the opener's pid namespace does not have is not named.
 *
 * Return: for gapp_waits_ready().
 */
u8 gapp_preempter(const struct gapp_session *session, const struct gapp_cpu *cpu,
		  struct gapp_thread *thread)
{
	const struct gapp_settings *settings = &session->settings;
	struct gapp_waits *waits = gapp_thread_waits(thread);
	struct task_struct *next = cpu->next;
	pid_t tid = next->pid;

	if (settings->restricted && !gapp_lookup(&session->threads, next))
		return GAPP_OTHER_PREEMPTERS;
	if (tid && settings->ns_level) {
		tid = task_pid_nr_ns(next, settings->ns);
		if (!tid)
			return GAPP_OTHER_PREEMPTERS;
	}
	return gapp_waits_preempter(waits, tid, next->comm);
}
