// SPDX-License-Identifier: GPL-2.0
/* kmod/core/cmetric.c: N_min. */
#include "rig.h"

#include "all.h"

static void test_crowd(void **state)
{
	struct rig rig = { 0 };

	vec_crowd_run(&rig, *state);
	rig_done(&rig);
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_crowds); i++)
		rig_add(&group, vec_crowds[i].name, test_crowd, &vec_crowds[i]);
	return rig_run("threshold", &group);
}
