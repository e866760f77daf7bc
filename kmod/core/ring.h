/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The producer's half of a ring of records (see <gapp_record.h>): one CPU writes
 * with interrupts off, one reader maps the ring. The producer trusts only its
 * private state: it loads the read position now and then, and takes the ring as
 * full if that position is impossible.
 */
#ifndef GAPP_CORE_RING_H
#define GAPP_CORE_RING_H

#include <gapp_record.h>

#include "port.h"

/**
 * struct gapp_ring_writer - private state of the producer
 * @data: memory of the records, which the reader maps; NULL: every record is lost
 * @shared: begin of the mapping; the producer writes it and never reads it back
 * @read_position: where the reader stores its position; may have any value
 * @bytes: bytes of @data, a power of two
 * @cpu: number of the CPU, for record heads
 * @head: number of bytes written so far
 * @clear: up to this position records have room, in one piece, whatever the reader does; less
 *	than @head: unknown
 * @lost: number of records that found no room
 * @lost_critical_share: critical share in these records, in shares
 * @lost_wait_ns: nanoseconds with no active thread in these records
 * @reported: values of the three members above that LOST records have reported
 * @lost_since_ns: CLOCK_MONOTONIC of the first lost record not yet reported, in nanoseconds
 * @records: number of records written, without PAD and LOST
 */
struct gapp_ring_writer {
	u8 *data;
	struct gapp_ring *shared;
	const u64 *read_position;
	u32 bytes;
	u32 cpu;
	u64 head;
	u64 clear;
	u64 lost;
	u64 lost_critical_share;
	u64 lost_wait_ns;
	struct {
		u64 lost;
		u64 lost_critical_share;
		u64 lost_wait_ns;
	} reported;
	u64 lost_since_ns;
	u64 records;
};

/**
 * gapp_ring_is_clear() - whether a record has room for certain
 * @ring: the ring
 * @size: bytes of the record
 *
 * Return: true if gapp_ring_reserve() needs no look at the read position.
 */
static inline bool gapp_ring_is_clear(const struct gapp_ring_writer *ring, u32 size)
{
	return ring->head + size <= ring->clear;
}

void gapp_ring_init(struct gapp_ring_writer *ring, u8 *data, u32 bytes, u32 cpu,
		    struct gapp_ring *shared, const u64 *read_position);
void *gapp_ring_reserve(struct gapp_ring_writer *ring, u16 type, u32 size, u64 time_ns);
void gapp_ring_commit(struct gapp_ring_writer *ring, u32 size);
void gapp_ring_lose(struct gapp_ring_writer *ring, u64 share, u64 wait_ns, u64 time_ns);
u32 gapp_ring_used(const struct gapp_ring_writer *ring);

#endif /* GAPP_CORE_RING_H */
