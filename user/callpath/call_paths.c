// SPDX-License-Identifier: GPL-2.0
#include "call_paths_private.h"

#define FIRST_RETRY_NS (NSEC_PER_SEC / 10)
#define TRIES_MAX 7

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
		malloc(sizeof(*paths->made) + 2 * GAPP_MAX_STACK * sizeof(*paths->made->addresses));
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
	call_paths_live(paths);
	for (u32 i = 0; i < paths->index.count; i++)
		free(paths->list[i]);
	joined_paths_free(paths);
	free(paths->list);
	free(paths->made);
	hash_index_free(&paths->index);
	free(paths->seen);
	stack_copies_free(paths);
	verify_free(&paths->figures.verify);
	free(paths);
}

void call_paths_set_outdated(struct call_paths *paths, const struct outdated *outdated)
{
	paths->outdated = outdated;
	paths->outdated_until = outdated_over(outdated);
}

const struct call_path *call_paths_starve(struct call_paths *paths)
{
	if (!paths->starved)
		out_of_memory();
	paths->starved = true;
	return NULL;
}

static struct seen *seen_of(struct call_paths *paths, u32 number)
{
	if (array_grow_zeroed(&paths->seen, &paths->seen_room, number, sizeof(*paths->seen)))
		return NULL;
	return &paths->seen[number];
}

static bool same_path(const void *list, u32 id, const void *wanted)
{
	const struct call_path *path = ((struct call_path *const *)list)[id], *other = wanted;

	return path->count == other->count && path->method == other->method &&
	       path->cut == other->cut &&
	       !memcmp(path->addresses, other->addresses, path->count * sizeof(*path->addresses));
}

struct call_path *call_paths_add(struct call_paths *paths, u64 hash, u16 room)
{
	const struct call_path *made = paths->made;
	u32 id = paths->index.count;
	struct call_path *path;

	if (array_grow(&paths->list, &paths->room, id, sizeof(*paths->list)))
		return NULL;
	path = malloc(sizeof(*path) + room * sizeof(*path->addresses));
	if (!path || hash_index_add(&paths->index, hash, id)) {
		free(path);
		return NULL;
	}
	memcpy(path, made, sizeof(*path) + made->count * sizeof(*path->addresses));
	path->id = id;
	paths->list[id] = path;
	return path;
}

struct call_path *call_paths_intern(struct call_paths *paths)
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
	return call_paths_add(paths, hash, made->count);
}

struct code_address call_paths_address(struct call_paths *paths, pid_t tgid, u64 address,
				       bool is_return)
{
	struct code_address found;

	if (!address)
		is_return = false;
	found = maps_find(paths->maps, tgid, address - is_return);
	found.offset += is_return;
	return found;
}

void call_paths_addresses(struct call_paths *paths, pid_t tgid, const u64 *words, u16 count,
			  struct code_address *addresses)
{
	for (u16 i = 0; i < count; i++)
		addresses[i] = call_paths_address(paths, tgid, words[i], i > 0);
}

struct call_path *call_paths_make(struct call_paths *paths, const struct raw_path *raw)
{
	/* the kernel unwinds itself by tables */
	bool by_table = raw->flags & (GAPP_PATH_BY_TABLE | GAPP_PATH_KERNEL) &&
			!(raw->flags & GAPP_PATH_BY_FP);
	struct call_path *made = paths->made;

	*made = (struct call_path){
		.flags = raw->flags,
		.count = raw->count,
		.kernel_count = raw->flags & GAPP_PATH_KERNEL ? raw->count : 0,
		.method = by_table ? PATH_BY_TABLE : PATH_BY_FP,
	};
	if (raw->flags & GAPP_PATH_KERNEL)
		for (u16 i = 0; i < raw->count; i++)
			made->addresses[i] = (struct code_address){ paths->kernel, raw->words[i] };
	else
		call_paths_addresses(paths, raw->tgid, raw->words, raw->count, made->addresses);
	return made;
}

void call_paths_read(const struct call_paths *paths, struct raw_path *raw, u32 number)
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

bool call_paths_cut_outdated(const struct call_paths *paths, struct raw_path *raw)
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

struct call_path *call_paths_intern_cut(struct call_paths *paths, const struct raw_path *raw)
{
	/* a cut path and a path of the same frames that is not cut are two paths */
	call_paths_make(paths, raw)->cut = true;
	return call_paths_intern(paths);
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
		return call_paths_starve(paths);
	unknown = has_unknown(call_paths_make(paths, raw));
	seen->changes = changes;
	/* a mapping has gone since the last look-up, but no other one replaced it */
	if (unknown && seen->path && !has_unknown(seen->path))
		return seen->path;
	path = call_paths_intern(paths);
	if (!path)
		return call_paths_starve(paths);

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

/* call_paths_get() for paths that are unknown or may have changed. */
static const struct call_path *get(struct call_paths *paths, u32 number, pid_t tgid, u64 begin_ns,
				   u64 time_ns)
{
	struct raw_path raw = { .tgid = tgid, .begin_ns = begin_ns, .end_ns = time_ns };
	const struct call_path *path;

	if (paths->replays)
		return number < paths->seen_room ? paths->seen[number].path : NULL;
	maps_advance(paths->maps, time_ns);
	if (number & GAPP_PATH_COPY)
		return number < GAPP_PATH_LOST ? stack_copies_get(paths, number & ~GAPP_PATH_COPY) :
						 NULL;
	if (any_outdated(paths, &raw)) {
		call_paths_read(paths, &raw, number);
		if (call_paths_cut_outdated(paths, &raw)) {
			path = call_paths_intern_cut(paths, &raw);
			return path ? path : call_paths_starve(paths);
		}
	}
	if (is_current(paths, number, tgid, time_ns))
		return paths->seen[number].path;
	call_paths_read(paths, &raw, number);
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

const struct call_paths_figures *call_paths_figures(const struct call_paths *paths)
{
	return &paths->figures;
}
