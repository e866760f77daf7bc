// SPDX-License-Identifier: GPL-2.0
/* The files of a program that has not begun are those that it maps when it runs. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "input/elf_needs.h"
#include "input/library_cache.h"
#include "input/program_files.h"

#define LINES_MAX 64
#define TRIES 2000
#define MAIN                                        \
	"int near(void), third(void), pause(void);" \
	"int main(void) { near(); third(); return pause(); }"
#define LINK_NEAR "-Lnear -lnear -Wl,-rpath,'$ORIGIN/near',--allow-shlib-undefined"

struct line {
	dev_t dev;
	u64 inode;
	char path[512];
};

struct lines {
	struct line list[LINES_MAX];
	u32 count;
};

static char folder[64];

static const struct line *find_line(const struct lines *lines, const struct line *wanted)
{
	for (u32 i = 0; i < lines->count; i++)
		if (lines->list[i].dev == wanted->dev && lines->list[i].inode == wanted->inode &&
		    !strcmp(lines->list[i].path, wanted->path))
			return &lines->list[i];
	return NULL;
}

static int take_line(void *context, const struct proc_mapping *mapping)
{
	struct line line = { .dev = mapping->dev, .inode = mapping->inode };
	struct lines *lines = context;

	if (!mapping->inode && strcmp(mapping->path, "[vdso]"))
		return 0;
	snprintf(line.path, sizeof(line.path), "%s", mapping->path);
	assert_true(lines->count < LINES_MAX);
	if (!find_line(lines, &line))
		lines->list[lines->count++] = line;
	return 0;
}

static struct lines files_of(const char *command)
{
	struct lines lines = { 0 };

	program_files(command, take_line, &lines);
	return lines;
}

static void run(const char *command)
{
	if (system(command))
		fail_msg("failed: %s", command);
}

static bool same(const struct lines *one, const struct lines *other)
{
	for (u32 i = 0; i < one->count; i++)
		if (!find_line(other, &one->list[i]))
			return false;
	return one->count == other->count;
}

/* The program is killed once it has mapped all of @found; it waits meanwhile. */
static void maps_these(const char *command, const char *argument, const struct lines *found)
{
	struct lines lines = { 0 };
	pid_t pid = fork();
	bool is_same = false;

	assert_true(pid >= 0);
	if (!pid) {
		execlp(command, command, argument, NULL);
		_exit(1);
	}
	for (int i = 0; i < TRIES && !is_same; i++) {
		usleep(1000);
		lines.count = 0;
		proc_maps_read(pid, take_line, &lines);
		is_same = same(found, &lines);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (u32 i = 0; i < found->count && !is_same; i++)
		print_message("found: %s\n", found->list[i].path);
	for (u32 i = 0; i < lines.count && !is_same; i++)
		print_message("mapped: %s\n", lines.list[i].path);
	assert_true(is_same);
}

static void a_program_of_the_system(void **state)
{
	struct lines found = files_of("sleep");

	(void)state;
	/* the program, ld.so, libc, the vDSO */
	assert_in_range(found.count, 4, LINES_MAX);
	maps_these("sleep", "1000", &found);
}

static void libraries_of_its_own(void **state)
{
	struct lines found;

	(void)state;
	/* one in a folder of the program, which needs one of LD_LIBRARY_PATH, and one by its path
	 */
	found = files_of("./program");
	assert_in_range(found.count, 7, LINES_MAX);
	maps_these("./program", NULL, &found);
}

static void a_script(void **state)
{
	struct lines script, shell;

	(void)state;
	run("printf '#! /bin/sh -e\\nsleep 1000\\n' > script && chmod +x script");
	script = files_of("./script");
	shell = files_of("sh");
	assert_true(script.count >= 4 && same(&script, &shell));
}

static void no_program(void **state)
{
	(void)state;
	run("echo exit > plain && chmod +x plain && : > empty && chmod +x empty");
	run("cp program locked && chmod -x locked && mkdir -p folder");
	assert_int_equal(files_of("no-such-command").count, 0);
	assert_int_equal(files_of("./none").count, 0);
	assert_int_equal(files_of("./plain").count, 0);
	assert_int_equal(files_of("./empty").count, 0);
	assert_int_equal(files_of("./locked").count, 0);
	assert_int_equal(files_of("./folder").count, 0);
	assert_int_equal(files_of("").count, 0);
}

static void write_file(const char *name, const void *data, size_t size)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	assert_true(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

/* Whatever the file says, nothing but the file is read. */
static void damaged_programs(void **state)
{
	u8 data[65536];
	int fd = open("program", O_RDONLY | O_CLOEXEC);
	ssize_t size = read(fd, data, sizeof(data));
	u32 random = 1;

	(void)state;
	close(fd);
	assert_in_range(size, 1000, sizeof(data) - 1);
	for (ssize_t end = size; end > 0; end -= end / 20 + 1) {
		write_file("damaged", data, end);
		files_of("./damaged");
	}
	for (int i = 0; i < 500; i++) {
		u8 changed[sizeof(data)];

		memcpy(changed, data, size);
		for (int j = 0; j < 3; j++) {
			random = random * 1103515245 + 12345;
			/* headers mostly */
			changed[(random >> 8) % (j ? 1024 : size)] = random >> 24;
		}
		write_file("damaged", changed, size);
		files_of("./damaged");
	}
}

struct made_cache {
	char magic[20];
	u32 count, text_bytes, flags, extensions, unused[3];
	struct {
		u32 flags, name, path, version;
		u64 hwcap;
	} entries[4];
	char texts[32];
};

static const char *next(struct made_cache *made, const char *name, bool second)
{
	static struct library_cache cache;
	const char *first;

	library_cache_free(&cache);
	write_file("cache", made, sizeof(*made));
	library_cache_read(&cache, "cache");
	first = library_cache_next(&cache, name, NULL);
	return second ? library_cache_next(&cache, name, first) : first;
}

static void caches(void **state)
{
	struct made_cache made = { .magic = "glibc-ld.so.cache1.", .count = 4 };
	static const u8 paths[] = { 5, 5, 13, 26 };
	u32 texts = offsetof(struct made_cache, texts);

	(void)state;
	made.magic[19] = '1';
	memcpy(made.texts, "a.so\0/x/a.so\0/y/a.so\0b.so\0/b", 29);
	for (int i = 0; i < 4; i++) {
		made.entries[i].name = texts + (i == 3 ? 21 : 0);
		made.entries[i].path = texts + paths[i];
	}
	made.entries[0].hwcap = 1ULL << 62;
	assert_string_equal(next(&made, "a.so", false), "/x/a.so");
	assert_string_equal(next(&made, "a.so", true), "/y/a.so");
	assert_string_equal(next(&made, "b.so", false), "/b");
	assert_null(next(&made, "b.so", true));
	assert_null(next(&made, "c.so", false));
	/* offsets behind the end */
	made.entries[3].path = 0xffffffff;
	assert_string_equal(next(&made, "b.so", false), "");
	made.entries[1].name = sizeof(made);
	assert_string_equal(next(&made, "a.so", false), "/y/a.so");
	memset(made.texts, 'x', sizeof(made.texts));
	made.entries[3].name = sizeof(made) - 2;
	assert_string_equal(next(&made, "xx", false), "");
	made.count = 1000000;
	assert_null(next(&made, "xx", false));
	made.magic[0] = 'G';
	assert_null(next(&made, "xx", false));
	next(&made, "", false);
}

static void write_text(const char *name, const char *text)
{
	write_file(name, text, strlen(text));
}

static int begin(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/gapp-program-XXXXXX");
	if (!mkdtemp(folder) || chdir(folder))
		return -1;
	write_text("far.c", "int far(void) { return 1; }");
	write_text("near.c", "int far(void); int near(void) { return far(); }");
	write_text("third.c", "int third(void) { return 1; }");
	write_text("main.c", MAIN);
	run("mkdir near far && cc -shared -fPIC -o far/libfar.so far.c");
	run("cc -shared -fPIC -o near/libnear.so near.c -Lfar -lfar");
	run("cc -shared -fPIC -o third.so third.c");
	run("cc -o program main.c $PWD/third.so " LINK_NEAR);
	snprintf(folder + strlen(folder), 8, "/far");
	setenv("LD_LIBRARY_PATH", folder, true);
	folder[strlen(folder) - 4] = '\0';
	return 0;
}

static int end(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return chdir("/") || system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_of_the_system),
		cmocka_unit_test(libraries_of_its_own),
		cmocka_unit_test(a_script),
		cmocka_unit_test(no_program),
		cmocka_unit_test(damaged_programs),
		cmocka_unit_test(caches),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("program_files", tests, begin, end);
}
