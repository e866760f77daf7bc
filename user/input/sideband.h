/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's side-band of mmap, exec and fork, by perf_event_open(2). */
#ifndef GAPP_READ_SIDEBAND_H
#define GAPP_READ_SIDEBAND_H

#include "maps.h"
#include "wakeup.h"
#include "sideband_event.h"

struct sideband;

/*
 * Opens it on every CPU, for the whole machine. NULL where it is not to be had, without complaint:
 * processes are then looked up in /proc alone. @reason says why, for -v. With @news each event is
 * some, and else none; it must stay as long.
 */
struct sideband *sideband_new(struct news *news, const char **reason);
void sideband_free(struct sideband *sideband);

/*
 * Takes in what the kernel has written by now: before records of the same time are looked at, and
 * often, for the kernel's room is small. Returns 0, or -1 without memory.
 */
int sideband_read(struct sideband *sideband);

/*
 * To be called by sideband_read() for each event that it takes in: each time in the order of time,
 * but not over all times.
 */
void sideband_tell(struct sideband *sideband,
		   void (*each)(void *context, const struct sideband_event *event), void *context);

/*
 * Hands to @maps what happened up to @time_ns (CLOCK_MONOTONIC), in the order of time: with each
 * record, and without records now and then too, or what was taken in piles up. Returns the time of
 * the next event: until then, or until more is read, there is nothing to do.
 */
u64 sideband_apply(struct sideband *sideband, struct maps *maps, u64 time_ns);

/* Events that were lost. */
u64 sideband_lost(const struct sideband *sideband);

#endif /* GAPP_READ_SIDEBAND_H */
