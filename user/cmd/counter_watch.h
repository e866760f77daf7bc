/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters over time: while a recording runs, takes what the module has added up so far, keeps it
 * in bounded memory, and writes it to the recording's file.
 */
#ifndef GAPP_READ_COUNTER_WATCH_H
#define GAPP_READ_COUNTER_WATCH_H

#include "input/device.h"
#include "report/counted.h"

/* Each look interrupts the CPUs, and takes some microseconds of gapp-read. */
#define COUNTER_WATCH_NS (NSEC_PER_SEC / 10)

/**
 * struct counter_watch - what is watched; all zero: nothing
 * @dev: the session; NULL: nothing is watched
 * @asked: what is counted
 * @nodes: nodes of CPUs
 * @writer: the recording's file; NULL: it is not written while the recording runs
 * @aside: its blocks
 * @series: points so far
 * @point: the one that is being made
 * @failed: the module refused; it is not asked again
 */
struct counter_watch {
	struct device *dev;
	const struct tallies *asked;
	const struct cpu_nodes *nodes;
	struct blocks_writer *writer;
	struct blocks_aside aside;
	struct counter_series series;
	struct counter_point point;
	bool failed;
};

/* Before START; nothing is watched if nothing is counted. All that is given outlives the watch. */
void counter_watch_begin(struct counter_watch *watch, struct device *dev,
			 const struct tallies *asked, const struct cpu_nodes *nodes,
			 struct blocks_writer *writer);
static inline bool counter_watch_is_on(const struct counter_watch *watch)
{
	return watch->dev;
}

/* Takes a point. Returns 0, or -1 without memory, with a complaint made. */
int counter_watch_look(struct counter_watch *watch);
/*
 * After STOP: takes what @counted has as the last point, and gives it all points. @end_ns: when
 * the session ended, CLOCK_MONOTONIC. Returns 0, or -1 without memory, with a complaint made.
 */
int counter_watch_end(struct counter_watch *watch, u64 end_ns, struct counted *counted);
void counter_watch_free(struct counter_watch *watch);

#endif /* GAPP_READ_COUNTER_WATCH_H */
