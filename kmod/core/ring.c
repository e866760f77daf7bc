// SPDX-License-Identifier: GPL-2.0
/* The producer's half of a ring: room, padding, publishing, and what was lost. */
#include "ring.h"

/* Of a PAD record only this much is certain to be there: type, size and cpu. */
#define PAD_HEAD 8

/**
 * gapp_ring_init() - an empty ring
 * @ring: the ring
 * @data: @bytes of zeroed memory, shared with the reader; aligned to 8
 * @bytes: a power of two, at least 128
 * @cpu: number for the records' heads
 * @shared: zeroed; the begin of the ring's mapping
 * @read_position: the read position
 */
void gapp_ring_init(struct gapp_ring_writer *ring, u8 *data, u32 bytes, u32 cpu,
		    struct gapp_ring *shared, const u64 *read_position)
{
	memset(ring, 0, sizeof(*ring));
	ring->data = data;
	ring->bytes = bytes;
	ring->cpu = cpu;
	ring->shared = shared;
	ring->read_position = read_position;
}

/* A read position that cannot be makes a full ring: what was not read is never written over. */
static u32 used_by(const struct gapp_ring_writer *ring, u64 read_position)
{
	u64 used = ring->head - read_position;

	return used > ring->bytes ? ring->bytes : used;
}

/* Bytes to skip at @head so that a record of @size is not wrapped. */
static u32 padding(const struct gapp_ring_writer *ring, u64 head, u32 size)
{
	u32 rest = ring->bytes - (head & (ring->bytes - 1));

	return rest < size ? rest : 0;
}

static void *put_head(struct gapp_ring_writer *ring, u64 head, u16 type, u32 size, u64 time_ns)
{
	struct gapp_record *record = (void *)(ring->data + (head & (ring->bytes - 1)));

	record->type = type;
	record->size = size;
	record->cpu = ring->cpu;
	record->time_ns = time_ns;
	return record;
}

static void put_pad(struct gapp_ring_writer *ring, u64 head, u32 size)
{
	struct gapp_record pad = { .type = GAPP_RECORD_PAD, .size = size, .cpu = ring->cpu };

	memcpy(ring->data + (head & (ring->bytes - 1)), &pad, PAD_HEAD);
}

/*
 * Takes effect at once for the producer, and for the reader with the next commit: so the losses are
 * told even if the reservation that comes with it is not used.
 */
static void put_lost(struct gapp_ring_writer *ring, u32 pad, u64 time_ns)
{
	struct gapp_record_lost *record;

	if (pad)
		put_pad(ring, ring->head, pad);
	record = put_head(ring, ring->head + pad, GAPP_RECORD_LOST, sizeof(*record), time_ns);
	record->records = ring->lost - ring->reported.lost;
	record->critical_share = ring->lost_critical_share - ring->reported.lost_critical_share;
	record->wait_ns = ring->lost_wait_ns - ring->reported.lost_wait_ns;
	record->since_ns = ring->lost_since_ns;

	ring->reported.lost = ring->lost;
	ring->reported.lost_critical_share = ring->lost_critical_share;
	ring->reported.lost_wait_ns = ring->lost_wait_ns;
	ring->head += pad + sizeof(*record);
}

static bool is_size(const struct gapp_ring_writer *ring, u32 size)
{
	return size >= sizeof(struct gapp_record) && size <= 0xfff8 && size <= ring->bytes / 4 &&
	       size % 8 == 0;
}

/**
 * gapp_ring_reserve() - room for a record
 * @ring: the ring; interrupts are off until gapp_ring_commit()
 * @type: enum gapp_record_type
 * @size: bytes of the whole record: a multiple of 8, at most 64 KiB - 8 and a quarter of the ring
 * @time_ns: CLOCK_MONOTONIC
 *
 * Losses that no record has told yet are told in a LOST record before it. The next call takes back
 * a reservation that was not committed.
 *
 * Return: the record, its head filled in and the rest undefined; NULL: there is no room, and the
 * caller says what is lost by gapp_ring_lose().
 */
void *gapp_ring_reserve(struct gapp_ring_writer *ring, u16 type, u32 size, u64 time_ns)
{
	const bool untold = ring->lost != ring->reported.lost;
	u32 lost_pad = 0, lost_size = 0, pad, used;

	ring->reserved = 0;
	if (!is_size(ring, size))
		return NULL;
	if (untold) {
		lost_pad = padding(ring, ring->head, sizeof(struct gapp_record_lost));
		lost_size = lost_pad + sizeof(struct gapp_record_lost);
	}
	pad = padding(ring, ring->head + lost_size, size);

	/* Acquire: what the reader has read is written over only after it has read it. */
	used = used_by(ring, smp_load_acquire(ring->read_position));
	if (lost_size + pad + size > ring->bytes - used)
		return NULL;

	if (untold)
		put_lost(ring, lost_pad, time_ns);
	if (pad)
		put_pad(ring, ring->head, pad);
	ring->reserved = pad + size;
	return put_head(ring, ring->head + pad, type, size, time_ns);
}

/**
 * gapp_ring_commit() - the reserved record is complete: the reader may have it
 * @ring: the ring
 */
void gapp_ring_commit(struct gapp_ring_writer *ring)
{
	if (!ring->reserved)
		return;
	ring->head += ring->reserved;
	ring->reserved = 0;
	ring->records++;
	/* Release: the record is there before the head says so. */
	smp_store_release(&ring->shared->write_position, ring->head);
}

/**
 * gapp_ring_lose() - a record found no room
 * @ring: the ring
 * @share: critical share in it
 * @wait_ns: time with nobody active in it
 * @time_ns: its time
 */
void gapp_ring_lose(struct gapp_ring_writer *ring, u64 share, u64 wait_ns, u64 time_ns)
{
	if (ring->lost == ring->reported.lost)
		ring->lost_since_ns = time_ns;
	ring->lost++;
	ring->lost_critical_share += share;
	ring->lost_wait_ns += wait_ns;
	/* a CPU that came later has no ring, and all of its records are lost */
	if (!ring->shared)
		return;
	WRITE_ONCE(ring->shared->lost, ring->lost);
	WRITE_ONCE(ring->shared->lost_critical_share, ring->lost_critical_share);
	WRITE_ONCE(ring->shared->lost_wait_ns, ring->lost_wait_ns);
}

/**
 * gapp_ring_used() - how full a ring is
 * @ring: the ring
 *
 * Return: bytes that the reader has not taken yet; all of them if the read position makes no sense.
 */
u32 gapp_ring_used(const struct gapp_ring_writer *ring)
{
	return used_by(ring, READ_ONCE(*ring->read_position));
}
