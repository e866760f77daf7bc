/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gapp_asleep(): preempted, the state word as the scheduler read it, the state word now.
 * The numbers are those of include/linux/sched.h, written out.
 */
#ifndef GAPP_VEC_ASLEEP_H
#define GAPP_VEC_ASLEEP_H

#include "run.h"

struct vec_asleep {
	const char *name;
	bool preempt;
	u32 prev_state;
	u32 state_now;
	bool asleep;
};

#define NOT_TOLD 0xffffffffU /* stands for "asleep", whatever else is in it */

/* clang-format off */
static const struct vec_asleep vec_asleep[] = {
	{ "end of its time slice, or a yield", false, 0, 0, false },
	{ "TASK_INTERRUPTIBLE", false, 1, 1, true },
	{ "TASK_UNINTERRUPTIBLE", false, 2, 2, true },
	{ "__TASK_STOPPED", false, 4, 4, true },
	{ "__TASK_TRACED", false, 8, 8, true },
	{ "TASK_DEAD", false, 0x80, 0x80, true },
	{ "TASK_KILLABLE", false, 0x102, 0x102, true },
	{ "TASK_IDLE", false, 0x402, 0x402, true },
	{ "TASK_RTLOCK_WAIT", false, 0x1000, 0x1000, true },
	{ "TASK_FREEZABLE", false, 0x2001, 0x2001, true },
	{ "TASK_FROZEN", false, 0x8000, 0x8000, true },
	{ "asleep, and its state word has changed since", false, 2, 0x1000, true },
	{ "preempted in the kernel", true, 0, 0, false },
	{ "preempted, shown as TASK_REPORT_MAX", true, 0x100, 0, false },
	{ "preempted on its way to sleep", true, 1, 1, false },
	{ "preempted on its way to an uninterruptible sleep", true, 2, 2, false },
	{ "preempted on its way to a sleeping spinlock", true, 0x1000, 0x1000, false },
	{ "preempted, and woken since", true, 1, 0, false },
	{ "a signal was pending", false, 1, 0, false },
	{ "a fatal signal was pending", false, 0x102, 0, false },
	{ "a sleeping spinlock came free meanwhile", false, 0x1000, 0, false },
	{ "runnable as it was switched out", false, 0, 1, false },
	{ "not told: asleep", false, NOT_TOLD, 1, true },
	{ "not told: in a sleeping spinlock", false, NOT_TOLD, 0x1000, true },
	{ "not told: dead", false, NOT_TOLD, 0x80, true },
	{ "not told: runnable", false, NOT_TOLD, 0, false },
	{ "not told: preempted on its way to sleep", true, NOT_TOLD, 1, false },
	{ "not told: preempted", true, NOT_TOLD, 0, false },
};

/* clang-format on */

#undef NOT_TOLD

static inline void vec_asleep_run(void *rig, const struct vec_asleep *vec)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "asleep" };
	const u32 out_state = gapp_out_state(vec->preempt, vec->prev_state);

	vec_same(&p, "gapp_asleep()", gapp_asleep(out_state, vec->state_now), vec->asleep);
}

#endif /* GAPP_VEC_ASLEEP_H */
