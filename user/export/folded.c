// SPDX-License-Identifier: GPL-2.0
/*
 * Folded call paths. The root is the thread's name, as in what perf and bcc fold: threads of one
 * name do one job, so they are one tower of a flame graph. The function that a line ends with is
 * where the thread was.
 */
#include "exports.h"
#include "pieces.h"
#include "util/names.h"

/**
 * struct folded - the lines
 * @lines: call paths as text, each once
 * @ns: time of each
 */
struct folded {
	struct texts lines;
	double *ns;
	u32 room;
};

/* Whether @text is a number: behind a space a program would take it for the line's value. */
static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789.")];
}

/* Writes a name that is one frame whatever is in it. Returns 0, or -1 without memory. */
static int put_frame(FILE *line, char *name, const char *mark)
{
	char *space;

	if (!name)
		return -1;
	for (char *at = name; *at; at++)
		if (*at == ';')
			*at = ':';
	space = *mark ? NULL : strrchr(name, ' ');
	if (space && is_number(space + 1))
		*space = '_';
	fprintf(line, "%s%s%s", ftell(line) ? ";" : "", *name ? name : "?", mark);
	return 0;
}

static const char *mark_of(const struct frame *frame)
{
	if (frame->kernel)
		return "_[k]";
	if (!frame->object)
		return "_[j]";
	return frame->inlined ? "_[i]" : "";
}

static int put_name(FILE *line, const char *name)
{
	_cleanup_free_ char *text = name_text(name, strlen(name));

	return put_frame(line, text, "");
}

static int put_path(FILE *line, const struct ranked *row)
{
	for (size_t i = row->frame_count; i--;) {
		_cleanup_free_ char *text = frame_text(&row->frames[i]);

		if (put_frame(line, text, mark_of(&row->frames[i])))
			return -1;
	}
	return 0;
}

static int put_piece(FILE *line, const struct piece *piece, bool waited)
{
	const struct ranked *row = piece->row;

	if (waited)
		fputs("[no thread active]", line);
	if (!row)
		return put_name(line, "[no call path]") || fprintf(line, ";[%s]", piece->why) < 0;
	if (put_name(line, piece->comm ? piece->comm : row->comm) || put_path(line, row))
		return -1;
	if (waited)
		fprintf(line, ";[waits: %s]", wait_name(row->wait));
	return 0;
}

/* Adds time to a line. Returns 0, or -1 without memory. */
static int add(struct folded *folded, const char *line, double ns)
{
	u32 before = folded->lines.index.count;
	u32 id = texts_number(&folded->lines, line);

	if (id == HASH_NONE || array_grow(&folded->ns, &folded->room, id, sizeof(*folded->ns)))
		return -1;
	if (id == before)
		folded->ns[id] = 0;
	folded->ns[id] += ns;
	return 0;
}

static int fold(struct folded *folded, const struct piece *piece, bool waited, double ns)
{
	_cleanup_free_ char *line = NULL;
	size_t size;
	FILE *stream;
	int failed;

	if (ns <= 0)
		return 0;
	stream = open_memstream(&line, &size);
	if (!stream)
		return -1;
	failed = put_piece(stream, piece, waited);
	return fclose(stream) || failed ? -1 : add(folded, line, ns);
}

static int take_piece(void *context, const struct piece *piece)
{
	return fold(context, piece, false, piece->critical_ns) ||
			       fold(context, piece, true, piece->waited_ns) ?
		       -1 :
		       0;
}

/* Each kind of time adds up by itself. */
static void put_lines(FILE *out, const struct folded *folded, bool waited)
{
	struct rounding rounding = { 0 };

	for (u32 i = 0; i < folded->lines.index.count && !ferror(out); i++) {
		const char *line = folded->lines.texts[i];
		u64 us;

		if (!strncmp(line, "[no thread active];", strlen("[no thread active];")) != waited)
			continue;
		us = rounding_next(&rounding, folded->ns[i] / 1000);
		if (us)
			fprintf(out, "%s %llu\n", line, us);
	}
}

int export_folded(FILE *out, const struct results *results, _unused_ const struct options *options)
{
	struct folded folded = { 0 };
	int result = pieces_each(results, PIECES_BY_NAME, take_piece, &folded);

	if (!result) {
		put_lines(out, &folded, false);
		put_lines(out, &folded, true);
	}
	texts_free(&folded.lines);
	free(folded.ns);
	return result;
}
