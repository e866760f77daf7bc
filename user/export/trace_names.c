// SPDX-License-Identifier: GPL-2.0
#include "trace_names.h"

const struct trace_note trace_notes[] = {
	{ "made by", "gapp-read " GAPP_VERSION },
	{ "clock", "CLOCK_MONOTONIC; other clocks are said to be equal to it" },
	{ TRACE_NOT_RECORDED,
	  "while no recorded thread has a CPU, it was idle or ran others, which nobody knows" },
	{ "states",
	  "D of waits for a disk, a page, memory or a lock in the kernel, S of other waits" },
	{ "threads that spin", "they have a CPU, so they are Running, and wait: \"waits: spin\"" },
	{ "slices", "named by where the thread was when they ended, if possible in own code" },
	{ "wakers", "without one, it was not recorded who woke the thread" },
	{ NULL, NULL },
};
