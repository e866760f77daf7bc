// SPDX-License-Identifier: GPL-2.0
/* Lines of the text report: as wide as the terminal at most, and nothing in them that controls it.
 */
#include <stdarg.h>
#include <sys/ioctl.h>
#include <wchar.h>

#include "util/names.h"
#include "text.h"

#define LINE_BYTES 1024

static unsigned int terminal_columns(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
		return TEXT_COLUMNS;
	if (size.ws_col < TEXT_COLUMNS_MIN)
		return TEXT_COLUMNS_MIN;
	return size.ws_col < TEXT_COLUMNS_MAX ? size.ws_col : TEXT_COLUMNS_MAX;
}

static bool shows_bold(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no_color && *no_color) && term && *term && strcmp(term, "dumb");
}

/**
 * text_begin() - finds out how the report is to be written
 * @text: is set
 * @out: where to
 * @results: what is reported
 * @options: what was asked for
 */
void text_begin(struct text *text, FILE *out, const struct results *results,
		const struct report_options *options)
{
	u64 wall = results->model.status.wall_ns;
	int fd = fileno(out);

	*text = (struct text){
		.out = out,
		.results = results,
		.model = &results->model,
		.options = options,
		.verbose = options->verbose,
		.unit = "us",
		.unit_ns = 1e3,
		.decimals = wall >= 10000 * NSEC_PER_SEC ? 1 : 3,
		.columns = TEXT_COLUMNS,
	};
	if (wall >= NSEC_PER_SEC) {
		text->unit = "s";
		text->unit_ns = 1e9;
	} else if (wall >= 1000000) {
		text->unit = "ms";
		text->unit_ns = 1e6;
	}
	if (fd >= 0 && isatty(fd)) {
		text->columns = terminal_columns(fd);
		text->bold = shows_bold();
	}
}

/* Whatever came into it on the way: it is made safe, and cut, here. */
static void put(struct text *text, const char *line, size_t len, bool bold)
{
	char safe[NAME_SAFE_SIZE(LINE_BYTES)];

	while (len && line[len - 1] == ' ')
		len--;
	name_safe(safe, line, len, text->columns);
	if (bold && text->bold)
		fprintf(text->out, "\033[1m%s\033[0m\n", safe);
	else
		fprintf(text->out, "%s\n", safe);
	text->lines++;
}

/**
 * text_line() - writes one line
 * @text: the report
 * @format: of the line, without its end
 */
void text_line(struct text *text, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	put(text, line, strlen(line), false);
}

void text_blank(struct text *text)
{
	if (text->tight)
		return;
	putc('\n', text->out);
	text->lines++;
}

/* Columns of what name_safe() made. */
unsigned int text_width(const char *shown, size_t len)
{
	mbstate_t state = { 0 };
	unsigned int columns = 0;

	while (len) {
		wchar_t c;
		size_t bytes = mbrtowc(&c, shown, len, &state);
		int width;

		if (!bytes || bytes > len)
			return columns + len;
		width = wcwidth(c);
		columns += width > 0 ? width : 0;
		shown += bytes;
		len -= bytes;
	}
	return columns;
}

/* Bytes of @words that fit into @room columns, up to a space if there is one. */
static size_t fitting(const char *words, unsigned int room)
{
	size_t fits = 0, end = 0;

	for (;;) {
		end += strcspn(words + end, " ");
		if (text_width(words, end) > room)
			return fits ? fits : end;
		fits = end;
		if (!words[end])
			return fits;
		end += strspn(words + end, " ");
	}
}

/**
 * text_wrap() - writes words on as many lines as they need
 * @text: the report
 * @words: at most LINE_BYTES; spaces are where a line may end
 * @indent: of all lines but the first
 * @most: lines; the last one is cut where that is too few
 * @bold: on a terminal: bold
 */
void text_wrap(struct text *text, const char *words, unsigned int indent, unsigned int most,
	       bool bold)
{
	char safe[NAME_SAFE_SIZE(LINE_BYTES)], line[NAME_SAFE_SIZE(LINE_BYTES)];
	const char *rest = safe;

	name_safe(safe, words, strnlen(words, LINE_BYTES), NAME_WHOLE);
	for (unsigned int i = 0; *rest && i < most; i++) {
		unsigned int begin = i ? indent : 0;
		size_t len = i + 1 < most ? fitting(rest, text->columns - begin) : strlen(rest);

		snprintf(line, sizeof(line), "%*s%.*s", begin, "", (int)len, rest);
		put(text, line, strnlen(line, LINE_BYTES), bold);
		rest += len;
		rest += strspn(rest, " ");
	}
}

/* Bytes of the first character of what name_safe() made. */
static size_t first_char(const char *shown)
{
	mbstate_t state = { 0 };
	size_t bytes = mbrtowc(NULL, shown, strlen(shown), &state);

	return bytes && bytes <= strlen(shown) ? bytes : 1;
}

/**
 * text_cut() - a name that has so much room and no more
 * @cell: the result, TEXT_CELL_SIZE bytes
 * @name: any bytes
 * @len: how many
 * @columns: 1 to TEXT_COLUMNS_MAX; what has more loses its middle, for which ~ stands
 */
void text_cut(char *cell, const char *name, size_t len, unsigned int columns)
{
	_cleanup_free_ char *safe = malloc(NAME_SAFE_SIZE(len));
	unsigned int left, room = columns / 2;
	const char *s = safe;
	size_t head;

	if (!safe) {
		strcpy(cell, "?");
		return;
	}
	left = name_safe(safe, name, len, NAME_WHOLE);
	if (left <= columns) {
		strcpy(cell, safe);
		return;
	}
	for (unsigned int one; (one = text_width(s, first_char(s))) <= room; s += first_char(s)) {
		room -= one;
		left -= one;
	}
	head = s - safe;
	room += columns - columns / 2 - 1;
	for (; left > room; s += first_char(s))
		left -= text_width(s, first_char(s));
	snprintf(cell, TEXT_CELL_SIZE, "%.*s~%s", (int)head, safe, s);
}

/**
 * text_append() - adds to a string what fits
 * @buffer: the string
 * @size: its room
 * @format: what is added
 */
void text_append(char *buffer, size_t size, const char *format, ...)
{
	size_t len = strlen(buffer);
	va_list args;

	va_start(args, format);
	vsnprintf(buffer + len, size - len, format, args);
	va_end(args);
}

/* "40 %", "4.0 %": for a sentence. */
const char *text_percent(char *buffer, double percent)
{
	if (percent > 0 && percent < 0.1)
		return "below 0.1 %";
	snprintf(buffer, TEXT_PERCENT_SIZE, "%.*f %%", percent < 9.95 ? 1 : 0, percent);
	return buffer;
}

/* "850 us": in a unit of its own. */
const char *text_short_time(char *buffer, double ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && ns < units[i].ns)
		i++;
	ns /= units[i].ns;
	snprintf(buffer, TEXT_TIME_SIZE, "%.*f %s", ns < 9.95 ? 1 : 0, ns, units[i].name);
	return buffer;
}

/* "0.81 s": for a sentence. */
void text_append_time(const struct text *text, char *buffer, size_t size, double ns)
{
	bool long_run = text->model->status.wall_ns >= 1000 * NSEC_PER_SEC;

	text_append(buffer, size, "%.*f %s", long_run ? 0 : 2, text_time(text, ns), text->unit);
}

/* "0.81 s of 2.00 s (40 %)" */
void text_append_part(const struct text *text, char *buffer, size_t size, double ns)
{
	char percent[TEXT_PERCENT_SIZE];

	text_append_time(text, buffer, size, ns);
	text_append(buffer, size, " of ");
	text_append_time(text, buffer, size, text->model->status.wall_ns);
	text_append(buffer, size, " (%s)",
		    text_percent(percent, results_percent(text->results, ns)));
}
