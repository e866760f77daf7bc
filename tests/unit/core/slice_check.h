/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What holds of slices and waits whatever happens: nothing is lost, nothing told twice, nothing
 * held back that is due. For the property test and the fuzzer.
 */
#ifndef GAPP_SLICE_CHECK_H
#define GAPP_SLICE_CHECK_H

#include "slicing.h"

/**
 * slice_check_step() - does one step and looks whether all is well
 * @s: the session
 * @step: the step, for one thread; none by which n changes without a thread
 *
 * A thread that is active does not join: the step is left out.
 *
 * Return: NULL, or what is wrong.
 */
const char *slice_check_step(struct slicing *s, const struct vec_step *step);

/**
 * slice_check_end() - stops the session and looks at the sums
 * @s: the session
 * @now: the time
 *
 * Return: NULL, or what is wrong.
 */
const char *slice_check_end(struct slicing *s, u64 now);

#endif /* GAPP_SLICE_CHECK_H */
