// SPDX-License-Identifier: GPL-2.0
#include "chrome_frames.h"

#include "pieces.h"
#include "util/names.h"

/* Sets the number of a frame's function and of its file. Returns 0, or -1 without memory. */
static int name_frame(struct chrome_frames *frames, const struct frame *frame,
		      struct chrome_frame *row)
{
	_cleanup_free_ char *function = frame_text(frame);
	_cleanup_free_ char *module = name_text(frame->module, strlen(frame->module));

	if (!function || !module)
		return -1;
	row->key.function = texts_number(&frames->texts, function);
	row->key.module = texts_number(&frames->texts, module);
	return row->key.function == HASH_NONE || row->key.module == HASH_NONE ? -1 : 0;
}

/* Adds the frames of the path that was found. Returns 0, or -1 without memory. */
static int add_frames(struct chrome_frames *frames, u32 *innermost)
{
	struct chrome_frame row = { .key = { .caller = CHROME_NO_FRAME } };

	for (u32 i = frames->found.count; i--;) {
		u32 number;

		if (name_frame(frames, frames->found.frames[i].frame, &row))
			return -1;
		number = keyed_find(&frames->frames, &row.key);
		if (number == HASH_NONE)
			number = keyed_add(&frames->frames, &row.key);
		if (number == HASH_NONE)
			return -1;
		row.key.caller = number;
	}
	*innermost = row.key.caller;
	return 0;
}

static const char *text_of_place(struct chrome_frames *frames)
{
	_cleanup_free_ char *text = frame_text(frames->found.place);

	return text ? texts_add(&frames->texts, text) : NULL;
}

int chrome_frames_find(struct chrome_frames *frames, const struct stay *stay,
		       struct chrome_path *path)
{
	u32 number;

	*path = (struct chrome_path){ .key = { stay->path, stay->kernel_path },
				      .frame = CHROME_NO_FRAME };
	number = keyed_find(&frames->paths, &path->key);
	if (number != HASH_NONE) {
		*path = frames->paths.rows[number];
		return 0;
	}
	if (record_path_find(&frames->found, frames->recorded, stay->path, stay->kernel_path) ||
	    add_frames(frames, &path->frame))
		return -1;
	if (frames->found.place) {
		path->place = text_of_place(frames);
		if (!path->place)
			return -1;
	}
	number = keyed_add(&frames->paths, &path->key);
	if (number == HASH_NONE)
		return -1;
	frames->paths.rows[number] = *path;
	return 0;
}

void chrome_frames_put(const struct chrome_frames *frames, FILE *out)
{
	for (u32 i = 0; i < frames->frames.index.count && !ferror(out); i++) {
		const struct chrome_frame *frame = &frames->frames.rows[i];
		const char *function = frames->texts.texts[frame->key.function];
		const char *module = frames->texts.texts[frame->key.module];

		fprintf(out, "%s\"%u\":{\"name\":", i ? ",\n" : "\n", i);
		name_json(out, function, strlen(function));
		fputs(",\"category\":", out);
		name_json(out, module, strlen(module));
		if (frame->key.caller != CHROME_NO_FRAME)
			fprintf(out, ",\"parent\":\"%u\"", frame->key.caller);
		putc('}', out);
	}
}

void chrome_frames_free(struct chrome_frames *frames)
{
	texts_free(&frames->texts);
	keyed_free(&frames->paths);
	keyed_free(&frames->frames);
	record_path_free(&frames->found);
}
