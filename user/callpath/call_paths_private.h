/* SPDX-License-Identifier: GPL-2.0 */
/* What call_paths.c and stack_copies.c share. */
#ifndef GAPP_READ_CALL_PATHS_PRIVATE_H
#define GAPP_READ_CALL_PATHS_PRIVATE_H

#include "call_paths.h"
#include "table_unwinder.h"
#include "unwinder.h"
#include "util/hash_index.h"

/**
 * struct seen - a path's number that was looked up
 * @path: its path; NULL: none was found yet
 * @again_ns: look it up again from then on: 0: no look-up yet, UINT64_MAX: never, but see @changes
 * @changes: maps_changes() when the path was last known to be right
 * @tries: look-ups so far that found a frame in no known mapping
 */
struct seen {
	struct call_path *path;
	u64 again_ns;
	u64 changes;
	u32 tries;
};

/**
 * struct copied_path - the path from a stack copy
 * @path: NULL: none
 * @number: number of the copy
 */
struct copied_path {
	const struct call_path *path;
	u32 number;
};

/**
 * struct joined_path - a path of the kernel and one of a user, joined
 * @kernel: number of the kernel's path
 * @user: NULL: none
 * @path: both
 */
struct joined_path {
	u32 kernel;
	const struct call_path *user;
	struct call_path *path;
};

struct kept_copy;

/**
 * struct numbered - what call_paths_get() finds the path of a number by
 * @seen: by number of the path
 * @room: elements of @seen
 * @outdated: when the module used outdated tables or mappings; NULL: not known
 * @outdated_until: when the last outdated table or mapping was replaced, nanoseconds
 * @changes: maps_changes()
 */
struct numbered {
	struct seen *seen;
	u32 room;
	const struct outdated *outdated;
	const u64 *outdated_until;
	const u64 *changes;
};

/**
 * struct call_paths - all call paths
 * @objects: objects of the frames
 * @maps: mappings, where addresses are looked up
 * @rings: where the addresses of a path are found by its number
 * @outdated: when the module used outdated tables or mappings; NULL: not known
 * @outdated_until: when the last outdated table or mapping was replaced, nanoseconds
 * @changes: maps_changes()
 * @kernel: object of kernel addresses
 * @seen: by number of the path
 * @list: the paths, by id
 * @index: finds a path in @list; @index.count: how many there are
 * @made: the path that is being made, with room for twice GAPP_MAX_STACK frames
 * @joined: paths that were joined
 * @joined_index: finds a pair in @joined; @joined_index.count: how many there are
 * @copied: STACK_COPIES_MAX paths from copies, by the copy's number; NULL: no copy came yet
 * @by_tables: unwinds copies
 * @unwinder: unwinds copies by libdwfl; NULL: it was not needed yet
 * @kept: copies that libdwfl is to finish
 * @kept_bytes: memory that these take
 * @may_keep: libdwfl may finish copies later, but see stack_copies.c
 * @figures: what became of copies
 * @starved: the user was told that memory is short
 * @live: what stands in @seen and what follows it when no records are replayed
 * @replays: call_paths_replay() has been called last
 */
struct call_paths {
	struct objects *objects;
	struct maps *maps;
	const struct rings *rings;
	const struct outdated *outdated;
	const u64 *outdated_until;
	const u64 *changes;
	struct object *kernel;
	struct seen *seen;
	u32 seen_room;
	struct call_path **list;
	u32 room;
	struct hash_index index;
	struct call_path *made;
	struct joined_path *joined;
	u32 joined_room;
	struct hash_index joined_index;
	struct copied_path *copied;
	struct table_unwinder by_tables;
	struct unwinder *unwinder;
	struct kept_copy **kept;
	u32 kept_count;
	u32 kept_room;
	u64 kept_bytes;
	bool may_keep;
	struct call_paths_figures figures;
	bool starved;
	struct numbered live;
	bool replays;
};

/**
 * struct raw_path - a path of the module, of a process
 * @tgid: process
 * @begin_ns: the module took the path at this time or later
 * @end_ns: the module took the path at this time or earlier
 * @words: addresses, innermost frame first; NULL: there is no path
 * @flags: as in struct gapp_path, with an end that this version knows
 */
struct raw_path {
	pid_t tgid;
	u64 begin_ns;
	u64 end_ns;
	const u64 *words;
	u16 count;
	u16 flags;
};

/* Sets the path from its number in the rings. A newer module may know ends that we do not. */
void call_paths_read(const struct call_paths *paths, struct raw_path *raw, u32 number);
/* Makes a path of the frames that the module found, by the mappings of now, in @paths->made. */
struct call_path *call_paths_make(struct call_paths *paths, const struct raw_path *raw);
/* A return address is looked up one byte before it, where the call is, which may end a mapping. */
struct code_address call_paths_address(struct call_paths *paths, pid_t tgid, u64 address,
				       bool is_return);
void call_paths_addresses(struct call_paths *paths, pid_t tgid, const u64 *words, u16 count,
			  struct code_address *addresses);
/* Finds or adds the path that was made. NULL: no memory. */
struct call_path *call_paths_intern(struct call_paths *paths);
/* Adds the path that was made, with memory for @room frames. NULL: no memory. */
struct call_path *call_paths_add(struct call_paths *paths, u64 hash, u16 room);
/*
 * Cuts the path behind the first frame whose table or mapping was outdated, because with that the
 * module found a wrong caller. False: there is no such frame.
 */
bool call_paths_cut_outdated(const struct call_paths *paths, struct raw_path *raw);
/* The path that was cut. NULL: no memory. */
struct call_path *call_paths_intern_cut(struct call_paths *paths, const struct raw_path *raw);

/* Gives joined paths what their user's paths have become. */
void joined_paths_finish(struct call_paths *paths);
void joined_paths_free(struct call_paths *paths);

/* Complains once that memory is short. Returns NULL. */
const struct call_path *call_paths_starve(struct call_paths *paths);

/* The path of the stack copy with this number; NULL: it is not known. */
const struct call_path *stack_copies_get(struct call_paths *paths, u32 copy);
void stack_copies_free(struct call_paths *paths);

#endif /* GAPP_READ_CALL_PATHS_PRIVATE_H */
