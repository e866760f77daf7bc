// SPDX-License-Identifier: GPL-2.0
/* Figures of counters, and how they are written and read. */
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

#include "report/counter_figures.h"
#include "report/text_counts.h"

#define PROCESS 70

static struct gapp_thread_figures threads[] = {
	{ .tid = 1, .tgid = PROCESS, .comm = "old", .joined_ns = 1, .run_ns = NSEC_PER_SEC },
	{ .tid = 1, .tgid = PROCESS, .comm = "new", .joined_ns = 9 },
	{ .tid = 2, .tgid = PROCESS, .comm = "other", .run_ns = NSEC_PER_SEC },
};

static struct gapp_thread_figures processes[] = { { .tgid = PROCESS, .run_ns = 2 * NSEC_PER_SEC } };

/* Tallies of the module: faults, node loads that missed, node loads. */
static struct gapp_thread_tallies of_threads[] = {
	{ .tid = 1, .tgid = PROCESS, .counts = { 10, 20, 100 } },
	{ .tid = 2, .tgid = PROCESS, .counts = { 30, 50, 50 } },
	{ .tid = 0, .tgid = 0, .counts = { 5 } },
};

static struct gapp_cpu_tallies of_cpus[] = {
	{ .cpu = 0, .counts = { 40, 20, 80 } },
	{ .cpu = 1, .counts = { 3, 50, 60 } },
	{ .cpu = 2, .counts = { 9, 10, 30 } },
	{ .cpu = 3 },
};

/* CPU 0 and 2 are on node 4, 1 on node 0; of 3 nothing is known. */
static struct cpu_range ranges[] = { { 0, 1, 4 }, { 1, 1, 0 }, { 2, 1, 4 } };
static const struct cpu_nodes nodes = { .ranges = ranges, .count = 3 };

static struct results made(const char *list)
{
	struct results results = {
		.model = { .threads = threads,
			   .thread_count = ARRAY_SIZE(threads),
			   .processes = processes,
			   .process_count = ARRAY_SIZE(processes) },
		.counted = { .threads = of_threads,
			     .thread_count = ARRAY_SIZE(of_threads),
			     .cpus = of_cpus,
			     .cpu_count = ARRAY_SIZE(of_cpus),
			     .nodes = &nodes },
	};

	assert_int_equal(tallies_parse(&results.counted.asked, list), 0);
	return results;
}

static struct counter_figures figures_of(const struct results *results)
{
	struct counter_figures figures;

	assert_int_equal(counter_figures_make(&figures, results), 0);
	return figures;
}

static void totals_are_those_of_cpus(void **state)
{
	struct results results = made("faults,remote-memory,local-memory");
	struct counter_figures figures = figures_of(&results);

	assert_true(figures.known);
	assert_int_equal(figures.column_count, 3);
	assert_int_equal(figures.total.counts[0], 52);
	assert_int_equal(figures.total.counts[1], 80);
	assert_int_equal(figures.total.counts[2], 90);
	assert_true(figures.total.local_known);
	assert_true(figures.total.local_percent > 52.9 && figures.total.local_percent < 53);
	assert_int_equal(figures.on_cpu_ns, 4 * NSEC_PER_SEC);
	assert_false(counter_figures_miss(&figures));
	counter_figures_free(&figures);
}

static void threads_have_rows_and_names(void **state)
{
	struct results results = made("faults,remote-memory,local-memory");
	struct counter_figures figures = figures_of(&results);

	assert_int_equal(figures.thread_count, 3);
	assert_int_equal(figures.threads[0].tid, 2);
	assert_string_equal(figures.threads[0].comm, "other");
	assert_int_equal(figures.threads[0].counts[0], 30);
	assert_int_equal(figures.threads[0].counts[2], 0);
	assert_true(figures.threads[0].local_known);
	assert_true(figures.threads[0].local_percent == 0);
	/* the last one that had the id */
	assert_string_equal(figures.threads[1].comm, "new");
	assert_true(figures.threads[1].local_percent == 80);
	/* nobody knows the name of what has no id here */
	assert_null(figures.threads[2].comm);
	assert_false(figures.threads[2].local_known);
	counter_figures_free(&figures);
}

static void others_are_what_no_row_has(void **state)
{
	struct results results = made("faults,remote-memory,local-memory");
	struct counter_figures figures = figures_of(&results);

	assert_true(figures.has_others);
	assert_int_equal(figures.others.counts[0], 52 - 45);
	assert_int_equal(figures.others.counts[1], 80 - 70);
	assert_int_equal(figures.others.counts[2], (170 - 150) - (80 - 70));
	counter_figures_free(&figures);

	/* a file that was made up may have more in its rows */
	of_cpus[0].counts[0] = 1;
	of_cpus[0].counts[1] = 0;
	of_cpus[0].counts[2] = 0;
	figures = figures_of(&results);
	assert_int_equal(figures.others.counts[0], 0);
	assert_false(figures.has_others);
	counter_figures_free(&figures);
	of_cpus[0] = (struct gapp_cpu_tallies){ .cpu = 0, .counts = { 40, 20, 80 } };
}

static void nodes_have_sums(void **state)
{
	struct results results = made("faults,remote-memory,local-memory");
	struct counter_figures figures = figures_of(&results);

	/* CPU 3 is not online, and has nothing */
	assert_int_equal(figures.node_count, 2);
	assert_int_equal(figures.nodes[0].node, 0);
	assert_int_equal(figures.nodes[0].counts[0], 3);
	assert_int_equal(figures.nodes[1].node, 4);
	assert_int_equal(figures.nodes[1].counts[0], 49);
	assert_int_equal(figures.nodes[1].counts[1], 30);
	assert_int_equal(figures.nodes[1].counts[2], 80);
	counter_figures_free(&figures);

	of_cpus[3].counts[0] = 1;
	figures = figures_of(&results);
	assert_int_equal(figures.node_count, 3);
	assert_int_equal(figures.nodes[2].node, CPU_NODE_UNKNOWN);
	counter_figures_free(&figures);
	of_cpus[3].counts[0] = 0;

	results.counted.nodes = NULL;
	figures = figures_of(&results);
	assert_int_equal(figures.node_count, 0);
	counter_figures_free(&figures);
}

/* The module numbers what it counts: node loads are its first tally then. */
static void refused_counters_have_no_column(void **state)
{
	struct results results = made("cycles,faults,remote-memory");
	struct counter_figures figures;

	results.counted.asked.asked[0].refused = EPERM;
	figures = figures_of(&results);
	assert_int_equal(figures.column_count, 2);
	assert_int_equal(figures.columns[0], 1);
	assert_int_equal(figures.total.counts[1], 52);
	assert_int_equal(figures.total.counts[2], 80);
	assert_false(counter_figures_have_local(&figures));
	assert_false(figures.total.local_known);
	counter_figures_free(&figures);
}

static void what_lacks_something_is_marked(void **state)
{
	struct results results = made("faults,remote-memory,local-memory");
	struct counter_figures figures;

	/* the loads that missed are subtracted, too */
	of_threads[1].uncounted = 2;
	of_cpus[1].uncounted = 1;
	figures = figures_of(&results);
	assert_int_equal(figures.threads[0].missing, 6);
	assert_int_equal(figures.threads[1].missing, 0);
	assert_int_equal(figures.nodes[0].missing, 1);
	assert_int_equal(figures.nodes[1].missing, 0);
	assert_int_equal(figures.total.missing, 7);
	assert_true(counter_figures_miss(&figures));
	assert_string_equal(text_missing(&figures, &figures.total, 1), ">=");
	assert_string_equal(text_missing(&figures, &figures.total, 2), "~");
	assert_string_equal(text_missing(&figures, &figures.nodes[0], 1), "");
	counter_figures_free(&figures);
	of_threads[1].uncounted = 0;
	of_cpus[1].uncounted = 0;
}

static void without_cpus_nothing_is_known(void **state)
{
	struct results results = made("faults");
	struct counter_figures figures;

	results.counted.cpu_count = 0;
	figures = figures_of(&results);
	assert_false(figures.known);
	assert_int_equal(figures.thread_count, 0);
	counter_figures_free(&figures);
}

static void counts_are_short(void **state)
{
	const struct {
		u64 count;
		const char *text;
	} all[] = {
		{ 0, "0" },
		{ 9999, "9999" },
		{ 10000, "10.0k" },
		{ 123456, "123k" },
		{ 999499, "999k" },
		{ 999500, "1.00M" },
		{ 1234567, "1.23M" },
		{ 9994999999, "9.99G" },
		{ 9995000000, "10.0G" },
		{ 99950000000, "100G" },
		{ UINT64_MAX, "18.4E" },
	};
	char buffer[TEXT_COUNT_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		assert_string_equal(text_count(buffer, all[i].count), all[i].text);
}

/* Writes blocks, and reads them. Returns how many were damaged. */
static u64 reread(void (*write)(struct blocks_writer *writer), struct counted *counted)
{
	struct blocks_writer writer = { 0 };
	int fd = memfd_create("recording", 0);
	struct blocks *blocks;
	char path[32];
	u64 damaged;

	assert_int_equal(blocks_begin(&writer, fd), 0);
	write(&writer);
	assert_int_equal(blocks_end(&writer), 0);
	blocks_free(&writer);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	blocks = blocks_open(path);
	assert_non_null(blocks);
	assert_int_equal(counted_read(blocks, counted), 0);
	damaged = blocks_health(blocks)->damaged;
	blocks_close(blocks);
	close(fd);
	return damaged;
}

static struct counted saved;

static void save_once(struct blocks_writer *writer)
{
	counted_save(&saved, writer);
}

static void save_twice(struct blocks_writer *writer)
{
	counted_save(&saved, writer);
	counted_save(&saved, writer);
}

static void what_was_asked_is_read_back(void **state)
{
	struct counted read = { 0 };

	saved.asked = made("all").counted.asked;
	saved.asked.asked[3].refused = EBUSY;
	assert_int_equal(reread(save_once, &read), 0);
	assert_memory_equal(&read.asked, &saved.asked, sizeof(saved.asked));
}

static void a_second_block_is_refused(void **state)
{
	struct counted read = { 0 };

	saved.asked = made("faults").counted.asked;
	assert_int_equal(reread(save_twice, &read), 1);
	assert_int_equal(read.asked.count, 1);
}

static const u64 *numbers;
static size_t number_count;
static const char *name;

/* Numbers, a name behind the first ones, and numbers. */
static void save_numbers(struct blocks_writer *writer)
{
	struct pack *pack;

	blocks_section(writer, BLOCK_COUNTERS);
	pack = blocks_item(writer);
	for (size_t i = 0; i < number_count; i++) {
		if (i == 6)
			pack_text(pack, name);
		pack_u64(pack, numbers[i]);
	}
	blocks_item_end(writer);
}

static bool makes_sense(const char *of, const u64 *all, size_t count)
{
	struct counted read = { 0 };
	u64 damaged;

	name = of;
	numbers = all;
	number_count = count;
	damaged = reread(save_numbers, &read);
	assert_int_equal(read.asked.count, !damaged);
	return !damaged;
}

static void made_up_counters_are_refused(void **state)
{
	/* tallies, source, type, config, refused; counters, name, plus, minus and 1 */
	const u64 good[] = { 1, 0, 0, 0, 0, 1, 0, 0 };

	assert_true(makes_sense("faults", good, 8));
	assert_false(makes_sense("faults", good, 7));
	assert_false(makes_sense("faults", good, 3));
	assert_false(makes_sense("a\"b", good, 8));
	assert_false(makes_sense("", good, 8));
	assert_false(makes_sense(NULL, good, 8));
	assert_false(makes_sense("a-name-of-24-bytes-is-too", good, 8));
	assert_false(makes_sense("x", (const u64[]){ 9, 0, 0, 0, 0, 1, 0, 0 }, 8));
	assert_false(makes_sense("x", (const u64[]){ 1, 0, 0, 0, 4097, 1, 0, 0 }, 8));
	assert_false(makes_sense("x", (const u64[]){ 1, 0, 0, 0, 0, 9, 0, 0 }, 8));
	assert_false(makes_sense("x", (const u64[]){ 1, 0, 0, 0, 0, 1, 1, 0 }, 8));
	assert_false(makes_sense("x", (const u64[]){ 1, 0, 0, 0, 0, 1, 0, 2 }, 8));
	assert_true(makes_sense("x", (const u64[]){ 1, 0, 0, 0, 0, 1, 0, 1 }, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_are_those_of_cpus),
		cmocka_unit_test(threads_have_rows_and_names),
		cmocka_unit_test(others_are_what_no_row_has),
		cmocka_unit_test(nodes_have_sums),
		cmocka_unit_test(refused_counters_have_no_column),
		cmocka_unit_test(what_lacks_something_is_marked),
		cmocka_unit_test(without_cpus_nothing_is_known),
		cmocka_unit_test(counts_are_short),
		cmocka_unit_test(what_was_asked_is_read_back),
		cmocka_unit_test(a_second_block_is_refused),
		cmocka_unit_test(made_up_counters_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
