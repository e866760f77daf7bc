// SPDX-License-Identifier: GPL-2.0
/* The merged tree of all call paths, as a list in the order in which it is printed. */
#include "place_tree.h"

struct branch_key {
	u32 parent;
	u32 kind;
	u64 function;
};

/* A function in the tree; @ns is with all that it called. */
struct branch {
	struct branch_key key;
	const struct frame *frame;
	double ns;
	u32 depth;
	u32 place;
};

struct branches {
	KEYED(branch) all;
	u32 *order; /* by parent, most critical first */
};

static void free_branches(struct branches *branches)
{
	keyed_free(&branches->all);
	free(branches->order);
}

static u32 get_branch(struct branches *branches, const struct branch_key *key,
		      const struct frame *frame)
{
	u32 id = keyed_find(&branches->all, key), parent = key->parent;

	if (id != HASH_NONE)
		return id;
	id = keyed_add(&branches->all, key);
	if (id == HASH_NONE)
		return id;
	branches->all.rows[id].frame = frame;
	branches->all.rows[id].depth = parent == HASH_NONE ? 0 :
							     branches->all.rows[parent].depth + 1;
	return id;
}

/* The function's number among the callers of @branch and itself; HASH_NONE: it is new there. */
static u32 find_round(const struct branches *branches, u32 branch, u64 function)
{
	while (branch != HASH_NONE && branches->all.rows[branch].key.function != function)
		branch = branches->all.rows[branch].key.parent;
	return branch;
}

/* Adds the time of a call path to its functions, of a recursion to one round. */
static int add_path(const struct ranker *ranker, struct branches *branches,
		    const struct row_key *key, double ns)
{
	const struct believed *believed = &ranker->believed[key->stack];
	u32 at = HASH_NONE, place, count;
	const u32 *frames;

	frames = place_tree_frames(ranker, place_tree_find(ranker->tree, key), key->stack, &count);
	place = count ? frames[0] : HASH_NONE;
	for (u32 i = believed->count; i--;) {
		struct branch_key branch = { .parent = at,
					     .kind = key->kind,
					     .function = function_hash(believed, i) };
		u32 round = find_round(branches, at, branch.function);

		if (believed->functions[i]->scheduler)
			continue;
		at = round != HASH_NONE ? round :
					  get_branch(branches, &branch, believed->functions[i]);
		if (at == HASH_NONE)
			return -1;
		if (i == place)
			branches->all.rows[at].place = true;
	}
	for (; at != HASH_NONE; at = branches->all.rows[at].key.parent)
		branches->all.rows[at].ns += ns;
	return 0;
}

static int branch_compare(const void *a, const void *b, void *context)
{
	const struct branch *branches = context;
	const struct branch *x = &branches[*(const u32 *)a], *y = &branches[*(const u32 *)b];

	return compare_by(three_way(x->key.parent, y->key.parent),
			  three_way(x->key.kind, y->key.kind), three_way(y->ns, x->ns),
			  three_way(x, y));
}

/* The first in the order whose parent is @parent or a later one. */
static u32 first_below(const struct branches *branches, u32 parent)
{
	u32 low = 0, high = branches->all.index.count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (branches->all.rows[branches->order[middle]].key.parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Lists what is below @parent; the recursion is no deeper than a call path has frames. */
static void list_below(const struct branches *branches, u32 parent, struct call_tree *tree)
{
	u32 count = branches->all.index.count;

	for (u32 i = first_below(branches, parent); i < count; i++) {
		const struct branch *branch = &branches->all.rows[branches->order[i]];

		if (branch->key.parent != parent)
			return;
		tree->nodes[tree->count++] = (struct call_tree_node){
			.frame = branch->frame,
			.kind = branch->key.kind,
			.depth = branch->depth,
			.place = branch->place,
			.critical_ns = branch->ns,
		};
		list_below(branches, branches->order[i], tree);
	}
}

static int list_all(struct branches *branches, struct call_tree *tree)
{
	u32 count = branches->all.index.count;

	branches->order = calloc(count + 1, sizeof(*branches->order));
	tree->nodes = calloc(count + 1, sizeof(*tree->nodes));
	if (!branches->order || !tree->nodes)
		return -1;
	for (u32 i = 0; i < count; i++)
		branches->order[i] = i;
	if (count)
		qsort_r(branches->order, count, sizeof(*branches->order), branch_compare,
			branches->all.rows);
	list_below(branches, HASH_NONE, tree);
	return 0;
}

int call_tree_make(const struct ranker *ranker, struct call_tree *tree)
{
	_cleanup_(free_branches) struct branches branches = { 0 };

	struct row_key key;
	double ns;

	for (u32 i = 0; place_tree_path(ranker->tree, i, &key, &ns); i++)
		if (add_path(ranker, &branches, &key, ns))
			return -1;
	return list_all(&branches, tree);
}

void call_tree_free(struct call_tree *tree)
{
	free(tree->nodes);
	*tree = (struct call_tree){ 0 };
}
