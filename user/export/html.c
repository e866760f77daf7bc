// SPDX-License-Identifier: GPL-2.0
/*
 * The page of -o FILE.html: the template of user/export/page/, with the report, the timeline and
 * details put in as JSON. docs/design/page.md describes both.
 */
#include "exports.h"
#include "markup.h"
#include "page_details.h"
#include "page_template.h"
#include "pieces.h"
#include "timeline.h"
#include "util/names.h"

/* The whole file is smaller, unless the report itself is larger. */
#define PAGE_BYTES 5000000U
/* Of that the timeline has at least so much. */
#define TIMELINE_BYTES_LEAST 500000U
/* What a stay takes in the file, about. */
#define STAY_BYTES 16
/* Rows are made with so many stays at most, before it is known how many fit. */
#define STAYS_MOST 400000U

/* In JSON within a script, so that nothing in it ends the script. */
#define LESS_THAN "\\u003c"

/* A piece of the page, in memory. */
struct text {
	char *bytes;
	size_t size;
};

/**
 * struct page - what is put into the template
 * @report: JSON
 * @timeline: JSON
 * @details: JSON
 * @plain: what a browser without scripts shows
 */
struct page {
	const struct results *results;
	const struct options *options;
	struct text report;
	struct text timeline;
	struct text details;
	struct text plain;
};

static int write_report(FILE *out, const struct page *page)
{
	report_json(out, page->results, page->options);
	return 0;
}

static int write_details(FILE *out, const struct page *page)
{
	return page_details(out, page->results, page->options);
}

/* Returns 0, or -1 without memory. */
static int make(struct text *text, const struct page *page,
		int (*write)(FILE *out, const struct page *page))
{
	FILE *out = open_memstream(&text->bytes, &text->size);
	int error;

	if (!out)
		return -1;
	error = write(out, page);
	return fclose(out) || error ? -1 : 0;
}

/* Bytes that put_json() writes. */
static size_t escaped_size(const struct text *text)
{
	size_t size = text->size;

	for (size_t i = 0; i < text->size; i++)
		if (text->bytes[i] == '<')
			size += strlen(LESS_THAN) - 1;
	return size;
}

/* Bytes that are left for the timeline. */
static size_t room_of(const struct page *page)
{
	size_t taken = escaped_size(&page->report) + escaped_size(&page->details) +
		       page->plain.size + strlen(page_html) + strlen(page_css) + strlen(page_js);

	return taken + TIMELINE_BYTES_LEAST < PAGE_BYTES ? PAGE_BYTES - taken :
							   TIMELINE_BYTES_LEAST;
}

/* Writes the timeline, with fewer and fewer stays until it fits. Returns 0, or -1 without memory.
 */
static int fit_timeline(struct page *page, struct timeline *timeline)
{
	size_t room = room_of(page);
	u32 stays = room / STAY_BYTES, former = UINT32_MAX;

	for (;;) {
		u32 before;
		FILE *out;
		int error;

		timeline_shrink(timeline, stays);
		free(page->timeline.bytes);
		page->timeline.bytes = NULL;
		out = open_memstream(&page->timeline.bytes, &page->timeline.size);
		if (!out)
			return -1;
		error = timeline_json(out, timeline, page->results);
		if (fclose(out) || error)
			return -1;
		before = timeline->rows.count;
		stays = before / 8 * 7;
		/* each row keeps a stay, so there may be no fewer */
		if (escaped_size(&page->timeline) <= room || before < 4096 || before == former)
			return 0;
		former = before;
	}
}

/* Returns 0, or -1 without memory. */
static int make_timeline(struct page *page)
{
	struct timeline *timeline;
	int error;

	if (!page->results->recorded->kept)
		return 0;
	timeline = calloc(1, sizeof(*timeline));
	if (!timeline)
		return -1;
	error = timeline_make(timeline, page->results, STAYS_MOST) || fit_timeline(page, timeline);
	timeline_free(timeline);
	free(timeline);
	return error ? -1 : 0;
}

/* JSON within a script. */
static void put_json(FILE *out, const struct text *text)
{
	const char *at = text->bytes, *end = at + text->size;

	if (!at)
		fputs("null\n", out);
	while (at && at < end) {
		const char *next = memchr(at, '<', end - at) ?: end;

		fwrite(at, 1, next - at, out);
		if (next < end)
			fputs(LESS_THAN, out);
		at = next + 1;
	}
}

static void put_cell(FILE *out, const char *text)
{
	fputs("<td>", out);
	markup_put(out, text);
	fputs("</td>", out);
}

/* A table of the places. Returns 0, or -1 without memory. */
static int put_places(FILE *out, const struct results *results)
{
	fputs("<table>\n<caption>Places: critical time of those that ran, time with no thread active of those that waited</caption>\n<tr><th>#</th><th>kind</th><th>ms</th><th>code</th><th>object</th><th>file</th></tr>\n",
	      out);
	for (size_t i = 0; i < results->places.count && i < 100; i++) {
		_cleanup_free_ char *function = NULL, *module = NULL, *file = NULL;
		const struct ranked *row = &results->places.rows[i];
		const struct line_count *line = row->line_count ? row->lines : NULL;

		if (!row->frame_count)
			continue;
		function = frame_text(&row->frames[0]);
		module = name_text(row->frames[0].module, strlen(row->frames[0].module));
		file = name_text(line && line->file ? line->file : "",
				 line && line->file ? strlen(line->file) : 0);
		if (!function || !module || !file)
			return -1;
		fprintf(out, "<tr><td>%zu</td><td>%s</td><td>%.3f</td>", i + 1,
			row->kind == PATH_WAITED ? "waited" : "ran", row->critical_ns / 1e6);
		put_cell(out, function);
		put_cell(out, module);
		fputs("<td>", out);
		markup_put(out, file);
		if (*file)
			fprintf(out, ":%u", line->line);
		fputs("</td></tr>\n", out);
	}
	fputs("</table>\n", out);
	return 0;
}

/* What a browser without scripts shows. Returns 0, or -1 without memory. */
static int put_plain(FILE *out, const struct page *page)
{
	_cleanup_free_ char *text = NULL;
	struct options own = *page->options;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return -1;
	own.color = COLOR_NEVER;
	report_text(stream, page->results, &own);
	if (fclose(stream))
		return -1;
	fputs("<p>This page is interactive with JavaScript; here are the report and the places.</p>\n<pre>\n",
	      out);
	markup_put(out, text);
	fputs("</pre>\n", out);
	return put_places(out, page->results);
}

/* Puts in what a line of the template asks for. False: the line is itself. */
static bool put_part(FILE *out, const struct page *page, const char *line, size_t length,
		     int *error)
{
	static const char *const names[] = { "@TITLE@",	   "@STYLE@",	"@SCRIPT@", "@NOSCRIPT@",
					     "@TIMELINE@", "@DETAILS@", "@REPORT@" };
	size_t i = 0;

	while (i < ARRAY_SIZE(names) &&
	       (length != strlen(names[i]) || memcmp(line, names[i], length)))
		i++;
	switch (i) {
	case 0:
		*error = markup_put_title(out, page->options);
		putc('\n', out);
		break;
	case 1:
		fputs(page_css, out);
		break;
	case 2:
		fputs(page_js, out);
		break;
	case 3:
		fwrite(page->plain.bytes, 1, page->plain.size, out);
		break;
	case 4:
		put_json(out, &page->timeline);
		break;
	case 5:
		put_json(out, &page->details);
		break;
	case 6:
		put_json(out, &page->report);
		break;
	default:
		return false;
	}
	return true;
}

/* Returns 0, or -1 without memory. */
static int put_page(FILE *out, const struct page *page)
{
	int error = 0;

	for (const char *line = page_html; *line && !error && !ferror(out);) {
		size_t length = strcspn(line, "\n");

		if (!put_part(out, page, line, length, &error)) {
			fwrite(line, 1, length, out);
			putc('\n', out);
		}
		line += length + (line[length] == '\n');
	}
	return error;
}

int export_html(FILE *out, const struct results *results, const struct options *options)
{
	struct page page = { .results = results, .options = options };
	int error = make(&page.report, &page, write_report) ||
		    make(&page.details, &page, write_details) ||
		    make(&page.plain, &page, put_plain) || make_timeline(&page) ||
		    put_page(out, &page);

	free(page.report.bytes);
	free(page.timeline.bytes);
	free(page.details.bytes);
	free(page.plain.bytes);
	return error ? -1 : 0;
}
