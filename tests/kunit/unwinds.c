// SPDX-License-Identifier: GPL-2.0
/* The vectors about unwind tables, and walks by them, and about spin tables and locations. */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#define VEC_FAIL(rig, ...)                         \
	do {                                       \
		struct kunit *vec_test = rig;      \
		KUNIT_FAIL(vec_test, __VA_ARGS__); \
	} while (0)

#include "spin_locations.h"
#include "spin_tables.h"
#include "tables.h"
#include "unwinds.h"

/**
 * struct unwinds_room - what a test needs
 * @table: for tests of tables
 * @spins: for those of spin tables
 * @unwind: for those of walks
 */
struct unwinds_room {
	struct vec_plain_table table;
	struct vec_plain_spins spins;
	struct vec_unwind_room unwind;
};

static int unwinds_init(struct kunit *test)
{
	struct unwinds_room *room = vmalloc(sizeof(*room));

	test->priv = room;
	return room ? 0 : -ENOMEM;
}

static void unwinds_exit(struct kunit *test)
{
	vfree(test->priv);
}

static void table_name(const struct vec_table *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void find_name(const struct vec_find *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void spin_table_name(const struct vec_spin_table *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void spin_find_name(const struct vec_spin_find *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void spin_location_name(const struct vec_spin_location *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void spin_with_name(const struct vec_spin_with *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void spin_while_name(const struct vec_spin_while *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

static void unwind_name(const struct vec_unwind *vector, char *name)
{
	strscpy(name, vector->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(table, vec_tables, table_name);
KUNIT_ARRAY_PARAM(find, vec_finds, find_name);
KUNIT_ARRAY_PARAM(spin_table, vec_spin_tables, spin_table_name);
KUNIT_ARRAY_PARAM(spin_find, vec_spin_finds, spin_find_name);
KUNIT_ARRAY_PARAM(spin_location, vec_spin_locations, spin_location_name);
KUNIT_ARRAY_PARAM(spin_with, vec_spin_withs, spin_with_name);
KUNIT_ARRAY_PARAM(spin_while, vec_spin_whiles, spin_while_name);
KUNIT_ARRAY_PARAM(unwind, vec_unwinds, unwind_name);

static void table(struct kunit *test)
{
	struct unwinds_room *room = test->priv;

	vec_table_run(test, test->param_value, &room->table);
}

static void find(struct kunit *test)
{
	struct unwinds_room *room = test->priv;

	vec_find_run(test, test->param_value, &room->table);
}

static void spin_table(struct kunit *test)
{
	struct unwinds_room *room = test->priv;

	vec_spin_table_run(test, test->param_value, &room->spins);
}

static void spin_find(struct kunit *test)
{
	struct unwinds_room *room = test->priv;

	vec_spin_find_run(test, test->param_value, &room->spins);
}

static void spin_location(struct kunit *test)
{
	vec_spin_location_run(test, test->param_value);
}

static void spin_with(struct kunit *test)
{
	vec_spin_with_run(test, test->param_value);
}

static void spin_while(struct kunit *test)
{
	vec_spin_while_run(test, test->param_value);
}

static void unwind(struct kunit *test)
{
	struct unwinds_room *room = test->priv;

	vec_unwind_run(test, test->param_value, &room->unwind);
}

static struct kunit_case unwinds_cases[] = { KUNIT_CASE_PARAM(table, table_gen_params),
					     KUNIT_CASE_PARAM(find, find_gen_params),
					     KUNIT_CASE_PARAM(spin_table, spin_table_gen_params),
					     KUNIT_CASE_PARAM(spin_find, spin_find_gen_params),
					     KUNIT_CASE_PARAM(spin_location,
							      spin_location_gen_params),
					     KUNIT_CASE_PARAM(spin_with, spin_with_gen_params),
					     KUNIT_CASE_PARAM(spin_while, spin_while_gen_params),
					     KUNIT_CASE_PARAM(unwind, unwind_gen_params),
					     {} };

static struct kunit_suite unwinds_suite = {
	.name = "gapp_unwinds",
	.init = unwinds_init,
	.exit = unwinds_exit,
	.test_cases = unwinds_cases,
};

kunit_test_suite(unwinds_suite);
