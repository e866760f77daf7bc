/* SPDX-License-Identifier: GPL-2.0 */
/* The text of a mark, and the line that tells of one. */
#ifndef GAPP_CORE_MARK_TEXT_H
#define GAPP_CORE_MARK_TEXT_H

#include <gapp_record.h>

#include "port.h"

/* Most bytes of a line, without the newline behind it. */
#define GAPP_MARK_LINE (sizeof("begin ") - 1 + GAPP_MARK_TEXT)

/**
 * struct gapp_mark_text - a mark before it is recorded
 * @kind: enum gapp_mark_kind
 * @bytes: of the text, up to GAPP_MARK_TEXT
 * @text: the text, with zeros behind it
 */
struct gapp_mark_text {
	u32 kind;
	u32 bytes;
	char text[GAPP_MARK_TEXT + 1];
};

bool gapp_mark_is_valid(const struct gapp_mark_text *mark);
bool gapp_mark_parse(const char *line, u32 bytes, struct gapp_mark_text *mark);

#endif /* GAPP_CORE_MARK_TEXT_H */
