/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The critical path of a run: backward from its end, always to the thread whose wake-up ended the
 * wait that kept the run from going on earlier. docs/decisions/018-critical-path.md has the rules
 * and their proof.
 */
#ifndef GAPP_READ_CRITICAL_PATH_H
#define GAPP_READ_CRITICAL_PATH_H

#include "wait_store.h"

/* What a piece of the path is. */
enum path_piece {
	PIECE_RAN,
	PIECE_READY, /* the thread was runnable, or a wake-up was on its way to it */
	PIECE_WAITED, /* it waited, and no recorded thread is known to have ended that */
	PIECE_NONE, /* there was no thread: idle time, which has no cell */
};

/**
 * struct path_cell_key - what pieces of the path have in common
 * @thread: number of the thread
 * @path: PIECE_RAN: the call path; PIECE_WAITED: that of the wait; else STORE_NONE
 * @what: enum path_piece
 * @reason: PIECE_WAITED: enum gapp_wait_reason
 * @by: PIECE_WAITED: enum wait_ender
 * @how: PIECE_RAN: enum stored_how
 * @site: PIECE_WAITED: number of the wait's site, or STORE_SITE_NONE; else 0
 */
struct path_cell_key {
	u32 thread;
	u32 path;
	u8 what;
	u8 reason;
	u8 by;
	u8 how;
	u32 site;
};

struct path_cell {
	struct path_cell_key key;
	u64 ns;
};

/*
 * Pieces of other threads that are on the path because a thread waited on @path for @reason; @site
 * as in struct path_cell_key.
 */
struct path_wait_key {
	u32 path;
	u32 reason;
	u32 site;
};

struct path_wait {
	struct path_wait_key key;
	u64 ns;
};

/**
 * struct critical_walk - the critical path
 * @cells: its pieces
 * @waits: for which waits the path went to other threads
 * @unknown_ns: records were lost, or dropped
 * @idle_ns: no recorded thread ran, and none is known to wait
 * @hops: how often the path went to another thread
 * @steps: slices and waits that were looked at
 * @depth: waits that one moment of the path explains, at most
 */
struct critical_walk {
	KEYED(path_cell) cells;
	KEYED(path_wait) waits;
	u64 unknown_ns;
	u64 idle_ns;
	u64 hops;
	u64 steps;
	u32 depth;
};

/*
 * After wait_store_end(). @stop: end of the run, nanoseconds since the store's begin. All pieces
 * and unknown and idle time add up to @stop. Returns 0, or -1 without memory.
 */
int critical_walk(const struct wait_store *store, u64 stop, struct critical_walk *walk);

/*
 * Takes a piece: nanoseconds since the store's begin. Later pieces come first, and none overlaps
 * another. Returns 0, or -1 to end the walk.
 */
typedef int (*path_piece_fn)(void *context, const struct path_cell_key *key, u64 begin, u64 end);

/* As critical_walk(), and calls @take for each piece, idle time too. Returns -1 if @take did. */
int critical_walk_each(const struct wait_store *store, u64 stop, struct critical_walk *walk,
		       path_piece_fn take, void *context);
void critical_walk_free(struct critical_walk *walk);

#endif /* GAPP_READ_CRITICAL_PATH_H */
