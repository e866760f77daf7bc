// SPDX-License-Identifier: GPL-2.0
/*
 * A loop is a set of blocks that all reach each other (a strongly connected component, found as
 * Tarjan does). Without its header, its inner loops are left, which are found in the same way.
 */
#include "loops.h"

/* Visits of a block, on average, before the search gives up. */
#define VISITS_PER_BLOCK 64
#define VISITS_LEAST 4096

/**
 * struct node - what the search knows of a block
 * @set: number of the set of blocks that the block is in, 0: none
 * @order: when it was first reached, from 1; 0: not yet
 * @low: the least @order that it reaches
 * @next: successors that were looked at
 * @component: number of its component, 0: none yet
 * @on_stack: its component is not complete
 */
struct node {
	u32 set;
	u32 order;
	u32 low;
	u32 next;
	u32 component;
	bool on_stack;
};

struct list {
	u32 *blocks;
	u32 count;
};

/**
 * struct search - the search in one function
 * @nodes: by block
 * @stack: blocks whose component is not complete
 * @path: blocks from the first one to the one that is looked at
 * @todo: sets of blocks that are to be searched
 * @sets: sets so far
 * @components: components so far
 * @visits: blocks that were visited
 * @left: only the outermost loops are wanted, of what is left of this one; or NULL
 */
struct search {
	const struct flow *flow;
	body_fn visit;
	void *context;
	struct node *nodes;
	u32 *stack;
	u32 *path;
	struct list *todo;
	u32 todo_count;
	u32 todo_room;
	u32 sets;
	u32 components;
	u64 visits;
	const struct body *left;
};

bool body_has(const struct body *body, u32 block)
{
	size_t count = 0, high = body->count;

	while (count < high) {
		size_t middle = count + (high - count) / 2;

		if (body->blocks[middle] < block)
			count = middle + 1;
		else
			high = middle;
	}
	return count < body->count && body->blocks[count] == block;
}

bool body_is_in(const struct body *inner, const struct body *outer)
{
	for (u32 i = 0; i < inner->count; i++)
		if (!body_has(outer, inner->blocks[i]))
			return false;
	return true;
}

static int compare_blocks(const void *a, const void *b)
{
	return three_way(*(const u32 *)a, *(const u32 *)b);
}

static const u32 *successors_of(const struct search *search, u32 block)
{
	return search->flow->successors + search->flow->blocks[block].next;
}

static bool is_in_component(const struct search *search, u32 block, u32 component)
{
	return block != BLOCK_OUTSIDE && search->nodes[block].component == component;
}

static bool leads_to(const struct search *search, u32 from, u32 to)
{
	const u32 *next = successors_of(search, from);

	for (u32 i = 0; i < search->flow->blocks[from].next_count; i++)
		if (next[i] == to)
			return true;
	return false;
}

/* Whether the loop can be entered by this block. */
static bool is_entry(const struct search *search, u32 block, u32 component)
{
	const struct block *to = &search->flow->blocks[block];

	if (block == search->flow->entry || (search->left && block == search->left->header))
		return true;
	for (u32 i = 0; i < to->previous_count; i++)
		if (search->nodes[search->flow->predecessors[to->previous + i]].component !=
		    component)
			return true;
	return false;
}

/* Adds a block. False: the body is too large. */
static bool body_add(const struct search *search, struct body *body, u32 block)
{
	body->insns += block_insns(&search->flow->blocks[block]);
	if (body->insns > LOOP_INSNS_MAX)
		return false;
	body->blocks[body->count++] = block;
	return true;
}

static int give(const struct search *search, struct body *body)
{
	qsort(body->blocks, body->count, sizeof(*body->blocks), compare_blocks);
	return search->visit(search->context, body);
}

/* Gives the loop of one way back: all blocks that reach @latch without passing the header. */
static int give_latch(struct search *search, u32 component, u32 header, u32 latch)
{
	struct body body = { .header = header };
	u32 set = ++search->sets, looked = 0;

	if (!body_add(search, &body, header))
		return 0;
	search->nodes[header].set = set;
	if (latch != header) {
		search->nodes[latch].set = set;
		if (!body_add(search, &body, latch))
			return 0;
	}
	for (looked = 1; looked < body.count; looked++) {
		const struct block *block = &search->flow->blocks[body.blocks[looked]];

		for (u32 i = 0; i < block->previous_count; i++) {
			u32 from = search->flow->predecessors[block->previous + i];

			search->visits++;
			if (search->nodes[from].set == set ||
			    !is_in_component(search, from, component))
				continue;
			search->nodes[from].set = set;
			if (!body_add(search, &body, from))
				return 0;
		}
	}
	return give(search, &body);
}

static int give_loop(struct search *search, u32 component, u32 header, const u32 *blocks, u32 count)
{
	struct body body = { .header = header, .is_whole = !search->left };
	u32 latches = 0;
	int result;

	for (u32 i = 0; i < count; i++)
		latches += leads_to(search, blocks[i], header);
	for (u32 i = 0; i < count; i++)
		if (!body_add(search, &body, blocks[i])) {
			body.count = 0;
			break;
		}
	result = body.count ? give(search, &body) : 0;
	for (u32 i = 0; !result && !search->left && latches > 1 && i < count; i++)
		if (leads_to(search, blocks[i], header))
			result = give_latch(search, component, header, blocks[i]);
	return result;
}

/* Keeps the blocks but for @header to be searched. */
static int keep_inner(struct search *search, u32 header, const u32 *blocks, u32 count)
{
	struct list inner = { .blocks = malloc(count * sizeof(*blocks)) };

	if (!inner.blocks || array_grow(&search->todo, &search->todo_room, search->todo_count,
					sizeof(*search->todo))) {
		free(inner.blocks);
		return -1;
	}
	for (u32 i = 0; i < count; i++)
		if (blocks[i] != header)
			inner.blocks[inner.count++] = blocks[i];
	search->todo[search->todo_count++] = inner;
	return 0;
}

/* Takes a complete component. */
static int take(struct search *search, const u32 *blocks, u32 count)
{
	u32 component = ++search->components, header = BLOCK_OUTSIDE;
	int result;

	for (u32 i = 0; i < count; i++) {
		search->nodes[blocks[i]].component = component;
		search->nodes[blocks[i]].on_stack = false;
	}
	if (count == 1 && !leads_to(search, blocks[0], blocks[0]))
		return 0;
	for (u32 i = 0; i < count; i++)
		if (blocks[i] < header && is_entry(search, blocks[i], component))
			header = blocks[i];
	if (header == BLOCK_OUTSIDE)
		header = blocks[0];
	result = give_loop(search, component, header, blocks, count);
	if (result || search->left || count == 1)
		return result;
	return keep_inner(search, header, blocks, count);
}

static void enter(struct search *search, u32 block, u32 *order, u32 *stacked)
{
	struct node *node = &search->nodes[block];

	node->order = ++*order;
	node->low = node->order;
	node->next = 0;
	node->on_stack = true;
	search->stack[(*stacked)++] = block;
	search->visits++;
}

/* Finds the components that @root reaches in the set. */
static int search_from(struct search *search, u32 root, u32 set, u32 *order)
{
	struct node *nodes = search->nodes;
	u32 depth = 0, stacked = 0, first;
	int result;

	enter(search, root, order, &stacked);
	search->path[depth++] = root;
	while (depth) {
		u32 at = search->path[depth - 1];
		struct node *node = &nodes[at];

		if (node->next < search->flow->blocks[at].next_count) {
			u32 to = successors_of(search, at)[node->next++];

			if (to == BLOCK_OUTSIDE || nodes[to].set != set)
				continue;
			if (!nodes[to].order) {
				enter(search, to, order, &stacked);
				search->path[depth++] = to;
			} else if (nodes[to].on_stack && nodes[to].order < node->low) {
				node->low = nodes[to].order;
			}
			continue;
		}
		depth--;
		if (depth && node->low < nodes[search->path[depth - 1]].low)
			nodes[search->path[depth - 1]].low = node->low;
		if (node->low != node->order)
			continue;
		first = stacked;
		while (search->stack[--first] != at)
			;
		result = take(search, search->stack + first, stacked - first);
		stacked = first;
		if (result)
			return result;
	}
	return 0;
}

static int search_set(struct search *search, const u32 *blocks, u32 count)
{
	u32 set = ++search->sets, order = 0;
	int result = 0;

	for (u32 i = 0; i < count; i++)
		search->nodes[blocks[i]] = (struct node){ .set = set };
	for (u32 i = 0; !result && i < count; i++) {
		if (search->nodes[blocks[i]].order)
			continue;
		/* give_latch() has changed @set of blocks whose component is complete */
		result = search_from(search, blocks[i], set, &order);
	}
	return result;
}

static int run(struct search *search, const u32 *blocks, u32 count)
{
	u32 all = search->flow->block_count;
	int result = -1;

	search->nodes = calloc(all, sizeof(*search->nodes));
	search->stack = malloc(all * sizeof(*search->stack));
	search->path = malloc(all * sizeof(*search->path));
	if (search->nodes && search->stack && search->path)
		result = search_set(search, blocks, count);
	while (!result && search->todo_count) {
		struct list list = search->todo[--search->todo_count];

		if (search->visits > (u64)VISITS_PER_BLOCK * all + VISITS_LEAST)
			result = 1;
		else
			result = search_set(search, list.blocks, list.count);
		free(list.blocks);
	}
	while (search->todo_count)
		free(search->todo[--search->todo_count].blocks);
	free(search->todo);
	free(search->nodes);
	free(search->stack);
	free(search->path);
	return result;
}

int loops_find(const struct flow *flow, body_fn visit, void *context)
{
	_cleanup_free_ u32 *blocks = malloc((flow->block_count + 1) * sizeof(*blocks));
	struct search search = { .flow = flow, .visit = visit, .context = context };

	if (!blocks)
		return -1;
	for (u32 i = 0; i < flow->block_count; i++)
		blocks[i] = i;
	return flow->block_count ? run(&search, blocks, flow->block_count) : 0;
}

int loops_find_left(const struct flow *flow, const struct body *body, const u32 *left, u32 count,
		    body_fn visit, void *context)
{
	struct search search = {
		.flow = flow,
		.visit = visit,
		.context = context,
		.left = body,
	};

	return count ? run(&search, left, count) : 0;
}

static int stop(_unused_ void *context, _unused_ const struct body *body)
{
	return 2;
}

int body_has_inner(const struct flow *flow, const struct body *body)
{
	u32 left[LOOP_INSNS_MAX], count = 0;

	for (u32 i = 0; i < body->count; i++)
		if (body->blocks[i] != body->header)
			left[count++] = body->blocks[i];
	switch (loops_find_left(flow, body, left, count, stop, NULL)) {
	case 0:
		return 0;
	case -1:
		return -1;
	default:
		return 1;
	}
}
