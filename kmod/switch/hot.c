// SPDX-License-Identifier: GPL-2.0
/*
 * What runs at every context switch, as one translation unit: the compiler sees all of it, and
 * makes of the calls from file to file what they are to the reader only. Between files these are
 * some hundred instructions a switch.
 */
#include "core/cmetric.c"
#include "core/taskstate.c"
#include "core/slice.c"
#include "core/wait_reason.c"
#include "core/ring.c"
#include "core/path_cache.c"
#include "ring/records.c"
#include "callpath/path_cache.c"
#include "callpath/callpath.c"
#include "export.c"
#include "wait.c"
#include "slices.c"
#include "events.c"
#include "probes.c"
