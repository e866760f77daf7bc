/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The path cache of a CPU: call paths by the registers with which their unwind
 * began, for a thread often waits where it has waited before. Each path comes
 * with the words of the stack that its unwind has read. As long as registers and
 * words are the same, so is the path; the caller compares the words.
 */
#ifndef GAPP_CORE_PATH_CACHE_H
#define GAPP_CORE_PATH_CACHE_H

#include <gapp_record.h>

#include "unwind.h"

/*
 * A cache has GAPP_PATH_CACHE_PATHS entries of 1.3 KiB. A hash gives the home of a path; the path
 * may be in any of the GAPP_PATH_CACHE_WAYS entries of the home's set. Threads of one program wait
 * at the same depths of stacks that are equally far apart: with so many ways 16 threads find room
 * at any distance, and nearly all of 64.
 */
#define GAPP_PATH_CACHE_BITS 7 /* log2 of GAPP_PATH_CACHE_PATHS */
#define GAPP_PATH_CACHE_PATHS 128
#define GAPP_PATH_CACHE_WAYS 8

/**
 * struct gapp_path_key - where an unwind began
 * @ip: instruction pointer
 * @sp: stack pointer
 * @fp: frame pointer
 * @list_id: number of the mapping list that the unwind used; 0: it used none
 * @image: number of the address space
 */
struct gapp_path_key {
	u64 ip;
	u64 sp;
	u64 fp;
	u64 list_id;
	u32 image;
};

/**
 * struct gapp_cached_path - an entry of the path cache
 * @key: where the unwind began
 * @path: number of the call path; GAPP_PATH_NONE: the entry is empty
 * @first: lowest address of a word that the unwind has read
 * @last: highest address
 * @reads: words that the unwind has read
 */
struct gapp_cached_path {
	struct gapp_path_key key;
	u32 path;
	u64 first;
	u64 last;
	struct gapp_reads reads;
};

/**
 * struct gapp_path_cache - the path cache of a CPU
 * @drawn: number of entries chosen at random so far
 * @cached: the entries; each GAPP_PATH_CACHE_WAYS in a row are a set
 */
struct gapp_path_cache {
	u64 drawn;
	struct gapp_cached_path cached[GAPP_PATH_CACHE_PATHS];
};

/*
 * The home of a path. Stacks are powers of two apart, and forked processes have equal ones: without
 * the shift of sp the product would keep that pattern.
 */
static inline struct gapp_cached_path *gapp_path_cache_home(struct gapp_path_cache *cache,
							    const struct gapp_path_key *key)
{
	u64 hash = key->ip ^ key->sp >> 3 ^ (u64)key->image << 32;

	hash ^= hash >> 32;
	hash *= 0x9e3779b97f4a7c15ULL;
	return &cache->cached[hash >> (64 - GAPP_PATH_CACHE_BITS)];
}

/* Whether an entry holds the path of an unwind that began at @key. */
static inline bool gapp_path_cache_is_of(const struct gapp_cached_path *cached,
					 const struct gapp_path_key *key)
{
	return cached->path != GAPP_PATH_NONE && cached->key.ip == key->ip &&
	       cached->key.sp == key->sp && cached->key.fp == key->fp &&
	       cached->key.list_id == key->list_id && cached->key.image == key->image;
}

/* The caller compares so many words at a time; an entry holds a multiple of this number. */
#define GAPP_PATH_CACHE_AT_ONCE 4

void gapp_path_cache_clear(struct gapp_path_cache *cache);
const struct gapp_cached_path *gapp_path_cache_find(const struct gapp_path_cache *cache,
						    const struct gapp_cached_path *home,
						    const struct gapp_path_key *key);
struct gapp_cached_path *gapp_path_cache_begin(struct gapp_path_cache *cache,
					       const struct gapp_cached_path *home,
					       const struct gapp_path_key *key);
void gapp_path_cache_end(struct gapp_cached_path *cached, u32 path);

#endif /* GAPP_CORE_PATH_CACHE_H */
