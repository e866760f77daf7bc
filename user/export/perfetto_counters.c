// SPDX-License-Identifier: GPL-2.0
#include "perfetto_counters.h"

#include <stdio.h>
#include <string.h>

#include "report/counter_steps.h"
#include "report/recorded.h"

/* Numbers of tracks, above those of perfetto_tracks.c. */
#define TRACK_COUNTERS 0x10000000000ULL
/* Of a node a track for each counter, and one for the local part. */
#define TRACKS_A_NODE (GAPP_TALLIES + 1)

/**
 * struct putting - the tracks that are being written
 * @packets: where to
 * @tallies: what was asked for
 * @nodes: nodes that have tracks: their places count from 1, for 0 is that of all CPUs
 * @node_count: elements of @nodes
 * @all: the tracks of all CPUs were written
 */
struct putting {
	struct packets *packets;
	const struct tallies *tallies;
	u32 nodes[COUNTER_NODES_MAX];
	u32 node_count;
	bool all;
};

static int put_track(struct putting *putting, u64 track, u64 parent, const char *name, bool counts)
{
	struct packets *packets = putting->packets;

	message_number(&packets->part, TRACK_UUID, track);
	message_number(&packets->part, TRACK_PARENT, parent);
	if (counts) {
		message_number(&packets->inner, COUNTER_UNIT, COUNTED_THINGS);
		message_part(&packets->part, TRACK_COUNTER, &packets->inner);
	}
	packets_name(&packets->part, TRACK_NAME, name, strlen(name));
	message_part(&packets->packet, PACKET_TRACK, &packets->part);
	return packets_put_next(packets);
}

static int put_value(struct putting *putting, u64 track, u64 time, double value)
{
	struct packets *packets = putting->packets;

	message_number(&packets->part, EVENT_TYPE, EVENT_IS_COUNTER);
	message_number(&packets->part, EVENT_TRACK, track);
	message_double(&packets->part, EVENT_DOUBLE_COUNTER, value);
	message_number(&packets->packet, PACKET_TIMESTAMP, time);
	message_part(&packets->packet, PACKET_EVENT, &packets->part);
	return packets_put_next(packets);
}

static u64 track_of(u32 place, u32 counter)
{
	return TRACK_COUNTERS + 1 + (u64)place * TRACKS_A_NODE + counter;
}

static bool is_counted(const struct putting *putting, u32 counter)
{
	return !counter_why_not(putting->tallies, &putting->tallies->counters[counter]);
}

/* Whether a local part may be known. */
static bool has_local(const struct putting *putting)
{
	return tallies_counted(putting->tallies, COUNTER_LOCAL_MEMORY) != TALLY_NONE &&
	       tallies_counted(putting->tallies, COUNTER_REMOTE_MEMORY) != TALLY_NONE;
}

/* Writes that the tracks of a place exist; @of: "node 0". */
static int put_tracks(struct putting *putting, u32 place, const char *of)
{
	char name[COUNTER_NAME_SIZE + 64];

	for (u32 i = 0; i < putting->tallies->count; i++) {
		if (!is_counted(putting, i))
			continue;
		snprintf(name, sizeof(name), "%s a second, %s", putting->tallies->counters[i].name,
			 of);
		if (put_track(putting, track_of(place, i), TRACK_COUNTERS, name, true))
			return -1;
	}
	if (!has_local(putting))
		return 0;
	snprintf(name, sizeof(name), "local memory %%, %s", of);
	return put_track(putting, track_of(place, GAPP_TALLIES), TRACK_COUNTERS, name, true);
}

static int put_row(struct putting *putting, u32 place, const struct counter_step *step,
		   const struct counter_row *row)
{
	for (u32 i = 0; i < putting->tallies->count; i++)
		if (is_counted(putting, i) && put_value(putting, track_of(place, i), step->begin_ns,
							counter_rate(step, row, i)))
			return -1;
	return row->local_known ? put_value(putting, track_of(place, GAPP_TALLIES), step->begin_ns,
					    row->local_percent) :
				  0;
}

/* The place of a node, which has tracks then. Returns 0, or -1. */
static int place_of(struct putting *putting, u32 node, u32 *place)
{
	char of[32] = "of an unknown node";

	*place = 0;
	while (*place < putting->node_count && putting->nodes[*place] != node)
		++*place;
	if ((*place)++ < putting->node_count)
		return 0;
	putting->nodes[putting->node_count++] = node;
	if (node != CPU_NODE_UNKNOWN)
		snprintf(of, sizeof(of), "node %u", node);
	return put_tracks(putting, *place, of);
}

static int put_step(void *context, const struct counter_step *step)
{
	struct putting *putting = context;
	u32 place;

	if (!putting->all && (put_track(putting, TRACK_COUNTERS, 0, "counters", false) ||
			      put_tracks(putting, 0, "all CPUs")))
		return -1;
	putting->all = true;
	if (put_row(putting, 0, step, &step->all))
		return -1;
	for (u32 i = 0; i < step->node_count; i++)
		if (place_of(putting, step->nodes[i].node, &place) ||
		    put_row(putting, place, step, &step->nodes[i]))
			return -1;
	return 0;
}

int perfetto_counters(struct packets *packets, const struct results *results)
{
	struct putting *putting;
	int error;

	if (!counter_steps_any(results))
		return 0;
	putting = calloc(1, sizeof(*putting));
	if (!putting)
		return -1;
	putting->packets = packets;
	putting->tallies = &results->counted.asked;
	error = counter_steps_of_file(results, results->recorded->blocks, put_step, putting);
	free(putting);
	return error;
}
