// SPDX-License-Identifier: GPL-2.0
/* The vectors about slices and waits: what they collect, and when they are told. */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#define VEC_FAIL(rig, ...)                         \
	do {                                       \
		struct kunit *vec_test = rig;      \
		KUNIT_FAIL(vec_test, __VA_ARGS__); \
	} while (0)

#include "all_slices.h"

static int slices_init(struct kunit *test)
{
	struct slicing *room = vmalloc(sizeof(*room));

	test->priv = room;
	return room ? 0 : -ENOMEM;
}

static void slices_exit(struct kunit *test)
{
	vfree(test->priv);
}

static void slice_name(const struct vec_slices *const *vector, char *name)
{
	strscpy(name, (*vector)->name, KUNIT_PARAM_DESC_SIZE);
}

static void draw_name(const struct vec_draw *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(slice, vec_slices, slice_name);
KUNIT_ARRAY_PARAM(draw, vec_draws, draw_name);

static void slice(struct kunit *test)
{
	const struct vec_slices *const *vector = test->param_value;

	vec_slices_run(test, *vector, test->priv);
}

static void draw(struct kunit *test)
{
	vec_draw_run(test, test->param_value, test->priv);
}

static struct kunit_case slices_cases[] = { KUNIT_CASE_PARAM(slice, slice_gen_params),
					    KUNIT_CASE_PARAM(draw, draw_gen_params),
					    {} };

static struct kunit_suite slices_suite = {
	.name = "gapp_slices",
	.init = slices_init,
	.exit = slices_exit,
	.test_cases = slices_cases,
};

kunit_test_suite(slices_suite);
