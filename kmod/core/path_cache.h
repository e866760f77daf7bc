/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks of a CPU, by where they began: a thread waits where it has waited before. Where a walk lies
 * and which one it drives out; whether it would be the same again, kmod/cached.c finds out.
 */
#ifndef GAPP_CORE_PATH_CACHE_H
#define GAPP_CORE_PATH_CACHE_H

#include <gapp_record.h>

#include "window.h"

/*
 * Walks that a CPU remembers, of 1.3 KiB each. One is at its home, which a hash says, or at another
 * of the GAPP_PATH_CACHE_WAYS places of the same set. Threads of one program wait at the same
 * places of stacks that are equally far apart: with so many ways 16 of them find room whatever the
 * distance is, and nearly all of 64.
 */
#define GAPP_PATH_CACHE_BITS 7 /* of GAPP_PATH_CACHE_PATHS */
#define GAPP_PATH_CACHE_PATHS 128
#define GAPP_PATH_CACHE_WAYS 8

/**
 * struct gapp_path_key - where a walk began
 * @ip: instruction pointer
 * @sp: stack pointer
 * @fp: frame pointer
 * @code_id: number of the mappings that were known; 0: the walk needed none
 * @image: number of the address space
 */
struct gapp_path_key {
	u64 ip;
	u64 sp;
	u64 fp;
	u64 code_id;
	u32 image;
};

/**
 * struct gapp_cached_path - a walk
 * @key: where it began
 * @path: what it found; GAPP_PATH_NONE: nothing is remembered
 * @reads: what it has read
 */
struct gapp_cached_path {
	struct gapp_path_key key;
	u32 path;
	struct gapp_reads reads;
};

/**
 * struct gapp_path_cache - walks of a CPU
 * @drawn: for the draw of the next one that has to go
 * @cached: the walks, each GAPP_PATH_CACHE_WAYS in a row a set
 */
struct gapp_path_cache {
	u64 drawn;
	struct gapp_cached_path cached[GAPP_PATH_CACHE_PATHS];
};

/*
 * Where a walk from there is looked for first. Stacks are powers of two apart, and processes that
 * were forked have the same ones: without the shift a multiplication leaves that a pattern.
 */
static inline struct gapp_cached_path *gapp_path_cache_home(struct gapp_path_cache *cache,
							    const struct gapp_path_key *key)
{
	u64 hash = key->ip ^ key->sp >> 3 ^ (u64)key->image << 32;

	hash ^= hash >> 32;
	hash *= 0x9e3779b97f4a7c15ULL;
	return &cache->cached[hash >> (64 - GAPP_PATH_CACHE_BITS)];
}

/* It holds a walk that began just so. */
static inline bool gapp_path_cache_is_of(const struct gapp_cached_path *cached,
					 const struct gapp_path_key *key)
{
	return cached->path != GAPP_PATH_NONE && cached->key.ip == key->ip &&
	       cached->key.sp == key->sp && cached->key.fp == key->fp &&
	       cached->key.code_id == key->code_id && cached->key.image == key->image;
}

/* Words that are compared at a time: memos are filled up to a multiple of this. */
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
