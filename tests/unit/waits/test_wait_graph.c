// SPDX-License-Identifier: GPL-2.0
/*
 * The wait-for graph, against one that goes down every chain of waits by recursion, without bounds;
 * and its knots.
 */
#include "made_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "waits/wait_graph.h"

#define RUNS 1000
#define TEAMS 3
#define NODES (TEAMS + NODE_OTHERS)
#define MANY 1000000U

struct naive {
	const struct made_run *run;
	u64 ns[NODES][NODES];
	u64 own_ns[NODES][NODES];
	u64 waits[NODES][NODES];
	u32 depth;
};

static u32 node_of_ender(const struct made_wait *wait)
{
	if (wait->by < RUN_THREADS)
		return wait->by % TEAMS;
	if (wait->by == BY_OUTSIDE)
		return TEAMS + NODE_OUTSIDE;
	switch (wait->reason) {
	case GAPP_WAIT_DISK:
		return TEAMS + NODE_DISK;
	case GAPP_WAIT_NETWORK:
		return TEAMS + NODE_NETWORK;
	case GAPP_WAIT_SLEEP:
		return TEAMS + NODE_TIMER;
	}
	return TEAMS + NODE_INTERRUPT;
}

/* What @thread waited for from @begin to @end, and what those waited for meanwhile. */
static void go_down(struct naive *naive, u32 thread, u32 begin, u32 end, u32 chain)
{
	for (u32 i = 0; i < naive->run->wait_count; i++) {
		const struct made_wait *wait = &naive->run->waits[i];
		u32 from = wait->begin > begin ? wait->begin : begin;
		u32 to = wait->end < end ? wait->end : end;

		if (wait->thread != thread || from >= to)
			continue;
		naive->ns[thread % TEAMS][node_of_ender(wait)] += (to - from) * STEP_NS;
		if (wait->by < RUN_THREADS && !(chain & 1U << wait->by))
			go_down(naive, wait->by, from, to, chain | 1U << wait->by);
	}
}

static void make_naive(struct naive *naive, const struct made_run *run)
{
	memset(naive, 0, sizeof(*naive));
	naive->run = run;
	for (u32 i = 0; i < run->wait_count; i++) {
		const struct made_wait *wait = &run->waits[i];
		u32 from = wait->thread % TEAMS, to = node_of_ender(wait);
		u64 ns = (wait->end - wait->begin) * STEP_NS;

		naive->waits[from][to]++;
		naive->own_ns[from][to] += ns;
		naive->ns[from][to] += ns;
		if (wait->by < RUN_THREADS)
			go_down(naive, wait->by, wait->begin, wait->end,
				1U << wait->thread | 1U << wait->by);
	}
}

/* Threads are in one of several teams by their number. */
static void make_graph(const struct wait_store *store, struct wait_graph *graph)
{
	u32 nodes[RUN_THREADS + 1];

	for (u32 i = 0; i < store->threads.index.count; i++)
		nodes[i] = (store->threads.rows[i].key.tid - TID(0)) % TEAMS;
	assert_int_equal(wait_graph_make(store, nodes, TEAMS, graph), 0);
}

static void compare(const struct naive *naive, const struct wait_graph *graph)
{
	for (u32 from = 0; from < NODES; from++) {
		for (u32 to = 0; to < NODES; to++) {
			struct graph_edge_key key = { from, to };
			u32 id = keyed_find(&graph->edges, &key);
			struct graph_edge edge = { .key = key };

			if (id != HASH_NONE)
				edge = graph->edges.rows[id];
			assert_int_equal(edge.waits, naive->waits[from][to]);
			assert_int_equal(edge.own_ns, naive->own_ns[from][to]);
			assert_int_equal(edge.ns, naive->ns[from][to]);
		}
	}
}

static void edges_are_those_of_recursion(void **state)
{
	u64 more = 0;

	(void)state;
	for (u32 i = 1; i <= RUNS; i++) {
		struct wait_graph graph;
		struct wait_store store;
		struct made_run run;
		struct naive naive;

		made_seed = i;
		made_begin(&store, STORE_SLICES_MAX);
		make_run(&run, &store);
		make_naive(&naive, &run);
		make_graph(&store, &graph);
		compare(&naive, &graph);
		assert_int_equal(graph.cut, 0);
		assert_int_equal(graph.unknown_ns, 0);
		for (u32 j = 0; j < graph.edges.index.count; j++)
			more += graph.edges.rows[j].ns > graph.edges.rows[j].own_ns;
		wait_graph_free(&graph);
		wait_store_free(&store);
	}
	print_message("# %llu edges have waits that went on to them\n", (unsigned long long)more);
	assert_true(more > RUNS);
}

static void waits_end_where_records_are_lost(void **state)
{
	(void)state;
	for (u32 i = 1; i <= RUNS; i++) {
		u64 waited = 0, own = 0;
		struct wait_graph graph;
		struct wait_store store;
		struct made_run run;
		u32 begin, end;

		made_seed = i;
		made_begin(&store, STORE_SLICES_MAX);
		make_run(&run, &store);
		begin = draw(RUN_STEPS - 1);
		end = begin + 1 + draw(RUN_STEPS - begin - 1);
		made_lost(&store, begin, end);
		made_end(&store, RUN_STEPS);
		make_graph(&store, &graph);
		for (u32 j = 0; j < run.wait_count; j++) {
			const struct made_wait *wait = &run.waits[j];

			waited += (wait->end - wait->begin) * STEP_NS;
			if (wait->end <= begin || wait->begin >= end)
				own += (wait->end - wait->begin) * STEP_NS;
			else if (wait->begin < begin)
				own += (begin - wait->begin) * STEP_NS;
		}
		for (u32 j = 0; j < graph.edges.index.count; j++) {
			waited -= graph.edges.rows[j].own_ns;
			own -= graph.edges.rows[j].own_ns;
		}
		assert_int_equal(own, 0);
		assert_int_equal(waited, graph.unknown_ns);
		wait_graph_free(&graph);
		wait_store_free(&store);
	}
}

/* Thread i waits for thread i + 1; those that are waited for begin first, or last. */
static u64 steps_of_chain(u32 count, bool deepest_first, u64 *cut)
{
	_cleanup_free_ u32 *nodes = calloc(count + 1, sizeof(*nodes));
	struct wait_graph graph;
	struct wait_store store;
	u64 steps;

	assert_non_null(nodes);
	made_begin(&store, STORE_SLICES_MAX);
	for (u32 i = 0; i < count; i++)
		made_slice(&store, deepest_first ? count - 1 - i : i, i, i + 1, GAPP_THEN_WAIT,
			   GAPP_WAIT_LOCK, 1);
	made_slice(&store, count, 0, count + 1, GAPP_THEN_ON, 0, 1);
	for (u32 i = count; i--;) {
		made_wake(&store, i, 2 * count - i, i + 1, 0);
		made_slice(&store, i, 2 * count - i, 2 * count - i + 1, GAPP_THEN_EXITED, 0, 2);
	}
	made_end(&store, 2 * count + 2);
	assert_int_equal(wait_graph_make(&store, nodes, 1, &graph), 0);
	assert_int_equal(graph.edges.index.count, 1);
	assert_int_equal(graph.edges.rows[0].waits, count);
	steps = graph.steps;
	*cut = graph.cut;
	wait_graph_free(&graph);
	wait_store_free(&store);
	return steps;
}

static void a_million_waits_take_ten_times_as_many_steps(void **state)
{
	u64 few, many, cut;

	(void)state;
	few = steps_of_chain(MANY / 10, false, &cut);
	assert_int_equal(cut, 0);
	many = steps_of_chain(MANY, false, &cut);
	print_message("# %llu steps for %u waits in a chain\n", (unsigned long long)many, MANY);
	assert_true(many <= 10 * few + 100);
	many = steps_of_chain(MANY, true, &cut);
	print_message("# %llu if the deepest begins first, %llu cut\n", (unsigned long long)many,
		      (unsigned long long)cut);
	assert_true(cut > MANY / CHAIN_MAX / 2 && cut <= MANY / CHAIN_MAX);
	assert_true(many <= 2ULL * CHAIN_MAX * MANY);
}

#define EDGE(a, b, t)                                \
	{                                            \
		.key = { a, b }, .waits = 1, .ns = t \
	}

static int knots_of(const struct graph_edge *edges, u32 count, u32 *knots)
{
	return wait_graph_knots(edges, count, 6, 1000, knots);
}

static void a_knot_is_what_no_edge_leaves(void **state)
{
	/* 0 waits for 1 and 2, which wait for each other; 3 for a disk, 5 */
	const struct graph_edge edges[] = {
		EDGE(0, 1, 100), EDGE(1, 2, 100), EDGE(2, 1, 100), EDGE(3, 5, 100), EDGE(0, 3, 50),
	};
	u32 knots[6];

	(void)state;
	assert_int_equal(knots_of(edges, ARRAY_SIZE(edges), knots), 2);
	assert_int_equal(knots[0], STORE_NONE);
	assert_int_equal(knots[1], knots[2]);
	assert_true(knots[1] != STORE_NONE && knots[5] != STORE_NONE && knots[1] != knots[5]);
	assert_int_equal(knots[3], STORE_NONE);
	assert_int_equal(knots[4], STORE_NONE);
}

static void little_does_not_count(void **state)
{
	/* less than 1 % of the run leads out of the knot */
	const struct graph_edge edges[] = { EDGE(0, 1, 100), EDGE(1, 2, 9) };
	u32 knots[6];

	(void)state;
	assert_int_equal(knots_of(edges, ARRAY_SIZE(edges), knots), 1);
	assert_true(knots[1] != STORE_NONE && knots[2] == STORE_NONE);
}

static void one_component_loses_its_least_edges(void **state)
{
	const struct graph_edge edges[] = { EDGE(0, 1, 900), EDGE(1, 0, 150), EDGE(1, 2, 120),
					    EDGE(2, 0, 130) };
	const struct graph_edge strong[] = { EDGE(0, 1, 900), EDGE(1, 0, 250) };
	u32 knots[6];

	(void)state;
	/* without 1 -> 2 node 2 only waits */
	assert_int_equal(knots_of(edges, ARRAY_SIZE(edges), knots), 1);
	assert_true(knots[0] == 0 && knots[1] == 0 && knots[2] == STORE_NONE);
	/* more than 20 % of the run stays */
	assert_int_equal(knots_of(strong, ARRAY_SIZE(strong), knots), 1);
	assert_true(knots[0] == 0 && knots[1] == 0);
	assert_int_equal(knots_of(NULL, 0, knots), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_are_those_of_recursion),
		cmocka_unit_test(waits_end_where_records_are_lost),
		cmocka_unit_test(a_million_waits_take_ten_times_as_many_steps),
		cmocka_unit_test(a_knot_is_what_no_edge_leaves),
		cmocka_unit_test(little_does_not_count),
		cmocka_unit_test(one_component_loses_its_least_edges),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("wait_graph", tests, NULL, NULL);
}
