// SPDX-License-Identifier: GPL-2.0
#include "ring_check.h"

#define NO 0xffffffffU

static u64 pattern(u64 number, u32 index)
{
	return (number + 1) * 0x9e3779b97f4a7c15ULL + index;
}

static u64 share_of(u64 number)
{
	return number * 7 % 1000;
}

static u64 wait_of(u64 number)
{
	return number * 3 % 100;
}

static void fill(void *record, u64 number, u32 size)
{
	u64 *word = record;
	u32 i;

	word[2] = number;
	for (i = 3; i < size / 8; i++)
		word[i] = pattern(number, i);
}

void ring_put(struct gapp_ring_writer *ring, u64 number, u32 size, u64 time_ns)
{
	void *record = gapp_ring_reserve(ring, GAPP_RECORD_WAKE, size, time_ns);

	if (!record) {
		gapp_ring_lose(ring, share_of(number), wait_of(number), time_ns);
		return;
	}
	fill(record, number, size);
	gapp_ring_commit(ring, size);
}

static const char *read_lost(struct ring_reader *reader, const struct gapp_record_lost *lost)
{
	u64 i, share = 0, wait_ns = 0;

	if (lost->head.size != sizeof(*lost))
		return "size of a LOST record";
	if (!lost->records)
		return "a LOST record of none";
	for (i = 0; i < lost->records && i < 1000000; i++) {
		share += share_of(reader->next + i);
		wait_ns += wait_of(reader->next + i);
	}
	if (lost->critical_share != share || lost->wait_ns != wait_ns)
		return "sums of a LOST record";
	if (lost->since_ns < reader->time_ns || lost->since_ns > lost->head.time_ns)
		return "begin of a LOST record";
	reader->next += lost->records;
	reader->lost += lost->records;
	reader->share += share;
	reader->wait_ns += wait_ns;
	return NULL;
}

static const char *read_record(struct ring_reader *reader, const u64 *word, u32 size)
{
	u32 i;

	if (size < 24)
		return "size of a record";
	if (word[2] != reader->next)
		return "a record is missing, and nothing tells";
	for (i = 3; i < size / 8; i++)
		if (word[i] != pattern(word[2], i))
			return "a record's content";
	reader->next++;
	return NULL;
}

static const char *read_at_tail(struct ring_reader *reader, u64 head)
{
	const u8 *at = reader->data + (reader->tail & (reader->bytes - 1));
	u32 rest = reader->bytes - (reader->tail & (reader->bytes - 1));
	const struct gapp_record *record = (const void *)at;
	const char *wrong = NULL;
	struct gapp_record pad;

	if (head - reader->tail > reader->bytes)
		return "more is in the ring than it holds";
	/* All of the smallest PAD. */
	memcpy(&pad, at, 8);
	if (pad.size % 8 || pad.size < 8 || pad.size > rest || pad.size > head - reader->tail)
		return "size at the tail";
	if (pad.type == GAPP_RECORD_PAD) {
		if (pad.size != rest)
			return "a PAD record that does not end with the data";
		reader->tail += pad.size;
		return NULL;
	}
	if (record->time_ns < reader->time_ns)
		return "time goes back";
	if (record->type == GAPP_RECORD_LOST)
		wrong = read_lost(reader, (const void *)at);
	else if (record->type == GAPP_RECORD_WAKE)
		wrong = read_record(reader, (const void *)at, record->size);
	else
		wrong = "type of a record";
	reader->time_ns = record->time_ns;
	reader->tail += record->size;
	return wrong;
}

bool ring_read(struct ring_reader *reader, const char **wrong)
{
	/* Acquire: then the records. */
	u64 head = smp_load_acquire(&reader->shared->write_position);

	if (head == reader->tail)
		return false;
	*wrong = read_at_tail(reader, head);
	return !*wrong;
}

void ring_check_init(struct ring_check *check, u8 *data)
{
	memset(check, 0, sizeof(*check));
	memset(data, 0, RING_CHECK_BYTES);
	check->data = data;
	check->reader.data = data;
	check->reader.shared = &check->shared;
	check->reader.bytes = RING_CHECK_BYTES;
	gapp_ring_init(&check->ring, data, RING_CHECK_BYTES, 3, &check->shared, &check->tail);
}

static u64 padded(u64 head, u32 size)
{
	return head / RING_CHECK_BYTES == (head + size - 1) / RING_CHECK_BYTES ?
		       head :
		       (head / RING_CHECK_BYTES + 1) * RING_CHECK_BYTES;
}

/* Where a record must come to lie, counted like the head; ~0: nowhere. */
static u64 place_for(const struct ring_check *check, u32 size)
{
	const struct gapp_ring_writer *ring = &check->ring;
	u64 used = ring->head - check->tail, at = ring->head;

	if (size < 16 || size % 8 || size > RING_CHECK_BYTES / 4)
		return ~0ULL;
	if (gapp_ring_is_clear(ring, size))
		return at;
	if (used > RING_CHECK_BYTES)
		return ~0ULL;
	if (ring->lost > ring->reported.lost)
		at = padded(at, 48) + 48;
	at = padded(at, size);
	return at + size - check->tail > RING_CHECK_BYTES ? ~0ULL : at;
}

/* Nothing is written but from @from to @to. */
static bool is_untouched(const struct ring_check *check, u64 from, u64 to)
{
	u32 begin = to % RING_CHECK_BYTES, bytes = RING_CHECK_BYTES - (to - from), first = bytes;

	if (begin + bytes > RING_CHECK_BYTES)
		first = RING_CHECK_BYTES - begin;
	return !memcmp(check->data + begin, check->before + begin, first) &&
	       !memcmp(check->data, check->before, bytes - first);
}

/* What the ring takes as clear, the reader has given at some time, in one piece. */
static const char *check_clear(struct ring_check *check)
{
	const struct gapp_ring_writer *ring = &check->ring;

	if (ring->head - check->tail <= RING_CHECK_BYTES &&
	    check->given < check->tail + RING_CHECK_BYTES)
		check->given = check->tail + RING_CHECK_BYTES;
	if (ring->clear <= ring->head)
		return NULL;
	if (ring->clear > check->given)
		return "room is taken that the reader never gave";
	if (padded(ring->head, ring->clear - ring->head) != ring->head)
		return "room is taken beyond the end";
	if (ring->lost != ring->reported.lost)
		return "losses would not be reported at once";
	return ring->clear - ring->head > RING_CHECK_BYTES / 16 ? "it is looked too rarely" : NULL;
}

static const char *put(struct ring_check *check, u32 size, bool commit)
{
	struct gapp_ring_writer *ring = &check->ring;
	u64 place = place_for(check, size), head = ring->head,
	    published = check->shared.write_position;
	const char *wrong = check_clear(check);
	u8 *record;

	if (wrong)
		return wrong;
	memcpy(check->before, check->data, RING_CHECK_BYTES);
	record = gapp_ring_reserve(ring, GAPP_RECORD_WAKE, size, check->time_ns);
	if (!record != (place == ~0ULL))
		return record ? "a record found room that is not there" : "room was not found";
	if (check->shared.write_position != published)
		return "published before the commit";
	if (!record) {
		if (!is_untouched(check, head, head))
			return "a refused record was written";
		if (commit) {
			gapp_ring_lose(ring, share_of(check->attempts), wait_of(check->attempts),
				       check->time_ns);
			check->attempts++;
		}
		return NULL;
	}
	if (record != check->data + place % RING_CHECK_BYTES)
		return "a record in the wrong place";
	if (commit) {
		fill(record, check->attempts++, size);
		gapp_ring_commit(ring, size);
		if (check->shared.write_position != place + size || ring->head != place + size)
			return "what is published is not what was reserved";
	}
	return is_untouched(check, head, place + size) ? NULL : "something else was written over";
}

static const char *read_some(struct ring_check *check, u32 count)
{
	const char *wrong = NULL;

	/* A reader that gave a wrong tail begins anew; what is told already it has missed. */
	if (check->hostile) {
		check->reader.tail = check->ring.head;
		check->reader.next =
			check->attempts - (check->ring.lost - check->ring.reported.lost);
		check->reader.time_ns = 0;
		check->hostile = false;
	}
	while (count-- && check->shared.write_position >= check->reader.tail &&
	       ring_read(&check->reader, &wrong))
		;
	check->tail = check->reader.tail;
	return wrong;
}

const char *ring_check_step(struct ring_check *check, const u8 *bytes)
{
	u32 number = bytes[1] | bytes[2] << 8;
	u32 used;

	check->time_ns += bytes[3];
	switch (bytes[0] % 8) {
	case 0:
	case 1:
	case 2:
		return put(check, 24 + number % 14 * 8, true);
	case 3:
		return put(check, bytes[0] & 8 ? number : 24 + number % 14 * 8, false);
	case 4:
		return read_some(check, number % 8);
	case 5:
		return read_some(check, NO);
	case 6:
		check->hostile = true;
		check->tail = bytes[0] & 8 ? check->ring.head + (__s16)number :
					     (u64)number << (bytes[0] >> 4) * 4;
		break;
	}
	used = gapp_ring_used(&check->ring);
	if (used > RING_CHECK_BYTES)
		return "more is in use than there is";
	if (check->ring.head - check->tail <= RING_CHECK_BYTES &&
	    used != check->ring.head - check->tail)
		return "what is in use";
	return NULL;
}

const char *ring_check_end(struct ring_check *check)
{
	const struct gapp_ring_writer *ring = &check->ring;
	const char *wrong = read_some(check, NO);

	if (wrong)
		return wrong;
	if (check->shared.lost != ring->lost ||
	    check->shared.lost_critical_share != ring->lost_critical_share ||
	    check->shared.lost_wait_ns != ring->lost_wait_ns)
		return "what the ring's begin says of losses";
	if (check->reader.tail == ring->head &&
	    check->reader.next + (ring->lost - ring->reported.lost) != check->attempts)
		return "records that are neither read nor lost";
	return NULL;
}
