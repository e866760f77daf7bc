// SPDX-License-Identifier: GPL-2.0
/* kmod/core/glob.c, against fnmatch() of the C library. */
#include <fnmatch.h>

#include "rig.h"

#include "glob.h"
#include "random.h"

#define RUNS 200000

/* [ before one of these begins a class of characters for fnmatch(), which gapp has not. */
static bool has_class(const char *glob)
{
	return strstr(glob, "[.") || strstr(glob, "[:") || strstr(glob, "[=");
}

static void fill(u64 *seed, char *text, u32 most, const char *from)
{
	const u32 length = random_below(seed, most + 1), kinds = strlen(from);

	for (u32 i = 0; i < length; i++)
		text[i] = from[random_below(seed, kinds)];
	text[length] = '\0';
}

static void test_random(void **state)
{
	u64 seed = 1;
	u32 matched = 0;

	(void)state;
	for (u32 i = 0; i < RUNS; i++) {
		char glob[32], text[16];
		bool expected;

		fill(&seed, glob, 12, "aabbc*?[]-!^\\");
		fill(&seed, text, 8, "aaabbc-]!");
		if (has_class(glob))
			continue;
		expected = !fnmatch(glob, text, 0);
		matched += expected;
		if (gapp_glob_matches(glob, text) != expected)
			fail_msg("'%s' and '%s': fnmatch() says %d", glob, text, expected);
	}
	assert_true(matched > RUNS / 100);
}

static void test_names(void **state)
{
	(void)state;
	assert_true(gapp_glob_matches("postgres*", "postgres"));
	assert_true(gapp_glob_matches("kworker/*:[0-3]", "kworker/u8:2"));
	assert_false(gapp_glob_matches("cc1", "cc1plus"));
	assert_false(gapp_glob_matches("", "sh"));
	assert_true(gapp_glob_matches("", ""));
}

/* The most steps that a name and a pattern of the interface can take. */
static void test_longest(void **state)
{
	(void)state;
	assert_false(gapp_glob_matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaa"));
}

int main(void)
{
	static struct rig_group group;

	rig_add(&group, "random patterns as fnmatch()", test_random, NULL);
	rig_add(&group, "names of processes", test_names, NULL);
	rig_add(&group, "as many stars as fit", test_longest, NULL);
	return rig_run("glob", &group);
}
