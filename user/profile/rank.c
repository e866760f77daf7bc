// SPDX-License-Identifier: GPL-2.0
/*
 * Ranks. Cells become flows: share that goes to one call path. Samples tell their path themselves.
 * Share of slices without samples goes where the sampled slices of the same process ran that ended
 * on the same path, in the same proportion; if they have too few samples to tell, it goes to the
 * path at the end. Flows to the same path, function or line become a place; places are sorted, and
 * get their frames, lines and counts.
 */
#include <math.h>

#include "place_tree.h"
#include "profile_private.h"
#include "regions.h"

/* Fewer samples do not tell where slices without a sample ran. */
#define SAMPLES_TO_INFER 5

bool rank_wants(const struct profile_options *options, bool leader)
{
	return !(leader ? options->threads_only : options->process_only);
}

static int append_flow(struct flows *flows, struct flow flow)
{
	if (array_grow(&flows->flow, &flows->room, flows->count, sizeof(*flows->flow)))
		return -1;
	flows->flow[flows->count++] = flow;
	return 0;
}

/* 0: alike, both waits or both slices, of one target and process, with one path at the end. */
static int alike_compare(const struct cell_key *a, const struct cell_key *b)
{
	return compare_by(three_way(a->kind == CELL_WAITED, b->kind == CELL_WAITED),
			  three_way(a->target, b->target), three_way(a->tgid, b->tgid),
			  three_way(a->end, b->end));
}

/* For qsort: alike cells follow each other, in the order of their memory. */
static int cell_compare(const void *a, const void *b)
{
	const struct cell *x = *(const struct cell *const *)a, *y = *(const struct cell *const *)b;

	return alike_compare(&x->key, &y->key) ?: three_way(x, y);
}

static bool others_waited(const struct cell *cell)
{
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		if (cell->figures.waiting[i] > 0)
			return true;
	return false;
}

/*
 * Whether @sampled tells where slices of @cell ran. If others waited for these but for none of the
 * sampled ones, it does not: it is of another time, such as a program's start before its threads.
 */
static bool tells(const struct cell *sampled, const struct cell *cell)
{
	return sampled->key.kind == CELL_SAMPLED && sampled->figures.critical_share &&
	       (others_waited(sampled) || !others_waited(cell));
}

/*
 * Splits a cell in proportion to those of @alike that tell where its slices ran. Returns 1 if they
 * have too few samples, else 0, or -1 without memory.
 */
static int infer(struct flows *flows, const struct cell *cell, u32 id,
		 const struct cell *const *alike, size_t count)
{
	double sum = 0;
	u64 samples = 0;

	for (size_t i = 0; i < count; i++) {
		if (!tells(alike[i], cell))
			continue;
		sum += alike[i]->figures.critical_share;
		samples += alike[i]->figures.samples;
	}
	if (samples < SAMPLES_TO_INFER)
		return 1;
	for (size_t i = 0; i < count; i++) {
		struct flow flow = {
			.cell = id,
			.key = alike[i]->key.stack,
			.leaf = alike[i]->key.stack,
			.part = alike[i]->figures.critical_share / sum,
		};

		if (tells(alike[i], cell) && append_flow(flows, flow))
			return -1;
	}
	return 0;
}

/* Whether the share of a cell is of slices without a sample. */
static bool is_inferred(const struct cell *cell)
{
	return cell->key.kind == CELL_UNSAMPLED || cell->key.kind == CELL_INTERRUPTED;
}

/* Decides which call paths get the share of each of @alike, and in which parts. */
static int blame_alike(struct ranker *ranker, const struct cell *const *alike, size_t count)
{
	const struct cell *cells = ranker->profile->cells.rows;
	/* as the GAPP paper: the path at the end gets all; samples decide only the lines shown */
	bool by_end = ranker->options->by == BY_SLICE_END;

	for (size_t i = 0; i < count; i++) {
		const struct cell_key *key = &alike[i]->key;
		struct flow flow = {
			.cell = alike[i] - cells,
			.leaf = key->kind == CELL_SAMPLED ? key->stack : key->end,
			.part = 1,
			.stack_top = is_inferred(alike[i]),
		};
		int unknown = 1; /* where its slices ran */

		flow.key = by_end ? key->end : flow.leaf;
		if (by_end && (key->kind == CELL_WAITED || key->end == STACK_NONE))
			continue;
		if (!by_end && key->kind == CELL_UNSAMPLED)
			unknown = infer(&ranker->flows, alike[i], flow.cell, alike, count);
		if (unknown < 0 || (unknown && append_flow(&ranker->flows, flow)))
			return -1;
	}
	return 0;
}

/* Makes the flows of all cells. */
static int blame(struct ranker *ranker)
{
	_cleanup_free_ const struct cell **order = NULL;
	const struct profile *profile = ranker->profile;
	u32 cells = profile->cells.index.count;
	size_t count = 0, next;

	order = reallocarray(NULL, cells + 1, sizeof(*order));
	if (!order)
		return -1;
	for (u32 i = 0; i < cells; i++)
		if (rank_wants(ranker->options, profile->cells.rows[i].key.leader))
			order[count++] = &profile->cells.rows[i];
	qsort(order, count, sizeof(*order), cell_compare);

	for (size_t i = 0; i < count; i = next) {
		for (next = i + 1; next < count; next++)
			if (alike_compare(&order[i]->key, &order[next]->key))
				break;
		if (blame_alike(ranker, order + i, next - i))
			return -1;
	}
	return 0;
}

/* With BY_LINE: paths with less than this part of the sum go to their function, not to a line. */
#define SPOT_PART 0.00001

/* How many frames of a path, from the first shown one on, decide its place. */
static u32 key_depth(const struct ranker *ranker, const struct believed *believed)
{
	return ranker->options->by == BY_FUNCTION ? 1 : believed->count - believed->first;
}

static u64 row_hash(const struct ranker *ranker, const struct row_key *key)
{
	u64 hash = gapp_hash_add((u64)key->kind << 32 | key->wait, key->target);
	const struct believed *believed;

	if (ranker->threads)
		return gapp_hash_add(hash, key->stack);
	if (ranker->tree)
		return gapp_hash_add(hash, place_tree_find(ranker->tree, key));
	believed = &ranker->believed[key->stack];

	switch (ranker->options->by) {
	case BY_LINE:
		return gapp_hash_add(hash, spot_hash(ranker->spots[key->stack]));
	case BY_FUNCTION:
		return gapp_hash_add(hash, function_hash(believed, believed->first));
	case BY_ADDRESSES:
		return gapp_hash_add(hash, key->stack);
	default:
		return gapp_hash_add(hash, believed->hash);
	}
}

static bool same_row(const void *table, u32 id, const void *wanted)
{
	const struct ranker *ranker = table;
	const struct row *row = &ranker->rows[id];
	const struct row_key *key = wanted;
	const struct believed *a, *b;
	u32 depth;

	if (row->ranked.kind != key->kind || row->ranked.wait != key->wait ||
	    row->ranked.target != key->target)
		return false;
	if (ranker->threads || ranker->options->by == BY_ADDRESSES)
		return row->stack == key->stack;
	if (ranker->tree)
		return row->place == place_tree_find(ranker->tree, key);
	if (ranker->options->by == BY_LINE)
		return spot_same(row->spot, ranker->spots[key->stack]);
	a = &ranker->believed[row->stack];
	b = &ranker->believed[key->stack];
	depth = key_depth(ranker, a);
	if (depth != key_depth(ranker, b))
		return false;
	for (u32 i = 0; i < depth; i++) {
		if (!function_same(a, a->first + i, b, b->first + i))
			return false;
	}
	return true;
}

u32 rank_find_row(const struct ranker *ranker, const struct row_key *key)
{
	return hash_index_find(&ranker->row_index, row_hash(ranker, key), same_row, ranker, key);
}

static int get_row(struct ranker *ranker, const struct row_key *key, u32 *id)
{
	u32 next = ranker->row_index.count;
	struct row *row;

	*id = rank_find_row(ranker, key);
	if (*id != HASH_NONE)
		return 0;
	if (array_grow(&ranker->rows, &ranker->row_room, next, sizeof(*ranker->rows)))
		return -1;
	row = &ranker->rows[next];
	*row = (struct row){ .stack = key->stack };
	row->ranked.target = key->target;
	row->ranked.kind = key->kind;
	row->ranked.wait = key->wait;
	row->spot = ranker->spots ? ranker->spots[key->stack] : NULL;
	row->place = ranker->tree ? place_tree_find(ranker->tree, key) : HASH_NONE;
	*id = next;
	return hash_index_add(&ranker->row_index, row_hash(ranker, key), next);
}

struct row_key rank_key_of(const struct ranker *ranker, const struct flow *flow)
{
	const struct cell_key *cell = &ranker->profile->cells.rows[flow->cell].key;
	struct row_key key = { .kind = PATH_RAN, .target = cell->target, .stack = flow->key };

	if (cell->kind == CELL_WAITED) {
		key.kind = PATH_WAITED;
		key.wait = path_wait(ranker, flow->key, cell->wait).reason;
	}
	return key;
}

/* Nanoseconds in a unit of figures. */
static double unit_of(bool waited)
{
	return waited ? 1 : share_ns_exactly(1);
}

double flow_ns(const struct ranker *ranker, const struct flow *flow)
{
	const struct cell *cell = &ranker->profile->cells.rows[flow->cell];

	return flow->part * unit_of(cell->key.kind == CELL_WAITED) * cell->figures.critical_share;
}

/* Adds figures to a place; @unit: nanoseconds of the place in a unit of the figures. */
static void add_figures(struct row *row, const struct figures *figures, double unit)
{
	struct ranked *ranked = &row->ranked;

	ranked->critical_ns += unit * figures->critical_share;
	ranked->samples += figures->samples;
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		row->waiting[i] += unit * figures->waiting[i];
	row->n_ns += unit * figures->n_share;
}

/* The target of a cell; NULL: it is not known. */
static const struct gapp_target_figures *target_of(const struct ranker *ranker,
						   const struct cell_key *key)
{
	const struct profile_options *options = ranker->options;

	if (key->target >= options->target_count ||
	    options->targets[key->target].id != key->target || !options->targets[key->target].tgid)
		return NULL;
	return &options->targets[key->target];
}

/* The process that the target of a cell is called by. */
static s32 process_of(const struct ranker *ranker, const struct cell_key *key)
{
	const struct gapp_target_figures *target = target_of(ranker, key);

	return target ? target->tgid : key->tgid;
}

/* A row has no more wall time than its target had few threads active; of several, the most. */
static void limit_wall(const struct ranker *ranker, struct row *row, const struct cell_key *key)
{
	const struct gapp_target_figures *target = target_of(ranker, key);
	u64 ns = target ? target->wall_ns : UINT64_MAX;

	if (target && ranker->targets_low_ns && ranker->targets_low_ns[key->target] < ns)
		ns = ranker->targets_low_ns[key->target];
	if (row->target_ns < ns)
		row->target_ns = ns;
}

static void add_flow(const struct ranker *ranker, struct row *row, const struct flow *flow)
{
	const struct cell *cell = &ranker->profile->cells.rows[flow->cell];
	double ns = flow_ns(ranker, flow);

	add_figures(row, &cell->figures, flow->part * unit_of(cell->key.kind == CELL_WAITED));
	row->slices += flow->part * cell->figures.slices;
	limit_wall(ranker, row, &cell->key);
	if (is_inferred(cell))
		row->ranked.inferred_ns += ns;
	if (ns > row->largest_ns) {
		row->largest_ns = ns;
		row->stack = flow->key;
		if (ranker->profile->several_targets || ranker->options->apart)
			row->ranked.tgid = process_of(ranker, &cell->key);
		row->ranked.idle = ranker->options->idle;
		if (cell->key.kind == CELL_WAITED)
			row->ranked.called = path_wait(ranker, flow->key, cell->key.wait);
	}
}

/* A wait is called as its largest part is; sets how much of it is called so. */
static void add_called(struct ranker *ranker)
{
	for (u32 i = 0; i < ranker->flows.count; i++) {
		const struct flow *flow = &ranker->flows.flow[i];
		const struct cell *cell = &ranker->profile->cells.rows[flow->cell];
		struct row *row = &ranker->rows[flow->row];
		struct wait_kind kind;

		if (cell->key.kind != CELL_WAITED)
			continue;
		kind = path_wait(ranker, flow->key, cell->key.wait);
		if (wait_kind_same(&kind, &row->ranked.called))
			row->called_ns += flow_ns(ranker, flow);
	}
}

static void note_complete(struct ranker *ranker)
{
	struct profile *profile = ranker->profile;
	double sum = 0;

	memset(profile->complete_part, 0, sizeof(profile->complete_part));
	memset(profile->cut_part, 0, sizeof(profile->cut_part));
	for (u32 i = 0; i < ranker->flows.count; i++) {
		const struct flow *flow = &ranker->flows.flow[i];
		const struct believed *believed = &ranker->believed[flow->leaf];
		double ns = flow_ns(ranker, flow);

		if (profile->cells.rows[flow->cell].key.kind == CELL_WAITED)
			continue;
		sum += ns;
		if (believed->complete)
			profile->complete_part[believed->stack->method] += ns;
		else
			profile->cut_part[believed->end] += ns;
	}
	for (size_t i = 0; i < PATH_METHODS && sum > 0; i++)
		profile->complete_part[i] /= sum;
	for (size_t i = 0; i < PATH_ENDS && sum > 0; i++)
		profile->cut_part[i] /= sum;
}

const struct frame *rank_spot(const struct ranker *ranker, u32 stack)
{
	const struct believed *believed = &ranker->believed[stack];
	const struct frame *frames;

	if (!symbols_frames(ranker->symbols, believed->stack->addresses[believed->first],
			    call_path_is_return(believed->stack, believed->first), &frames))
		return NULL;
	return frames;
}

/* With BY_LINE: sets @ranker->spots, the line of each call path. */
static int find_spots(struct ranker *ranker)
{
	u32 count = ranker->profile->seen_room;
	_cleanup_free_ double *share = calloc(count + 1, sizeof(*share));
	double sum = 0;

	ranker->spots = calloc(count + 1, sizeof(*ranker->spots));
	if (!share || !ranker->spots)
		return -1;
	for (u32 i = 0; i < ranker->flows.count; i++) {
		double ns = flow_ns(ranker, &ranker->flows.flow[i]);

		share[ranker->flows.flow[i].key] += ns;
		sum += ns;
	}
	for (u32 i = 0; i < count; i++) {
		const struct believed *believed = &ranker->believed[i];

		if (!believed->stack)
			continue;
		ranker->spots[i] = share[i] < sum * SPOT_PART ?
					   believed->functions[believed->first] :
					   rank_spot(ranker, i);
		if (!ranker->spots[i])
			return -1;
	}
	return 0;
}

/* Puts flows together into places. */
static int rank_rows(struct ranker *ranker)
{
	if (ranker->options->by == BY_LINE && find_spots(ranker))
		return -1;
	if (ranker->options->by == BY_PLACE && place_tree_build(ranker))
		return -1;
	for (u32 i = 0; i < ranker->flows.count; i++) {
		struct flow *flow = &ranker->flows.flow[i];
		struct row_key key = rank_key_of(ranker, flow);

		if (get_row(ranker, &key, &flow->row))
			return -1;
		add_flow(ranker, &ranker->rows[flow->row], flow);
	}
	add_called(ranker);
	if (ranker->options->by == BY_PATH)
		note_complete(ranker);
	return 0;
}

static void add_entry(const struct ranker *ranker, struct row *row, const struct entry *entry)
{
	enum by by = ranker->options->by;
	double unit = unit_of(entry->key.kind == PATH_WAITED);
	/* a process has its leader's name, if the leader is among the entries */
	double name_ns = entry->key.leader ? HUGE_VAL : unit * entry->figures.critical_share;

	row->ranked.tid = by == BY_THREAD ? entry->key.tid : 0;
	row->ranked.tgid = entry->key.tgid;
	if (!row->ranked.threads++ || name_ns > row->largest_ns) {
		ranked_comm(&row->ranked, entry->comm);
		row->largest_ns = name_ns;
	}
	row->slices += entry->figures.slices;
	add_figures(row, &entry->figures, unit);
}

/* Puts entries together into places of threads or processes; each entry is a flow of its own. */
static int rank_threads(struct ranker *ranker)
{
	enum by by = ranker->options->by;

	for (u32 i = 0; i < ranker->profile->entries.index.count; i++) {
		const struct entry *entry = &ranker->profile->entries.rows[i];
		struct row_key key = {
			.kind = entry->key.kind,
			.wait = entry->key.kind == PATH_WAITED ?
					profile_wait_as(ranker->profile, entry->key.wait).reason :
					0,
			.target = entry->key.target,
			.stack = by == BY_THREAD ? i : (u32)entry->key.tgid,
		};
		struct flow flow = { .cell = i, .part = 1 };

		if (!rank_wants(ranker->options, entry->key.leader))
			continue;
		if (get_row(ranker, &key, &flow.row) || append_flow(&ranker->flows, flow))
			return -1;
		add_entry(ranker, &ranker->rows[flow.row], entry);
	}
	return 0;
}

/* The first THOROUGH_ROWS places, and all above this part of the sum, show lines and inlining. */
#define THOROUGH_ROWS 200
#define THOROUGH_PART 0.001

static void ranked_free(struct ranked *ranked)
{
	free(ranked->frames);
	free(ranked->addresses);
	free(ranked->lines);
	free(ranked->doing);
	free(ranked->members);
	free(ranked->kernel);
}

void ranking_free(struct ranking *ranking)
{
	for (size_t i = 0; i < ranking->count; i++)
		ranked_free(&ranking->rows[i]);
	free(ranking->rows);
	*ranking = (struct ranking){ 0 };
}

static void free_ranker(struct ranker *ranker)
{
	for (u32 i = 0; i < ranker->row_index.count; i++)
		ranked_free(&ranker->rows[i].ranked);
	hash_index_free(&ranker->row_index);
	place_tree_free(ranker->tree);
	believed_end(ranker);
	free(ranker->spots);
	free(ranker->targets_low_ns);
	free(ranker->flows.flow);
	free(ranker->rows);
	free(ranker->parts);
}

void ranked_comm(struct ranked *ranked, const u8 *comm)
{
	memcpy(ranked->comm, comm, GAPP_COMM_LEN);
	ranked->comm[GAPP_COMM_LEN] = '\0';
}

/* Whether to rank a place last: deliberate sleeps, and waits of idle targets, hold nobody up. */
static bool rests(const struct ranked *ranked)
{
	return ranked->kind == PATH_WAITED && (ranked->wait == GAPP_WAIT_SLEEP || ranked->idle);
}

/* For qsort: the order of the report. Of equal places, the one whose call path came first leads. */
static int row_compare(const void *a, const void *b)
{
	const struct row *row = *(const struct row *const *)a,
			 *other = *(const struct row *const *)b;
	const struct ranked *x = &row->ranked, *y = &other->ranked;

	return compare_by(three_way(rests(x), rests(y)), three_way(y->critical_ns, x->critical_ns),
			  three_way(y->slices, x->slices), three_way(x->tgid, y->tgid),
			  three_way(x->tid, y->tid), three_way(row->stack, other->stack));
}

static int believe_all(struct ranker *ranker)
{
	/* by whole paths: what waits is library code */
	if (believed_all(ranker) || rank_others_waits(ranker))
		return -1;
	if (ranker->options->no_libs)
		believed_skip_libraries(ranker->believed, ranker->profile->seen_room,
					ranker->options);
	return 0;
}

/* Part of a wait's time that must be called alike. */
#define CALLED_PART 0.9

static void round_counts(struct row *row)
{
	struct ranked *ranked = &row->ranked;

	if (row->called_ns < CALLED_PART * ranked->critical_ns)
		ranked->called = (struct wait_kind){ .reason = ranked->wait };

	ranked->slices = row->slices + 0.5;
	/* a slice that goes on elsewhere counts there alone, but it did run here */
	if (!ranked->slices && ranked->critical_ns > 0)
		ranked->slices = 1;
	for (size_t i = 0; i < THEN_COUNT; i++)
		ranked->then[i] = row->then[i] + 0.5;
	if (ranked->kind == PATH_RAN && ranked->critical_ns > 0)
		ranked->running = row->n_ns / ranked->critical_ns;
}

static int make_ranking(struct ranker *ranker, struct ranking *ranking)
{
	_cleanup_free_ struct row **order = NULL;
	u32 count = ranker->row_index.count;
	double sum = 0;

	order = reallocarray(NULL, count + 1, sizeof(*order));
	ranking->rows = calloc(count + 1, sizeof(*ranking->rows));
	if (!order || !ranking->rows)
		return -1;
	for (u32 i = 0; i < count; i++) {
		round_counts(&ranker->rows[i]);
		rank_waiting(ranker, &ranker->rows[i]);
		sum += ranker->rows[i].ranked.critical_ns;
		order[i] = &ranker->rows[i];
	}
	qsort(order, count, sizeof(*order), row_compare);

	for (u32 i = 0; i < count; i++) {
		struct ranked *ranked = &order[i]->ranked;
		bool thorough = i < THOROUGH_ROWS || ranker->options->by == BY_ADDRESSES ||
				ranked->critical_ns >= sum * THOROUGH_PART;

		if (!ranker->threads && rank_frames(ranker, order[i], thorough))
			return -1;
		ranking->rows[ranking->count++] = *ranked;
		ranked->frames = NULL;
		ranked->addresses = NULL;
		ranked->lines = NULL;
		ranked->doing = NULL;
		ranked->members = NULL;
		ranked->kernel = NULL;
	}
	if (ranker->tree)
		places_of_interpreter(ranking);
	return 0;
}

int profile_rank(struct profile *profile, struct symbols *symbols,
		 const struct profile_options *options, struct ranking *ranking)
{
	_cleanup_(free_ranker) struct ranker ranker = {
		.profile = profile,
		.symbols = symbols,
		.options = options,
		.threads = options->by == BY_THREAD || options->by == BY_PROCESS,
	};
	int failed;

	*ranking = (struct ranking){ 0 };
	if (profile_settle(profile))
		return -1;
	if (ranker.threads)
		failed = rank_threads(&ranker);
	else
		failed = believe_all(&ranker) || blame(&ranker) || rank_targets(&ranker) ||
			 rank_rows(&ranker) || rank_parts(&ranker);
	if (!failed && ranker.tree)
		rank_gain(&ranker);
	if (failed || rank_counts(&ranker) || make_ranking(&ranker, ranking)) {
		ranking_free(ranking);
		return -1;
	}
	return 0;
}

int profile_tree(struct profile *profile, struct symbols *symbols,
		 const struct profile_options *options, struct call_tree *tree)
{
	_cleanup_(free_ranker) struct ranker ranker = {
		.profile = profile,
		.symbols = symbols,
		.options = options,
	};

	*tree = (struct call_tree){ 0 };
	if (profile_settle(profile))
		return -1;
	if (believe_all(&ranker) || blame(&ranker) || place_tree_build(&ranker) ||
	    call_tree_make(&ranker, tree)) {
		call_tree_free(tree);
		return -1;
	}
	return 0;
}

int profile_regions(struct profile *profile, struct symbols *symbols, struct regions *regions)
{
	_cleanup_(free_ranker) struct ranker ranker = {
		.profile = profile,
		.symbols = symbols,
		.options = &(const struct profile_options){ .by = BY_PATH },
	};

	*regions = (struct regions){ 0 };
	if (profile_settle(profile))
		return -1;
	if (believed_all(&ranker) || blame(&ranker) || regions_make(&ranker, regions)) {
		regions_free(regions);
		return -1;
	}
	return 0;
}
