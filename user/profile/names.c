// SPDX-License-Identifier: GPL-2.0
/* Names of wait reasons and unwind methods. */
#include "profile_private.h"

static const char *const wait_names[GAPP_WAIT_REASONS] = {
	[GAPP_WAIT_OTHER] = "other",
	[GAPP_WAIT_LOCK] = "lock",
	[GAPP_WAIT_QUEUE] = "queue",
	[GAPP_WAIT_JOIN] = "join",
	[GAPP_WAIT_BARRIER] = "barrier",
	[GAPP_WAIT_DISK] = "disk",
	[GAPP_WAIT_NETWORK] = "network",
	[GAPP_WAIT_PIPE] = "pipe",
	[GAPP_WAIT_SLEEP] = "sleep",
	[GAPP_WAIT_FAULT] = "fault",
	[GAPP_WAIT_MEMORY] = "memory",
	[GAPP_WAIT_EVENT] = "event",
	[GAPP_WAIT_SIGNAL] = "signal",
	[GAPP_WAIT_FUTEX] = "futex",
	[GAPP_WAIT_KERNEL_LOCK] = "kernel-lock",
	[GAPP_WAIT_SPIN] = "spin",
};

const char *wait_name(enum gapp_wait_reason wait)
{
	const char *name = (u32)wait < GAPP_WAIT_REASONS ? wait_names[wait] : NULL;

	return name ? name : wait_names[GAPP_WAIT_OTHER];
}

const char *then_name(unsigned int then)
{
	static const char *const names[THEN_COUNT] = {
		[THEN_PREEMPTED] = "preempted",
		[THEN_EXITED] = "exited",
		[THEN_STOPPED] = "stopped",
		[THEN_ON] = "on",
	};

	return then < THEN_COUNT && names[then] ? names[then] : wait_name(then);
}

const char *method_name(unsigned int method)
{
	static const char *const names[PATH_METHODS] = {
		[PATH_BY_FP] = "frame_pointer",
		[PATH_BY_TABLE] = "table",
		[PATH_BY_COPY] = "copy",
	};

	return method < PATH_METHODS ? names[method] : "unknown";
}

const char *end_name(unsigned int end)
{
	static const char *const names[PATH_ENDS] = {
		[GAPP_UNWIND_COMPLETE] = "whole",    [GAPP_UNWIND_FULL] = "max_stack",
		[GAPP_UNWIND_NO_FRAME] = "no_frame", [GAPP_UNWIND_UNREADABLE] = "unreadable",
		[GAPP_UNWIND_NO_RULE] = "no_rule",   [GAPP_UNWIND_LOOP] = "loop",
		[GAPP_UNWIND_UNMAPPED] = "unmapped", [GAPP_UNWIND_LATE] = "late",
		[PATH_END_COPY] = "copy_ended",	     [PATH_END_NO_FP] = "no_frame_pointer",
	};

	return end < PATH_ENDS ? names[end] : "unknown";
}
