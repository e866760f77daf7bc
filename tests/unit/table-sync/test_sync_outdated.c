// SPDX-License-Identifier: GPL-2.0
/* From when to when the module was told the wrong thing. */
#include "sync_test.h"

#include <signal.h>
#include <sys/wait.h>

#define PAGE 4096

static u64 inode;

/* As the kernel tells it: the second page of a file. */
static u64 maps_now(pid_t pid, u64 start, u64 file)
{
	struct sideband_event event = {
		.kind = SIDEBAND_MMAP,
		.time_ns = clock_ns(),
		.pid = pid,
		.start = start,
		.length = PAGE,
		.offset = PAGE,
		.dev = file ? file_dev() : 0,
		.inode = file,
	};

	table_sync_event(teach, &event);
	return event.time_ns;
}

static bool is_stale(u64 address, u64 time_ns)
{
	return outdated_at(stale, subject.pid, address, time_ns, time_ns);
}

static bool is_never_stale(void)
{
	return !outdated_any(stale, subject.pid, 0, UINT64_MAX);
}

static u64 begin_with_library(void)
{
	u64 at;

	inode = make_file("old", 'o');
	make_file("new", 'n');
	begin();
	at = subject_maps(&subject, file_path("old"));
	attach();
	return at;
}

static void something_else_at_the_same_address(void **state)
{
	u64 at = begin_with_library(), since, until;

	assert_true(is_never_stale());
	subject_replaces(&subject, at, file_path("new"));
	since = maps_now(subject.pid, at, inode + 1);
	assert_false(is_stale(at, since - 1));
	assert_true(is_stale(at, since));
	assert_true(is_stale(at, since + SECONDS(1000)));
	settle();
	until = clock_ns();
	assert_true(is_stale(at, since));
	assert_false(is_stale(at, until));
	assert_false(is_stale(at + PAGE, since) || is_stale(at - 1, since));
	/* the old one again */
	since = maps_now(subject.pid, at, inode);
	assert_true(is_stale(at, since));
	end();
}

static void what_the_module_knows_or_was_told_nothing_of(void **state)
{
	u64 at = begin_with_library(), fresh;

	/* loaded again, or protected otherwise */
	maps_now(subject.pid, at, inode);
	assert_true(is_never_stale());
	fresh = subject_maps(&subject, file_path("new"));
	maps_now(subject.pid, fresh, inode + 1);
	assert_true(is_never_stale());
	settle();
	/* a process that it was told nothing of */
	maps_now(getpid(), at, inode + 1);
	assert_false(outdated_any(stale, getpid(), 0, UINT64_MAX));
	end();
}

static void as_long_as_the_module_does_not_take_it(void **state)
{
	u64 at = begin_with_library(), since;

	subject_replaces(&subject, at, file_path("new"));
	since = maps_now(subject.pid, at, inode + 1);
	/* begun before, and so not to be relied on */
	assert_true(table_sync_due(teach));
	sleep_ms(6);
	module.stale = 3;
	table_sync_run(teach);
	assert_true(is_stale(at, clock_ns()));
	settle();
	assert_true(is_stale(at, since) && !is_stale(at, clock_ns()));
	end();
}

static void an_event_that_is_heard_of_late(void **state)
{
	struct sideband_event event = { .kind = SIDEBAND_MMAP, .length = PAGE, .offset = PAGE };
	u64 at = begin_with_library(), until;

	event.time_ns = clock_ns();
	event.pid = subject.pid;
	event.start = at;
	event.inode = inode + 1;
	event.dev = file_dev();
	subject_replaces(&subject, at, file_path("new"));
	asks(subject.pid);
	settle();
	until = clock_ns();
	table_sync_event(teach, &event);
	assert_true(is_stale(at, event.time_ns));
	assert_false(is_stale(at, until));
	/* and of what was replaced itself */
	event.inode = inode + 2;
	table_sync_event(teach, &event);
	assert_false(is_stale(at, until));
	end();
}

static void an_event_of_while_the_module_was_told(void **state)
{
	struct sideband_event event = { .kind = SIDEBAND_MMAP, .length = PAGE, .offset = PAGE };
	u64 at = begin_with_library();

	sleep_ms(6);
	event.time_ns = clock_ns() + SECONDS(1);
	event.pid = subject.pid;
	event.start = at;
	event.inode = inode + 1;
	event.dev = file_dev();
	table_sync_event(teach, &event);
	table_sync_run(teach);
	assert_true(clock_ns() < event.time_ns);
	assert_true(is_stale(at, event.time_ns + 1));
	while (clock_ns() <= event.time_ns)
		sleep_ms(1);
	happens(SIDEBAND_LOST, 0, 0);
	settle();
	assert_false(is_stale(at, clock_ns()));
	end();
}

static void programs_that_end(void **state)
{
	u64 at = begin_with_library(), since;

	since = maps_now(subject.pid, at, inode + 1);
	happens(SIDEBAND_EXEC, subject.pid, 0);
	assert_true(is_stale(at, since));
	assert_false(is_stale(at, clock_ns()));
	/* of the new one the module knows nothing yet */
	since = maps_now(subject.pid, at, inode + 1);
	assert_false(is_stale(at, since));
	end();
}

static void children_of_who_is_not_known(void **state)
{
	u64 at = begin_with_library(), since;
	pid_t child;

	maps_now(subject.pid, at, inode + 1);
	child = subject_forks(&subject);
	happens(SIDEBAND_FORK, child, subject.pid);
	since = clock_ns();
	assert_true(outdated_at(stale, child, at, since, since));
	settle();
	assert_true(module_knows(child));
	since = clock_ns();
	assert_false(outdated_at(stale, child, at, since, since));
	/* it has what its parent had */
	maps_now(child, at, inode + 1);
	assert_true(outdated_any(stale, child, since, UINT64_MAX));
	happens(SIDEBAND_EXIT, child, 0);
	since = clock_ns();
	assert_false(outdated_any(stale, child, since, UINT64_MAX));
	end();
}

static void threads_that_go_on_without_their_leader(void **state)
{
	u64 at = begin_with_library(), since;

	subject_leader_exits(&subject);
	subject_replaces(&subject, at, file_path("new"));
	since = maps_now(subject.pid, at, inode + 1);
	happens(SIDEBAND_EXIT, subject.pid, 0);
	/* it goes on with what the module was told, and is told of again */
	assert_true(is_stale(at, clock_ns()));
	settle();
	assert_true(is_stale(at, since) && !is_stale(at, clock_ns()));
	subject_replaces(&subject, at, file_path("old"));
	since = maps_now(subject.pid, at, inode);
	assert_true(is_stale(at, since));
	/* its end is found out when it is to be told */
	kill(subject.pid, SIGKILL);
	waitpid(subject.pid, NULL, 0);
	settle();
	assert_false(is_stale(at, clock_ns()));
	maps_now(subject.pid, at, inode + 1);
	assert_false(is_stale(at, clock_ns()));
	end();
}

/* The parent has been told of since: but the child has what the module knew of it before. */
static void a_fork_that_is_heard_of_late(void **state)
{
	struct sideband_event fork = { .kind = SIDEBAND_FORK };
	u64 at = begin_with_library();

	subject_replaces(&subject, at, file_path("new"));
	maps_now(subject.pid, at, inode + 1);
	fork.pid = subject_forks(&subject);
	fork.parent = subject.pid;
	fork.time_ns = clock_ns();
	settle();
	table_sync_event(teach, &fork);
	assert_true(outdated_at(stale, fork.pid, at, fork.time_ns, fork.time_ns));
	assert_false(module_knows(fork.pid));
	settle();
	assert_true(module_knows(fork.pid));
	end();
}

static void a_fork_of_before_that(void **state)
{
	struct sideband_event fork = { .kind = SIDEBAND_FORK };
	u64 at = begin_with_library(), since;

	fork.pid = subject_forks(&subject);
	fork.parent = subject.pid;
	fork.time_ns = clock_ns();
	subject_replaces(&subject, at, file_path("new"));
	maps_now(subject.pid, at, inode + 1);
	sleep_ms(6);
	table_sync_run(teach);
	table_sync_event(teach, &fork);
	assert_false(outdated_any(stale, fork.pid, 0, UINT64_MAX));
	since = maps_now(fork.pid, at, inode + 1);
	assert_true(outdated_at(stale, fork.pid, at, since, since));
	settle();
	assert_true(module_knows(fork.pid));
	end();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(something_else_at_the_same_address),
		TEST(what_the_module_knows_or_was_told_nothing_of),
		TEST(as_long_as_the_module_does_not_take_it),
		TEST(an_event_that_is_heard_of_late),
		TEST(an_event_of_while_the_module_was_told),
		TEST(programs_that_end),
		TEST(children_of_who_is_not_known),
		TEST(threads_that_go_on_without_their_leader),
		TEST(a_fork_that_is_heard_of_late),
		TEST(a_fork_of_before_that),
	};

	if (argc == 2 && !strcmp(argv[1], "subject"))
		return subject_main();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("teach_stale", tests, NULL, NULL);
}
