/* SPDX-License-Identifier: GPL-2.0 */
/* Texts that are kept once each: equal texts have one pointer. */
#ifndef GAPP_READ_TEXTS_H
#define GAPP_READ_TEXTS_H

#include "hash_index.h"

/* A set of texts; all zero: empty. */
struct texts {
	struct hash_index index;
	char **texts;
	u32 room;
};

/* Returns the one copy of @text, which lives as long as the set; NULL: no memory. */
const char *texts_add(struct texts *texts, const char *text);
void texts_free(struct texts *texts);

#endif /* GAPP_READ_TEXTS_H */
