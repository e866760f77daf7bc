/* SPDX-License-Identifier: GPL-2.0 */
/* Which function calls which: an array of these, one for each frame. */
#ifndef GAPP_BENCH_PLAN_H
#define GAPP_BENCH_PLAN_H

struct step;

typedef long plan_call(const struct step *next, long a, long b);

/**
 * struct step - a frame
 * @call: the function
 */
struct step {
	plan_call *call;
};

#endif /* GAPP_BENCH_PLAN_H */
