// SPDX-License-Identifier: GPL-2.0
/* kmod/core/unwind.c: walks by tables. */
#include "rig.h"

#include "random.h"
#include "unwind_check.h"
#include "unwinds.h"

static void test_vector(void **state)
{
	static struct vec_unwind_room room;
	struct rig rig = { 0 };

	vec_unwind_run(&rig, *state, &room);
	rig_done(&rig);
}

#define CHOICES 6000
#define LONG_PATH 20

/* Random threads: frames as the walk that is trusted finds them, and not only short paths. */
static void test_random(void **state)
{
	u64 runs = from_environment("PROPERTY_RUNS", 5000) * 2;
	u64 seed = from_environment("PROPERTY_SEED", 1) << 32;
	static struct unwind_case thread;
	static struct unwind_found found;
	static u64 bytes[CHOICES / 8];
	u64 i, random, at, longer = 0, ends[GAPP_UNWIND_ENDS] = { 0 };
	const char *wrong = NULL;
	struct rig rig = { 0 };

	(void)state;
	for (i = 0; i < runs && !wrong; i++) {
		random = seed + i;
		for (at = 0; at < RIG_COUNT(bytes); at++)
			bytes[at] = random_next(&random);
		wrong = unwind_check(&thread, &found, (const u8 *)bytes, sizeof(bytes));
		longer += found.count >= LONG_PATH;
		ends[found.end]++;
	}
	if (wrong)
		VEC_FAIL(&rig, "seed %llu: %s", (unsigned long long)(seed + i - 1), wrong);
	if (!wrong && longer < runs / 50)
		VEC_FAIL(&rig, "only %llu paths are long", (unsigned long long)longer);
	for (at = 0; at < GAPP_UNWIND_LATE && !wrong && runs >= 1000; at++)
		if (!ends[at])
			VEC_FAIL(&rig, "no path ends with %llu", (unsigned long long)at);
	rig_done(&rig);
}

#define DEEP_STACK 0x10000000ULL
#define DEEP_FRAME 0x2000

static bool copy_deep(void *context, void *to, u64 address, u32 bytes)
{
	u64 *word = to, at;

	++*(u32 *)context;
	for (at = address; at < address + bytes; at += 8)
		*word++ = at % DEEP_FRAME == DEEP_FRAME - 8 ? 0x400008 : 0;
	return true;
}

/* Frames so large that each needs a window of its own: the walk ends in time, and says so. */
static void test_windows(void **state)
{
	static const struct {
		struct gapp_table_head head;
		struct gapp_rule rules[1];
		u32 first[2];
		struct gapp_row rows[1];
	} data = {
		.head = { .magic = GAPP_TABLE_MAGIC,
			  .version = GAPP_TABLE_VERSION,
			  .arch = GAPP_ARCH_X86_64,
			  .rules = 1,
			  .pages = 1,
			  .rows = 1 },
		.rules = { { .cfa = GAPP_CFA_SP,
			     .cfa_offset = DEEP_FRAME,
			     .ra_offset = -8,
			     .fp = GAPP_FP_CFA,
			     .fp_offset = -DEEP_FRAME } },
		.first = { 0, 1 },
	};
	static struct gapp_rule_cache cache;
	static struct gapp_unwind walk;
	static u64 frames[1000];
	struct gapp_table table;
	struct gapp_unwind_mapping code = { 0x400000, 0x410000, 0x400000, &table };
	enum gapp_unwind_end end;
	struct rig rig = { 0 };
	u32 copies, i;
	u16 count;

	(void)state;
	if (!gapp_table_open(&table, &data, gapp_table_bytes(&data.head)))
		VEC_FAIL(&rig, "the table is refused");
	walk.window.copy = copy_deep;
	walk.window.is_late = NULL;
	walk.window.context = &copies;
	walk.window.limit = 1ULL << 47;
	walk.arch = GAPP_ARCH_X86_64;
	walk.mappings = &code;
	walk.mapping_count = 1;
	walk.list_id = 1;
	for (i = 0; i < 2; i++) {
		walk.cache = i ? &cache : NULL;
		walk.regs.valid = 0x1ffff;
		walk.regs.value[GAPP_X86_64_IP] = 0x400004;
		walk.regs.value[GAPP_X86_64_SP] = DEEP_STACK;
		copies = 0;
		count = gapp_unwind(&walk, frames, RIG_COUNT(frames), &end);
		if (count < 64 || end != GAPP_UNWIND_FULL)
			VEC_FAIL(&rig, "%u frames, end %u", count, end);
		if (copies < 64 || copies > 130)
			VEC_FAIL(&rig, "%u windows", copies);
	}
	rig_done(&rig);
}

/* A rule that was looked up in other code at the same address is not taken. */
static void test_other_code(void **state)
{
	static struct vec_unwind_room room;
	struct gapp_unwind *walk = &room.walk;
	enum gapp_unwind_end end;
	struct rig rig = { 0 };
	u64 frames[2];

	(void)state;
	if (!vec_unwind_tables(&vec_unwinds[0], &room))
		VEC_FAIL(&rig, "the table is refused");
	vec_unwind_thread(&vec_unwinds[0], &room);
	walk->cache = &room.cache;
	walk->list_id = 1;
	if (gapp_unwind(walk, frames, 2, &end) != 2)
		VEC_FAIL(&rig, "no frames");

	room.table.rules[0] = (struct gapp_rule){ .cfa = GAPP_CFA_END };
	vec_unwind_thread(&vec_unwinds[0], &room);
	walk->cache = &room.cache;
	walk->list_id = 1;
	if (gapp_unwind(walk, frames, 2, &end) != 2)
		VEC_FAIL(&rig, "a cached rule is looked up again");
	vec_unwind_thread(&vec_unwinds[0], &room);
	walk->cache = &room.cache;
	walk->list_id = 2;
	if (gapp_unwind(walk, frames, 2, &end) != 1 || end != GAPP_UNWIND_COMPLETE)
		VEC_FAIL(&rig, "a rule of other code");
	vec_unwind_thread(&vec_unwinds[0], &room);
	walk->cache = &room.cache;
	walk->list_id = 0;
	if (gapp_unwind(walk, frames, 2, &end) != 1 || end != GAPP_UNWIND_COMPLETE)
		VEC_FAIL(&rig, "a rule of code without a number");
	vec_unwind_thread(&vec_unwinds[0], &room);
	walk->cache = &room.cache;
	walk->list_id = 1ULL << GAPP_MAPPING_ID_BITS | 3;
	if (gapp_unwind(walk, frames, 2, &end) != 1 || end != GAPP_UNWIND_COMPLETE)
		VEC_FAIL(&rig, "a rule of code whose number is too large");
	room.table.rules[0] = vec_unwinds[0].rules[0];
	vec_unwind_thread(&vec_unwinds[0], &room);
	walk->cache = &room.cache;
	walk->list_id = 3;
	if (gapp_unwind(walk, frames, 2, &end) != 2)
		VEC_FAIL(&rig, "the number was cut");
	rig_done(&rig);
}

/* As vec_unwinds[0], from @ip on; what it calls its innermost frame's caller is @back. */
static u16 walk_called_from(struct vec_unwind_room *room, u64 ip, u64 back, u64 list_id,
			    u64 *frames, u16 max, enum gapp_unwind_end *end)
{
	vec_unwind_thread(&vec_unwinds[0], room);
	room->stack.words[0] = back;
	room->walk.regs.value[GAPP_X86_64_IP] = ip;
	room->walk.cache = &room->cache;
	room->walk.list_id = list_id;
	return gapp_unwind(&room->walk, frames, max, end);
}

/* Where the caller's rule was the last time is a guess: there may be another caller's, or code's.
 */
static void test_guesses(void **state)
{
	static const u64 backs[] = { VEC_FUNCTION(1, 8), VEC_FUNCTION(2, 8), VEC_FUNCTION(1, 9),
				     VEC_FUNCTION(1, 8) };
	static struct vec_unwind_room room;
	enum gapp_unwind_end end;
	struct rig rig = { 0 };
	u64 frames[4];
	u32 i;

	(void)state;
	if (!vec_unwind_tables(&vec_unwinds[0], &room))
		VEC_FAIL(&rig, "the table is refused");
	/* the first that is added: where guesses begin */
	walk_called_from(&room, VEC_FUNCTION(1, 7), 0, 1, frames, 1, &end);
	for (i = 0; i < RIG_COUNT(backs); i++)
		if (walk_called_from(&room, VEC_FUNCTION(0, 4), backs[i], 1, frames, 2, &end) !=
			    2 ||
		    frames[1] != backs[i] || end != GAPP_UNWIND_FULL)
			VEC_FAIL(&rig, "caller %u", i);
	/* one in no code must not pass for the one before */
	if (walk_called_from(&room, VEC_FUNCTION(0, 4), VEC_CODE, 1, frames, 2, &end) != 1 ||
	    end != GAPP_UNWIND_UNMAPPED)
		VEC_FAIL(&rig, "a caller in no code");

	room.table.rules[1] = (struct gapp_rule){ .cfa = GAPP_CFA_END };
	if (walk_called_from(&room, VEC_FUNCTION(0, 4), backs[0], 2, frames, 4, &end) != 2 ||
	    end != GAPP_UNWIND_COMPLETE)
		VEC_FAIL(&rig, "a caller's rule of other code");
	rig_done(&rig);
}

/* More addresses than are remembered, and some of them again. */
static void test_forgotten(void **state)
{
	static struct vec_unwind_room room;
	enum gapp_unwind_end end;
	struct rig rig = { 0 };
	u64 frames[4], back;
	u32 i, added;

	(void)state;
	if (!vec_unwind_tables(&vec_unwinds[0], &room))
		VEC_FAIL(&rig, "the table is refused");
	for (i = 0; i < 3 * GAPP_CACHED_RULES - 100; i++) {
		/* all in the last function, which is the gap behind the others */
		back = VEC_FUNCTION(VEC_RULES - 1, 0x100 + i * 7 % 0xe000);
		room.table.rules[VEC_RULES - 1] = (struct gapp_rule){ .cfa = GAPP_CFA_END };
		if (walk_called_from(&room, VEC_FUNCTION(0, 4), back, 1, frames, 4, &end) != 2 ||
		    frames[1] != back || end != GAPP_UNWIND_COMPLETE)
			VEC_FAIL(&rig, "caller %u", i);
	}
	added = room.cache.added;
	walk_called_from(&room, VEC_FUNCTION(0, 4), back, 1, frames, 4, &end);
	if (added <= 2 * GAPP_CACHED_RULES || room.cache.added != added)
		VEC_FAIL(&rig, "%u added, then %u", added, room.cache.added);
	rig_done(&rig);
}

/* The one that is forgotten for a caller's rule is the rule that led there. */
static void test_place_taken(void **state)
{
	static struct vec_unwind_room room;
	const struct vec_unwind *vec = &vec_unwinds[0];
	enum gapp_unwind_end end;
	struct rig rig = { 0 };
	u64 frames[2];

	(void)state;
	if (!vec_unwind_tables(vec, &room))
		VEC_FAIL(&rig, "the table is refused");
	/* learns of a frame that has pushed its frame pointer, in the first place */
	walk_called_from(&room, VEC_FUNCTION(4, 8), 0, 1, frames, 1, &end);
	room.cache.added = GAPP_CACHED_RULES;
	vec_unwind_thread(vec, &room);
	room.walk.cache = &room.cache;
	room.stack.words[1] = 0x1111;
	room.stack.words[2] = VEC_FUNCTION(1, 8);
	room.stack.words[7] = VEC_FUNCTION(3, 8);
	room.walk.regs.value[GAPP_X86_64_IP] = VEC_FUNCTION(4, 8);
	if (gapp_unwind(&room.walk, frames, 2, &end) != 2 || frames[1] != VEC_FUNCTION(1, 8))
		VEC_FAIL(&rig, "the frames");
	if (room.cache.added == GAPP_CACHED_RULES)
		VEC_FAIL(&rig, "nothing was added");
	if (room.walk.regs.value[GAPP_X86_64_FP] != 0x1111)
		VEC_FAIL(&rig, "the frame pointer");
	rig_done(&rig);
}

static bool is_late_at_once(void *context)
{
	(void)context;
	return true;
}

/* A rule that the cache has takes no time; another one is not looked up without time. */
static void test_late(void **state)
{
	static struct vec_unwind_room room;
	enum gapp_unwind_end end;
	struct rig rig = { 0 };
	u64 frames[4];
	u32 added;

	(void)state;
	if (!vec_unwind_tables(&vec_unwinds[0], &room))
		VEC_FAIL(&rig, "the table is refused");
	walk_called_from(&room, VEC_FUNCTION(0, 4), VEC_FUNCTION(1, 8), 1, frames, 1, &end);
	added = room.cache.added;
	vec_unwind_thread(&vec_unwinds[0], &room);
	room.walk.cache = &room.cache;
	room.walk.list_id = 1;
	room.walk.window.is_late = is_late_at_once;
	room.stack.words[0] = VEC_FUNCTION(3, 8);
	room.walk.regs.value[GAPP_X86_64_IP] = VEC_FUNCTION(0, 4);
	if (gapp_unwind(&room.walk, frames, 4, &end) != 1 || frames[0] != VEC_FUNCTION(0, 4))
		VEC_FAIL(&rig, "the frames");
	if (end != GAPP_UNWIND_UNMAPPED)
		VEC_FAIL(&rig, "the end is %u", end);
	if (room.cache.added != added)
		VEC_FAIL(&rig, "%u rules were looked up", room.cache.added - added);
	rig_done(&rig);
}

static bool copy_nothing(void *context, void *to, u64 address, u32 bytes)
{
	(void)context;
	(void)address;
	memset(to, 0, bytes);
	return true;
}

/* Who remembers a walk by three registers must know that another one was asked. */
static void test_other_register(void **state)
{
	static const struct {
		struct gapp_table_head head;
		struct gapp_rule rules[1];
		u32 first[2];
		struct gapp_row rows[1];
	} data = {
		.head = { .magic = GAPP_TABLE_MAGIC,
			  .version = GAPP_TABLE_VERSION,
			  .arch = GAPP_ARCH_X86_64,
			  .rules = 1,
			  .pages = 1,
			  .rows = 1 },
		.rules = { { .cfa = GAPP_CFA_REGISTER, .number = 3, .ra_offset = -8 } },
		.first = { 0, 1 },
	};
	static struct gapp_unwind walk;
	struct gapp_table table;
	struct gapp_unwind_mapping code = { 0x400000, 0x410000, 0x400000, &table };
	enum gapp_unwind_end end;
	u64 frames[4];

	(void)state;
	assert_true(gapp_table_open(&table, &data, gapp_table_bytes(&data.head)));
	walk.window.copy = copy_nothing;
	walk.window.is_late = NULL;
	walk.window.limit = 1ULL << 47;
	walk.arch = GAPP_ARCH_X86_64;
	walk.mappings = &code;
	walk.mapping_count = 1;
	walk.regs.valid = ~0ULL >> 32;
	walk.regs.value[GAPP_X86_64_IP] = 0x400010;
	walk.regs.value[GAPP_X86_64_SP] = 0x10000000;
	walk.regs.value[3] = 0x10000100;
	assert_int_equal(gapp_unwind(&walk, frames, 4, &end), 1);
	assert_int_equal(end, GAPP_UNWIND_COMPLETE);
	assert_true(walk.by_more);
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_unwinds); i++)
		rig_add(&group, vec_unwinds[i].name, test_vector, &vec_unwinds[i]);
	rig_add(&group, "random threads", test_random, NULL);
	rig_add(&group, "a rule that there is no time to look up", test_late, NULL);
	rig_add(&group, "a walk by another register says so", test_other_register, NULL);
	rig_add(&group, "a bound for windows", test_windows, NULL);
	rig_add(&group, "rules of other code", test_other_code, NULL);
	rig_add(&group, "a caller is not guessed", test_guesses, NULL);
	rig_add(&group, "a rule's place is taken while it is followed", test_place_taken, NULL);
	rig_add(&group, "more rules than are remembered", test_forgotten, NULL);
	return rig_run("unwind", &group);
}
