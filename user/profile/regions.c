// SPDX-License-Identifier: GPL-2.0
#include "regions.h"

#include "profile_private.h"
#include "symbol/openmp.h"
#include "symbol/own_code.h"
#include "symbol/symbol_file.h"

/* Where a call path is. */
struct path_region {
	const struct frame *outlined; /* NULL: in no region */
	enum outside_regions outside; /* without @outlined */
	const struct frame *own; /* what it does there */
};

/* A region that has no row yet, or with @outlined NULL what is outside. */
struct region_key {
	const struct frame *outlined;
	u64 outside;
};

struct region_sum {
	struct region_key key;
	const struct frame *in; /* the function around it */
	u64 inside; /* highest offset of an address in it; its rarely run part lies before the rest
		     */
	double critical_ns;
	double n_ns;
	double idle_ns;
};

struct region_function_key {
	u64 region;
	const struct frame *frame;
};

struct region_function_sum {
	struct region_function_key key;
	double critical_ns;
};

struct region_process_key {
	s32 tgid;
	u32 zero;
};

struct region_process {
	struct region_process_key key;
};

/* What is added up. */
struct sums {
	const struct ranker *ranker;
	struct path_region *paths; /* by id of the call path */

	KEYED(region_sum) regions;
	KEYED(region_function_sum) functions;
	KEYED(region_process) processes; /* with regions */
};

static void free_sums(struct sums *sums)
{
	free(sums->paths);
	keyed_free(&sums->regions);
	keyed_free(&sums->functions);
	keyed_free(&sums->processes);
}

/*
 * Functions of runtimes that call outlined ones, of a program that contains its runtime: other
 * names there are not known to be the runtime's.
 */
static bool calls_outlined(const char *name)
{
	static const char *const begins[] = {
		"gomp_thread_start",	     "GOMP_parallel", "GOMP_task",
		"gomp_barrier_handle_tasks", "__kmp_invoke_",
	};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (name && !strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/*
 * Whether @function, which the runtime's @caller called, is the program's: an outlined function,
 * although its name is stripped or its compiler is another one; or what that called in its place
 * at its end.
 */
static bool is_called_back(const struct frame *function, const struct frame *caller)
{
	const struct object *object = function->object;

	if (openmp_code_of(function) != OPENMP_NONE || function->kernel)
		return false;
	if (object == caller->object)
		return function->function && !function->library && calls_outlined(caller->function);
	return !object || (object->kind == OBJECT_FILE && !start_code_is_c_library(object));
}

/*
 * The number of the innermost outlined function's frame; HASH_NONE: there is none. Sets @runtime to
 * what the outermost frame of a runtime is, OPENMP_RUNTIME or OPENMP_ASKED.
 */
static u32 find_outlined(const struct believed *believed, enum openmp_code *runtime)
{
	*runtime = OPENMP_NONE;
	for (u32 i = believed->first; i < believed->count; i++) {
		const struct frame *const *function = &believed->functions[i];
		enum openmp_code code = openmp_code_of(*function);

		if (code == OPENMP_OUTLINED)
			return i;
		if (code == OPENMP_INNER &&
		    (i + 1 == believed->count || openmp_code_of(function[1]) != OPENMP_OUTLINED))
			return i;
		if (code != OPENMP_RUNTIME && code != OPENMP_ASKED)
			continue;
		*runtime = code;
		if (i > believed->first && is_called_back(function[-1], *function))
			return i - 1;
	}
	return HASH_NONE;
}

/* The function of own code around a region; NULL: its path begins in the runtime. */
static const struct frame *function_around(const struct believed *believed, u32 outlined)
{
	for (u32 i = outlined + 1; i < believed->count; i++) {
		const struct frame *function = believed->functions[i];

		if (openmp_code_of(function) == OPENMP_NONE)
			return function->outermost ? NULL : function;
	}
	return NULL;
}

/* The innermost function of own code, down to the outlined one; else the innermost. */
static const struct frame *own_function(const struct believed *believed, u32 outlined)
{
	u32 last = outlined == HASH_NONE ? believed->count - 1 : outlined;

	for (u32 i = believed->first; i <= last; i++)
		if (function_is_own(believed->functions[i]))
			return believed->functions[i];
	return believed->functions[believed->first];
}

static struct region_key key_of(const struct path_region *path)
{
	return (struct region_key){ .outlined = path->outlined,
				    .outside = path->outlined ? 0 : path->outside };
}

/* The sums of a region. NULL: no memory. */
static struct region_sum *sum_of(struct sums *sums, const struct region_key *key)
{
	u32 id = keyed_find(&sums->regions, key);

	if (id == HASH_NONE)
		id = keyed_add(&sums->regions, key);
	return id == HASH_NONE ? NULL : &sums->regions.rows[id];
}

/* Finds out where a call path is. Returns 0, or -1 without memory. */
static int look_at(struct sums *sums, u32 stack)
{
	const struct believed *believed = &sums->ranker->believed[stack];
	struct path_region *path = &sums->paths[stack];
	enum openmp_code runtime;
	u32 outlined = find_outlined(believed, &runtime);
	struct region_key key;
	struct region_sum *sum;

	path->own = own_function(believed, outlined);
	if (outlined == HASH_NONE) {
		path->outside = runtime == OPENMP_RUNTIME ? OUTSIDE_RUNTIME :
				believed->complete	  ? OUTSIDE_SEQUENTIAL :
							    OUTSIDE_UNKNOWN;
		return 0;
	}
	path->outlined = believed->functions[outlined];
	key = key_of(path);
	sum = sum_of(sums, &key);
	if (!sum)
		return -1;
	if (sum->inside < believed->stack->addresses[outlined].offset)
		sum->inside = believed->stack->addresses[outlined].offset;
	if (!sum->in)
		sum->in = function_around(believed, outlined);
	return 0;
}

static struct region_process_key process_of(const struct ranker *ranker, const struct flow *flow)
{
	return (struct region_process_key){ ranker->profile->cells.rows[flow->cell].key.tgid, 0 };
}

/* Notes which processes have regions. Returns 0, or -1 without memory. */
static int find_processes(struct sums *sums)
{
	const struct ranker *ranker = sums->ranker;

	for (u32 i = 0; i < ranker->flows.count; i++) {
		const struct flow *flow = &ranker->flows.flow[i];
		const struct region_process_key key = process_of(ranker, flow);

		if (sums->paths[flow->key].outlined &&
		    keyed_find(&sums->processes, &key) == HASH_NONE &&
		    keyed_add(&sums->processes, &key) == HASH_NONE)
			return -1;
	}
	return 0;
}

/* Where the time of a flow is: of its path, if its process has regions. */
static struct region_key key_of_flow(const struct sums *sums, const struct flow *flow)
{
	struct region_key key = key_of(&sums->paths[flow->key]);
	const struct region_process_key process = process_of(sums->ranker, flow);

	if (key.outlined || keyed_find(&sums->processes, &process) != HASH_NONE)
		return key;
	/* the process of a cell that has none is not known */
	key.outside = process.tgid ? OUTSIDE_OTHERS : OUTSIDE_UNKNOWN;
	return key;
}

static int add_function(struct sums *sums, const struct region_sum *region, const struct flow *flow,
			double ns)
{
	const struct region_function_key key = { region - sums->regions.rows,
						 sums->paths[flow->key].own };
	u32 id = keyed_find(&sums->functions, &key);

	if (id == HASH_NONE)
		id = keyed_add(&sums->functions, &key);
	if (id == HASH_NONE)
		return -1;
	sums->functions.rows[id].critical_ns += ns;
	return 0;
}

static int add_flow(struct sums *sums, const struct flow *flow)
{
	const struct cell *cell = &sums->ranker->profile->cells.rows[flow->cell];
	const struct region_key key = key_of_flow(sums, flow);
	struct region_sum *sum = sum_of(sums, &key);
	double ns = flow_ns(sums->ranker, flow);

	if (!sum)
		return -1;
	if (cell->key.kind == CELL_WAITED) {
		sum->idle_ns += ns;
		return 0;
	}
	sum->critical_ns += ns;
	sum->n_ns += share_ns_exactly(flow->part * cell->figures.n_share);
	return add_function(sums, sum, flow, ns);
}

static int add_all(struct sums *sums)
{
	const struct ranker *ranker = sums->ranker;

	for (u32 i = 0; i < ranker->profile->seen_room; i++)
		if (ranker->believed[i].stack && look_at(sums, i))
			return -1;
	if (find_processes(sums))
		return -1;
	for (u32 i = 0; i < ranker->flows.count && sums->processes.index.count; i++)
		if (add_flow(sums, &ranker->flows.flow[i]))
			return -1;
	return 0;
}

/*
 * Names a region's function by the outlined one, or else by who called the runtime. Returns 0, or
 * -1 without memory.
 */
static int name_row(const struct ranker *ranker, struct region_row *row,
		    const struct region_sum *sum)
{
	const struct frame *outlined = sum->key.outlined;
	const char *name = outlined->function;
	size_t mark = name ? openmp_mark(name, strlen(name)) : 0;
	const struct frame *first = symbols_first_line(ranker->symbols, outlined, sum->inside);

	row->outlined = outlined;
	row->file = first && first->line ? first->file : NULL;
	row->line = row->file ? first->line : 0;
	/* only a marked function is surely of one region, so that its caller is that of all */
	if (name && !mark)
		name = sum->in ? sum->in->function : NULL;
	if (!name)
		return 0;
	row->function = strndup(name, openmp_mark(name, strlen(name)));
	return row->function ? 0 : -1;
}

static int by_row(const void *a, const void *b)
{
	const struct region_row *x = a, *y = b;
	int order = compare_by(three_way(y->critical_ns, x->critical_ns),
			       three_way(y->idle_ns, x->idle_ns));

	if (!order)
		order = strcmp(x->outlined->function ?: "", y->outlined->function ?: "");
	return order ?: three_way(x->outlined->offset, y->outlined->offset);
}

static int by_function(const void *a, const void *b)
{
	const struct region_function_sum *x = a, *y = b;

	return three_way(y->critical_ns, x->critical_ns);
}

/* Makes a row of each sum; sets @rows to them, by the number of the sum. 0, or -1 without memory.
 */
static int make_rows(const struct sums *sums, struct regions *regions, struct region_row **rows)
{
	for (u32 i = 0; i < sums->regions.index.count; i++) {
		const struct region_sum *sum = &sums->regions.rows[i];
		struct region_row *row = &regions->outside[sum->key.outside];

		if (sum->key.outlined)
			row = &regions->rows[regions->count++];
		*row = (struct region_row){
			.critical_ns = sum->critical_ns,
			.running = sum->critical_ns > 0 ? sum->n_ns / sum->critical_ns : 0,
			.idle_ns = sum->idle_ns,
		};
		rows[i] = row;
		if (sum->key.outlined && name_row(sums->ranker, row, sum))
			return -1;
	}
	return 0;
}

static void take_functions(struct sums *sums, struct region_row **rows)
{
	struct region_function_sum *functions = sums->functions.rows;
	const u32 count = sums->functions.index.count;

	/* nothing is looked up any more */
	if (count)
		qsort(functions, count, sizeof(*functions), by_function);
	for (u32 i = 0; i < count && functions[i].critical_ns > 0; i++) {
		struct region_row *row = rows[functions[i].key.region];

		if (row->function_count < REGION_FUNCTIONS)
			row->functions[row->function_count++] = (struct region_function){
				functions[i].key.frame,
				functions[i].critical_ns,
			};
	}
}

static int take(struct sums *sums, struct regions *regions)
{
	_cleanup_free_ struct region_row **rows = NULL;
	const u32 count = sums->regions.index.count;

	rows = calloc(count + 1, sizeof(*rows));
	regions->rows = calloc(count + 1, sizeof(*regions->rows));
	if (!rows || !regions->rows || make_rows(sums, regions, rows))
		return -1;
	take_functions(sums, rows);
	qsort(regions->rows, regions->count, sizeof(*regions->rows), by_row);
	return 0;
}

int regions_make(const struct ranker *ranker, struct regions *regions)
{
	_cleanup_(free_sums) struct sums sums = { .ranker = ranker };

	sums.paths = calloc(ranker->profile->seen_room + 1, sizeof(*sums.paths));
	if (!sums.paths || add_all(&sums))
		return -1;
	/* what no thread was seen in has no critical time, and is in no process */
	return sums.processes.index.count ? take(&sums, regions) : 0;
}

void regions_free(struct regions *regions)
{
	for (size_t i = 0; i < regions->count; i++)
		free(regions->rows[i].function);
	free(regions->rows);
	*regions = (struct regions){ 0 };
}
