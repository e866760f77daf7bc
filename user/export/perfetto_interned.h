/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts and call paths of Perfetto's events: each is written once, with a number, and events have
 * the number. Memory grows with what is different, up to a bound.
 */
#ifndef GAPP_READ_PERFETTO_INTERNED_H
#define GAPP_READ_PERFETTO_INTERNED_H

#include "perfetto_packets.h"
#include "record_paths.h"
#include "timeline/stays.h"
#include "util/hash_index.h"

/* Call paths that are written at most; of others only the place is. */
#define INTERNED_PATHS_MAX 1048576U

/* Call path of a record. */
struct interned_path {
	struct {
		u32 path;
		u32 kernel_path;
	} key;
	u32 name; /* number of the text of its place; 0: there is no path */
	u32 callstack; /* its number; 0: it has none */
};

struct interned_frame {
	struct {
		u64 address;
		u64 object; /* the pointer to it */
		u32 function;
		u32 source;
		u32 line;
		u32 zero;
	} key;
};

struct interned_object {
	struct {
		u64 object; /* the pointer to it */
	} key;
};

/**
 * struct interned - what has a number
 * @recorded: the recording
 * @message: what is new, a message InternedData that goes with the next packet
 * @inner: a part of it
 * @list: a part of that
 * @names: names of events, their numbers are one more than those in the set
 * @functions: names of functions, as @names
 * @sources: source files, as @names
 * @paths: call paths
 * @frames: their frames
 * @objects: files of these
 * @found: the path that is being added
 */
struct interned {
	const struct recorded *recorded;
	struct message message;
	struct message inner;
	struct message list;
	struct texts names;
	struct texts functions;
	struct texts sources;

	KEYED(interned_path) paths;
	KEYED(interned_frame) frames;
	KEYED(interned_object) objects;
	struct record_path found;
};

/* The number of a name of events; 0: no memory. */
u32 interned_name(struct interned *interned, const char *text);
/* Sets the numbers of a call path. Returns 0, or -1 without memory. */
int interned_path(struct interned *interned, const struct stay *stay, struct interned_path *path);
/* Adds a number that the caller chose: of @field, INTERNED_CATEGORY or INTERNED_ARGUMENT. */
void interned_given(struct interned *interned, u32 field, u32 number, const char *text);
void interned_free(struct interned *interned);

#endif /* GAPP_READ_PERFETTO_INTERNED_H */
