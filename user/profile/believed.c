// SPDX-License-Identifier: GPL-2.0

#include <stdint.h>

#include "core/mix.h"

#include "profile_private.h"

/* A named function has one struct frame; object and offset identify code without a name. */
u64 function_hash(const struct believed *believed, u32 frame)
{
	const struct code_address *place = &believed->stack->addresses[frame];

	if (believed->functions[frame]->function)
		return gapp_mix((uintptr_t)believed->functions[frame]);
	return gapp_hash_add((uintptr_t)place->object, believed->functions[frame]->offset);
}

static void believed_hash(struct believed *believed)
{
	believed->hash = 0;
	for (u32 i = believed->first; i < believed->count; i++)
		believed->hash = gapp_hash_add(believed->hash, function_hash(believed, i));
}

/* Whether unwind tables, libdwfl or the kernel found the frames, and not frame pointers alone. */
static bool is_believed(const struct call_path *stack)
{
	return stack->flags & (GAPP_PATH_KERNEL | GAPP_PATH_BY_TABLE) ||
	       stack->method == PATH_BY_COPY;
}

/* Whether the path ends at frame @i: it is outermost, or its code keeps no frame pointer. */
static bool is_last(struct believed *believed, u32 i, struct symbols *symbols)
{
	enum frame_rule rule = symbols_frame_rule(symbols, believed->stack->addresses[i],
						  call_path_is_return(believed->stack, i));

	if (rule == FRAME_OUTERMOST)
		believed->end = GAPP_UNWIND_COMPLETE;
	if (rule == FRAME_OTHER)
		believed->end = PATH_END_NO_FP;
	return rule == FRAME_OUTERMOST || rule == FRAME_OTHER;
}

/* Whether all of the stack was followed, and only how another stack led to it is not known. */
static bool ends_where_stacks_change(const struct believed *believed)
{
	return believed->count == believed->stack->count && !believed->stack->cut &&
	       believed->functions[believed->count - 1]->switches &&
	       (believed->end == GAPP_UNWIND_NO_FRAME || believed->end == GAPP_UNWIND_NO_RULE ||
		believed->end == GAPP_UNWIND_LOOP);
}

/* Begins the path at the first function that is not the scheduler's, as /proc/PID/wchan does. */
static void skip_scheduler(struct believed *believed)
{
	while (believed->first + 1 < believed->count &&
	       believed->functions[believed->first]->scheduler)
		believed->first++;
}

int believe(struct believed *believed, const struct call_path *stack, struct symbols *symbols)
{
	bool by_rule = is_believed(stack);

	*believed = (struct believed){
		.stack = stack,
		.functions = calloc(stack->count, sizeof(*believed->functions)),
		.end = call_path_end(stack),
	};
	if (!believed->functions)
		return -1;
	for (u32 i = 0; i < stack->count; i++) {
		believed->functions[i] = symbols_function(symbols, stack->addresses[i],
							  call_path_is_return(stack, i));
		if (!believed->functions[i])
			return -1;
		/*
		 * Leaves out the code with which libc, or Go's runtime, starts programs and
		 * threads. Not every libc's call frame information marks that code as outermost.
		 * The kernel starts all threads, so its frames are the outermost only of its own
		 * threads.
		 */
		if (call_path_is_return(stack, i) && believed->functions[i]->outermost &&
		    (i > stack->kernel_count || stack->kernel_count == stack->count)) {
			believed->end = GAPP_UNWIND_COMPLETE;
			break;
		}
		believed->count = i + 1;
		if (!by_rule && i >= stack->kernel_count && is_last(believed, i, symbols))
			break;
	}
	if (ends_where_stacks_change(believed))
		believed->end = GAPP_UNWIND_COMPLETE;
	skip_scheduler(believed);
	believed->complete = believed->end == GAPP_UNWIND_COMPLETE;
	believed_hash(believed);
	return 0;
}

void believed_free(struct believed *believed)
{
	free(believed->functions);
	believed->functions = NULL;
}

bool function_same(const struct believed *a, u32 a_frame, const struct believed *b, u32 b_frame)
{
	const struct frame *x = a->functions[a_frame], *y = b->functions[b_frame];
	const struct code_address *p = &a->stack->addresses[a_frame],
				  *q = &b->stack->addresses[b_frame];

	if (x->function || y->function)
		return x == y;
	return p->object == q->object && x->offset == y->offset;
}

/* The object of the outermost frame that is not libc's code to start programs and threads. */
static struct object *starts_in(const struct believed *believed)
{
	u32 i = believed->count - 1;

	while (i && believed->functions[i]->outermost)
		i--;
	return believed->stack->addresses[i].object;
}

static struct object *main_is_in(const struct believed *believed)
{
	for (u32 i = 0; i < believed->count; i++) {
		const char *name = believed->functions[i]->function;

		if (name && !strcmp(name, "main"))
			return believed->stack->addresses[i].object;
	}
	return NULL;
}

/* Program files of one target at most; few targets run so many. */
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

/* Compares device and inode first, because the file may be mapped by another path. */
static bool is_named(const struct object *object, const struct profile_options *options)
{
	if (options->program_inode && object->dev == options->program_dev &&
	    object->inode == options->program_inode)
		return true;
	return !strcmp(object->path, options->program);
}

static void skip_libraries(struct believed *believed, const struct profile_options *options,
			   const struct programs *programs)
{
	for (u32 i = 0; i < believed->count; i++) {
		const struct object *object = believed->stack->addresses[i].object;

		if (options->program ? is_named(object, options) : is_program(programs, object)) {
			believed->first = i;
			believed_hash(believed);
			return;
		}
	}
}

void believed_skip_libraries(struct believed *believed, size_t count,
			     const struct profile_options *options)
{
	struct programs programs = { .count = 0 };
	bool main_seen;

	for (size_t i = 0; i < count; i++) {
		if (believed[i].stack)
			add_program(&programs, main_is_in(&believed[i]));
	}
	main_seen = programs.count;
	for (size_t i = 0; i < count; i++) {
		if (!main_seen && believed[i].stack && believed[i].complete)
			add_program(&programs, starts_in(&believed[i]));
	}
	for (size_t i = 0; i < count; i++) {
		if (believed[i].stack)
			skip_libraries(&believed[i], options, &programs);
	}
}

/* Makes room for what is believed of each path. Returns 0, or -1 without memory. */
int believed_begin(struct ranker *ranker)
{
	u32 count = ranker->profile->seen_room;

	ranker->believed = calloc(count + 1, sizeof(*ranker->believed));
	ranker->path_rules = calloc(count + 1, sizeof(*ranker->path_rules));
	return ranker->believed && ranker->path_rules ? 0 : -1;
}

/* Believes all paths of the profile. Returns 0, or -1 without memory. */
int believed_all(struct ranker *ranker)
{
	const struct profile *profile = ranker->profile;

	if (believed_begin(ranker))
		return -1;
	for (u32 i = 0; i < profile->seen_room; i++)
		if (profile->seen[i] &&
		    believe(&ranker->believed[i], profile->seen[i], ranker->symbols))
			return -1;
	return 0;
}

void believed_end(struct ranker *ranker)
{
	for (u32 i = 0; ranker->believed && i < ranker->profile->seen_room; i++)
		believed_free(&ranker->believed[i]);
	free(ranker->believed);
	free(ranker->path_rules);
}
