// SPDX-License-Identifier: GPL-2.0
/* Which entry of the path cache holds a call path, and which one a new path replaces. */
#include "path_cache.h"
#include "mix.h"

/* Makes all entries empty. */
void gapp_path_cache_clear(struct gapp_path_cache *cache)
{
	u32 i;

	for (i = 0; i < GAPP_PATH_CACHE_PATHS; i++)
		cache->cached[i].path = GAPP_PATH_NONE;
}

/* Index of the first entry in the set of @home. */
static u32 set_of(const struct gapp_path_cache *cache, const struct gapp_cached_path *home)
{
	return (u32)(home - cache->cached) / GAPP_PATH_CACHE_WAYS * GAPP_PATH_CACHE_WAYS;
}

/**
 * gapp_path_cache_find() - search the set of a path
 * @cache: path cache of this CPU
 * @home: gapp_path_cache_home() of @key
 * @key: where the unwind began
 *
 * Return: the entry, whose words the caller compares; or NULL.
 */
const struct gapp_cached_path *gapp_path_cache_find(const struct gapp_path_cache *cache,
						    const struct gapp_cached_path *home,
						    const struct gapp_path_key *key)
{
	const struct gapp_cached_path *cached = &cache->cached[set_of(cache, home)];
	u32 way;

	for (way = 0; way < GAPP_PATH_CACHE_WAYS; way++, cached++)
		if (gapp_path_cache_is_of(cached, key))
			return cached;
	return NULL;
}

/* Whether an entry of the thread and instruction of @key is useless: its stack has changed. */
static bool is_outdated(const struct gapp_cached_path *cached, const struct gapp_path_key *key)
{
	return cached->key.ip == key->ip && cached->key.sp == key->sp &&
	       cached->key.image == key->image;
}

/*
 * Chooses the entry for a new path: an outdated or empty one, the home if it is empty, or else one
 * at random: if one thread more than there are ways take turns, the oldest entry is always the one
 * needed next.
 */
static u32 entry_for(struct gapp_path_cache *cache, const struct gapp_cached_path *home,
		     const struct gapp_path_key *key)
{
	const u32 first = set_of(cache, home);
	u32 empty = GAPP_PATH_CACHE_PATHS, i;

	for (i = first; i < first + GAPP_PATH_CACHE_WAYS; i++) {
		if (is_outdated(&cache->cached[i], key))
			return i;
		if (cache->cached[i].path == GAPP_PATH_NONE)
			empty = i;
	}
	if (home->path == GAPP_PATH_NONE)
		return home - cache->cached;
	if (empty < GAPP_PATH_CACHE_PATHS)
		return empty;
	return first + gapp_scale(gapp_mix(++cache->drawn), GAPP_PATH_CACHE_WAYS);
}

/**
 * gapp_path_cache_begin() - take an entry for an unwind
 * @cache: path cache of this CPU, which has no valid entry for @key
 * @home: gapp_path_cache_home() of @key
 * @key: where the unwind begins
 *
 * Return: the entry. The unwind adds the words that it reads; the entry counts as empty until
 * gapp_path_cache_end().
 */
struct gapp_cached_path *gapp_path_cache_begin(struct gapp_path_cache *cache,
					       const struct gapp_cached_path *home,
					       const struct gapp_path_key *key)
{
	struct gapp_cached_path *cached = &cache->cached[entry_for(cache, home, key)];

	cached->path = GAPP_PATH_NONE;
	cached->key = *key;
	cached->reads.count = 0;
	return cached;
}

/**
 * gapp_path_cache_end() - fill in the entry after the unwind
 * @cached: the entry that gapp_path_cache_begin() returned
 * @path: number of the call path; GAPP_PATH_NONE: the entry stays empty
 */
void gapp_path_cache_end(struct gapp_cached_path *cached, u32 path)
{
	struct gapp_reads *reads = &cached->reads;
	u64 first = ~0ULL, last = 0;
	u32 i;

	if (reads->count > GAPP_READ_WORDS || path == GAPP_PATH_LOST)
		return;
	for (; reads->count % GAPP_PATH_CACHE_AT_ONCE; reads->count++)
		reads->read[reads->count] = reads->read[reads->count - 1];
	for (i = 0; i < reads->count; i++) {
		const u64 address = reads->read[i].address;

		first = address < first ? address : first;
		last = address > last ? address : last;
	}
	cached->first = first;
	cached->last = last;
	cached->path = path;
}
