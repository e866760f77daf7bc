// SPDX-License-Identifier: GPL-2.0
/* kmod/core/spin_table.c: what a valid table is, look-ups, and locations of ranges. */
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
#define SOME_LOCATIONS 40

/* Tables of any ranges: the range found is the one that a look at all of them finds. */
static void test_ranges(void **state)
{
	u64 runs = from_environment("PROPERTY_RUNS", 5000) / 5 + 1;
	u64 random = from_environment("PROPERTY_SEED", 1) << 32;
	static u64 room[8 + SOME_RANGES * 2 + SOME_LOCATIONS * 5 + SPIN_TABLE_MADE_EXITS * 2];
	const char *wrong = NULL;
	struct rig rig = { 0 };
	struct gapp_spin_table table;
	u64 i, bytes;

	(void)state;
	for (i = 0; i < runs && !wrong; i++) {
		bytes = spin_table_make(room, &random, random_below(&random, 2) ? 8 : SOME_RANGES,
					i % 3 ? SOME_LOCATIONS : 0);
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
		head->locations = 0;
		for (i = 0; i < count; i++)
			ranges[i] = (struct gapp_spin_range){ 4 * i + 2, 3 };
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

/**
 * struct filled - a valid table of many rows
 * @head: its head
 * @ranges: its ranges; behind each is a gap
 * @locations: its locations, each of one term
 * @bytes: its size
 */
struct filled {
	struct gapp_spin_head *head;
	struct gapp_spin_range *ranges;
	struct gapp_spin_location *locations;
	u64 bytes;
};

static u64 size(u32 ranges, u32 locations)
{
	return sizeof(struct gapp_spin_head) + (u64)ranges * sizeof(struct gapp_spin_range) +
	       (u64)locations * sizeof(struct gapp_spin_location);
}

/* Each range has a location, if there are any. The caller frees @head. */
static struct filled fill(u32 ranges, u32 locations)
{
	struct filled filled = { .head = malloc(size(ranges, locations)),
				 .bytes = size(ranges, locations) };
	u32 i;

	filled.ranges = (struct gapp_spin_range *)(filled.head + 1);
	filled.locations = (struct gapp_spin_location *)&filled.ranges[ranges];
	*filled.head = vec_plain_spins.head;
	filled.head->ranges = ranges;
	filled.head->locations = locations;
	for (i = 0; i < ranges; i++) {
		filled.ranges[i] = (struct gapp_spin_range){ (u64)i * PLACE, PLACE / 2 };
		filled.ranges[i].location = locations ? 1 + i % locations : 0;
	}
	for (i = 0; i < locations; i++)
		filled.locations[i] = vec_plain_spins.locations[0];
	return filled;
}

/* Each piece ends where it should, and all pieces together end with the table. */
static void check_pieces(struct rig *rig, u32 ranges, u32 locations)
{
	struct filled filled = fill(ranges, locations);
	const u32 rows = ranges + locations;
	struct gapp_spin_table table;
	u32 next = 0, begin;

	if (!gapp_spin_table_parts(&table, filled.head, filled.bytes) ||
	    gapp_spin_table_rows(&table) != rows) {
		VEC_FAIL(rig, "%u ranges, %u locations: another head", ranges, locations);
		free(filled.head);
		return;
	}
	while (next < rows) {
		begin = next;
		if (!gapp_spin_table_check(&table, &next) ||
		    next != (rows - begin > GAPP_SPIN_CHECKED ? begin + GAPP_SPIN_CHECKED : rows)) {
			VEC_FAIL(rig, "%u ranges, %u locations: the piece from %u on ends at %u",
				 ranges, locations, begin, next);
			break;
		}
	}
	if (!gapp_spin_table_check(&table, &next) || next != rows)
		VEC_FAIL(rig, "%u ranges, %u locations: there is a piece behind the last", ranges,
			 locations);
	free(filled.head);
}

static void test_pieces(void **state)
{
	static const u32 counts[][2] = {
		{ 1, 0 },
		{ GAPP_SPIN_CHECKED - 1, 0 },
		{ GAPP_SPIN_CHECKED, 0 },
		{ GAPP_SPIN_CHECKED + 1, 0 },
		{ 2 * GAPP_SPIN_CHECKED, 0 },
		{ 2 * GAPP_SPIN_CHECKED + 5, 0 },
		{ GAPP_SPIN_MAX_RANGES, 0 },
		{ 1, 1 },
		{ 1, GAPP_SPIN_CHECKED - 1 },
		{ 1, GAPP_SPIN_CHECKED },
		{ GAPP_SPIN_CHECKED - 1, 1 },
		{ GAPP_SPIN_CHECKED - 1, 2 },
		{ GAPP_SPIN_CHECKED, 1 },
		{ GAPP_SPIN_CHECKED + 5, 2 * GAPP_SPIN_CHECKED },
		{ GAPP_SPIN_MAX_RANGES, GAPP_SPIN_MAX_LOCATIONS },
	};
	struct rig rig = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < RIG_COUNT(counts); i++)
		check_pieces(&rig, counts[i][0], counts[i][1]);
	rig_done(&rig);
}

/* Row @row, which is wrong, is noticed in its piece and in no other. */
static void check_noticed(struct rig *rig, const struct filled *filled, u32 row)
{
	struct gapp_spin_table table;
	u32 next, begin;

	if (gapp_spin_table_open(&table, filled->head, filled->bytes))
		VEC_FAIL(rig, "row %u is wrong, which is not noticed", row);
	gapp_spin_table_parts(&table, filled->head, filled->bytes);
	for (next = 0; next + GAPP_SPIN_CHECKED <= row;) {
		begin = next;
		if (!gapp_spin_table_check(&table, &next) || next == begin) {
			VEC_FAIL(rig, "row %u is noticed too early", row);
			break;
		}
	}
	if (gapp_spin_table_check(&table, &next))
		VEC_FAIL(rig, "row %u is not noticed in its piece", row);
}

/* Rows at the edges of pieces. */
static const u32 edges[] = {
	0,
	1,
	GAPP_SPIN_CHECKED - 1,
	GAPP_SPIN_CHECKED,
	GAPP_SPIN_CHECKED + 1,
	2 * GAPP_SPIN_CHECKED - 1,
	2 * GAPP_SPIN_CHECKED,
	2 * GAPP_SPIN_CHECKED + 4,
};

/* A range that is wrong is noticed in whichever piece it is. */
static void test_wrong_range(void **state)
{
	struct filled filled = fill(2 * GAPP_SPIN_CHECKED + 5, 3);
	struct gapp_spin_range *ranges = filled.ranges;
	struct gapp_spin_table table;
	struct rig rig = { 0 };
	size_t i;
	u32 at;

	(void)state;
	for (i = 0; i < RIG_COUNT(edges); i++) {
		at = edges[i];
		ranges[at].bytes = 0;
		check_noticed(&rig, &filled, at);
		ranges[at].bytes = PLACE / 2;
		ranges[at].location = 4;
		check_noticed(&rig, &filled, at);
		ranges[at].location = 3;
		if (!at)
			continue;
		/* as long as to the next one, and then a byte more: also between two pieces */
		ranges[at - 1].bytes = PLACE;
		if (!gapp_spin_table_open(&table, filled.head, filled.bytes))
			VEC_FAIL(&rig, "range %u may begin where another ends", at);
		ranges[at - 1].bytes = PLACE + 1;
		check_noticed(&rig, &filled, at);
		ranges[at - 1].bytes = PLACE / 2;
	}
	if (!gapp_spin_table_open(&table, filled.head, filled.bytes))
		VEC_FAIL(&rig, "a good table is refused");
	free(filled.head);
	rig_done(&rig);
}

/* A location that is wrong is noticed in whichever piece it is, behind @ranges ranges. */
static void check_wrong_location(struct rig *rig, u32 ranges)
{
	const u32 rows = 2 * GAPP_SPIN_CHECKED + 5;
	struct filled filled = fill(ranges, rows - ranges);
	struct gapp_spin_table table;
	u32 at;
	size_t i;

	for (i = 0; i < RIG_COUNT(edges); i++) {
		if (edges[i] < ranges)
			continue;
		at = edges[i] - ranges;
		filled.locations[at].terms = 0;
		check_noticed(rig, &filled, edges[i]);
		filled.locations[at].terms = 1;
	}
	if (!gapp_spin_table_open(&table, filled.head, filled.bytes))
		VEC_FAIL(rig, "a good table of %u ranges is refused", ranges);
	free(filled.head);
}

static void test_wrong_location(void **state)
{
	static const u32 ranges[] = { 1, GAPP_SPIN_CHECKED - 1, GAPP_SPIN_CHECKED,
				      GAPP_SPIN_CHECKED + 1, 2 * GAPP_SPIN_CHECKED + 4 };
	struct rig rig = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < RIG_COUNT(ranges); i++)
		check_wrong_location(&rig, ranges[i]);
	rig_done(&rig);
}

/* A table of so many rows is refused by its head. */
static void check_too_many(struct rig *rig, u32 ranges, u32 locations)
{
	struct filled filled = fill(ranges, locations);
	struct gapp_spin_table table;

	if (gapp_spin_table_open(&table, filled.head, filled.bytes) ||
	    gapp_spin_table_bytes(filled.head))
		VEC_FAIL(rig, "%u ranges, %u locations are not refused", ranges, locations);
	free(filled.head);
}

/* The most ranges and locations that there can be, and one more of each. */
static void test_most(void **state)
{
	struct filled filled = fill(GAPP_SPIN_MAX_RANGES, GAPP_SPIN_MAX_LOCATIONS);
	struct gapp_spin_table table;
	struct rig rig = { 0 };
	const char *wrong;

	(void)state;
	check_too_many(&rig, GAPP_SPIN_MAX_RANGES + 1, 0);
	check_too_many(&rig, 1, GAPP_SPIN_MAX_LOCATIONS + 1);
	if (!gapp_spin_table_open(&table, filled.head, filled.bytes)) {
		VEC_FAIL(&rig, "as many rows as can be are refused");
	} else {
		wrong = spin_table_check(filled.head, filled.bytes, 12345 * PLACE + 7);
		if (wrong)
			VEC_FAIL(&rig, "%s", wrong);
		if (gapp_spin_table_location(&table, &filled.ranges[65534]) !=
		    &filled.locations[65534])
			VEC_FAIL(&rig, "not the last location");
	}
	free(filled.head);
	rig_done(&rig);
}

#define MOST_EXITS GAPP_SPIN_MAX_EXITS

static struct {
	struct gapp_spin_head head;
	struct gapp_spin_range range;
	struct gapp_spin_exit exits[MOST_EXITS + 1];
} with_exits;

/* Whether the table is taken that has the first @count exits. */
static bool takes_exits(u32 count)
{
	struct gapp_spin_table table;

	with_exits.head = (struct gapp_spin_head){ .magic = GAPP_SPIN_MAGIC,
						   .version = GAPP_SPIN_VERSION,
						   .arch = GAPP_ARCH_X86_64,
						   .ranges = 1,
						   .exits = count };
	with_exits.range = (struct gapp_spin_range){ .begin = 0x1000, .bytes = 1U << 20 };
	return gapp_spin_table_open(&table, &with_exits,
				    offsetof(typeof(with_exits), exits) +
					    count * sizeof(*with_exits.exits));
}

static void set_exit(u32 number, u32 loop, u64 address)
{
	with_exits.exits[number] = (struct gapp_spin_exit){ .address = address,
							    .loop = loop,
							    .stays = GAPP_SPIN_STAYS };
}

/* Exits are sorted by loop and address, each is there once, and there are not too many. */
static void test_exits(void **state)
{
	struct rig rig = { 0 };
	u32 i;

	(void)state;
	for (i = 0; i < 16; i++) {
		const u32 loop[] = { i & 1, i >> 1 & 1 };
		const u64 at[] = { 0x1000 + (i >> 2 & 1), 0x1000 + (i >> 3 & 1) };

		set_exit(0, loop[0], at[0]);
		set_exit(1, loop[1], at[1]);
		if (takes_exits(2) != (loop[0] * 2 + at[0] < loop[1] * 2 + at[1]))
			VEC_FAIL(&rig, "exits in order %u", i);
	}
	for (i = 0; i <= MOST_EXITS; i++)
		set_exit(i, i / 3, 0x1000 + i);
	if (!takes_exits(MOST_EXITS))
		VEC_FAIL(&rig, "%u exits are refused", MOST_EXITS);
	if (takes_exits(MOST_EXITS + 1))
		VEC_FAIL(&rig, "%u exits are taken", MOST_EXITS + 1);
	rig_done(&rig);
}

/* As the processor itself jumps. */
#define JUMP(name)                               \
	static bool jumps_##name(u64 flags)      \
	{                                        \
		bool jumps = false;              \
		asm volatile("push %1\n"         \
			     "popf\n"            \
			     "set" #name " %0\n" \
			     : "=r"(jumps)       \
			     : "r"(flags)        \
			     : "cc", "memory");  \
		return jumps;                    \
	}

#ifdef __x86_64__

JUMP(o)
JUMP(no)
JUMP(b)
JUMP(ae)
JUMP(e)
JUMP(ne)
JUMP(be)
JUMP(a)
JUMP(s)
JUMP(ns)
JUMP(p)
JUMP(np)
JUMP(l)
JUMP(ge)
JUMP(le)
JUMP(g)

/* Where a thread goes at an exit is where the processor goes, for all conditions and flags.
 */
static void test_stays(void **state)
{
	static bool (*const jumps[])(u64) = { jumps_o, jumps_no, jumps_b,  jumps_ae,
					      jumps_e, jumps_ne, jumps_be, jumps_a,
					      jumps_s, jumps_ns, jumps_p,  jumps_np,
					      jumps_l, jumps_ge, jumps_le, jumps_g };
	struct rig rig = { 0 };
	u32 some, condition;

	(void)state;
	for (some = 0; some < 32; some++)
		for (condition = 0; condition < 16; condition++) {
			const u64 flags = 0x202 | (some & 1) | (some & 2) << 1 | (some & 4) << 4 |
					  (some & 8) << 4 | (some & 16) << 7;
			const bool jumped = jumps[condition](flags);
			struct gapp_spin_exit exit = { .condition = condition };

			exit.stays = GAPP_SPIN_STAYS;
			if (gapp_spin_exit_stays(&exit, flags) == jumped)
				VEC_FAIL(&rig, "condition %u, flags 0x%llx", condition,
					 (unsigned long long)flags);
			exit.stays = GAPP_SPIN_STAYS_JUMPING;
			if (gapp_spin_exit_stays(&exit, flags) != jumped)
				VEC_FAIL(&rig, "condition %u, flags 0x%llx, jumping", condition,
					 (unsigned long long)flags);
			exit.stays = GAPP_SPIN_STAYS | GAPP_SPIN_STAYS_JUMPING;
			if (!gapp_spin_exit_stays(&exit, flags))
				VEC_FAIL(&rig, "condition %u: both ways stay", condition);
		}
	rig_done(&rig);
}

#endif

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
	rig_add(&group, "a wrong range in each piece", test_wrong_range, NULL);
	rig_add(&group, "a wrong location in each piece", test_wrong_location, NULL);
	rig_add(&group, "a spin table of the most rows", test_most, NULL);
	rig_add(&group, "exits in order", test_exits, NULL);
#ifdef __x86_64__
	rig_add(&group, "who stays at an exit", test_stays, NULL);
#endif
	return rig_run("spin_table", &group);
}
