// SPDX-License-Identifier: GPL-2.0
/*
 * Paths that stack copies finish, or are compared with. Unwind tables finish most copies at once.
 * The others need libdwfl, which takes millions of instructions to read the frame information of a
 * file. So they are kept until the recording has ended, or until there are too many.
 */
#include "call_paths_private.h"
#include "machine.h"

/* Memory for copies that are kept; when it is full, they and all later copies are finished. */
#define KEPT_BYTES_MAX (8U << 20)

/**
 * struct kept_copy - a stack copy that libdwfl is to finish
 * @path: its path, so far with the frames that are known without libdwfl, and memory for all. First
 *	come those of @raw
 * @mappings: of the process when the copy came
 * @raw: the module's path
 * @copy: the copy, and its stack behind it
 */
struct kept_copy {
	struct call_path *path;
	struct mappings *mappings;
	struct raw_path raw;
	struct gapp_record_stack_copy copy;
};

/**
 * struct finding - a stack copy and what is found in it
 * @copy: the copy
 * @raw: the module's path, which ends with the frame that the copy begins with
 * @mappings: of the process when the copy came; NULL: that is now
 * @frames: addresses of the frames that are found, innermost first
 * @unwinding: what the unwinder is given, and its result
 * @end: how unwinding the copy ended
 */
struct finding {
	const struct gapp_record_stack_copy *copy;
	struct raw_path raw;
	const struct mappings *mappings;
	u64 frames[GAPP_MAX_STACK];
	struct unwinding unwinding;
	enum unwind_end end;
};

void call_paths_set_tables(struct call_paths *paths, const struct object_tables *tables)
{
	paths->by_tables.tables = tables;
}

void call_paths_may_keep_copies(struct call_paths *paths)
{
	paths->may_keep = true;
}

static void free_kept(struct call_paths *paths)
{
	for (u32 i = 0; i < paths->kept_count; i++) {
		mappings_release(paths->kept[i]->mappings, paths->objects);
		free(paths->kept[i]);
	}
	free(paths->kept);
	paths->kept = NULL;
	paths->kept_count = 0;
	paths->kept_room = 0;
	paths->kept_bytes = 0;
}

void stack_copies_free(struct call_paths *paths)
{
	free_kept(paths);
	free(paths->copied);
	table_unwinder_free(&paths->by_tables);
	unwinder_free(paths->unwinder);
}

const struct call_path *stack_copies_get(struct call_paths *paths, u32 copy)
{
	const struct copied_path *copied = paths->copied ? &paths->copied[copy % STACK_COPIES_MAX] :
							   NULL;
	const struct call_path *path = copied && copied->number == copy ? copied->path : NULL;

	paths->figures.unknown += !path;
	return path;
}

/* Makes the unwinder of libdwfl when it is needed first. Returns 0, or -1 without memory. */
static int need_libdwfl(struct call_paths *paths)
{
	if (!paths->unwinder)
		paths->unwinder = unwinder_new(paths->objects);
	return paths->unwinder ? 0 : -1;
}

static void begin(struct call_paths *paths, struct finding *finding, u16 room)
{
	const struct gapp_record_stack_copy *copy = finding->copy;

	finding->unwinding = (struct unwinding){
		.mappings = finding->mappings ? finding->mappings :
						maps_list(paths->maps, copy->tgid),
		.registers = copy->registers,
		.valid = copy->valid,
		.stack = copy + 1,
		.stack_at = copy->stack_at,
		.stack_bytes = copy->stack_bytes,
		.frames = finding->frames,
		.room = room,
	};
	finding->end = UNWIND_NO_RULE;
}

/*
 * Sets whether a call left the last frame of the module's path, and not a signal. False: libdwfl is
 * needed for that, which may be used only if @libdwfl.
 */
static bool set_is_return(struct call_paths *paths, struct finding *finding, bool libdwfl)
{
	const struct mappings *mappings = finding->unwinding.mappings;
	const struct raw_path *raw = &finding->raw;
	bool ends_signal;

	if (raw->count < 2)
		return true;
	if (libdwfl)
		ends_signal =
			unwinder_ends_signal(paths->unwinder, mappings, raw->words[raw->count - 2]);
	else if (!table_unwinder_ends_signal(&paths->by_tables, mappings,
					     raw->words[raw->count - 2], &ends_signal))
		return false;
	finding->unwinding.is_return = !ends_signal;
	return true;
}

/* @from_last: the copy begins with the last frame of the module's path. */
static void unwind_once(struct call_paths *paths, struct finding *finding, bool from_last,
			bool libdwfl, u16 room)
{
	begin(paths, finding, room);
	if (from_last && !set_is_return(paths, finding, libdwfl))
		return;
	finding->end = libdwfl ? unwinder_unwind(paths->unwinder, &finding->unwinding) :
				 table_unwinder_unwind(&paths->by_tables, &finding->unwinding);
}

/* Unwinds the copy, and once more if a look-up finds what the unmapped address maps. */
static void unwind_copy(struct call_paths *paths, struct finding *finding, bool from_last,
			bool libdwfl, u16 room)
{
	unwind_once(paths, finding, from_last, libdwfl, room);
	if (finding->end == UNWIND_UNMAPPED && !finding->mappings &&
	    maps_find(paths->maps, finding->raw.tgid, finding->unwinding.unmapped - 1)
			    .object->kind != OBJECT_UNKNOWN)
		unwind_once(paths, finding, from_last, libdwfl, room);
}

static struct code_address address_of(struct call_paths *paths, const struct finding *finding,
				      u64 address, bool is_return)
{
	struct code_address found;

	if (!finding->mappings)
		return call_paths_address(paths, finding->raw.tgid, address, is_return);
	is_return &= address != 0;
	found = maps_find_in(paths->maps, finding->mappings, address - is_return);
	found.offset += is_return;
	return found;
}

/*
 * Joins the module's path, which is in paths->made, without its last frame and the path that was
 * found, which begins with that frame.
 */
static void join(struct call_paths *paths, const struct finding *finding)
{
	static const u8 ends[] = {
		[UNWIND_OUTERMOST] = GAPP_UNWIND_COMPLETE, [UNWIND_FULL] = GAPP_UNWIND_FULL,
		[UNWIND_BEYOND] = PATH_END_COPY,	   [UNWIND_UNMAPPED] = GAPP_UNWIND_UNMAPPED,
		[UNWIND_NO_RULE] = GAPP_UNWIND_NO_RULE,
	};
	struct call_path *made = paths->made;

	if (finding->unwinding.count <= 1 && finding->end != UNWIND_OUTERMOST && made->count)
		return;
	made->count -= !!made->count;
	made->flags &= GAPP_PATH_BY_TABLE | GAPP_PATH_BY_FP;
	made->flags |= ends[finding->end];
	made->method = PATH_BY_COPY;
	for (u16 i = 0; i < finding->unwinding.count; i++, made->count++)
		made->addresses[made->count] =
			address_of(paths, finding, finding->frames[i], made->count > 0);
}

static void count_joined(struct call_paths *paths, const struct finding *finding)
{
	paths->figures.longer += paths->made->count > finding->raw.count;
	paths->figures.whole += call_path_end(paths->made) == GAPP_UNWIND_COMPLETE;
}

/* Sets @path to the joined path, or to NULL if it has no frame. Returns 0, or -1 without memory. */
static int join_now(struct call_paths *paths, const struct finding *finding,
		    const struct call_path **path)
{
	call_paths_make(paths, &finding->raw);
	join(paths, finding);
	*path = NULL;
	if (!paths->made->count)
		return 0;
	count_joined(paths, finding);
	*path = call_paths_intern(paths);
	return *path ? 0 : -1;
}

static u64 bytes_of(const struct gapp_record_stack_copy *copy)
{
	return sizeof(struct kept_copy) + copy->stack_bytes + sizeof(struct call_path) +
	       GAPP_MAX_STACK * sizeof(struct code_address);
}

/* Whether the file at which the path ends can still be read when its process has exited. */
static bool can_wait(struct call_paths *paths, const struct finding *finding)
{
	const struct unwinding *unwinding = &finding->unwinding;
	u64 last = finding->copy->registers[MACHINE_IP];
	const struct mapping *mapping;

	if (!paths->may_keep)
		return false;
	if (unwinding->unmapped)
		last = unwinding->unmapped;
	else if (unwinding->count)
		last = unwinding->frames[unwinding->count - 1];
	mapping = mappings_find(unwinding->mappings, last - 1);
	return mapping && elf_file_outlives(mapping->object);
}

/* Keeps the copy. Returns its path so far; NULL: no memory, or the copy must be finished now. */
static const struct call_path *keep(struct call_paths *paths, const struct finding *finding)
{
	const struct gapp_record_stack_copy *copy = finding->copy;
	size_t bytes = sizeof(*copy) + copy->stack_bytes;
	struct kept_copy *kept;

	if (!can_wait(paths, finding) ||
	    array_grow(&paths->kept, &paths->kept_room, paths->kept_count, sizeof(kept)))
		return NULL;
	call_paths_make(paths, &finding->raw);
	join(paths, finding);
	kept = paths->made->count ? malloc(sizeof(*kept) + copy->stack_bytes) : NULL;
	if (!kept)
		return NULL;
	/* as the hash is only the copy's number, no other path is taken for this one */
	kept->path = call_paths_add(paths, copy->copy, GAPP_MAX_STACK);
	if (!kept->path) {
		free(kept);
		return NULL;
	}
	kept->path->unfinished = true;
	kept->mappings = mappings_share((struct mappings *)finding->unwinding.mappings);
	kept->raw = finding->raw;
	memcpy(&kept->copy, copy, bytes);
	paths->kept[paths->kept_count++] = kept;
	paths->kept_bytes += bytes_of(copy);
	return kept->path;
}

static u16 room_for(const struct raw_path *raw)
{
	return GAPP_MAX_STACK + 1 - (raw->count ? raw->count : 1);
}

/* Finishes a copy that was kept. */
static void finish_kept(struct call_paths *paths, const struct kept_copy *kept)
{
	struct finding finding = {
		.copy = &kept->copy,
		.raw = kept->raw,
		.mappings = kept->mappings,
	};
	struct call_path *made = paths->made;
	bool by_table = kept->raw.flags & GAPP_PATH_BY_TABLE &&
			!(kept->raw.flags & GAPP_PATH_BY_FP);
	u32 id = kept->path->id;

	unwind_copy(paths, &finding, true, true, room_for(&kept->raw));
	*made = (struct call_path){
		.flags = kept->raw.flags,
		.count = kept->raw.count,
		.method = by_table ? PATH_BY_TABLE : PATH_BY_FP,
	};
	memcpy(made->addresses, kept->path->addresses, made->count * sizeof(*made->addresses));
	join(paths, &finding);
	count_joined(paths, &finding);
	memcpy(kept->path, made, sizeof(*made) + made->count * sizeof(*made->addresses));
	kept->path->id = id;
}

int call_paths_finish_copies(struct call_paths *paths)
{
	paths->may_keep = false;
	if (paths->kept_count && need_libdwfl(paths))
		return -1;
	for (u32 i = 0; i < paths->kept_count; i++)
		finish_kept(paths, paths->kept[i]);
	free_kept(paths);
	joined_paths_finish(paths);
	return 0;
}

/* Goes on from the module's path. Sets @path. Returns 0, or -1 without memory. */
static int go_on(struct call_paths *paths, struct finding *finding, const struct call_path **path)
{
	u16 room = room_for(&finding->raw);

	if (paths->by_tables.tables) {
		unwind_copy(paths, finding, true, false, room);
		if (finding->end != UNWIND_NO_RULE)
			return join_now(paths, finding, path);
		*path = keep(paths, finding);
		if (*path)
			return paths->kept_bytes > KEPT_BYTES_MAX ?
				       call_paths_finish_copies(paths) :
				       0;
	}
	if (need_libdwfl(paths))
		return -1;
	unwind_copy(paths, finding, true, true, room);
	return join_now(paths, finding, path);
}

static int put_copied(struct call_paths *paths, u32 copy, const struct call_path *path)
{
	if (!paths->copied)
		paths->copied = calloc(STACK_COPIES_MAX, sizeof(*paths->copied));
	if (!paths->copied)
		return -1;
	paths->copied[copy % STACK_COPIES_MAX] =
		(struct copied_path){ .path = path, .number = copy };
	return 0;
}

/* Finishes the module's path. If a frame before the last is outdated, the last frame is wrong. */
static int finish(struct call_paths *paths, struct finding *finding)
{
	const struct gapp_record_stack_copy *copy = finding->copy;
	u16 count = finding->raw.count;
	const struct call_path *path = NULL;
	struct raw_path cut = finding->raw;

	paths->figures.copies++;
	if (call_paths_cut_outdated(paths, &cut) && cut.count < count) {
		path = call_paths_intern_cut(paths, &cut);
		if (!path)
			return -1;
	} else if (finding->raw.words || copy->path == GAPP_PATH_NONE) {
		if (go_on(paths, finding, &path))
			return -1;
	}
	return put_copied(paths, copy->copy, path);
}

/* Only libdwfl compares, because the module's path is by the tables, too. */
static int compare(struct call_paths *paths, struct finding *finding)
{
	const struct raw_path *raw = &finding->raw;
	struct verify_case one = {
		.tgid = raw->tgid,
		.end = raw->flags & GAPP_PATH_END_MASK,
		.count = raw->count,
	};

	if (need_libdwfl(paths))
		return -1;
	unwind_copy(paths, finding, false, true, GAPP_MAX_STACK);
	one.libdwfl_end = finding->end;
	one.libdwfl_count = finding->unwinding.count;
	verify_compare(&one, raw->words, finding->frames);
	if (one.verdict == VERIFY_DIFFERS || one.verdict == VERIFY_SHORTER) {
		call_paths_addresses(paths, one.tgid, raw->words, one.count, one.addresses);
		call_paths_addresses(paths, one.tgid, finding->frames, one.libdwfl_count,
				     one.libdwfl_addresses);
	}
	paths->figures.verdict = one.verdict;
	return verify_note(&paths->figures.verify, &one);
}

int call_paths_add_copy(struct call_paths *paths, const struct gapp_record_stack_copy *copy)
{
	struct finding finding = { .copy = copy,
				   .raw = { .tgid = copy->tgid,
					    .begin_ns = copy->head.time_ns,
					    .end_ns = copy->head.time_ns } };

	if (copy->head.size < sizeof(*copy) || copy->head.size - sizeof(*copy) < copy->stack_bytes)
		return 0;
	maps_advance(paths->maps, copy->head.time_ns);
	maps_image(paths->maps, copy->tgid, copy->image);
	if (!(copy->path & GAPP_PATH_COPY))
		call_paths_read(paths, &finding.raw, copy->path);
	return copy->flags & GAPP_STACK_COPY_VERIFY ? compare(paths, &finding) :
						      finish(paths, &finding);
}
