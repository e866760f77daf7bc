// SPDX-License-Identifier: GPL-2.0
/* What the module is told of processes, and when. */
#include "sync_test.h"

#include <pthread.h>

static void *attach_own_thread(void *context)
{
	(void)context;
	table_sync_attach(teach, gettid(), false);
	return NULL;
}

static void a_thread_means_its_process(void **state)
{
	pthread_t thread;

	begin();
	assert_int_equal(pthread_create(&thread, NULL, attach_own_thread, NULL), 0);
	pthread_join(thread, NULL);
	settle();
	assert_true(module_knows(getpid()));
	assert_false(module_knows(subject.pid));
	end();
}

static void code_without_a_table(void **state)
{
	static const char *const names[] = { "n", "x", NULL };
	u64 at[ARRAY_SIZE(names)];

	make_file("n", 'n');
	make_file("x", 'x');
	begin();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		at[i] = subject_maps(&subject, names[i] ? file_path(names[i]) : NULL);
		table_sync_attach(teach, subject.pid, true);
		settle();
		/* the kernel may place one right below another: then the module has both as one */
		for (size_t j = 0; j <= i; j++) {
			const struct gapp_mapping *map = module_map(subject.pid, at[j]);

			assert_true(map && !map->table && !map->bias);
		}
		sleep_ms(6);
	}
	assert_int_equal(figures().objects.without, 2);
	end();
}

static void a_library_that_is_loaded_later(void **state)
{
	u64 inode = make_file("b", 'b'), at;
	unsigned int set;

	begin();
	attach();
	at = subject_maps(&subject, file_path("b"));
	set = module.set;
	table_sync_run(teach);
	assert_int_equal(module.set, set);
	assert_null(module_map(subject.pid, at));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	assert_true(module_inode(subject.pid, at) == inode);

	/* that of somebody else means nothing */
	set = module.asked;
	happens(SIDEBAND_MMAP, getpid(), 0);
	happens(SIDEBAND_EXEC, getpid(), 0);
	settle();
	assert_int_equal(module.asked, set);
	end();
}

static void another_program(void **state)
{
	u64 at;

	make_file("c", 'c');
	begin();
	at = subject_maps(&subject, file_path("c"));
	attach();
	assert_true(module_inode(subject.pid, at));
	subject_execs(&subject);
	module.image++;
	happens(SIDEBAND_EXEC, subject.pid, 0);
	settle();
	assert_null(module_map(subject.pid, at));
	assert_true(proc_maps_read(subject.pid, check_line, NULL) > 3);
	end();
}

static void children(void **state)
{
	pid_t before, after;

	begin();
	before = subject_forks(&subject);
	attach();
	assert_true(module_knows(before));

	/* it has what its parent had, until something happens */
	after = subject_forks(&subject);
	happens(SIDEBAND_FORK, after, subject.pid);
	settle();
	assert_false(module_knows(after));
	happens(SIDEBAND_EXEC, after, 0);
	settle();
	assert_true(module_knows(after));
	end();
}

static void a_child_of_before_its_parents_tables(void **state)
{
	pid_t child;

	begin();
	compiler_hold(true);
	table_sync_attach(teach, subject.pid, true);
	table_sync_run(teach);
	child = subject_forks(&subject);
	happens(SIDEBAND_FORK, child, subject.pid);
	table_sync_run(teach);
	assert_false(module_knows(child));
	compiler_hold(false);
	settle();
	assert_true(module_knows(child));
	end();
}

static char *const itself[] = { "/proc/self/exe", NULL };

/* Whether the exec is known by an event or by who caused it. */
static void a_command_has_its_tables_before_its_exec(void **state)
{
	for (int by_event = 0; by_event < 2; by_event++) {
		u32 set = module.set, asked = module.asked, loaded;

		begin();
		table_sync_expect(teach, subject.pid, itself);
		settle();
		happens(SIDEBAND_MMAP, subject.pid, 0);
		happens(SIDEBAND_LOST, 0, 0);
		asks(subject.pid);
		settle();
		assert_int_equal(module.asked, asked);
		assert_true(figures().objects.tables > 3);

		loaded = module.loaded;
		if (by_event)
			happens(SIDEBAND_EXEC, subject.pid, 0);
		else
			table_sync_executed(teach, subject.pid);
		settle();
		assert_true(proc_maps_read(subject.pid, check_line, NULL) > 3);
		assert_int_equal(module.set, set + 1);
		assert_int_equal(module.loaded, loaded);
		/* once */
		table_sync_executed(teach, subject.pid);
		settle();
		assert_int_equal(module.set, set + 1);
		end();
	}
}

static u64 tables_of(char *const *command)
{
	u64 tables;

	begin();
	table_sync_expect(teach, subject.pid, command);
	settle();
	tables = figures().objects.tables;
	end();
	return tables;
}

static void a_command_that_executes_another(void **state)
{
	char *const shell[] = { "/bin/sh", NULL };
	char *const with[] = { "/bin/sh", "-c", "A=B", "/etc/passwd", "/proc/self/exe", NULL };
	char *const without[] = { "/bin/sh", "-c", "exe", "/etc/passwd", "/no/such", NULL };
	u64 tables = tables_of(shell);

	assert_int_equal(tables_of(without), tables);
	assert_true(tables_of(with) > tables);
}

static void whoever_executes_it(void **state)
{
	begin_with(true);
	happens(SIDEBAND_EXEC, subject.pid, 0);
	settle();
	assert_true(module_knows(subject.pid));
	end();
}

static void the_module_asks(void **state)
{
	u64 begin_ns, at;

	make_file("d", 'd');
	begin();
	begin_ns = clock_ns();
	asks(subject.pid);
	asks(subject.pid);
	settle();
	assert_true(proc_maps_read(subject.pid, check_line, NULL) > 3);
	assert_int_equal(figures().mapping_requests, 2);

	/* not at once again, but some time later */
	at = subject_maps(&subject, file_path("d"));
	asks(subject.pid);
	assert_true(table_sync_due(teach) <= clock_ns() + MS(100));
	settle();
	assert_true(clock_ns() - begin_ns >= MS(100));
	assert_true(module_inode(subject.pid, at));
	/* no process that could be found */
	asks(0);
	asks(-1);
	end();
}

static void it_executes_while_it_is_told_of(void **state)
{
	begin();
	/* the first reading finds that tables are missing, and sends nothing */
	module.stale = 3;
	attach();
	assert_true(module_knows(subject.pid));
	assert_true(proc_maps_read(subject.pid, check_line, NULL) > 3);
	assert_true(figures().outdated >= 2);
	/* at once, not later */
	sleep_ms(10);
	module.stale = 2;
	happens(SIDEBAND_MMAP, subject.pid, 0);
	sleep_ms(2);
	table_sync_run(teach);
	assert_int_equal(table_sync_due(teach), 0);
	assert_int_equal(module.stale, 0);
	/* again and again: later */
	module.stale = 7;
	asks(subject.pid);
	settle();
	assert_int_equal(module.stale, 0);
	assert_int_equal(figures().outdated, 11);
	assert_true(proc_maps_read(subject.pid, check_line, NULL) > 3);
	end();
}

static void processes_that_are_not_followed(void **state)
{
	begin();
	module.gone = true;
	attach();
	assert_int_equal(module.set, 0);
	/* forgotten */
	module.gone = false;
	module.asked = 0;
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	assert_int_equal(module.asked, 0);
	end();
}

/* The side-band tells of an exec before the module meets it, and a set-id program is never met. */
static void a_command_that_the_module_meets_late(void **state)
{
	begin();
	for (int meets = 1; meets >= 0; meets--) {
		u32 asked;

		table_sync_expect(teach, subject.pid, itself);
		settle();
		asked = module.asked;
		module.gone = true;
		table_sync_executed(teach, subject.pid);
		while (module.asked == asked) {
			sleep_ms(1);
			table_sync_run(teach);
		}
		module.gone = !meets;
		settle();
		assert_int_equal(module.set, 1);
	}
	/* in the end it is forgotten */
	module.gone = false;
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	assert_int_equal(module.set, 1);
	end();
}

static void old_module(void **state)
{
	begin();
	module.old = true;
	attach();
	module.old = false;
	asks(subject.pid);
	settle();
	assert_int_equal(module.asked + module.set + module.loaded, 0);
	assert_false(figures().on);
	assert_int_equal(table_sync_due(teach), 0);
	end();
}

static const struct unwind_table *table_of(const char *name, u64 inode)
{
	struct object *object =
		objects_hold(objects, file_path(name), file_dev(), inode, subject.pid);
	const struct unwind_table *table = object_tables_find(table_sync_tables(teach), object);

	objects_release(objects, object);
	return table;
}

/* For copies of stacks, which the module makes with --call-graph auto only. */
static void the_reader_keeps_the_tables(void **state)
{
	static const u8 modes[] = { GAPP_UNWIND_BY_TABLE, GAPP_UNWIND_BY_AUTO };
	u64 with = make_file("o", 'o'), without = make_file("n", 'n');

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		device.unwind_by = modes[i];
		begin();
		subject_maps(&subject, file_path("o"));
		subject_maps(&subject, file_path("n"));
		attach();
		assert_null(table_of("n", without));
		assert_null(table_of("none", without));
		if (modes[i] == GAPP_UNWIND_BY_AUTO)
			assert_true(*(u64 *)table_of("o", with)->data == with);
		else
			assert_null(table_of("o", with));
		end();
	}
}

static void dropped_tables_leave_room_for_rows(void **state)
{
	u64 first = make_file("p", 'L'), second = make_file("q", 'L'), third = make_file("r", 'L');

	begin();
	subject_maps(&subject, file_path("p"));
	attach();
	assert_non_null(table_of("p", first));
	subject_end(&subject);
	happens(SIDEBAND_EXIT, subject.pid, 0);
	subject_begin(&subject);
	subject_maps(&subject, file_path("q"));
	attach();
	assert_null(table_of("p", first));
	assert_non_null(table_of("q", second));
	/* the module has its table, but the rows of both are too many to keep */
	subject_maps(&subject, file_path("r"));
	happens(SIDEBAND_MMAP, subject.pid, 0);
	settle();
	assert_null(table_of("r", third));
	assert_int_equal(figures().objects.refused, 0);
	end();
}

static void losses_of_events(void **state)
{
	u64 at;

	make_file("l", 'l');
	begin();
	attach();
	at = subject_maps(&subject, file_path("l"));
	happens(SIDEBAND_LOST, 0, 0);
	settle();
	assert_true(module_inode(subject.pid, at));
	end();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(attaching_tells_all),
		TEST(a_thread_means_its_process),
		TEST(code_without_a_table),
		TEST(a_library_that_is_loaded_later),
		TEST(another_program),
		TEST(children),
		TEST(a_child_of_before_its_parents_tables),
		TEST(a_command_has_its_tables_before_its_exec),
		TEST(a_command_that_executes_another),
		TEST(whoever_executes_it),
		TEST(the_module_asks),
		TEST(it_executes_while_it_is_told_of),
		TEST(processes_that_are_not_followed),
		TEST(a_command_that_the_module_meets_late),
		TEST(old_module),
		TEST(the_reader_keeps_the_tables),
		TEST(dropped_tables_leave_room_for_rows),
		TEST(losses_of_events),
	};

	if (argc == 2 && !strcmp(argv[1], "subject"))
		return subject_main();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("teach", tests, NULL, NULL);
}
