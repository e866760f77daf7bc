// SPDX-License-Identifier: GPL-2.0
#include <linux/uaccess.h>

#include <gapp_record.h>

#include "core/mix.h"
#include "memo.h"

/* The one that a walk from there may be in. */
struct gapp_memo *gapp_memo_of(struct gapp_memo *memos, const struct gapp_memo_key *key)
{
	return &memos[(u32)((key->ip ^ key->sp >> 3) * 0x9e3779b97f4a7c15ULL >> 58) % GAPP_MEMOS];
}

/*
 * Whether all words are there that were. User memory may be gone: it is not faulted in. All of it
 * lies between the first address and the last, below the limit of user memory, or the walk could
 * not have read it.
 */
static bool reads_hold(const struct gapp_reads *reads)
{
	const u64 *word = reads->word, *const end = word + reads->count;
	const u64 base = reads->base;
	const u32 *at = reads->at;
	bool same = false;
	u64 is;

	pagefault_disable();
	if (!user_read_access_begin((const void __user *)(unsigned long)base, 1))
		goto enable;
	for (; word < end; word++, at++) {
		unsafe_get_user(is, (const u64 __user *)(unsigned long)(base + *at), out);
		if (is != *word)
			goto out;
	}
	same = true;
out:
	user_read_access_end();
enable:
	pagefault_enable();
	return same;
}

/**
 * gapp_memo_holds() - whether a walk would be the same again
 * @memo: gapp_memo_of() the key
 * @key: where it begins
 *
 * Of current, interrupts off.
 *
 * Return: true: its path is @memo's.
 */
bool gapp_memo_holds(const struct gapp_memo *memo, const struct gapp_memo_key *key)
{
	return memo->path != GAPP_PATH_NONE && memo->key.ip == key->ip && memo->key.sp == key->sp &&
	       memo->key.fp == key->fp && memo->key.code_id == key->code_id &&
	       memo->key.image == key->image && reads_hold(&memo->reads);
}

/**
 * gapp_memo_begin() - a walk is made, to be remembered in place of another
 * @memo: gapp_memo_of() the key; it holds nothing until gapp_memo_end()
 * @key: where it begins
 *
 * Return: where its reads are noted.
 */
struct gapp_reads *gapp_memo_begin(struct gapp_memo *memo, const struct gapp_memo_key *key)
{
	memo->path = GAPP_PATH_NONE;
	memo->key = *key;
	memo->reads.base = key->sp;
	memo->reads.count = 0;
	return &memo->reads;
}

/**
 * gapp_memo_end() - it is made
 * @memo: its memo
 * @path: number of its path, in the table for good; or GAPP_PATH_NONE: not to be remembered
 */
void gapp_memo_end(struct gapp_memo *memo, u32 path)
{
	if (memo->reads.count <= GAPP_READ_WORDS && path != GAPP_PATH_LOST)
		memo->path = path;
}
