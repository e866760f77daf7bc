// SPDX-License-Identifier: GPL-2.0
/* NUMA nodes of CPUs: a folder as the kernel has it, and bytes of a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "input/cpu_nodes.h"

static char folder[32];

static void write_file(const char *node, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, node);
	assert_int_equal(mkdir(path, 0700), 0);
	if (!text)
		return;
	snprintf(path, sizeof(path), "%s/%s/cpulist", folder, node);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void remove_all(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void check(const struct cpu_nodes *nodes, const u32 *wanted, u32 cpus)
{
	for (u32 i = 0; i < cpus; i++)
		assert_int_equal(cpu_nodes_of(nodes, i), wanted[i]);
}

static void the_kernels_folder_is_read(void **state)
{
	static const u32 wanted[] = { 1, 1, CPU_NODE_UNKNOWN, 12, 12, 1, 12, CPU_NODE_UNKNOWN };
	struct cpu_nodes nodes, again = { 0 };
	struct pack pack = { 0 };
	struct unpack unpack;

	strcpy(folder, "/tmp/gapp-nodes.XXXXXX");
	assert_non_null(mkdtemp(folder));
	write_file("node1", "0-1,5\n");
	write_file("node12", "3-4,6\n");
	/* memory without a CPU */
	write_file("node2", "\n");
	write_file("node3", "x-9\n");
	write_file("node4", "9-7,99999999999\n");
	write_file("node5", NULL);
	write_file("nodes", "7\n");
	write_file("node7x", "7\n");
	write_file("power", "7\n");
	assert_int_equal(cpu_nodes_read(&nodes, folder), 0);
	remove_all();
	assert_int_equal(nodes.count, 4);
	assert_int_equal(nodes.ranges[0].first, 0);
	assert_int_equal(nodes.ranges[3].first, 6);
	check(&nodes, wanted, ARRAY_SIZE(wanted));
	cpu_nodes_pack(&nodes, &pack);
	unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.size };
	cpu_nodes_unpack(&again, &unpack);
	assert_false(unpack.failed || unpack_more(&unpack));
	assert_int_equal(again.count, 4);
	check(&again, wanted, ARRAY_SIZE(wanted));
	cpu_nodes_free(&again);
	/* cut */
	for (size_t size = 0; size < pack.size; size++) {
		unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + size };
		cpu_nodes_unpack(&again, &unpack);
		assert_true(unpack.failed);
		cpu_nodes_free(&again);
	}
	cpu_nodes_free(&nodes);
	pack_free(&pack);
}

/* A kernel without NUMA, and a file from before: unknown, and not 0. */
static void without_a_folder_nothing_is_known(void **state)
{
	struct cpu_nodes nodes;

	assert_int_equal(cpu_nodes_read(&nodes, "/nonexistent"), 0);
	assert_int_equal(nodes.count, 0);
	assert_int_equal(cpu_nodes_of(&nodes, 0), CPU_NODE_UNKNOWN);
	assert_int_equal(cpu_nodes_of(NULL, 0), CPU_NODE_UNKNOWN);
}

static void bytes_that_make_no_sense_are_refused(void **state)
{
	static const u64 made[][4] = {
		{ CPU_RANGES_MAX + 1, 0, 1, 0 },
		{ 1, 1ULL << 40, 1, 0 },
		{ 1, 0, 1ULL << 40, 0 },
		{ 1, 0, 1, 1ULL << 40 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		struct cpu_nodes nodes = { 0 };
		struct pack pack = { 0 };
		struct unpack unpack;

		for (size_t j = 0; j < ARRAY_SIZE(made[i]); j++)
			pack_u64(&pack, made[i][j]);
		unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.size };
		cpu_nodes_unpack(&nodes, &unpack);
		assert_true(unpack.failed);
		assert_int_equal(nodes.count, 0);
		cpu_nodes_free(&nodes);
		pack_free(&pack);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernels_folder_is_read),
		cmocka_unit_test(without_a_folder_nothing_is_known),
		cmocka_unit_test(bytes_that_make_no_sense_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
