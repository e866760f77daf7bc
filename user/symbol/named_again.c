// SPDX-License-Identifier: GPL-2.0
/*
 * Names of a recording that are looked up again: where it was made, debug information may have been
 * missing. A file counts only if it has the build-id of the one that ran, and only if it names no
 * less than the recording does.
 */
#include "saved_names.h"
#include "symbols_private.h"

/* What is known of a file's code: answers by code address and by return address. */
struct known {
	struct key_map answers[2];
	struct key_map functions;
};

/* Exchanges what is known of the file for @known. */
static void exchange(struct symbol_file *file, struct known *known)
{
	struct known former;

	memcpy(former.answers, file->answers, sizeof(former.answers));
	former.functions = file->functions;
	memcpy(file->answers, known->answers, sizeof(file->answers));
	file->functions = known->functions;
	*known = former;
}

/* How many answers have a function, and how many a line. */
static void count_names(const struct key_map *answers, u64 *functions, u64 *lines)
{
	*functions = 0;
	*lines = 0;
	for (u32 i = 0; i < 2; i++) {
		for (u32 j = 0; j < answers[i].count; j++) {
			const struct answer *answer = answers[i].entries[j].value;

			*functions += !!answer->function->function;
			*lines += answer->frames && answer->frames[0].line;
		}
	}
}

/* Looks up what @former has. Returns 0, or -1 without memory. */
static int look_up_all(struct symbols *symbols, const struct known *former)
{
	for (u32 i = 0; i < ARRAY_SIZE(former->answers); i++) {
		for (u32 j = 0; j < former->answers[i].count; j++) {
			const struct answer *answer = former->answers[i].entries[j].value;
			const struct frame *frames;

			if (!symbols_frames(symbols, answer->code, answer->is_return, &frames))
				return -1;
			if (answer->rule_known)
				symbols_frame_rule(symbols, answer->code, answer->is_return);
		}
	}
	return 0;
}

static u8 digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Sets the object's build-id to the one of the recording. False: there is none. */
static bool set_build_id(struct symbol_file *file)
{
	struct build_id *id = &file->object->build_id;
	size_t size = strlen(file->build_id) / 2;

	if (!size || size > sizeof(id->bytes))
		return false;
	for (size_t i = 0; i < size; i++)
		id->bytes[i] = digit(file->build_id[2 * i]) << 4 | digit(file->build_id[2 * i + 1]);
	id->size = size;
	return true;
}

/* The file is looked for again when it is needed next. */
static void unload(struct symbols *symbols, struct symbol_file *file)
{
	symbols->loaded -= file->state == SYMBOL_FILE_LOADED;
	symbol_file_unload(file);
	file->link_failed = false;
}

/* Returns whether the file has other names now, or -1 without memory. */
static int name_again(struct symbols *symbols, struct symbol_file *file)
{
	struct known known = { 0 };
	u64 functions[2], lines[2];
	int result;

	if (file->object->kind != OBJECT_FILE || !set_build_id(file))
		return 0;
	unload(symbols, file);
	exchange(file, &known);
	result = look_up_all(symbols, &known) ? -1 : 1;
	count_names(known.answers, &functions[0], &lines[0]);
	count_names(file->answers, &functions[1], &lines[1]);
	if (functions[1] < functions[0] || lines[1] < lines[0] ||
	    (functions[1] == functions[0] && lines[1] == lines[0]))
		result = result < 0 ? -1 : 0;
	if (result <= 0)
		exchange(file, &known);
	symbols_free_names(known.answers, &known.functions);
	unload(symbols, file);
	/* another file at its path here says nothing of where it ran */
	file->object->replaced = false;
	return result;
}

int symbols_name_again(struct symbols *symbols, const struct symbol_sources *sources, bool *changed)
{
	int result = 0;

	symbols_set_sources(symbols, sources);
	symbols->restored = false;
	for (u32 i = 0; i < symbols->file_count && result >= 0; i++) {
		result = name_again(symbols, symbols->files[i]);
		*changed |= result > 0;
	}
	symbols->restored = true;
	return result < 0 ? -1 : 0;
}
