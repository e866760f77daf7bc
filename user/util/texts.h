/* SPDX-License-Identifier: GPL-2.0 */
/* Texts that are kept once each: the same text is the same pointer. */
#ifndef GAPP_READ_TEXTS_H
#define GAPP_READ_TEXTS_H

#include "util.h"

/**
 * struct texts - a set of texts; all zero: empty
 * @slots: open addressing, NULL: free
 * @size: slots, a power of two, or 0
 * @count: texts
 */
struct texts {
	char **slots;
	size_t size;
	size_t count;
};

/* The one copy of @text, which lives as long as the set. NULL: no memory. */
const char *texts_add(struct texts *texts, const char *text);
void texts_free(struct texts *texts);

#endif /* GAPP_READ_TEXTS_H */
