// SPDX-License-Identifier: GPL-2.0
/* kmod/core/handovers.c: the table of handovers, against a list of all of them. */
#include "rig.h"

#include "handovers.h"
#include "random.h"

#define RUNS 100
#define EVENTS 4000
#define KEYS 3000
#define PROCESSES 0x0000000700000008ULL

static struct gapp_handovers table;

static struct gapp_handover_key key(u32 from, u32 to, u64 from_ip, u64 to_ip)
{
	return (struct gapp_handover_key){
		.threads = gapp_handover_pair(from, to),
		.images = gapp_handover_pair(1, 2),
		.from_ip = from_ip,
		.to_ip = to_ip,
	};
}

/* As the switch does it. */
static void happens(const struct gapp_handover_key *what, u64 t)
{
	const u32 place = gapp_handover_place(what);

	if (!gapp_handovers_count(&table, place, what, t))
		gapp_handovers_add(&table, place, what, PROCESSES, t);
}

/* What the table says of a key; zero if it has no row. */
static struct gapp_handover find(const struct gapp_handover_key *what)
{
	struct gapp_handover found = { 0 }, row;
	u32 i;

	for (i = 0; i < GAPP_HANDOVER_ROWS; i++) {
		if (!gapp_handovers_read(&table, i, &row) ||
		    gapp_handover_pair(row.from_tid, row.to_tid) != what->threads ||
		    gapp_handover_pair(row.from_image, row.to_image) != what->images ||
		    row.from_ip != what->from_ip || row.to_ip != what->to_ip)
			continue;
		assert_int_equal(found.count, 0); /* a key has one row */
		found = row;
	}
	return found;
}

/* Both threads, processes, address spaces and addresses are told apart, and which is which. */
static void test_members(void **state)
{
	const struct gapp_handover_key keys[] = {
		key(1, 2, 0x401000, 0x402000),
		key(2, 1, 0x401000, 0x402000),
		key(1, 3, 0x401000, 0x402000),
		key(1, 2, 0x401002, 0x402000),
		key(1, 2, 0x401000, 0x402002),
		key(1, 2, 0, 0),
		{ gapp_handover_pair(1, 2), gapp_handover_pair(1, 3), 0x401000, 0x402000 },
	};
	struct gapp_handover row;
	u32 i, j;

	(void)state;
	memset(&table, 0, sizeof(table));
	for (i = 0; i < RIG_COUNT(keys); i++)
		for (j = 0; j <= i; j++)
			happens(&keys[i], 100 * i + j);
	for (i = 0; i < RIG_COUNT(keys); i++) {
		row = find(&keys[i]);
		assert_int_equal(row.count, i + 1);
		assert_int_equal(row.last_ns, 101 * i);
		assert_int_equal(row.from_tgid, 7);
		assert_int_equal(row.to_tgid, 8);
		assert_int_equal(row.flags, 0);
	}
	row = find(&keys[0]);
	assert_int_equal(row.from_tid, 1);
	assert_int_equal(row.to_tid, 2);
	assert_int_equal(row.from_image, 1);
	assert_int_equal(row.to_image, 2);
	assert_false(gapp_handovers_read(&table, GAPP_HANDOVER_ROWS, &row));
}

/* Keys that have one place take the rows behind it, beyond the end the first ones, or are lost. */
static void test_crowded(void **state)
{
	struct gapp_handover_key keys[GAPP_HANDOVER_PROBES + 2];
	struct gapp_handover row;
	u32 count = 0, i, tid;

	(void)state;
	memset(&table, 0, sizeof(table));
	for (tid = 1; count < RIG_COUNT(keys); tid++) {
		keys[count] = key(tid, 1, 0x1000, 0x2000);
		count += gapp_handover_place(&keys[count]) == GAPP_HANDOVER_ROWS - 2;
	}
	for (i = 0; i < count; i++) {
		happens(&keys[i], i);
		happens(&keys[i], 10 + i);
	}
	for (i = 0; i < count; i++)
		assert_int_equal(find(&keys[i]).count, i < GAPP_HANDOVER_PROBES ? 2 : 0);
	assert_true(gapp_handovers_read(&table, 0, &row));
	assert_int_equal(row.from_tid, keys[2].threads >> 32);
	assert_false(gapp_handovers_read(&table, GAPP_HANDOVER_PROBES - 2, &row));
	assert_true(gapp_handovers_read(&table, GAPP_HANDOVER_ROWS, &row));
	assert_int_equal(row.flags, GAPP_HANDOVER_LOST);
	assert_int_equal(row.count, 4);
	assert_int_equal(row.last_ns, 10 + count - 1);
	assert_int_equal(row.from_tid | row.to_tid, 0);
}

/* Rows of a loop of two threads are not in each other's way. */
static void test_spread(void **state)
{
	struct gapp_handover row;
	u32 from, to, lost = 0;

	(void)state;
	memset(&table, 0, sizeof(table));
	for (from = 0; from < 16; from++)
		for (to = 0; to < 16; to++) {
			const struct gapp_handover_key one =
				key(1000 + from, 1000 + to, 0x7f0011223344, 0x7f0011223344);

			happens(&one, 1);
		}
	if (gapp_handovers_read(&table, GAPP_HANDOVER_ROWS, &row))
		lost = row.count;
	assert_in_range(lost, 0, 2);
}

/* Random handovers against a list of counts: each row is right, and the sum is all of them. */
static void test_any_handovers(void **state)
{
	u64 random = from_environment("PROPERTY_SEED", 1), counts[KEYS], last[KEYS], sum;
	struct gapp_handover_key keys[KEYS];
	struct gapp_handover row;
	u32 run, i, used;

	(void)state;
	for (run = 0; run < RUNS; run++) {
		used = 1 + random_below(&random, KEYS);
		memset(&table, 0, sizeof(table));
		memset(counts, 0, sizeof(counts));
		for (i = 0; i < used; i++)
			/* keys that differ in one member alone meet */
			keys[i] =
				key(1 + i % 4, 5 + i / 4 % 2, i / 8 % 16 << 4, (u64)(i / 128) << 4);
		for (i = 0; i < EVENTS; i++) {
			const u32 which = random_below(&random, used);

			happens(&keys[which], i + 1);
			counts[which]++;
			last[which] = i + 1;
		}
		for (i = 0, sum = 0; i < used; i++) {
			row = find(&keys[i]);
			sum += row.count;
			/* a key that found no room at first finds none later */
			assert_true(!row.count || row.count == counts[i]);
			assert_true(!row.count || row.last_ns == last[i]);
		}
		if (gapp_handovers_read(&table, GAPP_HANDOVER_ROWS, &row))
			sum += row.count;
		assert_int_equal(sum, EVENTS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_crowded),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_any_handovers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
