/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a CPU may take for call paths and records. A switch has a deadline, for all sessions
 * together; beyond it stack copies are left out first, then call paths, then records. So has an
 * interrupt in which sampling timers expire, and one that takes the paths of waits. Call paths that
 * are not in the path cache have a share of the CPU's time, for switches and samples of all
 * sessions.
 */
#ifndef GAPP_BUDGET_H
#define GAPP_BUDGET_H

#include <linux/percpu.h>
#include <linux/sched.h>

#include "core/waker_path.h"
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
 * struct gapp_occasion - what sessions share a deadline for: a switch, or an interrupt
 * @task: current when it began; compared only, it may be gone
 * @switch_count: how often @task had been switched out then
 * @start_ns: when @task was made: another task may get its address
 * @begin_ns: CLOCK_MONOTONIC when it began, in nanoseconds
 */
struct gapp_occasion {
	const struct task_struct *task;
	unsigned long switch_count;
	u64 start_ns;
	u64 begin_ns;
};

/**
 * struct gapp_budget - a CPU's budget, for all sessions; used with interrupts off
 * @now: what is under way
 * @waits: the last interrupt that took the paths of waits
 * @timed: the last switch of which a part was timed
 * @timers: number of the last interrupt in which a sampling timer expired
 * @timers_ns: CLOCK_MONOTONIC of its first sample, in nanoseconds
 * @waking: time for the call paths of wakers
 * @all: what all sessions share
 * @restricted: what restricted sessions share; they use @all too
 */
struct gapp_budget {
	struct gapp_occasion now;
	struct gapp_occasion waits;
	struct gapp_occasion timed;
	u64 timers_ns;
	u32 timers;
	struct gapp_waking waking;
	struct gapp_share all;
	struct gapp_share restricted;
};

DECLARE_PER_CPU(struct gapp_budget, gapp_budgets);

/* Number of sessions whose threads have events; written under the lock of the seats. */
extern unsigned int gapp_budget_sessions;

/*
 * Begins an occasion, unless current has not been switched out since it began. Returns when it
 * began.
 */
static __always_inline u64 gapp_occasion_begin(struct gapp_occasion *occasion, u64 now_ns)
{
	const unsigned long switch_count = current->nvcsw + current->nivcsw;

	if (occasion->task == current && occasion->switch_count == switch_count &&
	    occasion->start_ns == current->start_time)
		return occasion->begin_ns;
	occasion->task = current;
	occasion->switch_count = switch_count;
	occasion->start_ns = current->start_time;
	occasion->begin_ns = now_ns;
	return now_ns;
}

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
	struct gapp_budget *budget = this_cpu_ptr(&gapp_budgets);

	/* session time may have ended before it began */
	return max_t(s64, now_ns - gapp_occasion_begin(&budget->now, now_ns), 0);
}

/**
 * gapp_budget_allows_record() - whether the switch has time for a record of a session
 * @settings: settings of the session
 * @now_ns: CLOCK_MONOTONIC of the session's event, in nanoseconds
 *
 * In the contexts of gapp_budget_used().
 *
 * Return: true if it has; always for the first session of a switch, so the only one need not ask.
 */
static __always_inline bool gapp_budget_allows_record(const struct gapp_settings *settings,
						      u64 now_ns)
{
	return gapp_budget_used(now_ns) < settings->record_ns;
}

/**
 * gapp_budget_timed() - how long a switch has taken when the timed part of a session begins
 * @now_ns: CLOCK_MONOTONIC, in nanoseconds
 *
 * Return: nanoseconds since the first timed part.
 */
static inline u64 gapp_budget_timed(u64 now_ns)
{
	struct gapp_budget *budget = this_cpu_ptr(&gapp_budgets);

	return max_t(s64, now_ns - gapp_occasion_begin(&budget->timed, now_ns), 0);
}

/**
 * gapp_budget_begin() - an event that is no switch of current begins
 * @now_ns: CLOCK_MONOTONIC, in nanoseconds
 */
static inline void gapp_budget_begin(u64 now_ns)
{
	this_cpu_write(gapp_budgets.now.task, NULL);
	gapp_budget_used(now_ns);
}

/**
 * gapp_budget_begin_sample() - a sample begins
 * @interrupt: number of the interrupt, as gapp_hrtimer_interrupt() has it
 * @now_ns: CLOCK_MONOTONIC, in nanoseconds
 *
 * The sampling timers of several sessions may expire in one interrupt. They share its deadline. If
 * the number was noted more than a millisecond ago, it was another interrupt's.
 */
static inline void gapp_budget_begin_sample(u32 interrupt, u64 now_ns)
{
	struct gapp_budget *budget = this_cpu_ptr(&gapp_budgets);

	if (budget->timers != interrupt || now_ns - budget->timers_ns > NSEC_PER_MSEC) {
		budget->timers = interrupt;
		budget->timers_ns = now_ns;
	}
	gapp_budget_begin(budget->timers_ns);
}

/**
 * gapp_budget_begin_wait() - the path of a wait is about to be taken, after current's switch-in
 * @now_ns: CLOCK_MONOTONIC, in nanoseconds
 *
 * One interrupt takes those of all sessions, once after each switch-in.
 */
static inline void gapp_budget_begin_wait(u64 now_ns)
{
	struct gapp_budget *budget = this_cpu_ptr(&gapp_budgets);

	gapp_budget_begin(gapp_occasion_begin(&budget->waits, now_ns));
}

/**
 * gapp_budget_begin_waking() - the call path of a waker is about to be taken
 * @now_ns: CLOCK_MONOTONIC, in nanoseconds
 *
 * Whoever wakes a list of threads may have interrupts off all the time. So the paths of all
 * wake-ups of a CPU within a millisecond share the time that a switch has: this one has what is
 * left of it. gapp_budget_end_waking() comes next.
 */
static inline void gapp_budget_begin_waking(u64 now_ns)
{
	struct gapp_budget *budget = this_cpu_ptr(&gapp_budgets);

	gapp_budget_begin(now_ns - gapp_waking_used(&budget->waking, now_ns));
}

/* The call path of a waker that began at @began_ns has been taken, or left out. */
static inline void gapp_budget_end_waking(u64 began_ns)
{
	this_cpu_add(gapp_budgets.waking.used_ns, max_t(s64, gapp_clock() - began_ns, 0));
}

void gapp_budget_set(struct gapp_settings *settings);
bool gapp_budget_is_late(u64 allowed_ns);
bool gapp_budget_allows_path(const struct gapp_settings *settings, u64 now_ns);
bool gapp_budget_allows_copy(const struct gapp_settings *settings, u64 now_ns);
u64 gapp_budget_charge(const struct gapp_settings *settings, u64 began_ns);

#endif /* GAPP_BUDGET_H */
