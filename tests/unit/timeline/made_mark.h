/* SPDX-License-Identifier: GPL-2.0 */
/* Marks that are made up. */
#ifndef GAPP_TESTS_TIMELINE_MADE_MARK_H
#define GAPP_TESTS_TIMELINE_MADE_MARK_H

#include <string.h>

#include <gapp_record.h>

#include "util/util.h"

struct made_mark {
	struct gapp_record_mark mark;
	char text[GAPP_MARK_TEXT + 1];
};

static inline struct made_mark make_mark(s32 tid, s32 tgid, u64 time_ns, u32 kind, const char *text)
{
	struct made_mark made = {
		.mark = { .head = { .type = GAPP_RECORD_MARK,
				    .size = sizeof(made),
				    .time_ns = time_ns },
			  .tid = tid,
			  .tgid = tgid,
			  .kind = kind,
			  .bytes = strlen(text) },
	};

	memcpy(made.text, text, strlen(text));
	return made;
}

#endif /* GAPP_TESTS_TIMELINE_MADE_MARK_H */
