/* SPDX-License-Identifier: GPL-2.0 */
/* Texts of marks, as keys of a KEYED() array. */
#ifndef GAPP_READ_MARK_KEY_H
#define GAPP_READ_MARK_KEY_H

#include <gapp_record.h>

#include "hash_index.h"

/* A text, with zeros behind it. */
struct mark_key {
	char text[GAPP_MARK_TEXT + 1];
};

static inline struct mark_key mark_key_of(const struct gapp_record_mark *mark)
{
	const u32 bytes = mark->bytes < GAPP_MARK_TEXT ? mark->bytes : GAPP_MARK_TEXT;
	struct mark_key key = { "" };

	/* texts are equal up to their end: a file may have other bytes behind it */
	memcpy(key.text, mark + 1, strnlen((const char *)(mark + 1), bytes));
	return key;
}

#endif /* GAPP_READ_MARK_KEY_H */
