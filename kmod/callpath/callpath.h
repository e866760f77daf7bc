/* SPDX-License-Identifier: GPL-2.0 */
/* Call paths of the thread that is on this CPU, and the stack copies that go with them. */
#ifndef GAPP_CALLPATH_H
#define GAPP_CALLPATH_H

#include "address_spaces.h"
#include "core/path_cache.h"
#include "core/unwind.h"
#include "ring/buffers.h"

/* Room for the probe's own frames besides. */
#define GAPP_KERNEL_FRAMES (GAPP_MAX_STACK + 16)
/* Pieces of memory that a CPU remembers to have asked about. */
#define GAPP_ASKED 16

/**
 * struct gapp_asked - a piece of memory that the reader was asked about
 * @key: hash of address space and address
 * @when_ns: session time of the question, in nanoseconds
 */
struct gapp_asked {
	u64 key;
	u64 when_ns;
};

/*
 * struct gapp_unwinder - what one CPU needs to find call paths; only that CPU uses it
 * @unreadable: call paths that were cut because the stack was not in memory
 * @stack_copies_lost: stack copies that were too many, or found no room
 * @copy_credit_ns: time for which no stack copy was sent, up to a limit
 * @copy_seen_ns: CLOCK_MONOTONIC at which @copy_credit_ns was last brought up to date
 * @stack_copy: room for a stack copy, gapp_settings.stack_copy_bytes; NULL with GAPP_LEVEL_STATS
 * @rests_until_ns: CLOCK_MONOTONIC until which no stack is unwound
 * @asked: by a hash
 * @unwind: for user stacks
 * @frames: result of @unwind
 * @kernel_frames: for kernel stacks
 */
struct gapp_unwinder {
	const struct gapp_settings *settings;
	struct gapp_address_spaces *spaces;
	struct gapp_writer *writer;
	u64 unreadable;
	u64 stack_copies;
	u64 stack_copies_lost;
	u64 copy_credit_ns;
	u64 copy_seen_ns;
	void *stack_copy;
	u64 rests_until_ns;
	struct gapp_path_cache *path_cache;
	struct gapp_asked asked[GAPP_ASKED];
	struct gapp_unwind unwind;
	u64 frames[GAPP_MAX_STACK];
	unsigned long kernel_frames[GAPP_KERNEL_FRAMES];
};

u32 gapp_callpath_user(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
		       u64 now);
u32 gapp_callpath_kernel(struct gapp_unwinder *cpu, unsigned long from);

#endif /* GAPP_CALLPATH_H */
