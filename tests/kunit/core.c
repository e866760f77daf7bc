// SPDX-License-Identifier: GPL-2.0
/* The pure logic as the module has it, compiled once more for the test's module. */
#include "kmod/core/cmetric.c"
#include "kmod/core/taskstate.c"
#include "kmod/core/threshold.c"
