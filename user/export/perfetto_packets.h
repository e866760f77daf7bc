/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets of Perfetto's trace.proto, https://perfetto.dev/docs/reference/trace-packet-proto: what
 * all of them have, and the numbers of their fields.
 */
#ifndef GAPP_READ_PERFETTO_PACKETS_H
#define GAPP_READ_PERFETTO_PACKETS_H

#include "message.h"

enum {
	PACKET_FTRACE = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCKS = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_SYSTEM = 45,
	PACKET_TRACK = 60,
	PACKET_ATTRIBUTES = 126,
};

enum { CLOCKS_CLOCK = 1, CLOCKS_PRIMARY };
enum { CLOCK_ID = 1, CLOCK_TIME };
/* Ids of clocks. */
enum { CLOCK_IS_MONOTONIC = 3, CLOCK_IS_BOOTTIME = 6 };

enum { SYSTEM_UTSNAME = 1 };
enum { UTSNAME_SYSNAME = 1, UTSNAME_RELEASE = 3, UTSNAME_MACHINE };

enum { ATTRIBUTES_ATTRIBUTE = 1 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_TEXT = 3 };

enum { TREE_PROCESS = 1, TREE_THREAD };
enum { PROCESS_PID = 1, PROCESS_COMMAND = 3 };
enum { THREAD_TID = 1, THREAD_NAME, THREAD_TGID };

enum { BUNDLE_CPU = 1, BUNDLE_EVENT, BUNDLE_LOST };
enum { FTRACE_TIME = 1, FTRACE_PID, FTRACE_SWITCH = 4, FTRACE_FLAGS, FTRACE_WAKING = 20 };
enum {
	SWITCH_PREV_COMM = 1,
	SWITCH_PREV_PID,
	SWITCH_PREV_PRIO,
	SWITCH_PREV_STATE,
	SWITCH_NEXT_COMM,
	SWITCH_NEXT_PID,
	SWITCH_NEXT_PRIO,
};

enum { WAKING_COMM = 1, WAKING_PID, WAKING_PRIO };

enum {
	TRACK_UUID = 1,
	TRACK_NAME,
	TRACK_PROCESS,
	TRACK_THREAD,
	TRACK_PARENT,
	TRACK_COUNTER = 8,
};

enum { TRACK_PROCESS_PID = 1 };
enum { TRACK_THREAD_PID = 1, TRACK_THREAD_TID };
enum { COUNTER_UNIT = 3 };
/* Units. */
enum { COUNTED_NS = 1, COUNTED_THINGS };

enum {
	EVENT_CATEGORY = 3,
	EVENT_ARGUMENT,
	EVENT_TYPE = 9,
	EVENT_NAME,
	EVENT_TRACK,
	EVENT_COUNTER = 30,
	EVENT_DOUBLE_COUNTER = 44,
	EVENT_CALLSTACK = 56,
};

/* Types of events. */
enum { EVENT_IS_BEGIN = 1, EVENT_IS_END, EVENT_IS_INSTANT, EVENT_IS_COUNTER };

enum { ARGUMENT_NAME = 1, ARGUMENT_NUMBER = 3, ARGUMENT_TEXT = 6, ARGUMENT_OWN_NAME = 10 };

enum {
	INTERNED_CATEGORY = 1,
	INTERNED_NAME,
	INTERNED_ARGUMENT,
	INTERNED_FUNCTION = 5,
	INTERNED_FRAME,
	INTERNED_CALLSTACK,
	INTERNED_BUILD_ID = 16,
	INTERNED_PATH,
	INTERNED_SOURCE,
	INTERNED_MAPPING,
};

/* Of all that is interned, but frames and mappings, the text or the list is the second field. */
enum { INTERNED_ID = 1, INTERNED_TEXT };
enum {
	FRAME_ID = 1,
	FRAME_FUNCTION,
	FRAME_MAPPING,
	FRAME_ADDRESS,
	FRAME_SOURCE,
	FRAME_LINE,
};

enum { MAPPING_ID = 1, MAPPING_BUILD_ID, MAPPING_PATH = 7 };

/* What a packet says of the numbers of texts and call paths that it uses. */
enum { SEQUENCE_BEGINS = 1, SEQUENCE_GOES_ON };

/**
 * struct packets - the file that is being written
 * @out: the stream
 * @packet: the packet that is being made
 * @part: a part of it
 * @inner: a part of that
 * @innermost: a part of that
 * @head: key and size of a packet
 */
struct packets {
	FILE *out;
	struct message packet;
	struct message part;
	struct message inner;
	struct message innermost;
	struct message head;
};

/* Writes the packet, and empties it. Returns 0, or -1 without memory or if @out has failed. */
int packets_put(struct packets *packets);
/* As packets_put(), of a packet whose numbers are those of the packets before. */
int packets_put_next(struct packets *packets);
void packets_free(struct packets *packets);

/* Adds a text of any bytes as UTF-8 without controls. */
void packets_name(struct message *message, u32 field, const void *name, size_t size);

#endif /* GAPP_READ_PERFETTO_PACKETS_H */
