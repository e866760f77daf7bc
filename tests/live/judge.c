// SPDX-License-Identifier: GPL-2.0
#include "judge.h"

#include <fcntl.h>
#include <stdio.h>

#include "core_file.h"

#define GDB                                                              \
	"timeout 60 gdb -nx -q -batch -iex 'set debuginfod enabled off'" \
	" -iex 'set auto-load off' -iex 'set backtrace past-main on'"    \
	" -iex 'set backtrace limit unlimited' -x tests/live/frames.py"

bool judge_is_there(void)
{
	static int known = -1;

	if (known < 0)
		known = !system("gdb -nx -q -batch -ex 'python import gdb' >/dev/null 2>&1");
	return known;
}

/*
 * Early in a program's life, and in the middle of a dlopen(), the list of libraries that gdb reads
 * is not complete: so it is told all of them, a line each, the file and where it is.
 */
static int tell_objects(const struct space *space, char *path)
{
	_cleanup_close_ int fd = mkostemp(path, O_CLOEXEC);
	u32 i;

	if (fd < 0)
		return -1;
	for (i = 0; i < space->count; i++)
		if (space->names[i][0] == '/')
			dprintf(fd, "%llx %s\n", space->code[i].bias, space->names[i]);
	return 0;
}

static int ask(const struct thread *thread, const char *core, const char *objects,
	       struct path *path)
{
	char command[1024], line[256];
	int status;
	FILE *gdb;

	snprintf(command, sizeof(command), "LIVE_OBJECTS=%s " GDB " /proc/%d/exe %s 2>%s", objects,
		 thread->tgid, core, getenv("LIVE_VERBOSE") ? "&1" : "/dev/null");
	gdb = popen(command, "re");
	if (!gdb)
		return -1;
	while (fgets(line, sizeof(line), gdb)) {
		u64 address;

		if (sscanf(line, "frame %llx", &address) == 1) {
			if (path->count < LIVE_FRAMES)
				path->frames[path->count++] = address;
		} else if (!strncmp(line, "end ", 4)) {
			line[strcspn(line, "\n")] = '\0';
			snprintf(path->why, sizeof(path->why), "%.70s", line + 4);
			path->whole = true;
		} else if (getenv("LIVE_VERBOSE")) {
			fprintf(stderr, "gdb: %s", line);
		}
	}
	status = pclose(gdb);
	return status || !path->whole ? -1 : 0;
}

int judge_walk(const struct space *space, const struct thread *thread, struct path *path)
{
	char core[] = "/tmp/gapp-live.XXXXXX", objects[] = "/tmp/gapp-live.XXXXXX";
	_cleanup_close_ int fd = -1;
	int result;

	*path = (struct path){ 0 };
	if (!judge_is_there())
		return -1;
	fd = mkostemp(core, O_CLOEXEC);
	if (fd < 0)
		return -1;
	result = core_file_write(fd, thread);
	if (!result)
		result = tell_objects(space, objects);
	if (!result)
		result = ask(thread, core, objects, path);
	unlink(core);
	unlink(objects);
	return result;
}
