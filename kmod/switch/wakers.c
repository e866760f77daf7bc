// SPDX-License-Identifier: GPL-2.0
/*
 * Who wakes a thread: another thread, with its call path where the session asks for that, or an
 * interrupt of some kind. The kernel does not say which softirq runs, nor whether a timer expires
 * in a hard interrupt. Probes of both note it, which only sessions have that ask for wakers' paths.
 */
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "compat/preempt.h"
#include "switch.h"

/**
 * struct interrupt - what a CPU was last seen to handle
 * @softirq: number of the softirq that runs, if one does
 * @timer: a timer expires in the hard interrupt that is under way
 */
struct interrupt {
	unsigned int softirq;
	bool timer;
};

static DEFINE_PER_CPU(struct interrupt, interrupts);

/* The probe of softirq_entry. */
void gapp_softirq_begins(void *data, unsigned int number)
{
	this_cpu_write(interrupts.softirq, number);
}

/* The probe of hrtimer_expire_entry. A softirq in which timers expire tells so itself. */
void gapp_timer_expires(void *data, struct hrtimer *timer, gapp_expire_now now)
{
	if (in_hardirq())
		this_cpu_write(interrupts.timer, true);
}

/* The probe of hrtimer_expire_exit. */
void gapp_timer_expired(void *data, struct hrtimer *timer)
{
	if (in_hardirq())
		this_cpu_write(interrupts.timer, false);
}

static enum gapp_softirq softirq_here(void)
{
	switch (this_cpu_read(interrupts.softirq)) {
	case NET_RX_SOFTIRQ:
	case NET_TX_SOFTIRQ:
		return GAPP_SOFTIRQ_NETWORK;
	case BLOCK_SOFTIRQ:
	case IRQ_POLL_SOFTIRQ:
		return GAPP_SOFTIRQ_DISK;
	case TIMER_SOFTIRQ:
	case HRTIMER_SOFTIRQ:
		return GAPP_SOFTIRQ_TIMER;
	default:
		return GAPP_SOFTIRQ_OTHER;
	}
}

/**
 * gapp_waker_path() - take the call path of current, which ends another thread's wait
 * @session: the session
 * @by: current's thread
 * @noted: the result; without a path if there were too many, or if there is no time for it
 *
 * Interrupts are off. The other thread is not locked: a path takes long. Where a wake-up is under
 * way, the scheduler keeps others from waking it.
 */
void gapp_waker_path(struct gapp_session *session, struct gapp_thread *by,
		     struct gapp_noted_path *noted)
{
	struct gapp_unwinder *unwinder = &gapp_this_cpu(session)->unwinder;
	const u64 now_ns = gapp_clock();

	noted->image = READ_ONCE(by->image);
	noted->path = GAPP_PATH_NONE;
	if (gapp_rate_take(&unwinder->waker_rate, now_ns)) {
		gapp_budget_begin_waking(now_ns);
		noted->path = gapp_callpath_in_time(unwinder, by, noted->image,
						    now_ns - session->threads.start_ns);
		gapp_budget_end_waking(now_ns);
	} else {
		gapp_callpath_leave_out(unwinder);
	}
}

/* Whether there is a record of the slice that ended in the thread's last wait. It is locked. */
static bool is_exported(const struct gapp_thread *thread)
{
	return thread->last_wait.paths == GAPP_PATHS_KNOWN && !thread->slice.carried;
}

/* Whether the thread's wake-up ends a wait of which the waker's path is wanted. It is locked. */
static bool wants_path(const struct gapp_session *session, const struct gapp_thread *thread)
{
	const struct gapp_cm *cm = &thread->target->acc.cm;

	return READ_ONCE(cm->phase) == GAPP_PHASE_RUNNING &&
	       gapp_wants_waker_path(thread->core.state,
				     session->settings.level == GAPP_LEVEL_TRACE,
				     is_exported(thread), READ_ONCE(cm->n));
}

/**
 * gapp_note_waker() - current, or an interrupt, is about to wake a task
 * @session: the session, with GAPP_CONFIG_WAKER_PATHS
 * @task: the task
 * @bucket: bucket of @task
 *
 * Preemption is off. Whose process is not followed has no path, and in a session without privilege
 * no name.
 */
void gapp_note_waker(struct gapp_session *session, struct task_struct *task, unsigned long bucket)
{
	const struct gapp_settings *settings = &session->settings;
	struct gapp_thread *thread = gapp_find(&session->threads, bucket, task), *by = NULL;
	struct gapp_noted_path noted = { .path = GAPP_PATH_NONE };
	struct gapp_waker waker = { .cpu = raw_smp_processor_id() };
	unsigned long flags;
	bool wanted;

	if (!thread)
		return;
	local_irq_save(flags);
	if (!in_task()) {
		waker.flags = GAPP_SLICE_WOKEN_BY_IRQ |
			      gapp_interrupt_kind(in_hardirq(), this_cpu_read(interrupts.timer),
						  softirq_here(), gapp_task_in_iowait(task));
	} else {
		by = gapp_lookup(&session->threads, current);
		if (by || !settings->restricted)
			gapp_name_waker(settings, &waker);
	}
	gapp_lock(thread);
	wanted = by && wants_path(session, thread) && gapp_shows_regs(settings, current);
	thread->waker = waker;
	*gapp_thread_woken_from(thread) = noted;
	gapp_unlock(thread);
	if (wanted && settings->unwind_by != GAPP_UNWIND_BY_NONE) {
		gapp_waker_path(session, by, &noted);
		gapp_lock(thread);
		*gapp_thread_woken_from(thread) = noted;
		gapp_unlock(thread);
	}
	local_irq_restore(flags);
}

/**
 * gapp_wait_ended() - what records say of who ended a thread's wait
 * @thread: the thread, locked, of a session with GAPP_CONFIG_WAKER_PATHS
 * @export: what is to be exported
 *
 * Return: GAPP_EXPORT_WAKE, or 0 if this wake-up has a record at GAPP_LEVEL_TRACE only.
 */
u32 gapp_wait_ended(struct gapp_thread *thread, struct gapp_export *export)
{
	export->woken_from = *gapp_thread_woken_from(thread);
	return is_exported(thread) ? GAPP_EXPORT_WAKE : 0;
}
