// SPDX-License-Identifier: GPL-2.0

#include <stdint.h>

#include "core/mix.h"

#include "profile_private.h"

/* The same function is the same pointer; code without a name is where it, or its function, is. */
u64 walk_hash_function(const struct walk *walk, u32 frame)
{
	const struct code_address *place = &walk->stack->addresses[frame];

	if (walk->functions[frame]->function)
		return gapp_mix((uintptr_t)walk->functions[frame]);
	return gapp_hash_add((uintptr_t)place->object, walk->functions[frame]->offset);
}

static void walk_hash(struct walk *walk)
{
	walk->hash = 0;
	for (u32 i = walk->first; i < walk->count; i++)
		walk->hash = gapp_hash_add(walk->hash, walk_hash_function(walk, i));
}

/* The module's tables and libdwfl follow the rule of each frame; the frame pointer alone does not.
 */
static bool is_believed(const struct call_path *stack)
{
	return stack->flags & (GAPP_PATH_KERNEL | GAPP_PATH_BY_TABLE) ||
	       stack->method == PATH_BY_COPY;
}

/* What follows frame @i was found with its frame pointer: is that its caller? */
static bool ends_walk(struct walk *walk, u32 i, struct symbols *symbols)
{
	switch (symbols_frame_rule(symbols, walk->stack->addresses[i], walk_is_return(i))) {
	case FRAME_OUTERMOST:
		walk->end = GAPP_UNWIND_COMPLETE;
		return true;
	case FRAME_OTHER:
		walk->end = PATH_END_NO_FP;
		return true;
	default:
		return false;
	}
}

/**
 * walk_stack() - finds the functions of a stack, as far as they can be believed
 * @walk: the result, to be freed
 * @stack: of at least one frame
 * @symbols: names
 *
 * Return: 0, or -1 without memory.
 */
int walk_stack(struct walk *walk, const struct call_path *stack, struct symbols *symbols)
{
	bool believed = is_believed(stack);

	*walk = (struct walk){
		.stack = stack,
		.functions = calloc(stack->count, sizeof(*walk->functions)),
		.end = call_path_end(stack),
	};
	if (!walk->functions)
		return -1;
	for (u32 i = 0; i < stack->count; i++) {
		walk->functions[i] =
			symbols_function(symbols, stack->addresses[i], walk_is_return(i));
		if (!walk->functions[i])
			return -1;
		/*
		 * With which libc begins programs and threads is on every path, and not said by
		 * every libc's call frame information.
		 */
		if (i && walk->functions[i]->outermost) {
			walk->end = GAPP_UNWIND_COMPLETE;
			break;
		}
		walk->count = i + 1;
		if (!believed && ends_walk(walk, i, symbols))
			break;
	}
	walk->complete = walk->end == GAPP_UNWIND_COMPLETE;
	walk_hash(walk);
	return 0;
}

void walk_free(struct walk *walk)
{
	free(walk->functions);
	walk->functions = NULL;
}

bool walk_same_function(const struct walk *a, u32 a_frame, const struct walk *b, u32 b_frame)
{
	const struct frame *x = a->functions[a_frame], *y = b->functions[b_frame];
	const struct code_address *p = &a->stack->addresses[a_frame],
				  *q = &b->stack->addresses[b_frame];

	if (x->function || y->function)
		return x == y;
	return p->object == q->object && x->offset == y->offset;
}

/* The outermost frame that is not code with which libc starts programs and threads. */
static struct object *starts_in(const struct walk *walk)
{
	u32 i = walk->count - 1;

	while (i && walk->functions[i]->outermost)
		i--;
	return walk->stack->addresses[i].object;
}

static struct object *main_is_in(const struct walk *walk)
{
	for (u32 i = 0; i < walk->count; i++) {
		const char *name = walk->functions[i]->function;

		if (name && !strcmp(name, "main"))
			return walk->stack->addresses[i].object;
	}
	return NULL;
}

/* As many programs are told apart as is likely that one target runs. */
#define MAX_PROGRAMS 64

struct programs {
	const struct object *objects[MAX_PROGRAMS];
	size_t count;
};

static bool is_program(const struct programs *programs, const struct object *object)
{
	for (size_t i = 0; i < programs->count; i++) {
		if (programs->objects[i] == object)
			return true;
	}
	return false;
}

static void add_program(struct programs *programs, const struct object *object)
{
	if (object && programs->count < MAX_PROGRAMS && !is_program(programs, object))
		programs->objects[programs->count++] = object;
}

/* The program may be mapped from another root, or by another name. */
static bool is_named(const struct object *object, const struct profile_options *options)
{
	if (options->program_inode && object->dev == options->program_dev &&
	    object->inode == options->program_inode)
		return true;
	return !strcmp(object->path, options->program);
}

static void skip_libraries(struct walk *walk, const struct profile_options *options,
			   const struct programs *programs)
{
	for (u32 i = 0; i < walk->count; i++) {
		const struct object *object = walk->stack->addresses[i].object;

		if (options->program ? is_named(object, options) : is_program(programs, object)) {
			walk->first = i;
			walk_hash(walk);
			return;
		}
	}
}

/**
 * walks_skip_libraries() - begins paths at the first frame of the program itself
 * @walks: the paths; one without such a frame stays as it is
 * @count: how many
 * @options: the program's file; where they name none: the files in which main() was seen, or if
 *	there is none, those that whole paths begin in
 */
void walks_skip_libraries(struct walk *walks, size_t count, const struct profile_options *options)
{
	struct programs programs = { .count = 0 };
	bool main_seen;

	for (size_t i = 0; i < count; i++) {
		if (walks[i].stack)
			add_program(&programs, main_is_in(&walks[i]));
	}
	main_seen = programs.count;
	for (size_t i = 0; i < count; i++) {
		if (!main_seen && walks[i].stack && walks[i].complete)
			add_program(&programs, starts_in(&walks[i]));
	}
	for (size_t i = 0; i < count; i++) {
		if (walks[i].stack)
			skip_libraries(&walks[i], options, &programs);
	}
}
