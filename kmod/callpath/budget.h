/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a CPU may take for call paths and records. A switch has a deadline, for all sessions
 * together; beyond it stack copies are left out first, then call paths, then records. A sample has
 * one of its own. Call paths that are not in the path cache have a share of the CPU's time, for
 * switches and samples of all sessions.
 */
#ifndef GAPP_BUDGET_H
#define GAPP_BUDGET_H

#include <linux/percpu.h>
#include <linux/sched.h>

#include "threads/clock.h"
#include "threads/settings.h"

/**
 * struct gapp_share - time for call paths that the CPU has saved, or owes
 * @credit_ns: nanoseconds; negative: the CPU owes them
 * @seen_ns: CLOCK_MONOTONIC when @credit_ns was brought up to date, in nanoseconds
 */
struct gapp_share {
	s64 credit_ns;
	u64 seen_ns;
};

/**
 * struct gapp_budget - a CPU's budget, for all sessions; used with interrupts off
 * @task: current when the switch, or other event, began; compared only, it may be gone
 * @switch_count: how often @task had been switched out then
 * @start_ns: when @task was made: another task may get its address
 * @begin_ns: CLOCK_MONOTONIC when it began, in nanoseconds
 * @all: what all sessions share
 * @restricted: what restricted sessions share; they use @all too
 */
struct gapp_budget {
	const struct task_struct *task;
	unsigned long switch_count;
	u64 start_ns;
	u64 begin_ns;
	struct gapp_share all;
	struct gapp_share restricted;
};

DECLARE_PER_CPU(struct gapp_budget, gapp_budgets);

/**
 * gapp_budget_used() - how long a switch has taken when a session's part of it begins
 * @now_ns: CLOCK_MONOTONIC of the session's event, in nanoseconds
 *
 * The probes of all sessions come one after the other, so the first one begins the switch. Not for
 * wake-ups, which come between two switches of current.
 *
 * Return: nanoseconds since the first session's event.
 */
static __always_inline u64 gapp_budget_used(u64 now_ns)
{
	const unsigned long switch_count = current->nvcsw + current->nivcsw;
	struct gapp_budget *budget = this_cpu_ptr(&gapp_budgets);

	/* session time may have ended before it began */
	if (budget->task == current && budget->switch_count == switch_count &&
	    budget->start_ns == current->start_time)
		return max_t(s64, now_ns - budget->begin_ns, 0);
	budget->task = current;
	budget->switch_count = switch_count;
	budget->start_ns = current->start_time;
	budget->begin_ns = now_ns;
	return 0;
}

/**
 * gapp_budget_begin() - a sample, or another event that is no switch of current, begins
 * @now_ns: CLOCK_MONOTONIC, in nanoseconds
 */
static inline void gapp_budget_begin(u64 now_ns)
{
	this_cpu_write(gapp_budgets.task, NULL);
	gapp_budget_used(now_ns);
}

void gapp_budget_set(struct gapp_settings *settings);
bool gapp_budget_is_late(u64 allowed_ns);
bool gapp_budget_allows_path(const struct gapp_settings *settings, u64 now_ns);
bool gapp_budget_allows_copy(const struct gapp_settings *settings, u64 now_ns);
u64 gapp_budget_charge(const struct gapp_settings *settings, u64 began_ns);

#endif /* GAPP_BUDGET_H */
