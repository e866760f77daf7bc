/* SPDX-License-Identifier: GPL-2.0 */
/* The table of paths, small, and what is inserted into it. */
#ifndef GAPP_VEC_PATHS_H
#define GAPP_VEC_PATHS_H

#include "path_table.h"
#include "same.h"

#define VEC_PATH_FRAMES 6
#define VEC_PATH_SLOTS 16
#define VEC_PATH_WORDS 32
#define VEC_PATH_STEPS 8

enum vec_path_must {
	PATH_END,
	PATH_NEW, /* a number that no row before has */
	PATH_AS, /* the number of the row .as */
	PATH_LOST,
	PATH_NONE,
};

/**
 * struct vec_path_step - one path is inserted
 * @must: the number
 * @as: see there
 * @image: its address space
 * @flags: its flags
 * @count: its frames
 * @frames: themselves
 */
struct vec_path_step {
	enum vec_path_must must;
	u32 as;
	u32 image;
	u16 flags, count;
	u64 frames[VEC_PATH_FRAMES];
};

/**
 * struct vec_path - one table
 * @name: what it shows
 * @slots: its size, at most VEC_PATH_SLOTS
 * @words: its words, at most VEC_PATH_WORDS, the first one included
 * @used: slots in use in the end
 * @refused: paths that found no room
 * @steps: the rows
 */
struct vec_path {
	const char *name;
	u32 slots, words, used, refused;
	struct vec_path_step steps[VEC_PATH_STEPS];
};

/* clang-format off */
static const struct vec_path vec_paths[] = {
	{ "the same path has the same number", 16, 32, 2, 0, {
		{ PATH_NEW, 0, 1, 0, 3, { 0x401000, 0x402000, 0x403000 } },
		{ PATH_AS, 0, 1, 0, 3, { 0x401000, 0x402000, 0x403000 } },
		{ PATH_NEW, 0, 1, 0, 3, { 0x401000, 0x402000, 0x403008 } },
		{ PATH_AS, 0, 1, 0, 3, { 0x401000, 0x402000, 0x403000 } },
		{ PATH_AS, 2, 1, 0, 3, { 0x401000, 0x402000, 0x403008 } } } },
	{ "what makes another path", 16, 32, 7, 0, {
		{ PATH_NEW, 0, 1, 0, 3, { 0x401000, 0x402000, 0x403000 } },
		{ PATH_NEW, 0, 2, 0, 3, { 0x401000, 0x402000, 0x403000 } },
		{ PATH_NEW, 0, 1, GAPP_UNWIND_FULL, 3, { 0x401000, 0x402000, 0x403000 } },
		{ PATH_NEW, 0, 1, GAPP_PATH_KERNEL, 3, { 0x401000, 0x402000, 0x403000 } },
		{ PATH_NEW, 0, 1, 0, 2, { 0x401000, 0x402000 } },
		{ PATH_NEW, 0, 1, 0, 3, { 0x402000, 0x401000, 0x403000 } },
		{ PATH_NEW, 0, 1, 0, 4, { 0x401000, 0x402000, 0x403000, 0 } } } },
	{ "no frames", 16, 32, 0, 0, {
		{ PATH_NONE, 0, 1, GAPP_UNWIND_UNREADABLE, 0 } } },
	{ "a full table", 4, 32, 4, 2, {
		{ PATH_NEW, 0, 1, 0, 1, { 1 } },
		{ PATH_NEW, 0, 1, 0, 1, { 2 } },
		{ PATH_NEW, 0, 1, 0, 1, { 3 } },
		{ PATH_NEW, 0, 1, 0, 1, { 4 } },
		{ PATH_LOST, 0, 1, 0, 1, { 5 } },
		{ PATH_AS, 2, 1, 0, 1, { 3 } },
		{ PATH_LOST, 0, 1, 0, 1, { 6 } } } },
	/* Words 1 to 4, 5 to 8, and one is left. */
	{ "no words left", 16, 10, 3, 2, {
		{ PATH_NEW, 0, 1, 0, 4, { 1, 2, 3, 4 } },
		{ PATH_NEW, 0, 1, 0, 4, { 5, 6, 7, 8 } },
		{ PATH_LOST, 0, 1, 0, 2, { 9, 10 } },
		{ PATH_NEW, 0, 1, 0, 1, { 9 } },
		{ PATH_LOST, 0, 1, 0, 1, { 10 } },
		{ PATH_AS, 1, 1, 0, 4, { 5, 6, 7, 8 } },
		{ PATH_AS, 3, 1, 0, 1, { 9 } } } },
	{ "no words at all", 16, 1, 0, 1, {
		{ PATH_LOST, 0, 1, 0, 1, { 1 } } } },
};

/* clang-format on */

/**
 * struct vec_path_room - a table's memory
 * @table: the table
 * @slots: its slots
 * @words: its words, and some that it must not touch
 * @numbers: what the rows gave
 */
struct vec_path_room {
	struct gapp_path_table table;
	struct gapp_path slots[VEC_PATH_SLOTS];
	u64 words[VEC_PATH_WORDS + VEC_PATH_FRAMES];
	u32 numbers[VEC_PATH_STEPS];
};

static inline void vec_path_frames(struct vec_place *p, const struct vec_path_room *room,
				   const struct vec_path_step *step, u32 number)
{
	const struct gapp_path *slot = &room->slots[number];
	u32 i;

	vec_same(p, "words", slot->words, step->count);
	vec_same(p, "flags", slot->flags, step->flags);
	for (i = 0; i < step->count; i++)
		vec_same(p, "frame", room->words[slot->word + i], step->frames[i]);
}

static inline void vec_path_step(struct vec_place *p, const struct vec_path *vec,
				 struct vec_path_room *room, u32 index)
{
	const struct vec_path_step *step = &vec->steps[index];
	u32 i, number;

	number = gapp_path_table_insert(&room->table, step->image, step->frames, step->count,
					step->flags);
	room->numbers[index] = number;
	switch (step->must) {
	case PATH_LOST:
		vec_same(p, "number", number, GAPP_PATH_LOST);
		return;
	case PATH_NONE:
		vec_same(p, "number", number, GAPP_PATH_NONE);
		return;
	case PATH_AS:
		vec_same(p, "number", number, room->numbers[step->as]);
		break;
	default:
		for (i = 0; i < index; i++)
			vec_same(p, "is another's number", number == room->numbers[i], 0);
	}
	vec_same(p, "is a number", number < vec->slots, 1);
	if (number < vec->slots)
		vec_path_frames(p, room, step, number);
}

static inline void vec_path_run(void *rig, const struct vec_path *vec)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "path" };
	struct vec_path_room room = { 0 };
	u32 i;

	gapp_path_table_init(&room.table, room.slots, vec->slots, room.words, vec->words,
			     0x123456789abcdefULL);
	for (i = 0; i < VEC_PATH_STEPS && vec->steps[i].must != PATH_END; i++) {
		p.index = i;
		vec_path_step(&p, vec, &room, i);
	}
	vec_same(&p, "used", room.table.used, vec->used);
	vec_same(&p, "refused", room.table.refused, vec->refused);
	vec_same(&p, "word 0", room.words[0], 0);
	vec_same(&p, "words in use are too many", room.table.word_next > vec->words, 0);
	for (i = vec->words; i < VEC_PATH_WORDS + VEC_PATH_FRAMES; i++)
		vec_same(&p, "word behind the last", room.words[i], 0);
}

#endif /* GAPP_VEC_PATHS_H */
