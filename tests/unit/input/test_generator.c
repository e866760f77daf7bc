// SPDX-License-Identifier: GPL-2.0
/* Which perf maps and JIT dumps are opened, and which are refused. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "made_up.h"
#include "input/generator.h"

#define STRANGER 54321

static char path[64];
static char outside[64];

static int set_up(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	snprintf(outside, sizeof(outside), "/tmp/gapp-outside-%d", getpid());
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	unlink(outside);
	return 0;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* What the perf map of @pid has in it; NULL: none is opened. */
static const char *map_of(pid_t pid)
{
	struct generator *generator = generator_new(pid, "app");
	static char text[64];
	ssize_t bytes = -1;
	int fd;

	assert_non_null(generator);
	fd = generator_open_map(generator);
	generator_release(generator);
	if (fd >= 0) {
		bytes = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (bytes < 0)
		return NULL;
	text[bytes] = '\0';
	return text;
}

static void its_own_file(void **state)
{
	(void)state;
	assert_null(map_of(getpid()));
	write_file(path, "1000 10 own\n");
	assert_string_equal(map_of(getpid()), "1000 10 own\n");
	write_file(path, "");
	assert_null(map_of(getpid()));
}

static void what_is_known_of_a_process(void **state)
{
	struct generator *generator = generator_new(getpid(), "app");

	(void)state;
	assert_int_equal(generator->pid, getpid());
	assert_int_equal(generator->own_pid, getpid());
	assert_int_equal(generator->uid, geteuid());
	assert_null(generator->root);
	assert_string_equal(generator->name, "app");
	generator_release(generator_hold(generator));
	assert_int_equal(generator->holds, 1);
	generator_release(generator);
	generator_release(NULL);
}

static void links_and_pipes_are_refused(void **state)
{
	(void)state;
	write_file(outside, "1000 10 secret\n");
	assert_int_equal(symlink(outside, path), 0);
	assert_null(map_of(getpid()));
	unlink(path);
	assert_int_equal(link(outside, path), 0);
	assert_null(map_of(getpid()));
	unlink(outside);
	assert_string_equal(map_of(getpid()), "1000 10 secret\n");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(map_of(getpid()));
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_null(map_of(getpid()));
	rmdir(path);
}

/* Its name has the id of the process that wrote it; a child has its parent's mapped. */
static void a_dump_of_its_own(void **state)
{
	struct generator *generator = generator_new(getpid(), "app");
	char dump[64], others[64];
	int fd;

	(void)state;
	snprintf(dump, sizeof(dump), "/tmp/jit-%d.dump", getpid());
	snprintf(others, sizeof(others), "/tmp/jit-%d.dump", getppid());
	assert_true(generator_is_dump(dump));
	assert_false(generator_is_dump("/tmp/jit-.dump"));
	assert_false(generator_is_dump("/tmp/jit--5.dump"));
	assert_false(generator_is_dump("/tmp/jit-5.dump (deleted)"));
	assert_false(generator_is_dump("/tmp/jit-5"));
	assert_false(generator_is_dump("[anon]"));
	write_file(dump, "JiTD");
	assert_int_equal(generator_open_dump(generator), -1);
	assert_int_equal(generator_note_dump(generator, others), 0);
	assert_null(generator->dump);
	assert_int_equal(generator_note_dump(generator, dump), 0);
	assert_string_equal(generator->dump, dump);
	fd = generator_open_dump(generator);
	assert_true(fd >= 0);
	close(fd);
	unlink(dump);
	assert_int_equal(symlink(outside, dump), 0);
	write_file(outside, "secret");
	assert_int_equal(generator_open_dump(generator), -1);
	unlink(dump);
	generator_release(generator);
}

static void a_strangers_file_is_refused(void **state)
{
	(void)state;
	if (geteuid())
		skip_for("only root can give files away");
	write_file(path, "1000 10 planted\n");
	assert_int_equal(chown(path, STRANGER, STRANGER), 0);
	assert_null(map_of(getpid()));
}

/* Without root's rights, too: it is the process that is of somebody else. */
static void a_map_belongs_to_the_user_of_its_process(void **state)
{
	struct generator *generator = generator_new(getpid(), "app");
	const uid_t own = geteuid() ? geteuid() : STRANGER;
	char sudo[16];
	int fd;

	(void)state;
	assert_non_null(generator);
	write_file(path, "1000 10 own\n");
	if (!geteuid())
		assert_int_equal(chown(path, STRANGER, STRANGER), 0);
	generator->uid = own + 1;
	assert_int_equal(generator_open_map(generator), -1);
	generator->uid = own;
	fd = generator_open_map(generator);
	assert_true(fd >= 0);
	close(fd);
	/* one that had ended before its user was known is taken for ours */
	generator->uid = GENERATOR_NO_USER;
	snprintf(sudo, sizeof(sudo), "%u", own);
	setenv("SUDO_UID", sudo, 1);
	fd = generator_open_map(generator);
	assert_true(fd >= 0);
	close(fd);
	unsetenv("SUDO_UID");
	fd = generator_open_map(generator);
	assert_int_equal(fd >= 0, own == geteuid());
	if (fd >= 0)
		close(fd);
	generator_release(generator);
}

/* A child that has told that it is ready; it waits to be killed. */
static pid_t child_that(void (*prepares)(void), int flags)
{
	char ready = 0;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	if (flags)
		assert_int_equal(unshare(flags), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prepares();
		/* also if the test fails */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL))
			_exit(1);
		ready = 1;
		_exit(write(ends[1], &ready, 1) != 1 || pause());
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &ready, 1), 1);
	close(ends[0]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void becomes_a_stranger(void)
{
	if (setresuid(STRANGER, STRANGER, STRANGER))
		_exit(1);
}

static void a_users_file_and_roots(void **state)
{
	char name[64];
	pid_t pid;

	(void)state;
	if (geteuid())
		skip_for("only root can become another user");
	pid = child_that(becomes_a_stranger, 0);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", pid);
	write_file(name, "1000 10 theirs\n");
	assert_string_equal(map_of(pid), "1000 10 theirs\n");
	assert_int_equal(chown(name, STRANGER, STRANGER), 0);
	assert_string_equal(map_of(pid), "1000 10 theirs\n");
	assert_int_equal(chown(name, STRANGER + 1, STRANGER), 0);
	assert_null(map_of(pid));
	/* its user is not known any more */
	end_child(pid);
	assert_null(map_of(pid));
	assert_int_equal(chown(name, 0, 0), 0);
	assert_string_equal(map_of(pid), "1000 10 theirs\n");
	unlink(name);
}

static char folder[64];

static void lives_in_a_container(void)
{
	char name[128];
	FILE *file;

	/* in its namespace it is process 1 */
	snprintf(name, sizeof(name), "%s/tmp", folder);
	if (mkdir(name, 0755))
		_exit(1);
	snprintf(name, sizeof(name), "%s/tmp/perf-1.map", folder);
	file = fopen(name, "w");
	if (!file || fputs("1000 10 inside\n", file) < 0 || fclose(file) || chroot(folder) ||
	    chdir("/") || getpid() != 1)
		_exit(1);
}

/* The files that it sees are read, by the id that it has there, also after its end. */
static void a_container(void **state)
{
	struct generator *generator;
	char text[32] = "", name[96];
	pid_t pid, maker;
	int fd;

	(void)state;
	if (geteuid())
		skip_for("only root can make a container");
	snprintf(folder, sizeof(folder), "/tmp/gapp-container-XXXXXX");
	assert_non_null(mkdtemp(folder));
	/* the namespace is that of the children of the process that makes it */
	maker = fork();
	assert_true(maker >= 0);
	if (!maker) {
		pid = child_that(lives_in_a_container, CLONE_NEWPID);
		generator = generator_new(pid, "app");
		if (!generator || generator->own_pid != 1 || !generator->root)
			_exit(2);
		end_child(pid);
		fd = generator_open_map(generator);
		if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
			_exit(3);
		_exit(strcmp(text, "1000 10 inside\n") ? 4 : 0);
	}
	assert_int_equal(waitpid(maker, &fd, 0), maker);
	snprintf(name, sizeof(name), "%s/tmp/perf-1.map", folder);
	unlink(name);
	snprintf(name, sizeof(name), "%s/tmp", folder);
	rmdir(name);
	rmdir(folder);
	assert_int_equal(fd, 0);
}

static void leaves_a_link(void)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/tmp", folder);
	/* below its root it leads nowhere, below ours to the files of others */
	if (symlink("/tmp", name) || chroot(folder) || chdir("/"))
		_exit(1);
}

static void links_of_a_container_stay_in_it(void **state)
{
	char name[96];
	pid_t pid;

	(void)state;
	if (geteuid())
		skip_for("only root can change a root folder");
	snprintf(folder, sizeof(folder), "/tmp/gapp-container-XXXXXX");
	assert_non_null(mkdtemp(folder));
	pid = child_that(leaves_a_link, 0);
	snprintf(name, sizeof(name), "%s/tmp", folder);
	assert_null(map_of(pid));
	end_child(pid);
	unlink(name);
	rmdir(folder);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(its_own_file),
		TEST(what_is_known_of_a_process),
		TEST(links_and_pipes_are_refused),
		TEST(a_dump_of_its_own),
		TEST(a_strangers_file_is_refused),
		TEST(a_map_belongs_to_the_user_of_its_process),
		TEST(a_users_file_and_roots),
		TEST(a_container),
		TEST(links_of_a_container_stay_in_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("generator", tests, NULL, NULL);
}
