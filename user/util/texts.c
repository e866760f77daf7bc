// SPDX-License-Identifier: GPL-2.0
#include "texts.h"

static bool is_same(const void *texts, u32 id, const void *text)
{
	return !strcmp(((char *const *)texts)[id], text);
}

const char *texts_add(struct texts *texts, const char *text)
{
	u64 hash = hash_bytes(0, text, strlen(text));
	u32 id = hash_index_find(&texts->index, hash, is_same, texts->texts, text);
	char *copy;

	if (id != HASH_NONE)
		return texts->texts[id];
	id = texts->index.count;
	if (array_grow(&texts->texts, &texts->room, id, sizeof(copy)))
		return NULL;
	copy = strdup(text);
	if (!copy || hash_index_add(&texts->index, hash, id)) {
		free(copy);
		return NULL;
	}
	texts->texts[id] = copy;
	return copy;
}

void texts_free(struct texts *texts)
{
	for (u32 i = 0; i < texts->index.count; i++)
		free(texts->texts[i]);
	free(texts->texts);
	hash_index_free(&texts->index);
	*texts = (struct texts){ 0 };
}
