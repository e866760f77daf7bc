// SPDX-License-Identifier: GPL-2.0
#include "texts.h"

#define FIRST_SIZE 256
#define HASH_BASIS 0xcbf29ce484222325ULL
#define HASH_PRIME 0x100000001b3ULL

/* FNV-1a: names are not chosen to collide, and would only cost their owner a slow report. */
static u64 hash_text(const char *text)
{
	u64 hash = HASH_BASIS;

	for (; *text; text++)
		hash = (hash ^ (u8)*text) * HASH_PRIME;
	return hash ^ hash >> 32;
}

/* Where @text is, or would be. */
static char **slot_of(char **slots, size_t size, const char *text)
{
	size_t i = hash_text(text) & (size - 1);

	while (slots[i] && strcmp(slots[i], text))
		i = (i + 1) & (size - 1);
	return &slots[i];
}

static bool grow(struct texts *texts)
{
	size_t size = texts->size ? 2 * texts->size : FIRST_SIZE;
	char **slots = calloc(size, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < texts->size; i++) {
		if (texts->slots[i])
			*slot_of(slots, size, texts->slots[i]) = texts->slots[i];
	}
	free(texts->slots);
	texts->slots = slots;
	texts->size = size;
	return true;
}

const char *texts_add(struct texts *texts, const char *text)
{
	char **slot;

	if (2 * texts->count >= texts->size && !grow(texts))
		return NULL;
	slot = slot_of(texts->slots, texts->size, text);
	if (!*slot) {
		*slot = strdup(text);
		texts->count += !!*slot;
	}
	return *slot;
}

void texts_free(struct texts *texts)
{
	for (size_t i = 0; i < texts->size; i++)
		free(texts->slots[i]);
	free(texts->slots);
	*texts = (struct texts){ 0 };
}
