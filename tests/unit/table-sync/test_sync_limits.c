// SPDX-License-Identifier: GPL-2.0
/* What the module is told when the compiler is slow, and there is no room, or too much to tell. */
#include "sync_test.h"

#include "complaints.h"

static bool starved;

/* In place of libc's. */
void *reallocarray(void *old, size_t count, size_t size)
{
	return starved ? NULL : realloc(old, count * size);
}

static void a_slow_compiler_holds_up_nothing(void **state)
{
	u64 inode = make_file("e", 'e'), file, memory, begin_ns;
	unsigned int files;

	begin();
	file = subject_maps(&subject, file_path("e"));
	memory = subject_maps(&subject, NULL);
	compiler_hold(true);
	begin_ns = clock_ns();
	table_sync_attach(teach, subject.pid, true);
	for (int i = 0; i < 20; i++)
		table_sync_run(teach);
	/* for some time the tables are waited for */
	assert_true(!module.set || clock_ns() - begin_ns >= MS(40));
	sleep_ms(41);
	table_sync_run(teach);
	assert_true(clock_ns() - begin_ns < SECONDS(20));
	/* what is not known yet is left out, so that the module says what it misses */
	assert_true(module_knows(subject.pid));
	assert_null(module_map(subject.pid, file));
	assert_non_null(module_map(subject.pid, memory));

	table_sync_settle(teach, clock_ns() + MS(30), true);
	assert_null(module_map(subject.pid, file));
	compiler_hold(false);
	settle();
	assert_true(module_inode(subject.pid, file) == inode);
	assert_true(proc_maps_read(subject.pid, check_line, NULL) > 4);

	/* once without the tables, once with all, and in between where the machine is slow */
	assert_true(module.set == 2 || clock_ns() - begin_ns >= MS(120));

	/* each file once */
	files = compiler_files();
	asks(subject.pid);
	settle();
	assert_int_equal(compiler_files(), files);
	end();
}

static void more_files_than_the_compiler_takes(void **state)
{
	char name[16];

	begin();
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		make_file(name, 'f');
		subject_maps(&subject, file_path(name));
	}
	attach();
	assert_true(proc_maps_read(subject.pid, check_line, NULL) > 100);
	end();
}

static void the_end_waits_for_no_compiler(void **state)
{
	u64 begin_ns;

	begin();
	compiler_hold(true);
	table_sync_attach(teach, subject.pid, true);
	table_sync_run(teach);
	while (!compiler_files())
		sleep_ms(1);
	begin_ns = clock_ns();
	end();
	assert_true(clock_ns() - begin_ns < SECONDS(20));
	assert_true(compiler_cancelled());
}

static void no_room_in_the_module(void **state)
{
	const struct gapp_mapping *map;
	u64 at;

	make_file("g", 'g');
	begin();
	attach();
	module.room = module.tables;
	at = subject_maps(&subject, file_path("g"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	map = module_map(subject.pid, at);
	assert_true(map && !map->table);
	assert_int_equal(figures().objects.refused, 1);
	end();
}

static void tables_nobody_needs_make_room(void **state)
{
	u64 inode = make_file("i", 'i'), at;

	make_file("h", 'h');
	begin();
	subject_maps(&subject, file_path("h"));
	attach();
	subject_end(&subject);
	happens(SIDEBAND_EXIT, subject.pid, 0);
	assert_int_equal(module.dropped, 0);
	subject_begin(&subject);
	attach();
	/* the same program: what it has was there */
	module.room = module.tables;
	at = subject_maps(&subject, file_path("i"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	assert_true(module_inode(subject.pid, at) == inode);
	assert_int_equal(module.dropped, 1);
	assert_int_equal(figures().objects.refused, 0);
	end();
}

/* A table that is used again counts no more as one that nobody needs. */
static void a_table_that_is_needed_again(void **state)
{
	u64 large = make_file("s", 'L'), small = make_file("t", 't'), other = make_file("u", 'u');
	u64 at, small_at;

	begin();
	subject_maps(&subject, file_path("s"));
	subject_maps(&subject, file_path("t"));
	attach();
	subject_end(&subject);
	happens(SIDEBAND_EXIT, subject.pid, 0);
	subject_begin(&subject);
	at = subject_maps(&subject, file_path("s"));
	attach();
	assert_true(module_inode(subject.pid, at) == large);

	/* so another file leaves the small one where it is */
	at = subject_maps(&subject, file_path("u"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	assert_true(module_inode(subject.pid, at) == other);
	assert_int_equal(module.dropped, 0);
	small_at = subject_maps(&subject, file_path("t"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	assert_true(module_inode(subject.pid, small_at) == small);
	end();
}

static void a_file_in_place_of_another(void **state)
{
	unsigned int loaded;
	u64 inode = make_file("k", 'k'), at;

	begin();
	at = subject_maps(&subject, file_path("k"));
	attach();
	loaded = module.loaded;
	subject_end(&subject);
	happens(SIDEBAND_EXIT, subject.pid, 0);

	/* the same inode */
	assert_true(make_file("k", 'n') == inode);
	subject_begin(&subject);
	at = subject_maps(&subject, file_path("k"));
	attach();
	assert_true(module_map(subject.pid, at) && !module_inode(subject.pid, at));
	assert_int_equal(module.loaded, loaded);
	assert_int_equal(module.dropped, 1);
	end();
}

static void what_is_mapped_together_is_sent_together(void **state)
{
	struct sideband_event event = { .kind = SIDEBAND_MMAP };
	unsigned int set;

	begin();
	attach();
	sleep_ms(6);
	set = module.set;
	event.pid = subject.pid;
	for (int i = 0; i < 3; i++) {
		event.time_ns = clock_ns();
		table_sync_event(teach, &event);
		table_sync_run(teach);
		assert_true(module.set == set || clock_ns() >= event.time_ns + MS(1));
		sleep_ms(i < 2);
	}
	/* a millisecond after the last one */
	if (module.set == set)
		assert_true(table_sync_due(teach) == event.time_ns + MS(1));
	settle();
	assert_true(module.set > set);
	/* a program that goes on mapping for ever is sent, too */
	set = module.set;
	while (module.set == set) {
		event.time_ns = clock_ns();
		table_sync_event(teach, &event);
		table_sync_run(teach);
	}
	end();
}

static void not_too_often(void **state)
{
	u64 begin_ns = clock_ns();

	begin();
	attach();
	/* with five pauses between them, however slow all else is */
	while (module.set < 6) {
		happens(SIDEBAND_MMAP, subject.pid, 0);
		table_sync_run(teach);
		assert_true(!table_sync_due(teach) || table_sync_due(teach) <= clock_ns() + MS(5));
	}
	assert_true(clock_ns() - begin_ns >= 5 * MS(5));
	end();
}

static void bounded(void **state)
{
	begin();
	attach();
	/* no process has such ids */
	for (int i = 0; i < 20000; i++)
		happens(SIDEBAND_FORK, 5000000 + i, subject.pid);
	module.asked = 0;
	module.gone = true;
	happens(SIDEBAND_LOST, 0, 0);
	settle();
	assert_int_equal(table_sync_due(teach), 0);
	assert_int_equal(figures().processes, 20001);
	assert_in_range(module.asked, 1, 4096);
	end();
}

/* It is the one that was sent longest ago: those that are never sent come before our two. */
static void what_is_forgotten(void **state)
{
	u64 inode = make_file("v", 'v'), at;

	begin();
	subject_forks(&subject);
	attach();
	assert_int_equal(figures().processes, 2);
	for (int i = 0; i < 20000; i++)
		happens(SIDEBAND_FORK, 5000000 + i, subject.pid);
	at = subject_maps(&subject, file_path("v"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	assert_true(module_inode(subject.pid, at) == inode);
	end();
}

static void run(void)
{
	table_sync_run(teach);
}

static void no_memory(void **state)
{
	char text[256], wanted[256];

	begin();
	table_sync_attach(teach, subject.pid, true);
	starved = true;
	complaints_of(run, text, sizeof(text));
	starved = false;
	snprintf(wanted, sizeof(wanted),
		 "gapp: the module cannot be sent what process %d maps: %s\n", subject.pid,
		 strerror(ENOMEM));
	assert_string_equal(text, wanted);
	assert_false(module_knows(subject.pid));

	/* when there is some again */
	asks(subject.pid);
	settle();
	assert_true(proc_maps_read(subject.pid, check_line, NULL) > 4);
	end();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(a_slow_compiler_holds_up_nothing),
		TEST(more_files_than_the_compiler_takes),
		TEST(the_end_waits_for_no_compiler),
		TEST(no_room_in_the_module),
		TEST(tables_nobody_needs_make_room),
		TEST(a_table_that_is_needed_again),
		TEST(a_file_in_place_of_another),
		TEST(what_is_mapped_together_is_sent_together),
		TEST(not_too_often),
		TEST(bounded),
		TEST(what_is_forgotten),
		TEST(no_memory),
	};

	if (argc == 2 && !strcmp(argv[1], "subject"))
		return subject_main();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("teach_limits", tests, NULL, NULL);
}
