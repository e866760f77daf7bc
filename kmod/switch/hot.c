// SPDX-License-Identifier: GPL-2.0
/*
 * What runs at every context switch, as one translation unit: the compiler inlines calls from file
 * to file, which saves some hundred instructions a switch.
 */
#define GAPP_HOT static

#include "core/cmetric.c"
#include "core/taskstate.c"
#include "core/slice.c"
#include "core/wait_reason.c"
#include "core/ring.c"
#include "core/path_cache.c"
#include "ring/records.c"
#include "callpath/callpath.c"
#include "export.c"
#include "slices.c"
#include "events.c"
#include "handover.c"
#include "usual.c"
#include "probes.c"
