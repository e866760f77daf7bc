// SPDX-License-Identifier: GPL-2.0
/* Lines of /proc/PID/maps, the odd ones too, and the files of living processes. */
#include "made_up.h"

#include <errno.h>
#include <pthread.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input/proc_maps.h"

static bool parse(const char *text, char *line, size_t size, struct proc_mapping *mapping)
{
	snprintf(line, size, "%s", text);
	return proc_maps_parse(line, mapping);
}

static void reads_a_line(void **state)
{
	struct proc_mapping m;
	char line[256];

	(void)state;
	assert_true(parse(
		"7f0c3a228000-7f0c3a37d000 r-xp 00028000 fe:01 1835042      /usr/lib/libc.so.6\n",
		line, sizeof(line), &m));
	assert_true(m.start == 0x7f0c3a228000 && m.end == 0x7f0c3a37d000);
	assert_int_equal(m.offset, 0x28000);
	assert_true(m.dev == makedev(0xfe, 1));
	assert_int_equal(m.inode, 1835042);
	assert_true(m.executable);
	assert_false(m.shared);
	assert_string_equal(m.path, "/usr/lib/libc.so.6");
	assert_true(parse("7f0c3a228000-7f0c3a22a000 rw-s 00000000 00:1b 12 /dev/shm/x\n", line,
			  sizeof(line), &m));
	assert_false(m.executable);
	assert_true(m.shared);
}

static void path_of(const char *rest, const char *expected)
{
	struct proc_mapping m;
	char text[256], line[256];

	snprintf(text, sizeof(text), "1000-2000 r-xp 00000000 00:00 0%s", rest);
	assert_true(parse(text, line, sizeof(line), &m));
	assert_string_equal(m.path, expected);
}

static void reads_odd_paths(void **state)
{
	(void)state;
	path_of("", "");
	path_of("\n", "");
	path_of(" ", "");
	path_of("      [vdso]\n", "[vdso]");
	path_of("   /opt/my program/a b ", "/opt/my program/a b ");
	path_of("   /tmp/x (deleted)\n", "/tmp/x (deleted)");
	path_of("   /tmp/two\\012lines\\012\n", "/tmp/two\nlines\n");
	path_of("   /tmp/back\\slash\\01\n", "/tmp/back\\slash\\01");
	path_of("   /memfd:jit (deleted)\n", "/memfd:jit (deleted)");
	path_of("   anon_inode:[x]\n", "anon_inode:[x]");
	path_of("   /tmp/\033[31m\n", "/tmp/\033[31m");
}

static void reads_odd_numbers(void **state)
{
	struct proc_mapping m;
	char line[256];

	(void)state;
	assert_true(parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n",
			  line, sizeof(line), &m));
	assert_true(m.start == 0xffffffffff600000);
	assert_true(parse("0-1 ---s fffffffffffff000 fff:fffff 18446744073709551615 /x\n", line,
			  sizeof(line), &m));
	assert_true(m.offset == 0xfffffffffffff000 && m.inode == UINT64_MAX && !m.executable);
	assert_true(m.dev == makedev(0xfff, 0xfffff));
}

static void refuses_what_is_no_line(void **state)
{
	static const char *const lines[] = {
		"",
		"\n",
		"1000",
		"1000-",
		"1000-2000",
		"1000-2000 r-xp",
		"1000-2000 r-xp 0",
		"1000-2000 r-xp 0 00",
		"1000-2000 r-xp 0 00:00",
		"1000-2000 r-xp 0 00:00 ",
		"1000-2000 r-xp 0 00:00 x",
		"1000-2000 r-xp 0 00:00 1x /x",
		"1000-2000 r-x 0 00:00 0",
		"1000-2000 r-xpp 0 00:00 0",
		"2000-1000 r-xp 0 00:00 0",
		"1000-1000 r-xp 0 00:00 0",
		"-1000-2000 r-xp 0 00:00 0",
		" 1000-2000 r-xp 0 00:00 0",
		"+1000-2000 r-xp 0 00:00 0",
		"10000000000000000-20000000000000000 r-xp 0 00:00 0",
		"1000-2000 r-xp 0 00:00 18446744073709551616",
		"Size:                  4 kB",
	};
	struct proc_mapping m;
	char line[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (parse(lines[i], line, sizeof(line), &m))
			fail_msg("'%s' was taken", lines[i]);
}

struct search {
	u64 address;
	bool found;
	size_t count;
};

static int look(void *context, const struct proc_mapping *mapping)
{
	struct search *search = context;

	assert_true(mapping->executable);
	search->count++;
	search->found |= mapping->start <= search->address && search->address < mapping->end;
	return 0;
}

static void reads_its_own(void **state)
{
	struct search search = { .address = (uintptr_t)reads_its_own };

	(void)state;
	assert_true(proc_maps_read(getpid(), look, &search) == (ssize_t)search.count);
	assert_true(search.found);
}

static void one_that_is_gone(void **state)
{
	struct search search = { 0 };
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	/* a zombie first */
	assert_int_equal(waitid(P_PID, pid, NULL, WEXITED | WNOWAIT), 0);
	assert_int_equal(proc_maps_read(pid, look, &search), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(proc_maps_read(pid, look, &search), -1);
	assert_true(errno == ENOENT || errno == ESRCH);
	assert_int_equal(proc_other_thread(pid), 0);
}

static void *sleep_on(void *argument)
{
	for (;;)
		pause();
	return argument;
}

static void one_whose_leader_is_gone(void **state)
{
	struct search search = { .address = (uintptr_t)reads_its_own };
	pid_t pid = fork();
	pthread_t thread;
	int tries = 1000;

	(void)state;
	if (!pid) {
		if (pthread_create(&thread, NULL, sleep_on, NULL))
			_exit(1);
		pthread_exit(NULL);
	}
	/* until the leader has let its memory go */
	while (tries-- && !(proc_other_thread(pid) && search.found)) {
		char name[64], byte;
		FILE *maps;

		usleep(10000);
		snprintf(name, sizeof(name), "/proc/%d/maps", pid);
		maps = fopen(name, "re");
		assert_non_null(maps);
		if (fread(&byte, 1, 1, maps) == 0)
			assert_true(proc_maps_read(pid, look, &search) > 0);
		fclose(maps);
	}
	assert_true(search.found);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_line),
		cmocka_unit_test(reads_odd_paths),
		cmocka_unit_test(reads_odd_numbers),
		cmocka_unit_test(refuses_what_is_no_line),
		cmocka_unit_test(reads_its_own),
		cmocka_unit_test(one_that_is_gone),
		cmocka_unit_test(one_whose_leader_is_gone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("proc_maps", tests, NULL, NULL);
}
