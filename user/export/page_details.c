// SPDX-License-Identifier: GPL-2.0
/* Of the page: the report as text, call paths by critical time, and source lines with theirs. */
#include "page_details.h"

#include "pieces.h"
#include "report/source_text.h"
#include "util/names.h"

/* Call paths at most, those with most time. */
#define FLAME_ROWS_MAX 8192
/* Places at most whose source is shown, lines around a hot one, and lines of a place. */
#define SOURCES_MAX 32
#define SOURCE_AROUND 5
#define SOURCE_LINES_MAX 120
/* Instead of a wait reason. */
#define RAN (-1)

struct flame_frame {
	struct {
		u32 name;
		u32 module;
	} key;
};

/**
 * struct flame - call paths that are being written
 * @out: the stream
 * @texts: names of functions and modules
 * @frames: those that were written in a call path
 * @threads: threads that have call paths of their own
 * @thread_count: elements of @threads
 * @rows: call paths that were written
 * @left_out_ns: nanoseconds of others: with no thread active, and critical time
 */
struct flame {
	FILE *out;
	struct texts texts;

	KEYED(flame_frame) frames;
	const struct ranked *threads[EXPORT_THREADS_MAX];
	size_t thread_count;
	u32 rows;
	double left_out_ns[2];
};

static int put_frame(struct flame *flame, const char *name, const char *module)
{
	struct flame_frame frame = { .key = { texts_number(&flame->texts, name),
					      texts_number(&flame->texts, module) } };
	u32 number;

	if (frame.key.name == HASH_NONE || frame.key.module == HASH_NONE)
		return -1;
	number = keyed_find(&flame->frames, &frame.key);
	if (number == HASH_NONE)
		number = keyed_add(&flame->frames, &frame.key);
	if (number == HASH_NONE)
		return -1;
	fprintf(flame->out, ",%u", number);
	return 0;
}

static int put_path(struct flame *flame, const struct ranked *row)
{
	for (size_t i = row->frame_count; i--;) {
		_cleanup_free_ char *name = frame_text(&row->frames[i]), *module = NULL;
		const struct frame *frame = &row->frames[i];

		module = name_text(frame->module, strlen(frame->module));
		if (!name || !module || put_frame(flame, name, module))
			return -1;
	}
	return 0;
}

static int thread_number(const struct flame *flame, const struct piece *piece)
{
	for (size_t i = 0; i < flame->thread_count && piece->tid; i++)
		if (flame->threads[i]->tid == piece->tid && flame->threads[i]->tgid == piece->tgid)
			return i;
	return -1;
}

/* @reason: enum gapp_wait_reason of time with no thread active; RAN: it is critical time. */
static int put_time(struct flame *flame, const struct piece *piece, double ns, int reason)
{
	char why[64];

	if (ns < 1 || ferror(flame->out))
		return 0;
	if (flame->rows >= FLAME_ROWS_MAX) {
		flame->left_out_ns[reason == RAN] += ns;
		return 0;
	}
	fprintf(flame->out, "%s[%.0f,%d,%d", flame->rows++ ? ",\n" : "", ns,
		thread_number(flame, piece), reason);
	if (piece->row) {
		if (put_path(flame, piece->row))
			return -1;
	} else {
		snprintf(why, sizeof(why), "[%s]", piece->why);
		if (put_frame(flame, "[no call path]", "") || put_frame(flame, why, ""))
			return -1;
	}
	putc(']', flame->out);
	return 0;
}

static int put_piece(void *context, const struct piece *piece)
{
	struct flame *flame = context;
	const int wait = piece->row ? (int)piece->row->wait : GAPP_WAIT_OTHER;

	return put_time(flame, piece, piece->critical_ns, RAN) ||
	       put_time(flame, piece, piece->waited_ns, wait);
}

static void put_frames(const struct flame *flame, const char *name, bool modules)
{
	fprintf(flame->out, ",\n\"%s\":[", name);
	for (u32 i = 0; i < flame->frames.index.count; i++) {
		const struct flame_frame *frame = &flame->frames.rows[i];
		const char *text =
			flame->texts.texts[modules ? frame->key.module : frame->key.name];

		fputs(i ? "," : "", flame->out);
		name_json(flame->out, text, strlen(text));
	}
	putc(']', flame->out);
}

static void put_threads(const struct flame *flame)
{
	fputs(",\n\"threads_of_rows\":[", flame->out);
	for (size_t i = 0; i < flame->thread_count; i++) {
		const struct ranked *thread = flame->threads[i];

		fprintf(flame->out, "%s{\"tid\":%d,\"tgid\":%d,\"comm\":", i ? "," : "",
			thread->tid, thread->tgid);
		name_json(flame->out, thread->comm, strlen(thread->comm));
		putc('}', flame->out);
	}
	putc(']', flame->out);
}

static void put_reasons(const struct flame *flame)
{
	fputs(",\n\"reasons\":[", flame->out);
	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++)
		fprintf(flame->out, "%s\"%s\"", i ? "," : "", wait_name(i));
	putc(']', flame->out);
}

static int put_flame(FILE *out, const struct results *results)
{
	struct flame flame = { .out = out };
	int result;

	flame.thread_count = exported_threads(results, flame.threads);
	fputs("\"flame\":{\"rows\":[", out);
	result = pieces_each(results, PIECES_BY_THREAD, put_piece, &flame);
	putc(']', out);
	if (!result) {
		put_frames(&flame, "frames", false);
		put_frames(&flame, "modules", true);
		put_threads(&flame);
		put_reasons(&flame);
		fprintf(out, ",\n\"left_out_ns\":%.0f,\"left_out_idle_ns\":%.0f",
			flame.left_out_ns[1], flame.left_out_ns[0]);
	}
	putc('}', out);
	texts_free(&flame.texts);
	keyed_free(&flame.frames);
	return result;
}

struct putting {
	FILE *out;
	u32 lines;
};

static void put_line(void *context, _unused_ u32 line, const char *text, size_t length)
{
	struct putting *putting = context;

	fputs(putting->lines++ ? ",\n" : "", putting->out);
	name_json(putting->out, text, length);
}

/* Critical time of a line of the file, nanoseconds. */
static double heat_of(const struct ranked *row, const char *file, u32 line)
{
	double ns = 0;

	for (size_t i = 0; i < row->line_count; i++)
		if (row->lines[i].file && row->lines[i].line == line &&
		    !strcmp(row->lines[i].file, file))
			ns += row->lines[i].critical_ns;
	return ns;
}

/* The lines around those of a place that are near its most critical one. */
static void find_range(const struct ranked *row, const char *file, u32 *first, u32 *last)
{
	const u32 hot = row->lines[0].line, most = SOURCE_LINES_MAX / 2 - SOURCE_AROUND;

	*first = *last = hot;
	for (size_t i = 0; i < row->line_count; i++) {
		u32 line = row->lines[i].line;

		if (!row->lines[i].file || strcmp(row->lines[i].file, file))
			continue;
		if (line < *first && hot - line < most)
			*first = line;
		if (line > *last && line - hot < most)
			*last = line;
	}
	*first = *first > SOURCE_AROUND ? *first - SOURCE_AROUND : 1;
	*last = *last > UINT32_MAX - SOURCE_AROUND ? UINT32_MAX : *last + SOURCE_AROUND;
}

/*
 * A recording may be made up, and a page is handed on: what people hide below names that begin with
 * a dot is no source.
 */
static bool is_hidden(const char *file)
{
	return *file == '.' ? file[1] != '/' && file[1] != '.' : !!strstr(file, "/.");
}

/* Writes the source of a place, if there is any. */
static int put_source(FILE *out, const struct ranked *row, size_t rank,
		      const struct options *options, u32 *sources)
{
	_cleanup_free_ char *text = NULL;
	const char *file = row->line_count ? row->lines[0].file : NULL;
	struct putting putting = { 0 };
	u32 first, last, lines;
	size_t size;

	if (!file || !row->lines[0].line || is_hidden(file))
		return 0;
	find_range(row, file, &first, &last);
	putting.out = open_memstream(&text, &size);
	if (!putting.out)
		return -1;
	lines = source_lines(options, file, first, last, put_line, &putting);
	if (fclose(putting.out))
		return -1;
	if (!lines)
		return 0;
	fprintf(out, "%s{\"place\":%zu,\"file\":", (*sources)++ ? ",\n" : "", rank);
	name_json(out, file, strlen(file));
	fprintf(out, ",\"first\":%u,\"lines\":[%s],\"critical_ns\":[", first, text);
	for (u32 i = 0; i < lines; i++)
		fprintf(out, "%s%.0f", i ? "," : "", heat_of(row, file, first + i));
	fputs("]}", out);
	return 0;
}

static int put_sources(FILE *out, const struct results *results, const struct options *options)
{
	u32 sources = 0;

	fputs("\"sources\":[", out);
	for (size_t i = 0; i < results->places.count && i < SOURCES_MAX; i++)
		if (put_source(out, &results->places.rows[i], i + 1, options, &sources))
			return -1;
	fputs("]", out);
	return 0;
}

int page_details(FILE *out, const struct results *results, const struct options *options)
{
	_cleanup_free_ char *text = NULL;
	struct options own = *options;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return -1;
	own.color = COLOR_NEVER;
	report_text(stream, results, &own);
	if (fclose(stream))
		return -1;
	fputs("{\"text\":", out);
	name_json(out, text, size);
	fputs(",\n", out);
	if (put_flame(out, results))
		return -1;
	fputs(",\n", out);
	if (put_sources(out, results, options))
		return -1;
	fputs("}\n", out);
	return 0;
}
