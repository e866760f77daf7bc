/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/PID/maps. */
#ifndef GAPP_READ_PROC_MAPS_H
#define GAPP_READ_PROC_MAPS_H

#include <sys/types.h>

#include "util/util.h"

/**
 * struct proc_mapping - one line of it
 * @start: first address
 * @end: the address behind it
 * @offset: of @start in the file
 * @dev: the file's device
 * @inode: the file's inode
 * @executable: it may be executed
 * @path: as the kernel gives it, "" if it has none
 */
struct proc_mapping {
	u64 start;
	u64 end;
	u64 offset;
	dev_t dev;
	u64 inode;
	bool executable;
	const char *path;
};

/* Takes a line apart, in place. False: it is none. */
bool proc_maps_parse(char *line, struct proc_mapping *mapping);

/*
 * Gives every executable mapping of a process; @each returns 0, or -1 to end. Returns how many
 * it has, 0 for a kernel thread or a zombie; or -1 with errno set.
 */
ssize_t proc_maps_read(pid_t pid, int (*each)(void *context, const struct proc_mapping *mapping),
		       void *context);

/* A thread of the process that is not its leader, which may have exited alone; 0: none. */
pid_t proc_other_thread(pid_t pid);

/* The process of a thread; the same number if it is none or has gone. */
pid_t proc_process_of(pid_t tid);

/* Gives the children of all threads of a process, where the kernel says who they are. */
void proc_children(pid_t pid, void (*each)(void *context, pid_t child), void *context);

#endif /* GAPP_READ_PROC_MAPS_H */
