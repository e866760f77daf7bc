// SPDX-License-Identifier: GPL-2.0
/* The view of the wait-for graph: its knots, and its edges. */
#include "text_private.h"
#include "wait_views.h"

#define NAME_COLUMNS 24

static void put_knots(struct text *text, const struct wait_views *views)
{
	_cleanup_free_ u32 *nodes = NULL;
	char name[NODE_NAME_SIZE];
	u32 count;

	nodes = wait_views_in_knots(views, &count);
	if (!nodes)
		out_of_memory();
	for (u32 i = 0; i < count; i++) {
		const struct graph_node *node = &views->nodes[nodes[i]];
		bool last = i + 1 == count || views->nodes[nodes[i + 1]].knot != node->knot;

		if (!i || views->nodes[nodes[i - 1]].knot != node->knot)
			text_title(text, "Knot");
		text_add(text, last ? "%s" : "%s, ", graph_node_name(node, name));
		if (last)
			text_end(text);
	}
}

/* Time of chains, in which several threads wait at once, can be longer than the run. */
static void put_edges(struct text *text, const struct wait_views *views)
{
	size_t most = text_view_rows(text), count = views->edge_count;

	text_line(text, "%4s %10s %10s %9s  who waited for whom", "#", text->unit, "itself",
		  "waits");
	for (size_t i = 0; i < count && i < most; i++) {
		const struct graph_edge *edge = &views->edges[i];
		char from[NODE_NAME_SIZE], to[NODE_NAME_SIZE];

		text_add(text, "%4zu %10.*f %10.*f %9llu  %s > %s", i + 1, text->decimals,
			 text_time(text, edge->ns), text->decimals, text_time(text, edge->own_ns),
			 (unsigned long long)edge->waits,
			 graph_node_name(&views->nodes[edge->key.from], from),
			 graph_node_name(&views->nodes[edge->key.to], to));
		text_wrap(text, TEXT_INDENT, i ? TEXT_PLAIN : TEXT_BOLD);
	}
	text_view_left_out(text, count > most ? count - most : 0);
}

void text_view_graph(struct text *text)
{
	const struct wait_views *views = text->results->wait_views;
	char words[TEXT_WORDS_SIZE];

	if (!views) {
		text_view_missing(text, "graph");
		return;
	}
	if (!views->edge_count) {
		text_line(text, "No thread waited for another one.");
		return;
	}
	put_knots(text, views);
	text_view_bounds(text, views);
	if (views->graph_unknown_ns)
		text_line(text, "%5sWaits of %s are in no edge: records were lost meanwhile.", "",
			  text_long_time(text, words, views->graph_unknown_ns));
	if (views->cut)
		text_line(text, "%5s%llu chains of more than %u waits were cut.", "",
			  (unsigned long long)views->cut, CHAIN_MAX);
	put_edges(text, views);
}
