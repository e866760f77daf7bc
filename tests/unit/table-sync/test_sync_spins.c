// SPDX-License-Identifier: GPL-2.0
/* Spin tables: when the module gets them, and that nothing waits for them. */
#include "sync_test.h"

#include <poll.h>

static void begin_spins(void)
{
	device.spins = true;
	begin();
}

static void end_spins(void)
{
	end();
	device.spins = false;
}

/* Runs as the reader does, until the module has the loop, or does not have it any more. */
static void run_until_loop(u64 at, u64 loop)
{
	struct pollfd ready = { .fd = table_sync_fd(teach), .events = POLLIN };
	u64 until = clock_ns() + SECONDS(20);

	for (table_sync_run(teach); module_loop(subject.pid, at) != loop; table_sync_run(teach)) {
		assert_true(clock_ns() < until);
		poll(&ready, 1, table_sync_due(teach) ? 1 : 100);
	}
}

/* Runs until the finder has been given so many files and has nothing left to do. */
static void run_until_found(unsigned int files)
{
	u64 until = clock_ns() + SECONDS(20);

	do {
		assert_true(clock_ns() < until);
		sleep_ms(1);
		table_sync_run(teach);
	} while (finder_files() < files || table_sync_due(teach));
}

static void mappings_are_sent_again(void **state)
{
	u64 inode = make_file("s", 'S'), other = make_file("b", 'b'), at, other_at, begin_ns;
	struct gapp_mapping before;
	u32 set;

	begin_spins();
	finder_hold(true);
	at = subject_maps(&subject, file_path("s"));
	begin_ns = clock_ns();
	attach();
	/* the tables of all are there, and loops of a large file are not waited for */
	assert_true(clock_ns() - begin_ns < SECONDS(20));
	assert_true(module_inode(subject.pid, at) == inode);
	assert_int_equal(module_loop(subject.pid, at), 0);

	table_sync_run(teach);
	while (!finder_saw(inode))
		sleep_ms(1);
	/* while it looks, all else goes on */
	other_at = subject_maps(&subject, file_path("b"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	begin_ns = clock_ns();
	settle();
	assert_true(clock_ns() - begin_ns < SECONDS(20));
	assert_true(module_inode(subject.pid, other_at) == other);
	assert_int_equal(figures().objects.spin_tables, 0);

	before = *module_map(subject.pid, at);
	set = module.set;
	finder_hold(false);
	run_until_loop(at, loop_of(inode, 'S'));
	assert_true(module.set > set);
	assert_int_equal(module_map(subject.pid, at)->table, before.table);
	assert_true(module_map(subject.pid, at)->bias == before.bias);
	assert_int_equal(module_loop(subject.pid, other_at), 0);
	assert_int_equal(figures().objects.spin_tables, 1);
	assert_int_equal(figures().objects.spin_loops, 1);
	assert_int_equal(figures().objects.without, 0);
	/* once */
	run_until_found(finder_files());
	assert_int_equal(finder_saw(inode), 1);
	end_spins();
}

static void settling_waits_for_loops_of_small_files(void **state)
{
	u64 inode = make_small_file("s", 'S'), other = make_file("b", 'S'), at, other_at;

	begin_spins();
	at = subject_maps(&subject, file_path("s"));
	other_at = subject_maps(&subject, file_path("b"));
	attach();
	assert_int_equal(module_loop(subject.pid, at), loop_of(inode, 'S'));
	run_until_loop(other_at, loop_of(other, 'S'));
	end_spins();
}

static void settling_waits_no_longer_than_it_may(void **state)
{
	u64 inode = make_small_file("s", 'S'), at, begin_ns;

	begin_spins();
	finder_hold(true);
	at = subject_maps(&subject, file_path("s"));
	table_sync_attach(teach, subject.pid, true);
	begin_ns = clock_ns();
	table_sync_settle(teach, begin_ns + SECONDS(1) / 5, true);
	assert_true(clock_ns() - begin_ns >= SECONDS(1) / 5);
	assert_int_equal(module_loop(subject.pid, at), 0);
	finder_hold(false);
	settle();
	assert_int_equal(module_loop(subject.pid, at), loop_of(inode, 'S'));
	end_spins();
}

/* What is found wakes the reader. */
static void found_loops_wake_the_reader(void **state)
{
	u64 inode = make_file("s", 'S'), at;
	struct pollfd ready = { .events = POLLIN };

	begin_spins();
	at = subject_maps(&subject, file_path("s"));
	attach();
	table_sync_run(teach);
	while (!finder_saw(inode))
		sleep_ms(1);
	ready.fd = table_sync_fd(teach);
	assert_int_equal(poll(&ready, 1, 20000), 1);
	run_until_loop(at, loop_of(inode, 'S'));
	end_spins();
}

static void what_the_cache_has_is_sent_at_first(void **state)
{
	u64 inode = make_file("r", 'R'), at;

	begin_spins();
	finder_hold(true);
	at = subject_maps(&subject, file_path("r"));
	attach();
	assert_true(module_loop(subject.pid, at) == loop_of(inode, 'R'));
	assert_true(module_inode(subject.pid, at) == inode);
	finder_hold(false);
	run_until_found(1);
	assert_int_equal(finder_saw(inode), 0);
	end_spins();
}

static void nothing_without_the_flag(void **state)
{
	u64 inode = make_file("s", 'S'), other = make_file("r", 'R'), at, other_at;

	begin();
	at = subject_maps(&subject, file_path("s"));
	other_at = subject_maps(&subject, file_path("r"));
	attach();
	for (int i = 0; i < 20; i++) {
		table_sync_run(teach);
		sleep_ms(1);
	}
	assert_true(module_inode(subject.pid, at) == inode);
	assert_true(module_inode(subject.pid, other_at) == other);
	assert_int_equal(module_loop(subject.pid, at), 0);
	assert_int_equal(module_loop(subject.pid, other_at), 0);
	assert_int_equal(finder_files() + recalls(), 0);
	assert_int_equal(figures().objects.spin_tables, 0);
	end();
}

/* Its segments say where its code is. */
static void a_file_without_an_unwind_table(void **state)
{
	u64 inode = make_file("n", 'N'), at;

	begin_spins();
	at = subject_maps(&subject, file_path("n"));
	attach();
	assert_int_equal(module_map(subject.pid, at)->bias, 0);
	run_until_loop(at, loop_of(inode, 'N'));
	assert_int_equal(module_map(subject.pid, at)->table, 0);
	/* its second page */
	assert_true(module_map(subject.pid, at)->bias == at - 4096);
	end_spins();
}

static void no_room_for_loops(void **state)
{
	u64 inode = make_file("s", 'S'), at;

	begin_spins();
	module.no_spins = true;
	at = subject_maps(&subject, file_path("s"));
	attach();
	table_sync_run(teach);
	while (!figures().objects.spin_refused)
		table_sync_run(teach);
	settle();
	assert_true(module_inode(subject.pid, at) == inode);
	assert_int_equal(module_loop(subject.pid, at), 0);
	assert_int_equal(figures().objects.spin_tables, 0);
	assert_int_equal(figures().objects.refused, 0);
	end_spins();
}

static void no_decoder(void **state)
{
	u64 inode = make_file("s", 'S'), at;

	begin_spins();
	finder_lacks_decoder();
	at = subject_maps(&subject, file_path("s"));
	attach();
	run_until_found(1);
	while (!figures().objects.spin_without)
		table_sync_run(teach);
	/* of one file is enough to know it */
	assert_int_equal(finder_files(), 1);
	assert_int_equal(finder_complaints(), 1);
	assert_true(module_inode(subject.pid, at) == inode);
	assert_int_equal(module_loop(subject.pid, at), 0);
	end_spins();
}

static void the_end_waits_for_no_finder(void **state)
{
	u64 inode = make_file("s", 'S'), begin_ns;

	begin_spins();
	finder_hold(true);
	subject_maps(&subject, file_path("s"));
	attach();
	table_sync_run(teach);
	while (!finder_saw(inode))
		sleep_ms(1);
	begin_ns = clock_ns();
	end_spins();
	assert_true(clock_ns() - begin_ns < SECONDS(20));
	assert_true(finder_cancelled());
}

static void another_subject(void)
{
	subject_end(&subject);
	happens(SIDEBAND_EXIT, subject.pid, 0);
	subject_begin(&subject);
}

/* The loops of the former file are not taken for those of the file that is there now. */
static void a_file_that_is_replaced_meanwhile(void **state)
{
	u64 inode = make_file("s", 'S'), at;

	begin_spins();
	finder_hold(true);
	subject_maps(&subject, file_path("s"));
	attach();
	table_sync_run(teach);
	while (!finder_saw(inode))
		sleep_ms(1);
	another_subject();
	assert_true(make_file("s", 'T') == inode);
	at = subject_maps(&subject, file_path("s"));
	attach();
	finder_hold(false);
	run_until_loop(at, loop_of(inode, 'T'));
	assert_int_equal(figures().objects.spin_tables, 1);
	end_spins();
}

static void dropped_with_the_unwind_table(void **state)
{
	u64 inode = make_file("s", 'S'), other = make_file("b", 'b'), at;

	begin_spins();
	at = subject_maps(&subject, file_path("s"));
	attach();
	run_until_loop(at, loop_of(inode, 'S'));
	run_until_found(4);
	another_subject();
	attach();
	assert_int_equal(module.dropped, 0);
	module.room = module.tables;
	at = subject_maps(&subject, file_path("b"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	assert_true(module_inode(subject.pid, at) == other);
	assert_int_equal(module.dropped, 2);

	/* and loaded again */
	module.room = 0;
	at = subject_maps(&subject, file_path("s"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	run_until_loop(at, loop_of(inode, 'S'));
	end_spins();
}

static void what_nobody_uses_is_not_looked_at(void **state)
{
	u64 inode = make_file("s", 'S'), at;

	begin_spins();
	subject_maps(&subject, file_path("s"));
	attach();
	another_subject();
	attach();
	run_until_found(3);
	assert_int_equal(finder_saw(inode), 0);
	/* until somebody uses it */
	at = subject_maps(&subject, file_path("s"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	run_until_loop(at, loop_of(inode, 'S'));
	end_spins();
}

/* They are wanted still when what nobody uses is dropped. */
static void room_is_made_while_loops_are_wanted(void **state)
{
	u64 inode = make_file("s", 'S'), other = make_file("b", 'b'), at, other_at;

	make_file("h", 'S');
	begin_spins();
	subject_maps(&subject, file_path("h"));
	attach();
	another_subject();
	at = subject_maps(&subject, file_path("s"));
	attach();
	module.room = module.tables;
	other_at = subject_maps(&subject, file_path("b"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	assert_true(module_inode(subject.pid, other_at) == other);
	assert_int_equal(module.dropped, 1);
	module.room = 0;
	run_until_loop(at, loop_of(inode, 'S'));
	end_spins();
}

static void unwind_tables_come_first(void **state)
{
	u64 inode = make_file("s", 'S'), at;
	unsigned int files, found;

	make_file("b", 'b');
	begin_spins();
	at = subject_maps(&subject, file_path("s"));
	attach();
	compiler_hold(true);
	files = compiler_files();
	found = finder_files();
	subject_maps(&subject, file_path("b"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	sleep_ms(10);
	table_sync_run(teach);
	while (compiler_files() == files)
		sleep_ms(1);
	for (int i = 0; i < 10; i++) {
		table_sync_run(teach);
		sleep_ms(1);
	}
	assert_int_equal(finder_files(), found);
	compiler_hold(false);
	run_until_loop(at, loop_of(inode, 'S'));
	end_spins();
}

/* Its tables are dropped, but the finder comes back to it. */
static void a_file_that_is_given_up_meanwhile(void **state)
{
	u64 inode = make_file("s", 'S'), other = make_file("b", 'b'), at;

	begin_spins();
	finder_hold(true);
	subject_maps(&subject, file_path("s"));
	attach();
	table_sync_run(teach);
	while (!finder_saw(inode))
		sleep_ms(1);
	another_subject();
	attach();
	module.room = module.tables;
	at = subject_maps(&subject, file_path("b"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	assert_true(module_inode(subject.pid, at) == other);
	assert_int_equal(module.dropped, 1);
	module.room = 0;
	finder_hold(false);
	run_until_found(finder_files() + 1);
	assert_int_equal(figures().objects.spin_tables, 0);

	at = subject_maps(&subject, file_path("s"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	run_until_loop(at, loop_of(inode, 'S'));
	end_spins();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(attaching_tells_all),
		TEST(mappings_are_sent_again),
		TEST(settling_waits_for_loops_of_small_files),
		TEST(settling_waits_no_longer_than_it_may),
		TEST(found_loops_wake_the_reader),
		TEST(what_the_cache_has_is_sent_at_first),
		TEST(nothing_without_the_flag),
		TEST(a_file_without_an_unwind_table),
		TEST(no_room_for_loops),
		TEST(no_decoder),
		TEST(the_end_waits_for_no_finder),
		TEST(a_file_that_is_replaced_meanwhile),
		TEST(dropped_with_the_unwind_table),
		TEST(what_nobody_uses_is_not_looked_at),
		TEST(room_is_made_while_loops_are_wanted),
		TEST(unwind_tables_come_first),
		TEST(a_file_that_is_given_up_meanwhile),
	};

	if (argc == 2 && !strcmp(argv[1], "subject"))
		return subject_main();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("teach_spins", tests, NULL, NULL);
}
