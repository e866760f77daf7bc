// SPDX-License-Identifier: GPL-2.0
/* The layout of the facts of a recording: files of version 1 must stay readable. */
#include "made_recording.h"

#include <stdio.h>
#include <sys/mman.h>

#include "cmd/saved_facts.h"

/* Facts as version 1.4 has them, each number another one; @nodes: and 1.9. */
static void put_facts(struct recording *recording, bool nodes)
{
	recording_block(recording, BLOCK_FACTS, 0);
	put_text(recording, "0.9");
	put_text(recording, "6.12.1");
	put_text(recording, "x86_64");
	put(recording, 1700000000);
	put_text(recording, "/opt/prog");
	put(recording, 21, 22);
	/* n_min_mode, n_min, max_threads, level, criterion, rate_hz, max_stack, ring_bytes */
	put(recording, 1, 2, 3, GAPP_LEVEL_TRACE, GAPP_CRITERION_AVERAGE, 6, 7, 8);
	/* unwind_by, stack_copy_bytes, all, as_one, no_inherit, ring_may_shrink, verify */
	put(recording, 1, 9, 1, 0, 1, 0, 1);
	/* kernel, no_kernel, duration_ns, delay_ns, min_critical_ns */
	put(recording, 0, 1, 10, 11, 12);
	put_text(recording, "/opt/prog");
	put_text(recording, "kworker*");
	/* two processes, of signed ids */
	put(recording, 2, 2 * 100, 2 * 101, 2);
	put_text(recording, "prog");
	put_text(recording, "-x");
	put_text(recording, "cc1*");
	put_text(recording, "/sys/fs/cgroup/box");
	if (nodes) {
		put_text(recording, "5e4f");
		/* the pid namespace; two ranges of CPUs: the first, how many, the node */
		put(recording, 77, 2, 0, 4, 1, 8, 2, 3);
	}
	end_item(recording);
}

static void are_those_of_version_1(const struct facts *facts)
{
	const struct options *options = &facts->options;

	assert_true(facts->complete);
	assert_string_equal(facts->version, "0.9");
	assert_string_equal(facts->kernel, "6.12.1");
	assert_string_equal(facts->machine, "x86_64");
	assert_int_equal(facts->time_s, 1700000000);
	assert_string_equal(facts->program.path, "/opt/prog");
	assert_int_equal(facts->program.dev, 21);
	assert_int_equal(facts->program.inode, 22);
	assert_int_equal(options->n_min_mode, 1);
	assert_int_equal(options->n_min, 2);
	assert_int_equal(options->max_threads, 3);
	assert_int_equal(options->level, GAPP_LEVEL_TRACE);
	assert_int_equal(options->criterion, GAPP_CRITERION_AVERAGE);
	assert_int_equal(options->rate_hz, 6);
	assert_int_equal(options->max_stack, 7);
	assert_int_equal(options->ring_bytes, 8);
	assert_int_equal(options->unwind_by, 1);
	assert_int_equal(options->stack_copy_bytes, 9);
	assert_true(options->all && !options->as_one && options->no_inherit);
	assert_true(!options->ring_may_shrink && options->verify);
	assert_true(!options->kernel && options->no_kernel);
	assert_int_equal(options->duration_ns, 10);
	assert_int_equal(options->delay_ns, 11);
	assert_int_equal(options->min_critical_ns, 12);
	assert_string_equal(options->exe, "/opt/prog");
	assert_string_equal(options->kthreads, "kworker*");
	assert_string_equal(options->comm, "cc1*");
	assert_string_equal(options->cgroup, "/sys/fs/cgroup/box");
	assert_int_equal(options->pid_count, 2);
	assert_int_equal(options->pids[0], 100);
	assert_int_equal(options->pids[1], 101);
	assert_string_equal(options->command[0], "prog");
	assert_string_equal(options->command[1], "-x");
	assert_null(options->command[2]);
}

static void read_facts(bool nodes)
{
	struct recording recording = { .fd = memfd_create("facts", 0) };
	struct facts facts = { 0 };
	struct blocks *blocks;

	assert_true(recording.fd >= 0);
	snprintf(recording.path, sizeof(recording.path), "/proc/self/fd/%d", recording.fd);
	assert_int_equal(blocks_begin(&recording.writer, recording.fd), 0);
	put_facts(&recording, nodes);
	recording_end(&recording);
	blocks = blocks_open(recording.path);
	assert_non_null(blocks);
	assert_int_equal(facts_read(&facts, blocks), 0);
	assert_int_equal(blocks_health(blocks)->damaged, 0);
	are_those_of_version_1(&facts);
	assert_int_equal(facts.pid_namespace, nodes ? 77 : 0);
	assert_int_equal(facts.nodes.count, nodes ? 2 : 0);
	assert_int_equal(cpu_nodes_of(&facts.nodes, 0), nodes ? 1 : CPU_NODE_UNKNOWN);
	assert_int_equal(cpu_nodes_of(&facts.nodes, 9), nodes ? 3 : CPU_NODE_UNKNOWN);
	assert_int_equal(cpu_nodes_of(&facts.nodes, 4), CPU_NODE_UNKNOWN);
	blocks_close(blocks);
	facts_free(&facts);
	recording_free(&recording);
}

static void facts_of_version_1_are_read(void **state)
{
	(void)state;
	read_facts(false);
	read_facts(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_of_version_1_are_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
