/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions that stored into words that threads wait for in busy-wait loops. Once it is known
 * which of them end waits for a word, the module can tell of all that these store.
 */
#ifndef GAPP_READ_STORE_SITES_H
#define GAPP_READ_STORE_SITES_H

#include <gapp.h>

#include "util/hash_index.h"

enum store_site_state {
	STORE_SITE_NEW, /* nothing is known of the instruction */
	STORE_SITE_KNOWN, /* it is known what it stores */
	STORE_SITE_TOLD, /* a breakpoint tells of its stores */
	STORE_SITE_REFUSED, /* its stores cannot be told */
};

struct store_site_key {
	u64 image;
	u64 address; /* in the instruction */
};

/**
 * struct store_site - an instruction
 * @tgid: process of the first thread that was seen to store there
 * @state: enum store_site_state
 * @stores: how often it was seen to store
 * @ends: how often it was seen to store what may end a wait, since stores were told last
 * @point: from STORE_SITE_KNOWN on: the instruction
 * @from_ns: since when all its stores are told; or were, up to @to_ns
 * @to_ns: 0: they never were
 */
struct store_site {
	struct store_site_key key;
	s32 tgid;
	u32 state;
	u64 stores;
	u64 ends;
	struct gapp_store_point point;
	u64 from_ns;
	u64 to_ns;
};

/**
 * struct store_sites - all such instructions
 * @ends: how often anything was seen to store what may end a wait, since stores were told last
 */
struct store_sites {
	KEYED(store_site) all;
	u64 ends;
};

void store_sites_free(struct store_sites *sites);

/* The number of the instruction at an address, which is new perhaps; HASH_NONE: no room for it. */
u32 store_sites_note(struct store_sites *sites, u32 image, u64 address, s32 tgid);

/* The word behind its store, of which the value may have been seen too late. */
u64 store_site_value(const struct store_site *site, u64 seen);

/* All that it stores is told from @from_ns on, CLOCK_MONOTONIC. */
void store_site_told(struct store_site *site, u64 from_ns);
/* Nothing is told any more from @to_ns on; with STORE_SITE_KNOWN it may be again later. */
void store_site_ended(struct store_site *site, enum store_site_state state, u64 to_ns);
/* Of no instruction anything is told any more. */
void store_sites_ended(struct store_sites *sites, u64 to_ns);
/* The module has given up the instruction that begins at @begin. */
void store_sites_given_up(struct store_sites *sites, u32 image, u64 begin, u64 to_ns);

/* The number of the instruction that begins at @begin, and is told of; HASH_NONE: none is. */
u32 store_sites_told_at(const struct store_sites *sites, u32 image, u64 begin);

/* Up to when back all its stores before @end_ns were told; UINT64_MAX: they were not. */
u64 store_site_told_from(const struct store_site *site, u64 end_ns);

#endif /* GAPP_READ_STORE_SITES_H */
