// SPDX-License-Identifier: GPL-2.0
#include "generator.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "object.h"

#define PROC_PATH_SIZE 64
#define LINE_SIZE 1024

/* Takes "Uid: REAL EFFECTIVE ..." and "NSpid: PID ... OWN". */
static void take_line(struct generator *generator, const char *line)
{
	unsigned int uid;
	const char *last;

	if (sscanf(line, "Uid: %*u %u", &uid) == 1)
		generator->uid = uid;
	if (strncmp(line, "NSpid:", strlen("NSpid:")))
		return;
	last = strrchr(line, '\t');
	if (last && atoi(last) > 0)
		generator->own_pid = atoi(last);
}

static void read_status(struct generator *generator)
{
	char path[PROC_PATH_SIZE], line[LINE_SIZE];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", generator->pid);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		take_line(generator, line);
	fclose(file);
}

struct generator *generator_new(pid_t pid, const char *name)
{
	struct generator *generator = calloc(1, sizeof(*generator));

	if (!generator)
		return NULL;
	*generator = (struct generator){
		.pid = pid,
		.own_pid = pid,
		.uid = GENERATOR_NO_USER,
		.name = strdup(name),
		.holds = 1,
	};
	read_status(generator);
	kept_root_find(pid, &generator->root);
	if (generator->name)
		return generator;
	generator_release(generator);
	return NULL;
}

struct generator *generator_hold(struct generator *generator)
{
	generator->holds++;
	return generator;
}

void generator_release(struct generator *generator)
{
	if (!generator || --generator->holds)
		return;
	kept_root_release(generator->root);
	free(generator->name);
	free(generator->dump);
	free(generator);
}

/* Whose files are believed if the process had ended before its user was known: ours. */
static bool is_ours(uid_t uid)
{
	const char *sudo = getenv("SUDO_UID");

	return uid == geteuid() || (sudo && uid == strtoul(sudo, NULL, 10));
}

/* Why the file is refused; NULL: it is not. */
static const char *refused(const struct generator *generator, const struct stat *stat)
{
	bool owned = generator->uid == GENERATOR_NO_USER ? is_ours(stat->st_uid) :
							   stat->st_uid == generator->uid;

	if (!S_ISREG(stat->st_mode))
		return "it is no regular file";
	/* a link to a file of somebody else's would show what is in it */
	if (stat->st_nlink != 1)
		return "it is a link, or was removed";
	if (stat->st_uid && !owned)
		return "it belongs to another user than the process";
	return NULL;
}

/*
 * Opens a file below @root. Sets @found if there is such a file, refused or not. @was_refused: it
 * was, the last time.
 */
static int open_below(struct generator *generator, int root, const char *path, bool *was_refused,
		      bool *found)
{
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	_cleanup_close_ int file = -1;
	const char *why;
	struct stat stat;

	file = root < 0 ? -1 : syscall(SYS_openat2, root, path, &how, sizeof(how));
	*found = file >= 0 && !fstat(file, &stat);
	if (!*found)
		return -1;
	why = refused(generator, &stat);
	if (why && !*was_refused)
		complain("%s: no names are read: %s", path, why);
	*was_refused = why;
	return why ? -1 : elf_file_reopen(file);
}

static int open_ours(struct generator *generator, const char *path, bool *was_refused)
{
	_cleanup_close_ int ours = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool found;

	return open_below(generator, ours, path, was_refused, &found);
}

/* Below the process's own root, which is not ours. */
static int open_theirs(struct generator *generator, const char *path, bool *was_refused,
		       bool *found)
{
	_cleanup_close_ int root = kept_root_open(generator->root);

	return open_below(generator, root, path, was_refused, found);
}

int generator_open_map(struct generator *generator)
{
	bool found = false;
	char path[32];
	int map = -1;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", generator->own_pid);
	if (generator->root)
		map = open_theirs(generator, path, &generator->refused, &found);
	if (found)
		return map;
	/* an agent outside of its container may have written it */
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", generator->pid);
	return open_ours(generator, path, &generator->refused);
}

/* The process id in the name of a JIT dump; 0: it is none. */
static pid_t dump_pid(const char *path)
{
	const char *name = strrchr(path, '/');
	int length = 0;
	pid_t pid;

	if (!name || sscanf(name, "/jit-%d.dump%n", &pid, &length) != 1 || !length || name[length])
		return 0;
	return pid > 0 ? pid : 0;
}

bool generator_is_dump(const char *path)
{
	return dump_pid(path);
}

int generator_note_dump(struct generator *generator, const char *path)
{
	pid_t pid = dump_pid(path);
	char *copy;

	if (!pid || (pid != generator->own_pid && pid != generator->pid) ||
	    (generator->dump && !strcmp(generator->dump, path)))
		return 0;
	copy = strdup(path);
	if (!copy)
		return -1;
	free(generator->dump);
	generator->dump = copy;
	return 0;
}

int generator_open_dump(struct generator *generator)
{
	bool found;

	if (!generator->dump)
		return -1;
	if (!generator->root)
		return open_ours(generator, generator->dump, &generator->dump_refused);
	return open_theirs(generator, generator->dump, &generator->dump_refused, &found);
}
