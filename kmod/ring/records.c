// SPDX-License-Identifier: GPL-2.0
/* Room for a record in this CPU's ring, and who it is about. */
#include "buffers.h"
#include "records.h"

/* Records of one ring are in the order of time; threads' accumulators may differ by nanoseconds. */
u64 gapp_record_time(struct gapp_cpu *cpu, u64 session_time)
{
	u64 time_ns = gapp_clock_of(cpu->session, session_time);

	cpu->last_ns = max(cpu->last_ns, time_ns);
	return cpu->last_ns;
}

/* Room for a record; NULL: there is none, and what is in it is counted as lost. */
void *gapp_record_reserve(struct gapp_cpu *cpu, u16 type, u32 size, u64 time_ns, u64 share,
			  u64 wait_ns)
{
	void *record = cpu->ring.data ? gapp_ring_reserve(&cpu->ring, type, size, time_ns) : NULL;

	if (!record)
		gapp_ring_lose(&cpu->ring, share, wait_ns, time_ns);
	return record;
}

/* Whether what the others can do without may be told: they are left half of the ring. */
bool gapp_record_may(const struct gapp_cpu *cpu, u32 size)
{
	return cpu->ring.data && gapp_ring_used(&cpu->ring) + size <= cpu->ring.bytes / 2;
}

/* Room for it. */
void *gapp_record_try(struct gapp_cpu *cpu, u16 type, u32 size, u64 time_ns)
{
	if (!gapp_record_may(cpu, size))
		return NULL;
	return gapp_ring_reserve(&cpu->ring, type, size, time_ns);
}

/* On the way through a ring it is looked at so often how full that is. */
#define LOOKS 16

/* The reader is woken from irq_work once for every time a ring becomes half full. */
void gapp_record_commit(struct gapp_cpu *cpu)
{
	struct gapp_buffers *buffers = cpu->session->buffers;
	const u64 before = cpu->ring.head;
	u32 half = cpu->ring.bytes / 2;

	gapp_ring_commit(&cpu->ring);
	if ((before ^ cpu->ring.head) < cpu->ring.bytes / LOOKS)
		return;
	if (gapp_ring_used(&cpu->ring) < half) {
		cpu->half_full = false;
	} else if (!cpu->half_full) {
		cpu->half_full = true;
		irq_work_queue(&buffers->half_full);
	}
}
