// SPDX-License-Identifier: GPL-2.0
/* What a row shows of its code: the frames of its path, and the lines of its innermost function. */
#include "rank_int.h"

static u64 hash_name(u64 hash, const char *name)
{
	while (*name)
		hash = gapp_hash_add(hash, (u8)*name++);
	return hash;
}

static bool same_name(const char *a, const char *b)
{
	return a == b || !strcmp(a, b);
}

u64 spot_hash(const struct frame *spot)
{
	if (spot->file)
		return hash_name(spot->line, spot->file);
	if (spot->function)
		return hash_name(1, spot->function);
	return hash_name(spot->offset, spot->module);
}

bool spot_same(const struct frame *a, const struct frame *b)
{
	if (a->file || b->file)
		return a->file && b->file && a->line == b->line && same_name(a->file, b->file);
	if (!same_name(a->module, b->module))
		return false;
	if (a->function || b->function)
		return a->function && b->function && same_name(a->function, b->function);
	return a->offset == b->offset;
}

static int place_compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->leaf != y->leaf)
		return x->leaf < y->leaf ? -1 : 1;
	return x->stack_top - y->stack_top;
}

static int largest_compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->critical_ns != y->critical_ns)
		return x->critical_ns < y->critical_ns ? 1 : -1;
	return place_compare(a, b);
}

static struct part part_of(const struct ranker *ranker, const struct flow *flow)
{
	const struct cell *cell = &ranker->profile->cells[flow->cell];
	double share = flow->part * cell->figures.critical_share;

	return (struct part){
		.row = flow->row,
		.leaf = flow->leaf,
		.stack_top = flow->stack_top,
		.samples = cell->figures.samples,
		.critical_ns = cell->key.kind == CELL_WAITED ? share : share_ns_exactly(share),
	};
}

/**
 * rank_parts() - what each row has of each stack
 * @ranker: with flows and rows
 *
 * Return: 0, or -1 without memory.
 */
int rank_parts(struct ranker *ranker)
{
	struct part *parts;
	u32 count = 0;

	parts = calloc(ranker->flows.count + 1, sizeof(*parts));
	ranker->parts = parts;
	if (!parts)
		return -1;
	for (u32 i = 0; i < ranker->flows.count; i++)
		parts[i] = part_of(ranker, &ranker->flows.flow[i]);
	qsort(parts, ranker->flows.count, sizeof(*parts), place_compare);
	for (u32 i = 0; i < ranker->flows.count; i++) {
		if (count && !place_compare(&parts[count - 1], &parts[i])) {
			parts[count - 1].samples += parts[i].samples;
			parts[count - 1].critical_ns += parts[i].critical_ns;
		} else {
			parts[count++] = parts[i];
		}
	}
	qsort(parts, count, sizeof(*parts), largest_compare);
	ranker->part_count = count;

	for (u32 i = count; i--;) {
		ranker->rows[parts[i].row].first_part = i;
		ranker->rows[parts[i].row].part_count++;
	}
	return 0;
}

/**
 * struct line - a line that is being put together
 * @count: the line
 * @leaf: the stack that has most of it
 */
struct line {
	struct line_count count;
	u32 leaf;
};

static int line_compare(const void *a, const void *b)
{
	const struct line_count *x = &((const struct line *)a)->count;
	const struct line_count *y = &((const struct line *)b)->count;

	if (x->critical_ns != y->critical_ns)
		return x->critical_ns < y->critical_ns ? 1 : -1;
	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->stack_top - y->stack_top;
}

static bool same_line(const void *table, u32 id, const void *key)
{
	const struct line_count *a = &((const struct line *)table)[id].count, *b = key;

	return a->stack_top == b->stack_top && spot_same(a->frame, b->frame);
}

static int add_line(struct line *lines, struct hash_index *index, const struct part *part,
		    const struct frame *spot)
{
	struct line_count count = {
		.file = spot->file,
		.line = spot->file ? spot->line : 0,
		.frame = spot,
		.samples = part->samples,
		.critical_ns = part->critical_ns,
		.stack_top = part->stack_top,
	};
	u64 hash = spot_hash(spot);
	u32 id = hash_index_find(index, hash, same_line, lines, &count);

	if (id == HASH_NONE) {
		id = index->count;
		lines[id] = (struct line){ .count = count, .leaf = part->leaf };
		return hash_index_add(index, hash, id);
	}
	lines[id].count.samples += part->samples;
	lines[id].count.critical_ns += part->critical_ns;
	return 0;
}

/* Sets @leaf to the stack that stands for the first line. */
static int make_lines(struct ranker *ranker, struct row *row, u32 *leaf)
{
	_cleanup_(hash_index_free) struct hash_index index = { 0 };
	_cleanup_free_ struct line *lines = NULL;
	struct ranked *ranked = &row->ranked;

	lines = calloc(row->part_count + 1, sizeof(*lines));
	if (!lines)
		return -1;
	for (u32 i = 0; i < row->part_count; i++) {
		const struct part *part = &ranker->parts[row->first_part + i];
		const struct walk *walk = &ranker->walks[part->leaf];
		const struct frame *spot;

		if (!symbols_frames(ranker->symbols, walk_place(walk), walk_is_return(walk->first),
				    &spot) ||
		    add_line(lines, &index, part, spot))
			return -1;
	}
	qsort(lines, index.count, sizeof(*lines), line_compare);

	ranked->lines = calloc(index.count + 1, sizeof(*ranked->lines));
	if (!ranked->lines)
		return -1;
	for (u32 i = 0; i < index.count; i++)
		ranked->lines[i] = lines[i].count;
	ranked->line_count = index.count;
	if (index.count)
		*leaf = lines[0].leaf;
	return 0;
}

static int add_frames(struct ranked *ranked, const struct frame *frames, size_t count)
{
	size_t wanted = ranked->frame_count + count;
	struct frame *grown = count ? reallocarray(ranked->frames, wanted, sizeof(*grown)) : NULL;

	if (!grown)
		return -1;
	memcpy(grown + ranked->frame_count, frames, count * sizeof(*grown));
	ranked->frames = grown;
	ranked->frame_count = wanted;
	return 0;
}

/* The frames of a path; with @thorough inlined functions and lines, too. */
static int make_frames(const struct ranker *ranker, const struct walk *walk, struct ranked *ranked,
		       bool thorough)
{
	bool one = ranker->options->by == BY_FUNCTION;
	u32 end = one ? walk->first + 1 : walk->count;

	for (u32 i = walk->first; i < end; i++) {
		const struct frame *frames = walk->functions[i];
		size_t count = 1;

		if (thorough)
			count = symbols_frames(ranker->symbols, walk->stack->addresses[i],
					       walk_is_return(i), &frames);
		if (one && count) {
			frames += count - 1;
			count = 1;
		}
		if (add_frames(ranked, frames, count))
			return -1;
	}
	ranked->complete = walk->complete;
	return 0;
}

/**
 * rank_frames() - gives a row its frames and lines
 * @ranker: with parts
 * @row: the row
 * @thorough: with lines and inlined functions; else only what is cheap
 *
 * The frames are those of the stack with the largest part, of the first line if that is known.
 *
 * Return: 0, or -1 without memory.
 */
int rank_frames(struct ranker *ranker, struct row *row, bool thorough)
{
	u32 leaf = row->part_count ? ranker->parts[row->first_part].leaf : row->stack;

	if (thorough && make_lines(ranker, row, &leaf))
		return -1;
	if (ranker->options->by == BY_SLICE_END)
		leaf = row->stack;
	if (ranker->options->by == BY_LINE) {
		row->ranked.complete = ranker->walks[leaf].complete;
		return add_frames(&row->ranked, row->spot, 1);
	}
	return make_frames(ranker, &ranker->walks[leaf], &row->ranked, thorough);
}
