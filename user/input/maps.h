/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each process has mapped, at any time: read from /proc/PID/maps when the process is attached
 * to or when something is missing, and kept current by events of the side-band.
 */
#ifndef GAPP_READ_MAPS_H
#define GAPP_READ_MAPS_H

#include "mappings.h"

struct maps;

struct maps *maps_new(struct objects *objects);
void maps_free(struct maps *maps);

/* Reads /proc/PID/maps. Returns 0, or -1 if the process has exited. */
int maps_read(struct maps *maps, pid_t pid);

/*
 * Sets the time (CLOCK_MONOTONIC) of the events and look-ups that follow. Mappings of a process are
 * kept for some seconds after its end.
 */
void maps_advance(struct maps *maps, u64 time_ns);

/*
 * Sets the image in a record (see struct gapp_record_slice), before the record's addresses are
 * looked up. Without a side-band only the image shows that the process has executed another
 * program, or that its id was reused.
 */
void maps_image(struct maps *maps, pid_t pid, u32 image);

/* Events of the side-band, in the order of time. */
void maps_mmap(struct maps *maps, pid_t pid, u64 start, u64 length, u64 offset, dev_t dev,
	       u64 inode, const char *path);
void maps_exec(struct maps *maps, pid_t pid);
void maps_fork(struct maps *maps, pid_t pid, pid_t parent);
void maps_exit(struct maps *maps, pid_t pid);
/* Events were lost: mappings are read again when they are needed. */
void maps_missed(struct maps *maps);

/*
 * Address of a count that grows when a mapping replaces another one, in any process; and whether
 * one did in this process since the count was @changes. An unmapping does not count.
 */
const u64 *maps_changes(const struct maps *maps);
bool maps_changed_since(struct maps *maps, pid_t pid, u64 changes);

/* Object and offset of an address; reads /proc/PID/maps again, now and then, if none is known. */
struct code_address maps_find(struct maps *maps, pid_t pid, u64 address);

/* Object and offset of an address in a list of mappings. */
struct code_address maps_find_in(const struct maps *maps, const struct mappings *mappings,
				 u64 address);

/* All mappings that are known, valid until the next event or look-up. NULL: none. */
const struct mappings *maps_list(struct maps *maps, pid_t pid);

#endif /* GAPP_READ_MAPS_H */
