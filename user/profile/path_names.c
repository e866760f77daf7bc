// SPDX-License-Identifier: GPL-2.0
/* Who found paths and why they ended, as JSON and scripts have it. */
#include "profile.h"

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
		[GAPP_UNWIND_COMPLETE] = "whole",      [GAPP_UNWIND_FULL] = "max_stack",
		[GAPP_UNWIND_NO_FRAME] = "no_frame",   [GAPP_UNWIND_UNREADABLE] = "unreadable",
		[GAPP_UNWIND_NO_RULE] = "no_rule",     [GAPP_UNWIND_LOOP] = "loop",
		[GAPP_UNWIND_UNMAPPED] = "unmapped",   [PATH_END_COPY] = "copy_ended",
		[PATH_END_NO_FP] = "no_frame_pointer",
	};

	return end < PATH_ENDS ? names[end] : "unknown";
}
