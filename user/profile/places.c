// SPDX-License-Identifier: GPL-2.0
/*
 * What the places of a ranking show: frames and lines, threads, names, lengths of slices and why
 * they ended.
 */
#include "place_tree.h"
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

static int same_compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return compare_by(three_way(x->row, y->row), three_way(x->what, y->what),
			  three_way(x->stack_top, y->stack_top));
}

static int largest_compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return compare_by(three_way(x->row, y->row), three_way(y->sum, x->sum), same_compare(a, b));
}

/* Sorts parts and adds up those of the same place and kind. Returns how many are left. */
static u32 add_up(struct part *parts, u32 count)
{
	u32 made = 0;

	if (count)
		qsort(parts, count, sizeof(*parts), same_compare);
	for (u32 i = 0; i < count; i++) {
		if (made && !same_compare(&parts[made - 1], &parts[i])) {
			parts[made - 1].samples += parts[i].samples;
			parts[made - 1].sum += parts[i].sum;
		} else {
			parts[made++] = parts[i];
		}
	}
	return made;
}

/* Makes the parts: for each place its call paths, each with its share and samples. */
int rank_parts(struct ranker *ranker)
{
	u32 flows = ranker->flows.count;
	struct part *parts = calloc(flows + 1, sizeof(*parts));

	ranker->parts = parts;
	if (!parts)
		return -1;
	for (u32 i = 0; i < flows; i++) {
		const struct flow *flow = &ranker->flows.flow[i];

		parts[i] = (struct part){
			.row = flow->row,
			.what = flow->leaf,
			.stack_top = flow->stack_top,
			.samples = ranker->profile->cells.rows[flow->cell].figures.samples,
			.sum = flow_ns(ranker, flow),
		};
	}
	flows = add_up(parts, flows);
	qsort(parts, flows, sizeof(*parts), largest_compare);
	for (u32 i = flows; i--;) {
		ranker->rows[parts[i].row].first_part = i;
		ranker->rows[parts[i].row].part_count++;
	}
	return 0;
}

static int line_compare(const void *a, const void *b)
{
	const struct line_count *x = a, *y = b;

	return compare_by(three_way(y->critical_ns, x->critical_ns),
			  three_way(y->samples, x->samples), three_way(x->line, y->line),
			  x->stack_top - y->stack_top);
}

static bool same_line(const void *table, u32 id, const void *key)
{
	const struct line_count *a = (const struct line_count *)table + id, *b = key;

	return a->stack_top == b->stack_top && spot_same(a->frame, b->frame);
}

static int add_line(struct line_count *lines, struct hash_index *index, const struct part *part,
		    const struct frame *spot)
{
	struct line_count line = {
		.file = spot->file,
		.line = spot->file ? spot->line : 0,
		.frame = spot,
		.stack = part->what,
		.samples = part->samples,
		.critical_ns = part->sum,
		.stack_top = part->stack_top,
	};
	u64 hash = spot_hash(spot);
	u32 id = hash_index_find(index, hash, same_line, lines, &line);

	if (id == HASH_NONE) {
		lines[index->count] = line;
		return hash_index_add(index, hash, index->count);
	}
	lines[id].samples += part->samples;
	lines[id].critical_ns += part->sum;
	return 0;
}

static int make_lines(struct ranker *ranker, struct row *row)
{
	_cleanup_(hash_index_free) struct hash_index index = { 0 };
	struct ranked *ranked = &row->ranked;

	ranked->lines = calloc(row->part_count + 1, sizeof(*ranked->lines));
	if (!ranked->lines)
		return -1;
	for (u32 i = 0; i < row->part_count; i++) {
		const struct part *part = &ranker->parts[row->first_part + i];
		const struct frame *spot = ranker->tree ? place_spot(ranker, row, part->what) :
							  rank_spot(ranker, part->what);

		if (!spot || add_line(ranked->lines, &index, part, spot))
			return -1;
	}
	qsort(ranked->lines, index.count, sizeof(*ranked->lines), line_compare);
	ranked->line_count = index.count;
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

/* Notes the address of the path's frame number @i for the last @count frames of @ranked. */
static int add_addresses(struct ranked *ranked, const struct call_path *path, u32 i, size_t count)
{
	struct code_address address = path->addresses[i];
	struct code_address *grown =
		reallocarray(ranked->addresses, ranked->frame_count, sizeof(*grown));

	if (!grown)
		return -1;
	address.offset -= call_path_is_return(path, i) && address.offset;
	for (size_t at = ranked->frame_count - count; at < ranked->frame_count; at++)
		grown[at] = address;
	ranked->addresses = grown;
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
					       call_path_is_return(believed->stack, i), &frames);
		if (one && count) {
			frames += count - 1;
			count = 1;
		}
		if (add_frames(ranked, frames, count) ||
		    (ranker->options->by == BY_ADDRESSES &&
		     add_addresses(ranked, believed->stack, i, count)))
			return -1;
	}
	ranked->complete = believed->complete;
	return 0;
}

/*
 * Gives a place its frames; with @thorough also lines and inlined functions, which take time to
 * find. The frames are those of one call path: the path with the most share on the place's first
 * line, or without lines, with the most share in the place. Returns 0, or -1 without memory.
 */
int rank_frames(struct ranker *ranker, struct row *row, bool thorough)
{
	u32 leaf = row->part_count ? ranker->parts[row->first_part].what : row->stack;

	if (thorough && make_lines(ranker, row))
		return -1;
	if (ranker->tree && thorough && place_make_doing(ranker, row))
		return -1;
	if (row->ranked.line_count)
		leaf = row->ranked.lines[0].stack;
	if (ranker->options->by == BY_SLICE_END)
		leaf = row->stack;
	if (ranker->tree)
		return place_make_frames(ranker, row, leaf, thorough);
	if (ranker->options->by == BY_LINE) {
		row->ranked.complete = ranker->believed[leaf].complete;
		return add_frames(&row->ranked, row->spot, 1);
	}
	return make_frames(ranker, &ranker->believed[leaf], &row->ranked, thorough);
}

/* The number of critical times; slices without any, in step 0, do not count. */
static double number(const struct part *steps, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += steps[i].what & ~TALLY_WHAT ? steps[i].sum : 0;
	return sum;
}

/* The median of critical times. */
static u64 median(const struct part *steps, size_t count)
{
	double sum = number(steps, count), below = 0;

	for (size_t i = 0; i < count; i++) {
		below += steps[i].what & ~TALLY_WHAT ? steps[i].sum : 0;
		if (below > 0 && 2 * below >= sum)
			return step_length(steps[i].what & ~TALLY_WHAT);
	}
	return 0;
}

/*
 * The threads of a cell count in the places that get at least this part of the cell, or
 * if there is none, in the place that gets most.
 */
#define LEAST_WEIGHT 0.25

/* Sets the weights of a cell's flows. */
static void weigh(const struct ranker *ranker, struct flow *flows, u32 count)
{
	const struct flow *largest = flows;

	for (u32 i = 0; i < count; i++) {
		struct row *row = &ranker->rows[flows[i].row];

		if (!row->weighed || row->weighed->cell != flows->cell)
			row->weighed = &flows[i];
		row->weighed->weight += flows[i].part;
	}
	for (u32 i = 0; i < count; i++)
		if (flows[i].weight > largest->weight ||
		    (flows[i].weight == largest->weight && flows[i].row < largest->row))
			largest = &flows[i];
	for (u32 i = 0; i < count; i++)
		if (flows[i].weight < LEAST_WEIGHT && &flows[i] != largest)
			flows[i].weight = 0;
}

/* Sets the weights of all flows. Returns the first flow of each cell, to be freed, or NULL. */
static struct flow **weigh_all(const struct ranker *ranker)
{
	const struct profile *profile = ranker->profile;
	u32 cells = ranker->threads ? profile->entries.index.count : profile->cells.index.count;
	struct flow **first = calloc(cells + 1, sizeof(*first)), *flow = ranker->flows.flow;
	u32 next;

	for (u32 i = 0; first && i < ranker->flows.count; i = next) {
		for (next = i + 1; next < ranker->flows.count && flow[next].cell == flow[i].cell;)
			next++;
		first[flow[i].cell] = &flow[i];
		weigh(ranker, &flow[i], next - i);
	}
	return first;
}

/* A wait reason, refined by the functions on the path @end; any other @then as it is. */
static u32 refined_then(const struct ranker *ranker, u32 then, u32 end)
{
	if (then >= GAPP_WAIT_REASONS)
		return then;
	if (end == STACK_NONE)
		return profile_wait_as(ranker->profile, then).reason;
	return path_wait(ranker, end, then).reason;
}

/*
 * Sets threads, name and median length of a place, its time in the kernel, and what was counted.
 * @parts: sorted, those of threads first. Returns 0, or -1 without memory.
 */
static int apply_parts(const struct ranker *ranker, struct row *row, const struct part *parts,
		       size_t count)
{
	const struct profile *profile = ranker->profile;
	struct ranked *ranked = &row->ranked;
	const struct part *largest = NULL;
	size_t i, in, counted;

	for (i = 0; i < count && (parts[i].what & TALLY_WHAT) == TALLY_SHARE; i++) {
		ranked->threads++;
		if (!largest || parts[i].sum > largest->sum)
			largest = &parts[i];
	}
	if (largest)
		ranked_comm(ranked, profile->entries.rows[largest->what & ~TALLY_WHAT].comm);
	for (in = i; in < count && (parts[in].what & TALLY_WHAT) == TALLY_LENGTH;)
		in++;
	/* so that both figures are of the same slices */
	if (ranked->kind == PATH_RAN && number(parts + i, in - i) > 0)
		row->slices = number(parts + i, in - i);
	ranked->median_ns = median(parts + i, in - i);
	/* it is rounded, and one slice may have all of the time */
	if (ranked->median_ns > ranked->critical_ns)
		ranked->median_ns = ranked->critical_ns;
	if ((ranker->tree || ranker->options->by == BY_ADDRESSES) &&
	    place_make_members(profile, ranked, parts, i))
		return -1;
	for (counted = in; counted < count && (parts[counted].what & TALLY_WHAT) == TALLY_IN;)
		counted++;
	rank_counted(ranked, parts + counted, count - counted);
	return rank_kernel(ranked, parts + in, counted - in);
}

struct parts {
	struct part *list;
	u32 count;
	u32 room;
};

static void free_parts(struct parts *parts)
{
	free(parts->list);
}

void rank_set_rows(const struct ranker *ranker, const struct set *set, struct set_rows *places)
{
	bool by_end = ranker->options->by == BY_SLICE_END;
	const u32 *stacks = by_end ? &set->key.end : set->key.stacks;
	double sum = 0;

	places->count = 0;
	places->share = 0;
	if (!rank_wants(ranker->options, set->key.leader))
		return;
	for (u32 i = 0; i < MAX_STACKS_OF_SET; i++)
		sum += set->shares[i];
	places->share = sum;
	for (u32 i = 0; i < (by_end ? 1 : MAX_STACKS_OF_SET) && stacks[i] != STACK_NONE; i++) {
		struct row_key key = {
			.kind = PATH_RAN,
			.target = set->key.target,
			.stack = stacks[i],
		};
		u32 row = rank_find_row(ranker, &key), j = 0;

		while (j < places->count && places->rows[j] != row)
			j++;
		if (row == HASH_NONE)
			continue;
		if (j == places->count) {
			places->rows[places->count++] = row;
			places->part[j] = 0;
		}
		places->part[j] += by_end ? 1 : sum > 0 ? set->shares[i] / sum : 0;
	}
}

static int add_part(struct parts *parts, u32 row, u32 what, double sum)
{
	if (array_grow(&parts->list, &parts->room, parts->count, sizeof(*parts->list)))
		return -1;
	parts->list[parts->count++] = (struct part){ .row = row, .what = what, .sum = sum };
	return 0;
}

/* Adds slices of a set: of their critical time, each place has the part that it has of the set. */
static int add_lengths(const struct ranker *ranker, const struct tally *tally, struct parts *parts)
{
	const struct set *set = &ranker->profile->sets.rows[tally->key.owner & ~TALLY_SET];
	u64 ns = step_length(tally->key.what & ~TALLY_WHAT);
	struct set_rows places;

	rank_set_rows(ranker, set, &places);
	for (u32 i = 0; i < places.count; i++)
		if (add_part(parts, places.rows[i], TALLY_LENGTH | length_step(ns * places.part[i]),
			     tally->sum))
			return -1;
	return 0;
}

/* Adds a tally of the owner of @first to its places, or to the parts. */
static int add_tally(const struct ranker *ranker, const struct tally *tally,
		     const struct flow *first, struct parts *parts)
{
	const struct flow *end = ranker->flows.flow + ranker->flows.count;
	bool is_then = (tally->key.what & TALLY_WHAT) == TALLY_THEN;
	bool is_in = (tally->key.what & TALLY_WHAT) == TALLY_IN;
	bool is_counted = (tally->key.what & TALLY_WHAT) == TALLY_COUNTED;
	bool is_length = (tally->key.what & TALLY_WHAT) == TALLY_LENGTH;
	u32 then = tally->key.what & ~TALLY_WHAT;

	if (is_then)
		then = refined_then(ranker, then,
				    ranker->threads ?
					    STACK_NONE :
					    ranker->profile->cells.rows[first->cell].key.end);
	for (const struct flow *flow = first; flow < end && flow->cell == first->cell; flow++) {
		double weight = is_in			? rank_unit_in(ranker, flow) :
				is_length || is_counted ? flow->part :
							  flow->weight;

		if (is_then)
			ranker->rows[flow->row].then[then] += flow->part * tally->sum;
		if (is_then || !weight)
			continue;
		if (add_part(parts, flow->row, tally->key.what, weight * tally->sum))
			return -1;
	}
	return 0;
}

static int count_tallies(const struct ranker *ranker)
{
	_cleanup_(free_parts) struct parts parts = { 0 };
	_cleanup_free_ struct flow **first = weigh_all(ranker);
	u32 next;

	if (!first)
		return -1;
	for (u32 i = 0; i < ranker->profile->tallies.index.count; i++) {
		const struct tally *tally = &ranker->profile->tallies.rows[i];
		u32 owner = tally->key.owner ^ (ranker->threads ? TALLY_ENTRY : 0);

		if (owner & TALLY_ENTRY)
			continue;
		if (owner & TALLY_SET ?
			    add_lengths(ranker, tally, &parts) :
			    first[owner] && add_tally(ranker, tally, first[owner], &parts))
			return -1;
	}
	parts.count = add_up(parts.list, parts.count);
	for (u32 i = 0; i < parts.count; i = next) {
		const struct part *part = &parts.list[i];

		for (next = i + 1; next < parts.count && parts.list[next].row == part->row;)
			next++;
		if (apply_parts(ranker, &ranker->rows[part->row], part, next - i))
			return -1;
	}
	return 0;
}

/* A sampled slice counts once in every place that one of its paths belongs to. */
static void count_set(struct ranker *ranker, const struct set *set)
{
	u32 then = refined_then(ranker, set->key.then, set->key.end);
	struct set_rows places;

	rank_set_rows(ranker, set, &places);
	for (u32 i = 0; i < places.count; i++) {
		struct row *row = &ranker->rows[places.rows[i]];

		row->then[then] += set->slices;
		if (then != THEN_ON)
			row->slices += set->slices;
	}
}

/* Sets for all places: threads, name, number and median length of slices, why they ended. */
int rank_counts(struct ranker *ranker)
{
	const struct profile *profile = ranker->profile;

	for (u32 i = 0; !ranker->threads && i < profile->sets.index.count; i++)
		count_set(ranker, &profile->sets.rows[i]);
	return count_tallies(ranker);
}
