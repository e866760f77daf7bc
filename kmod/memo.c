// SPDX-License-Identifier: GPL-2.0
#include <gapp_record.h>

#include "compat/user_word.h"
#include "core/mix.h"
#include "memo.h"

/* The one that a walk from there may be in. */
struct gapp_memo *gapp_memo_of(struct gapp_memo *memos, const struct gapp_memo_key *key)
{
	return &memos[(u32)((key->ip ^ key->sp >> 3) * 0x9e3779b97f4a7c15ULL >> 58) % GAPP_MEMOS];
}

/* Words that are compared at a time: memos are filled up to a multiple of this. */
#define AT_ONCE 4

static_assert(GAPP_READ_WORDS % AT_ONCE == 0);

/* Not zero: it is not as it was. */
static __always_inline u64 changed(const struct gapp_read *read, int *error)
{
	return gapp_user_word(read->address, error) ^ read->word;
}

/*
 * Whether all words are there that were. User memory may be gone: it is not faulted in. All of it
 * is below the limit of user memory, or the walk could not have read it.
 */
static bool reads_hold(const struct gapp_memo *memo)
{
	const struct gapp_read *read = memo->reads.read, *const end = read + memo->reads.count;
	bool same = false;
	u64 differs;
	int error = 0;

	pagefault_disable();
	if (!user_read_access_begin((const void __user *)(unsigned long)memo->key.sp, 1))
		goto enable;
	while (!(same = read >= end)) {
		differs = changed(&read[0], &error) | changed(&read[1], &error) |
			  changed(&read[2], &error) | changed(&read[3], &error);
		if (differs | error)
			break;
		read += AT_ONCE;
	}
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
	       memo->key.image == key->image && reads_hold(memo);
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
	struct gapp_reads *reads = &memo->reads;

	if (reads->count > GAPP_READ_WORDS || path == GAPP_PATH_LOST)
		return;
	for (; reads->count % AT_ONCE; reads->count++)
		reads->read[reads->count] = reads->read[reads->count - 1];
	memo->path = path;
}
