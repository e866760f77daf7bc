/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring with a producer and a reader that any bytes can drive; after each step all that must
 * hold is compared with a second opinion. For the property test and the fuzzer.
 */
#ifndef GAPP_RING_CHECK_H
#define GAPP_RING_CHECK_H

#include "ring.h"

#define RING_CHECK_BYTES 512
#define RING_CHECK_STEP 4

/**
 * struct ring_reader - reads what a ring's producer writes, and believes nothing
 * @data: the ring's data
 * @shared: the begin of its mapping
 * @bytes: size of @data
 * @tail: how far it has read
 * @next: number of the next record: records are numbered, lost ones too
 * @lost: of them were lost, says the stream
 * @share: in these
 * @wait_ns: in these
 * @time_ns: of the last record
 */
struct ring_reader {
	const u8 *data;
	const struct gapp_ring *shared;
	u32 bytes;
	u64 tail;
	u64 next;
	u64 lost, share, wait_ns;
	u64 time_ns;
};

/**
 * struct ring_check - a ring under test
 * @ring: the ring
 * @shared: its begin
 * @tail: the reader's tail, or what it claims to be
 * @given: up to here a tail has at some time given room
 * @reader: the reader
 * @attempts: records, the lost ones included
 * @time_ns: now
 * @hostile: the tail is not the reader's
 * @data: the ring's data
 * @before: the same before the step
 */
struct ring_check {
	struct gapp_ring_writer ring;
	struct gapp_ring shared;
	u64 tail;
	u64 given;
	struct ring_reader reader;
	u64 attempts;
	u64 time_ns;
	bool hostile;
	u8 *data;
	u8 before[RING_CHECK_BYTES];
};

/* Writes record @number of so many bytes, at least 24, or loses it. */
void ring_put(struct gapp_ring_writer *ring, u64 number, u32 size, u64 time_ns);
/* Reads one record. *@wrong is set if it is not as it must be. Returns false if there is none. */
bool ring_read(struct ring_reader *reader, const char **wrong);

/* @data: RING_CHECK_BYTES of memory of their own, so that a sanitizer guards their end. */
void ring_check_init(struct ring_check *check, u8 *data);
/* What RING_CHECK_STEP bytes say. Returns what is wrong, or NULL. */
const char *ring_check_step(struct ring_check *check, const u8 *bytes);
/* Reads the rest: every record was read, or told to be lost, or will be. */
const char *ring_check_end(struct ring_check *check);

#endif /* GAPP_RING_CHECK_H */
