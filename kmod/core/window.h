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

/**
 * struct gapp_window - a copy of a part of the stack
 * @copy: copies @bytes at @address to @to; false: not readable now
 * @context: its first argument
 * @limit: addresses from here on are not the process's
 * @at: address of what is in @data, a multiple of 8
 * @bytes: how much, a multiple of 8; 0: nothing
 * @fills: how often something was copied, or could not be
 * @data: the copy
 */
struct gapp_window {
	bool (*copy)(void *context, void *to, u64 address, u32 bytes);
	void *context;
	u64 limit;
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
