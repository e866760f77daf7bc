// SPDX-License-Identifier: GPL-2.0
/* Counters over time: points, which are written, read and thinned, and the steps between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/counters_over_time.h"

#define START 1000
#define SECOND NSEC_PER_SEC

/* CPU 0 and 2 are on node 4, 1 on node 0; of 3 nothing is known. */
static struct cpu_range ranges[] = { { 0, 1, 4 }, { 1, 1, 0 }, { 2, 1, 4 } };
static const struct cpu_nodes nodes = { .ranges = ranges, .count = 3 };

/* Points of two tallies on so many nodes, one after the other. */
static struct node_tallies rows[3];
static struct counter_point point = { .rows = rows };

static const struct counter_point *point_at(u64 time_ns, u32 count, const u64 *first,
					    const u64 *second)
{
	point.time_ns = time_ns;
	point.count = count;
	for (u32 i = 0; i < count; i++)
		rows[i] = (struct node_tallies){ .node = i, .counts = { first[i], second[i] } };
	return &point;
}

static void cpus_are_added_up_by_node(void **state)
{
	const struct gapp_cpu_tallies cpus[] = {
		{ .cpu = 0, .counts = { 1, 10 }, .uncounted = 2 },
		{ .cpu = 1, .counts = { 2, 20 } },
		{ .cpu = 2, .counts = { 4, 40 }, .uncounted = 1 },
		{ .cpu = 3 },
	};
	struct gapp_cpu_tallies unknown = { .cpu = 9, .counts = { 8 } };
	struct counter_point of = { 0 };
	struct node_tallies sum;

	assert_int_equal(counter_point_set(&of, 77, cpus, 4, &nodes), 0);
	assert_int_equal(of.time_ns, 77);
	assert_int_equal(of.count, 2);
	assert_int_equal(of.rows[0].node, 0);
	assert_int_equal(of.rows[0].counts[1], 20);
	assert_int_equal(of.rows[0].uncounted, 0);
	assert_int_equal(of.rows[1].node, 4);
	assert_int_equal(of.rows[1].counts[0], 5);
	assert_int_equal(of.rows[1].counts[1], 50);
	assert_int_equal(of.rows[1].uncounted, 3);
	assert_ptr_equal(counter_point_row(&of, 4), &of.rows[1]);
	assert_null(counter_point_row(&of, 1));
	sum = counter_point_sum(&of);
	assert_int_equal(sum.counts[0], 7);
	assert_int_equal(sum.counts[1], 70);
	assert_int_equal(sum.uncounted, 3);

	/* without nodes all is of one row; anew, not added to what was there */
	assert_int_equal(counter_point_set(&of, 78, cpus, 4, NULL), 0);
	assert_int_equal(of.count, 1);
	assert_int_equal(of.rows[0].node, CPU_NODE_UNKNOWN);
	assert_int_equal(of.rows[0].counts[0], 7);
	assert_int_equal(counter_point_set(&of, 79, &unknown, 1, &nodes), 0);
	assert_int_equal(of.count, 1);
	assert_int_equal(of.rows[0].node, CPU_NODE_UNKNOWN);
	counter_point_free(&of);
}

/* Points that were read. */
static struct counter_point got[64];
static u32 got_count;

static int get(void *context, const struct counter_point *one)
{
	assert_in_range(got_count, 0, ARRAY_SIZE(got) - 1);
	return counter_point_copy(&got[got_count++], one);
}

static void forget(void)
{
	while (got_count)
		counter_point_free(&got[--got_count]);
}

/* Reads what @write has written; returns how many blocks are damaged. */
static u64 reread(void (*write)(struct blocks_writer *writer))
{
	struct blocks_writer writer = { 0 };
	int fd = memfd_create("recording", 0);
	struct blocks *blocks;
	char path[32];
	u64 damaged;

	forget();
	assert_int_equal(blocks_begin(&writer, fd), 0);
	write(&writer);
	assert_int_equal(blocks_end(&writer), 0);
	blocks_free(&writer);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	blocks = blocks_open(path);
	assert_non_null(blocks);
	assert_int_equal(counter_points_each(blocks, get, NULL), 0);
	damaged = blocks_health(blocks)->damaged;
	blocks_close(blocks);
	close(fd);
	return damaged;
}

static struct counter_point *points;
static u32 point_count;
static u32 block_points; /* in each block */

static void save_points(struct blocks_writer *writer)
{
	struct blocks_aside aside = { .type = BLOCK_NODE_TALLIES };

	for (u32 i = 0; i < point_count; i++) {
		counter_point_pack(&points[i], 2, &aside.pack);
		blocks_aside_end(writer, &aside);
		if ((i + 1) % block_points == 0)
			blocks_aside_flush(writer, &aside);
	}
	blocks_aside_flush(writer, &aside);
	pack_free(&aside.pack);
}

static u64 save(struct counter_point *all, u32 count, u32 a_block)
{
	points = all;
	point_count = count;
	block_points = a_block;
	return reread(save_points);
}

static void points_are_read_back(void **state)
{
	struct node_tallies a[] = { { .node = 0, .counts = { 1, 2 } },
				    { .node = 7, .uncounted = 2, .counts = { UINT64_MAX, 3 } } };
	struct node_tallies b[] = { { .node = 0, .counts = { 1, 2 } },
				    { .node = 7, .uncounted = 3, .counts = { UINT64_MAX, 4 } },
				    { .node = CPU_NODE_UNKNOWN, .counts = { 5 } } };
	struct counter_point all[] = {
		{ .time_ns = 5, .rows = a, .count = 2 },
		{ .time_ns = COUNTER_TIME_MAX, .rows = b, .count = 3 },
	};

	for (u32 a_block = 1; a_block <= 2; a_block++) {
		assert_int_equal(save(all, 2, a_block), 0);
		assert_int_equal(got_count, 2);
		assert_int_equal(got[0].time_ns, 5);
		assert_int_equal(got[0].count, 2);
		assert_memory_equal(got[0].rows, a, sizeof(a));
		assert_int_equal(got[1].time_ns, COUNTER_TIME_MAX);
		assert_memory_equal(got[1].rows, b, sizeof(b));
	}
}

/* Whether the file is whole whose second block has such a point behind @first. */
static bool goes_on(struct counter_point first, struct counter_point second)
{
	struct counter_point all[] = { first, second };
	u64 damaged = save(all, 2, 1);

	assert_int_equal(damaged + got_count, 2);
	/* and in one block it takes the other one with it */
	assert_int_equal(save(all, 2, 2), damaged);
	assert_int_equal(got_count, damaged ? 0 : 2);
	return !damaged;
}

static void made_up_points_are_refused(void **state)
{
	struct node_tallies few[] = { { .node = 1, .counts = { 5, 5 } } };
	struct node_tallies more[] = { { .node = 1, .counts = { 5, 6 } } };
	struct node_tallies less[] = { { .node = 1, .counts = { 5, 4 } } };
	struct node_tallies other[] = { { .node = 2, .counts = { 9, 9 } } };
	struct node_tallies twice[] = { { .node = 1, .counts = { 5, 5 } },
					{ .node = 1, .counts = { 5, 5 } } };
	struct node_tallies turned[] = { { .node = 2 }, { .node = 1, .counts = { 5, 5 } } };
	const struct counter_point first = { .time_ns = 50, .rows = few, .count = 1 };

	assert_true(goes_on(first, (struct counter_point){ 51, more, 1, 0 }));
	assert_true(goes_on(first, (struct counter_point){ 51, few, 1, 0 }));
	assert_false(goes_on(first, (struct counter_point){ 50, more, 1, 0 }));
	assert_false(goes_on(first, (struct counter_point){ 49, more, 1, 0 }));
	assert_false(goes_on(first, (struct counter_point){ 51, less, 1, 0 }));
	assert_false(goes_on(first, (struct counter_point){ 51, other, 1, 0 }));
	assert_false(goes_on(first, (struct counter_point){ 51, twice, 2, 0 }));
	assert_false(goes_on(first, (struct counter_point){ 51, turned, 2, 0 }));
	assert_false(goes_on(first, (struct counter_point){ COUNTER_TIME_MAX + 1, more, 1, 0 }));
	assert_false(goes_on(first, (struct counter_point){ 51, NULL, 0, 0 }));
}

static const u64 *numbers;
static size_t number_count;

static void save_numbers(struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_NODE_TALLIES);
	for (size_t i = 0; i < number_count; i++)
		pack_u64(blocks_item(writer), numbers[i]);
	blocks_item_end(writer);
}

static bool makes_sense(const u64 *all, size_t count)
{
	numbers = all;
	number_count = count;
	return !reread(save_numbers);
}

static void damaged_points_are_refused(void **state)
{
	/* time, tallies, nodes; node and 1, what is missing, counts */
	const u64 good[] = { 9, 2, 1, 1, 0, 3, 4 };

	assert_true(makes_sense(good, 7));
	for (size_t count = 1; count < 7; count++)
		assert_false(makes_sense(good, count));
	assert_true(makes_sense((const u64[]){ 9, 0, 0 }, 3));
	assert_false(makes_sense((const u64[]){ 9, 9, 1, 1, 0, 3, 4 }, 7));
	assert_false(makes_sense((const u64[]){ 9, 0, COUNTER_NODES_MAX + 1 }, 3));
	assert_false(makes_sense((const u64[]){ 9, 0, 1, 1, 1ULL << 32 }, 5));
	assert_false(makes_sense((const u64[]){ 9, 0, 1, 1ULL << 32, 0 }, 5));
	forget();
}

static void add_points(struct counter_series *series, u32 count, u32 of_nodes, u32 tallies)
{
	for (u32 i = 1; i <= count; i++)
		assert_int_equal(counter_series_add(series,
						    point_at(START + i * SECOND, of_nodes,
							     (const u64[]){ i, 2 * i, 4 * i },
							     (const u64[]){ 0, 0, 0 }),
						    tallies),
				 0);
}

static void series_stay_small(void **state)
{
	struct counter_series series = { 0 }, copy;

	add_points(&series, SERIES_POINTS_MAX, 1, 2);
	assert_int_equal(series.count, SERIES_POINTS_MAX);
	counter_series_free(&series);
	for (u32 count = 1; count < 5000; count += 331) {
		add_points(&series, count, 3, 2);
		assert_in_range(series.count, count < SERIES_POINTS_MAX ? count : 256,
				SERIES_POINTS_MAX);
		/* each is one that was there, and the last one is the last */
		for (u32 i = 0; i < series.count; i++) {
			const struct counter_point *one = &series.points[i];

			assert_int_equal(one->rows[2].counts[0],
					 4 * ((one->time_ns - START) / SECOND));
			assert_true(!i || one->time_ns > series.points[i - 1].time_ns);
		}
		assert_int_equal(series.points[series.count - 1].rows[0].counts[0], count);
		assert_int_equal(counter_series_copy(&copy, &series), 0);
		assert_int_equal(copy.count, series.count);
		assert_int_equal(copy.points[copy.count - 1].rows[1].counts[0], 2 * count);
		counter_series_free(&copy);
		counter_series_free(&series);
	}
}

static void many_nodes_have_fewer_points(void **state)
{
	struct node_tallies *many = calloc(COUNTER_NODES_MAX, sizeof(*many));
	struct counter_point wide = { .rows = many, .count = COUNTER_NODES_MAX };
	struct counter_series series = { 0 };

	for (u32 i = 0; i < COUNTER_NODES_MAX; i++)
		many[i].node = i;
	/* nodes that come late find many points */
	add_points(&series, 500, 1, 8);
	for (u32 i = 0; i < 100; i++) {
		wide.time_ns = START + (1000 + i) * SECOND;
		assert_int_equal(counter_series_add(&series, &wide, 8), 0);
		assert_in_range(series.count, SERIES_POINTS_LEAST / 2, SERIES_POINTS_LEAST);
	}
	counter_series_free(&series);
	free(many);
}

static struct results made(const char *list)
{
	struct results results = { .model = { .status = { .start_ns = START } } };

	assert_int_equal(tallies_parse(&results.counted.asked, list), 0);
	return results;
}

static void add(struct results *results, const struct counter_point *one)
{
	assert_int_equal(counter_series_add(&results->counted.series, one, 2), 0);
}

/* Of node loads those that missed come first, as the module is asked for them. */
static void steps_are_differences(void **state)
{
	struct results results = made("remote-memory,local-memory");
	struct counters_over_time over;
	const struct counter_row *row;

	/* before the begin nothing is counted */
	add(&results, point_at(START, 2, (const u64[]){ 0, 0 }, (const u64[]){ 0, 0 }));
	add(&results, point_at(START + SECOND, 2, (const u64[]){ 10, 0 }, (const u64[]){ 40, 0 }));
	add(&results,
	    point_at(START + 3 * SECOND, 2, (const u64[]){ 10, 5 }, (const u64[]){ 40, 10 }));
	results.counted.series.points[2].rows[1].uncounted = 1;
	assert_int_equal(counters_over_time_make(&over, &results), 0);
	assert_int_equal(over.start_ns, START);
	assert_int_equal(over.steps, 2);
	assert_int_equal(over.node_count, 2);
	assert_int_equal(over.end_ns[0], START + SECOND);
	assert_int_equal(over.end_ns[1], START + 3 * SECOND);
	row = counters_over_time_row(&over, 0, 0);
	assert_int_equal(row->counts[0], 10);
	assert_int_equal(row->counts[1], 30);
	assert_true(row->local_known && row->local_percent == 75);
	row = counters_over_time_row(&over, 0, 1);
	assert_int_equal(row->counts[0], 0);
	assert_false(row->local_known);
	row = counters_over_time_row(&over, 1, 1);
	assert_int_equal(row->counts[0], 5);
	assert_true(row->local_known && row->local_percent == 50);
	assert_int_equal(row->missing, 3);
	row = counters_over_time_row(&over, -1, 1);
	assert_int_equal(row->counts[1], 5);
	assert_int_equal(row->missing, 3);
	assert_int_equal(counters_over_time_row(&over, -1, 0)->missing, 0);
	counters_over_time_free(&over);
	counter_series_free(&results.counted.series);
}

/* Returns the sum of a counter over all steps and nodes. */
static u64 sum_of(const struct counters_over_time *over, u32 counter)
{
	u64 sum = 0;

	for (u32 i = 0; i < over->steps; i++)
		for (u32 j = 0; j < over->node_count; j++)
			sum += counters_over_time_row(over, j, i)->counts[counter];
	return sum;
}

static void steps_add_up_however_long(void **state)
{
	struct results results = made("faults,migrations");
	struct counters_over_time over;

	add_points(&results.counted.series, 1234, 3, 2);
	assert_int_equal(counters_over_time_make(&over, &results), 0);
	assert_in_range(over.steps, 200, 512);
	assert_int_equal(over.node_count, 3);
	assert_int_equal(sum_of(&over, 0), 7 * 1234);
	assert_int_equal(sum_of(&over, 1), 0);
	counters_over_time_free(&over);
	counter_series_free(&results.counted.series);
}

static void a_node_may_come_later(void **state)
{
	struct results results = made("faults");
	struct counters_over_time over;

	add(&results, point_at(START + 1, 1, (const u64[]){ 4 }, (const u64[]){ 0 }));
	add(&results, point_at(START + 2, 2, (const u64[]){ 5, 7 }, (const u64[]){ 0, 0 }));
	assert_int_equal(counters_over_time_make(&over, &results), 0);
	assert_int_equal(over.node_count, 2);
	assert_int_equal(counters_over_time_row(&over, 1, 0)->counts[0], 0);
	assert_int_equal(counters_over_time_row(&over, 1, 1)->counts[0], 7);
	assert_int_equal(counters_over_time_row(&over, -1, 1)->counts[0], 8);
	counters_over_time_free(&over);
	counter_series_free(&results.counted.series);
}

static void unknown_nodes_are_no_rows(void **state)
{
	struct results results = made("faults");
	struct counters_over_time over;

	add(&results, point_at(START + 1, 1, (const u64[]){ 4 }, (const u64[]){ 0 }));
	results.counted.series.points[0].rows[0].node = CPU_NODE_UNKNOWN;
	assert_int_equal(counters_over_time_make(&over, &results), 0);
	assert_int_equal(over.node_count, 0);
	assert_int_equal(counters_over_time_row(&over, -1, 0)->counts[0], 4);
	counters_over_time_free(&over);

	/* what is not counted has no steps */
	results.counted.asked.asked[0].refused = EPERM;
	assert_false(counter_steps_any(&results));
	assert_int_equal(counters_over_time_make(&over, &results), 0);
	assert_int_equal(over.steps, 0);
	counters_over_time_free(&over);
	counter_series_free(&results.counted.series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_added_up_by_node),
		cmocka_unit_test(points_are_read_back),
		cmocka_unit_test(made_up_points_are_refused),
		cmocka_unit_test(damaged_points_are_refused),
		cmocka_unit_test(series_stay_small),
		cmocka_unit_test(many_nodes_have_fewer_points),
		cmocka_unit_test(steps_are_differences),
		cmocka_unit_test(steps_add_up_however_long),
		cmocka_unit_test(a_node_may_come_later),
		cmocka_unit_test(unknown_nodes_are_no_rows),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
