// SPDX-License-Identifier: GPL-2.0
/* The vectors of tests/vectors in a real kernel: its compiler flags, division and checks. */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#define VEC_FAIL(rig, ...)                         \
	do {                                       \
		struct kunit *vec_test = rig;      \
		KUNIT_FAIL(vec_test, __VA_ARGS__); \
	} while (0)

#include "all.h"

static int gapp_suite_init(struct kunit *test)
{
	struct vec_room *room = vmalloc(sizeof(*room));

	test->priv = room;
	return room ? 0 : -ENOMEM;
}

static void gapp_suite_exit(struct kunit *test)
{
	vfree(test->priv);
}

/* The parameter generators: each vector is a test with a name of its own. */
static void vec_name(const struct vec *const *vector, char *name)
{
	strscpy(name, (*vector)->name, KUNIT_PARAM_DESC_SIZE);
}

static void transitions_name(const struct vec_transitions *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void asleep_name(const struct vec_asleep *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void crowd_name(const struct vec_crowd *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void figures_add_name(const struct vec_figures_add *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void figures_at_name(const struct vec_figures_at *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(cmetric, vec_cmetric, vec_name);
KUNIT_ARRAY_PARAM(taskstate, vec_taskstate, vec_name);
KUNIT_ARRAY_PARAM(transitions, vec_transitions, transitions_name);
KUNIT_ARRAY_PARAM(asleep, vec_asleep, asleep_name);
KUNIT_ARRAY_PARAM(crowd, vec_crowds, crowd_name);
KUNIT_ARRAY_PARAM(figures_add, vec_figures_adds, figures_add_name);
KUNIT_ARRAY_PARAM(figures_at, vec_figures_ats, figures_at_name);

static void run_vector(struct kunit *test)
{
	const struct vec *const *vector = test->param_value;

	vec_run(test, *vector, test->priv);
}

/* Two names for one function, so that the results tell them apart. */
static void cmetric(struct kunit *test)
{
	run_vector(test);
}

static void taskstate(struct kunit *test)
{
	run_vector(test);
}

static void transitions(struct kunit *test)
{
	vec_transitions_run(test, test->param_value, test->priv);
}

static void asleep(struct kunit *test)
{
	vec_asleep_run(test, test->param_value);
}

static void crowd(struct kunit *test)
{
	vec_crowd_run(test, test->param_value);
}

static void figures_add(struct kunit *test)
{
	vec_figures_add_run(test, test->param_value);
}

static void figures_at(struct kunit *test)
{
	vec_figures_at_run(test, test->param_value);
}

static struct kunit_case gapp_cases[] = { KUNIT_CASE_PARAM(cmetric, cmetric_gen_params),
					  KUNIT_CASE_PARAM(taskstate, taskstate_gen_params),
					  KUNIT_CASE_PARAM(transitions, transitions_gen_params),
					  KUNIT_CASE_PARAM(asleep, asleep_gen_params),
					  KUNIT_CASE_PARAM(crowd, crowd_gen_params),
					  KUNIT_CASE_PARAM(figures_add, figures_add_gen_params),
					  KUNIT_CASE_PARAM(figures_at, figures_at_gen_params),
					  {} };

static struct kunit_suite gapp_suite = {
	.name = "gapp",
	.init = gapp_suite_init,
	.exit = gapp_suite_exit,
	.test_cases = gapp_cases,
};

kunit_test_suite(gapp_suite);

MODULE_DESCRIPTION("tests of gapp's pure logic");
MODULE_LICENSE("GPL");
