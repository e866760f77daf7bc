// SPDX-License-Identifier: GPL-2.0
/*
 * The chain of a call path is the program's own functions on it, outermost first, and of a
 * recursion only one round. It begins at the innermost function that also begins threads: main()
 * may do a thread's work itself. The chains of all paths make a tree. A path's place is found from
 * the outside in: as far as the next function has one caller. A function with several callers is a
 * helper: what it does is a part of its callers' work. At last, a place with little time is folded
 * into the place around it.
 */
#include "place_tree.h"

#include "symbol/kernel_code.h"
#include "symbol/own_code.h"

/* A function is a helper if its second largest caller has this part of all time. */
#define HELPER_PART 0.005
/* A caller counts if so many samples, slices and waits show it, or if it has this part of all. */
#define CALLER_SEEN 5
#define CALLER_PART 0.05
/* A place with less of the time is folded into the place around it. */
#define FOLDED_PART 0.03

/**
 * struct chain - the functions of a call path that may be places, outermost first
 * @count: functions; 0: the path is of a program that has not begun
 * @functions: hash of each function
 * @frames: number of each function's frame
 */
struct chain {
	u32 count;
	u64 *functions;
	u32 *frames;
};

/* A function that begins a program or a thread. */
struct root_key {
	u64 function;
};

struct root {
	struct root_key key;
};

/* How a function was called; keys are compared as bytes. */
struct call_key {
	u64 function;
	u64 caller;
	u32 kind; /* enum path_kind */
	u32 target;
};

struct call {
	struct call_key key;
	double ns;
	double seen;
};

struct callee_key {
	u64 function;
	u32 kind;
	u32 target;
};

/* All time of a kind that a target has. */
struct total_key {
	u32 kind;
	u32 target;
};

struct total {
	struct total_key key;
	double ns;
};

/* Time below a function by its two callers with most. */
struct callee {
	struct callee_key key;
	double most_ns;
	double second_ns;
};

/* The key of a tree's root has HASH_NONE as @parent, and tells what belongs to the tree. */
struct node_key {
	u32 parent;
	u32 kind;
	u32 wait;
	u32 target;
	u64 function;
};

/**
 * struct node - a function in the tree; nodes come after their parents
 * @root: root of the tree
 * @depth: functions from the root; 0: the root itself
 * @ns: time of the node, with that of the nodes folded into it
 * @place: node into which this one is folded, or its own number
 */
struct node {
	struct node_key key;
	u32 root;
	u32 depth;
	double ns;
	u32 place;
};

/**
 * struct placed - a call path of one kind
 * @ns: its time
 * @seen: samples that show it, and slices and waits that do so without samples
 * @node: its node
 */
struct placed {
	struct row_key key;
	double ns;
	double seen;
	u32 node;
};

struct place_tree {
	KEYED(placed) paths;
	KEYED(root) roots;
	KEYED(call) calls;
	KEYED(callee) callees;
	KEYED(node) nodes;
	KEYED(total) totals;
	struct chain chain; /* of the path that was looked at last */
};

void place_tree_free(struct place_tree *tree)
{
	if (!tree)
		return;
	keyed_free(&tree->paths);
	keyed_free(&tree->roots);
	keyed_free(&tree->calls);
	keyed_free(&tree->callees);
	keyed_free(&tree->nodes);
	keyed_free(&tree->totals);
	free(tree->chain.functions);
	free(tree->chain.frames);
	free(tree);
}

static void chain_add(struct chain *chain, u64 function, u32 frame)
{
	u32 i = 0;

	while (i < chain->count && chain->functions[i] != function)
		i++;
	chain->functions[i] = function;
	chain->frames[i] = frame;
	chain->count = i + 1;
}

/* Symbols say of functions of files whether they are library code, but not of generated code. */
static bool is_own(const struct frame *frame)
{
	return !frame->library && (frame->object || !function_is_library(frame));
}

/* Whether the dynamic linker runs, before the program. */
static bool begins_in_linker(const struct believed *believed)
{
	static const char *const names[] = { "ld-linux", "ld-musl", "ld.so", "ld64.so", "ld-2." };
	const struct object *object = believed->stack->addresses[believed->count - 1].object;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (object->kind == OBJECT_FILE &&
		    !strncmp(object->name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Which functions of a call path its chain has. */
enum chain_of {
	CHAIN_OWN, /* the program's own */
	CHAIN_LIBRARIES, /* those of libraries too: a thread that a library runs */
	CHAIN_ALL, /* all: a path of the kernel alone that says nothing of what it does */
};

/*
 * Adds the kernel's functions, which are there only if they were asked for. Those that every system
 * call has, and those that put any thread to sleep, say nothing.
 */
static void chain_add_kernel(struct chain *chain, const struct believed *believed, bool all)
{
	u32 kernel = believed->stack->kernel_count;

	for (u32 i = kernel < believed->count ? kernel : believed->count; i--;) {
		const struct frame *frame = believed->functions[i];
		enum kernel_code code;

		if (!frame->function || (frame->scheduler && !all))
			continue;
		code = all ? KERNEL_WORK : kernel_code_of(frame->function);
		if (code == KERNEL_INTERRUPT)
			return;
		if (code == KERNEL_WORK)
			chain_add(chain, function_hash(believed, i), i);
	}
}

/* The function on the path that interprets what its program runs; NULL: there is none. */
static const struct frame *interpreter_of(const struct believed *believed)
{
	for (u32 i = believed->stack->kernel_count; i < believed->count; i++)
		if (believed->functions[i]->interpreter)
			return believed->functions[i];
	return NULL;
}

/* Whether the path has what is interpreted, as code that was generated for its names' sake. */
static bool names_interpreted(const struct believed *believed)
{
	for (u32 i = believed->stack->kernel_count; i < believed->count; i++)
		if (!believed->functions[i]->object && is_own(believed->functions[i]))
			return true;
	return false;
}

/*
 * Adds the functions of a path through an interpreter. Its own say nothing, but the one that begins
 * the thread, and the one that interprets, where what is interpreted has no names.
 */
static void chain_add_interpreted(struct chain *chain, const struct believed *believed,
				  const struct frame *interpreter)
{
	bool named = names_interpreted(believed);

	for (u32 i = believed->count; i-- > believed->stack->kernel_count;) {
		const struct frame *function = believed->functions[i];
		bool adds = function->object == interpreter->object ?
				    i + 1 == believed->count || (!named && function->interpreter) :
				    is_own(function);

		if (adds)
			chain_add(chain, function_hash(believed, i), i);
	}
}

/* Adds the user's functions, and then the kernel's. */
static void chain_add_path(struct chain *chain, const struct believed *believed, enum chain_of of)
{
	const struct frame *interpreter = of == CHAIN_OWN ? interpreter_of(believed) : NULL;
	u32 kernel = believed->stack->kernel_count;

	if (interpreter)
		chain_add_interpreted(chain, believed, interpreter);
	for (u32 i = believed->count; !interpreter && i-- > kernel;)
		if (of != CHAIN_OWN || is_own(believed->functions[i]))
			chain_add(chain, function_hash(believed, i), i);
	if (!chain->count && of == CHAIN_OWN && kernel < believed->count)
		return;
	chain_add_kernel(chain, believed, of == CHAIN_ALL);
}

static void chain_all(const struct ranker *ranker, struct chain *chain, u32 stack)
{
	const struct believed *believed = &ranker->believed[stack];

	chain->count = 0;
	chain_add_path(chain, believed, CHAIN_OWN);
	if (begins_in_linker(believed))
		return;
	for (enum chain_of of = CHAIN_LIBRARIES; !chain->count && of <= CHAIN_ALL; of++)
		chain_add_path(chain, believed, of);
}

static void chain_make(const struct ranker *ranker, struct chain *chain, u32 stack)
{
	u32 begin, count;

	chain_all(ranker, chain, stack);
	if (!chain->count)
		return;
	for (begin = chain->count - 1; begin; begin--) {
		struct root_key key = { chain->functions[begin] };

		if (keyed_find(&ranker->tree->roots, &key) != HASH_NONE)
			break;
	}
	count = chain->count - begin;
	memmove(chain->functions, chain->functions + begin, count * sizeof(*chain->functions));
	memmove(chain->frames, chain->frames + begin, count * sizeof(*chain->frames));
	chain->count = count;
}

/* Finds the functions that begin programs and threads. */
static int find_roots(struct ranker *ranker)
{
	struct place_tree *tree = ranker->tree;

	for (u32 i = 0; i < tree->paths.index.count; i++) {
		u32 stack = tree->paths.rows[i].key.stack;
		struct root_key key;

		if (!ranker->believed[stack].complete)
			continue;
		chain_all(ranker, &tree->chain, stack);
		if (!tree->chain.count)
			continue;
		key.function = tree->chain.functions[0];
		if (keyed_find(&tree->roots, &key) == HASH_NONE &&
		    keyed_add(&tree->roots, &key) == HASH_NONE)
			return -1;
	}
	return 0;
}

static int make_room(struct ranker *ranker)
{
	struct place_tree *tree = ranker->tree;
	u32 longest = 1;

	for (u32 i = 0; i < ranker->profile->seen_room; i++)
		if (ranker->believed[i].stack && ranker->believed[i].count > longest)
			longest = ranker->believed[i].count;
	tree->chain.functions = calloc(longest, sizeof(*tree->chain.functions));
	tree->chain.frames = calloc(longest, sizeof(*tree->chain.frames));
	return tree->chain.functions && tree->chain.frames ? 0 : -1;
}

/* All time of a kind that a target has; NULL: no memory. */
static struct total *get_total(struct place_tree *tree, u32 kind, u32 target)
{
	struct total_key key = { kind, target };
	u32 id = keyed_find(&tree->totals, &key);

	if (id == HASH_NONE)
		id = keyed_add(&tree->totals, &key);
	return id == HASH_NONE ? NULL : &tree->totals.rows[id];
}

/* Samples, slices and waits that show a flow's path: where other slices ran says nothing more. */
static double flow_seen(const struct ranker *ranker, const struct flow *flow)
{
	const struct cell *cell = &ranker->profile->cells.rows[flow->cell];
	bool shown = flow->stack_top || cell->key.kind == CELL_WAITED;

	return flow->part * (cell->figures.samples + (shown ? cell->figures.slices : 0));
}

/* Adds up the flows of each path. */
static int add_paths(struct ranker *ranker)
{
	struct place_tree *tree = ranker->tree;

	for (u32 i = 0; i < ranker->flows.count; i++) {
		const struct flow *flow = &ranker->flows.flow[i];
		struct row_key key = rank_key_of(ranker, flow);
		u32 id = keyed_find(&tree->paths, &key);
		struct total *total;

		if (id == HASH_NONE)
			id = keyed_add(&tree->paths, &key);
		if (id == HASH_NONE)
			return -1;
		tree->paths.rows[id].ns += flow_ns(ranker, flow);
		tree->paths.rows[id].seen += flow_seen(ranker, flow);
		total = get_total(tree, key.kind, key.target);
		if (!total)
			return -1;
		total->ns += flow_ns(ranker, flow);
	}
	return 0;
}

static int add_call(struct place_tree *tree, const struct call_key *key, const struct placed *path)
{
	u32 id = keyed_find(&tree->calls, key);

	if (id == HASH_NONE)
		id = keyed_add(&tree->calls, key);
	if (id == HASH_NONE)
		return -1;
	tree->calls.rows[id].ns += path->ns;
	tree->calls.rows[id].seen += path->seen;
	return 0;
}

static int add_callee(struct place_tree *tree, const struct call *call)
{
	struct callee_key key = { .function = call->key.function,
				  .kind = call->key.kind,
				  .target = call->key.target };
	u32 id = keyed_find(&tree->callees, &key);
	struct callee *callee;

	if (id == HASH_NONE)
		id = keyed_add(&tree->callees, &key);
	if (id == HASH_NONE)
		return -1;
	callee = &tree->callees.rows[id];
	if (call->ns > callee->most_ns) {
		callee->second_ns = callee->most_ns;
		callee->most_ns = call->ns;
	} else if (call->ns > callee->second_ns) {
		callee->second_ns = call->ns;
	}
	return 0;
}

/* One sample by chance is no caller. */
static bool is_known(struct place_tree *tree, const struct call *call)
{
	return call->seen >= CALLER_SEEN ||
	       call->ns >= CALLER_PART * get_total(tree, call->key.kind, call->key.target)->ns;
}

/* Finds out which functions have several callers. */
static int find_callers(struct ranker *ranker)
{
	struct place_tree *tree = ranker->tree;
	struct chain *chain = &tree->chain;

	for (u32 i = 0; i < tree->paths.index.count; i++) {
		const struct placed *path = &tree->paths.rows[i];

		chain_make(ranker, chain, path->key.stack);
		for (u32 j = 1; j < chain->count; j++) {
			struct call_key key = { .function = chain->functions[j],
						.caller = chain->functions[j - 1],
						.kind = path->key.kind,
						.target = path->key.target };

			if (add_call(tree, &key, path))
				return -1;
		}
	}
	for (u32 i = 0; i < tree->calls.index.count; i++)
		if (is_known(tree, &tree->calls.rows[i]) && add_callee(tree, &tree->calls.rows[i]))
			return -1;
	return 0;
}

static bool is_helper(struct place_tree *tree, u64 function, const struct row_key *path)
{
	struct callee_key key = { .function = function,
				  .kind = path->kind,
				  .target = path->target };
	u32 id = keyed_find(&tree->callees, &key);

	return id != HASH_NONE &&
	       tree->callees.rows[id].second_ns >=
		       HELPER_PART * get_total(tree, path->kind, path->target)->ns;
}

/* Finds or makes a node. HASH_NONE: no memory. */
static u32 get_node(struct place_tree *tree, const struct node_key *key)
{
	u32 id = keyed_find(&tree->nodes, key), parent = key->parent;
	struct node *node;

	if (id != HASH_NONE)
		return id;
	id = keyed_add(&tree->nodes, key);
	if (id == HASH_NONE)
		return id;
	node = &tree->nodes.rows[id];
	node->root = parent == HASH_NONE ? id : tree->nodes.rows[parent].root;
	node->depth = parent == HASH_NONE ? 0 : tree->nodes.rows[parent].depth + 1;
	node->place = id;
	return id;
}

static int add_to_tree(struct ranker *ranker, struct placed *path)
{
	struct place_tree *tree = ranker->tree;
	struct chain *chain = &tree->chain;
	struct node_key key = { .parent = HASH_NONE,
				.kind = path->key.kind,
				.wait = path->key.wait,
				.target = path->key.target };
	u32 node = get_node(tree, &key);

	chain_make(ranker, chain, path->key.stack);
	for (u32 i = 0; i < chain->count && node != HASH_NONE; i++) {
		const struct frame *function =
			ranker->believed[path->key.stack].functions[chain->frames[i]];

		if (i && !function->interpreter && is_helper(tree, chain->functions[i], &path->key))
			break;
		key = (struct node_key){ .parent = node, .function = chain->functions[i] };
		node = get_node(tree, &key);
	}
	if (node == HASH_NONE)
		return -1;
	path->node = node;
	tree->nodes.rows[node].ns += path->ns;
	return 0;
}

/* Folds small places, the inner ones first. */
static int fold(struct place_tree *tree)
{
	_cleanup_free_ double *whole = calloc(tree->nodes.index.count + 1, sizeof(*whole));
	u32 count = tree->nodes.index.count;

	if (!whole)
		return -1;
	for (u32 i = 0; i < count; i++)
		whole[tree->nodes.rows[i].root] += tree->nodes.rows[i].ns;
	for (u32 i = count; i--;) {
		struct node *node = &tree->nodes.rows[i];

		if (node->depth < 2 || node->ns >= FOLDED_PART * whole[node->root])
			continue;
		tree->nodes.rows[node->key.parent].ns += node->ns;
		node->place = node->key.parent;
	}
	for (u32 i = 0; i < count; i++) {
		struct node *node = &tree->nodes.rows[i];

		node->place = node->place == i ? i : tree->nodes.rows[node->place].place;
	}
	return 0;
}

int place_tree_build(struct ranker *ranker)
{
	struct place_tree *tree = calloc(1, sizeof(*tree));

	ranker->tree = tree;
	if (!tree || make_room(ranker) || add_paths(ranker) || find_roots(ranker) ||
	    find_callers(ranker))
		return -1;
	for (u32 i = 0; i < tree->paths.index.count; i++)
		if (add_to_tree(ranker, &tree->paths.rows[i]))
			return -1;
	return fold(tree);
}

u32 place_tree_find(const struct place_tree *tree, const struct row_key *key)
{
	u32 id = keyed_find(&tree->paths, key);

	return id == HASH_NONE ? id : tree->nodes.rows[tree->paths.rows[id].node].place;
}

bool place_tree_path(const struct place_tree *tree, u32 i, struct row_key *key, double *ns)
{
	if (i >= tree->paths.index.count)
		return false;
	*key = tree->paths.rows[i].key;
	*ns = tree->paths.rows[i].ns;
	return true;
}

const u32 *place_tree_frames(const struct ranker *ranker, u32 place, u32 stack, u32 *count)
{
	struct chain *chain = &ranker->tree->chain;
	u32 depth = ranker->tree->nodes.rows[place].depth;

	chain_make(ranker, chain, stack);
	*count = depth < chain->count ? depth : chain->count;
	for (u32 i = 0; i < *count / 2; i++) {
		u32 other = chain->frames[i];

		chain->frames[i] = chain->frames[*count - 1 - i];
		chain->frames[*count - 1 - i] = other;
	}
	return chain->frames;
}
