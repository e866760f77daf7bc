// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the kernel's account of a thread's times on CPUs and run queues with ours, over one
 * span: a check that does not depend on the events. Both accounts are read when neither can grow.
 * The thread is locked in all functions here.
 */
#include "thread.h"

static u64 our_runq(const struct gapp_thread *thread)
{
	return gapp_have_run_delay() ? gapp_task_runq_ns(&thread->core) : 0;
}

/*
 * The kernel's account less ours, now; @run is our account of the thread's time on a CPU. Both add
 * a stay on a CPU, or a wait for one, when it ends. But the kernel also adds parts of a wait, at
 * ticks and when it moves a waiting thread; so off a CPU we take the kernel's figure as of the last
 * switch-out.
 */
static struct gapp_accounts ahead(const struct gapp_thread *thread, u64 run)
{
	bool on_cpu = gapp_state_is_on_cpu(thread->core.state);
	u64 runq = on_cpu ? gapp_task_run_delay(thread->task) : gapp_thread_kernel_runq(thread);

	return (struct gapp_accounts){
		.run = READ_ONCE(thread->task->se.sum_exec_runtime) - run,
		.runq = runq - our_runq(thread),
	};
}

/**
 * gapp_accounts_begin() - begin to compare the two accounts
 * @thread: the thread, on a CPU or on its way to or from one
 * @run: our account of the thread's time on a CPU, nanoseconds
 * @in_wait: the thread waits for a CPU, and the kernel may date the begin of that wait before ours
 */
void gapp_accounts_begin(struct gapp_thread *thread, u64 run, bool in_wait)
{
	thread->base.run = READ_ONCE(thread->task->se.sum_exec_runtime) - run;
	gapp_thread_add_flags(thread,
			      GAPP_THREAD_BASED | (in_wait ? GAPP_THREAD_KERNEL_ASTRAY : 0));
	if (in_wait)
		thread->base.runq = 0;
	else
		thread->base.runq = gapp_task_run_delay(thread->task) - our_runq(thread);
}

/**
 * gapp_accounts_go_astray() - leave out the next wait for a CPU
 * @thread: the thread, asleep
 *
 * Until that wait has ended, @base.runq is the result of the comparison so far, negated.
 */
void gapp_accounts_go_astray(struct gapp_thread *thread)
{
	const u8 mask = GAPP_THREAD_BASED | GAPP_THREAD_KERNEL_ASTRAY | GAPP_THREAD_KERNEL_DONE;

	if ((thread->flags & mask) != GAPP_THREAD_BASED)
		return;
	thread->base.runq -= gapp_thread_kernel_runq(thread) - our_runq(thread);
	gapp_thread_add_flags(thread, GAPP_THREAD_KERNEL_ASTRAY);
}

/**
 * gapp_accounts_come_back() - compare waits for a CPU again, after one was left out
 * @thread: the thread, which is being switched out
 */
void gapp_accounts_come_back(struct gapp_thread *thread)
{
	const u8 mask = GAPP_THREAD_KERNEL_ASTRAY | GAPP_THREAD_KERNEL_DONE;

	if ((thread->flags & mask) != GAPP_THREAD_KERNEL_ASTRAY)
		return;
	thread->base.runq += gapp_task_run_delay(thread->task) - our_runq(thread);
	gapp_thread_set_flags(thread, thread->flags & ~GAPP_THREAD_KERNEL_ASTRAY);
}

/**
 * gapp_accounts_spun() - the time from the thread's last event until @at is over
 * @thread: the thread, before the event at @at
 * @at: the integrals at the event
 *
 * If the thread was spinning, the kernel has that as time on a CPU, and our account has not.
 */
void gapp_accounts_spun(struct gapp_thread *thread, const struct gapp_at *at)
{
	const u64 spun_ns = at->t - thread->core.t;

	if (likely(thread->core.state != GAPP_THREAD_SPINNING) || at->phase == GAPP_PHASE_STOPPED)
		return;
	atomic64_add(spun_ns, &thread->target->spun_ns);
	if (thread->flags & GAPP_THREAD_BASED && !(thread->flags & GAPP_THREAD_KERNEL_DONE))
		thread->base.run += spun_ns;
}

/* How much the difference between the two accounts has grown since @base. */
static struct gapp_accounts compare(const struct gapp_thread *thread, const struct gapp_at *at)
{
	struct gapp_accounts now;
	u64 run = gapp_task_run_ns(&thread->core);

	if (gapp_state_is_on_cpu(thread->core.state) && at->t > thread->core.t)
		run += at->t - thread->core.t;
	now = ahead(thread, run);
	if (thread->flags & GAPP_THREAD_KERNEL_ASTRAY)
		now.runq = 0;
	now.run -= thread->base.run;
	now.runq -= thread->base.runq;
	return now;
}

/**
 * gapp_accounts_end() - end the comparison and keep its result
 * @thread: the thread
 * @at: the integrals now; no later than the end of session time
 */
void gapp_accounts_end(struct gapp_thread *thread, const struct gapp_at *at)
{
	if (!(thread->flags & GAPP_THREAD_BASED) || thread->flags & GAPP_THREAD_KERNEL_DONE)
		return;
	thread->base = compare(thread, at);
	if (gapp_state_is_on_cpu(thread->core.state))
		gapp_thread_add_flags(thread, GAPP_THREAD_KERNEL_LATE);
	gapp_thread_add_flags(thread, GAPP_THREAD_KERNEL_DONE);
}

/* Shows the comparison until now. What was not compared has our figure as the kernel's. */
static void show(const struct gapp_thread *thread, const struct gapp_at *at,
		 struct gapp_thread_figures *figures)
{
	struct gapp_accounts result = thread->base;

	if (!(thread->flags & GAPP_THREAD_BASED))
		return;
	if (!(thread->flags & GAPP_THREAD_KERNEL_DONE)) {
		result = compare(thread, at);
		if (gapp_state_is_on_cpu(thread->core.state))
			figures->flags |= GAPP_FIGURES_KERNEL_LATE;
	}
	figures->flags |= GAPP_FIGURES_KERNEL_SEEN;
	if (thread->flags & GAPP_THREAD_KERNEL_LATE)
		figures->flags |= GAPP_FIGURES_KERNEL_LATE;
	figures->kernel_seen_run_ns = figures->run_ns;
	figures->kernel_seen_runq_ns = our_runq(thread);
	figures->kernel_run_ns = figures->kernel_seen_run_ns + result.run;
	figures->kernel_runq_ns = figures->kernel_seen_runq_ns + result.runq;
}

/**
 * gapp_thread_fill_figures() - everything that the ABI shows of a thread but its ids
 * @thread: the thread, locked, or not found by any event; nobody reuses it meanwhile
 * @at: the integrals of its target now
 * @figures: filled in
 */
void gapp_thread_fill_figures(struct gapp_thread *thread, const struct gapp_at *at,
			      struct gapp_thread_figures *figures)
{
	memset(figures, 0, sizeof(*figures));
	gapp_task_figures(&thread->core, at, figures);
	memcpy(figures->comm, gapp_thread_comm(thread), sizeof(figures->comm));
	figures->threads = 1;
	show(thread, at, figures);
}
