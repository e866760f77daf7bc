/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk along the frame pointers of a user stack. The stack is copied by
 * windows through a callback; what is in it is hostile.
 */
#ifndef GAPP_CORE_FPWALK_H
#define GAPP_CORE_FPWALK_H

#include <gapp_record.h>

#include "port.h"

/* Bytes copied at a time. A window never goes past the end of its page. */
#define GAPP_WINDOW_BYTES 1024
#define GAPP_WINDOW_PAGE 4096

/**
 * struct gapp_walk - a walk
 * @copy: copies @bytes at @address of the stack to @to; false: not readable now
 * @context: its first argument
 * @limit: addresses from here on are not the process's
 * @window_at: address of what is in @window
 * @window_bytes: how much; 0: nothing
 * @window: a copy of a part of the stack
 */
struct gapp_walk {
	bool (*copy)(void *context, void *to, u64 address, u32 bytes);
	void *context;
	u64 limit;
	u64 window_at;
	u32 window_bytes;
	u8 window[GAPP_WINDOW_BYTES];
};

u16 gapp_fpwalk(struct gapp_walk *walk, u64 ip, u64 sp, u64 bp, u64 *frames, u16 max,
		enum gapp_walk_end *end);

#endif /* GAPP_CORE_FPWALK_H */
