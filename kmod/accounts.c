// SPDX-License-Identifier: GPL-2.0
#include "accounts.h"
#include "compat/sched.h"

static u64 our_runq(const struct gapp_entry *entry)
{
	return gapp_have_run_delay() ? entry->core.runq_ns : 0;
}

/*
 * What both have now. We account for a stay on a CPU, or a wait for one, when it ends. So does the
 * kernel, but at a tick too, or when it moves a thread that waits: therefore what it had when the
 * thread was last switched out is noted.
 */
static void note(const struct gapp_entry *entry, struct gapp_accounts *accounts)
{
	bool on_cpu = entry->core.state == GAPP_THREAD_RUNNING;

	accounts->kernel_run = READ_ONCE(entry->task->se.sum_exec_runtime);
	accounts->kernel_runq = on_cpu ? gapp_task_run_delay(entry->task) : entry->kernel_runq;
	accounts->run = entry->core.run_ns;
	accounts->runq = our_runq(entry);
}

/**
 * gapp_accounts_begin() - compare from here on
 * @entry: the thread, on a CPU or on its way to or from one
 * @run: our account of its time on a CPU now
 * @in_wait: it waits for a CPU, and of that wait the kernel may know another begin
 */
void gapp_accounts_begin(struct gapp_entry *entry, u64 run, bool in_wait)
{
	entry->base = (struct gapp_accounts){
		.kernel_run = READ_ONCE(entry->task->se.sum_exec_runtime),
		.run = run,
	};
	entry->flags |= GAPP_ENTRY_BASED;
	if (in_wait) {
		entry->flags |= GAPP_ENTRY_KERNEL_ASTRAY;
	} else {
		entry->base.kernel_runq = gapp_task_run_delay(entry->task);
		entry->base.runq = our_runq(entry);
	}
}

/**
 * gapp_accounts_go_astray() - leave out the next wait for a CPU
 * @entry: the thread, asleep
 *
 * Until it has ended @base has what is left of the comparison, negated.
 */
void gapp_accounts_go_astray(struct gapp_entry *entry)
{
	if (!(entry->flags & GAPP_ENTRY_BASED) || entry->flags & GAPP_ENTRY_KERNEL_ASTRAY)
		return;
	entry->base.kernel_runq -= entry->kernel_runq;
	entry->base.runq -= our_runq(entry);
	entry->flags |= GAPP_ENTRY_KERNEL_ASTRAY;
}

/**
 * gapp_accounts_come_back() - that wait has ended
 * @entry: the thread, on its way from the CPU
 */
void gapp_accounts_come_back(struct gapp_entry *entry)
{
	if (!(entry->flags & GAPP_ENTRY_KERNEL_ASTRAY))
		return;
	entry->base.kernel_runq += gapp_task_run_delay(entry->task);
	entry->base.runq += our_runq(entry);
	entry->flags &= ~GAPP_ENTRY_KERNEL_ASTRAY;
}

/* From @base until now. */
static void compare(const struct gapp_entry *entry, const struct gapp_at *at,
		    struct gapp_accounts *accounts)
{
	const struct gapp_accounts *base = &entry->base;

	note(entry, accounts);
	if (entry->core.state == GAPP_THREAD_RUNNING && at->t > entry->core.t)
		accounts->run += at->t - entry->core.t;
	accounts->kernel_run -= base->kernel_run;
	accounts->run -= base->run;
	if (entry->flags & GAPP_ENTRY_KERNEL_ASTRAY) {
		accounts->kernel_runq = 0;
		accounts->runq = 0;
	}
	accounts->kernel_runq -= base->kernel_runq;
	accounts->runq -= base->runq;
}

/**
 * gapp_accounts_end() - the comparison ends, its result stays
 * @entry: the thread
 * @at: the accumulators now; no later than the end of session time
 */
void gapp_accounts_end(struct gapp_entry *entry, const struct gapp_at *at)
{
	struct gapp_accounts result;

	if (!(entry->flags & GAPP_ENTRY_BASED) || entry->flags & GAPP_ENTRY_KERNEL_DONE)
		return;
	compare(entry, at, &result);
	if (entry->core.state == GAPP_THREAD_RUNNING)
		entry->flags |= GAPP_ENTRY_KERNEL_LATE;
	entry->base = result;
	entry->flags |= GAPP_ENTRY_KERNEL_DONE;
}

/* So far. */
void gapp_accounts_show(const struct gapp_entry *entry, const struct gapp_at *at,
			struct gapp_thread *figures)
{
	struct gapp_accounts result = entry->base;

	if (!(entry->flags & GAPP_ENTRY_BASED))
		return;
	if (!(entry->flags & GAPP_ENTRY_KERNEL_DONE)) {
		compare(entry, at, &result);
		if (entry->core.state == GAPP_THREAD_RUNNING)
			figures->flags |= GAPP_THREAD_KERNEL_LATE;
	}
	figures->flags |= GAPP_THREAD_KERNEL_SEEN;
	if (entry->flags & GAPP_ENTRY_KERNEL_LATE)
		figures->flags |= GAPP_THREAD_KERNEL_LATE;
	figures->kernel_run_ns = result.kernel_run;
	figures->kernel_runq_ns = result.kernel_runq;
	figures->kernel_seen_run_ns = result.run;
	figures->kernel_seen_runq_ns = result.runq;
}
