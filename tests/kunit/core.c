// SPDX-License-Identifier: GPL-2.0
/* The pure logic as the module has it, compiled once more for the test's module. */
#include "kmod/core/cmetric.c"
#include "kmod/core/path_table.c"
#include "kmod/core/ring.c"
#include "kmod/core/slice.c"
#include "kmod/core/spin_location.c"
#include "kmod/core/spin_table.c"
#include "kmod/core/table.c"
#include "kmod/core/taskstate.c"
#include "kmod/core/unwind.c"
#include "kmod/core/wait_reason.c"
