/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc says of processes: their mappings, threads and children. */
#ifndef GAPP_READ_PROC_MAPS_H
#define GAPP_READ_PROC_MAPS_H

#include <sys/types.h>

#include "util/util.h"

/**
 * struct proc_mapping - a line of /proc/PID/maps
 * @start: first address
 * @end: first address behind the mapping
 * @offset: of @start in the file
 * @dev: the file's device
 * @inode: the file's inode
 * @executable: its permissions have x
 * @shared: its permissions have s
 * @path: as the kernel gives it; "": none
 */
struct proc_mapping {
	u64 start;
	u64 end;
	u64 offset;
	dev_t dev;
	u64 inode;
	bool executable;
	bool shared;
	const char *path;
};

/* Reads a line, which it changes. False: it is no line of /proc/PID/maps. */
bool proc_maps_parse(char *line, struct proc_mapping *mapping);

/* Returns 0, or -1 to end. */
typedef int (*proc_mapping_fn)(void *context, const struct proc_mapping *mapping);

/*
 * Calls @each for every executable mapping of a process. Returns how many there were, 0 for a
 * kernel thread or a zombie, or -1 with errno set.
 */
ssize_t proc_maps_read(pid_t pid, proc_mapping_fn each, void *context);

/* Calls @each for mappings in a file such as /proc/PID/maps: @all, or only the executable ones. */
ssize_t proc_maps_read_file(const char *file_name, bool all, proc_mapping_fn each, void *context);

/* A thread of the process other than its first; 0: there is none. */
pid_t proc_other_thread(pid_t pid);

/* The process of a thread; @tid itself if there is no such thread. */
pid_t proc_process_of(pid_t tid);

/* Calls @each for each child of a process. None without CONFIG_PROC_CHILDREN. */
void proc_children(pid_t pid, void (*each)(void *context, pid_t child), void *context);

#endif /* GAPP_READ_PROC_MAPS_H */
