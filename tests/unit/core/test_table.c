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

#define FULL_PAGES 4

/* Pages with a row for each address: more than is checked at a time. */
struct full_table {
	struct gapp_table_head head;
	struct gapp_rule rule;
	u32 first[FULL_PAGES + 1];
	struct gapp_row rows[FULL_PAGES][GAPP_TABLE_PAGE];
};

#define FULL_BYTES ((u64)offsetof(struct full_table, rows[FULL_PAGES]))

static void fill(struct full_table *full)
{
	u32 page, low;

	full->head = (struct gapp_table_head){
		.magic = GAPP_TABLE_MAGIC,
		.version = GAPP_TABLE_VERSION,
		.arch = GAPP_ARCH_X86_64,
		.rules = 1,
		.pages = FULL_PAGES,
		.rows = FULL_PAGES * GAPP_TABLE_PAGE,
	};
	full->rule = (struct gapp_rule){ .cfa = GAPP_CFA_SP, .cfa_offset = 8 };
	for (page = 0; page <= FULL_PAGES; page++)
		full->first[page] = page * GAPP_TABLE_PAGE;
	for (page = 0; page < FULL_PAGES; page++)
		for (low = 0; low < GAPP_TABLE_PAGE; low++)
			full->rows[page][low].low = low;
}

/* A row that is wrong is noticed in whichever page it is. */
static void test_pieces(void **state)
{
	struct full_table *full = calloc(1, sizeof(*full));
	struct gapp_table table;
	struct rig rig = { 0 };
	u32 page, next = 0;

	(void)state;
	fill(full);
	if (!gapp_table_open(&table, full, FULL_BYTES))
		VEC_FAIL(&rig, "a good table is refused");
	for (page = 0; page < FULL_PAGES; page++) {
		if (!gapp_table_check(&table, &full->head, &next) || next != page + 1)
			VEC_FAIL(&rig, "piece %u ends before page %u", page, next);
		full->rows[page][GAPP_TABLE_PAGE - 1].rule = 1;
		if (gapp_table_open(&table, full, FULL_BYTES))
			VEC_FAIL(&rig, "a wrong row of page %u is not noticed", page);
		full->rows[page][GAPP_TABLE_PAGE - 1].rule = 0;
	}
	free(full);
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
	rig_add(&group, "a table of several pieces", test_pieces, NULL);
	return rig_run("table", &group);
}
