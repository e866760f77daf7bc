// SPDX-License-Identifier: GPL-2.0
/* The vectors about records: rings, paths, stacks, waits, and when samples are taken. */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#define VEC_FAIL(rig, ...)                         \
	do {                                       \
		struct kunit *vec_test = rig;      \
		KUNIT_FAIL(vec_test, __VA_ARGS__); \
	} while (0)

#include "grids.h"
#include "paths.h"
#include "rings.h"
#include "waits.h"
#include "walks.h"

static int records_init(struct kunit *test)
{
	struct vec_stack *stack = vmalloc(sizeof(*stack));

	test->priv = stack;
	return stack ? 0 : -ENOMEM;
}

static void records_exit(struct kunit *test)
{
	vfree(test->priv);
}

static void grid_name(const struct vec_grid *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void path_name(const struct vec_path *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void ring_name(const struct vec_ring *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void wait_name(const struct vec_wait *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void walk_name(const struct vec_walk *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(grid, vec_grids, grid_name);
KUNIT_ARRAY_PARAM(path_table, vec_paths, path_name);
KUNIT_ARRAY_PARAM(ring, vec_rings, ring_name);
KUNIT_ARRAY_PARAM(wait_reason, vec_waits, wait_name);
KUNIT_ARRAY_PARAM(unwind_fp, vec_walks, walk_name);

static void grid(struct kunit *test)
{
	vec_grid_run(test, test->param_value);
}

static void path_table(struct kunit *test)
{
	vec_path_run(test, test->param_value);
}

static void ring(struct kunit *test)
{
	vec_ring_run(test, test->param_value);
}

static void wait_reason(struct kunit *test)
{
	vec_wait_run(test, test->param_value);
}

static void unwind_fp(struct kunit *test)
{
	vec_walk_run(test, test->param_value, test->priv);
}

static struct kunit_case records_cases[] = { KUNIT_CASE_PARAM(grid, grid_gen_params),
					     KUNIT_CASE_PARAM(path_table, path_table_gen_params),
					     KUNIT_CASE_PARAM(ring, ring_gen_params),
					     KUNIT_CASE_PARAM(wait_reason, wait_reason_gen_params),
					     KUNIT_CASE_PARAM(unwind_fp, unwind_fp_gen_params),
					     {} };

static struct kunit_suite records_suite = {
	.name = "gapp_records",
	.init = records_init,
	.exit = records_exit,
	.test_cases = records_cases,
};

kunit_test_suite(records_suite);
