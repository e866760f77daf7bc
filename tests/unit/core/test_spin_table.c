// SPDX-License-Identifier: GPL-2.0
/* kmod/core/spin_table.c: what a valid table is, and look-ups. */
#include "rig.h"

#include "random.h"
#include "spin_table_check.h"
#include "spin_tables.h"

static void test_table(void **state)
{
	struct vec_plain_spins room;
	struct rig rig = { 0 };

	vec_spin_table_run(&rig, *state, &room);
	rig_done(&rig);
}

static void test_find(void **state)
{
	struct vec_plain_spins room;
	struct rig rig = { 0 };

	vec_spin_find_run(&rig, *state, &room);
	rig_done(&rig);
}

#define SOME_RANGES 300

/* Tables of any ranges: the range found is the one that a look at all of them finds. */
static void test_ranges(void **state)
{
	u64 runs = from_environment("PROPERTY_RUNS", 5000) / 5 + 1;
	u64 random = from_environment("PROPERTY_SEED", 1) << 32;
	static u64 room[8 + SOME_RANGES * 2];
	const char *wrong = NULL;
	struct rig rig = { 0 };
	struct gapp_spin_table table;
	u64 i, bytes;

	(void)state;
	for (i = 0; i < runs && !wrong; i++) {
		bytes = spin_table_make(room, &random, random_below(&random, 2) ? 8 : SOME_RANGES);
		if (!gapp_spin_table_open(&table, room, bytes))
			wrong = "it is refused";
		else
			wrong = spin_table_check(room, bytes, random_next(&random));
	}
	if (wrong)
		VEC_FAIL(&rig, "table %llu: %s", (unsigned long long)i, wrong);
	rig_done(&rig);
}

/* Of each number of ranges, as halves are rounded: every byte and every gap of one byte. */
static void test_counts(void **state)
{
	static u64 room[8 + 70 * 2];
	struct gapp_spin_range *ranges = (struct gapp_spin_range *)(room + 8);
	struct gapp_spin_head *head = (struct gapp_spin_head *)room;
	const struct gapp_spin_range *found;
	struct gapp_spin_table table;
	struct rig rig = { 0 };
	u32 count, i;
	u64 address;

	(void)state;
	for (count = 1; count <= 70; count++) {
		*head = vec_plain_spins.head;
		head->ranges = count;
		for (i = 0; i < count; i++)
			ranges[i] = (struct gapp_spin_range){ 4 * i + 2, 3, 0 };
		if (!gapp_spin_table_open(&table, room, sizeof(*head) + count * sizeof(*ranges))) {
			VEC_FAIL(&rig, "%u ranges are refused", count);
			break;
		}
		for (address = 0; address < 4 * count + 8; address++) {
			bool in = address >= 2 && address < 4 * count + 1 && address % 4 != 1;

			found = gapp_spin_table_find(&table, address);
			if (found != (in ? &ranges[(address - 2) / 4] : NULL))
				VEC_FAIL(&rig, "address %llu of %u ranges",
					 (unsigned long long)address, count);
		}
	}
	rig_done(&rig);
}

/* Whatever one byte of a table becomes: it is refused, or can be looked up in. */
static void test_bytes(void **state)
{
	static u64 room[(sizeof(struct vec_plain_spins) + 7) / 8];
	const char *wrong = NULL;
	struct rig rig = { 0 };
	u32 at, value;

	(void)state;
	for (at = 0; at < VEC_SPINS_BYTES && !wrong; at++)
		for (value = 0; value < 256 && !wrong; value++) {
			memcpy(room, &vec_plain_spins, sizeof(vec_plain_spins));
			((u8 *)room)[at] = value;
			wrong = spin_table_check(room, VEC_SPINS_BYTES, 0x1010);
		}
	if (wrong)
		VEC_FAIL(&rig, "byte %u is %u: %s", at - 1, value - 1, wrong);
	rig_done(&rig);
}

#define PLACE 0x10

/* A table of @count ranges, with a gap behind each. The caller frees it. */
static struct gapp_spin_head *fill(u32 count)
{
	struct gapp_spin_head *head =
		malloc(sizeof(*head) + count * sizeof(struct gapp_spin_range));
	struct gapp_spin_range *ranges = (struct gapp_spin_range *)(head + 1);
	u32 i;

	*head = vec_plain_spins.head;
	head->ranges = count;
	for (i = 0; i < count; i++)
		ranges[i] = (struct gapp_spin_range){ (u64)i * PLACE, PLACE / 2, 0 };
	return head;
}

static u64 size(u32 count)
{
	return sizeof(struct gapp_spin_head) + (u64)count * sizeof(struct gapp_spin_range);
}

/* Each piece ends where it should, and all pieces together end with the table. */
static void check_pieces(struct rig *rig, u32 count)
{
	struct gapp_spin_head *head = fill(count);
	struct gapp_spin_table table;
	u32 next = 0, begin;

	if (!gapp_spin_table_parts(&table, head, size(count))) {
		VEC_FAIL(rig, "%u ranges: the head is refused", count);
		free(head);
		return;
	}
	while (next < count) {
		begin = next;
		if (!gapp_spin_table_check(&table, &next) ||
		    next != (count - begin > GAPP_SPIN_CHECKED ? begin + GAPP_SPIN_CHECKED :
								 count)) {
			VEC_FAIL(rig, "%u ranges: the piece from %u on ends at %u", count, begin,
				 next);
			break;
		}
	}
	if (!gapp_spin_table_check(&table, &next) || next != count)
		VEC_FAIL(rig, "%u ranges: there is a piece behind the last", count);
	free(head);
}

static void test_pieces(void **state)
{
	static const u32 counts[] = { 1,
				      GAPP_SPIN_CHECKED - 1,
				      GAPP_SPIN_CHECKED,
				      GAPP_SPIN_CHECKED + 1,
				      2 * GAPP_SPIN_CHECKED,
				      2 * GAPP_SPIN_CHECKED + 5,
				      GAPP_SPIN_MAX_RANGES };
	struct rig rig = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < RIG_COUNT(counts); i++)
		check_pieces(&rig, counts[i]);
	rig_done(&rig);
}

/* A range that is wrong is noticed in whichever piece it is, and in no other. */
static void test_wrong_in_piece(void **state)
{
	static const u32 places[] = {
		0,
		1,
		GAPP_SPIN_CHECKED - 1,
		GAPP_SPIN_CHECKED,
		GAPP_SPIN_CHECKED + 1,
		2 * GAPP_SPIN_CHECKED - 1,
		2 * GAPP_SPIN_CHECKED,
		2 * GAPP_SPIN_CHECKED + 4,
	};
	const u32 count = 2 * GAPP_SPIN_CHECKED + 5;
	struct gapp_spin_head *head = fill(count);
	struct gapp_spin_range *ranges = (struct gapp_spin_range *)(head + 1);
	struct gapp_spin_table table;
	struct rig rig = { 0 };
	u32 next, at;
	size_t i;

	(void)state;
	for (i = 0; i < RIG_COUNT(places); i++) {
		at = places[i];
		ranges[at].bytes = 0;
		if (gapp_spin_table_open(&table, head, size(count)))
			VEC_FAIL(&rig, "range %u of no bytes is not noticed", at);
		gapp_spin_table_parts(&table, head, size(count));
		for (next = 0; next + GAPP_SPIN_CHECKED <= at;)
			if (!gapp_spin_table_check(&table, &next)) {
				VEC_FAIL(&rig, "range %u is noticed too early", at);
				break;
			}
		if (gapp_spin_table_check(&table, &next))
			VEC_FAIL(&rig, "range %u is not noticed in its piece", at);
		ranges[at].bytes = PLACE / 2;
		if (!at)
			continue;
		/* as long as to the next one, and then a byte more: also from one piece to another
		 */
		ranges[at - 1].bytes = PLACE;
		if (!gapp_spin_table_open(&table, head, size(count)))
			VEC_FAIL(&rig, "range %u may begin where another ends", at);
		ranges[at - 1].bytes = PLACE + 1;
		if (gapp_spin_table_open(&table, head, size(count)))
			VEC_FAIL(&rig, "that range %u overlaps another is not noticed", at);
		ranges[at - 1].bytes = PLACE / 2;
	}
	if (!gapp_spin_table_open(&table, head, size(count)))
		VEC_FAIL(&rig, "a good table is refused");
	free(head);
	rig_done(&rig);
}

/* The most ranges that there can be, and one more. */
static void test_most(void **state)
{
	struct gapp_spin_head *head = fill(GAPP_SPIN_MAX_RANGES + 1);
	struct gapp_spin_table table;
	struct rig rig = { 0 };

	(void)state;
	if (gapp_spin_table_open(&table, head, size(GAPP_SPIN_MAX_RANGES + 1)) ||
	    gapp_spin_table_bytes(head))
		VEC_FAIL(&rig, "more ranges than can be are not refused");
	head->ranges--;
	if (!gapp_spin_table_open(&table, head, size(GAPP_SPIN_MAX_RANGES)))
		VEC_FAIL(&rig, "as many ranges as can be are refused");
	else if (spin_table_check(head, size(GAPP_SPIN_MAX_RANGES), 12345 * PLACE + 7))
		VEC_FAIL(&rig, "%s",
			 spin_table_check(head, size(GAPP_SPIN_MAX_RANGES), 12345 * PLACE + 7));
	free(head);
	rig_done(&rig);
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_spin_tables); i++)
		rig_add(&group, vec_spin_tables[i].name, test_table, &vec_spin_tables[i]);
	for (i = 0; i < RIG_COUNT(vec_spin_finds); i++)
		rig_add(&group, vec_spin_finds[i].name, test_find, &vec_spin_finds[i]);
	rig_add(&group, "spin tables of any ranges", test_ranges, NULL);
	rig_add(&group, "spin tables of each number of ranges", test_counts, NULL);
	rig_add(&group, "any byte of a spin table", test_bytes, NULL);
	rig_add(&group, "a spin table of several pieces", test_pieces, NULL);
	rig_add(&group, "a wrong range in each piece", test_wrong_in_piece, NULL);
	rig_add(&group, "a spin table of the most ranges", test_most, NULL);
	return rig_run("spin_table", &group);
}
