// SPDX-License-Identifier: GPL-2.0
/* When records are taken in, when the module is taught, and what ends that. */
#include "capture_world.h"
#include "complaints.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "util/signals.h"

#define MS(n) (1000000ULL * (n))

static const struct options report = { .level = GAPP_LEVEL_CRITICAL };
static const struct options script = { .level = GAPP_LEVEL_CRITICAL, .action = ACTION_SCRIPT };

static struct capture *capture;

/* In a world with these members. */
static void begin_where(const struct options *options, struct world made)
{
	static struct device device;

	world = made;
	world.no_memory_after = 1000000;
	capture = capture_new(&device, options);
	assert_non_null(capture);
}

static void begin_in(const struct options *options, bool by_tables)
{
	begin_where(options, (struct world){ .by_tables = by_tables });
}

static void begin(const struct options *options)
{
	begin_in(options, false);
}

/* How old records must be. */
static void assert_age(u64 age)
{
	u64 before = clock_ns();

	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	assert_true(world.until >= before - age);
	assert_true(world.until <= clock_ns() - age);
}

static void records_settle(void **state)
{
	begin(&report);
	assert_age(MS(100));
	world.fill = 49;
	assert_age(MS(100));
	/* from here on the module does not let anybody sleep for them */
	world.fill = 50;
	assert_age(MS(2));
	world.fill = 100;
	assert_age(MS(2));
	assert_int_equal(capture_drain(capture, true), CAPTURE_ON);
	assert_true(world.until == UINT64_MAX);
	capture_free(capture);
}

/* For the first record and at the end: between them nothing is due, but more may have been read. */
static void mappings_are_brought_up_in_each_drain(void **state)
{
	begin(&report);
	world.records = 5;
	for (unsigned int i = 1; i <= 3; i++) {
		assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
		assert_int_equal(world.applied, 2 * i);
	}
	capture_free(capture);
}

static void every_record_is_kept_if_wanted(void **state)
{
	begin(&report);
	world.records = 5;
	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	assert_int_equal(world.kept, 0);
	assert_int_equal(capture_keep_records(capture, NULL), 0);
	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	assert_int_equal(world.kept, 15);
	capture_free(capture);
}

/* The address that a capture with @options has watched after a drain, where a thread spins. */
static u64 watched_with(const struct options *options, bool all)
{
	u64 address;

	begin(options);
	world.spun_for = 0x1000;
	world.records = 1;
	assert_int_equal(capture_drain(capture, all), CAPTURE_ON);
	address = world.watched.address;
	capture_free(capture);
	return address;
}

static void words_are_watched_where_waits_are_asked_for(void **state)
{
	static const struct options objects = { .level = GAPP_LEVEL_CRITICAL,
						.view = VIEW_WAIT_OBJECTS };
	static const struct options wakers = { .level = GAPP_LEVEL_CRITICAL, .view = VIEW_WAKERS };
	static const struct options by = { .level = GAPP_LEVEL_CRITICAL, .by = BY_WAIT_OBJECT };
	static const struct options top = { .level = GAPP_LEVEL_CRITICAL,
					    .view = VIEW_WAIT_OBJECTS,
					    .action = ACTION_TOP };

	assert_int_equal(watched_with(&objects, false), 0x1000);
	assert_int_equal(watched_with(&wakers, false), 0x1000);
	assert_int_equal(watched_with(&by, false), 0x1000);
	/* the session has been stopped */
	assert_int_equal(watched_with(&objects, true), 0);
	assert_int_equal(watched_with(&report, false), 0);
	assert_int_equal(watched_with(&top, false), 0);
}

/* The record of a wait's end may be among them. */
static void nobody_is_known_to_spin_after_a_loss(void **state)
{
	static const struct options objects = { .level = GAPP_LEVEL_CRITICAL,
						.view = VIEW_WAIT_OBJECTS };

	begin(&objects);
	world.spun_for = 0x1000;
	world.records = 1;
	world.loses = true;
	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	assert_int_equal(world.watched.address, 0);
	world.loses = false;
	/* what is waited for until the next drain is worth a watch */
	usleep(2000);
	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	assert_int_equal(world.watched.address, 0x1000);
	capture_free(capture);
}

/* Has loops timed exactly with @options until the session is stopped. */
static void time_exactly(const struct options *options, bool can)
{
	begin_where(options,
		    (struct world){ .times_exactly = can, .spun_for = 0x1000, .records = 3 });
	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
}

static void loops_are_timed_exactly_where_that_is_asked_for(void **state)
{
	static const struct options exact = { .level = GAPP_LEVEL_CRITICAL, .spin = SPINS_EXACT };
	struct results results = { 0 };
	volatile bool cancel = false;

	time_exactly(&report, true);
	assert_int_equal(world.exact_asked, 0);
	capture_free(capture);
	time_exactly(&exact, false);
	assert_int_equal(world.exact_asked, 0);
	capture_free(capture);
	time_exactly(&exact, true);
	assert_int_equal(world.exact_asked, 1);
	assert_int_equal(world.exact.address, 0x1000);
	assert_int_equal(world.exact.pid, 7);
	usleep(1000);
	/* after STOP nothing more is asked for, and no loop is timed any more */
	assert_int_equal(capture_drain(capture, true), CAPTURE_ON);
	assert_int_equal(world.exact_asked, 1);
	assert_int_equal(capture_rank(capture, &cancel, &results), 0);
	assert_non_null(results.exact_loops);
	capture_free(capture);
}

static void who_ends_the_session_is_no_error_of_loops(void **state)
{
	static const struct options exact = { .level = GAPP_LEVEL_CRITICAL, .spin = SPINS_EXACT };
	struct results results = { 0 };
	volatile bool cancel = false;

	time_exactly(&exact, true);
	world.exact_error = ENOTCONN;
	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	assert_int_equal(world.exact_asked, 2);
	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	assert_int_equal(world.exact_asked, 2);
	assert_int_equal(capture_drain(capture, true), CAPTURE_ON);
	assert_int_equal(capture_rank(capture, &cancel, &results), 0);
	/* the loop that was timed before is told */
	assert_non_null(results.exact_loops);
	capture_free(capture);
}

static void drains_without_records_sleep(void **state)
{
	u64 begin_ns = clock_ns();

	begin(&report);
	world.fill = 100;
	for (int i = 0; i < 10; i++)
		assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	assert_true(clock_ns() - begin_ns >= 10 * MS(2));
	capture_free(capture);
}

static void run_out_of_memory(void)
{
	world.records = 5;
	world.no_memory_after = 3;
	assert_int_equal(capture_drain(capture, false), CAPTURE_FULL);
	assert_int_equal(capture_drain(capture, true), CAPTURE_FULL);
	assert_int_equal(world.drains, 1);
}

static void run_out_of_memory_in_sideband(void)
{
	world.sideband_fails = true;
	assert_int_equal(capture_drain(capture, false), CAPTURE_FULL);
	assert_int_equal(capture_drain(capture, true), CAPTURE_FULL);
	assert_int_equal(world.drains, 0);
}

/* It is said once, and what was taken in is ranked. */
static void no_memory_for_records(void **state)
{
	struct results results = { 0 };
	char text[256];

	begin(&report);
	complaints_of(run_out_of_memory, text, sizeof(text));
	assert_string_equal(text, "gapp: out of memory\n");
	assert_int_equal(capture_rank(capture, NULL, &results), 0);
	assert_true(results.ranked);
	/* without --by the places are ranked once */
	assert_int_equal(results.by.count, 0);
	capture_free(capture);

	begin(&report);
	complaints_of(run_out_of_memory_in_sideband, text, sizeof(text));
	assert_string_equal(text, "gapp: out of memory\n");
	capture_free(capture);
}

static void ranks_by_what_is_asked_for(void **state)
{
	static const struct options by_thread = { .level = GAPP_LEVEL_CRITICAL,
						  .by = BY_THREAD,
						  .tree = true };
	struct results results = { 0 };

	begin(&by_thread);
	world.records = 7;
	assert_int_equal(capture_rank(capture, NULL, &results), 0);
	capture_free(capture);
	assert_int_equal(results.sums.records, 7);
	assert_int_equal(results.places.count, 1 + BY_PLACE);
	assert_int_equal(results.tree.count, 1);
	assert_int_equal(results.paths.count, 1 + BY_PATH);
	assert_int_equal(results.by_thread.count, 1 + BY_THREAD);
	assert_int_equal(results.by_process.count, 1 + BY_PROCESS);
	assert_int_equal(results.by.count, 1 + BY_THREAD);
	assert_int_equal(results.functions.count, 1 + BY_FUNCTION);
	assert_int_equal(results.lines.count, 1 + BY_LINE);
}

/* While it records: programs go on to generate code. */
static void each_look_names_generated_code_again(void **state)
{
	struct results results = { 0 };

	begin(&report);
	for (unsigned int looks = 0; looks < 3; looks++) {
		world.finished = 0;
		assert_int_equal(world.named_again, looks);
		assert_int_equal(capture_look(capture, &results), 0);
	}
	assert_int_equal(world.named_again, 3);
	capture_free(capture);
}

/* Ranks what was recorded with @options. */
static struct results rank_with(const struct options *options)
{
	struct results results = { 0 };

	begin(options);
	assert_int_equal(capture_rank(capture, NULL, &results), 0);
	capture_free(capture);
	return results;
}

/* Call paths by address take time, so they are made only for the formats that need them. */
static void call_paths_are_exported_if_wanted(void **state)
{
	static const struct {
		const char *output;
		bool wanted;
	} cases[] = {
		{ "a.json", false },
		{ "a.csv", false },
		{ "a.txt", false },
		{ "a.folded", true },
		{ "a.speedscope.json", true },
		{ "a.pb.gz", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *output = cases[i].output;
		struct options options = { .level = GAPP_LEVEL_CRITICAL,
					   .no_libs = true,
					   .outputs = &output,
					   .output_count = 1 };
		struct results results = rank_with(&options);

		if (cases[i].wanted)
			assert_int_equal(results.exported.count, 1 + BY_ADDRESSES);
		else
			assert_int_equal(results.exported.count, 0);
		assert_int_equal(world.ranked.no_libs, !cases[i].wanted);
	}
}

static void the_run_bounds_what_is_gained(void **state)
{
	struct options options = { .level = GAPP_LEVEL_CRITICAL };
	u64 parallelism[] = { MS(1), MS(2), MS(4), MS(8) };
	struct results results = {
		.model = { .status = { .n_min_most = 2,
				       .n_min_least = 1,
				       .peak = 3,
				       .wall_ns = MS(15) },
			   .parallelism = parallelism,
			   .parallelism_count = ARRAY_SIZE(parallelism) },
	};

	begin(&options);
	assert_int_equal(capture_rank(capture, NULL, &results), 0);
	capture_free(capture);
	assert_int_equal(world.ranked.gain.n_most, 2);
	assert_int_equal(world.ranked.gain.n_beyond, 2);
	assert_int_equal(world.ranked.gain.most_ns, MS(6));

	/* a slice counts as a whole, whatever n was for a while */
	options.criterion = GAPP_CRITERION_AVERAGE;
	begin(&options);
	assert_int_equal(capture_rank(capture, NULL, &results), 0);
	capture_free(capture);
	assert_int_equal(world.ranked.gain.n_most, 3);
	assert_int_equal(world.ranked.gain.n_beyond, 0);
	assert_int_equal(world.ranked.gain.most_ns, MS(14));

	/* each target has an N_min of its own */
	results.target_count = 2;
	begin(&options);
	assert_int_equal(capture_rank(capture, NULL, &results), 0);
	capture_free(capture);
	assert_int_equal(world.ranked.gain.n_most, 0);
	assert_int_equal(world.ranked.gain.most_ns, MS(15));
}

static void options_reach_the_ranking(void **state)
{
	struct options options = { .level = GAPP_LEVEL_CRITICAL };
	struct results results = rank_with(&options);

	/* without --tree, and as the table shows places already */
	assert_int_equal(results.tree.count, 0);
	assert_int_equal(results.by.count, 0);
	assert_false(world.ranked.no_libs);
	assert_false(world.ranked.threads_only);
	assert_false(world.ranked.process_only);
	assert_false(world.ranked.apart);
	assert_false(world.ranked.program_inode);
	options.no_libs = true;
	rank_with(&options);
	assert_true(world.ranked.no_libs);
	options.threads_only = true;
	options.tree = true;
	rank_with(&options);
	assert_true(world.ranked.threads_only);
	assert_false(world.ranked.process_only);
	options.process_only = true;
	options.threads_only = false;
	rank_with(&options);
	assert_true(world.ranked.process_only);
	assert_false(world.ranked.threads_only);
	options.all = true;
	rank_with(&options);
	assert_true(world.ranked.apart);
	options.as_one = true;
	rank_with(&options);
	assert_false(world.ranked.apart);
	options.exe = "/bin/cat";
	rank_with(&options);
	assert_true(world.ranked.program_inode);
}

/* While names are looked up, a signal sets the flag; it waits to be read as soon as they are. */
static void a_signal_cancels_only_while_names_are_looked_up(void **state)
{
	const volatile bool *cancelled;
	struct signals signals;
	int fd = signals_take(&signals);

	raise(SIGINT);
	assert_int_equal(signals_read(fd), SIGINT);
	signals_cancel(&cancelled);
	assert_false(*cancelled);
	raise(SIGINT);
	assert_true(*cancelled);
	signals_hold();
	assert_int_equal(signals_read(fd), SIGINT);
	raise(SIGTERM);
	assert_int_equal(signals_read(fd), SIGTERM);
	assert_int_equal(signals_read(fd), 0);
	signal(SIGTERM, SIG_DFL);
	signals_give_back(&signals);
	close(fd);
}

static void rings_without_sense(void **state)
{
	begin(&report);
	world.bad_rings = true;
	assert_int_equal(capture_drain(capture, false), CAPTURE_FAILED);
	assert_int_equal(capture_drain(capture, true), CAPTURE_FAILED);
	capture_free(capture);
}

static enum capture_state last;

static void drain_script(void)
{
	world.records = 10000;
	last = capture_drain(capture, false);
	assert_int_equal(capture_drain(capture, true), last);
	assert_int_equal(world.drains, 1);
}

/* With standard output there. */
static void script_to(int fd, enum capture_state expected, const char *complaint)
{
	int old = dup(STDOUT_FILENO);
	char text[256];

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	begin(&script);
	complaints_of(drain_script, text, sizeof(text));
	capture_free(capture);
	dup2(old, STDOUT_FILENO);
	close(old);
	assert_int_equal(last, expected);
	assert_string_equal(text, complaint);
}

static void output_that_nobody_reads(void **state)
{
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	script_to(ends[1], CAPTURE_UNREAD, "");
}

static void output_on_a_full_disk(void **state)
{
	script_to(open("/dev/full", O_WRONLY), CAPTURE_FAILED,
		  "gapp: cannot write the records: No space left on device\n");
}

static void output_is_written_at_once(void **state)
{
	int ends[2], old = dup(STDOUT_FILENO);
	char text[128] = "";

	fflush(stdout);
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
	begin(&script);
	world.records = 2;
	last = capture_drain(capture, false);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	capture_free(capture);
	dup2(old, STDOUT_FILENO);
	close(old);
	close(ends[0]);
	assert_int_equal(last, CAPTURE_ON);
	/* copies of stacks and questions are records too */
	assert_string_equal(text, "a record\na record\na record\n"
				  "a record\na record\na record\n");
}

static void did(const char *what)
{
	assert_string_equal(world.what, what);
	memset(world.what, 0, sizeof(world.what));
}

static bool has_news(void)
{
	struct pollfd fd = { .fd = capture_wakeup_fd(capture), .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

static void teaches_before_and_while_it_runs(void **state)
{
	struct results results = { 0 };

	begin_in(&report, true);
	assert_true(world.wakes);
	capture_attach(capture, 1);
	did("a");
	capture_ready(capture);
	did("ers");
	capture_started(capture);

	world.records = 1;
	world.needmaps = 2;
	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	/* what was asked, long before it would be settled, and then no more */
	did("ennr");
	assert_int_equal(world.copies, 1);
	/* the session has been stopped: nobody walks any more */
	assert_int_equal(capture_drain(capture, true), CAPTURE_ON);
	did("e");
	assert_int_equal(world.copies, 2);
	assert_int_equal(capture_rank(capture, NULL, &results), 0);
	assert_int_equal(results.table_sync.sends, 3);
	capture_free(capture);
}

static void teaches_only_for_tables(void **state)
{
	begin(&report);
	assert_false(world.wakes);
	assert_int_equal(capture_wakeup_fd(capture), -1);
	capture_attach(capture, 1);
	capture_ready(capture);
	assert_int_equal(capture_woken(capture), CAPTURE_ON);
	world.needmaps = 1;
	world.records = 1;
	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	did("");
	assert_int_equal(world.copies, 1);
	capture_free(capture);
}

/* Only a program that does not run yet can wait until its loops are known. */
static void only_a_command_waits_for_loops(void **state)
{
	static char *const command[] = { "./prog", NULL };
	static const struct options launched = { .level = GAPP_LEVEL_CRITICAL, .command = command },
				    delayed = { .level = GAPP_LEVEL_CRITICAL,
						.command = command,
						.delay_ns = MS(100) };
	static const struct {
		const struct options *options;
		bool waits;
	} runs[] = { { &launched, true }, { &delayed, false }, { &report, false } };

	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		begin_in(runs[i].options, true);
		world.with_spins = !runs[i].waits;
		capture_ready(capture);
		assert_int_equal(world.with_spins, runs[i].waits);
		capture_free(capture);
	}
}

static void teaches_the_whole_machine_when_asked(void **state)
{
	static const struct options all = { .level = GAPP_LEVEL_CRITICAL, .all = true };

	begin_in(&all, true);
	assert_false(world.wakes);
	capture_attach(capture, -1);
	did("");
	world.needmaps = 1;
	assert_int_equal(capture_woken(capture), CAPTURE_ON);
	did("enr");
	capture_free(capture);
}

static void news_is_heard(void **state)
{
	u64 begin_ns;

	begin_in(&report, true);
	assert_false(has_news());
	eventfd_write(world.ready_fd, 1);
	assert_true(has_news());
	assert_int_equal(capture_woken(capture), CAPTURE_ON);
	did("er");

	/* a time to wake up at is news then */
	eventfd_read(world.ready_fd, &(eventfd_t){ 0 });
	begin_ns = clock_ns();
	capture_ready(capture);
	assert_false(has_news());
	world.due_ns = clock_ns() + MS(20);
	capture_ready(capture);
	world.due_ns = 0;
	while (!has_news())
		assert_true(clock_ns() - begin_ns < MS(20000));

	/* what comes fast is heard together */
	begin_ns = clock_ns();
	for (int i = 0; i < 10; i++)
		assert_int_equal(capture_woken(capture), CAPTURE_ON);
	assert_true(clock_ns() - begin_ns >= MS(18));
	world.sideband_fails = true;
	assert_int_equal(capture_woken(capture), CAPTURE_FULL);
	assert_int_equal(capture_woken(capture), CAPTURE_FULL);
	capture_free(capture);
}

/* The module wakes the reader at its next tick, unless a ring is half full. */
static void without_hurry_poll_is_where_it_sleeps(void **state)
{
	begin_in(&report, true);
	world.fill = 49;
	eventfd_write(world.ready_fd, 1);
	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	did("er");
	capture_free(capture);
}

/* A drain that finds nothing sleeps, but not through the news. */
static void news_ends_a_nap(void **state)
{
	begin_in(&report, true);
	world.fill = 50;
	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	did("er");
	eventfd_write(world.ready_fd, 1);
	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	did("erer");
	capture_free(capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_settle),
		cmocka_unit_test(mappings_are_brought_up_in_each_drain),
		cmocka_unit_test(every_record_is_kept_if_wanted),
		cmocka_unit_test(words_are_watched_where_waits_are_asked_for),
		cmocka_unit_test(nobody_is_known_to_spin_after_a_loss),
		cmocka_unit_test(loops_are_timed_exactly_where_that_is_asked_for),
		cmocka_unit_test(who_ends_the_session_is_no_error_of_loops),
		cmocka_unit_test(drains_without_records_sleep),
		cmocka_unit_test(no_memory_for_records),
		cmocka_unit_test(ranks_by_what_is_asked_for),
		cmocka_unit_test(each_look_names_generated_code_again),
		cmocka_unit_test(call_paths_are_exported_if_wanted),
		cmocka_unit_test(the_run_bounds_what_is_gained),
		cmocka_unit_test(options_reach_the_ranking),
		cmocka_unit_test(a_signal_cancels_only_while_names_are_looked_up),
		cmocka_unit_test(rings_without_sense),
		cmocka_unit_test(output_that_nobody_reads),
		cmocka_unit_test(output_on_a_full_disk),
		cmocka_unit_test(output_is_written_at_once),
		cmocka_unit_test(teaches_before_and_while_it_runs),
		cmocka_unit_test(teaches_only_for_tables),
		cmocka_unit_test(only_a_command_waits_for_loops),
		cmocka_unit_test(teaches_the_whole_machine_when_asked),
		cmocka_unit_test(news_is_heard),
		cmocka_unit_test(without_hurry_poll_is_where_it_sleeps),
		cmocka_unit_test(news_ends_a_nap),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
