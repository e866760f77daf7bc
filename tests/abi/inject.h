/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's fault injection: only kernels of our own have it. Root; debugfs is mounted. */
#ifndef GAPP_TESTS_ABI_INJECT_H
#define GAPP_TESTS_ABI_INJECT_H

#include "t.h"

/* Allocations and user copies of this task can fail from now on. False: the kernel cannot. */
bool i_nth_begin(void);
void i_nth_end(void);
/* The nth one from now on fails; 0: none. */
void i_arm(u32 nth);
/* No further one fails. Returns whether one has failed. */
bool i_disarm(void);

/* All allocations for which the module asks fail, in any task. False: the kernel cannot. */
bool i_module_begin(void);
void i_module_end(void);

#endif /* GAPP_TESTS_ABI_INJECT_H */
