// SPDX-License-Identifier: GPL-2.0
/* Records of all rings in the order of time. */
#include "rings_int.h"

void rings_pass(struct rings *rings, u16 type)
{
	rings->given &= ~(1U << type);
}

/* What has been read may be written over from now on. */
static void publish(struct ring *ring)
{
	if (ring->told == ring->position)
		return;
	__atomic_store_n(ring->tail, ring->position, __ATOMIC_RELEASE);
	ring->told = ring->position;
}

/* The least that a record of a type has; the last one is of a type that nobody here knows. */
static const u16 least_sizes[TYPES + 1] = {
	[GAPP_RECORD_PAD] = sizeof(u64),
	[GAPP_RECORD_SLICE] = sizeof(struct gapp_record_slice),
	[GAPP_RECORD_WAIT] = sizeof(struct gapp_record_wait),
	[GAPP_RECORD_LOST] = sizeof(struct gapp_record_lost),
	[GAPP_RECORD_WAKE] = sizeof(struct gapp_record_wake),
	[GAPP_RECORD_STACK_COPY] = sizeof(struct gapp_record_stack_copy),
	[GAPP_RECORD_NEED_MAPPING] = sizeof(struct gapp_record_need_mapping),
	[TYPES] = sizeof(struct gapp_record),
};

static inline u32 type_of(const struct gapp_record *record)
{
	return record->type < TYPES ? record->type : TYPES;
}

/* What follows its structure, bytes; as far as that is said in it. */
static inline u64 more_size(const struct gapp_record *record)
{
	if (record->type == GAPP_RECORD_SLICE)
		return ((const struct gapp_record_slice *)record)->sample_count *
		       sizeof(struct gapp_sample);
	if (record->type == GAPP_RECORD_STACK_COPY)
		return ((const struct gapp_record_stack_copy *)record)->stack_bytes;
	return 0;
}

/* One of type_of() @type is whole: there are @room bytes from its begin on, at least 8. */
static inline bool is_whole(const struct gapp_record *record, u32 type, u64 room)
{
	u64 size = record->size, least = least_sizes[type];

	return size >= least && size <= room && !(size % sizeof(u64)) &&
	       size - least >= more_size(record);
}

static int complain_of(const struct ring *ring, const struct gapp_record *record)
{
	complain(DO_NOT_FIT ": a record of CPU %u, type %u with %u bytes, makes no sense: %s",
		 ring->cpu, record->type, record->size, USE_ITS_OWN);
	return -1;
}

/* @ring->next is where the data at @ring->position is, whole up to @ring->room bytes from there. */
static void look_at(const struct rings *rings, struct ring *ring)
{
	u64 at = ring->position & (rings->bytes - 1);
	u64 written = ring->head - ring->position, unwrapped = rings->bytes - at;

	ring->room = written < unwrapped ? written : unwrapped;
	ring->next = (const struct gapp_record *)(ring->data + at);
}

static inline void step(const struct rings *rings, struct ring *ring)
{
	u64 size = ring->next->size;

	ring->position += size;
	ring->room -= size;
	ring->next = (const struct gapp_record *)((const u8 *)ring->next + size);
	if (!ring->room)
		look_at(rings, ring);
}

/* Finds the next record, past what need not be given; there is none without @ring->room. */
static inline int look_ahead(const struct rings *rings, struct ring *ring)
{
	for (; ring->room; step(rings, ring)) {
		u32 type = type_of(ring->next);

		if (!is_whole(ring->next, type, ring->room))
			return complain_of(ring, ring->next);
		if (rings->given >> type & 1)
			return 0;
	}
	return 0;
}

static bool is_earlier(const struct ring *a, const struct ring *b)
{
	if (a->next->time_ns != b->next->time_ns)
		return a->next->time_ns < b->next->time_ns;
	return a->cpu < b->cpu;
}

static void sink(struct rings *rings, u32 i)
{
	struct ring **heap = rings->heap, *ring = heap[i];

	for (u32 child; (child = 2 * i + 1) < rings->waiting; i = child) {
		if (child + 1 < rings->waiting && is_earlier(heap[child + 1], heap[child]))
			child++;
		if (!is_earlier(heap[child], ring))
			break;
		heap[i] = heap[child];
	}
	heap[i] = ring;
}

/* Puts every ring that has a record into the heap. */
static int gather(struct rings *rings)
{
	rings->waiting = 0;
	/* all at once, so that little comes to a later one that is after what is in an earlier one
	 */
	for (u32 i = 0; i < rings->count; i++)
		rings->rings[i].head =
			__atomic_load_n(&rings->rings[i].shared->write_position, __ATOMIC_ACQUIRE);

	for (u32 i = 0; i < rings->count; i++) {
		struct ring *ring = &rings->rings[i];

		if (ring->head - ring->position > rings->bytes || ring->head % sizeof(u64) ||
		    ring->position % sizeof(u64)) {
			complain(DO_NOT_FIT ": the head of CPU %u's ring makes no sense: %s",
				 ring->cpu, USE_ITS_OWN);
			return -1;
		}
		look_at(rings, ring);
		if (look_ahead(rings, ring))
			return -1;
		if (ring->room)
			rings->heap[rings->waiting++] = ring;
	}
	for (u32 i = rings->waiting / 2; i--;)
		sink(rings, i);
	return 0;
}

/* Records of the first ring that are earlier come before any of another one. */
static u64 first_ends(const struct rings *rings)
{
	struct ring **heap = rings->heap;
	const struct ring *second;

	if (rings->waiting < 2)
		return UINT64_MAX;
	second = rings->waiting > 2 && is_earlier(heap[2], heap[1]) ? heap[2] : heap[1];
	return second->next->time_ns + (heap[0]->cpu < second->cpu);
}

/*
 * Gives the earliest record, and those of its ring that come next. Their room is told of in large
 * parts, for that costs the kernel.
 */
static s64 give_first(struct rings *rings, u64 until_ns,
		      int (*each)(void *context, const struct gapp_record *record), void *context)
{
	struct ring *ring = rings->heap[0];
	u64 ends = first_ends(rings), tell_at = ring->told + rings->bytes / 4;
	s64 given = 0;

	if (ends > until_ns)
		ends = until_ns;
	do {
		int result = each(context, ring->next);

		given++;
		step(rings, ring);
		if (ring->position >= tell_at) {
			publish(ring);
			tell_at = ring->told + rings->bytes / 4;
		}
		if (result || look_ahead(rings, ring))
			return -1;
	} while (ring->room && ring->next->time_ns < ends);
	if (!ring->room)
		rings->heap[0] = rings->heap[--rings->waiting];
	if (rings->waiting)
		sink(rings, 0);
	return given;
}

s64 rings_drain(struct rings *rings, u64 until_ns,
		int (*each)(void *context, const struct gapp_record *record), void *context)
{
	s64 result = gather(rings), given = 0;

	while (result >= 0 && rings->waiting && rings->heap[0]->next->time_ns < until_ns) {
		result = give_first(rings, until_ns, each, context);
		given += result;
	}
	for (u32 i = 0; i < rings->count; i++)
		publish(&rings->rings[i]);
	return result < 0 ? -1 : given;
}

static void scan(const struct rings *rings, struct ring *ring, u16 type,
		 void (*each)(void *context, const struct gapp_record *record), void *context)
{
	u64 head = __atomic_load_n(&ring->shared->write_position, __ATOMIC_ACQUIRE);

	if (ring->scanned < ring->position)
		ring->scanned = ring->position;
	/* what makes no sense is complained about when it is read */
	if (head - ring->scanned > rings->bytes || head % sizeof(u64) ||
	    ring->scanned % sizeof(u64))
		return;
	while (ring->scanned != head) {
		u64 at = ring->scanned & (rings->bytes - 1);
		u64 written = head - ring->scanned, unwrapped = rings->bytes - at;
		u64 room = written < unwrapped ? written : unwrapped, size;

		for (const u8 *byte = ring->data + at; room; byte += size, room -= size) {
			const struct gapp_record *record = (const struct gapp_record *)byte;

			size = record->size;
			if (size < sizeof(u64) || size % sizeof(u64) || size > room)
				return;
			if (record->type == type) {
				if (!is_whole(record, type_of(record), room))
					return;
				each(context, record);
			}
			ring->scanned += size;
		}
	}
}

void rings_scan(struct rings *rings, u16 type,
		void (*each)(void *context, const struct gapp_record *record), void *context)
{
	for (u32 i = 0; i < rings->count; i++)
		scan(rings, &rings->rings[i], type, each, context);
}
