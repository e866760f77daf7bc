// SPDX-License-Identifier: GPL-2.0
#include "call_paths.h"

#include "unwinder.h"
#include "util/hash_index.h"

#define FIRST_RETRY_NS (NSEC_PER_SEC / 10)
#define TRIES_MAX 7

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
 * struct copied - the path from a stack copy
 * @path: NULL: none
 * @number: number of the copy
 */
struct copied {
	const struct call_path *path;
	u32 number;
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
 * @made: the path that is being made, with room for GAPP_MAX_STACK frames
 * @copied: STACK_COPIES_MAX paths from copies, by the copy's number; NULL: no copy came yet
 * @unwinder: unwinds copies; NULL: no copy came yet
 * @figures: what became of copies
 * @starved: the user was told that memory is short
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
	struct copied *copied;
	struct unwinder *unwinder;
	struct call_paths_figures figures;
	bool starved;
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

struct call_paths *call_paths_new(struct objects *objects, struct maps *maps,
				  const struct rings *rings)
{
	struct call_paths *paths = calloc(1, sizeof(*paths));
	static const u64 never;

	if (!paths)
		return NULL;
	paths->outdated_until = &never;
	paths->objects = objects;
	paths->maps = maps;
	paths->changes = maps_changes(maps);
	paths->rings = rings;
	paths->kernel = objects_get(objects, OBJECT_KERNEL, "[kernel]");
	paths->made =
		malloc(sizeof(*paths->made) + GAPP_MAX_STACK * sizeof(*paths->made->addresses));
	if (!paths->kernel || !paths->made) {
		call_paths_free(paths);
		return NULL;
	}
	return paths;
}

void call_paths_free(struct call_paths *paths)
{
	if (!paths)
		return;
	for (u32 i = 0; i < paths->index.count; i++)
		free(paths->list[i]);
	free(paths->list);
	free(paths->made);
	hash_index_free(&paths->index);
	free(paths->seen);
	free(paths->copied);
	unwinder_free(paths->unwinder);
	verify_free(&paths->figures.verify);
	free(paths);
}

void call_paths_set_outdated(struct call_paths *paths, const struct outdated *outdated)
{
	paths->outdated = outdated;
	paths->outdated_until = outdated_over(outdated);
}

static const struct call_path *starve(struct call_paths *paths)
{
	if (!paths->starved)
		out_of_memory();
	paths->starved = true;
	return NULL;
}

static struct seen *seen_of(struct call_paths *paths, u32 number)
{
	u32 room = paths->seen_room;

	if (array_grow(&paths->seen, &paths->seen_room, number, sizeof(*paths->seen)))
		return NULL;
	memset(paths->seen + room, 0, (paths->seen_room - room) * sizeof(*paths->seen));
	return &paths->seen[number];
}

static bool same_path(const void *list, u32 id, const void *wanted)
{
	const struct call_path *path = ((struct call_path *const *)list)[id], *other = wanted;

	return path->count == other->count && path->method == other->method &&
	       path->cut == other->cut &&
	       !memcmp(path->addresses, other->addresses, path->count * sizeof(*path->addresses));
}

/* Finds or adds the path that was made. NULL: no memory. */
static struct call_path *intern(struct call_paths *paths)
{
	const struct call_path *made = paths->made;
	size_t bytes = made->count * sizeof(*made->addresses);
	u64 hash = hash_bytes(made->method | made->cut << 8, made->addresses, bytes);
	u32 id = hash_index_find(&paths->index, hash, same_path, paths->list, made);
	struct call_path *path;

	if (id != HASH_NONE) {
		path = paths->list[id];
		/* of several ends the best counts: a complete path, then one that tables ended */
		if (call_path_end(made) == GAPP_UNWIND_COMPLETE ||
		    (call_path_end(path) != GAPP_UNWIND_COMPLETE &&
		     made->flags & GAPP_PATH_BY_TABLE))
			path->flags = made->flags;
		return path;
	}
	id = paths->index.count;
	if (array_grow(&paths->list, &paths->room, id, sizeof(*paths->list)))
		return NULL;
	path = malloc(sizeof(*path) + bytes);
	if (!path || hash_index_add(&paths->index, hash, id)) {
		free(path);
		return NULL;
	}
	memcpy(path, made, sizeof(*path) + bytes);
	path->id = id;
	paths->list[id] = path;
	return path;
}

/* A return address is looked up one byte before it, where the call is, which may end a mapping. */
static struct code_address look_up_address(struct call_paths *paths, pid_t tgid, u64 address,
					   bool is_return)
{
	struct code_address found;

	if (!address)
		is_return = false;
	found = maps_find(paths->maps, tgid, address - is_return);
	found.offset += is_return;
	return found;
}

static void look_up_addresses(struct call_paths *paths, pid_t tgid, const u64 *words, u16 count,
			      struct code_address *addresses)
{
	for (u16 i = 0; i < count; i++)
		addresses[i] = look_up_address(paths, tgid, words[i], i > 0);
}

/* Makes a path of the frames that the module found, by the mappings of now. */
static struct call_path *make(struct call_paths *paths, const struct raw_path *raw)
{
	bool by_table = raw->flags & GAPP_PATH_BY_TABLE && !(raw->flags & GAPP_PATH_BY_FP);
	struct call_path *made = paths->made;

	*made = (struct call_path){
		.flags = raw->flags,
		.count = raw->count,
		.method = by_table ? PATH_BY_TABLE : PATH_BY_FP,
	};
	if (raw->flags & GAPP_PATH_KERNEL)
		for (u16 i = 0; i < raw->count; i++)
			made->addresses[i] = (struct code_address){ paths->kernel, raw->words[i] };
	else
		look_up_addresses(paths, raw->tgid, raw->words, raw->count, made->addresses);
	return made;
}

/* Sets the path from its number in the rings. A newer module may know ends that we do not. */
static void read_path(const struct call_paths *paths, struct raw_path *raw, u32 number)
{
	raw->words = rings_path(paths->rings, number, &raw->count, &raw->flags);
	if (!raw->words || raw->count > GAPP_MAX_STACK) {
		raw->words = NULL;
		raw->count = 0;
		raw->flags = 0;
	}
	if ((raw->flags & GAPP_PATH_END_MASK) >= GAPP_UNWIND_ENDS)
		raw->flags = (raw->flags & ~GAPP_PATH_END_MASK) | GAPP_UNWIND_NO_RULE;
}

static bool any_outdated(const struct call_paths *paths, const struct raw_path *raw)
{
	return paths->outdated &&
	       outdated_any(paths->outdated, raw->tgid, raw->begin_ns, raw->end_ns);
}

/*
 * Cuts the path behind the first frame whose table or mapping was outdated, because with that the
 * module found a wrong caller. False: there is no such frame.
 */
static bool cut_outdated(const struct call_paths *paths, struct raw_path *raw)
{
	if (!(raw->flags & GAPP_PATH_BY_TABLE) || !any_outdated(paths, raw))
		return false;
	for (u16 i = 0; i < raw->count; i++) {
		if (!outdated_at(paths->outdated, raw->tgid, raw->words[i] - !!i, raw->begin_ns,
				 raw->end_ns))
			continue;
		raw->count = i + 1;
		raw->flags = (raw->flags & ~GAPP_PATH_END_MASK) | GAPP_UNWIND_UNMAPPED;
		return true;
	}
	return false;
}

/* The path that was cut. NULL: no memory. */
static struct call_path *intern_cut(struct call_paths *paths, const struct raw_path *raw)
{
	/* a cut path and a path of the same frames that is not cut are two paths */
	make(paths, raw)->cut = true;
	return intern(paths);
}

static bool has_unknown(const struct call_path *path)
{
	for (u16 i = 0; i < path->count; i++)
		if (path->addresses[i].object->kind == OBJECT_UNKNOWN)
			return true;
	return false;
}

/* Looks all frames of a path up, and keeps the result. */
static const struct call_path *look_up(struct call_paths *paths, u32 number,
				       const struct raw_path *raw)
{
	u64 changes = *paths->changes;
	struct seen *seen = seen_of(paths, number);
	struct call_path *path;
	bool unknown;

	if (!seen)
		return starve(paths);
	unknown = has_unknown(make(paths, raw));
	seen->changes = changes;
	/* a mapping has gone since the last look-up, but no other one replaced it */
	if (unknown && seen->path && !has_unknown(seen->path))
		return seen->path;
	path = intern(paths);
	if (!path)
		return starve(paths);

	seen->path = path;
	seen->tries = unknown && seen->tries < TRIES_MAX ? seen->tries + 1 : TRIES_MAX;
	seen->again_ns = seen->tries < TRIES_MAX ?
				 raw->end_ns + (FIRST_RETRY_NS << (seen->tries - 1)) :
				 UINT64_MAX;
	return path;
}

u64 call_paths_until(const struct call_paths *paths, u32 number)
{
	return number < paths->seen_room ? paths->seen[number].again_ns : 0;
}

const u64 *call_paths_changes(const struct call_paths *paths)
{
	return paths->changes;
}

const u64 *call_paths_outdated_until(const struct call_paths *paths)
{
	return paths->outdated_until;
}

/* Whether the frames of a path are still what the last look-up found. */
static bool is_current(struct call_paths *paths, u32 number, pid_t tgid, u64 time_ns)
{
	struct seen *seen;

	if (number >= paths->seen_room || time_ns >= paths->seen[number].again_ns)
		return false;
	seen = &paths->seen[number];
	if (seen->changes != *paths->changes) {
		if (maps_changed_since(paths->maps, tgid, seen->changes))
			return false;
		seen->changes = *paths->changes;
	}
	return true;
}

static const struct call_path *get_copied(struct call_paths *paths, u32 copy)
{
	const struct copied *copied = paths->copied ? &paths->copied[copy % STACK_COPIES_MAX] :
						      NULL;
	const struct call_path *path = copied && copied->number == copy ? copied->path : NULL;

	paths->figures.unknown += !path;
	return path;
}

/* call_paths_get() for paths that are unknown or may have changed. */
static const struct call_path *get(struct call_paths *paths, u32 number, pid_t tgid, u64 begin_ns,
				   u64 time_ns)
{
	struct raw_path raw = { .tgid = tgid, .begin_ns = begin_ns, .end_ns = time_ns };
	const struct call_path *path;

	maps_advance(paths->maps, time_ns);
	if (number & GAPP_PATH_COPY)
		return number < GAPP_PATH_LOST ? get_copied(paths, number & ~GAPP_PATH_COPY) : NULL;
	if (any_outdated(paths, &raw)) {
		read_path(paths, &raw, number);
		if (cut_outdated(paths, &raw)) {
			path = intern_cut(paths, &raw);
			return path ? path : starve(paths);
		}
	}
	if (is_current(paths, number, tgid, time_ns))
		return paths->seen[number].path;
	read_path(paths, &raw, number);
	return raw.count ? look_up(paths, number, &raw) : NULL;
}

const struct call_path *call_paths_get(struct call_paths *paths, u32 number, pid_t tgid,
				       u64 begin_ns, u64 time_ns)
{
	/* nearly always */
	if (number < paths->seen_room && time_ns < paths->seen[number].again_ns &&
	    paths->seen[number].changes == *paths->changes && begin_ns > *paths->outdated_until)
		return paths->seen[number].path;
	return get(paths, number, tgid, begin_ns, time_ns);
}

/**
 * struct finding - a stack copy and what is found in it
 * @copy: the copy
 * @raw: the module's path, which ends with the frame that the copy begins with
 * @frames: addresses of the frames that libdwfl finds, innermost first
 * @unwinding: what the unwinder is given, and its result
 * @end: how unwinding the copy ended
 */
struct finding {
	const struct gapp_record_stack_copy *copy;
	struct raw_path raw;
	u64 frames[GAPP_MAX_STACK];
	struct unwinding unwinding;
	enum unwind_end end;
};

/* Whether a call left the last frame of the module's path, and not a signal. */
static bool was_left_by_call(struct call_paths *paths, const struct finding *finding)
{
	const struct raw_path *raw = &finding->raw;

	return raw->count > 1 && !unwinder_ends_signal(paths->unwinder, finding->unwinding.mappings,
						       raw->words[raw->count - 2]);
}

static void unwind_once(struct call_paths *paths, struct finding *finding, bool from_last, u16 room)
{
	const struct gapp_record_stack_copy *copy = finding->copy;
	struct unwinding *unwinding = &finding->unwinding;

	*unwinding = (struct unwinding){
		.mappings = maps_list(paths->maps, copy->tgid),
		.registers = copy->registers,
		.valid = copy->valid,
		.stack = copy + 1,
		.stack_at = copy->stack_at,
		.stack_bytes = copy->stack_bytes,
		.frames = finding->frames,
		.room = room,
	};
	unwinding->is_return = from_last && was_left_by_call(paths, finding);
	finding->end = unwinder_unwind(paths->unwinder, unwinding);
}

/* Unwinds the copy, and once more if a look-up finds what the unmapped address maps. */
static void unwind_copy(struct call_paths *paths, struct finding *finding, bool from_last, u16 room)
{
	unwind_once(paths, finding, from_last, room);
	if (finding->end == UNWIND_UNMAPPED &&
	    maps_find(paths->maps, finding->raw.tgid, finding->unwinding.unmapped - 1)
			    .object->kind != OBJECT_UNKNOWN)
		unwind_once(paths, finding, from_last, room);
}

/* Joins the module's path without its last frame and libdwfl's, which begins with that frame. */
static int join(struct call_paths *paths, const struct finding *finding,
		const struct call_path **path)
{
	static const u8 ends[] = {
		[UNWIND_OUTERMOST] = GAPP_UNWIND_COMPLETE, [UNWIND_FULL] = GAPP_UNWIND_FULL,
		[UNWIND_BEYOND] = PATH_END_COPY,	   [UNWIND_UNMAPPED] = GAPP_UNWIND_UNMAPPED,
		[UNWIND_NO_RULE] = GAPP_UNWIND_NO_RULE,
	};
	bool joins = finding->unwinding.count > 1 || finding->end == UNWIND_OUTERMOST ||
		     !finding->raw.count;
	struct raw_path raw = finding->raw;
	struct call_path *made;

	if (joins) {
		raw.count -= !!raw.count;
		raw.flags &= GAPP_PATH_BY_TABLE | GAPP_PATH_BY_FP;
	}
	made = make(paths, &raw);
	if (joins) {
		made->method = PATH_BY_COPY;
		made->flags |= ends[finding->end];
		for (u16 i = 0; i < finding->unwinding.count; i++, made->count++)
			made->addresses[made->count] = look_up_address(
				paths, raw.tgid, finding->frames[i], made->count > 0);
	}
	*path = NULL;
	if (!made->count)
		return 0;
	*path = intern(paths);
	paths->figures.longer += made->count > finding->raw.count;
	paths->figures.whole += call_path_end(made) == GAPP_UNWIND_COMPLETE;
	return *path ? 0 : -1;
}

static int put_copied(struct call_paths *paths, u32 copy, const struct call_path *path)
{
	if (!paths->copied)
		paths->copied = calloc(STACK_COPIES_MAX, sizeof(*paths->copied));
	if (!paths->copied)
		return -1;
	paths->copied[copy % STACK_COPIES_MAX] = (struct copied){ .path = path, .number = copy };
	return 0;
}

/* Finishes the module's path. If a frame before the last is outdated, the last frame is wrong. */
static int finish(struct call_paths *paths, struct finding *finding)
{
	const struct gapp_record_stack_copy *copy = finding->copy;
	u16 count = finding->raw.count;
	const struct call_path *path = NULL;
	struct raw_path cut = finding->raw;

	paths->figures.copies++;
	if (cut_outdated(paths, &cut) && cut.count < count) {
		path = intern_cut(paths, &cut);
		if (!path)
			return -1;
	} else if (finding->raw.words || copy->path == GAPP_PATH_NONE) {
		unwind_copy(paths, finding, true, GAPP_MAX_STACK + 1 - (count ? count : 1));
		if (join(paths, finding, &path))
			return -1;
	}
	return put_copied(paths, copy->copy, path);
}

static int compare(struct call_paths *paths, struct finding *finding)
{
	const struct raw_path *raw = &finding->raw;
	struct verify_case one = {
		.tgid = raw->tgid,
		.end = raw->flags & GAPP_PATH_END_MASK,
		.count = raw->count,
	};

	unwind_copy(paths, finding, false, GAPP_MAX_STACK);
	one.libdwfl_end = finding->end;
	one.libdwfl_count = finding->unwinding.count;
	verify_compare(&one, raw->words, finding->frames);
	if (one.verdict == VERIFY_DIFFERS || one.verdict == VERIFY_SHORTER) {
		look_up_addresses(paths, one.tgid, raw->words, one.count, one.addresses);
		look_up_addresses(paths, one.tgid, finding->frames, one.libdwfl_count,
				  one.libdwfl_addresses);
	}
	paths->figures.verdict = one.verdict;
	return verify_note(&paths->figures.verify, &one);
}

int call_paths_add_copy(struct call_paths *paths, const struct gapp_record_stack_copy *copy)
{
	struct finding finding = { .copy = copy,
				   .raw = { .tgid = copy->tgid,
					    .begin_ns = copy->head.time_ns,
					    .end_ns = copy->head.time_ns } };

	if (copy->head.size < sizeof(*copy) || copy->head.size - sizeof(*copy) < copy->stack_bytes)
		return 0;
	if (!paths->unwinder)
		paths->unwinder = unwinder_new(paths->objects);
	if (!paths->unwinder)
		return -1;
	maps_advance(paths->maps, copy->head.time_ns);
	maps_image(paths->maps, copy->tgid, copy->image);
	if (!(copy->path & GAPP_PATH_COPY))
		read_path(paths, &finding.raw, copy->path);
	return copy->flags & GAPP_STACK_COPY_VERIFY ? compare(paths, &finding) :
						      finish(paths, &finding);
}

const struct call_paths_figures *call_paths_figures(const struct call_paths *paths)
{
	return &paths->figures;
}
