// SPDX-License-Identifier: GPL-2.0
/*
 * A trace that Perfetto opens: who ran where, who was ready, who woke whom, and what threads ran on
 * and waited for. It is written while the records are read: packets are roughly in the order of
 * time, which Perfetto sorts.
 */
#include "exports.h"
#include "perfetto_counters.h"
#include "perfetto_sched.h"
#include "perfetto_tracks.h"
#include "trace_names.h"
#include "spans.h"

/**
 * struct perfetto - the trace that is being written
 * @packets: where to
 * @stays: makes stays of records
 * @sched: the scheduling
 * @tracks: all else
 * @wait: what the thread whose slice's record is taken waits for behind it
 */
struct perfetto {
	struct packets packets;
	struct stays stays;
	struct sched sched;
	struct tracks tracks;
	u32 wait;
};

static void put_clock(struct packets *packets, u32 id, u64 time)
{
	message_number(&packets->inner, CLOCK_ID, id);
	message_number(&packets->inner, CLOCK_TIME, time);
	message_part(&packets->part, CLOCKS_CLOCK, &packets->inner);
}

/* Scheduling has CLOCK_BOOTTIME in Perfetto, and gapp nothing but CLOCK_MONOTONIC. */
static int put_clocks(struct packets *packets, const struct recorded *recorded)
{
	put_clock(packets, CLOCK_IS_MONOTONIC, recorded->start_ns);
	put_clock(packets, CLOCK_IS_BOOTTIME, recorded->start_ns);
	message_number(&packets->part, CLOCKS_PRIMARY, CLOCK_IS_MONOTONIC);
	message_part(&packets->packet, PACKET_CLOCKS, &packets->part);
	message_number(&packets->packet, PACKET_SEQUENCE, 1);
	message_number(&packets->packet, PACKET_FLAGS, SEQUENCE_BEGINS);
	return packets_put(packets);
}

/* Perfetto reads the states of threads by the release. */
static int put_system(struct packets *packets, const struct recorded *recorded)
{
	message_bytes(&packets->inner, UTSNAME_SYSNAME, "Linux", strlen("Linux"));
	if (recorded->kernel)
		packets_name(&packets->inner, UTSNAME_RELEASE, recorded->kernel,
			     strlen(recorded->kernel));
	if (recorded->machine)
		packets_name(&packets->inner, UTSNAME_MACHINE, recorded->machine,
			     strlen(recorded->machine));
	message_part(&packets->part, SYSTEM_UTSNAME, &packets->inner);
	message_part(&packets->packet, PACKET_SYSTEM, &packets->part);
	return packets_put(packets);
}

static int put_attributes(struct packets *packets)
{
	for (const struct trace_note *note = trace_notes; note->name; note++) {
		message_bytes(&packets->inner, ATTRIBUTE_KEY, note->name, strlen(note->name));
		message_bytes(&packets->inner, ATTRIBUTE_TEXT, note->text, strlen(note->text));
		message_part(&packets->part, ATTRIBUTES_ATTRIBUTE, &packets->inner);
	}
	message_part(&packets->packet, PACKET_ATTRIBUTES, &packets->part);
	return packets_put(packets);
}

static int take_stay(void *context, const struct stay *stay)
{
	struct perfetto *perfetto = context;

	if ((stay->kind == STAY_RAN || stay->kind == STAY_SPUN) &&
	    sched_take_stay(&perfetto->sched, stay, perfetto->wait))
		return -1;
	return tracks_take_stay(&perfetto->tracks, stay);
}

/* What is not told by stays. */
static int take_event(struct perfetto *perfetto, const struct gapp_record *record)
{
	switch (record->type) {
	case GAPP_RECORD_SLICE:
		perfetto->wait = ((const struct gapp_record_slice *)record)->wait;
		return 0;
	case GAPP_RECORD_WAKE:
		return sched_take_wake(&perfetto->sched, (const struct gapp_record_wake *)record);
	case GAPP_RECORD_LOST:
		if (sched_take_lost(&perfetto->sched, record->cpu))
			return -1;
		return tracks_take_lost(&perfetto->tracks, (const struct gapp_record_lost *)record);
	}
	return 0;
}

static int take_record(void *context, const struct gapp_record *record, _unused_ u32 verdict)
{
	struct perfetto *perfetto = context;

	if (record->time_ns < perfetto->stays.start_ns)
		return stays_record(&perfetto->stays, record);
	if (take_event(perfetto, record) || stays_record(&perfetto->stays, record))
		return -1;
	return tracks_take_record(&perfetto->tracks, record);
}

static int put_trace(struct perfetto *perfetto, const struct results *results)
{
	const struct recorded *recorded = results->recorded;
	struct packets *packets = &perfetto->packets;
	struct recorded_count count;

	if (put_clocks(packets, recorded) || put_system(packets, recorded) ||
	    put_attributes(packets) || tracks_begin(&perfetto->tracks) ||
	    perfetto_counters(packets, results) ||
	    recorded_each(recorded->blocks, take_record, perfetto, &count) ||
	    stays_end(&perfetto->stays, recorded->stop_ns))
		return -1;
	return sched_end(&perfetto->sched);
}

int export_perfetto(FILE *out, const struct results *results,
		    _unused_ const struct options *options)
{
	const struct recorded *recorded = results->recorded;
	struct perfetto *perfetto = calloc(1, sizeof(*perfetto));
	int error;

	if (!perfetto)
		return -1;
	perfetto->packets.out = out;
	perfetto->sched.packets = &perfetto->packets;
	perfetto->sched.stays = &perfetto->stays;
	perfetto->sched.stop_ns = recorded->stop_ns;
	perfetto->tracks.packets = &perfetto->packets;
	perfetto->tracks.stays = &perfetto->stays;
	perfetto->tracks.recorded = recorded;
	perfetto->tracks.commands = results->commands;
	perfetto->tracks.asked = &results->counted.asked;
	perfetto->tracks.apart = results->target_count > 1;
	perfetto->tracks.interned.recorded = recorded;
	stays_init(&perfetto->stays, recorded->start_ns, recorded->every_slice, take_stay,
		   perfetto);
	error = export_spans(&perfetto->stays, results);
	if (!error)
		error = put_trace(perfetto, results);
	tracks_free(&perfetto->tracks);
	sched_free(&perfetto->sched);
	stays_free(&perfetto->stays);
	packets_free(&perfetto->packets);
	free(perfetto);
	/* who cannot be written to is found by the caller */
	return error && !ferror(out) ? -1 : 0;
}
