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

/**
 * struct gapp_window - a copy of a part of the stack
 * @copy: copies @bytes at @address to @to; false: not readable now
 * @context: its first argument
 * @limit: addresses from here on are not the process's
 * @at: address of what is in @data
 * @bytes: how much; 0: nothing
 * @data: the copy
 */
struct gapp_window {
	bool (*copy)(void *context, void *to, u64 address, u32 bytes);
	void *context;
	u64 limit;
	u64 at;
	u32 bytes;
	u8 data[GAPP_WINDOW_BYTES];
};

bool gapp_window_read(struct gapp_window *window, u64 address, u64 *word);

#endif /* GAPP_CORE_WINDOW_H */
