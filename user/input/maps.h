/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each process has mapped, followed while it lives: from /proc/PID/maps
 * when it is attached to or something is missing, and from the kernel's own
 * side-band of mmap, exec and fork (a perf dummy event) in between.
 */
#ifndef GAPP_READ_MAPS_H
#define GAPP_READ_MAPS_H

#include "mappings.h"

struct maps;

struct maps *maps_new(struct objects *objects);
void maps_free(struct maps *maps);

/* Reads /proc/PID/maps. Returns 0, or -1 where the process has gone. */
int maps_read(struct maps *maps, pid_t pid);

/*
 * The time (CLOCK_MONOTONIC) that events and look-ups are at from now on. What is known of a
 * process is kept for some seconds after its end.
 */
void maps_advance(struct maps *maps, u64 time_ns);

/*
 * The image in a record of a process (see struct gapp_record_slice), before its places are looked
 * up. Without a side-band nothing else tells of an exec, or of a process id that is used again.
 */
void maps_image(struct maps *maps, pid_t pid, u32 image);

/* Events of the side-band; they come in the order of time. */
void maps_mmap(struct maps *maps, pid_t pid, u64 start, u64 length, u64 offset, dev_t dev,
	       u64 inode, const char *path);
void maps_exec(struct maps *maps, pid_t pid);
void maps_fork(struct maps *maps, pid_t pid, pid_t parent);
void maps_exit(struct maps *maps, pid_t pid);
/* Some were lost: what is known may be wrong, and is read again where it is needed. */
void maps_missed(struct maps *maps);

/*
 * How often something may have been mapped in place of something else, in any process; and whether
 * it was in this one since there were @changes. What has gone was not replaced.
 */
const u64 *maps_changes(const struct maps *maps);
bool maps_changed_since(struct maps *maps, pid_t pid, u64 changes);

/* What is at an address; looks into /proc/PID/maps again, now and then, if nothing is known. */
struct code_address maps_find(struct maps *maps, pid_t pid, u64 address);

/* All that is known to be mapped: until the next event or look-up. */
const struct mappings *maps_list(struct maps *maps, pid_t pid);

#endif /* GAPP_READ_MAPS_H */
