/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call paths of the thread that a CPU runs. Interrupts are off, and the caller
 * may hold the run queue's lock: user memory is copied, never faulted in.
 */
#ifndef GAPP_CALLPATH_H
#define GAPP_CALLPATH_H

#include "address_spaces.h"
#include "budget.h"
#include "core/path_cache.h"
#include "core/unwind.h"
#include "ring/buffers.h"

/* Frames of a kernel stack: those of the probe come before those of the path. */
#define GAPP_KERNEL_FRAMES (GAPP_MAX_STACK + 16)
/* Questions to the reader that a CPU remembers. */
#define GAPP_ASKED 16

/**
 * struct gapp_asked - a piece of memory for which the CPU has asked the reader for the mapping
 * @key: hash of address space and address
 * @when_ns: session time of the question, in nanoseconds
 */
struct gapp_asked {
	u64 key;
	u64 when_ns;
};

struct gapp_unwinder;

/**
 * struct gapp_lookup - a lookup of current's call path that the path cache did not answer
 * @cpu: unwinder of this CPU
 * @thread: thread of current
 * @now: session time, in nanoseconds
 * @regs: user registers with which current entered the kernel
 * @list: mappings of current's address space; NULL: unknown, or the session needs none
 * @image: number of current's address space
 *
 * It lies in struct gapp_unwinder, not on the stack: an address on the stack would cost every
 * lookup, also a hit in the path cache, the check of the stack protector.
 */
struct gapp_lookup {
	struct gapp_unwinder *cpu;
	const struct gapp_thread *thread;
	u64 now;
	struct pt_regs *regs;
	const struct gapp_mapping_list *list;
	u32 image;
};

/**
 * struct gapp_unwinder - what one CPU needs to find call paths; only that CPU uses it
 * @settings: settings of the session
 * @spaces: address spaces of the session
 * @writer: ring of this CPU
 * @unreadable: number of call paths cut where the stack was not in memory
 * @stack_copies: number of stack copies sent
 * @stack_copies_lost: number of stack copies beyond the rate, or without room in the ring
 * @paths_over_budget: number of call paths cut or not taken because they would have taken too long
 * @records_over_budget: number of records not written for the same reason
 * @met_32_bit: whether code of 32 bits had a call path to be taken
 * @longest_ns: most nanoseconds that a switch or a sample took, see gapp_callpath_note_time()
 * @copy_credit_ns: nanoseconds without a stack copy, up to a limit
 * @copy_seen_ns: CLOCK_MONOTONIC when @copy_credit_ns was brought up to date, in nanoseconds
 * @waker_rate: how many call paths of wakers it may take
 * @stack_copy: memory of gapp_settings.stack_copy_bytes bytes; NULL with GAPP_LEVEL_STATS
 * @late: the unwind under way has found no time for its next step
 * @unseen: looks in a row that have not found out whether a thread spins, for lack of time
 * @word: word that was read of user memory; not on the stack, for with a copy to the stack of an
 *	interrupt some kernels take a lock
 * @lookup: lookup under way
 * @path_cache: path cache of this CPU
 * @asked: recent questions, by their key
 * @unwind: state of the unwind by tables
 * @frames: frames that an unwind has found
 * @kernel_frames: frames of the kernel stack
 */
struct gapp_unwinder {
	const struct gapp_settings *settings;
	struct gapp_address_spaces *spaces;
	struct gapp_writer *writer;
	u64 unreadable;
	u64 stack_copies;
	u64 stack_copies_lost;
	u64 paths_over_budget;
	u64 records_over_budget;
	u64 longest_ns;
	u64 copy_credit_ns;
	u64 copy_seen_ns;
	struct gapp_rate waker_rate;
	void *stack_copy;
	bool late;
	bool met_32_bit;
	u8 unseen;
	u64 word;
	struct gapp_lookup lookup;
	struct gapp_path_cache *path_cache;
	struct gapp_asked asked[GAPP_ASKED];
	struct gapp_unwind unwind;
	u64 frames[GAPP_MAX_STACK];
	unsigned long kernel_frames[GAPP_KERNEL_FRAMES];
};

/* Whether a thread is in a busy-wait loop. */
enum gapp_spins {
	GAPP_SPINS_NOT,
	GAPP_SPINS,
	GAPP_SPINS_YIELDING, /* the loop yields or sleeps, too */
	GAPP_SPINS_UNKNOWN, /* there was no time for its call path */
};

u32 gapp_callpath_user(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
		       u64 now);
void gapp_callpath_leave_out(struct gapp_unwinder *cpu);
u32 gapp_callpath_in_time(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
			  u64 now);
u32 gapp_callpath_kernel(struct gapp_unwinder *cpu, unsigned long from);
enum gapp_spins gapp_callpath_spins(struct gapp_unwinder *cpu, bool deep,
				    struct gapp_spun_word *word);

/* A switch or a sample has taken so long; of switches that are timed, and paths not remembered. */
static inline void gapp_callpath_note_time(struct gapp_unwinder *cpu, u64 ns)
{
	WRITE_ONCE(cpu->longest_ns, max(cpu->longest_ns, ns));
}

/* callpath.c, for spins.c only */
u16 gapp_callpath_frames(struct gapp_unwinder *cpu, const struct gapp_mapping_list *list,
			 struct pt_regs *regs, u16 max, enum gapp_unwind_end *end);

/* stack_copy.c, for callpath.c only */
bool gapp_stack_copy_allowed(struct gapp_unwinder *cpu);
u32 gapp_stack_copy_send(const struct gapp_lookup *lookup, u32 path, u32 flags);
void gapp_stack_copy_need(const struct gapp_lookup *lookup, u64 address);

#endif /* GAPP_CALLPATH_H */
