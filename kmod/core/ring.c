// SPDX-License-Identifier: GPL-2.0
/* The producer's half of a ring: reserves, pads and publishes records, and counts lost ones. */
#include "ring.h"

/* Bytes of a PAD record that always fit: type, size and cpu. */
#define PAD_HEAD 8

/**
 * gapp_ring_init() - make an empty ring
 * @ring: the ring
 * @data: zeroed memory for the records, aligned to 8
 * @bytes: size of @data, a power of two, at least 128
 * @cpu: number of the CPU, for record heads
 * @shared: zeroed begin of the mapping
 * @read_position: where the reader stores its position
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

/* An impossible read position makes the ring full, so no unread record is overwritten. */
static u32 used_by(const struct gapp_ring_writer *ring, u64 read_position)
{
	u64 used = ring->head - read_position;

	return used > ring->bytes ? ring->bytes : used;
}

/* Bytes to skip at @head so that a record of @size bytes does not wrap. */
static u32 padding(const struct gapp_ring_writer *ring, u64 head, u32 size)
{
	u32 rest = ring->bytes - (head & (ring->bytes - 1));

	return rest < size ? rest : 0;
}

static void *put_head(struct gapp_ring_writer *ring, u64 head, u16 type, u32 size, u64 time_ns)
{
	struct gapp_record *record = (void *)(ring->data + (head & (ring->bytes - 1)));

	/* there was room: callers need not ask again whether there is a record */
	if (!record)
		__builtin_unreachable();
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
	/* Other CPUs read the position. */
	WRITE_ONCE(ring->head, ring->head + pad + sizeof(*record));
}

static bool is_size(u32 size)
{
	return size >= sizeof(struct gapp_record) && size <= 0xfff8 && size % 8 == 0;
}

/*
 * Notes how far the ring is clear if it has room up to @room: at most a sixteenth of it, so that
 * the writer looks often enough how full the ring is.
 */
static void note_clear(struct gapp_ring_writer *ring, u64 room)
{
	const u64 lap = (ring->head & ~(u64)(ring->bytes - 1)) + ring->bytes;
	const u64 most = ring->head + ring->bytes / 16;

	ring->clear = room < lap ? room : lap;
	if (ring->clear > most)
		ring->clear = most;
}

/*
 * Looks at the read position, and writes what is to come before the record: LOST, PAD. They stay in
 * the ring even if the reservation is not committed; the reader sees them with the next commit.
 */
static __noinline void *reserve_anywhere(struct gapp_ring_writer *ring, u16 type, u32 size,
					 u64 time_ns)
{
	const bool unreported = ring->lost != ring->reported.lost;
	u32 lost_pad = 0, lost_size = 0, pad, used;
	u64 room;

	ring->clear = 0;
	if (!is_size(size) || size > ring->bytes / 4)
		return NULL;
	if (unreported) {
		lost_pad = padding(ring, ring->head, sizeof(struct gapp_record_lost));
		lost_size = lost_pad + sizeof(struct gapp_record_lost);
	}
	pad = padding(ring, ring->head + lost_size, size);

	/* Acquire: the reader has read a record before this CPU overwrites it. */
	used = used_by(ring, smp_load_acquire(ring->read_position));
	if (lost_size + pad + size > ring->bytes - used)
		return NULL;

	room = ring->head - used + ring->bytes;
	if (unreported)
		put_lost(ring, lost_pad, time_ns);
	if (pad) {
		put_pad(ring, ring->head, pad);
		WRITE_ONCE(ring->head, ring->head + pad);
	}
	note_clear(ring, room);
	return put_head(ring, ring->head, type, size, time_ns);
}

/**
 * gapp_ring_reserve() - find room for a record
 * @ring: ring of this CPU; interrupts are off until gapp_ring_commit()
 * @type: enum gapp_record_type
 * @size: bytes of the whole record: a multiple of 8, at most 64 KiB - 8 and a quarter of the ring
 * @time_ns: CLOCK_MONOTONIC of the record, in nanoseconds
 *
 * It writes a LOST record first if losses are not yet reported. The next call reuses the room of a
 * reservation that was not committed.
 *
 * Return: the record with its head filled in; NULL if there is no room: the caller then calls
 * gapp_ring_lose().
 */
void *gapp_ring_reserve(struct gapp_ring_writer *ring, u16 type, u32 size, u64 time_ns)
{
	if (unlikely(!gapp_ring_is_clear(ring, size) || !is_size(size)))
		return reserve_anywhere(ring, type, size, time_ns);
	return put_head(ring, ring->head, type, size, time_ns);
}

/**
 * gapp_ring_commit() - publish the record that was reserved last
 * @ring: ring of this CPU
 * @size: bytes of the record, as reserved
 */
void gapp_ring_commit(struct gapp_ring_writer *ring, u32 size)
{
	const u64 head = ring->head + size;

	WRITE_ONCE(ring->head, head);
	gapp_count(ring->records, 1);
	/* Release: the record is complete before the write position includes it. */
	smp_store_release(&ring->shared->write_position, head);
}

/**
 * gapp_ring_lose() - count a record that found no room
 * @ring: ring of this CPU
 * @share: critical share in the record, in shares
 * @wait_ns: nanoseconds with no active thread in the record
 * @time_ns: CLOCK_MONOTONIC of the record, in nanoseconds
 */
void gapp_ring_lose(struct gapp_ring_writer *ring, u64 share, u64 wait_ns, u64 time_ns)
{
	if (ring->lost == ring->reported.lost)
		ring->lost_since_ns = time_ns;
	gapp_count(ring->lost, 1);
	gapp_count(ring->lost_critical_share, share);
	gapp_count(ring->lost_wait_ns, wait_ns);
	/* The next record comes after a LOST record. */
	ring->clear = 0;
	/* A CPU that came online after CONFIGURE has no ring. */
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
 * Return: bytes that the reader has not read; the whole ring if the read position is impossible.
 */
u32 gapp_ring_used(const struct gapp_ring_writer *ring)
{
	return used_by(ring, READ_ONCE(*ring->read_position));
}
