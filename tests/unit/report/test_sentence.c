// SPDX-License-Identifier: GPL-2.0
/* The first sentence of made-up sessions. */
#include "made_up.h"

#include "report/merged.h"

static char *const command[] = { "./prog", "-x", NULL };

static void says(const struct made *made, const char *expected)
{
	_cleanup_free_ char *sentence = NULL;
	const struct options options = { .command = command };

	sentence = print_report(report_verdict, &made->results, &options);
	assert_string_equal(sentence, expected);
}

static void ranked_sentences(void **state)
{
	struct made made;

	made_ranked(&made);
	made.results.places.rows++;
	made.results.places.count = 1;
	says(&made,
	     "For 0.70 s of 12.41 s (5.6 %) nobody ran, mostly while fsync from commit (commit.c:88) waited for the disk.");
	/* 95 % */
	made.results.model.status.idle_ns = MS(631);
	says(&made,
	     "For 0.63 s of 12.41 s (5.1 %) nobody ran: fsync from commit (commit.c:88) waited for the disk.");
	made.results.model.status.idle_ns = MS(2000);
	says(&made,
	     "For 2.00 s of 12.41 s (16 %) nobody ran, the longest part of it while fsync from commit (commit.c:88) waited for the disk.");

	made_ranked(&made);
	made.rows[0].running = 4;
	says(&made,
	     "For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active, mostly in rehash (hash.c:88), while 12 waited for a lock.");

	made_ranked(&made);
	made.parallelism[1] = MS(200);
	made.parallelism[7] = MS(2000);
	says(&made,
	     "For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active, mostly in rehash (hash.c:88), while 14 waited for a lock.");
	made.results.model.threads[5].joined_ns = SECONDS(12);
	made.rows[0].critical_ns = MS(1000);
	says(&made,
	     "For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active, more in rehash (hash.c:88) than anywhere else, while the others waited for a lock.");
	memset(made.rows[0].waiting_ns, 0, sizeof(made.rows[0].waiting_ns));
	made.results.model.status.threads = 1;
	says(&made,
	     "The only thread was active for 3.80 s of 12.41 s (31 %), more in rehash (hash.c:88) than anywhere else.");

	made_ranked(&made);
	made.results.places = (struct ranking){ &made.rows[3], 1 };
	made.results.functions.count = 0;
	made.rows[3].critical_ns = MS(300);
	says(&made,
	     "No single bottleneck: for 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active, but the largest place, rehash (hash.c:88), has only 2.4 %.");
	made.results.counters.critical_run = 0;
	made.results.model.status.idle_ns = 0;
	made.rows[3].critical_ns = MS(100);
	made.results.places.count = 0;
	says(&made,
	     "No bottleneck: more than N_min = 8 threads were active for 12.31 s of 12.41 s (99 %).");
	made.results.places.count = 1;
	says(&made,
	     "No bottleneck: more than N_min = 8 threads were active for 12.31 s of 12.41 s (99 %); the largest place, rehash (hash.c:88), held the others up for 0.8 %.");
	made.results.counters.critical_runq = SHARE(SECONDS(3));
	says(&made,
	     "For 3.00 s of 12.41 s (24 %) no more than N_min = 8 threads were active, and those waited for a CPU.");
}

static void empty_results_are_explained(void **state)
{
	struct made made;

	made_ranked(&made);
	made.results.places.count = 0;
	made.results.functions.count = 0;
	says(&made,
	     "No single bottleneck: for 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active, and of that no call path is known.");
	made.results.counters = (struct gapp_counters){ 0 };
	memset(made.parallelism, 0, sizeof(made.parallelism));
	made.parallelism[12] = MS(6205);
	made.parallelism[16] = MS(6205);
	made.results.model.status.idle_ns = 0;
	says(&made,
	     "No bottleneck: parallelism never fell to N_min = 8: 12 to 16 threads were active all the time.");
	made.results.model.status.idle_ns = MS(12410);
	says(&made, "No thread was active in 12.41 s: the whole target waited.");
	made.results.model.status.threads = 0;
	says(&made, "Nothing was recorded: the target ended before any of its threads was seen.");
}

/* Rows like the first one, with so much time each. */
static void fill_rows(struct ranked *rows, size_t count, const struct ranked *like, u64 ns)
{
	for (size_t i = 0; i < count; i++) {
		rows[i] = *like;
		rows[i].critical_ns = ns;
	}
}

/* Threads worker-0, worker-1 ... of one process, for which others waited for a lock. */
static void fill_workers(struct ranked *rows, size_t count, const struct ranked *like, u64 ns)
{
	fill_rows(rows, count, like, ns);
	for (size_t i = 0; i < count; i++) {
		rows[i].frame_count = 0;
		rows[i].tid = 101 + i;
		rows[i].tgid = 100;
		memset(rows[i].waiting_ns, 0, sizeof(rows[i].waiting_ns));
		rows[i].waiting_ns[GAPP_WAIT_LOCK] = ns;
		snprintf(rows[i].comm, sizeof(rows[i].comm), "worker-%zu", i);
	}
}

/* 3.80 s with few threads active, in places of little time each. */
static void made_flat(struct made *made)
{
	made_ranked(made);
	made->results.model.status.idle_ns = MS(100);
	made->results.places = (struct ranking){ &made->rows[3], 1 };
	made->rows[3].critical_ns = MS(300);
	made->results.functions.count = 0;
}

#define LOW                                                                                       \
	"For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active (one alone for " \
	"2.20 s)"
#define NO_SINGLE                                                                                 \
	"No single bottleneck: for 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were " \
	"active, but the largest place, rehash (hash.c:88), has only 2.4 %."

/* What is named next may have collected its time while few threads were active, not just alone. */
static void alone_only_if_no_others_were_active(void **state)
{
	struct made made;

	(void)state;
	made_ranked(&made);
	made.rows[0].critical_ns = MS(3700);
	made.parallelism[1] = MS(3800);
	made.parallelism[8] = 0;
	says(&made,
	     "For 3.80 s of 12.41 s (31 %) one thread ran alone, mostly in rehash (hash.c:88); while that ran, 14 waited for a lock.");
	made.parallelism[1] = MS(3700);
	made.parallelism[8] = MS(100);
	says(&made,
	     "For 3.70 s of 12.41 s (30 %) one thread ran alone, mostly in rehash (hash.c:88); while that ran, 14 waited for a lock.");
	made.rows[0].critical_ns = MS(3750);
	says(&made,
	     "For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active (one alone for 3.70 s), mostly in rehash (hash.c:88); while that ran, 14 waited for a lock.");
	made.rows[0].running = 1.5;
	says(&made,
	     "For 3.80 s of 12.41 s (31 %) no more than N_min = 8 threads were active, mostly in rehash (hash.c:88); while that ran, 14 waited for a lock.");
}

/* A plain name says no more than the reason. */
static void a_wait_is_called_by_its_name(void **state)
{
	struct made made;

	(void)state;
	made_ranked(&made);
	made.rows[0].waiting_called[GAPP_WAIT_LOCK] =
		(struct wait_kind){ GAPP_WAIT_LOCK, "interpreter lock", false };
	says(&made,
	     LOW ", mostly in rehash (hash.c:88), while 14 waited for a lock (interpreter lock).");
	made.rows[0].waiting_called[GAPP_WAIT_LOCK].plain = true;
	says(&made, LOW ", mostly in rehash (hash.c:88), while 14 waited for a lock.");
	made.results.places.rows++;
	made.results.places.count = 1;
	made.rows[1].called = (struct wait_kind){ GAPP_WAIT_DISK, "log file", false };
	says(&made,
	     "For 0.70 s of 12.41 s (5.6 %) nobody ran, mostly while fsync from commit (commit.c:88) waited for the disk (log file).");
}

static void threads_are_said_as_their_team(void **state)
{
	struct ranked rows[17];
	struct made made;

	(void)state;
	made_flat(&made);
	/* 6 % each, and 96 % together */
	fill_workers(rows, 16, &made.rows[0], MS(228));
	made.results.by_thread = (struct ranking){ rows, 16 };
	says(&made,
	     LOW "; 16 threads worker-* have 96 % of that time, while 15 waited for a lock.");

	/* which of them it is says more where it has most of their time */
	rows[0].critical_ns = MS(1900);
	rows[0].waiting_ns[GAPP_WAIT_LOCK] = MS(1900);
	made.results.by_thread.count = 9;
	says(&made,
	     LOW "; thread worker-0 (101) has 50 % of that time, while 15 waited for a lock.");
	/* and what has a number is no worker-* of what has none */
	fill_workers(rows, 16, &made.rows[0], MS(228));
	made.results.by_thread.count = 16;
	for (size_t i = 0; i < 8; i++)
		strcpy(rows[i].comm, "worker-");
	for (size_t i = 8; i < 16; i++)
		rows[i].critical_ns = MS(200);
	says(&made, LOW "; 8 threads worker- have 48 % of that time, while 15 waited for a lock.");
}

/* A level with one row has all of the time, whatever the program does. */
static void what_there_is_one_of_says_nothing(void **state)
{
	struct ranked rows[16], process;
	struct made made;

	(void)state;
	made_flat(&made);
	process = made.rows[0];
	process.frame_count = 0;
	process.critical_ns = MS(3800);
	made.results.by_process = (struct ranking){ &process, 1 };
	says(&made, NO_SINGLE);
	/* one team of all threads, none of which has much */
	fill_workers(rows, 16, &made.rows[0], MS(228));
	made.results.by_thread = (struct ranking){ rows, 16 };
	made.results.model.threads++;
	made.results.model.thread_count--;
	says(&made, NO_SINGLE);
	/* one thread */
	made.results.model.status.threads = 1;
	made.results.model.thread_count = 1;
	made.results.by_thread.count = 1;
	rows[0].tid = 101;
	rows[0].critical_ns = MS(3800);
	says(&made, NO_SINGLE);

	/* of several processes it says something, though only one ran alone */
	made_flat(&made);
	made.results.by_process = (struct ranking){ &process, 1 };
	made.results.model.threads[0].tgid = 7;
	says(&made,
	     LOW "; process worker-1 (100) has 100 % of that time, while 14 waited for a lock.");
}

/* A process of one thread is said as such, because that has a command line. */
static void a_thread_that_is_all_of_its_process(void **state)
{
	struct ranked threads[2], processes[2];
	struct made made;

	(void)state;
	made_flat(&made);
	fill_workers(threads, 2, &made.rows[0], MS(1900));
	threads[1].tgid = threads[1].tid;
	threads[1].critical_ns = MS(300);
	memcpy(processes, threads, sizeof(threads));
	processes[0].tid = 0;
	processes[0].threads = 1;
	made.results.by_thread = (struct ranking){ threads, 2 };
	made.results.by_process = (struct ranking){ processes, 2 };
	says(&made,
	     LOW "; process worker-0 (100) has 50 % of that time, while 15 waited for a lock.");
	processes[0].threads = 2;
	says(&made,
	     LOW "; thread worker-0 (101) has 50 % of that time, while 15 waited for a lock.");
}

#define NOBODY "For 9.50 s of 12.41 s (77 %) nobody ran"

/* As those of the time with few threads active. */
static void waits_have_levels(void **state)
{
	struct ranked places[20], functions[2], threads[16], processes[2];
	struct made made;

	(void)state;
	made_flat(&made);
	made.results.model.status.idle_ns = MS(9500);
	fill_rows(places, 20, &made.rows[1], MS(360));
	made.results.places = (struct ranking){ places, 20 };
	says(&made,
	     "No single bottleneck: for 9.50 s of 12.41 s (77 %) nobody ran, in 20 places, but the largest place, fsync from commit (commit.c:88), has only 2.9 %.");

	fill_workers(processes, 2, &made.rows[1], MS(4750));
	processes[0].tid = 0;
	processes[1].tid = 0;
	processes[0].threads = 8;
	processes[1].tgid = 7;
	made.results.by_process = (struct ranking){ processes, 2 };
	says(&made, NOBODY
	     ", with waits in 20 places; for 50 % of that time process worker-0 (100) waited for the disk.");

	fill_workers(threads, 16, &made.rows[1], MS(570));
	made.results.by_thread = (struct ranking){ threads, 16 };
	says(&made, NOBODY
	     ", with waits in 20 places; for 96 % of that time 16 threads worker-* waited for the disk.");
	/* what code that ran has says nothing of waits */
	for (size_t i = 1; i < 16; i++)
		threads[i].kind = PATH_RAN;
	threads[0].critical_ns = MS(8550);
	says(&made, NOBODY
	     ", with waits in 20 places; for 90 % of that time thread worker-0 (101) waited for the disk.");

	fill_rows(functions, 2, &made.rows[1], MS(9500));
	functions[0].kind = PATH_RAN;
	functions[1].frame_count = 1;
	made.results.functions = (struct ranking){ functions, 2 };
	says(&made,
	     NOBODY ", with waits in 20 places; for 100 % of that time fsync waited for the disk.");
	places[0].critical_ns = MS(370);
	made.results.model.status.idle_ns = MS(3690);
	made.results.counters.critical_run = 0;
	says(&made,
	     "For 3.69 s of 12.41 s (30 %) nobody ran, with waits in 20 places; for 10 % of that time fsync from commit (commit.c:88) waited for the disk.");
}

/* The other of the two times may have what the longer one has not. */
static void the_shorter_time_is_looked_at_too(void **state)
{
	struct made made;

	(void)state;
	made_flat(&made);
	made.results.model.status.idle_ns = MS(5000);
	made.results.functions.count = 1;
	says(&made, LOW "; rehash (hash.c:88) has 50 % of that time, while 14 waited for a lock.");
}

/* Who sleeps of his own choice holds nobody up. */
static void sleeping_threads_come_last(void **state)
{
	struct ranked threads[6];
	struct made made;

	(void)state;
	made_flat(&made);
	made.results.model.status.idle_ns = MS(9500);
	fill_workers(threads, 6, &made.rows[1], MS(600));
	for (size_t i = 3; i < 6; i++) {
		strcpy(threads[i].comm, "timer");
		threads[i].wait = GAPP_WAIT_SLEEP;
		threads[i].critical_ns = MS(900);
	}
	made.results.by_thread = (struct ranking){ threads, 6 };
	says(&made, NOBODY "; for 19 % of that time 3 threads worker-* waited for the disk.");
	made.results.by_thread = (struct ranking){ threads + 3, 3 };
	says(&made,
	     NOBODY "; for 28 % of that time 3 threads timer slept for a time of its own choice.");
}

static void made_targets(struct made *made, struct gapp_target_figures *targets)
{
	made_ranked(made);
	targets[0] = (struct gapp_target_figures){
		.tgid = 9, .comm = "loop", .c = SHARE(MS(1800)), .wall_ns = MS(12410)
	};
	targets[1] = (struct gapp_target_figures){
		.id = 1, .tgid = 100, .comm = "python3", .c = SHARE(MS(2200)), .wall_ns = MS(12410)
	};
	made->results.targets = targets;
	made->results.target_count = 2;
}

#define PYTHON "Of 2 processes python3 (100) was held up most: for 2.20 s of 12.41 s (18 %) "

/* The one with most time in all, not the one with the largest place. */
static void the_target_that_was_held_up_most(void **state)
{
	struct gapp_target_figures targets[2];
	struct ranked rows[11], functions[2];
	struct made made;

	(void)state;
	made_targets(&made, targets);
	fill_rows(rows, 11, &made.rows[3], MS(220));
	rows[0].critical_ns = MS(1800);
	rows[0].tgid = 9;
	made.results.places = (struct ranking){ rows, 11 };
	made.results.functions.count = 0;
	says(&made, PYTHON
	     "few of its threads were active, in 10 places; rehash (hash.c:88) has 10 % of that time.");
	for (size_t i = 1; i < 11; i++)
		rows[i].critical_ns = MS(200);
	says(&made, PYTHON
	     "few of its threads were active, but its largest place, rehash (hash.c:88), has only 1.6 %.");
	fill_rows(functions, 2, &made.rows[1], MS(2000));
	functions[0].tgid = 9;
	functions[0].kind = PATH_RAN;
	functions[1].kind = PATH_RAN;
	made.results.functions = (struct ranking){ functions, 2 };
	functions[1].critical_ns = MS(1500);
	says(&made, PYTHON
	     "few of its threads were active, in 10 places; fsync from commit (commit.c:88) has 68 % of that time.");
	for (size_t i = 2; i < 11; i++)
		rows[i].critical_ns = MS(100);
	rows[1].critical_ns = MS(600);
	says(&made, PYTHON
	     "few of its threads were active, more in rehash (hash.c:88) than anywhere else.");
	rows[1].critical_ns = MS(1300);
	says(&made,
	     "Of 2 processes python3 (100) was held up most: for 1.30 s of 12.41 s (10 %) rehash (hash.c:88) ran alone.");
	/* C has half of what two threads ran at once */
	rows[1].critical_ns = MS(3000);
	says(&made,
	     "Of 2 processes python3 (100) was held up most: for 3.00 s of 12.41 s (24 %) rehash (hash.c:88) ran alone.");
	targets[1].critical_runq = SHARE(MS(4000));
	says(&made,
	     "Of 2 processes python3 (100) was held up most: for 7.90 s of 12.41 s (64 %) few of its threads were active, more in rehash (hash.c:88) than anywhere else.");
	targets[1].critical_runq = 0;
	made.results.places.count = 1;
	made.results.functions.count = 1;
	says(&made, PYTHON "few of its threads were active, and of that no call path is known.");
}

static void targets_that_waited(void **state)
{
	struct gapp_target_figures targets[2];
	struct ranked rows[4];
	struct made made;

	(void)state;
	made_targets(&made, targets);
	targets[0].c = SHARE(MS(100));
	targets[1].c = SHARE(MS(100));
	fill_rows(rows, 4, &made.rows[1], MS(600));
	rows[3].critical_ns = MS(1000);
	rows[3].tgid = 9;
	made.results.places = (struct ranking){ rows, 4 };
	says(&made,
	     "Of 2 processes python3 (100) was held up most: for 1.80 s of 12.41 s (15 %) all of its threads waited, the longest part of it while fsync from commit (commit.c:88) waited for the disk.");
	/* what waited longer waited for work */
	rows[0].wait = GAPP_WAIT_EVENT;
	rows[0].critical_ns = MS(5000);
	says(&made,
	     "Of 2 processes python3 (100) was held up most: for 0.60 s of 12.41 s (4.8 %) fsync from commit (commit.c:88) waited for the disk.");
	made.results.places.rows += 2;
	made.results.places.count = 1;
	says(&made,
	     "Of 2 processes python3 (100) was held up most: for 0.60 s of 12.41 s (4.8 %) fsync from commit (commit.c:88) waited for the disk.");
	/* as services do, for work */
	rows[2].wait = GAPP_WAIT_EVENT;
	says(&made, "None of 2 processes has a bottleneck.");
}

static void no_target_was_held_up(void **state)
{
	struct gapp_target_figures groups[2];
	struct made made;

	(void)state;
	made_targets(&made, groups);
	groups[1].c = 0;
	made.rows[0].critical_ns = MS(300);
	made.results.places.count = 1;
	groups[0].c = SHARE(MS(300));
	says(&made,
	     "None of 2 processes has a bottleneck: the largest place, rehash (hash.c:88), held its process up for 2.4 %.");
	/* a target that did not live for long */
	made.results.places.count = 0;
	groups[0].wall_ns = MS(2000);
	says(&made,
	     "In 1 of 2 processes few threads were active, and of that no call path is known.");
	groups[0].c = SHARE(MS(30));
	says(&made, "None of 2 processes has a bottleneck.");
}

/* Each by its own time, for between recordings nothing was recorded. */
static void a_merged_target_is_held_up_for_a_part_of_its_own_time(void **state)
{
	static const struct merged merged;
	struct gapp_target_figures targets[2];
	struct ranked rows[2];
	struct made made;

	(void)state;
	made_targets(&made, targets);
	made.results.merged = &merged;
	made.results.model.status.wall_ns = MS(100000);
	fill_rows(rows, 2, &made.rows[3], MS(220));
	rows[0].tgid = targets[0].tgid;
	rows[1].tgid = targets[1].tgid;
	made.results.places = (struct ranking){ rows, 2 };
	made.results.functions.count = 0;
	targets[0].c = SHARE(MS(2000));
	targets[0].wall_ns = MS(90000);
	targets[1].c = SHARE(MS(220));
	targets[1].wall_ns = MS(1000);
	says(&made,
	     "Of 2 targets python3 (100) stands out: for 0.22 s of 1.00 s (22 %) rehash (hash.c:88) ran alone.");
	/* what it waited for held it up for longer than the code of few threads */
	rows[0].kind = PATH_WAITED;
	rows[0].wait = GAPP_WAIT_DISK;
	rows[0].critical_ns = MS(300);
	rows[0].tgid = targets[1].tgid;
	says(&made,
	     "Of 2 targets python3 (100) stands out: for 0.30 s of 1.00 s (30 %) rehash (hash.c:88) waited for the disk.");
	/* or held up another one for longer */
	rows[0].tgid = targets[0].tgid;
	rows[0].critical_ns = MS(9000);
	says(&made,
	     "Of 2 targets loop (9) was held up most: for 9.00 s of 90.00 s (10 %) rehash (hash.c:88) waited for the disk.");
	rows[0] = rows[1];
	rows[0].tgid = targets[0].tgid;
	/* whose place it is cannot be told */
	targets[0].tgid = targets[1].tgid;
	says(&made,
	     "None of 2 targets has a bottleneck: the largest place, rehash (hash.c:88), held its process up for 0.2 %.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranked_sentences),
		cmocka_unit_test(empty_results_are_explained),
		cmocka_unit_test(alone_only_if_no_others_were_active),
		cmocka_unit_test(a_wait_is_called_by_its_name),
		cmocka_unit_test(threads_are_said_as_their_team),
		cmocka_unit_test(what_there_is_one_of_says_nothing),
		cmocka_unit_test(a_thread_that_is_all_of_its_process),
		cmocka_unit_test(waits_have_levels),
		cmocka_unit_test(the_shorter_time_is_looked_at_too),
		cmocka_unit_test(sleeping_threads_come_last),
		cmocka_unit_test(the_target_that_was_held_up_most),
		cmocka_unit_test(targets_that_waited),
		cmocka_unit_test(no_target_was_held_up),
		cmocka_unit_test(a_merged_target_is_held_up_for_a_part_of_its_own_time),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("sentence", tests, NULL, NULL);
}
