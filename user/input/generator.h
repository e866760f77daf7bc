/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that generate code, and the file in which such a process says what it generated: its
 * perf map, /tmp/perf-PID.map, PID as the process itself knows it.
 */
#ifndef GAPP_READ_GENERATOR_H
#define GAPP_READ_GENERATOR_H

#include <sys/types.h>

#include "util/util.h"

/**
 * struct generator - a process that generates code, from one exec to the next
 * @pid: its process id
 * @own_pid: its process id in its own namespace
 * @uid: its user; GENERATOR_NO_USER: not known, as it had ended
 * @root: its root folder as an O_PATH descriptor; -1: it sees the files that we see
 * @name: name of its program, or ""
 * @refused: a complaint said why its perf map is not read
 * @holds: how many hold it
 */
struct generator {
	pid_t pid;
	pid_t own_pid;
	uid_t uid;
	int root;
	char *name;
	bool refused;
	u32 holds;
};

#define GENERATOR_NO_USER ((uid_t)-1)

/* Notes what finds the perf map of a process, which should live still. NULL: no memory. */
struct generator *generator_new(pid_t pid, const char *name);
struct generator *generator_hold(struct generator *generator);
/* NULL: does nothing. */
void generator_release(struct generator *generator);

/*
 * Opens its perf map, which must be a regular file of its user or root with one name, no link; -1:
 * there is none, or it is refused, the first time with a complaint.
 */
int generator_open_map(struct generator *generator);

#endif /* GAPP_READ_GENERATOR_H */
