/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User memory as walks of stacks read it: word by word, copied by windows
 * through a callback. What is in it is hostile.
 */
#ifndef GAPP_CORE_WINDOW_H
#define GAPP_CORE_WINDOW_H

#include "port.h"

/* Bytes copied at a time. A window never goes past the end of its page. */
#define GAPP_WINDOW_BYTES 1024
#define GAPP_WINDOW_PAGE 4096

#define GAPP_WINDOW_WORD 8

/* Words of a walk that are noted: of 32 frames along frame pointers, and some more. */
#define GAPP_READ_WORDS 80

/**
 * struct gapp_read - a word that a walk has read
 * @address: where
 * @word: what was there
 */
struct gapp_read {
	u64 address;
	u64 word;
};

/**
 * struct gapp_reads - what a walk has read
 * @count: how many words; more than GAPP_READ_WORDS: not all were noted
 * @read: the words
 */
struct gapp_reads {
	u32 count;
	struct gapp_read read[GAPP_READ_WORDS];
};

static inline void gapp_reads_add(struct gapp_reads *reads, u64 address, u64 word)
{
	const u32 count = reads->count;

	/* of a frame that keeps no frame pointer the way back is read twice */
	if (count && count <= GAPP_READ_WORDS && reads->read[count - 1].address == address)
		return;
	if (count < GAPP_READ_WORDS)
		reads->read[count] = (struct gapp_read){ .address = address, .word = word };
	reads->count = count + (count <= GAPP_READ_WORDS);
}

/**
 * struct gapp_window - a copy of a part of the stack
 * @copy: copies @bytes at @address to @to; false: not readable now
 * @context: its first argument
 * @limit: addresses from here on are not the process's
 * @reads: what is read is noted there; or NULL
 * @at: address of what is in @data, a multiple of 8
 * @bytes: how much, a multiple of 8; 0: nothing
 * @fills: how often something was copied, or could not be
 * @data: the copy
 */
struct gapp_window {
	bool (*copy)(void *context, void *to, u64 address, u32 bytes);
	void *context;
	u64 limit;
	struct gapp_reads *reads;
	u64 at;
	u32 bytes;
	u32 fills;
	u8 data[GAPP_WINDOW_BYTES];
};

/* Forgets what an earlier walk left. */
static inline void gapp_window_begin(struct gapp_window *window)
{
	window->bytes = 0;
	window->fills = 0;
}

bool gapp_window_move(struct gapp_window *window, u64 address);

/*
 * The word at an @offset of the copy that is less than @bytes, and a multiple of 8. Whoever wrote
 * the stack chooses it: no look behind the window, not even ahead.
 */
static inline u64 gapp_window_word(const struct gapp_window *window, u64 offset)
{
	u64 word;

	memcpy(&word, window->data + array_index_nospec(offset, window->bytes), sizeof(word));
	if (window->reads)
		gapp_reads_add(window->reads, window->at + offset, word);
	return word;
}

/* The word at an address. False: it is not readable, not all below the limit or not aligned. */
static inline bool gapp_window_read(struct gapp_window *window, u64 address, u64 *word)
{
	u64 offset = address - window->at;

	if (offset >= window->bytes || offset % GAPP_WINDOW_WORD) {
		if (!gapp_window_move(window, address))
			return false;
		offset = 0;
	}
	*word = gapp_window_word(window, offset);
	return true;
}

#endif /* GAPP_CORE_WINDOW_H */
