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

static int put_code(FILE *line, const struct frame *frame)
{
	_cleanup_free_ char *text = frame_text(frame);

	return put_frame(line, text, mark_of(frame));
}

static int put_path(FILE *line, const struct frame *frames, size_t count)
{
	while (count--)
		if (put_code(line, &frames[count]))
			return -1;
	return 0;
}

static int put_piece(FILE *line, const struct piece *piece, bool waited)
{
	const struct ranked *row = piece->row;

	if (waited)
		fputs("[no thread active]", line);
	if (!row)
		return put_name(line, "[no call path]") || fprintf(line, ";[%s]", piece->why) < 0;
	if (put_name(line, piece->comm ? piece->comm : row->comm) ||
	    put_path(line, row->frames, row->frame_count))
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

static int put_waker(FILE *line, const struct woken *woken)
{
	if (woken->interrupt)
		fprintf(line, ";[%s%sinterrupt]", woken->kind ?: "", woken->kind ? " " : "");
	else if (!woken->waker)
		fputs(";[not known]", line);
	else
		return put_name(line, woken->waker);
	return 0;
}

/*
 * Who waited and where, from the outermost function on, and behind "--" who ended that and where,
 * from the innermost function on: so in a flame graph what woke a thread stands on what waited.
 */
static int put_woken(FILE *line, const struct woken_paths *all, const struct woken *woken)
{
	const struct woken_path *waited = &all->paths[woken->waited],
				*from = &all->paths[woken->from];

	if (put_name(line, woken->waiter ?: "[not known]") ||
	    put_path(line, waited->frames, waited->count))
		return -1;
	fputs(waited->count ? ";--" : ";[no call path];--", line);
	for (size_t i = 0; i < from->count; i++)
		if (put_code(line, &from->frames[i]))
			return -1;
	return put_waker(line, woken);
}

static int fold_woken(struct folded *folded, const struct woken_paths *all,
		      const struct woken *woken)
{
	_cleanup_free_ char *line = NULL;
	size_t size;
	FILE *stream;
	int failed;

	if (!woken->waited_ns)
		return 0;
	stream = open_memstream(&line, &size);
	if (!stream)
		return -1;
	failed = put_woken(stream, all, woken);
	return fclose(stream) || failed ? -1 : add(folded, line, woken->waited_ns);
}

static int fold_all_woken(struct folded *folded, const struct woken_paths *all)
{
	int result = 0;

	for (size_t i = 0; i < all->count && !result; i++)
		result = fold_woken(folded, all, &all->rows[i]);
	return result;
}

int export_folded(FILE *out, const struct results *results, const struct options *options)
{
	struct folded folded = { 0 };
	int result;

	if (options && options->view == VIEW_WAKERS)
		result = fold_all_woken(&folded, &results->woken);
	else
		result = pieces_each(results, PIECES_BY_NAME, take_piece, &folded);
	if (!result) {
		put_lines(out, &folded, false);
		put_lines(out, &folded, true);
	}
	texts_free(&folded.lines);
	free(folded.ns);
	return result;
}
