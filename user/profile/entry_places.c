// SPDX-License-Identifier: GPL-2.0
#include "entry_places.h"

#include "profile_private.h"
#include "symbol/own_code.h"

/* Of a thread's slices that ended on paths from an address, so many must have the same own code. */
#define NEARLY_ALL 0.9

/**
 * struct entry_path - a call path of a thread
 * @entry: its innermost address of a user's code
 * @own: the address of its innermost own code
 * @is_return: @own is a return address
 * @slices: slices that ended on it
 */
struct entry_path {
	s32 tgid;
	s32 tid;
	struct code_address entry;
	struct code_address own;
	bool is_return;
	u64 slices;
};

/**
 * struct entry_places - call paths by threads and their innermost addresses
 * @paths: in the order of by_entry()
 */
struct entry_places {
	struct symbols *symbols;
	struct entry_path *paths;
	u32 count;
};

void thread_paths_free(struct thread_paths *paths)
{
	keyed_free(&paths->paths);
}

int thread_paths_add(struct thread_paths *paths, const struct thread_path_key *key, u64 slices)
{
	u32 id = keyed_find(&paths->paths, key);

	if (id == HASH_NONE && paths->paths.index.count >= THREAD_PATHS_MAX)
		return 0;
	if (id == HASH_NONE)
		id = keyed_add(&paths->paths, key);
	if (id == HASH_NONE)
		return -1;
	paths->paths.rows[id].slices += slices;
	return 0;
}

static int by_address(const struct code_address *x, const struct code_address *y)
{
	return compare_by(three_way((uintptr_t)x->object, (uintptr_t)y->object),
			  three_way(x->offset, y->offset), 0);
}

static int by_thread_and_entry(const struct entry_path *x, const struct entry_path *y)
{
	return compare_by(three_way(x->tgid, y->tgid), three_way(x->tid, y->tid),
			  by_address(&x->entry, &y->entry));
}

static int by_entry(const void *a, const void *b)
{
	const struct entry_path *x = a, *y = b;

	return compare_by(by_thread_and_entry(x, y), by_address(&x->own, &y->own), 0);
}

struct entry_places *entry_places_new(const struct path_names *names,
				      const struct thread_paths *paths)
{
	const struct profile *profile = path_names_profile(names);
	struct entry_places *places = calloc(1, sizeof(*places));
	const u32 count = paths->paths.index.count;

	if (places)
		places->paths = calloc(count + 1, sizeof(*places->paths));
	if (!places || !places->paths) {
		entry_places_free(places);
		return NULL;
	}
	places->symbols = path_names_symbols(names);
	for (u32 i = 0; i < count; i++) {
		const struct thread_path *row = &paths->paths.rows[i];
		const u32 own = path_names_own(names, row->key.path);
		const struct call_path *path;

		if (own == HASH_NONE)
			continue;
		path = profile->seen[row->key.path];
		if (own < path->kernel_count)
			continue;
		places->paths[places->count++] = (struct entry_path){
			.tgid = row->key.tgid,
			.tid = row->key.tid,
			.entry = path->addresses[path->kernel_count],
			.own = path->addresses[own],
			.is_return = call_path_is_return(path, own),
			.slices = row->slices,
		};
	}
	qsort(places->paths, places->count, sizeof(*places->paths), by_entry);
	return places;
}

void entry_places_free(struct entry_places *places)
{
	if (!places)
		return;
	free(places->paths);
	free(places);
}

/* The first path that is not before @like. */
static u32 first_from(const struct entry_places *places, const struct entry_path *like)
{
	u32 low = 0, high = places->count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (by_thread_and_entry(&places->paths[middle], like) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct frame *entry_places_find(const struct entry_places *places, s32 tgid, s32 tid,
				      struct code_address entry)
{
	const struct entry_path like = { .tgid = tgid, .tid = tid, .entry = entry }, *most = NULL;
	u64 all = 0, own = 0, most_slices = 0;
	const u32 first = first_from(places, &like);
	const struct frame *frames, *line;
	size_t count;

	for (u32 i = first; i < places->count; i++) {
		const struct entry_path *path = &places->paths[i];

		if (by_thread_and_entry(path, &like))
			break;
		own = i > first && !by_address(&path[-1].own, &path->own) ? own : 0;
		own += path->slices;
		all += path->slices;
		if (own > most_slices) {
			most_slices = own;
			most = path;
		}
	}
	if (!most || most_slices < NEARLY_ALL * all)
		return NULL;
	count = symbols_frames(places->symbols, most->own, most->is_return, &frames);
	line = own_line(frames, count);
	/* it is said already, unless it has inlined code of a library there */
	return line == frames && !by_address(&most->own, &entry) ? NULL : line;
}
