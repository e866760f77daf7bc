// SPDX-License-Identifier: GPL-2.0
#include "stacks_int.h"

#include <gapp.h>

#include "core/mix.h"

#define FIRST_SLOTS 1024
#define FIRST_RETRY_NS (NSEC_PER_SEC / 10)
#define TRIES_MAX 7

struct stacks *stacks_new(struct objects *objects, struct maps *maps, const struct rings *rings)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));
	static const u64 never;

	if (!stacks)
		return NULL;
	stacks->stale_over = &never;
	stacks->objects = objects;
	stacks->maps = maps;
	stacks->changes = maps_changes(maps);
	stacks->rings = rings;
	stacks->kernel = objects_get(objects, OBJECT_KERNEL, "[kernel]", 0, 0, 0);
	stacks->slots = calloc(FIRST_SLOTS, sizeof(*stacks->slots));
	stacks->slot_count = FIRST_SLOTS;
	if (!stacks->kernel || !stacks->slots) {
		stacks_free(stacks);
		return NULL;
	}
	return stacks;
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < stacks->slot_count && stacks->slots; i++)
		free(stacks->slots[i]);
	free(stacks->slots);
	free(stacks->seen);
	tails_free(&stacks->tails);
	unwinder_free(stacks->unwinder);
	verify_free(&stacks->figures.verify);
	free(stacks);
}

void stacks_set_stale(struct stacks *stacks, const struct outdated *stale)
{
	stacks->stale = stale;
	stacks->stale_over = outdated_over(stale);
}

static const struct stack *starve(struct stacks *stacks)
{
	if (!stacks->starved)
		out_of_memory();
	stacks->starved = true;
	return NULL;
}

static struct seen *seen_of(struct stacks *stacks, u32 path)
{
	size_t count = stacks->seen_count ? stacks->seen_count : 256;
	struct seen *seen;

	if (path < stacks->seen_count)
		return &stacks->seen[path];
	while (count <= path)
		count *= 2;
	seen = reallocarray(stacks->seen, count, sizeof(*seen));
	if (!seen)
		return NULL;
	memset(seen + stacks->seen_count, 0, (count - stacks->seen_count) * sizeof(*seen));
	stacks->seen = seen;
	stacks->seen_count = count;
	return &seen[path];
}

static u64 hash_of(const struct stack_key *key)
{
	u64 hash = gapp_hash_add(key->count, key->method | (u32)key->stale << 8);

	for (u16 i = 0; i < key->count; i++) {
		hash = gapp_hash_add(hash, (uintptr_t)key->places[i].object);
		hash = gapp_hash_add(hash, key->places[i].offset);
	}
	return hash;
}

static bool is_same(const struct stack *stack, const struct stack_key *key)
{
	if (stack->count != key->count || stack->method != key->method ||
	    stack->stale != key->stale)
		return false;
	for (u16 i = 0; i < key->count; i++)
		if (stack->places[i].object != key->places[i].object ||
		    stack->places[i].offset != key->places[i].offset)
			return false;
	return true;
}

/* The slot that a stack is in, or would be. */
static struct stack **slot_of(struct stack **slots, size_t slot_count, const struct stack_key *key)
{
	size_t i = hash_of(key);

	while (slots[i & (slot_count - 1)] && !is_same(slots[i & (slot_count - 1)], key))
		i++;
	return &slots[i & (slot_count - 1)];
}

/* Leaves a quarter of the slots free. */
static int make_room(struct stacks *stacks)
{
	size_t slot_count = 2 * stacks->slot_count;
	struct stack **slots, *stack;

	if (stacks->count < stacks->slot_count / 4 * 3)
		return 0;
	slots = calloc(slot_count, sizeof(*slots));
	if (!slots)
		return -1;
	for (size_t i = 0; i < stacks->slot_count; i++) {
		stack = stacks->slots[i];
		if (stack)
			*slot_of(slots, slot_count,
				 &(struct stack_key){ stack->places, stack->count, stack->method,
						      stack->stale }) = stack;
	}
	free(stacks->slots);
	stacks->slots = slots;
	stacks->slot_count = slot_count;
	return 0;
}

struct stack *stacks_intern(struct stacks *stacks, const struct stack_key *key, u16 flags)
{
	struct stack **slot, *stack;

	if (make_room(stacks))
		return NULL;
	slot = slot_of(stacks->slots, stacks->slot_count, key);
	stack = *slot;
	if (stack) {
		/* once known to reach its outermost frame, it does; and what can be believed, can
		 */
		if ((flags & GAPP_PATH_END_MASK) == GAPP_UNWIND_COMPLETE ||
		    (stack_end(stack) != GAPP_UNWIND_COMPLETE && flags & GAPP_PATH_BY_TABLE))
			stack->flags = flags;
		return stack;
	}
	stack = malloc(sizeof(*stack) + key->count * sizeof(*key->places));
	if (!stack)
		return NULL;
	stack->id = stacks->count++;
	stack->flags = flags;
	stack->count = key->count;
	stack->method = key->method;
	stack->stale = key->stale;
	memcpy(stack->places, key->places, key->count * sizeof(*key->places));
	*slot = stack;
	return stack;
}

struct place stacks_place(struct stacks *stacks, pid_t tgid, u64 address, bool is_return)
{
	struct place place;

	if (!address)
		is_return = false;
	place = maps_find(stacks->maps, tgid, address - is_return);
	place.offset += is_return;
	return place;
}

static const struct stack *get_tail(struct stacks *stacks, u32 number)
{
	const struct stack *stack = tails_get(&stacks->tails, number);

	stacks->figures.unknown += !stack;
	return stack;
}

u16 stacks_believed(const struct stacks *stacks, pid_t tgid, struct stack_time time,
		    const u64 *words, u16 count, u16 flags)
{
	if (!(flags & GAPP_PATH_BY_TABLE) || !stacks->stale ||
	    !outdated_any(stacks->stale, tgid, time.begin_ns, time.end_ns))
		return STACKS_ALL;
	for (u16 i = 0; i < count; i++)
		if (outdated_at(stacks->stale, tgid, words[i] - !!i, time.begin_ns, time.end_ns))
			return i + 1;
	return STACKS_ALL;
}

struct stack *stacks_cut(struct stacks *stacks, pid_t tgid, const u64 *words, u16 count, u16 flags)
{
	struct place places[GAPP_MAX_STACK];

	for (u16 i = 0; i < count; i++)
		places[i] = stacks_place(stacks, tgid, words[i], i > 0);
	flags = (flags & ~GAPP_PATH_END_MASK) | GAPP_UNWIND_UNMAPPED;
	/* one that others found whole is another stack */
	return stacks_intern(
		stacks, &(struct stack_key){ places, count, stacks_method(flags), true }, flags);
}

/* Whether the path cannot be believed as a whole; then @stack is what can be, or NULL. */
static bool is_cut(struct stacks *stacks, u32 path, pid_t tgid, struct stack_time time,
		   const struct stack **stack)
{
	u16 count, flags, believed;
	const u64 *words;

	if (!stacks->stale || !outdated_any(stacks->stale, tgid, time.begin_ns, time.end_ns))
		return false;
	words = rings_path(stacks->rings, path, &count, &flags);
	if (!words || count > GAPP_MAX_STACK)
		return false;
	believed = stacks_believed(stacks, tgid, time, words, count, flags);
	if (believed == STACKS_ALL)
		return false;
	*stack = stacks_cut(stacks, tgid, words, believed, stacks_flags(flags));
	if (!*stack)
		starve(stacks);
	return true;
}

static bool is_whole(const struct stack *stack)
{
	for (u16 i = 0; i < stack->count; i++)
		if (stack->places[i].object->kind == OBJECT_UNKNOWN)
			return false;
	return true;
}

/* The stack of a path that is not known, or of which something is not, or is another thing now. */
static const struct stack *look_up(struct stacks *stacks, u32 path, pid_t tgid, u64 time_ns)
{
	struct place places[GAPP_MAX_STACK];
	u64 changes = *stacks->changes;
	bool unknown = false;
	struct stack *stack;
	struct seen *seen;
	u16 count, flags;
	const u64 *words;

	words = rings_path(stacks->rings, path, &count, &flags);
	if (!words || !count || count > ARRAY_SIZE(places))
		return NULL;
	flags = stacks_flags(flags);
	seen = seen_of(stacks, path);
	if (!seen)
		return starve(stacks);

	for (u16 i = 0; i < count; i++) {
		if (flags & GAPP_PATH_KERNEL)
			places[i] = (struct place){ .object = stacks->kernel, .offset = words[i] };
		else
			places[i] = stacks_place(stacks, tgid, words[i], i > 0);
		unknown |= places[i].object->kind == OBJECT_UNKNOWN;
	}
	seen->changes = changes;
	/* what was there has gone since, but was not replaced */
	if (unknown && seen->stack && is_whole(seen->stack))
		return seen->stack;
	stack = stacks_intern(
		stacks, &(struct stack_key){ places, count, stacks_method(flags), false }, flags);
	if (!stack)
		return starve(stacks);

	seen->stack = stack;
	seen->tries = unknown && seen->tries < TRIES_MAX ? seen->tries + 1 : TRIES_MAX;
	seen->again_ns = seen->tries < TRIES_MAX ? time_ns + (FIRST_RETRY_NS << (seen->tries - 1)) :
						   UINT64_MAX;
	return stack;
}

u64 stacks_until(const struct stacks *stacks, u32 path)
{
	return path < stacks->seen_count ? stacks->seen[path].again_ns : 0;
}

const u64 *stacks_changes(const struct stacks *stacks)
{
	return stacks->changes;
}

const u64 *stacks_over(const struct stacks *stacks)
{
	return stacks->stale_over;
}

/* Whether a path is known to be what it was when it was looked up. */
static bool is_known(struct stacks *stacks, u32 path, pid_t tgid, u64 time_ns)
{
	struct seen *seen;

	if (path >= stacks->seen_count || time_ns >= stacks->seen[path].again_ns)
		return false;
	seen = &stacks->seen[path];
	if (seen->changes != *stacks->changes) {
		if (maps_changed_since(stacks->maps, tgid, seen->changes))
			return false;
		seen->changes = *stacks->changes;
	}
	return true;
}

/* Anything but one that is known, and can be believed. */
static const struct stack *get(struct stacks *stacks, u32 path, pid_t tgid, u64 begin_ns,
			       u64 time_ns)
{
	const struct stack *cut;

	maps_advance(stacks->maps, time_ns);
	if (path & GAPP_PATH_COPY)
		return path < GAPP_PATH_LOST ? get_tail(stacks, path & ~GAPP_PATH_COPY) : NULL;
	if (is_cut(stacks, path, tgid, (struct stack_time){ begin_ns, time_ns }, &cut))
		return cut;
	if (is_known(stacks, path, tgid, time_ns))
		return stacks->seen[path].stack;
	return look_up(stacks, path, tgid, time_ns);
}

const struct stack *stacks_get(struct stacks *stacks, u32 path, pid_t tgid, u64 begin_ns,
			       u64 time_ns)
{
	/* nearly always */
	if (path < stacks->seen_count && time_ns < stacks->seen[path].again_ns &&
	    stacks->seen[path].changes == *stacks->changes && begin_ns > *stacks->stale_over)
		return stacks->seen[path].stack;
	return get(stacks, path, tgid, begin_ns, time_ns);
}
