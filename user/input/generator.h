/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that generate code, and the files in which such a process says what it generated: its
 * perf map, /tmp/perf-PID.map, and its JIT dump, jit-PID.dump in a folder of its choice, which it
 * maps so that others know. PID as the process itself knows it.
 */
#ifndef GAPP_READ_GENERATOR_H
#define GAPP_READ_GENERATOR_H

#include <sys/types.h>

#include "kept_root.h"
#include "util/util.h"

/**
 * struct generator - a process that generates code, from one exec to the next
 * @pid: its process id
 * @own_pid: its process id in its own namespace
 * @uid: its user; GENERATOR_NO_USER: not known, as it had ended
 * @root: its root folder; NULL: it sees the files that we see
 * @name: name of its program, or ""
 * @dump: path of its JIT dump, as it sees it; NULL: it has none
 * @refused: a complaint said why its perf map is not read
 * @dump_refused: likewise, of its JIT dump
 * @holds: how many hold it
 */
struct generator {
	pid_t pid;
	pid_t own_pid;
	uid_t uid;
	struct kept_root *root;
	char *name;
	char *dump;
	bool refused;
	bool dump_refused;
	u32 holds;
};

#define GENERATOR_NO_USER ((uid_t)-1)

/* Notes what finds the perf map of a process, which should live still. NULL: no memory. */
struct generator *generator_new(pid_t pid, const char *name);
struct generator *generator_hold(struct generator *generator);
/* NULL: does nothing. */
void generator_release(struct generator *generator);

/* Whether a path is that of a JIT dump of some process. */
bool generator_is_dump(const char *path);
/*
 * Notes the path of a JIT dump that the process has mapped, if it is its own: a child has its
 * parent's mapped. Returns 0, or -1 without memory.
 */
int generator_note_dump(struct generator *generator, const char *path);

/*
 * Open its perf map and its JIT dump. Each must be a regular file of its user or root with one
 * name, no link; -1: there is none, or it is refused, the first time with a complaint.
 */
int generator_open_map(struct generator *generator);
int generator_open_dump(struct generator *generator);

#endif /* GAPP_READ_GENERATOR_H */
