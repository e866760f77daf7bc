// SPDX-License-Identifier: GPL-2.0
/* kmod/core/table.c: what a valid table is, and look-ups. */
#include "rig.h"

#include "random.h"
#include "table_check.h"
#include "tables.h"

static void test_table(void **state)
{
	struct vec_plain_table room;
	struct rig rig = { 0 };

	vec_table_run(&rig, *state, &room);
	rig_done(&rig);
}

static void test_find(void **state)
{
	struct vec_plain_table room;
	struct rig rig = { 0 };

	vec_find_run(&rig, *state, &room);
	rig_done(&rig);
}

#define MAX_ROWS 3000

/* Pages of any number of rows: at each row's edges the rule is the one that the row has. */
static void test_rows(void **state)
{
	u64 runs = from_environment("PROPERTY_RUNS", 5000) / 20 + 1;
	u64 random = from_environment("PROPERTY_SEED", 1) << 32;
	static u64 room[(sizeof(struct gapp_table_head) + 64 * 16 + MAX_ROWS * 4 + 64) / 8];
	const char *wrong = NULL;
	struct rig rig = { 0 };
	u64 i;

	(void)state;
	for (i = 0; i < runs && !wrong; i++) {
		u64 bytes = table_make(room, &random, MAX_ROWS);

		wrong = table_check(room, bytes, true);
	}
	if (wrong)
		VEC_FAIL(&rig, "table %llu: %s", (unsigned long long)i, wrong);
	rig_done(&rig);
}

/* Whatever one byte of a table becomes: it is refused, or can be looked up in. */
static void test_bytes(void **state)
{
	static u64 room[(sizeof(struct vec_plain_table) + 7) / 8];
	const char *wrong = NULL;
	struct rig rig = { 0 };
	u32 at, value;

	(void)state;
	for (at = 0; at < VEC_PLAIN_BYTES && !wrong; at++)
		for (value = 0; value < 256 && !wrong; value++) {
			memcpy(room, &vec_plain_table, sizeof(vec_plain_table));
			((u8 *)room)[at] = value;
			wrong = table_check(room, VEC_PLAIN_BYTES, false);
		}
	if (wrong)
		VEC_FAIL(&rig, "byte %u is %u: %s", at - 1, value - 1, wrong);
	rig_done(&rig);
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_tables); i++)
		rig_add(&group, vec_tables[i].name, test_table, &vec_tables[i]);
	for (i = 0; i < RIG_COUNT(vec_finds); i++)
		rig_add(&group, vec_finds[i].name, test_find, &vec_finds[i]);
	rig_add(&group, "tables of any rows", test_rows, NULL);
	rig_add(&group, "any byte of a table", test_bytes, NULL);
	return rig_run("table", &group);
}
