// SPDX-License-Identifier: GPL-2.0
/*
 * What the places of a ranking show: frames and lines, threads, names, lengths of slices and why
 * they ended; and the ranking of threads and processes.
 */
#include <math.h>

#include "profile_private.h"

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

/* Makes the parts: for each place its call paths, each with its share and samples. */
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
 * struct line - a source line of a place while its parts are added up
 * @count: the sums
 * @leaf: the call path with the largest part of the line
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

/* Sets @leaf to the call path with the largest part of the first line. */
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
		const struct believed *believed = &ranker->believed[part->leaf];
		const struct frame *spot;

		if (!symbols_frames(ranker->symbols, believed_address(believed),
				    frame_is_return(believed->first), &spot) ||
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

/* Gives @ranked the frames of a path; with @thorough also inlined functions and lines. */
static int make_frames(const struct ranker *ranker, const struct believed *believed,
		       struct ranked *ranked, bool thorough)
{
	bool one = ranker->options->by == BY_FUNCTION;
	u32 end = one ? believed->first + 1 : believed->count;

	for (u32 i = believed->first; i < end; i++) {
		const struct frame *frames = believed->functions[i];
		size_t count = 1;

		if (thorough)
			count = symbols_frames(ranker->symbols, believed->stack->addresses[i],
					       frame_is_return(i), &frames);
		if (one && count) {
			frames += count - 1;
			count = 1;
		}
		if (add_frames(ranked, frames, count))
			return -1;
	}
	ranked->complete = believed->complete;
	return 0;
}

/**
 * rank_frames() - gives a place its frames and lines
 * @ranker: rank_parts() was called
 * @row: the place
 * @thorough: with lines and inlined functions, which take time to find
 * The frames are those of one call path: the path with the most share on the place's first line, or
 * without lines, with the most share in the place.
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
		row->ranked.complete = ranker->believed[leaf].complete;
		return add_frames(&row->ranked, row->spot, 1);
	}
	return make_frames(ranker, &ranker->believed[leaf], &row->ranked, thorough);
}

/**
 * struct weight - the part of a tally that goes to a place
 * @row: number of the place
 * @what: what the tally counts, see struct tally_key
 * @weight: the part, in the tally's unit
 */
struct weight {
	u32 row;
	u32 what;
	double weight;
};

/*
 * The threads and lengths of a cell count in the places that get at least a quarter of the cell, or
 * if there is none, in the place that gets most. So weights are at most four times the tallies.
 */
#define MAX_ROWS_OF_CELL 4

struct spread {
	u32 count;
	u32 rows[MAX_ROWS_OF_CELL];
	double parts[MAX_ROWS_OF_CELL];
};

static int weight_compare(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->what > y->what) - (x->what < y->what);
}

static u64 weighted_median(const struct weight *steps, size_t count)
{
	double sum = 0, below = 0;

	for (size_t i = 0; i < count; i++)
		sum += steps[i].weight;
	for (size_t i = 0; i < count; i++) {
		below += steps[i].weight;
		if (below > 0 && 2 * below >= sum)
			return step_length(steps[i].what & ~TALLY_WHAT);
	}
	return 0;
}

static size_t flows_of(const struct ranker *ranker, u32 cell, const struct flow **flows)
{
	u32 first = ranker->first_flow[cell], end = first;

	if (first == HASH_NONE)
		return 0;
	*flows = &ranker->flows.flow[first];
	while (end < ranker->flows.count && ranker->flows.flow[end].cell == cell)
		end++;
	return end - first;
}

/* The places in which a cell with these flows counts. @sums: scratch space, @count elements. */
static struct spread spread_of(const struct flow *flows, size_t count, struct weight *sums)
{
	struct spread spread = { 0 };
	size_t made = 0, largest = 0;

	for (size_t i = 0; i < count; i++)
		sums[i] = (struct weight){ .row = flows[i].row, .weight = flows[i].part };
	qsort(sums, count, sizeof(*sums), weight_compare);
	for (size_t i = 0; i < count; i++) {
		if (made && sums[made - 1].row == sums[i].row)
			sums[made - 1].weight += sums[i].weight;
		else
			sums[made++] = sums[i];
	}
	for (size_t i = 0; i < made; i++) {
		if (sums[i].weight > sums[largest].weight)
			largest = i;
		if (sums[i].weight * MAX_ROWS_OF_CELL < 1 || spread.count == MAX_ROWS_OF_CELL)
			continue;
		spread.rows[spread.count] = sums[i].row;
		spread.parts[spread.count++] = sums[i].weight;
	}
	if (made && !spread.count) {
		spread.rows[spread.count] = sums[largest].row;
		spread.parts[spread.count++] = sums[largest].weight;
	}
	return spread;
}

static struct spread *spread_all(const struct ranker *ranker)
{
	_cleanup_free_ struct weight *sums = calloc(ranker->flows.count + 1, sizeof(*sums));
	u32 cells = ranker->profile->cell_index.count;
	struct spread *spreads = calloc(cells + 1, sizeof(*spreads));
	const struct flow *flows = NULL;

	if (!spreads || !sums) {
		free(spreads);
		return NULL;
	}
	for (u32 i = 0; i < cells; i++) {
		size_t count = flows_of(ranker, i, &flows);

		spreads[i] = spread_of(flows, count, sums);
	}
	return spreads;
}

/* A wait reason, refined by the functions on the path @end; any other @then as it is. */
static u32 refined_then(const struct ranker *ranker, u32 then, u32 end)
{
	const struct believed *believed;

	if (then >= GAPP_WAIT_REASONS || end == STACK_NONE)
		return then;
	believed = &ranker->believed[end];
	return wait_refine(then, believed->functions, believed->count);
}

static void add_then(const struct ranker *ranker, const struct tally *tally)
{
	u32 then = refined_then(ranker, tally->key.what & ~TALLY_WHAT,
				ranker->profile->cells[tally->key.owner].key.end);
	const struct flow *flows = NULL;
	size_t count = flows_of(ranker, tally->key.owner, &flows);

	for (size_t i = 0; i < count; i++)
		ranker->rows[flows[i].row].then[then] += flows[i].part * tally->sum;
}

static int add_weights(const struct spread *spread, const struct tally *tally,
		       struct weight **weights, u32 *room, u32 *count)
{
	if (array_grow(weights, room, *count + MAX_ROWS_OF_CELL, sizeof(**weights)))
		return -1;
	for (u32 i = 0; i < spread->count; i++)
		(*weights)[(*count)++] = (struct weight){
			.row = spread->rows[i],
			.what = tally->key.what,
			.weight = spread->parts[i] * tally->sum,
		};
	return 0;
}

/* Sets threads, name and median length of a place. @weights: sorted, those of threads first. */
static void apply_weights(const struct profile *profile, struct ranked *ranked,
			  const struct weight *weights, size_t count)
{
	const struct weight *largest = NULL;
	size_t i;

	for (i = 0; i < count && (weights[i].what & TALLY_WHAT) == TALLY_SHARE; i++) {
		ranked->threads++;
		if (!largest || weights[i].weight > largest->weight)
			largest = &weights[i];
	}
	if (largest)
		ranked_comm(ranked, profile->entries[largest->what & ~TALLY_WHAT].comm);
	ranked->median_ns = weighted_median(weights + i, count - i);
}

static void apply_all_weights(struct ranker *ranker, struct weight *weights, u32 count)
{
	u32 made = 0, next;

	qsort(weights, count, sizeof(*weights), weight_compare);
	for (u32 i = 0; i < count; i++) {
		if (made && !weight_compare(&weights[made - 1], &weights[i]))
			weights[made - 1].weight += weights[i].weight;
		else
			weights[made++] = weights[i];
	}
	for (u32 i = 0; i < made; i = next) {
		for (next = i + 1; next < made && weights[next].row == weights[i].row;)
			next++;
		apply_weights(ranker->profile, &ranker->rows[weights[i].row].ranked, weights + i,
			      next - i);
	}
}

static int count_tallies(struct ranker *ranker)
{
	const struct profile *profile = ranker->profile;
	_cleanup_free_ struct spread *spreads = spread_all(ranker);
	_cleanup_free_ struct weight *weights = NULL;
	u32 room = 0, count = 0;

	if (!spreads)
		return -1;
	for (u32 i = 0; i < profile->tally_index.count; i++) {
		const struct tally *tally = &profile->tallies[i];

		if (tally->key.owner & TALLY_ENTRY)
			continue;
		if ((tally->key.what & TALLY_WHAT) == TALLY_THEN)
			add_then(ranker, tally);
		else if (add_weights(&spreads[tally->key.owner], tally, &weights, &room, &count))
			return -1;
	}
	if (count)
		apply_all_weights(ranker, weights, count);
	return 0;
}

/* A sampled slice counts once in every place that one of its paths belongs to. */
static void count_set(struct ranker *ranker, const struct set *set)
{
	const u32 *words = ranker->profile->words + set->word;
	bool by_end = ranker->options->by == BY_SLICE_END;
	u32 then = refined_then(ranker, words[SET_THEN] & ~SET_LEADER, words[SET_END]);
	u32 seen[MAX_STACKS_OF_SET], count = 0;
	u32 stacks = by_end ? 1 : set->words - SET_STACKS;

	if (!rank_wants(ranker->options, words[SET_THEN] & SET_LEADER) ||
	    (by_end && words[SET_END] == STACK_NONE))
		return;
	for (u32 i = 0; i < stacks; i++) {
		struct row_key key = {
			.kind = PATH_RAN,
			.target = words[SET_TARGET],
			.stack = by_end ? words[SET_END] : words[SET_STACKS + i],
		};
		u32 row = rank_find_row(ranker, &key), j;

		for (j = 0; j < count && seen[j] != row;)
			j++;
		if (row == HASH_NONE || j < count)
			continue;
		seen[count++] = row;
		ranker->rows[row].then[then] += set->count;
		if (then != THEN_ON)
			ranker->rows[row].slices += set->count;
	}
}

/* Sets for all places: threads, name, number and median length of slices, why they ended. */
int rank_counts(struct ranker *ranker)
{
	for (u32 i = 0; i < ranker->profile->set_index.count; i++)
		count_set(ranker, &ranker->profile->sets[i]);
	return count_tallies(ranker);
}

/* Places of BY_THREAD or BY_PROCESS, in the order in which their first entries were made. */
struct thread_rows {
	struct ranked *rows;
	double *n_ns;
	double *name_ns; /* share of the thread that gave the place its name */
	u32 *targets;
	u32 *row_of; /* by number of the entry */
	u32 count;
	struct hash_index index; /* with BY_PROCESS */
};

static void free_rows(struct thread_rows *rows)
{
	free(rows->rows);
	free(rows->n_ns);
	free(rows->name_ns);
	free(rows->targets);
	free(rows->row_of);
	hash_index_free(&rows->index);
}

static int make_thread_rows(struct thread_rows *rows, u32 entries)
{
	rows->rows = calloc(entries + 1, sizeof(*rows->rows));
	rows->n_ns = calloc(entries + 1, sizeof(*rows->n_ns));
	rows->name_ns = calloc(entries + 1, sizeof(*rows->name_ns));
	rows->targets = calloc(entries + 1, sizeof(*rows->targets));
	rows->row_of = calloc(entries + 1, sizeof(*rows->row_of));
	return rows->rows && rows->n_ns && rows->name_ns && rows->targets && rows->row_of ? 0 : -1;
}

static bool same_process(const void *table, u32 id, const void *wanted)
{
	const struct thread_rows *rows = table;
	const struct entry_key *key = wanted;
	const struct ranked *row = &rows->rows[id];

	return row->tgid == key->tgid && rows->targets[id] == key->target &&
	       row->kind == (enum path_kind)key->kind &&
	       row->wait == (enum gapp_wait_reason)key->wait;
}

static int find_thread_row(struct thread_rows *rows, enum by by, const struct entry_key *key,
			   u32 *id)
{
	u64 hash =
		gapp_hash_add((u64)(u32)key->tgid << 32 | key->target, key->kind | key->wait << 8);

	*id = HASH_NONE;
	if (by == BY_PROCESS)
		*id = hash_index_find(&rows->index, hash, same_process, rows, key);
	if (*id != HASH_NONE)
		return 0;
	*id = rows->count++;
	rows->rows[*id] = (struct ranked){
		.kind = key->kind,
		.wait = key->wait,
		.tid = by == BY_THREAD ? key->tid : 0,
		.tgid = key->tgid,
	};
	rows->targets[*id] = key->target;
	return by == BY_PROCESS ? hash_index_add(&rows->index, hash, *id) : 0;
}

static void add_entry(struct thread_rows *rows, u32 id, const struct entry *entry)
{
	double unit = entry->key.kind == PATH_WAITED ? 1 : share_ns_exactly(1);
	const struct figures *figures = &entry->figures;
	double ns = unit * figures->critical_share;
	struct ranked *row = &rows->rows[id];
	/* a process has its leader's name, if the leader is among the entries */
	double name_ns = entry->key.leader ? HUGE_VAL : ns;

	if (!row->threads++ || name_ns > rows->name_ns[id]) {
		ranked_comm(row, entry->comm);
		rows->name_ns[id] = name_ns;
	}
	row->critical_ns += ns;
	row->slices += figures->slices;
	row->samples += figures->samples;
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		row->waiting_ns[i] += unit * figures->waiting[i];
	rows->n_ns[id] += unit * figures->n_share;
}

static int add_tallies(const struct profile *profile, struct thread_rows *rows)
{
	_cleanup_free_ struct weight *steps = NULL;
	u32 room = 0, count = 0, next;

	for (u32 i = 0; i < profile->tally_index.count; i++) {
		const struct tally *tally = &profile->tallies[i];
		u32 row, what = tally->key.what & ~TALLY_WHAT;

		if (!(tally->key.owner & TALLY_ENTRY))
			continue;
		row = rows->row_of[tally->key.owner & ~TALLY_ENTRY];
		if (row == HASH_NONE)
			continue;
		if ((tally->key.what & TALLY_WHAT) == TALLY_THEN) {
			rows->rows[row].then[what] += tally->sum;
			continue;
		}
		if (array_grow(&steps, &room, count, sizeof(*steps)))
			return -1;
		steps[count++] = (struct weight){ row, tally->key.what, tally->sum };
	}
	if (count)
		qsort(steps, count, sizeof(*steps), weight_compare);
	for (u32 i = 0; i < count; i = next) {
		for (next = i + 1; next < count && steps[next].row == steps[i].row;)
			next++;
		rows->rows[steps[i].row].median_ns = weighted_median(steps + i, next - i);
	}
	return 0;
}

/* Ranks threads or processes. */
int rank_threads(const struct profile *profile, const struct profile_options *options,
		 struct ranking *ranking)
{
	_cleanup_(free_rows) struct thread_rows rows = { 0 };
	u32 entries = profile->entry_index.count;

	if (make_thread_rows(&rows, entries))
		return -1;
	for (u32 i = 0; i < entries; i++) {
		const struct entry *entry = &profile->entries[i];

		rows.row_of[i] = HASH_NONE;
		if (!rank_wants(options, entry->key.leader))
			continue;
		if (find_thread_row(&rows, options->by, &entry->key, &rows.row_of[i]))
			return -1;
		add_entry(&rows, rows.row_of[i], entry);
	}
	if (add_tallies(profile, &rows))
		return -1;

	for (u32 i = 0; i < rows.count; i++) {
		struct ranked *row = &rows.rows[i];

		if (row->kind == PATH_RAN && row->critical_ns > 0)
			row->running = rows.n_ns[i] / row->critical_ns;
	}
	qsort(rows.rows, rows.count, sizeof(*rows.rows), ranked_compare);
	ranking->rows = rows.rows;
	ranking->count = rows.count;
	rows.rows = NULL;
	return 0;
}
