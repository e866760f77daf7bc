// SPDX-License-Identifier: GPL-2.0
#include "code_place.h"

#include <string.h>

static int copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -1 : 0;
}

int code_place_name(struct code_place *place, const struct frame *frame)
{
	if (!frame)
		return 0;
	place->line = frame->line;
	place->offset = frame->function ? 0 : frame->offset;
	return copy_text(&place->function, frame->function) ||
			       copy_text(&place->module, frame->module) ||
			       copy_text(&place->file, frame->file) ?
		       -1 :
		       0;
}

void code_place_free(struct code_place *place)
{
	free(place->function);
	free(place->module);
	free(place->file);
}

struct frame code_place_frame(const struct code_place *place)
{
	return (struct frame){
		.function = place->function,
		.module = place->module ?: "?",
		.offset = place->offset,
	};
}

void json_code_place(struct json *json, const struct code_place *place)
{
	json_string(json, "function", place->function);
	json_string(json, "module", place->module);
	if (!place->function && place->module)
		json_number(json, "offset", place->offset);
	json_string(json, "file", place->file);
	if (place->line)
		json_number(json, "line", place->line);
	else
		json_null(json, "line");
}

void code_place_pack(struct pack *pack, const struct code_place *place)
{
	pack_text(pack, place->function);
	pack_text(pack, place->module);
	pack_u64(pack, place->offset);
	pack_text(pack, place->file);
	pack_u64(pack, place->line);
}

void code_place_unpack(struct unpack *unpack, struct code_place *place)
{
	place->function = unpack_text(unpack);
	place->module = unpack_text(unpack);
	place->offset = unpack_u64(unpack);
	place->file = unpack_text(unpack);
	place->line = unpack_most(unpack, UINT32_MAX);
}
