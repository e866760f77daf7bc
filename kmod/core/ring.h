/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The producer's half of a ring of records (see <gapp_record.h>): one producer
 * with interrupts off, one reader in another address space. What the producer
 * needs to be right is private to it; the read position is read once for each
 * record and believed only as far as it makes sense.
 */
#ifndef GAPP_CORE_RING_H
#define GAPP_CORE_RING_H

#include <gapp_record.h>

#include "port.h"

/**
 * struct gapp_ring_writer - a ring as its producer has it
 * @data: @bytes of memory, shared with the reader
 * @shared: the begin of the ring's mapping; written, never read back
 * @read_position: the read position, hostile
 * @bytes: size of @data, a power of two
 * @cpu: number for the records' heads
 * @head: bytes ever written
 * @reserved: of them by a reservation that is not committed
 * @lost: records that found no room, ever
 * @lost_critical_share: critical share in them
 * @lost_wait_ns: time with nobody active in them
 * @reported: the same three as of the last LOST record in the stream
 * @lost_since_ns: time of the first lost record since then
 * @records: records written, ever, PAD and LOST not counted
 */
struct gapp_ring_writer {
	u8 *data;
	struct gapp_ring *shared;
	const u64 *read_position;
	u32 bytes;
	u32 cpu;
	u64 head;
	u64 reserved;
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

void gapp_ring_init(struct gapp_ring_writer *ring, u8 *data, u32 bytes, u32 cpu,
		    struct gapp_ring *shared, const u64 *read_position);
void *gapp_ring_reserve(struct gapp_ring_writer *ring, u16 type, u32 size, u64 time_ns);
void gapp_ring_commit(struct gapp_ring_writer *ring);
void gapp_ring_lose(struct gapp_ring_writer *ring, u64 share, u64 wait_ns, u64 time_ns);
u32 gapp_ring_used(const struct gapp_ring_writer *ring);

#endif /* GAPP_CORE_RING_H */
