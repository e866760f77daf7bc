/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of 256 bytes, whose records are at most 64 long, and what comes to lie where in it.
 */
#ifndef GAPP_VEC_RINGS_H
#define GAPP_VEC_RINGS_H

#include "ring.h"
#include "same.h"

#define VEC_RING_BYTES 256
#define VEC_RING_CPU 7
/* The record was refused. */
#define VEC_RING_NO 0xffffffffU

enum vec_ring_op {
	RING_END,
	PUT, /* reserve .bytes and commit: the record is at .at, .head is published */
	TAKE, /* the same without a commit */
	COMMIT, /* what TAKE took, .bytes: .head */
	TAIL, /* the reader's tail is .arg from now on */
	LOSE, /* .arg: share; the waiting time is a hundredth of it, the time a tenth */
	IS, /* at .at there is a record of type .type and .bytes */
	TOLD, /* at .at there is a LOST record of .type records with .arg share since .head */
	USED, /* .bytes are in use */
};

/**
 * struct vec_ring_step - one row
 * @op: enum vec_ring_op
 * @bytes: see there
 * @at: see there
 * @head: see there
 * @arg: see there
 * @type: see there
 */
struct vec_ring_step {
	u32 op, bytes, at, head;
	u64 arg;
	u32 type;
};

/**
 * struct vec_ring - one ring
 * @name: what it shows
 * @steps: the rows
 */
struct vec_ring {
	const char *name;
	const struct vec_ring_step *steps;
};

#define ROWS (const struct vec_ring_step[])
#define NO VEC_RING_NO
#define PAD_IS(position, length)                              \
	{                                                     \
		IS, length, position, .type = GAPP_RECORD_PAD \
	}

/* clang-format off */
static const struct vec_ring vec_rings[] = {
	{ "one behind the other", ROWS{
		{ USED, 0 },
		{ PUT, 16, 0, 16 },
		{ PUT, 24, 16, 40 },
		{ PUT, 64, 40, 104 },
		{ USED, 104 },
		{ IS, 16, 0, .type = GAPP_RECORD_WAKE },
		{ IS, 24, 16, .type = GAPP_RECORD_WAKE },
		{ IS, 64, 40, .type = GAPP_RECORD_WAKE },
		{ TAIL, .arg = 40 },
		{ USED, 64 },
		{ RING_END } } },
	{ "no record is wrapped", ROWS{
		{ PUT, 64, 0, 64 }, { PUT, 64, 64, 128 }, { PUT, 64, 128, 192 },
		{ PUT, 64, 192, 256 },
		{ TAIL, .arg = 256 },
		{ PUT, 64, 0, 320 }, { PUT, 64, 64, 384 }, { PUT, 64, 128, 448 },
		{ TAIL, .arg = 448 },
		{ PUT, 40, 192, 488 },
		{ PUT, 64, 0, 576 },
		PAD_IS(232, 24),
		{ IS, 64, 0, .type = GAPP_RECORD_WAKE },
		{ RING_END } } },
	{ "a rest of 8 bytes", ROWS{
		{ PUT, 64, 0, 64 }, { PUT, 64, 64, 128 }, { PUT, 64, 128, 192 },
		{ PUT, 56, 192, 248 },
		{ TAIL, .arg = 248 },
		{ PUT, 16, 0, 272 },
		PAD_IS(248, 8),
		{ USED, 24 },
		{ RING_END } } },
	{ "full to the last byte", ROWS{
		{ PUT, 64, 0, 64 }, { PUT, 64, 64, 128 }, { PUT, 64, 128, 192 },
		{ PUT, 64, 192, 256 },
		{ USED, 256 },
		{ PUT, 16, NO, 256 },
		{ TAIL, .arg = 8 },
		{ PUT, 16, NO, 256 },
		{ TAIL, .arg = 16 },
		{ PUT, 16, 0, 272 },
		{ PUT, 16, NO, 272 },
		{ RING_END } } },
	{ "room for the record, but not for the padding", ROWS{
		{ PUT, 64, 0, 64 }, { PUT, 64, 64, 128 }, { PUT, 64, 128, 192 },
		{ PUT, 48, 192, 240 },
		{ TAIL, .arg = 48 },
		{ PUT, 64, NO, 240 },
		{ TAIL, .arg = 56 },
		{ PUT, 64, NO, 240 },
		{ TAIL, .arg = 64 },
		{ PUT, 64, 0, 320 },
		PAD_IS(240, 16),
		{ RING_END } } },
	{ "sizes that no record has", ROWS{
		{ PUT, 0, NO, 0 },
		{ PUT, 8, NO, 0 },
		{ PUT, 20, NO, 0 },
		{ PUT, 72, NO, 0 },
		{ PUT, 0x10000, NO, 0 },
		{ PUT, 0xfffffff8, NO, 0 },
		{ PUT, 64, 0, 64 },
		{ RING_END } } },
	{ "a reservation that is not committed", ROWS{
		{ TAKE, 32, 0, 0 },
		{ TAKE, 64, 0, 0 },
		{ PUT, 16, 0, 16 },
		{ TAKE, 24, 16, 16 },
		{ COMMIT, 24, .head = 40 },
		{ TAKE, 24, 40, 40 },
		{ PUT, 72, NO, 40 },
		{ PUT, 16, 40, 56 },
		{ RING_END } } },
	{ "padding before a reservation that is not committed", ROWS{
		{ PUT, 64, 0, 64 }, { PUT, 64, 64, 128 }, { PUT, 64, 128, 192 },
		{ PUT, 16, 192, 208 },
		{ TAIL, .arg = 208 },
		{ TAKE, 64, 0, 208 },
		{ PUT, 16, 0, 272 },
		PAD_IS(208, 48),
		{ IS, 16, 0, .type = GAPP_RECORD_WAKE },
		{ RING_END } } },
	{ "losses are told before the next record", ROWS{
		{ PUT, 64, 0, 64 }, { PUT, 64, 64, 128 }, { PUT, 64, 128, 192 },
		{ PUT, 64, 192, 256 },
		{ PUT, 16, NO, 256 },
		{ LOSE, .arg = 1000 },
		{ LOSE, .arg = 500 },
		{ TAIL, .arg = 56 },
		{ PUT, 16, NO, 256 },
		{ LOSE, .arg = 700 },
		{ TAIL, .arg = 64 },
		{ PUT, 16, 48, 320 },
		{ TOLD, .at = 0, .type = 3, .arg = 2200, .head = 100 },
		{ IS, 16, 48, .type = GAPP_RECORD_WAKE },
		{ TAIL, .arg = 320 },
		{ PUT, 16, 64, 336 },
		{ LOSE, .arg = 90 },
		{ PUT, 16, 128, 400 },
		{ TOLD, .at = 80, .type = 1, .arg = 90, .head = 9 },
		{ RING_END } } },
	{ "losses are told behind padding", ROWS{
		{ PUT, 64, 0, 64 }, { PUT, 64, 64, 128 }, { PUT, 64, 128, 192 },
		{ PUT, 24, 192, 216 },
		{ LOSE, .arg = 10 },
		{ TAIL, .arg = 216 },
		{ PUT, 64, 48, 368 },
		PAD_IS(216, 40),
		{ TOLD, .at = 0, .type = 1, .arg = 10, .head = 1 },
		{ RING_END } } },
	{ "padding between the losses and the record", ROWS{
		{ PUT, 64, 0, 64 }, { PUT, 64, 64, 128 }, { PUT, 64, 128, 192 },
		{ LOSE, .arg = 10 },
		{ TAIL, .arg = 192 },
		{ PUT, 64, 0, 320 },
		{ TOLD, .at = 192, .type = 1, .arg = 10, .head = 1 },
		PAD_IS(240, 16),
		{ RING_END } } },
	{ "losses told with a reservation that is not used", ROWS{
		{ LOSE, .arg = 10 },
		{ TAKE, 16, 48, 0 },
		{ PUT, 24, 48, 72 },
		{ TOLD, .at = 0, .type = 1, .arg = 10, .head = 1 },
		{ IS, 24, 48, .type = GAPP_RECORD_WAKE },
		{ RING_END } } },
	{ "losses before the first record", ROWS{
		{ LOSE, .arg = 0 },
		{ PUT, 16, 48, 64 },
		{ TOLD, .at = 0, .type = 1, .arg = 0, .head = 0 },
		{ RING_END } } },
	{ "a tail ahead of the head", ROWS{
		{ PUT, 64, 0, 64 }, { PUT, 64, 64, 128 }, { PUT, 64, 128, 192 },
		{ PUT, 64, 192, 256 },
		{ TAIL, .arg = 264 },
		{ USED, 256 },
		{ PUT, 16, NO, 256 },
		{ TAIL, .arg = 512 },
		{ PUT, 16, NO, 256 },
		{ TAIL, .arg = 1ULL << 63 },
		{ PUT, 16, NO, 256 },
		{ TAIL, .arg = ~0ULL },
		{ PUT, 16, NO, 256 },
		{ TAIL, .arg = 256 + (1ULL << 32) },
		{ PUT, 16, NO, 256 },
		{ TAIL, .arg = 256 },
		{ PUT, 16, 0, 272 },
		{ RING_END } } },
	{ "a tail that falls back", ROWS{
		{ PUT, 64, 0, 64 }, { PUT, 64, 64, 128 }, { PUT, 64, 128, 192 },
		{ PUT, 64, 192, 256 },
		{ TAIL, .arg = 256 },
		{ PUT, 64, 0, 320 },
		{ TAIL, .arg = 0 },
		{ USED, 256 },
		{ PUT, 16, NO, 320 },
		{ TAIL, .arg = 320 },
		{ PUT, 16, 64, 336 },
		{ RING_END } } },
	{ "a tail in the middle of a record", ROWS{
		{ PUT, 64, 0, 64 }, { PUT, 64, 64, 128 }, { PUT, 64, 128, 192 },
		{ PUT, 64, 192, 256 },
		{ TAIL, .arg = 21 },
		{ USED, 235 },
		{ PUT, 24, NO, 256 },
		{ PUT, 16, 0, 272 },
		{ RING_END } } },
};

/* clang-format on */

#undef ROWS
#undef NO
#undef PAD_IS

/* The ring, with a margin that nobody writes to. */
struct vec_ring_room {
	struct gapp_ring_writer ring;
	struct gapp_ring shared;
	u64 tail;
	u64 data[VEC_RING_BYTES / 8];
	u64 margin[8];
};

#define VEC_MARGIN 0xa5a5a5a5a5a5a5a5ULL

static inline bool vec_ring_take(struct vec_place *p, struct vec_ring_room *room,
				 const struct vec_ring_step *step)
{
	u8 *data = (u8 *)room->data;
	u8 *record;

	record = gapp_ring_reserve(&room->ring, GAPP_RECORD_WAKE, step->bytes, 1000 + p->index);
	vec_same(p, "position", record ? (u64)(record - data) : VEC_RING_NO, step->at);
	return record;
}

static inline void vec_ring_is(struct vec_place *p, const struct vec_ring_room *room, u32 at,
			       u32 type, u32 bytes)
{
	struct gapp_record head = { 0 };

	/* A PAD may be shorter than a head. */
	memcpy(&head, (const u8 *)room->data + at, 8);
	vec_same(p, "type", head.type, type);
	vec_same(p, "size", head.size, bytes);
	vec_same(p, "cpu", head.cpu, VEC_RING_CPU);
}

static inline void vec_ring_told(struct vec_place *p, const struct vec_ring_room *room,
				 const struct vec_ring_step *step)
{
	struct gapp_record_lost lost;

	vec_ring_is(p, room, step->at, GAPP_RECORD_LOST, sizeof(lost));
	memcpy(&lost, (const u8 *)room->data + step->at, sizeof(lost));
	vec_same(p, "records lost", lost.records, step->type);
	vec_same(p, "share lost", lost.critical_share, step->arg);
	vec_same(p, "wait lost", lost.wait_ns, step->arg / 100);
	vec_same(p, "since", lost.since_ns, step->head);
}

static inline void vec_ring_step(struct vec_place *p, struct vec_ring_room *room,
				 const struct vec_ring_step *step)
{
	switch (step->op) {
	case PUT:
	case TAKE:
		if (vec_ring_take(p, room, step) && step->op == PUT)
			gapp_ring_commit(&room->ring, step->bytes);
		vec_same(p, "head", room->shared.write_position, step->head);
		break;
	case COMMIT:
		gapp_ring_commit(&room->ring, step->bytes);
		vec_same(p, "head", room->shared.write_position, step->head);
		break;
	case TAIL:
		room->tail = step->arg;
		break;
	case LOSE:
		gapp_ring_lose(&room->ring, step->arg, step->arg / 100, step->arg / 10);
		vec_same(p, "shared count", room->shared.lost, room->ring.lost);
		vec_same(p, "shared share", room->shared.lost_critical_share,
			 room->ring.lost_critical_share);
		vec_same(p, "shared wait", room->shared.lost_wait_ns, room->ring.lost_wait_ns);
		break;
	case IS:
		vec_ring_is(p, room, step->at, step->type, step->bytes);
		break;
	case TOLD:
		vec_ring_told(p, room, step);
		break;
	case USED:
		vec_same(p, "used", gapp_ring_used(&room->ring), step->bytes);
		break;
	}
}

static inline void vec_ring_run(void *rig, const struct vec_ring *vec)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "step" };
	const struct vec_ring_step *step;
	struct vec_ring_room room = { 0 };
	u64 records = 0;
	u32 i;

	memset(room.margin, 0xa5, sizeof(room.margin));
	gapp_ring_init(&room.ring, (u8 *)room.data, VEC_RING_BYTES, VEC_RING_CPU, &room.shared,
		       &room.tail);
	for (step = vec->steps; step->op != RING_END; step++) {
		u64 head = room.shared.write_position;

		p.index = step - vec->steps;
		vec_ring_step(&p, &room, step);
		records += room.shared.write_position != head;
		vec_same(&p, "records", room.ring.records, records);
	}
	for (i = 0; i < 8; i++)
		vec_same(&p, "margin", room.margin[i], VEC_MARGIN);
}

#endif /* GAPP_VEC_RINGS_H */
