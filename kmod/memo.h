/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks of this CPU, by where they began: a thread waits where it has waited before. A walk depends
 * on three registers and on what it reads; if all of that is still the same, so is the path, which
 * need not be walked, hashed and looked up again. This is what most walks come to.
 */
#ifndef GAPP_MEMO_H
#define GAPP_MEMO_H

#include "core/window.h"

/* Walks that a CPU remembers: those that began elsewhere drive each other out. */
#define GAPP_MEMOS 64

/**
 * struct gapp_memo_key - where a walk began
 * @ip: instruction pointer
 * @sp: stack pointer
 * @fp: frame pointer
 * @code_id: number of the mappings that were known; 0: the walk needed none
 * @image: number of the address space
 */
struct gapp_memo_key {
	u64 ip;
	u64 sp;
	u64 fp;
	u64 code_id;
	u32 image;
};

/**
 * struct gapp_memo - a walk
 * @key: where it began
 * @path: what it found; GAPP_PATH_NONE: nothing is remembered
 * @reads: what it has read
 */
struct gapp_memo {
	struct gapp_memo_key key;
	u32 path;
	struct gapp_reads reads;
};

struct gapp_memo *gapp_memo_of(struct gapp_memo *memos, const struct gapp_memo_key *key);
bool gapp_memo_holds(const struct gapp_memo *memo, const struct gapp_memo_key *key);
struct gapp_reads *gapp_memo_begin(struct gapp_memo *memo, const struct gapp_memo_key *key);
void gapp_memo_end(struct gapp_memo *memo, u32 path);

#endif /* GAPP_MEMO_H */
