// SPDX-License-Identifier: GPL-2.0
/*
 * What records, counters, threads and the status say of one run must be the same, whatever was
 * asked for.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "busy.h"
#include "groups.h"
#include "records.h"

struct run {
	const char *name;
	struct gapp_config config;
	bool unread; /* until STOP: rings overflow */
};

#define RUN(name, unread, of_level, ...)               \
	{                                              \
		name,                                  \
			{ .abi_major = GAPP_ABI_MAJOR, \
			  .max_exited = 20,            \
			  .level = of_level,           \
			  .rate_hz = 2000,             \
			  __VA_ARGS__ },               \
			unread                         \
	}

static const struct run runs[] = {
	RUN("critical, 10 us", false, GAPP_LEVEL_CRITICAL, .min_critical_ns = 10000),
	RUN("critical, every slice", false, GAPP_LEVEL_CRITICAL),
	RUN("critical, 20 ms", false, GAPP_LEVEL_CRITICAL, .min_critical_ns = 20000000),
	RUN("critical, never but at the end", false, GAPP_LEVEL_CRITICAL, .min_critical_ns = ~0ULL),
	RUN("critical, kernel paths, wakers", false, GAPP_LEVEL_CRITICAL, .min_critical_ns = 10000,
	    .flags = GAPP_CONFIG_KERNEL_PATHS | GAPP_CONFIG_WAKERS),
	RUN("average", false, GAPP_LEVEL_CRITICAL, .criterion = GAPP_CRITERION_AVERAGE),
	RUN("average, 10 us", false, GAPP_LEVEL_CRITICAL, .min_critical_ns = 10000,
	    .criterion = GAPP_CRITERION_AVERAGE),
	RUN("trace", false, GAPP_LEVEL_TRACE, .flags = GAPP_CONFIG_WAKERS, .ring_bytes = 4U << 20),
	RUN("trace, few paths", false, GAPP_LEVEL_TRACE, .paths = GAPP_MIN_PATHS,
	    .ring_bytes = 4U << 20),
	RUN("trace, no paths", false, GAPP_LEVEL_TRACE, .flags = GAPP_CONFIG_WAKERS,
	    .unwind_by = GAPP_UNWIND_BY_NONE, .ring_bytes = 4U << 20),
	RUN("trace, no paths, unread", true, GAPP_LEVEL_TRACE, .unwind_by = GAPP_UNWIND_BY_NONE,
	    .ring_bytes = GAPP_MIN_RING),
	RUN("n_min 1", false, GAPP_LEVEL_CRITICAL, .n_min_mode = GAPP_N_MIN_FIXED, .n_min = 1),
	RUN("trace, unread", true, GAPP_LEVEL_TRACE, .ring_bytes = GAPP_MIN_RING),
	/* what a record that is lost was due for had mostly been carried over to it */
	RUN("critical, unread", true, GAPP_LEVEL_CRITICAL, .ring_bytes = GAPP_MIN_RING,
	    .min_critical_ns = 100000),
};

struct result {
	struct gapp_status status;
	struct gapp_counters counters;
	struct r_tally tally;
	u64 thread_crit;
	u64 thread_slices;
	u64 thread_wakeups;
	u64 shared_lost; /* from the begin of the rings */
	u64 shared_lost_share;
	u64 shared_lost_wait_ns;
	u32 paths;
};

static void add_rows(int fd, unsigned long request, struct result *result)
{
	struct t_rows rows = t_rows(fd, request, GAPP_PAGE_MAX);

	for (size_t i = 0; i < rows.count; i++) {
		result->thread_crit += rows.rows[i].critical_run;
		result->thread_slices += rows.rows[i].slices;
		result->thread_wakeups += rows.rows[i].wakeups;
	}
	free(rows.rows);
}

static bool has_lost(int fd)
{
	struct gapp_counters counters;

	t_counters(fd, &counters);
	return counters.lost[GAPP_LOST_RING];
}

static void take(const struct run *run, struct result *result)
{
	unsigned int ms = 600;
	struct t_child target = t_fork(busy_mixed, &ms);
	int fd = t_session(&run->config);
	struct r_reader reader;

	t_hear(&target);
	r_open(&reader, fd);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "%s: START", run->name);
	t_tell(&target);
	if (!run->unread)
		r_follow(&reader, &target);
	else
		t_hear(&target);
	/* a slow machine fills no ring in one round */
	for (int i = 0; run->unread && i < 20 && !has_lost(fd); i++) {
		t_tell(&target);
		t_hear(&target);
	}
	t_expect(t_stop(fd), T_OK, "%s: STOP", run->name);
	r_drain(&reader);
	*result = (struct result){ .tally = reader.tally, .paths = r_path_count(&reader) };
	for (unsigned int cpu = 0; cpu < reader.layout.cpus; cpu++) {
		const struct gapp_ring *ring = reader.rings[cpu].shared;

		result->shared_lost += ring ? ring->lost : 0;
		result->shared_lost_share += ring ? ring->lost_critical_share : 0;
		result->shared_lost_wait_ns += ring ? ring->lost_wait_ns : 0;
	}
	t_status(fd, &result->status);
	t_counters(fd, &result->counters);
	add_rows(fd, GAPP_IOC_THREADS, result);
	add_rows(fd, GAPP_IOC_PROCESSES, result);
	r_close(&reader);
	close(fd);
	t_kill(&target);
}

/* Times of different readings of the clock, so equal but for nanoseconds each. */
static bool about(u64 a, u64 b, u64 events)
{
	u64 off = a > b ? a - b : b - a;

	return off <= b / 10000 || off <= events << GAPP_SHARE_SHIFT;
}

__attribute__((format(printf, 4, 5))) static void verdict(const struct run *run, const char *what,
							  bool good, const char *format, ...)
{
	char name[120], why[200];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	snprintf(name, sizeof(name), "%s: %s", run->name, what);
	t_check(good, name, "%s", why);
}

static void check_losses(const struct run *run, const struct result *result)
{
	const struct gapp_counters *counters = &result->counters;
	const struct r_tally *tally = &result->tally;
	u64 lost = counters->lost[GAPP_LOST_RING];

	verdict(run, run->unread ? "losses are told" : "nothing is lost",
		run->unread ? lost && tally->lost_records <= lost &&
				      tally->lost_critical_share <= counters->lost_critical_share :
			      !lost && !tally->lost_told && !counters->lost_critical_share,
		"%llu lost, %llu of them told in %llu records", lost, tally->lost_records,
		tally->lost_told);
	verdict(run, "rings and counters agree on losses",
		result->shared_lost == lost &&
			result->shared_lost_share == counters->lost_critical_share &&
			result->shared_lost_wait_ns == counters->lost_wait_ns,
		"%llu and %llu; share %llu and %llu", result->shared_lost, lost,
		result->shared_lost_share, counters->lost_critical_share);
}

static void check_shares(const struct run *run, const struct result *result)
{
	const struct gapp_counters *counters = &result->counters;
	const struct gapp_status *status = &result->status;
	const struct r_tally *tally = &result->tally;
	u64 c = counters->critical_run + counters->critical_runq;

	verdict(run, "shares of records are critical_run",
		tally->critical_share + counters->lost_critical_share == counters->critical_run,
		"%llu and %llu lost of %llu", tally->critical_share, counters->lost_critical_share,
		counters->critical_run);
	verdict(run, "waits of records are no more than all",
		tally->wait_ns + counters->lost_wait_ns <= status->idle_ns &&
			tally->wait_ns + counters->lost_wait_ns > status->idle_ns / 2,
		"%llu and %llu lost of %llu", tally->wait_ns, counters->lost_wait_ns,
		status->idle_ns);
	if (run->config.criterion == GAPP_CRITERION_AVERAGE)
		return;
	verdict(run, "critical_run is that of all threads",
		about(result->thread_crit, counters->critical_run, counters->slices),
		"%llu of %llu", result->thread_crit, counters->critical_run);
	verdict(run, "critical_run and critical_runq are c", about(c, status->c, counters->slices),
		"%llu of %llu", c, status->c);
}

static void check_counts(const struct run *run, const struct result *result)
{
	const struct gapp_counters *counters = &result->counters;
	const struct r_tally *tally = &result->tally;
	u64 lost = counters->lost[GAPP_LOST_RING];
	bool every = !run->config.min_critical_ns || run->config.level == GAPP_LEVEL_TRACE;

	verdict(run, "slices are those of all threads", counters->slices == result->thread_slices,
		"%llu of %llu", counters->slices, result->thread_slices);
	verdict(run, "as many records as were written", tally->records == counters->records,
		"%llu of %llu", tally->records, counters->records);
	verdict(run, "counters are possible",
		counters->critical_slices <= counters->slices &&
			counters->unsampled_slices <= counters->critical_slices &&
			counters->switches >= counters->slices / 2 &&
			counters->probe_calls >= counters->switches &&
			counters->probe_timed <= counters->probe_calls / 1024 &&
			tally->samples <= counters->samples && counters->samples,
		"%llu slices, %llu critical, %llu unsampled, %llu switches, %llu of %llu samples",
		counters->slices, counters->critical_slices, counters->unsampled_slices,
		counters->switches, tally->samples, counters->samples);
	/* A virtual CPU that its host halts while it fills in a path makes others refuse that path.
	 */
	verdict(run, "paths are in the table",
		result->paths == counters->paths &&
			!counters->paths == (run->config.unwind_by == GAPP_UNWIND_BY_NONE) &&
			(counters->lost[GAPP_LOST_PATHS] * 100 > counters->paths) ==
				(run->config.paths != 0),
		"%u of %llu, %llu found no room", result->paths, counters->paths,
		counters->lost[GAPP_LOST_PATHS]);
	if (run->config.level == GAPP_LEVEL_TRACE)
		verdict(run, "every wake-up has a record, or is lost",
			tally->wakes + lost + counters->posts >= result->thread_wakeups,
			"%llu of %llu, %llu lost, %llu posts", tally->wakes, result->thread_wakeups,
			lost, counters->posts);
	/*
	 * A slice that a posted event ends has no record; the thread's next one stands for it, too.
	 * If there is none, only its share is told, if it has any.
	 */
	if (every && lost)
		verdict(run, "every slice has a record, or is lost",
			tally->ends <= counters->slices &&
				tally->ends + lost + counters->posts >= counters->slices,
			"%llu of %llu, %llu lost, %llu posts", tally->ends, counters->slices, lost,
			counters->posts);
	else if (every)
		verdict(run, "every slice has a record",
			tally->ends <= counters->slices &&
				tally->ends + counters->posts >= counters->slices &&
				tally->stands_for <= counters->slices &&
				tally->stands_for + counters->posts >= counters->slices,
			"%llu for %llu, of %llu, %llu posts", tally->ends, tally->stands_for,
			counters->slices, counters->posts);
	else
		verdict(run, "records stand for no more slices than there were",
			tally->stands_for <= counters->slices && tally->slices <= tally->stands_for,
			"%llu for %llu, of %llu", tally->slices, tally->stands_for,
			counters->slices);
}

/* Without records everything is counted all the same. */
void sums_stats(void)
{
	const struct run run = RUN("stats", false, GAPP_LEVEL_STATS, .rate_hz = 0);
	struct result result = { 0 };
	const struct gapp_counters *counters = &result.counters;
	unsigned int ms = 300;
	struct t_child target = t_fork(busy_mixed, &ms);
	int fd = t_session(&run.config);

	t_hear(&target);
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&target);
	t_hear(&target);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_status(fd, &result.status);
	t_counters(fd, &result.counters);
	add_rows(fd, GAPP_IOC_THREADS, &result);
	add_rows(fd, GAPP_IOC_PROCESSES, &result);
	verdict(&run, "no records, samples, paths, losses",
		!counters->records && !counters->samples && !counters->paths &&
			!counters->path_words && !counters->lost[GAPP_LOST_RING],
		"%llu records, %llu samples, %llu paths", counters->records, counters->samples,
		counters->paths);
	verdict(&run, "slices are those of all threads, and none is sampled",
		counters->slices == result.thread_slices && counters->critical_slices &&
			counters->unsampled_slices == counters->critical_slices,
		"%llu of %llu; of %llu critical ones %llu are unsampled", counters->slices,
		result.thread_slices, counters->critical_slices, counters->unsampled_slices);
	verdict(&run, "critical_run is that of all threads",
		about(result.thread_crit, counters->critical_run, counters->slices), "%llu of %llu",
		result.thread_crit, counters->critical_run);
	verdict(&run, "critical_run and critical_runq are c",
		about(counters->critical_run + counters->critical_runq, result.status.c,
		      counters->slices),
		"%llu and %llu of %llu", counters->critical_run, counters->critical_runq,
		result.status.c);
	close(fd);
	t_kill(&target);
}

void sums_records(void)
{
	struct result result;

	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		take(&runs[i], &result);
		verdict(&runs[i], "all records make sense",
			!result.tally.bad && result.tally.slices && result.tally.waits &&
				!result.tally.wakes == (runs[i].config.level != GAPP_LEVEL_TRACE),
			"%llu slices, %llu waits, %llu wakes, %llu bad: %s", result.tally.slices,
			result.tally.waits, result.tally.wakes, result.tally.bad, result.tally.why);
		verdict(&runs[i], "the recount agrees",
			result.status.flags & GAPP_STATUS_RECOUNT_OK && !result.status.unexpected,
			"%u differ, %llu odd", result.status.recount_differ,
			result.status.unexpected);
		check_losses(&runs[i], &result);
		check_shares(&runs[i], &result);
		check_counts(&runs[i], &result);
	}
}
