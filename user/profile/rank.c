// SPDX-License-Identifier: GPL-2.0
/*
 * Ranks. Cells become flows: share that goes to one call path. Samples tell their path themselves.
 * Share of slices without samples goes where the sampled slices of the same process ran that ended
 * on the same path, in the same proportion; if they have too few samples to tell, it goes to the
 * path at the end. Flows to the same path, function or line become a place; places are sorted, and
 * get their frames, lines and counts.
 */
#include "profile_private.h"

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
	bool a_waited = a->kind == CELL_WAITED, b_waited = b->kind == CELL_WAITED;

	if (a_waited != b_waited)
		return a_waited ? 1 : -1;
	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/**
 * struct ordered - a cell, sorted so that alike cells follow each other
 * @key: its key
 * @id: its number
 * @figures: its sums
 */
struct ordered {
	const struct cell_key *key;
	u32 id;
	const struct figures *figures;
};

static int ordered_compare(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	int order = alike_compare(x->key, y->key);

	return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* Sums over the CELL_SAMPLED ones among alike cells. */
struct sampled {
	double critical_share;
	u64 samples;
};

static struct sampled sum_sampled(const struct ordered *alike, size_t count)
{
	struct sampled sum = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (alike[i].key->kind != CELL_SAMPLED)
			continue;
		sum.critical_share += alike[i].figures->critical_share;
		sum.samples += alike[i].figures->samples;
	}
	return sum;
}

/* Splits @cell in proportion to the sampled cells in @alike, whose shares sum up to @sampled. */
static int infer(struct flows *flows, u32 cell, const struct ordered *alike, size_t count,
		 double sampled)
{
	for (size_t i = 0; i < count; i++) {
		struct flow flow = {
			.cell = cell,
			.key = alike[i].key->stack,
			.leaf = alike[i].key->stack,
			.part = alike[i].figures->critical_share / sampled,
			.inferred = true,
		};

		if (alike[i].key->kind == CELL_SAMPLED && flow.part > 0 && append_flow(flows, flow))
			return -1;
	}
	return 0;
}

static int blame_paths(struct flows *flows, const struct ordered *alike, size_t count)
{
	struct sampled sampled = sum_sampled(alike, count);
	bool tell = sampled.critical_share > 0 && sampled.samples >= SAMPLES_TO_INFER;

	for (size_t i = 0; i < count; i++) {
		const struct cell_key *key = alike[i].key;
		struct flow flow = { .cell = alike[i].id, .part = 1 };

		if (key->kind == CELL_UNSAMPLED && tell) {
			if (infer(flows, alike[i].id, alike, count, sampled.critical_share))
				return -1;
			continue;
		}
		flow.key = key->kind == CELL_SAMPLED ? key->stack : key->end;
		flow.leaf = flow.key;
		flow.inferred = key->kind == CELL_UNSAMPLED || key->kind == CELL_INTERRUPTED;
		flow.stack_top = flow.inferred;
		if (append_flow(flows, flow))
			return -1;
	}
	return 0;
}

/* As the GAPP paper: the path at the end gets all share; samples decide only the lines shown. */
static int blame_end(struct flows *flows, const struct ordered *alike, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct cell_key *key = alike[i].key;
		bool sampled = key->kind == CELL_SAMPLED;
		struct flow flow = {
			.cell = alike[i].id,
			.key = key->end,
			.leaf = sampled ? key->stack : key->end,
			.part = 1,
			.inferred = !sampled,
			.stack_top = !sampled,
		};

		if (key->kind != CELL_WAITED && key->end != STACK_NONE && append_flow(flows, flow))
			return -1;
	}
	return 0;
}

/* Makes the flows: decides which call paths get the share of each cell, in which parts. */
static int blame(const struct profile *profile, const struct profile_options *options,
		 struct flows *flows)
{
	_cleanup_free_ struct ordered *order = NULL;
	u32 cells = profile->cell_index.count;
	size_t count = 0, next;

	order = reallocarray(NULL, cells + 1, sizeof(*order));
	if (!order)
		return -1;
	for (u32 i = 0; i < cells; i++) {
		const struct cell *cell = &profile->cells[i];

		if (rank_wants(options, cell->key.leader))
			order[count++] = (struct ordered){ &cell->key, i, &cell->figures };
	}
	qsort(order, count, sizeof(*order), ordered_compare);

	for (size_t i = 0; i < count; i = next) {
		int failed;

		for (next = i + 1; next < count; next++) {
			if (alike_compare(order[i].key, order[next].key))
				break;
		}
		failed = options->by == BY_SLICE_END ? blame_end(flows, order + i, next - i) :
						       blame_paths(flows, order + i, next - i);
		if (failed)
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
	const struct believed *believed = &ranker->believed[key->stack];
	u64 hash = gapp_hash_add((u64)key->kind << 32 | key->wait, key->target);

	switch (ranker->options->by) {
	case BY_LINE:
		return gapp_hash_add(hash, spot_hash(ranker->spots[key->stack]));
	case BY_FUNCTION:
		return gapp_hash_add(hash, function_hash(believed, believed->first));
	default:
		return gapp_hash_add(hash, believed->hash);
	}
}

static bool same_row(const void *table, u32 id, const void *wanted)
{
	const struct ranker *ranker = table;
	const struct row *row = &ranker->rows[id];
	const struct row_key *key = wanted;
	const struct believed *a = &ranker->believed[row->stack],
			      *b = &ranker->believed[key->stack];
	u32 depth = key_depth(ranker, a);

	if (row->ranked.kind != key->kind || row->ranked.wait != key->wait ||
	    row->target != key->target)
		return false;
	if (ranker->options->by == BY_LINE)
		return spot_same(row->spot, ranker->spots[key->stack]);
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
	*row = (struct row){ .target = key->target, .stack = key->stack };
	row->ranked.kind = key->kind;
	row->ranked.wait = key->wait;
	row->spot = ranker->spots ? ranker->spots[key->stack] : NULL;
	*id = next;
	return hash_index_add(&ranker->row_index, row_hash(ranker, key), next);
}

static struct row_key key_of(const struct ranker *ranker, const struct flow *flow)
{
	const struct cell_key *cell = &ranker->profile->cells[flow->cell].key;
	const struct believed *believed = &ranker->believed[flow->key];
	struct row_key key = { .kind = PATH_RAN, .target = cell->target, .stack = flow->key };

	if (cell->kind == CELL_WAITED) {
		key.kind = PATH_WAITED;
		key.wait = wait_refine(cell->wait, believed->functions, believed->count);
	}
	return key;
}

/* Nanoseconds in a unit of the cell's figures. */
static double unit_of(const struct cell *cell)
{
	return cell->key.kind == CELL_WAITED ? 1 : share_ns_exactly(1);
}

static void add_flow(const struct ranker *ranker, struct row *row, const struct flow *flow)
{
	const struct cell *cell = &ranker->profile->cells[flow->cell];
	const struct figures *figures = &cell->figures;
	double unit = flow->part * unit_of(cell), ns = unit * figures->critical_share;
	struct ranked *ranked = &row->ranked;

	ranked->critical_ns += ns;
	if (flow->inferred)
		ranked->inferred_ns += ns;
	ranked->samples += figures->samples;
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		ranked->waiting_ns[i] += unit * figures->waiting[i];
	row->n_ns += unit * figures->n_share;
	row->slices += flow->part * figures->slices;
	if (ns > row->largest_ns) {
		row->largest_ns = ns;
		row->stack = flow->key;
		if (ranker->profile->several_targets || ranker->options->apart)
			ranked->tgid = cell->key.tgid;
		ranked->apart = ranker->options->apart;
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
		const struct cell *cell = &profile->cells[flow->cell];
		const struct believed *believed = &ranker->believed[flow->leaf];
		double share = flow->part * cell->figures.critical_share;

		if (cell->key.kind == CELL_WAITED)
			continue;
		sum += share;
		if (believed->complete)
			profile->complete_part[believed->stack->method] += share;
		else
			profile->cut_part[believed->end] += share;
	}
	for (size_t i = 0; i < PATH_METHODS && sum > 0; i++)
		profile->complete_part[i] /= sum;
	for (size_t i = 0; i < PATH_ENDS && sum > 0; i++)
		profile->cut_part[i] /= sum;
}

/* With BY_LINE: sets @ranker->spots, the line of each call path. */
static int find_spots(struct ranker *ranker)
{
	_cleanup_free_ double *share = NULL;
	u32 count = ranker->profile->seen_count;
	double sum = 0;

	share = calloc(count + 1, sizeof(*share));
	ranker->spots = calloc(count + 1, sizeof(*ranker->spots));
	if (!share || !ranker->spots)
		return -1;
	for (u32 i = 0; i < ranker->flows.count; i++) {
		const struct flow *flow = &ranker->flows.flow[i];
		const struct cell *cell = &ranker->profile->cells[flow->cell];
		double ns = flow->part * unit_of(cell) * cell->figures.critical_share;

		share[flow->key] += ns;
		sum += ns;
	}
	for (u32 i = 0; i < count; i++) {
		const struct believed *believed = &ranker->believed[i];
		const struct frame *frames;

		if (!believed->stack)
			continue;
		if (share[i] < sum * SPOT_PART) {
			ranker->spots[i] = believed->functions[believed->first];
			continue;
		}
		if (!symbols_frames(ranker->symbols, believed_address(believed),
				    frame_is_return(believed->first), &frames))
			return -1;
		ranker->spots[i] = frames;
	}
	return 0;
}

/* Puts flows together into places. */
static int rank_rows(struct ranker *ranker)
{
	u32 cells = ranker->profile->cell_index.count;

	if (ranker->options->by == BY_LINE && find_spots(ranker))
		return -1;
	ranker->first_flow = reallocarray(NULL, cells + 1, sizeof(*ranker->first_flow));
	if (!ranker->first_flow)
		return -1;
	for (u32 i = 0; i < cells; i++)
		ranker->first_flow[i] = HASH_NONE;

	for (u32 i = 0; i < ranker->flows.count; i++) {
		struct flow *flow = &ranker->flows.flow[i];
		struct row_key key = key_of(ranker, flow);

		if (get_row(ranker, &key, &flow->row))
			return -1;
		if (ranker->first_flow[flow->cell] == HASH_NONE)
			ranker->first_flow[flow->cell] = i;
		add_flow(ranker, &ranker->rows[flow->row], flow);
	}
	if (ranker->options->by == BY_PATH)
		note_complete(ranker);
	return 0;
}

/* The first THOROUGH_ROWS places, and all above this part of the sum, show lines and inlining. */
#define THOROUGH_ROWS 200
#define THOROUGH_PART 0.001

static void free_ranker(struct ranker *ranker)
{
	for (u32 i = 0; ranker->believed && i < ranker->profile->seen_count; i++)
		believed_free(&ranker->believed[i]);
	for (u32 i = 0; i < ranker->row_index.count; i++)
		ranked_free(&ranker->rows[i].ranked);
	hash_index_free(&ranker->row_index);
	free(ranker->believed);
	free(ranker->spots);
	free(ranker->flows.flow);
	free(ranker->first_flow);
	free(ranker->rows);
	free(ranker->parts);
}

void ranked_free(struct ranked *ranked)
{
	free(ranked->frames);
	free(ranked->lines);
}

void ranking_free(struct ranking *ranking)
{
	for (size_t i = 0; i < ranking->count; i++)
		ranked_free(&ranking->rows[i]);
	free(ranking->rows);
	*ranking = (struct ranking){ 0 };
}

void ranked_comm(struct ranked *ranked, const u8 *comm)
{
	memcpy(ranked->comm, comm, GAPP_COMM_LEN);
	ranked->comm[GAPP_COMM_LEN] = '\0';
}

/* Whether to rank a place last: deliberate sleeps, and waits of idle targets, hold nobody up. */
static bool rests(const struct ranked *ranked)
{
	return ranked->kind == PATH_WAITED && (ranked->wait == GAPP_WAIT_SLEEP || ranked->apart);
}

int ranked_compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (rests(x) != rests(y))
		return rests(x) ? 1 : -1;
	if (x->critical_ns != y->critical_ns)
		return x->critical_ns < y->critical_ns ? 1 : -1;
	if (x->slices != y->slices)
		return x->slices < y->slices ? 1 : -1;
	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* For qsort: as ranked_compare(). Of equal places, the one whose call path came first leads. */
static int row_compare(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
	int order = ranked_compare(&x->ranked, &y->ranked);

	return order ? order : (x->stack > y->stack) - (x->stack < y->stack);
}

static int believe_all(struct ranker *ranker)
{
	const struct profile *profile = ranker->profile;
	u32 count = profile->seen_count;

	ranker->believed = calloc(count + 1, sizeof(*ranker->believed));
	if (!ranker->believed)
		return -1;
	for (u32 i = 0; i < count; i++) {
		if (profile->seen[i] &&
		    believe(&ranker->believed[i], profile->seen[i], ranker->symbols))
			return -1;
	}
	if (ranker->options->no_libs)
		believed_skip_libraries(ranker->believed, count, ranker->options);
	return 0;
}

static void round_counts(struct row *row)
{
	struct ranked *ranked = &row->ranked;

	ranked->slices = row->slices + 0.5;
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
		sum += ranker->rows[i].ranked.critical_ns;
		order[i] = &ranker->rows[i];
	}
	qsort(order, count, sizeof(*order), row_compare);

	for (u32 i = 0; i < count; i++) {
		struct ranked *ranked = &order[i]->ranked;
		bool thorough = i < THOROUGH_ROWS || ranked->critical_ns >= sum * THOROUGH_PART;

		if (rank_frames(ranker, order[i], thorough))
			return -1;
		ranking->rows[ranking->count++] = *ranked;
		ranked->frames = NULL;
		ranked->lines = NULL;
	}
	return 0;
}

int profile_rank(struct profile *profile, struct symbols *symbols,
		 const struct profile_options *options, struct ranking *ranking)
{
	_cleanup_(free_ranker) struct ranker ranker = {
		.profile = profile,
		.symbols = symbols,
		.options = options,
	};

	*ranking = (struct ranking){ 0 };
	if (profile_settle(profile))
		return -1;
	if (options->by == BY_THREAD || options->by == BY_PROCESS)
		return rank_threads(profile, options, ranking);
	if (believe_all(&ranker) || blame(profile, options, &ranker.flows) || rank_rows(&ranker) ||
	    rank_parts(&ranker) || rank_counts(&ranker) || make_ranking(&ranker, ranking)) {
		ranking_free(ranking);
		return -1;
	}
	return 0;
}
