/* SPDX-License-Identifier: GPL-2.0 */
/* Runs vectors under cmocka, each as a test of its own name. */
#ifndef GAPP_UNIT_RIG_H
#define GAPP_UNIT_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/**
 * struct rig - what a vector has been found to get wrong
 * @count: differences
 * @first: the first of them, for cmocka
 */
struct rig {
	unsigned int count;
	char first[300];
};

/* tests/unit/run looks for this line. */
static inline void rig_done(const struct rig *rig)
{
	if (!rig->count)
		return;
	print_message("# why: %s; %u in all\n", rig->first, rig->count);
	fail();
}

#define VEC_FAIL(to, ...)                                                            \
	do {                                                                         \
		struct rig *rig_to = (to);                                           \
		if (!rig_to->count++)                                                \
			snprintf(rig_to->first, sizeof(rig_to->first), __VA_ARGS__); \
	} while (0)

#define RIG_MAX_TESTS 256

/**
 * struct rig_group - the tests of one program
 * @tests: as cmocka wants them
 * @count: how many
 */
struct rig_group {
	struct CMUnitTest tests[RIG_MAX_TESTS];
	size_t count;
};

static inline void rig_add(struct rig_group *group, const char *name, CMUnitTestFunction test,
			   const void *vector)
{
	if (group->count == RIG_MAX_TESTS)
		abort();
	group->tests[group->count++] = (struct CMUnitTest){
		.name = name,
		.test_func = test,
		.initial_state = (void *)vector,
	};
}

static inline int rig_run(const char *name, struct rig_group *group)
{
	return _cmocka_run_group_tests(name, group->tests, group->count, NULL, NULL);
}

#define RIG_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif /* GAPP_UNIT_RIG_H */
