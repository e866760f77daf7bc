/* SPDX-License-Identifier: GPL-2.0 */
/* What stacks.c and stacks_tail.c share. */
#ifndef GAPP_READ_STACKS_INT_H
#define GAPP_READ_STACKS_INT_H

#include "stacks.h"
#include "copies.h"

/**
 * struct seen - a path's number that has been looked up
 * @stack: its stack; NULL: it has not
 * @again_ns: when to look it up again: 0: it has not been, UINT64_MAX: it stays as it is, but for
 *	@changes
 * @changes: maps_changes() when that was last seen to be right
 * @tries: look-ups so far, as long as something in it is not known
 */
struct seen {
	struct stack *stack;
	u64 again_ns;
	u64 changes;
	u32 tries;
};

/**
 * struct stacks - all of them
 * @objects: what code is in
 * @maps: where addresses are looked up
 * @rings: where paths are
 * @stale: when the module walked by tables that were no longer right; NULL: not known
 * @stale_over: when nothing was so any more
 * @changes: maps_changes()
 * @kernel: what kernel addresses are in
 * @seen: by path number
 * @seen_count: elements of @seen
 * @slots: open addressing by hash of the places, NULL: free
 * @slot_count: a power of two
 * @count: stacks
 * @tails: stacks of copies
 * @unwinder: walks copies; NULL: none has come
 * @figures: of copies
 * @starved: that memory is short has been said
 */
struct stacks {
	struct objects *objects;
	struct maps *maps;
	const struct rings *rings;
	const struct outdated *stale;
	const u64 *stale_over;
	const u64 *changes;
	struct object *kernel;
	struct seen *seen;
	size_t seen_count;
	struct stack **slots;
	size_t slot_count;
	u32 count;
	struct tails tails;
	struct unwinder *unwinder;
	struct stacks_figures figures;
	bool starved;
};

/* What makes a stack what it is. */
struct stack_key {
	const struct place *places;
	u16 count;
	u8 method;
	bool stale;
};

/* The one stack of that key; NULL: no memory. */
struct stack *stacks_intern(struct stacks *stacks, const struct stack_key *key, u16 flags);

/*
 * A call may be the last instruction of what is mapped: so the call is looked up, which is before
 * the address where it returns to.
 */
struct place stacks_place(struct stacks *stacks, pid_t tgid, u64 address, bool is_return);

/* When a path was taken. */
struct stack_time {
	u64 begin_ns;
	u64 end_ns;
};

/* As many as there are, and that it ended there. */
#define STACKS_ALL UINT16_MAX

/*
 * How many of the frames of a path of the module's can be believed: up to the first one that is in
 * code of which the module was told what had been there before, for that is how the next one was
 * found.
 */
u16 stacks_believed(const struct stacks *stacks, pid_t tgid, struct stack_time time,
		    const u64 *words, u16 count, u16 flags);
/* The stack of these frames alone, as they are mapped now. NULL: no memory. */
struct stack *stacks_cut(struct stacks *stacks, pid_t tgid, const u64 *words, u16 count, u16 flags);

/* Of a path of the module's. */
static inline u8 stacks_method(u16 flags)
{
	return flags & GAPP_PATH_BY_TABLE && !(flags & GAPP_PATH_BY_FP) ? STACK_BY_TABLE :
									  STACK_BY_FP;
}

/* A module of another version may know ends that we do not. */
static inline u16 stacks_flags(u16 flags)
{
	u16 end = flags & GAPP_PATH_END_MASK;

	return end < GAPP_UNWIND_ENDS ? flags : (flags & ~GAPP_PATH_END_MASK) | GAPP_UNWIND_NO_RULE;
}

#endif /* GAPP_READ_STACKS_INT_H */
