// SPDX-License-Identifier: GPL-2.0
#include "path_cache.h"
#include "mix.h"

/* Nothing is remembered. */
void gapp_path_cache_clear(struct gapp_path_cache *cache)
{
	u32 i;

	for (i = 0; i < GAPP_PATH_CACHE_PATHS; i++)
		cache->cached[i].path = GAPP_PATH_NONE;
}

/* Index of the first of its set. */
static u32 set_of(const struct gapp_path_cache *cache, const struct gapp_cached_path *home)
{
	return (u32)(home - cache->cached) / GAPP_PATH_CACHE_WAYS * GAPP_PATH_CACHE_WAYS;
}

/**
 * gapp_path_cache_find() - the walk that began just so
 * @cache: this CPU's
 * @home: gapp_path_cache_home() of the key, where nearly all are
 * @key: where it began
 *
 * Return: its cached, or NULL.
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

/* Of the same thread at the same place, whose stack has changed since. */
static bool is_outdated(const struct gapp_cached_path *cached, const struct gapp_path_key *key)
{
	return cached->key.ip == key->ip && cached->key.sp == key->sp &&
	       cached->key.image == key->image;
}

/*
 * Where nothing is lost, at home if that is so there; or else one that is drawn: of threads that
 * take turns, and are one more than there are ways, the oldest would always be the one that comes
 * next.
 */
static u32 place_for(struct gapp_path_cache *cache, const struct gapp_cached_path *home,
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
 * gapp_path_cache_begin() - a walk is made, to be remembered
 * @cache: this CPU's, which hold none that is still right
 * @home: gapp_path_cache_home() of the key
 * @key: where it begins
 *
 * Return: its cached, which holds nothing until gapp_path_cache_end(); the reads are to be noted
 * there.
 */
struct gapp_cached_path *gapp_path_cache_begin(struct gapp_path_cache *cache,
					       const struct gapp_cached_path *home,
					       const struct gapp_path_key *key)
{
	struct gapp_cached_path *cached = &cache->cached[place_for(cache, home, key)];

	cached->path = GAPP_PATH_NONE;
	cached->key = *key;
	cached->reads.count = 0;
	return cached;
}

/**
 * gapp_path_cache_end() - it is made
 * @cached: its cached
 * @path: number of its path, in the table for good; or GAPP_PATH_NONE: not to be remembered
 */
void gapp_path_cache_end(struct gapp_cached_path *cached, u32 path)
{
	struct gapp_reads *reads = &cached->reads;

	if (reads->count > GAPP_READ_WORDS || path == GAPP_PATH_LOST)
		return;
	for (; reads->count % GAPP_PATH_CACHE_AT_ONCE; reads->count++)
		reads->read[reads->count] = reads->read[reads->count - 1];
	cached->path = path;
}
