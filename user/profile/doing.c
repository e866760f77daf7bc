// SPDX-License-Identifier: GPL-2.0
/* What is shown of places of the tree alone: their functions, what these called, their threads. */
#include "symbol/own_code.h"

#include "place_tree.h"

/* The frames of an address with their lines, innermost first; 0: no memory. */
static size_t frames_of(const struct ranker *ranker, u32 stack, u32 frame,
			const struct frame **frames)
{
	const struct call_path *path = ranker->believed[stack].stack;

	return symbols_frames(ranker->symbols, path->addresses[frame],
			      call_path_is_return(path, frame), frames);
}

/* The frame of the place's function on a call path; HASH_NONE: the place is a program's start. */
static u32 frame_of_place(const struct ranker *ranker, const struct row *row, u32 stack)
{
	u32 count;
	const u32 *numbers = place_tree_frames(ranker, row->place, stack, &count);

	return count ? numbers[0] : HASH_NONE;
}

/* The line in the place's function itself, rather than in what is inlined there. */
static const struct frame *line_of_host(const struct frame *frames, size_t count)
{
	return frames[count - 1].file ? &frames[count - 1] : own_line(frames, count);
}

const struct frame *place_spot(const struct ranker *ranker, const struct row *row, u32 stack)
{
	u32 frame = frame_of_place(ranker, row, stack);
	const struct frame *frames;
	size_t found;

	if (frame == HASH_NONE)
		return rank_spot(ranker, stack);
	found = frames_of(ranker, stack, frame, &frames);
	return found ? line_of_host(frames, found) : NULL;
}

static const struct frame program_start = { .function = "start of the program", .module = "ld.so" };

int place_make_frames(const struct ranker *ranker, struct row *row, u32 stack, bool thorough)
{
	const struct believed *believed = &ranker->believed[stack];
	struct ranked *ranked = &row->ranked;
	const struct frame *frames;
	const u32 *numbers;
	u32 count;

	numbers = place_tree_frames(ranker, row->place, stack, &count);
	ranked->frames = calloc(count + 1, sizeof(*ranked->frames));
	if (!ranked->frames)
		return -1;
	ranked->complete = believed->complete;
	if (!count)
		ranked->frames[ranked->frame_count++] = program_start;
	for (u32 i = 0; i < count; i++) {
		struct frame *frame = &ranked->frames[ranked->frame_count++];
		size_t found = thorough ? frames_of(ranker, stack, numbers[i], &frames) : 0;

		*frame = *believed->functions[numbers[i]];
		if (thorough && !found)
			return -1;
		if (found) {
			const struct frame *line = line_of_host(frames, found);

			frame->file = line->file;
			frame->line = line->line;
		}
	}
	return 0;
}

/*
 * What the function at @own called: own code without a name says less than what it called in turn,
 * such as a library's function.
 */
static const struct frame *named_callee(const struct frame *const *functions, u32 own)
{
	for (u32 i = own; i--;)
		if (functions[i]->function || functions[i]->library)
			return functions[i];
	return functions[own - 1];
}

/* What the place did on one of its call paths. Sets @frame to NULL if it ran its own code. */
static int find_doing(const struct ranker *ranker, const struct row *row, u32 stack,
		      const struct frame **frame)
{
	const struct frame *const *functions;
	u32 own = frame_of_place(ranker, row, stack);
	const struct frame *frames;
	size_t found;

	*frame = NULL;
	if (own == HASH_NONE)
		return 0;
	functions = ranker->believed[stack].functions;
	/* what belongs to an interpreter is its own code */
	if (functions[own]->interpreter)
		while (own && functions[own - 1]->object == functions[own]->object)
			own--;
	if (own) {
		*frame = named_callee(functions, own);
		return 0;
	}
	found = frames_of(ranker, stack, 0, &frames);
	if (found > 1)
		*frame = &frames[found - 2];
	return found ? 0 : -1;
}

/* Library code without a name is told apart only by its file. */
static bool same_doing(const struct frame *a, const struct frame *b)
{
	if (!a || !b)
		return a == b;
	if (a->function || b->function)
		return a->function && b->function && !strcmp(a->function, b->function);
	return !strcmp(a->module, b->module) && (a->library || a->offset == b->offset);
}

static int doing_compare(const void *a, const void *b)
{
	const struct doing *x = a, *y = b;

	return three_way(y->critical_ns, x->critical_ns);
}

static bool is_doing(const void *table, u32 id, const void *frame)
{
	return same_doing(((const struct doing *)table)[id].frame, frame);
}

static u64 doing_hash(const struct frame *frame)
{
	const char *name = !frame ? "" : frame->function ? frame->function : frame->module;

	return hash_bytes(0, name, strlen(name));
}

int place_make_doing(const struct ranker *ranker, struct row *row)
{
	_cleanup_(hash_index_free) struct hash_index index = { 0 };
	struct ranked *ranked = &row->ranked;

	ranked->doing = calloc(row->part_count + 1, sizeof(*ranked->doing));
	if (!ranked->doing)
		return -1;
	for (u32 i = 0; i < row->part_count; i++) {
		const struct part *part = &ranker->parts[row->first_part + i];
		const struct frame *frame;
		u32 id;

		if (find_doing(ranker, row, part->what, &frame))
			return -1;
		id = hash_index_find(&index, doing_hash(frame), is_doing, ranked->doing, frame);
		if (id == HASH_NONE) {
			id = index.count;
			if (hash_index_add(&index, doing_hash(frame), id))
				return -1;
			ranked->doing[id].frame = frame;
		}
		ranked->doing[id].critical_ns += part->sum;
	}
	ranked->doing_count = index.count;
	qsort(ranked->doing, ranked->doing_count, sizeof(*ranked->doing), doing_compare);
	return 0;
}

static int member_compare(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return compare_by(three_way(y->critical_ns, x->critical_ns), three_way(x->tgid, y->tgid),
			  three_way(x->tid, y->tid));
}

int place_make_members(const struct profile *profile, struct ranked *ranked,
		       const struct part *parts, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += parts[i].sum;
	ranked->members = calloc(count + 1, sizeof(*ranked->members));
	if (!ranked->members)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &profile->entries.rows[parts[i].what & ~TALLY_WHAT];
		struct member *member = &ranked->members[ranked->member_count++];

		member->tid = entry->key.tid;
		member->tgid = entry->key.tgid;
		memcpy(member->comm, entry->comm, GAPP_COMM_LEN);
		/* parts that say little of the place's threads are left out of the sum */
		member->critical_ns = sum > 0 ? parts[i].sum / sum * ranked->critical_ns : 0;
	}
	qsort(ranked->members, ranked->member_count, sizeof(*ranked->members), member_compare);
	return 0;
}

/* A thread whose id is not known is of neither kind. */
static enum place_threads threads_of(const struct ranked *ranked)
{
	size_t main_threads = 0, started = 0;

	if (!ranked->frame_count || !ranked->frames->interpreter)
		return OF_ANY_THREADS;
	for (size_t i = 0; i < ranked->member_count; i++) {
		const struct member *member = &ranked->members[i];

		main_threads += member->tid && member->tid == member->tgid;
		started += member->tid && member->tid != member->tgid;
	}
	if (main_threads == ranked->member_count && main_threads)
		return OF_MAIN_THREADS;
	return started == ranked->member_count && started ? OF_STARTED_THREADS : OF_ANY_THREADS;
}

void places_of_interpreter(struct ranking *ranking)
{
	bool seen[OF_STARTED_THREADS + 1] = { 0 };

	for (size_t i = 0; i < ranking->count; i++)
		seen[threads_of(&ranking->rows[i])] = true;
	if (!seen[OF_MAIN_THREADS] || !seen[OF_STARTED_THREADS])
		return;
	for (size_t i = 0; i < ranking->count; i++)
		ranking->rows[i].of = threads_of(&ranking->rows[i]);
}
