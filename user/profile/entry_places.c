// SPDX-License-Identifier: GPL-2.0
#include "entry_places.h"

#include "profile_private.h"

/* Of the slices that ended on paths from an address, so many must have the same own code. */
#define NEARLY_ALL 0.9

/**
 * struct entry_path - a call path
 * @entry: its innermost address of a user's code
 * @own: the address of its innermost own code
 * @is_return: @own is a return address
 * @slices: slices that ended on it
 */
struct entry_path {
	struct code_address entry;
	struct code_address own;
	bool is_return;
	u64 slices;
};

/**
 * struct entry_places - call paths by their innermost addresses
 * @paths: in the order of by_entry()
 */
struct entry_places {
	struct symbols *symbols;
	struct entry_path *paths;
	u32 count;
};

static int by_address(const struct code_address *x, const struct code_address *y)
{
	return compare_by(three_way((uintptr_t)x->object, (uintptr_t)y->object),
			  three_way(x->offset, y->offset), 0);
}

static int by_entry(const void *a, const void *b)
{
	const struct entry_path *x = a, *y = b;

	return compare_by(by_address(&x->entry, &y->entry), by_address(&x->own, &y->own), 0);
}

/* Sets @slices, by id of the call path, to how many slices ended on it. */
static void count_slices(const struct profile *profile, u64 *slices, u32 count)
{
	for (u32 i = 0; i < profile->cells.index.count; i++) {
		const struct cell *cell = &profile->cells.rows[i];

		if (cell->key.end < count)
			slices[cell->key.end] += cell->figures.slices;
	}
	for (u32 i = 0; i < profile->sets.index.count; i++) {
		const struct set *set = &profile->sets.rows[i];

		if (set->key.end < count && set->key.then != THEN_ON)
			slices[set->key.end] += set->slices;
	}
}

struct entry_places *entry_places_new(const struct path_names *names)
{
	_cleanup_free_ u64 *slices = NULL;
	const struct profile *profile = path_names_profile(names);
	struct entry_places *places = calloc(1, sizeof(*places));

	slices = calloc(profile->seen_room + 1, sizeof(*slices));
	if (places)
		places->paths = calloc(profile->seen_room + 1, sizeof(*places->paths));
	if (!slices || !places || !places->paths) {
		entry_places_free(places);
		return NULL;
	}
	places->symbols = path_names_symbols(names);
	count_slices(profile, slices, profile->seen_room);
	for (u32 i = 0; i < profile->seen_room; i++) {
		const struct call_path *path = profile->seen[i];
		u32 own = path ? path_names_own(names, i) : HASH_NONE;

		if (own == HASH_NONE || own <= path->kernel_count)
			continue;
		places->paths[places->count++] = (struct entry_path){
			.entry = path->addresses[path->kernel_count],
			.own = path->addresses[own],
			.is_return = call_path_is_return(path, own),
			.slices = slices[i],
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

/* The first path from @entry or from an address behind it. */
static const struct entry_path *first_from(const struct entry_places *places,
					   const struct code_address *entry)
{
	u32 low = 0, high = places->count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (by_address(&places->paths[middle].entry, entry) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return &places->paths[low];
}

const struct frame *entry_places_find(const struct entry_places *places, struct code_address entry)
{
	const struct entry_path *end = places->paths + places->count, *most = NULL;
	const struct entry_path *first = first_from(places, &entry);
	u64 all = 0, own = 0, most_slices = 0;
	const struct frame *frames;

	for (const struct entry_path *path = first; path < end; path++) {
		bool same = path > first && !by_address(&path[-1].own, &path->own);

		if (by_address(&path->entry, &entry))
			break;
		/* a path that only samples hit counts, too, if there is no better one */
		own = (same ? own : 0) + path->slices + 1;
		all += path->slices + 1;
		if (own > most_slices) {
			most_slices = own;
			most = path;
		}
	}
	if (!most || most_slices < NEARLY_ALL * all)
		return NULL;
	return symbols_frames(places->symbols, most->own, most->is_return, &frames) ? frames : NULL;
}
