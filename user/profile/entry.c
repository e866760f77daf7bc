// SPDX-License-Identifier: GPL-2.0
/* Words for functions without a name. */
#include <stdio.h>

#include "profile.h"
#include "util/names.h"

const struct frame *believed_entry(const struct believed *believed, u32 frame)
{
	const struct object *object = believed->stack->addresses[frame].object;

	for (u32 i = frame; i < believed->count; i++) {
		if (believed->stack->addresses[i].object != object)
			return NULL;
		if (believed->functions[i]->function)
			return believed->functions[i];
	}
	return NULL;
}

void believed_words(char *words, size_t size, const struct believed *believed, u32 frame)
{
	const struct frame *function = believed->functions[frame];
	const struct frame *entry = believed_entry(believed, frame);
	const char *library = module_begin(function->module);
	int length = library_len(function->module);

	if (function->function)
		snprintf(words, size, "%s", function->function);
	else if (entry)
		snprintf(words, size, "%s in %.*s", entry->function, length, library);
	else
		snprintf(words, size, "code of %.*s", length, library);
}
