// SPDX-License-Identifier: GPL-2.0
/* kmod/core/wait_reason.c: what a sleeping thread waits for. */
#include "rig.h"

#include "waits.h"

static void test_wait(void **state)
{
	struct rig rig = { 0 };

	vec_wait_run(&rig, *state);
	rig_done(&rig);
}

/* Whatever the number and the arguments: the class is one that exists. */
static void test_all_numbers(void **state)
{
	static const s32 far[] = { -2147483647 - 1, -2, -1, 0x40000000, 0x7fffffff };
	struct gapp_wait_start sleep = { 0 };
	s32 i;
	u32 k;

	(void)state;
	for (i = 0; i < 4096 + (s32)RIG_COUNT(far); i++) {
		sleep.syscall = i < 4096 ? i : far[i - 4096];
		for (k = 0; k < 512; k++) {
			sleep.fd = k % 6;
			sleep.io_wait = k & 64;
			sleep.user = k & 128;
			sleep.args[0] = k & 256 ? ~0ULL : k;
			sleep.args[1] = sleep.args[0];
			sleep.args[2] = ~sleep.args[0];
			assert_in_range(gapp_wait_reason_of(&sleep), GAPP_WAIT_OTHER,
					GAPP_WAIT_FUTEX);
		}
		if (gapp_wait_wants_fd(sleep.syscall))
			assert_in_range(sleep.syscall, 0, 1000);
	}
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_waits); i++)
		rig_add(&group, vec_waits[i].name, test_wait, &vec_waits[i]);
	rig_add(&group, "any number at all", test_all_numbers, NULL);
	return rig_run("wait_reason", &group);
}
