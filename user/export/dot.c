// SPDX-License-Identifier: GPL-2.0
/* The wait-for graph in the language of Graphviz. */
#include "exports.h"

#include "report/wait_views.h"

/* A quoted string; names may be made up. */
static void put_quoted(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc((unsigned char)*text < ' ' ? '?' : *text, out);
	}
	putc('"', out);
}

static void put_node(FILE *out, const struct wait_views *views, u32 id)
{
	const struct graph_node *node = &views->nodes[id];
	char name[NODE_NAME_SIZE];

	fprintf(out, "\tn%u [label=", id);
	put_quoted(out, graph_node_name(node, name));
	if (!node->threads)
		fputs(", shape=ellipse", out);
	if (node->knot != STORE_NONE)
		fputs(", color=red, penwidth=2", out);
	fputs("];\n", out);
}

/* Whether each node has an edge. NULL: no memory. */
static bool *find_connected(const struct wait_views *views)
{
	bool *connected = calloc(views->node_count + 1, sizeof(*connected));

	for (u32 i = 0; connected && i < views->edge_count; i++) {
		connected[views->edges[i].key.from] = true;
		connected[views->edges[i].key.to] = true;
	}
	return connected;
}

int export_dot(FILE *out, const struct results *results, const struct options *options)
{
	_cleanup_free_ bool *connected = NULL;
	const struct wait_views *views = results->wait_views;

	(void)options;
	if (views) {
		connected = find_connected(views);
		if (!connected)
			return -1;
	}
	fputs("digraph waits {\n\tnode [shape=box];\n", out);
	for (u32 i = 0; views && i < views->node_count; i++)
		if (connected[i])
			put_node(out, views, i);
	for (u32 i = 0; views && i < views->edge_count; i++) {
		const struct graph_edge *edge = &views->edges[i];

		fprintf(out, "\tn%u -> n%u [label=\"%.3f s\", weight=%.0f];\n", edge->key.from,
			edge->key.to, edge->ns / 1e9, 1 + percent_of(edge->ns, views->run_ns));
	}
	fputs("}\n", out);
	return 0;
}
