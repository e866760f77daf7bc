// SPDX-License-Identifier: GPL-2.0
/* The critical path and the wait-for graph in JSON. */
#include "json_wait_views.h"

#include "wait_views.h"

#define ROW "\n    "

static void put_functions(struct json *json, const struct wait_views *views)
{
	json_begin_member(json, "by_function", '[');
	for (u32 i = 0; i < views->function_count; i++) {
		const struct critical_function *row = &views->functions[i];

		json_begin_element(json, ROW);
		json_string(json, "function", row->function);
		json_string(json, "module", row->module);
		if (!row->function && row->module)
			json_number(json, "offset", row->offset);
		json_nanoseconds(json, "s", row->ns);
		json_nanoseconds(json, "inferred_s", row->inferred_ns);
		json_end(json, '}');
	}
	json_end(json, ']');
}

/* How much of the path went through such waits and over them, and who ended these. */
static void put_waits(struct json *json, const struct critical_reason *waits)
{
	static const char *const enders[WAIT_ENDERS] = {
		[ENDED_BY_THREAD] = "ended_outside_s",
		[ENDED_BY_INTERRUPT] = "ended_by_interrupt_s",
		[ENDED_BY_UNKNOWN] = "ended_by_unknown_s",
		[ENDED_NOT] = "not_ended_s",
	};

	json_seconds(json, "through_s", waits->through_ns);
	json_seconds(json, "s", critical_reason_waited(waits));
	for (u32 i = 0; i < WAIT_ENDERS; i++)
		json_seconds(json, enders[i], waits->waited_ns[i]);
}

static void put_reasons(struct json *json, const struct wait_views *views)
{
	json_begin_member(json, "by_reason", '[');
	for (u32 i = 0; i < views->reason_count; i++) {
		const struct critical_reason *row = &views->reasons[i];

		json_begin_element(json, ROW);
		json_string(json, "reason", wait_name(row->reason));
		json_string(json, "name", row->name);
		put_waits(json, row);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_objects(struct json *json, const struct wait_views *views)
{
	json_begin_member(json, "by_object", '[');
	for (u32 i = 0; i < views->object_count; i++) {
		const struct critical_object *row = &views->objects[i];

		json_begin_element(json, ROW);
		json_string(json, "reason", wait_name(row->wait.reason));
		json_string(json, "called", row->wait.name);
		json_string(json, "name", row->name);
		json_number(json, "tgid", row->tgid > 0 ? row->tgid : 0);
		put_waits(json, &row->wait);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_threads(struct json *json, const struct wait_views *views)
{
	json_begin_member(json, "by_thread", '[');
	for (u32 i = 0; i < views->thread_count; i++) {
		const struct critical_thread *row = &views->threads[i];

		json_begin_element(json, ROW);
		json_number(json, "tid", row->tid);
		json_number(json, "tgid", row->tgid);
		json_comm(json, row->comm);
		json_seconds(json, "s",
			     row->ns[PIECE_RAN] + row->ns[PIECE_READY] + row->ns[PIECE_WAITED]);
		json_seconds(json, "ran_s", row->ns[PIECE_RAN]);
		json_seconds(json, "ready_s", row->ns[PIECE_READY]);
		json_seconds(json, "waited_s", row->ns[PIECE_WAITED]);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_path(struct json *json, const struct wait_views *views)
{
	json_begin_member(json, "critical_path", '{');
	json_seconds(json, "run_s", views->run_ns);
	json_nanoseconds(json, "sum_s", wait_views_sum(views));
	json_seconds(json, "ran_s", views->ns[PIECE_RAN]);
	json_seconds(json, "not_sampled_s", views->many_ns);
	json_seconds(json, "ready_s", views->ns[PIECE_READY]);
	json_seconds(json, "waited_s", views->ns[PIECE_WAITED]);
	json_seconds(json, "no_thread_s", views->ns[PIECE_NONE]);
	json_seconds(json, "unknown_s", views->unknown_ns);
	json_seconds(json, "known_from_s", views->dropped_ns);
	json_number(json, "dropped_slices", views->dropped);
	json_number(json, "hops", views->hops);
	put_functions(json, views);
	put_reasons(json, views);
	put_objects(json, views);
	put_threads(json, views);
	json_end(json, '}');
}

static void put_nodes(struct json *json, const struct wait_views *views)
{
	char name[NODE_NAME_SIZE];

	json_begin_member(json, "nodes", '[');
	for (u32 i = 0; i < views->node_count; i++) {
		const struct graph_node *node = &views->nodes[i];

		json_begin_element(json, ROW);
		json_number(json, "id", i);
		json_string(json, "name", graph_node_name(node, name));
		json_string(json, "kind", node->threads ? "team" : "other");
		json_number(json, "threads", node->threads);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_knots(struct json *json, const struct wait_views *views)
{
	_cleanup_free_ u32 *nodes = NULL;
	u32 count;

	nodes = wait_views_in_knots(views, &count);
	if (!nodes)
		out_of_memory();
	json_begin_member(json, "knots", '[');
	for (u32 i = 0; i < count; i++) {
		if (i && views->nodes[nodes[i]].knot == views->nodes[nodes[i - 1]].knot) {
			fprintf(json->out, ", %u", nodes[i]);
			continue;
		}
		if (i)
			fputc(']', json->out);
		json_next(json, NULL);
		fprintf(json->out, "[%u", nodes[i]);
	}
	if (count)
		fputc(']', json->out);
	json_end(json, ']');
}

static void put_graph(struct json *json, const struct wait_views *views)
{
	json_begin_member(json, "graph", '{');
	put_nodes(json, views);
	json_begin_member(json, "edges", '[');
	for (u32 i = 0; i < views->edge_count; i++) {
		const struct graph_edge *edge = &views->edges[i];

		json_begin_element(json, ROW);
		json_number(json, "from", edge->key.from);
		json_number(json, "to", edge->key.to);
		json_seconds(json, "s", edge->ns);
		json_seconds(json, "own_s", edge->own_ns);
		json_number(json, "waits", edge->waits);
		json_end(json, '}');
	}
	json_end(json, ']');
	put_knots(json, views);
	json_seconds(json, "unknown_s", views->graph_unknown_ns);
	json_number(json, "cut_chains", views->cut);
	json_end(json, '}');
}

void json_wait_views(struct json *json, const struct wait_views *views)
{
	if (!views)
		return;
	put_path(json, views);
	put_graph(json, views);
}
