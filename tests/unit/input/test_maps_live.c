// SPDX-License-Identifier: GPL-2.0
/* What living processes have mapped, by /proc. */
#include "maps_rig.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "input/proc_maps.h"

/* A living child to look at, which goes with a test that fails. */
static pid_t start_child(void)
{
	pid_t pid = fork();

	if (!pid)
		for (prctl(PR_SET_PDEATHSIG, SIGKILL);;)
			pause();
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static bool is_program(struct maps *maps, pid_t pid)
{
	struct code_address place = maps_find(maps, pid, (uintptr_t)start_child);

	return place.object->kind == OBJECT_FILE && !strcmp(place.object->name, "test_maps_live");
}

static void proc_is_read_on_a_miss(void **state)
{
	struct maps *maps = maps_of(state);
	pid_t pid = start_child();

	assert_true(is_program(maps, pid));
	/* what it maps later is not looked for at once, but soon */
	is_at(maps, pid, 0x1000, "-", 0x1000);
	assert_int_equal(maps_read(maps, pid), 0);
	end_child(pid);
	assert_int_equal(maps_read(maps, pid), -1);
	/* what was known stays */
	assert_true(is_program(maps, pid));
	assert_int_equal(maps_read(maps, PID), -1);
}

static void proc_is_read_after_an_exec_only(void **state)
{
	struct maps *maps = maps_of(state);
	pid_t pid = start_child();

	/* what has exited is not looked for: its id may be another's */
	map(maps, pid, 0x1000, 0x1000, 0, "/bin/before");
	maps_exit(maps, pid);
	assert_false(is_program(maps, pid));
	maps_exec(maps, pid);
	assert_true(is_program(maps, pid));
	end_child(pid);
}

static void a_fork_of_an_unread_parent(void **state)
{
	struct maps *maps = maps_of(state);
	pid_t pid = start_child();

	maps_fork(maps, PID, pid);
	end_child(pid);
	assert_true(is_program(maps, PID));
}

/* The child has all that its parent had, so /proc is not read for the child's own child. */
static void a_fork_of_a_whole_child(void **state)
{
	struct maps *maps = maps_of(state);
	pid_t pid = start_child();

	maps_exec(maps, OTHER);
	map(maps, OTHER, 0x1000, 0x1000, 0, "/bin/first");
	maps_fork(maps, pid, OTHER);
	maps_fork(maps, PID, pid);
	end_child(pid);
	is_at(maps, PID, 0x1000, "first", 0);
	assert_false(is_program(maps, PID));
}

/* What its parent had was outdated then. */
static void a_fork_after_a_loss(void **state)
{
	struct maps *maps = maps_of(state);
	pid_t pid = start_child();

	maps_exec(maps, OTHER);
	map(maps, OTHER, (uintptr_t)start_child & ~0xfffULL, 0x1000, 0, "/bin/outdated");
	maps_missed(maps);
	maps_fork(maps, pid, OTHER);
	assert_true(is_program(maps, pid));
	end_child(pid);
}

/* Without events the image tells of an exec. */
static void a_new_image_is_read_anew(void **state)
{
	struct maps *maps = maps_of(state);
	pid_t pid = start_child();

	maps_image(maps, pid, 3);
	assert_true(is_program(maps, pid));
	maps_image(maps, pid, 4);
	assert_true(is_program(maps, pid));
	end_child(pid);
	/* the image that was known has gone unseen */
	maps_image(maps, pid, 4);
	assert_true(is_program(maps, pid));
	maps_image(maps, pid, 5);
	assert_false(is_program(maps, pid));
}

/* What was read when it was attached to need not be of the first record's image. */
static void the_first_image_is_read_anew(void **state)
{
	struct maps *maps = maps_of(state);
	sighandler_t before = signal(SIGPIPE, SIG_IGN);
	int go[2], tries = 1000;
	pid_t pid;
	char byte;

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		if (read(go[0], &byte, 1) == 1)
			execlp("sleep", "sleep", "100", NULL);
		_exit(1);
	}
	assert_int_equal(maps_read(maps, pid), 0);
	assert_true(is_program(maps, pid));
	assert_int_equal(write(go[1], "g", 1), 1);
	/* the exec is over when the pipe has no reader but us */
	close(go[0]);
	while (tries-- && write(go[1], "g", 1) == 1)
		usleep(10000);
	assert_true(tries > 0);
	maps_image(maps, pid, 1);
	assert_false(is_program(maps, pid));
	signal(SIGPIPE, before);
	close(go[1]);
	end_child(pid);
}

static void a_loss_is_made_good(void **state)
{
	struct maps *maps = maps_of(state);
	pid_t pid = start_child();

	maps_exec(maps, pid);
	map(maps, pid, (uintptr_t)start_child & ~0xfffULL, 0x1000, 0, "/bin/before");
	assert_false(is_program(maps, pid));
	maps_missed(maps);
	assert_true(is_program(maps, pid));
	end_child(pid);
	maps_missed(maps);
	assert_true(is_program(maps, pid));
}

struct retold {
	struct maps *maps;
	pid_t pid;
};

/* Tells a line of /proc as an event, with another inode. */
static int retell(void *context, const struct proc_mapping *line)
{
	struct retold *retold = context;

	maps_mmap(retold->maps, retold->pid, line->start, line->end - line->start, line->offset,
		  line->dev, line->inode + 1, line->path);
	return 0;
}

/* On some file systems a file's numbers differ between events and /proc: it is one object still. */
static void events_stay_as_they_told(void **state)
{
	struct maps *maps = maps_of(state);
	struct retold retold = { .maps = maps, .pid = start_child() };
	struct object *read, *told;

	assert_int_equal(maps_read(maps, retold.pid), 0);
	read = maps_find(maps, retold.pid, (uintptr_t)start_child).object;
	maps_exec(maps, retold.pid);
	assert_true(proc_maps_read(retold.pid, retell, &retold) > 0);
	told = maps_find(maps, retold.pid, (uintptr_t)start_child).object;
	assert_ptr_not_equal(told, read);
	assert_int_equal(maps_read(maps, retold.pid), 0);
	assert_ptr_equal(maps_find(maps, retold.pid, (uintptr_t)start_child).object, told);
	/* and what no event told stays beside what /proc has */
	map(maps, retold.pid, 0x10000, 0x1000, 0, "/lib/unmapped");
	assert_int_equal(maps_read(maps, retold.pid), 0);
	is_at(maps, retold.pid, 0x10000, "unmapped", 0);
	end_child(retold.pid);
}

/* What /proc has is later than the record that is looked at, and its event is still to come. */
static void events_are_not_overtaken(void **state)
{
	struct maps *maps = maps_of(state);
	u64 page = (uintptr_t)start_child & ~0xfffULL;
	pid_t pid = start_child();

	maps_exec(maps, pid);
	map(maps, pid, page, 0x1000, 0, "/lib/before");
	map(maps, pid, page - 0x100000000, 0x1000, 0, "/lib/unmapped");
	/* which is read for this */
	is_at(maps, pid, 0x1000, "-", 0x1000);
	is_at(maps, pid, (uintptr_t)start_child, "before", (uintptr_t)start_child - page);
	is_at(maps, pid, page - 0x100000000, "unmapped", 0);
	assert_string_equal(maps_find(maps, pid, page + 0x1000).object->name, "test_maps_live");
	assert_int_equal(maps_find(maps, pid, page + 0x1000).offset,
			 maps_find(maps, getpid(), page + 0x1000).offset);
	end_child(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(proc_is_read_on_a_miss),	TEST(proc_is_read_after_an_exec_only),
		TEST(a_fork_after_a_loss),	TEST(a_fork_of_an_unread_parent),
		TEST(a_new_image_is_read_anew), TEST(the_first_image_is_read_anew),
		TEST(a_loss_is_made_good),	TEST(events_stay_as_they_told),
		TEST(events_are_not_overtaken), TEST(a_fork_of_a_whole_child),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("maps_live", tests, NULL, NULL);
}
