// SPDX-License-Identifier: GPL-2.0
#include "perfetto_tracks.h"

#include <stdio.h>

#include "profile/profile.h"
#include "trace_names.h"
#include "util/names.h"

/* Numbers of tracks: those of one kind have one remainder. */
#define TRACK_NOTES 1
#define TRACK_LOST 3
#define THREAD_TRACK(thread) (4 * (u64)(thread) + 4)
#define ACTIVE_TRACK(target) (4 * (u64)(target) + 5)
#define CRITICAL_TRACK(target) (4 * (u64)(target) + 6)
#define LOST_TRACK(cpu) (4 * (u64)(cpu) + 7)

enum { CATEGORY_RAN = 1, CATEGORY_CRITICAL, CATEGORY_WAIT, CATEGORY_LOST };
enum { ARGUMENT_CPU = 1, ARGUMENT_ACTIVE, ARGUMENT_CRITICAL, ARGUMENT_RECORDS };

static const char *const categories[] = {
	[CATEGORY_RAN] = "ran",
	[CATEGORY_CRITICAL] = "critical",
	[CATEGORY_WAIT] = "wait",
	[CATEGORY_LOST] = "lost",
};

static const char *const arguments[] = {
	[ARGUMENT_CPU] = "cpu",
	[ARGUMENT_ACTIVE] = "active threads at its end",
	[ARGUMENT_CRITICAL] = "critical ns",
	[ARGUMENT_RECORDS] = "records",
};

/* Writes the event that has been made in @part, with all texts that it is the first to have. */
static int put_event(struct tracks *tracks, u64 time)
{
	struct packets *packets = tracks->packets;

	message_number(&packets->packet, PACKET_TIMESTAMP, time);
	message_part(&packets->packet, PACKET_EVENT, &packets->part);
	if (tracks->interned.message.size)
		message_part(&packets->packet, PACKET_INTERNED, &tracks->interned.message);
	return packets_put_next(packets);
}

static void begin_event(struct tracks *tracks, u32 type, u64 track)
{
	message_number(&tracks->packets->part, EVENT_TYPE, type);
	message_number(&tracks->packets->part, EVENT_TRACK, track);
}

static void put_argument(struct tracks *tracks, u32 name, u64 number)
{
	struct packets *packets = tracks->packets;

	message_number(&packets->inner, ARGUMENT_NAME, name);
	message_given(&packets->inner, ARGUMENT_NUMBER, number);
	message_part(&packets->part, EVENT_ARGUMENT, &packets->inner);
}

/* Writes that a track exists, as the caller has begun to say in @part. */
static int put_track(struct tracks *tracks, u64 track, u64 parent, const char *name)
{
	struct packets *packets = tracks->packets;

	message_number(&packets->part, TRACK_UUID, track);
	message_number(&packets->part, TRACK_PARENT, parent);
	if (name)
		packets_name(&packets->part, TRACK_NAME, name, strlen(name));
	message_part(&packets->packet, PACKET_TRACK, &packets->part);
	return packets_put_next(packets);
}

static void put_note(struct packets *packets, const char *name, const char *text)
{
	message_bytes(&packets->inner, ARGUMENT_OWN_NAME, name, strlen(name));
	message_bytes(&packets->inner, ARGUMENT_TEXT, text, strlen(text));
	message_part(&packets->part, EVENT_ARGUMENT, &packets->inner);
}

/* Counters that have no track, and why. */
static void put_uncounted(struct packets *packets, const struct tallies *asked)
{
	char name[COUNTER_NAME_SIZE + 16];

	for (u32 i = 0; i < asked->count; i++) {
		const char *why = counter_why_not(asked, &asked->counters[i]);

		if (!why)
			continue;
		snprintf(name, sizeof(name), "not counted: %s", asked->counters[i].name);
		put_note(packets, name, why);
	}
}

static int put_notes(struct tracks *tracks)
{
	struct packets *packets = tracks->packets;

	if (put_track(tracks, TRACK_NOTES, 0, "about this recording"))
		return -1;
	begin_event(tracks, EVENT_IS_INSTANT, TRACK_NOTES);
	message_number(&packets->part, EVENT_NAME,
		       interned_name(&tracks->interned, "about this recording"));
	for (const struct trace_note *note = trace_notes; note->name; note++)
		put_note(packets, note->name, note->text);
	put_uncounted(packets, tracks->asked);
	return put_event(tracks, tracks->recorded->start_ns);
}

int tracks_begin(struct tracks *tracks)
{
	struct interned *interned = &tracks->interned;

	for (u32 i = 1; i < ARRAY_SIZE(categories); i++)
		interned_given(interned, INTERNED_CATEGORY, i, categories[i]);
	for (u32 i = 1; i < ARRAY_SIZE(arguments); i++)
		interned_given(interned, INTERNED_ARGUMENT, i, arguments[i]);
	tracks->ran = interned_name(interned, "ran");
	tracks->not_known = interned_name(interned, "not known");
	tracks->records_lost = interned_name(interned, "records are lost");
	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++) {
		char name[64];

		snprintf(name, sizeof(name), "waits: %s", wait_name(i));
		tracks->waits[i] = interned_name(interned, name);
		if (!tracks->waits[i])
			return -1;
	}
	return put_notes(tracks);
}

/* Writes the words of a command line. */
static void put_words(struct message *process, const char *command)
{
	for (size_t length; command && *command; command += length + !!command[length]) {
		length = strcspn(command, " ");
		packets_name(process, PROCESS_COMMAND, command, length);
	}
}

/* Writes a process, unless it was written. Adds it to @part. */
static int put_process(struct tracks *tracks, s32 tgid, s32 known_tgid)
{
	struct packets *packets = tracks->packets;
	struct track_process process = { .key = { tgid } };

	if (keyed_find(&tracks->processes, &process.key) != HASH_NONE)
		return 0;
	if (keyed_add(&tracks->processes, &process.key) == HASH_NONE)
		return -1;
	message_number(&packets->inner, PROCESS_PID, tgid);
	put_words(&packets->inner, command_lines_find(tracks->commands, known_tgid));
	message_part(&packets->part, TREE_PROCESS, &packets->inner);
	return 0;
}

/* Writes a thread's process, ids and name as they are at a time. */
static int put_thread(struct tracks *tracks, u32 thread, u64 time)
{
	const struct stays_thread *row = &tracks->stays->threads.rows[thread];
	struct packets *packets = tracks->packets;
	s32 tid = trace_tid(tracks->stays, thread), tgid = trace_tgid(tracks->stays, thread);

	if (put_process(tracks, tgid, row->key.tgid))
		return -1;
	message_number(&packets->inner, THREAD_TID, tid);
	packets_name(&packets->inner, THREAD_NAME, row->comm, comm_len(row->comm));
	message_number(&packets->inner, THREAD_TGID, tgid);
	message_part(&packets->part, TREE_THREAD, &packets->inner);
	message_number(&packets->packet, PACKET_TIMESTAMP, time);
	message_part(&packets->packet, PACKET_PROCESS_TREE, &packets->part);
	if (packets_put(packets))
		return -1;
	if (tracks->threads[thread].known)
		return 0;
	message_number(&packets->inner, TRACK_THREAD_PID, tgid);
	message_number(&packets->inner, TRACK_THREAD_TID, tid);
	message_part(&packets->part, TRACK_THREAD, &packets->inner);
	return put_track(tracks, THREAD_TRACK(thread), 0, NULL);
}

/* Writes what is new of a thread. */
static int know_thread(struct tracks *tracks, u32 thread, u64 time)
{
	const u8 *comm = tracks->stays->threads.rows[thread].comm;
	struct track_thread *known;

	if (array_grow_zeroed(&tracks->threads, &tracks->thread_room, thread,
			      sizeof(*tracks->threads)))
		return -1;
	known = &tracks->threads[thread];
	if (known->known && !memcmp(known->comm, comm, GAPP_COMM_LEN))
		return 0;
	if (put_thread(tracks, thread, time))
		return -1;
	known->known = true;
	memcpy(known->comm, comm, GAPP_COMM_LEN);
	return 0;
}

/* Writes where a thread ran in the event that is being made. */
static void put_ran(struct tracks *tracks, const struct stay *stay,
		    const struct interned_path *path)
{
	struct message *event = &tracks->packets->part;

	message_number(event, EVENT_NAME, path->name ?: tracks->ran);
	message_number(event, EVENT_CATEGORY, CATEGORY_RAN);
	put_argument(tracks, ARGUMENT_CPU, stay->cpu);
	if (stay->critical_ns > 0) {
		message_number(event, EVENT_CATEGORY, CATEGORY_CRITICAL);
		put_argument(tracks, ARGUMENT_CRITICAL, stay->critical_ns);
	}
	put_argument(tracks, ARGUMENT_ACTIVE, stay->n);
}

int tracks_take_stay(struct tracks *tracks, const struct stay *stay)
{
	u64 track = THREAD_TRACK(stay->thread);
	struct message *event = &tracks->packets->part;
	struct interned_path path = { 0 };

	/* what Perfetto shows by the scheduling */
	if (stay->kind == STAY_SPUN || stay->kind == STAY_READY)
		return 0;
	if (know_thread(tracks, stay->thread, stay->begin))
		return -1;
	if (stay->kind != STAY_UNKNOWN && interned_path(&tracks->interned, stay, &path))
		return -1;
	begin_event(tracks, EVENT_IS_BEGIN, track);
	if (stay->kind == STAY_RAN) {
		put_ran(tracks, stay, &path);
	} else if (stay->kind == STAY_WAITED) {
		message_number(event, EVENT_NAME, tracks->waits[stay->reason]);
		message_number(event, EVENT_CATEGORY, CATEGORY_WAIT);
	} else {
		message_number(event, EVENT_NAME, tracks->not_known);
		message_number(event, EVENT_CATEGORY, CATEGORY_LOST);
	}
	message_number(event, EVENT_CALLSTACK, path.callstack);
	if (put_event(tracks, stay->begin))
		return -1;
	begin_event(tracks, EVENT_IS_END, track);
	return put_event(tracks, stay->end);
}

static int put_counter_track(struct tracks *tracks, u64 track, s32 tgid, const char *name, u32 unit)
{
	struct packets *packets = tracks->packets;

	if (tracks->apart && tgid > 0) {
		message_number(&packets->inner, TRACK_PROCESS_PID, tgid);
		message_part(&packets->part, TRACK_PROCESS, &packets->inner);
	}
	message_number(&packets->inner, COUNTER_UNIT, unit);
	message_part(&packets->part, TRACK_COUNTER, &packets->inner);
	return put_track(tracks, track, 0, name);
}

/* The number of a target, which has tracks then; HASH_NONE: no memory. */
static u32 target_of(struct tracks *tracks, u32 target, s32 tgid)
{
	const struct track_target key = { .key = { target } };
	u32 number = keyed_find(&tracks->targets, &key.key);

	if (number != HASH_NONE)
		return number;
	number = keyed_add(&tracks->targets, &key.key);
	if (number == HASH_NONE ||
	    put_counter_track(tracks, ACTIVE_TRACK(target), tgid, "active threads",
			      COUNTED_THINGS) ||
	    put_counter_track(tracks, CRITICAL_TRACK(target), tgid, "critical time so far",
			      COUNTED_NS))
		return HASH_NONE;
	return number;
}

static int put_counter(struct tracks *tracks, u64 track, u64 time, u64 value)
{
	begin_event(tracks, EVENT_IS_COUNTER, track);
	message_given(&tracks->packets->part, EVENT_COUNTER, value);
	return put_event(tracks, time);
}

static int take_slice(struct tracks *tracks, const struct gapp_record_slice *slice)
{
	u32 number = target_of(tracks, slice->target, slice->tgid);
	struct track_target *target;

	if (number == HASH_NONE)
		return -1;
	target = &tracks->targets.rows[number];
	if (slice->critical_share) {
		target->critical_ns += (double)slice->critical_share / (1 << GAPP_SHARE_SHIFT);
		if (put_counter(tracks, CRITICAL_TRACK(slice->target), slice->head.time_ns,
				target->critical_ns))
			return -1;
	}
	if (slice->flags & GAPP_SLICE_REST)
		return 0;
	return put_counter(tracks, ACTIVE_TRACK(slice->target), slice->head.time_ns, slice->n);
}

int tracks_take_record(struct tracks *tracks, const struct gapp_record *record)
{
	const struct gapp_record_wake *wake = (const struct gapp_record_wake *)record;

	if (record->type == GAPP_RECORD_SLICE)
		return take_slice(tracks, (const struct gapp_record_slice *)record);
	if (record->type != GAPP_RECORD_WAKE)
		return 0;
	if (target_of(tracks, wake->target, wake->tgid) == HASH_NONE)
		return -1;
	return put_counter(tracks, ACTIVE_TRACK(wake->target), record->time_ns, wake->n);
}

/* Makes a CPU's track of lost records. */
static int know_cpu(struct tracks *tracks, u32 cpu)
{
	char name[32];

	if (array_grow_zeroed(&tracks->lost, &tracks->lost_room, cpu, sizeof(*tracks->lost)))
		return -1;
	if (tracks->lost[cpu])
		return 0;
	if (!tracks->any_lost && put_track(tracks, TRACK_LOST, 0, "lost records"))
		return -1;
	tracks->any_lost = true;
	tracks->lost[cpu] = true;
	snprintf(name, sizeof(name), "of CPU %u", cpu);
	return put_track(tracks, LOST_TRACK(cpu), TRACK_LOST, name);
}

int tracks_take_lost(struct tracks *tracks, const struct gapp_record_lost *lost)
{
	struct message *event = &tracks->packets->part;
	u32 cpu = lost->head.cpu;
	u64 since = lost->since_ns < lost->head.time_ns ? lost->since_ns : lost->head.time_ns;

	if (cpu >= STAYS_CPUS_MAX)
		return 0;
	if (know_cpu(tracks, cpu))
		return -1;
	begin_event(tracks, EVENT_IS_BEGIN, LOST_TRACK(cpu));
	message_number(event, EVENT_NAME, tracks->records_lost);
	message_number(event, EVENT_CATEGORY, CATEGORY_LOST);
	put_argument(tracks, ARGUMENT_RECORDS, lost->records);
	if (put_event(tracks, since))
		return -1;
	begin_event(tracks, EVENT_IS_END, LOST_TRACK(cpu));
	return put_event(tracks, lost->head.time_ns);
}

void tracks_free(struct tracks *tracks)
{
	interned_free(&tracks->interned);
	keyed_free(&tracks->targets);
	keyed_free(&tracks->processes);
	free(tracks->threads);
	free(tracks->lost);
}
