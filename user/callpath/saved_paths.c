// SPDX-License-Identifier: GPL-2.0
#include "saved_paths.h"

/* Frames of the kernel and of a user. */
#define FRAMES_MAX (2 * GAPP_MAX_STACK)

static int pack_address(struct pack *pack, struct object_numbers *numbers,
			const struct code_address *address)
{
	u32 number = object_number(numbers, address->object);

	pack_u64(pack, number);
	pack_u64(pack, address->offset);
	return number == HASH_NONE ? -1 : 0;
}

int call_path_number(const struct call_path *path, struct object_numbers *numbers)
{
	for (u32 i = 0; i < path->count; i++)
		if (object_number(numbers, path->addresses[i].object) == HASH_NONE)
			return -1;
	return 0;
}

int call_path_save(const struct call_path *path, struct object_numbers *numbers,
		   struct blocks_writer *writer)
{
	struct pack *pack = blocks_item(writer);
	int error = 0;

	pack_u64(pack, path->id);
	pack_u64(pack, path->flags);
	pack_u64(pack, path->method);
	pack_u64(pack, path->cut);
	pack_u64(pack, path->kernel_count);
	pack_u64(pack, path->count);
	for (u32 i = 0; i < path->count; i++)
		error |= pack_address(pack, numbers, &path->addresses[i]);
	blocks_item_end(writer);
	return error;
}

static struct code_address unpack_address(struct unpack *unpack, struct saved_objects *objects)
{
	struct code_address address;

	address.object = saved_object(objects, unpack_u64(unpack));
	address.offset = unpack_u64(unpack);
	return address;
}

/* NULL: no memory. */
static struct call_path *unpack_path(struct unpack *unpack, struct saved_objects *objects)
{
	struct call_path head = { 0 };
	struct call_path *path;
	size_t size;

	head.id = unpack_most(unpack, SAVED_PATHS_MAX - 1);
	head.flags = unpack_most(unpack, UINT16_MAX);
	head.method = unpack_most(unpack, PATH_METHODS - 1);
	head.cut = unpack_most(unpack, 1);
	head.kernel_count = unpack_most(unpack, FRAMES_MAX);
	head.count = unpack_most(unpack, FRAMES_MAX);
	size = sizeof(*path) + head.count * sizeof(path->addresses[0]);
	if (!head.count || head.kernel_count > head.count || call_path_end(&head) >= PATH_ENDS ||
	    !unpack_keep(unpack, size))
		unpack->failed = true;
	path = malloc(size);
	if (!path)
		return NULL;
	*path = head;
	for (u32 i = 0; i < head.count; i++)
		path->addresses[i] = unpack_address(unpack, objects);
	return path;
}

/* What take_paths() needs. */
struct taking {
	struct saved_paths *saved;
	struct saved_objects *objects;
};

static int grow(struct saved_paths *saved, u32 id)
{
	if (id < saved->count)
		return 0;
	if (array_grow_zeroed(&saved->paths, &saved->room, id, sizeof(*saved->paths)))
		return -1;
	saved->count = id + 1;
	return 0;
}

static int take_paths(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	const struct taking *taking = context;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct call_path *path = unpack_path(unpack, taking->objects);
		u32 id;

		if (!path)
			return -1;
		if (unpack->failed) {
			free(path);
			return 0;
		}
		id = path->id;
		if (grow(taking->saved, id)) {
			free(path);
			return -1;
		}
		path->id += taking->saved->shift;
		free(taking->saved->paths[id]);
		taking->saved->paths[id] = path;
	}
	return 0;
}

int saved_paths_read(struct saved_paths *saved, struct blocks *blocks,
		     struct saved_objects *objects)
{
	struct taking taking = { saved, objects };

	return blocks_each(blocks, BLOCK_PATHS, take_paths, &taking);
}

void saved_paths_free(struct saved_paths *saved)
{
	for (u32 i = 0; i < saved->count; i++)
		free(saved->paths[i]);
	free(saved->paths);
}

const struct call_path *saved_path(const struct saved_paths *saved, u64 id)
{
	return id < saved->count ? saved->paths[id] : NULL;
}

static void pack_case(struct pack *pack, struct object_numbers *numbers,
		      const struct verify_case *one)
{
	pack_u64(pack, one->verdict);
	pack_s64(pack, one->tgid);
	pack_u64(pack, one->end);
	pack_u64(pack, one->libdwfl_end);
	pack_u64(pack, one->equal);
	pack_u64(pack, one->times);
	pack_u64(pack, one->count);
	pack_u64(pack, one->libdwfl_count);
	for (u32 i = 0; i < one->count; i++)
		pack_address(pack, numbers, &one->addresses[i]);
	for (u32 i = 0; i < one->libdwfl_count; i++)
		pack_address(pack, numbers, &one->libdwfl_addresses[i]);
}

void call_paths_save_figures(const struct call_paths_figures *figures,
			     struct object_numbers *numbers, struct pack *pack)
{
	const struct verify *verify = &figures->verify;

	pack_u64(pack, figures->copies);
	pack_u64(pack, figures->longer);
	pack_u64(pack, figures->whole);
	pack_u64(pack, figures->unknown);
	pack_u64(pack, figures->verdict);
	for (u32 i = 0; i < VERIFY_VERDICTS; i++)
		pack_u64(pack, verify->verdicts[i]);
	pack_u64(pack, verify->case_count);
	for (size_t i = 0; i < verify->case_count; i++)
		pack_case(pack, numbers, &verify->cases[i]);
}

static void unpack_case(struct unpack *unpack, struct saved_objects *objects,
			struct verify_case *one)
{
	one->verdict = unpack_most(unpack, VERIFY_VERDICTS - 1);
	one->tgid = unpack_s64(unpack);
	one->end = unpack_most(unpack, GAPP_UNWIND_ENDS - 1);
	one->libdwfl_end = unpack_most(unpack, UNWIND_NO_RULE);
	one->equal = unpack_most(unpack, GAPP_MAX_STACK);
	one->times = unpack_u64(unpack);
	one->count = unpack_most(unpack, GAPP_MAX_STACK);
	one->libdwfl_count = unpack_most(unpack, GAPP_MAX_STACK);
	for (u32 i = 0; i < one->count; i++)
		one->addresses[i] = unpack_address(unpack, objects);
	for (u32 i = 0; i < one->libdwfl_count; i++)
		one->libdwfl_addresses[i] = unpack_address(unpack, objects);
	if (one->equal > one->count || one->equal > one->libdwfl_count)
		unpack->failed = true;
}

void call_paths_read_figures(struct call_paths_figures *figures, struct saved_objects *objects,
			     struct unpack *unpack)
{
	struct verify *verify = &figures->verify;
	u64 kept;

	figures->copies = unpack_u64(unpack);
	figures->longer = unpack_u64(unpack);
	figures->whole = unpack_u64(unpack);
	figures->unknown = unpack_u64(unpack);
	figures->verdict = unpack_most(unpack, VERIFY_VERDICTS - 1);
	for (u32 i = 0; i < VERIFY_VERDICTS; i++)
		verify->verdicts[i] = unpack_u64(unpack);
	kept = unpack_most(unpack, VERIFY_KEPT);
	if (!kept)
		return;
	verify->cases = calloc(kept, sizeof(*verify->cases));
	if (!verify->cases) {
		unpack->failed = true;
		return;
	}
	for (u64 i = 0; i < kept; i++)
		unpack_case(unpack, objects, &verify->cases[i]);
	if (!unpack->failed)
		verify->case_count = kept;
}
