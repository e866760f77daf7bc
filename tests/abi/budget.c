// SPDX-License-Identifier: GPL-2.0
/* The time of a switch is for all sessions: what the first one has used the others do not have. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "busy.h"
#include "groups.h"
#include "records.h"

static int follow(pid_t pid, enum gapp_unwind_by unwind_by)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	int fd;

	config.unwind_by = unwind_by;
	config.rate_hz = 0;
	fd = t_session(&config);
	t_add(fd, pid, 0);
	return fd;
}

/* A session whose slices come too late in the switch. */
static void judge_late(int fd, struct r_reader *reader, bool has_paths)
{
	const struct r_tally *tally = &reader->tally;
	struct gapp_counters counters;
	u64 lost, paths;

	r_drain(reader);
	t_counters(fd, &counters);
	lost = counters.lost[GAPP_LOST_RECORDS_OVER_BUDGET];
	paths = counters.lost[GAPP_LOST_PATHS_OVER_BUDGET];
	t_check(lost && (has_paths ? paths >= lost : !paths) && !counters.lost[GAPP_LOST_RING],
		"a later one loses records, for lack of time", "%llu, %llu paths, %llu for room",
		lost, paths, counters.lost[GAPP_LOST_RING]);
	t_check(tally->lost_records && tally->lost_records <= lost, "which its ring tells",
		"%llu of %llu", tally->lost_records, lost);
	t_check(tally->critical_share + counters.lost_critical_share == counters.critical_run,
		"no share is missing", "%llu and %llu lost of %llu", tally->critical_share,
		counters.lost_critical_share, counters.critical_run);
	t_check(tally->records == counters.records, "nor a record", "%llu of %llu", tally->records,
		counters.records);
	r_close(reader);
	t_sums(fd, "the sums of threads do not suffer");
	close(fd);
}

static bool are_kept(void)
{
	FILE *file = fopen("/proc/gapp/probes", "re");
	unsigned int in_use, kept = 1;

	if (!file || fscanf(file, "in use: %u kept: %u", &in_use, &kept) != 2)
		t_die("/proc/gapp/probes");
	fclose(file);
	return kept;
}

/* From here on each session registers its probes behind those of the sessions before it. */
static void keep_no_probes(void)
{
	t_set_parameter("keep_probes_s", "0");
	for (int tries = 0; are_kept(); tries++) {
		if (tries == 500)
			t_die("probes are kept");
		t_sleep(10 * NSEC_PER_MSEC);
	}
}

/*
 * The first session's probe takes longer than the switch may take, so the others' slices have no
 * path, nor a record. Their shares are told as lost.
 */
void budget_shared(void)
{
	unsigned int ms = 600;
	struct t_child target = t_fork(busy_mixed, &ms);
	struct gapp_counters counters;
	struct r_reader reader, pathless_reader;
	int first, second, pathless;

	t_hear(&target);
	keep_no_probes();
	t_set_parameter("max_switch_us", "1");
	first = follow(target.pid, GAPP_UNWIND_BY_FP);
	second = follow(target.pid, GAPP_UNWIND_BY_FP);
	pathless = follow(target.pid, GAPP_UNWIND_BY_NONE);
	t_set_parameter("max_switch_us", T_SWITCH_US);
	r_open(&reader, second);
	r_open(&pathless_reader, pathless);
	t_expect(t_start(first), T_OK, "START of the first");
	t_expect(t_start(second), T_OK, "START of the second");
	t_expect(t_start(pathless), T_OK, "START of one without call paths");
	t_tell(&target);
	r_follow(&reader, &target);
	t_expect(t_stop(pathless), T_OK, "STOP of the one without call paths");
	t_expect(t_stop(second), T_OK, "STOP of the second");
	t_expect(t_stop(first), T_OK, "STOP of the first");

	t_counters(first, &counters);
	t_check(!counters.lost[GAPP_LOST_RECORDS_OVER_BUDGET], "the first session has all records",
		"%llu are missing", counters.lost[GAPP_LOST_RECORDS_OVER_BUDGET]);
	judge_late(second, &reader, true);
	judge_late(pathless, &pathless_reader, false);
	close(first);
	t_set_parameter("keep_probes_s", T_KEEP_PROBES_S);
	t_kill(&target);
}

/* Sessions, and processes of which each waits once before it is followed. */
#define SESSIONS 8
#define WAITERS 6
/* Enough for a path of one frame, not for a deep one as well: from one to the other by three. */
#define SHORT_US 60
#define LONG_US 20000

struct waits {
	u64 count;
	u64 with_path;
};

static void see_wait(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_wait *wait = (const void *)record;
	struct waits *waits = arg;

	if (record->type != GAPP_RECORD_WAIT)
		return;
	waits->count++;
	waits->with_path += wait->path != GAPP_PATH_NONE;
}

static void hear(void *parent)
{
	for (;;)
		t_hear(parent);
}

static void waits_deep(struct t_child *parent, void *unused)
{
	(void)unused;
	t_tell(parent);
	busy_deep(hear, parent);
}

/* Paths of one frame, for there are no tables; or deep ones. */
static int follow_waits(const struct t_child *waiters, bool shallow, const char *us)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	int fd;

	config.ring_bytes = GAPP_MIN_RING;
	config.unwind_by = shallow ? GAPP_UNWIND_BY_TABLE : GAPP_UNWIND_BY_FP;
	config.max_stack = GAPP_MAX_STACK;
	t_set_parameter("max_switch_us", shallow ? us : T_SWITCH_US);
	fd = t_session(&config);
	for (int i = 0; i < WAITERS; i++)
		t_add(fd, waiters[i].pid, 0);
	return fd;
}

/* Each of them ends its wait, while all the others wait. */
static void end_waits(struct t_child *waiters)
{
	for (int i = 0; i < WAITERS; i++) {
		t_tell(&waiters[i]);
		t_sleep(10 * NSEC_PER_MSEC);
		t_settled(waiters[i].pid);
	}
}

/* Every other session allows a switch @us microseconds. */
static struct waits share_an_interrupt(const char *us)
{
	struct t_child waiters[WAITERS];
	struct r_reader readers[SESSIONS];
	struct waits waits = { 0 };
	int fd[SESSIONS];

	for (int i = 0; i < WAITERS; i++) {
		waiters[i] = t_fork(waits_deep, NULL);
		t_hear(&waiters[i]);
		t_settled(waiters[i].pid);
	}
	for (int i = 0; i < SESSIONS; i++) {
		fd[i] = follow_waits(waiters, i % 2, us);
		r_open(&readers[i], fd[i]);
		readers[i].see = i % 2 ? see_wait : NULL;
		readers[i].arg = &waits;
		t_expect(t_start(fd[i]), T_OK, "START of session %d", i);
	}
	t_set_parameter("max_switch_us", T_SWITCH_US);
	end_waits(waiters);
	for (int i = 0; i < SESSIONS; i++) {
		t_expect(t_stop(fd[i]), T_OK, "STOP of session %d", i);
		r_drain(&readers[i]);
		r_close(&readers[i]);
		close(fd[i]);
	}
	for (int i = 0; i < WAITERS; i++)
		t_kill(&waiters[i]);
	return waits;
}

/*
 * The call path of a wait that began before its session is taken when it ends, for all sessions in
 * one interrupt: they share its time.
 */
void budget_waits(void)
{
	struct waits waits = { 0 };
	char us[16];

	for (u32 limit = SHORT_US; limit < LONG_US && !waits.with_path; limit *= 3) {
		snprintf(us, sizeof(us), "%u", limit);
		waits = share_an_interrupt(us);
	}
	t_check(waits.with_path && waits.with_path < waits.count,
		"paths of waits that one interrupt takes share its time", "%llu of %llu have one",
		waits.with_path, waits.count);
}

static void *spins(void *unused)
{
	(void)unused;
	for (;;)
		t_burn_until(~0ULL);
	return NULL;
}

/* Alone at first, then with others, so that no sample begins anything; never switched out for long.
 */
static void alone_then_not(struct t_child *parent, void *unused)
{
	pthread_t thread;

	(void)unused;
	t_tell(parent);
	t_hear(parent);
	t_burn_until(t_now() + 300 * NSEC_PER_MSEC);
	errno = pthread_create(&thread, NULL, spins, NULL);
	if (errno)
		t_die("pthread_create");
	t_burn_until(t_now() + 1500 * NSEC_PER_MSEC);
	t_tell(parent);
	spins(NULL);
}

static struct gapp_counters follow_parts(void)
{
	struct t_child target = t_fork(alone_then_not, NULL);
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	struct gapp_counters counters;
	struct r_reader reader;
	int fd;

	t_hear(&target);
	config.unwind_by = GAPP_UNWIND_BY_FP;
	config.rate_hz = 1000;
	fd = t_session(&config);
	t_add(fd, target.pid, 0);
	r_open(&reader, fd);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&target);
	r_follow(&reader, &target);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	t_counters(fd, &counters);
	r_close(&reader);
	close(fd);
	t_kill(&target);
	return counters;
}

/*
 * Parts of long slices, and slices that STOP ends, have all the time that a switch has. A busy host
 * may take the CPU away in one: then once more.
 */
void budget_parts(void)
{
	struct gapp_counters counters = follow_parts();

	for (int again = 0; again < 2 && (counters.lost[GAPP_LOST_RECORDS_OVER_BUDGET] ||
					  counters.lost[GAPP_LOST_PATHS_OVER_BUDGET]);
	     again++)
		counters = follow_parts();
	t_check(!counters.lost[GAPP_LOST_RECORDS_OVER_BUDGET] && !counters.lost_critical_share,
		"parts and last slices have their records", "%llu are lost",
		counters.lost[GAPP_LOST_RECORDS_OVER_BUDGET]);
	t_check(!counters.lost[GAPP_LOST_PATHS_OVER_BUDGET], "and their paths", "%llu are lost",
		counters.lost[GAPP_LOST_PATHS_OVER_BUDGET]);
}

void budget_parameters(void)
{
	t_expect(t_try_parameter("max_switch_us", "0"), -ERANGE, "max_switch_us 0");
	t_expect(t_try_parameter("max_switch_us", "1000001"), -ERANGE, "max_switch_us 1000001");
	t_expect(t_try_parameter("max_switch_us", "many"), -EINVAL, "max_switch_us many");
	t_expect(t_try_parameter("max_cpu_percent", "0"), -ERANGE, "max_cpu_percent 0");
	t_expect(t_try_parameter("max_cpu_percent", "101"), -ERANGE, "max_cpu_percent 101");
	t_expect(t_try_parameter("max_cpu_percent", T_CPU_PERCENT), T_OK, "max_cpu_percent");
}
