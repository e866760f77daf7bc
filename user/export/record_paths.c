// SPDX-License-Identifier: GPL-2.0
#include "record_paths.h"

#include "profile/profile.h"
#include "symbol/own_code.h"
#include "util/hash_index.h"

static int add(struct record_path *found, const struct frame *frame, struct code_address address)
{
	if (array_grow(&found->frames, &found->room, found->count, sizeof(*found->frames)))
		return -1;
	found->frames[found->count++] = (struct path_frame){ frame, address };
	return 0;
}

/* Adds the functions at one address. @own: the place is still to be found. */
static int add_address(struct record_path *found, const struct believed *believed, u32 number,
		       struct symbols *symbols, bool *own)
{
	struct code_address address = believed->stack->addresses[number];
	const struct frame *frames;
	size_t count = symbols_frames(symbols, address,
				      call_path_is_return(believed->stack, number), &frames);

	if (!count)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (add(found, &frames[i], address))
			return -1;
	if (*own && function_is_own(believed->functions[number])) {
		found->place = own_line(frames, count);
		*own = false;
	}
	return 0;
}

/* Adds the path @id, if there is one. Returns 0, or -1 without memory. */
static int add_path(struct record_path *found, const struct recorded *recorded, u32 id)
{
	_cleanup_(believed_free) struct believed believed = { 0 };
	const struct call_path *stack = saved_path(recorded->paths, id);
	u32 first = found->count, at = first;
	bool own = true;

	if (!stack || !stack->count)
		return 0;
	if (believe(&believed, stack, recorded->symbols))
		return -1;
	for (u32 i = 0; i < believed.count; i++) {
		/* what the kernel does in each switch is no place */
		if (i == believed.first)
			at = found->count;
		if (add_address(found, &believed, i, recorded->symbols, &own))
			return -1;
	}
	if (own && found->count > at)
		found->place = found->frames[at].frame;
	return 0;
}

int record_path_find(struct record_path *found, const struct recorded *recorded, u32 path,
		     u32 kernel_path)
{
	found->count = 0;
	found->place = NULL;
	/* the program's place replaces the kernel's */
	return add_path(found, recorded, kernel_path) || add_path(found, recorded, path) ? -1 : 0;
}
