// SPDX-License-Identifier: GPL-2.0
/*
 * Adds up what is counted of threads, at each switch from or to a thread of a session with
 * GAPP_CONFIG_TALLIES. It has a probe of its own, so that others have no cost of it.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/slab.h>

#include "compat/perf_count.h"
#include "compat/sched.h"
#include "fault/fault.h"
#include "switch.h"

/**
 * struct gapp_tallying - a CPU's part of the tallies of a session
 * @of: task that runs, and of which @since is; NULL: a task that the session does not follow
 * @since: what stood when it came to run, or when it was looked at last
 * @sums: of all threads of the session on this CPU
 * @took_ns: nanoseconds that the last switch took here, if the probe of switches times that one
 * @events: counters of the processor, by number of the tally; NULL: there is none
 *
 * Only the CPU itself uses the first four, with interrupts off. Others read @sums as they stand.
 */
struct gapp_tallying {
	const struct task_struct *of;
	struct gapp_tally_reading since;
	struct gapp_tally_sums sums;
	u64 took_ns;
	struct perf_event *events[GAPP_TALLIES];
};

/* Misses of a cache, which for that of a NUMA node are loads from another node's memory. */
static bool counts_misses(const struct gapp_add_tally *tally)
{
	return tally->type == PERF_TYPE_HW_CACHE &&
	       tally->config >> 16 == PERF_COUNT_HW_CACHE_RESULT_MISS;
}

/*
 * For machines without counters tests have nanoseconds counted, and as misses a quarter of them on
 * NUMA node 0 and a half on others.
 */
static u64 stand_in(const struct gapp_add_tally *tally)
{
	const u64 now = gapp_clock();

	return counts_misses(tally) ? now >> (numa_node_id() ? 1 : 2) : now;
}

static bool read_event(const struct gapp_session *session, const struct gapp_tallying *tallying,
		       u32 number, u64 *value)
{
	if (gapp_fault_always("count_nanoseconds")) {
		*value = stand_in(&session->tallies[number]);
		return true;
	}
	return tallying->events[number] && gapp_perf_count_read(tallying->events[number], value);
}

static void read_all(const struct gapp_session *session, const struct gapp_tallying *tallying,
		     const struct task_struct *task, struct gapp_tally_reading *now)
{
	u32 i;

	now->counted = 0;
	for (i = 0; i < session->tally_count; i++) {
		switch (session->tallies[i].source) {
		case GAPP_TALLY_FAULTS:
			now->values[i] = task->min_flt + task->maj_flt;
			now->counted |= BIT(i);
			break;
		case GAPP_TALLY_MIGRATIONS:
			/* comes() adds them, because they come while the thread does not run */
			now->values[i] = 0;
			now->counted |= BIT(i);
			break;
		default:
			if (read_event(session, tallying, i, &now->values[i]))
				now->counted |= BIT(i);
			break;
		}
	}
}

/* Session time runs for the thread's target. */
static bool counts(const struct gapp_thread *thread)
{
	return READ_ONCE(thread->target->acc.cm.phase) == GAPP_PHASE_RUNNING;
}

/* Adds what the thread has done on this CPU since it was looked at last. */
static void add(const struct gapp_session *session, struct gapp_tallying *tallying,
		struct gapp_thread *thread, const struct gapp_tally_reading *now)
{
	struct gapp_tally_sums *sums = gapp_thread_tallies(thread);
	const u32 count = session->tally_count;

	if (!counts(thread))
		return;
	if (tallying->of != thread->task) {
		gapp_tallies_miss(sums, session->tallied_running);
		gapp_tallies_miss(&tallying->sums, session->tallied_running);
		gapp_tallies_miss(gapp_thread_slice_tallies(thread), session->tallied_running);
		return;
	}
	gapp_tallies_add(sums, &tallying->since, now, count);
	gapp_tallies_add(&tallying->sums, &tallying->since, now, count);
	if (session->settings.slice_tallies)
		gapp_tallies_add(gapp_thread_slice_tallies(thread), &tallying->since, now, count);
}

/* The thread comes to run on this CPU. */
static void comes(const struct gapp_session *session, struct gapp_tallying *tallying,
		  struct gapp_thread *thread)
{
	struct gapp_tally_sums *sums = gapp_thread_tallies(thread);
	struct gapp_tally_sums *of_slice = gapp_thread_slice_tallies(thread);
	u64 *seen = gapp_thread_migrations_seen(thread);
	const u64 moved = gapp_task_migrations(thread->task) - *seen;
	u32 i;

	memset(of_slice, 0, sizeof(*of_slice));
	*seen += moved;
	for (i = 0; moved && i < session->tally_count; i++) {
		if (session->tallies[i].source != GAPP_TALLY_MIGRATIONS || !counts(thread))
			continue;
		gapp_count(sums->counts[i], moved);
		gapp_count(tallying->sums.counts[i], moved);
		of_slice->counts[i] = moved;
	}
}

static void tally_switch(struct gapp_session *session, struct gapp_tallying *tallying,
			 struct task_struct *prev, struct gapp_thread *out,
			 struct task_struct *next, struct gapp_thread *in)
{
	struct gapp_tally_reading now;

	if (out) {
		read_all(session, tallying, prev, &now);
		add(session, tallying, out, &now);
	}
	tallying->of = NULL;
	if (!in)
		return;
	read_all(session, tallying, next, &tallying->since);
	tallying->of = next;
	comes(session, tallying, in);
}

/* One of the two may be followed. Interrupts off; the events of the switch come behind this. */
void gapp_tallies_switched(struct gapp_session *session, struct task_struct *prev,
			   struct task_struct *next)
{
	const struct gapp_cpu *cpu = gapp_this_cpu(session);
	/* 1: the other probe, which comes behind this one, times its next switch */
	const u64 begin = unlikely(cpu->untimed == 1) ? gapp_clock() : 0;
	struct gapp_thread *out = gapp_lookup(&session->threads, prev);
	struct gapp_thread *in = gapp_lookup(&session->threads, next);

	tally_switch(session, cpu->tallying, prev, out, next, in);
	if (unlikely(begin))
		cpu->tallying->took_ns = gapp_clock() - begin;
}

/* Nanoseconds that the switch that is timed took for tallies. Interrupts off. */
u64 gapp_tallies_took(const struct gapp_cpu *cpu)
{
	u64 took_ns;

	if (!cpu->tallying)
		return 0;
	took_ns = cpu->tallying->took_ns;
	cpu->tallying->took_ns = 0;
	return took_ns;
}

/**
 * gapp_tallies_look() - adds what the thread that runs here has done so far
 * @data: the session, with GAPP_CONFIG_TALLIES
 *
 * A thread that is found so for the first time is counted from now on. What runs here and is not
 * followed is not counted, should it be followed again.
 */
void gapp_tallies_look(void *data)
{
	struct gapp_session *session = data;
	struct gapp_tallying *tallying;
	struct gapp_tally_reading now;
	struct gapp_thread *thread;
	unsigned long flags;

	local_irq_save(flags);
	rcu_read_lock();
	tallying = gapp_this_cpu(session)->tallying;
	thread = gapp_lookup(&session->threads, current);
	if (thread) {
		read_all(session, tallying, current, &now);
		if (tallying->of == current)
			add(session, tallying, thread, &now);
		tallying->since = now;
		tallying->of = current;
	} else {
		tallying->of = NULL;
	}
	rcu_read_unlock();
	local_irq_restore(flags);
}

/* Bytes of what a slice's record has of the session's tallies. */
u32 gapp_slice_tally_bytes(const struct gapp_session *session)
{
	return sizeof(struct gapp_slice_tallies) + session->tally_count * sizeof(u64);
}

/**
 * gapp_put_slice_tallies() - add what was counted in a slice to its record
 * @cpu: this CPU, on which the thread ran, except at STOP
 * @thread: the thread, of a session with GAPP_CONFIG_SLICE_TALLIES
 * @then: enum gapp_then of the slice
 * @to: where the struct gapp_slice_tallies is to be
 *
 * Interrupts off.
 *
 * Return: GAPP_SLICE_TALLIES.
 */
u32 gapp_put_slice_tallies(struct gapp_cpu *cpu, struct gapp_thread *thread, enum gapp_then then,
			   void *to)
{
	struct gapp_tally_sums *of_slice = gapp_thread_slice_tallies(thread);
	const u32 count = cpu->session->tally_count;
	struct gapp_tallying *tallying = cpu->tallying;
	struct gapp_slice_tallies *put = to;
	u64 *counts = (u64 *)(put + 1);
	struct gapp_tally_reading now;
	u32 i;

	put->count = count;
	/* at STOP it may have exited with a share that no record has: then it has no task */
	if (gapp_thread_use(thread) != GAPP_USE_EXITED && tallying->of == thread->task) {
		/* it runs on, or goes on waiting here */
		read_all(cpu->session, tallying, thread->task, &now);
		add(cpu->session, tallying, thread, &now);
		tallying->since = now;
	} else if (then == GAPP_THEN_STOPPED) {
		/* it may run on another CPU, which counts meanwhile */
		put->uncounted = (1U << count) - 1;
		memset(counts, 0, count * sizeof(*counts));
		return GAPP_SLICE_TALLIES;
	}
	put->uncounted = of_slice->uncounted;
	for (i = 0; i < count; i++)
		counts[i] = of_slice->counts[i];
	memset(of_slice, 0, sizeof(*of_slice));
	return GAPP_SLICE_TALLIES;
}

/**
 * gapp_tallies_leave_slice() - what was counted so far is in no slice's record
 * @cpu: this CPU, on which the thread runs
 * @thread: the thread, of any session
 *
 * A slice's record says the time since its begin, which goes on without a record where the thread
 * spins, and where a part has no share. Interrupts off.
 */
void gapp_tallies_leave_slice(struct gapp_cpu *cpu, struct gapp_thread *thread)
{
	struct gapp_tallying *tallying = cpu->tallying;
	struct gapp_tally_reading now;

	if (!cpu->session->settings.slice_tallies || tallying->of != thread->task)
		return;
	read_all(cpu->session, tallying, thread->task, &now);
	add(cpu->session, tallying, thread, &now);
	tallying->since = now;
	memset(gapp_thread_slice_tallies(thread), 0, sizeof(struct gapp_tally_sums));
}

static void end_event(struct gapp_tallying *tallying, u32 number)
{
	if (tallying->events[number])
		gapp_perf_count_end(tallying->events[number]);
	tallying->events[number] = NULL;
}

/* Begins a counter of the processor on each CPU. Returns 0, or an error and none has begun. */
static int begin_events(struct gapp_session *session, const struct gapp_add_tally *tally,
			u32 number)
{
	struct perf_event *event;
	unsigned int cpu;
	int ret = 0;

	if (gapp_fault_always("count_nanoseconds"))
		return 0;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		event = gapp_perf_count_begin(cpu, tally->type, tally->config);
		if (IS_ERR(event)) {
			ret = PTR_ERR(event);
			break;
		}
		session->cpus[cpu]->tallying->events[number] = event;
		if (!gapp_perf_count_is_on(event)) {
			ret = -EAGAIN;
			break;
		}
	}
	cpus_read_unlock();
	if (!ret)
		return 0;
	for_each_possible_cpu(cpu)
		end_event(session->cpus[cpu]->tallying, number);
	return ret;
}

/**
 * gapp_tallies_begin() - one more tally
 * @session: the session, READY, with fewer than GAPP_TALLIES
 * @tally: what is to be counted
 *
 * Return: 0, or a negative errno.
 */
int gapp_tallies_begin(struct gapp_session *session, const struct gapp_add_tally *tally)
{
	const u32 number = session->tally_count;
	int ret = 0;

	if (tally->source == GAPP_TALLY_PERF)
		ret = begin_events(session, tally, number);
	if (ret)
		return ret;
	session->tallies[number] = *tally;
	if (tally->source != GAPP_TALLY_MIGRATIONS)
		session->tallied_running |= BIT(number);
	session->tally_count++;
	return 0;
}

/* Makes the CPU's part, if the session has tallies. Returns 0 or -ENOMEM. */
int gapp_tallies_make(struct gapp_cpu *cpu)
{
	if (!cpu->session->settings.tallies)
		return 0;
	cpu->tallying = kzalloc_node(sizeof(*cpu->tallying), GAPP_GFP, cpu_to_node(cpu->number));
	return cpu->tallying ? 0 : -ENOMEM;
}

/* No probe comes any more, or none has come. */
void gapp_tallies_free(struct gapp_cpu *cpu)
{
	u32 i;

	for (i = 0; cpu->tallying && i < GAPP_TALLIES; i++)
		end_event(cpu->tallying, i);
	kfree(cpu->tallying);
}

/* The sums of a CPU, of a session with GAPP_CONFIG_TALLIES. */
const struct gapp_tally_sums *gapp_tallies_of_cpu(const struct gapp_cpu *cpu)
{
	return &cpu->tallying->sums;
}
