/* SPDX-License-Identifier: GPL-2.0 */
/* What an exit of a loop waits for: where it lies, and what it is compared with. */
#ifndef GAPP_READ_WAIT_LOCATION_H
#define GAPP_READ_WAIT_LOCATION_H

#include "loop_values.h"
#include "spins.h"

/*
 * Describes the exit by the branch with that number of instruction. False: the loop goes on if an
 * atomic instruction has changed what is there, and ends if it has not.
 */
bool wait_describe(const struct loop_values *values, u32 branch, struct spin_wait *wait);

#endif /* GAPP_READ_WAIT_LOCATION_H */
