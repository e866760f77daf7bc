// SPDX-License-Identifier: GPL-2.0
#include "accounts.h"
#include "compat/sched.h"

static u64 our_runq(const struct gapp_thread *entry)
{
	return gapp_have_run_delay() ? entry->core.runq_ns : 0;
}

/*
 * By how much the kernel's account is ahead of ours now, with @run as ours of its time on a CPU. We
 * account for a stay on a CPU, or a wait for one, when it ends. So does the kernel, but at a tick
 * too, or when it moves a thread that waits: therefore what it had when the thread was last
 * switched out is noted.
 */
static struct gapp_accounts ahead(const struct gapp_thread *entry, u64 run)
{
	bool on_cpu = entry->core.state == GAPP_THREAD_RUNNING;
	u64 runq = on_cpu ? gapp_task_run_delay(entry->task) : entry->kernel_runq;

	return (struct gapp_accounts){
		.run = READ_ONCE(entry->task->se.sum_exec_runtime) - run,
		.runq = runq - our_runq(entry),
	};
}

/**
 * gapp_accounts_begin() - compare from here on
 * @entry: the thread, on a CPU or on its way to or from one
 * @run: our account of its time on a CPU now
 * @in_wait: it waits for a CPU, and of that wait the kernel may know another begin
 */
void gapp_accounts_begin(struct gapp_thread *entry, u64 run, bool in_wait)
{
	entry->base.run = READ_ONCE(entry->task->se.sum_exec_runtime) - run;
	entry->flags |= GAPP_THREAD_BASED;
	if (in_wait) {
		entry->base.runq = 0;
		entry->flags |= GAPP_THREAD_KERNEL_ASTRAY;
	} else {
		entry->base.runq = gapp_task_run_delay(entry->task) - our_runq(entry);
	}
}

/**
 * gapp_accounts_go_astray() - leave out the next wait for a CPU
 * @entry: the thread, asleep
 *
 * Until it has ended @base has what is left of the comparison, negated.
 */
void gapp_accounts_go_astray(struct gapp_thread *entry)
{
	const u8 mask = GAPP_THREAD_BASED | GAPP_THREAD_KERNEL_ASTRAY | GAPP_THREAD_KERNEL_DONE;

	if ((entry->flags & mask) != GAPP_THREAD_BASED)
		return;
	entry->base.runq -= entry->kernel_runq - our_runq(entry);
	entry->flags |= GAPP_THREAD_KERNEL_ASTRAY;
}

/**
 * gapp_accounts_come_back() - that wait has ended
 * @entry: the thread, on its way from the CPU
 */
void gapp_accounts_come_back(struct gapp_thread *entry)
{
	const u8 mask = GAPP_THREAD_KERNEL_ASTRAY | GAPP_THREAD_KERNEL_DONE;

	if ((entry->flags & mask) != GAPP_THREAD_KERNEL_ASTRAY)
		return;
	entry->base.runq += gapp_task_run_delay(entry->task) - our_runq(entry);
	entry->flags &= ~GAPP_THREAD_KERNEL_ASTRAY;
}

/* What it has got ahead by since @base. */
static struct gapp_accounts compare(const struct gapp_thread *entry, const struct gapp_at *at)
{
	struct gapp_accounts now;
	u64 run = entry->core.run_ns;

	if (entry->core.state == GAPP_THREAD_RUNNING && at->t > entry->core.t)
		run += at->t - entry->core.t;
	now = ahead(entry, run);
	if (entry->flags & GAPP_THREAD_KERNEL_ASTRAY)
		now.runq = 0;
	now.run -= entry->base.run;
	now.runq -= entry->base.runq;
	return now;
}

/**
 * gapp_accounts_end() - the comparison ends, its result stays
 * @entry: the thread
 * @at: the accumulators now; no later than the end of session time
 */
void gapp_accounts_end(struct gapp_thread *entry, const struct gapp_at *at)
{
	if (!(entry->flags & GAPP_THREAD_BASED) || entry->flags & GAPP_THREAD_KERNEL_DONE)
		return;
	entry->base = compare(entry, at);
	if (entry->core.state == GAPP_THREAD_RUNNING)
		entry->flags |= GAPP_THREAD_KERNEL_LATE;
	entry->flags |= GAPP_THREAD_KERNEL_DONE;
}

/* So far. Ours are all there are: of what was not compared the kernel is taken to have the same. */
void gapp_accounts_show(const struct gapp_thread *entry, const struct gapp_at *at,
			struct gapp_thread_figures *figures)
{
	struct gapp_accounts result = entry->base;

	if (!(entry->flags & GAPP_THREAD_BASED))
		return;
	if (!(entry->flags & GAPP_THREAD_KERNEL_DONE)) {
		result = compare(entry, at);
		if (entry->core.state == GAPP_THREAD_RUNNING)
			figures->flags |= GAPP_FIGURES_KERNEL_LATE;
	}
	figures->flags |= GAPP_FIGURES_KERNEL_SEEN;
	if (entry->flags & GAPP_THREAD_KERNEL_LATE)
		figures->flags |= GAPP_FIGURES_KERNEL_LATE;
	figures->kernel_seen_run_ns = figures->run_ns;
	figures->kernel_seen_runq_ns = our_runq(entry);
	figures->kernel_run_ns = figures->kernel_seen_run_ns + result.run;
	figures->kernel_runq_ns = figures->kernel_seen_runq_ns + result.runq;
}
