// SPDX-License-Identifier: GPL-2.0
/* Copies of stacks: they finish paths, or are compared with them. */
#include "stacks_int.h"

/**
 * struct finding - a copy that is being looked at
 * @tail: the copy
 * @words: the module's path, innermost frame first; NULL: none was looked for
 * @count: frames of it
 * @flags: of it, as in struct gapp_path
 * @frames: what was found in the copy
 * @walk: how
 * @end: how that ended
 */
struct finding {
	const struct gapp_record_stack_copy *tail;
	const u64 *words;
	u16 count;
	u16 flags;
	u64 frames[GAPP_MAX_STACK];
	struct unwinding walk;
	enum unwind_end end;
};

/* Whether the last frame of the module's path was left by a call, and not by a signal. */
static bool was_left_by_call(struct stacks *stacks, const struct finding *finding)
{
	return finding->count > 1 && !unwinder_ends_signal(stacks->unwinder, finding->walk.mappings,
							   finding->words[finding->count - 2]);
}

static void walk_copy(struct stacks *stacks, struct finding *finding, bool from_last, u16 room)
{
	const struct gapp_record_stack_copy *tail = finding->tail;
	struct unwinding *walk = &finding->walk;

	*walk = (struct unwinding){
		.mappings = maps_list(stacks->maps, tail->tgid),
		.registers = tail->registers,
		.valid = tail->valid,
		.stack = tail + 1,
		.stack_at = tail->stack_at,
		.stack_bytes = tail->stack_bytes,
		.frames = finding->frames,
		.room = room,
	};
	walk->is_return = from_last && was_left_by_call(stacks, finding);
	finding->end = unwinder_walk(stacks->unwinder, walk);
}

/* Again, where something is known by now of what was not. */
static void find_frames(struct stacks *stacks, struct finding *finding, bool from_last, u16 room)
{
	pid_t tgid = finding->tail->tgid;

	walk_copy(stacks, finding, from_last, room);
	if (finding->end == UNWIND_UNMAPPED &&
	    maps_find(stacks->maps, tgid, finding->walk.unmapped - 1).object->kind !=
		    OBJECT_UNKNOWN)
		walk_copy(stacks, finding, from_last, room);
}

static u16 end_flag(enum unwind_end end)
{
	switch (end) {
	case UNWIND_OUTERMOST:
		return GAPP_UNWIND_COMPLETE;
	case UNWIND_FULL:
		return GAPP_UNWIND_FULL;
	case UNWIND_BEYOND:
		return STACK_END_COPY;
	case UNWIND_UNMAPPED:
		return GAPP_UNWIND_UNMAPPED;
	default:
		return GAPP_UNWIND_NO_RULE;
	}
}

/* The module's path but for its last frame, and what was found from that on. */
static int join(struct stacks *stacks, const struct finding *finding, const struct stack **stack)
{
	u16 first = finding->count ? finding->count - 1 : 0, count = finding->count;
	bool found = finding->walk.count > 1 || finding->end == UNWIND_OUTERMOST || !finding->count;
	u16 flags = finding->flags & (GAPP_PATH_BY_TABLE | GAPP_PATH_BY_FP);
	struct place places[GAPP_MAX_STACK];
	struct stack_key key = { .places = places, .method = STACK_BY_COPY };

	if (found) {
		count = first + finding->walk.count;
		flags |= end_flag(finding->end);
	} else {
		flags = finding->flags;
		key.method = stacks_method(flags);
	}
	*stack = NULL;
	if (!count)
		return 0;
	for (u16 i = 0; i < count; i++) {
		u64 address = found && i >= first ? finding->frames[i - first] : finding->words[i];

		places[i] = stacks_place(stacks, finding->tail->tgid, address, i > 0);
	}
	key.count = count;
	*stack = stacks_intern(stacks, &key, flags);
	stacks->figures.longer += count > finding->count;
	stacks->figures.whole += (flags & GAPP_PATH_END_MASK) == GAPP_UNWIND_COMPLETE;
	return *stack ? 0 : -1;
}

static int finish(struct stacks *stacks, struct finding *finding)
{
	const struct gapp_record_stack_copy *tail = finding->tail;
	struct stack_time time = { tail->head.time_ns, tail->head.time_ns };
	u16 believed = stacks_believed(stacks, tail->tgid, time, finding->words, finding->count,
				       finding->flags);
	const struct stack *stack = NULL;

	stacks->figures.tails++;
	if (believed < finding->count) {
		/* the registers are of another frame, if of any */
		stack = stacks_cut(stacks, tail->tgid, finding->words, believed, finding->flags);
		if (!stack)
			return -1;
	} else if (finding->words || tail->path == GAPP_PATH_NONE) {
		find_frames(stacks, finding, true,
			    GAPP_MAX_STACK + 1 - (finding->count ? finding->count : 1));
		if (join(stacks, finding, &stack))
			return -1;
	}
	return tails_put(&stacks->tails, tail->copy, stack);
}

static void put_places(struct stacks *stacks, struct place *places, pid_t tgid, const u64 *frames,
		       u16 count)
{
	for (u16 i = 0; i < count; i++)
		places[i] = stacks_place(stacks, tgid, frames[i], i > 0);
}

static int compare(struct stacks *stacks, struct finding *finding)
{
	struct verify_path module = { finding->words, finding->count }, libdwfl;
	struct verify_case one = {
		.tgid = finding->tail->tgid,
		.end = finding->flags & GAPP_PATH_END_MASK,
		.count = finding->count,
	};

	find_frames(stacks, finding, false, GAPP_MAX_STACK);
	libdwfl = (struct verify_path){ finding->frames, finding->walk.count };
	one.libdwfl_end = finding->end;
	one.libdwfl_count = libdwfl.count;
	one.verdict = verify_compare(module, one.end, libdwfl, finding->end, &one.equal);
	if (one.verdict == VERIFY_DIFFERS || one.verdict == VERIFY_SHORTER) {
		put_places(stacks, one.places, one.tgid, module.frames, module.count);
		put_places(stacks, one.libdwfl_places, one.tgid, libdwfl.frames, libdwfl.count);
	}
	stacks->figures.verdict = one.verdict;
	return verify_note(&stacks->figures.verify, &one);
}

int stacks_add_tail(struct stacks *stacks, const struct gapp_record_stack_copy *tail)
{
	struct finding finding = { .tail = tail };

	if (tail->head.size < sizeof(*tail) || tail->head.size - sizeof(*tail) < tail->stack_bytes)
		return 0;
	if (!stacks->unwinder)
		stacks->unwinder = unwinder_new(stacks->objects);
	if (!stacks->unwinder)
		return -1;
	maps_advance(stacks->maps, tail->head.time_ns);
	maps_image(stacks->maps, tail->tgid, tail->image);
	if (!(tail->path & GAPP_PATH_COPY))
		finding.words =
			rings_path(stacks->rings, tail->path, &finding.count, &finding.flags);
	if (!finding.words || finding.count > GAPP_MAX_STACK) {
		finding.words = NULL;
		finding.count = 0;
		finding.flags = 0;
	}
	finding.flags = stacks_flags(finding.flags);
	return tail->flags & GAPP_STACK_COPY_VERIFY ? compare(stacks, &finding) :
						      finish(stacks, &finding);
}

const struct stacks_figures *stacks_figures(const struct stacks *stacks)
{
	return &stacks->figures;
}
