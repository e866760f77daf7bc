// SPDX-License-Identifier: GPL-2.0
/* Writes records into this CPU's ring. Interrupts are off. */
#include "buffers.h"

/**
 * gapp_record_time() - the time that a record is given
 * @writer: this CPU's writer
 * @session_time: nanoseconds of session time
 *
 * The integrals of two targets may differ by nanoseconds, but records of one ring are in the order
 * of time.
 *
 * Return: CLOCK_MONOTONIC in nanoseconds, not less than the time of the record before.
 */
u64 gapp_record_time(struct gapp_writer *writer, u64 session_time)
{
	u64 time_ns = gapp_clock_of(writer->threads, session_time);

	writer->last_ns = max(writer->last_ns, time_ns);
	return writer->last_ns;
}

/* Each time the ring has become half full, irq_work wakes the reader. */
static noinline void look(struct gapp_writer *writer)
{
	const struct gapp_ring_writer *ring = &writer->ring;

	if (!ring->data)
		return;
	if (gapp_ring_used(ring) < ring->bytes / 2) {
		writer->half_full = false;
	} else if (!writer->half_full) {
		writer->half_full = true;
		irq_work_queue(&writer->buffers->half_full);
	}
}

/**
 * gapp_record_reserve() - room for a record
 * @writer: this CPU's writer
 * @type: enum gapp_record_type
 * @size: bytes of the record
 * @time_ns: of gapp_record_time()
 * @share: critical share that is lost if there is no room
 * @wait_ns: time of waits, in nanoseconds, that is lost if there is no room
 *
 * Return: the record, to be filled in before gapp_record_commit(); or NULL, and it counts as lost.
 */
void *gapp_record_reserve(struct gapp_writer *writer, u16 type, u32 size, u64 time_ns, u64 share,
			  u64 wait_ns)
{
	struct gapp_ring_writer *ring = &writer->ring;
	void *record = NULL;

	if (unlikely(!gapp_ring_is_clear(ring, size)))
		look(writer);
	if (likely(gapp_ring_is_clear(ring, size) || ring->data))
		record = gapp_ring_reserve(ring, type, size, time_ns);
	if (unlikely(!record))
		gapp_ring_lose(ring, share, wait_ns, time_ns);
	return record;
}

/* Whether a record other than a slice or wait has room: such records fill half a ring at most. */
bool gapp_record_may(const struct gapp_writer *writer, u32 size)
{
	const struct gapp_ring_writer *ring = &writer->ring;

	return ring->data && gapp_ring_used(ring) + size <= ring->bytes / 2;
}

/* Reserves room for such a record; NULL: there is none, and no loss is counted. */
void *gapp_record_try(struct gapp_writer *writer, u16 type, u32 size, u64 time_ns)
{
	if (!gapp_ring_is_clear(&writer->ring, size))
		look(writer);
	if (!gapp_record_may(writer, size))
		return NULL;
	return gapp_ring_reserve(&writer->ring, type, size, time_ns);
}

/*
 * Such a record found no room: irq_work wakes the reader, though the ring is not half full. Once,
 * until a quarter of the ring is read.
 */
void gapp_record_ask(struct gapp_writer *writer)
{
	const struct gapp_ring_writer *ring = &writer->ring;

	if (!ring->data)
		return;
	if (gapp_ring_used(ring) < ring->bytes / 4) {
		writer->asked = false;
	} else if (!writer->asked) {
		writer->asked = true;
		WRITE_ONCE(writer->buffers->ticked, true);
		irq_work_queue(&writer->buffers->half_full);
	}
}

/* Publishes the record that was reserved last, of @size bytes. */
void gapp_record_commit(struct gapp_writer *writer, u32 size)
{
	gapp_ring_commit(&writer->ring, size);
}
