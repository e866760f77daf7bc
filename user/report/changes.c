// SPDX-License-Identifier: GPL-2.0
#include "changes.h"

#include <math.h>

#include "util/hash_index.h"
#include "util/names.h"

/* What makes two rows the same: each is tried with the rows that those before left over. */
enum likeness {
	LIKE_WHOLE, /* functions on the path, and code without a name by its offset */
	LIKE_NAMES, /* functions on the path, code without a name by its object */
	LIKE_FUNCTION, /* the innermost function */
	LIKENESSES,
};

/**
 * struct side - a row that has no pair yet
 * @row: the row
 * @hash: of what makes it the same as others
 * @rank: its place in its ranking
 * @later: it is of the later recording
 */
struct side {
	const struct ranked *row;
	u64 hash;
	size_t rank;
	bool later;
};

const struct ranking *results_ranking(const struct results *results, enum by by)
{
	switch (by) {
	case BY_PLACE:
		return &results->places;
	case BY_PATH:
		return &results->paths;
	case BY_FUNCTION:
		return &results->functions;
	case BY_LINE:
		return &results->lines;
	case BY_THREAD:
		return &results->by_thread;
	case BY_PROCESS:
		return &results->by_process;
	default:
		return &results->by;
	}
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static u64 hash_frame(u64 hash, const struct frame *frame, enum likeness likeness)
{
	const char *module;

	if (frame->function)
		return hash_bytes(hash, frame->function, strlen(frame->function));
	module = base_of(frame->module);
	hash = hash_bytes(hash, module_begin(module), library_len(module));
	return likeness == LIKE_WHOLE ? hash_bytes(hash, &frame->offset, sizeof(frame->offset)) :
					hash;
}

static u64 hash_line(u64 hash, const struct frame *frame, enum likeness likeness)
{
	const char *file = frame->file ? base_of(frame->file) : "";

	hash = hash_bytes(hash, file, strlen(file));
	return likeness == LIKE_WHOLE ? hash_bytes(hash, &frame->line, sizeof(frame->line)) : hash;
}

/* The name of the process whose target a row belongs to, where each process is one in both. */
static u64 hash_target(u64 hash, const struct two *two, const struct side *side)
{
	const struct results *results = side->later ? two->after : two->before;
	const struct gapp_target_figures *target = NULL;

	if (results_apart(two->before) && results_apart(two->after))
		target = results_target(results, side->row->tgid);
	return target ? hash_bytes(hash, (const char *)target->comm, comm_len(target->comm)) : hash;
}

static u64 hash_side(const struct two *two, const struct side *side, enum by by,
		     enum likeness likeness)
{
	const struct ranked *row = side->row;
	size_t frames = likeness == LIKE_FUNCTION && row->frame_count ? 1 : row->frame_count;
	u64 hash = hash_target(hash_bytes(0, &row->kind, sizeof(row->kind)), two, side);

	if (!frames)
		return hash_bytes(hash, row->comm, strlen(row->comm));
	for (size_t i = 0; i < frames; i++)
		hash = hash_frame(hash, &row->frames[i], likeness);
	return by == BY_LINE ? hash_line(hash, row->frames, likeness) : hash;
}

static int side_compare(const void *a, const void *b)
{
	const struct side *x = a, *y = b;

	return compare_by(three_way(x->hash, y->hash), three_way(x->later, y->later),
			  three_way(x->rank, y->rank));
}

static void add(struct changes *changes, const struct two *two, const struct ranked *before,
		const struct ranked *after)
{
	struct change *change = &changes->rows[changes->count++];

	*change = (struct change){ .before = before, .after = after };
	if (before)
		change->before_percent = results_percent_of_all(two->before, before->critical_ns);
	if (after)
		change->after_percent = results_percent_of_all(two->after, after->critical_ns);
}

/*
 * Makes pairs of the sides with one hash, the first ones of both recordings first. Keeps the others
 * at the begin of @sides, and returns how many.
 */
static size_t pair_alike(struct changes *changes, const struct two *two, struct side *sides,
			 size_t count, struct side *left)
{
	size_t before = 0, pairs, kept = 0;

	while (before < count && !sides[before].later)
		before++;
	pairs = before < count - before ? before : count - before;
	for (size_t i = 0; i < pairs; i++)
		add(changes, two, sides[i].row, sides[before + i].row);
	for (size_t i = 0; i < count; i++)
		if ((i < before ? i : i - before) >= pairs)
			left[kept++] = sides[i];
	return kept;
}

/* Returns how many sides have no pair yet: the first ones of @sides. */
static size_t make_pairs(struct changes *changes, const struct two *two, enum by by,
			 enum likeness likeness, struct side *sides, size_t count)
{
	size_t left = 0, end;

	for (size_t i = 0; i < count; i++)
		sides[i].hash = hash_side(two, &sides[i], by, likeness);
	qsort(sides, count, sizeof(*sides), side_compare);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && sides[end].hash == sides[i].hash;)
			end++;
		left += pair_alike(changes, two, sides + i, end - i, sides + left);
	}
	return left;
}

static int change_compare(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	double x_size = fabs(change_points(x)), y_size = fabs(change_points(y));

	return compare_by(three_way(y_size, x_size),
			  three_way(y->before_percent, x->before_percent),
			  three_way(change_row(x)->kind, change_row(y)->kind));
}

static size_t put_sides(struct side *sides, const struct ranking *ranking, bool later)
{
	for (size_t i = 0; i < ranking->count; i++)
		sides[i] = (struct side){ .row = &ranking->rows[i], .rank = i, .later = later };
	return ranking->count;
}

int changes_find(struct changes *changes, const struct two *two, enum by by)
{
	_cleanup_free_ struct side *sides = NULL;
	const struct ranking *before = results_ranking(two->before, by);
	const struct ranking *after = results_ranking(two->after, by);
	size_t room = before->count + after->count, count;

	sides = reallocarray(NULL, room + 1, sizeof(*sides));
	*changes = (struct changes){ .rows = reallocarray(NULL, room + 1, sizeof(*changes->rows)) };
	if (!sides || !changes->rows)
		return -1;
	count = put_sides(sides, before, false);
	count += put_sides(sides + count, after, true);
	for (int likeness = 0; likeness < LIKENESSES; likeness++)
		count = make_pairs(changes, two, by, likeness, sides, count);
	for (size_t i = 0; i < count; i++)
		add(changes, two, sides[i].later ? NULL : sides[i].row,
		    sides[i].later ? sides[i].row : NULL);
	qsort(changes->rows, changes->count, sizeof(*changes->rows), change_compare);
	return 0;
}

void changes_free(struct changes *changes)
{
	free(changes->rows);
	*changes = (struct changes){ 0 };
}
