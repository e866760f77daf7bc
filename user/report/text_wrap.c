// SPDX-License-Identifier: GPL-2.0
/*
 * Words on lines: a line ends between words, and spaces within a name's brackets are part of a
 * word. On a terminal a word that is wider than a line goes on in the next one; elsewhere it has a
 * longer line of its own. No name can put control characters into them.
 */
#include <limits.h>
#include <wchar.h>

#include "util/names.h"
#include "text_private.h"

#define LEFT_OUT " ..." /* for words that have no room */

/* Columns that a string from name_safe() takes on a terminal. */
static unsigned int width_of(const char *shown, size_t len)
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

unsigned int text_width(const char *shown)
{
	return width_of(shown, strlen(shown));
}

/* Bytes of the first character of a string from name_safe(). */
static size_t first_char(const char *shown)
{
	mbstate_t state = { 0 };
	size_t bytes = mbrtowc(NULL, shown, strlen(shown), &state);

	return bytes && bytes <= strlen(shown) ? bytes : 1;
}

/*
 * Behind the brackets of a name at @c, in a word; NULL: there are none, or they do not close. The
 * bracket of operator< may seem to be closed by what stands between the functions of a path.
 */
static const char *behind_brackets(const char *word, const char *c)
{
	const char *behind = strchr("<([{", *c) ? text_behind_brackets(c) : NULL;

	if (!behind || !strncmp(behind - 2, " > ", 3))
		return NULL;
	/* "(anonymous namespace)::" is of a name, and "(2 more)" is not */
	return c > word || *c == '<' || !strncmp(behind, "::", 2) ? behind : NULL;
}

static bool is_operator(const char *words, const char *end)
{
	static const char word[] = "operator";
	size_t len = strlen(word);

	return (size_t)(end - words) >= len && !strncmp(end - len, word, len);
}

/* Bytes of the first word. "operator new" is one. */
static size_t word_len(const char *words)
{
	const char *c = words;

	while (*c && (*c != ' ' || is_operator(words, c))) {
		const char *behind = behind_brackets(words, c);

		c = behind ? behind : c + 1;
	}
	return c - words;
}

/* Bytes of a word that fit into @room columns, up to a space or "::" if there is one. */
static size_t fitting_part(const char *word, size_t len, unsigned int room)
{
	size_t fits = 0, end = 0, part = 0;

	while (end < len) {
		end += first_char(word + end);
		if (width_of(word, end) > room)
			break;
		fits = end;
		if (word[end - 1] == ' ' || (end > 1 && !strncmp(word + end - 2, "::", 2)))
			part = end;
	}
	return part ? part : fits ? fits : first_char(word);
}

/* Bytes of @words that are the next line, of so many columns. */
static size_t fitting(const struct text *text, const char *words, unsigned int room)
{
	size_t fits = 0, lead = strspn(words, " "), end = lead;

	for (;;) {
		end += word_len(words + end);
		if (width_of(words, end) > room)
			break;
		fits = end;
		if (!words[end])
			return fits;
		end += strspn(words + end, " ");
	}
	if (fits || !text->terminal)
		return fits ? fits : end;
	return lead + fitting_part(words + lead, end - lead, room > lead ? room - lead : 1);
}

/* What follows the line that has the first @len bytes of @words. */
static const char *next_line(const char *words, size_t len)
{
	return words + len + strspn(words + len, " ");
}

static unsigned int room_of(const struct text *text, unsigned int indent)
{
	return text->columns > indent ? text->columns - indent : 1;
}

/* Lines that words from name_safe() take. */
static unsigned int lines_of(const struct text *text, const char *words, unsigned int indent)
{
	unsigned int lines = 0;

	for (; *words; lines++)
		words = next_line(words, fitting(text, words, room_of(text, lines ? indent : 0)));
	return lines;
}

/* Writes a line from name_safe() without the spaces at its end. */
static void put(struct text *text, unsigned int indent, const char *line, size_t len,
		enum text_style style)
{
	static const char *const parameters[] = { [TEXT_BOLD] = "1", [TEXT_WARNING] = "1;35" };
	bool colored = style != TEXT_PLAIN && text->color;

	while (len && line[len - 1] == ' ')
		len--;
	if (colored)
		fprintf(text->out, "\033[%sm", parameters[style]);
	fprintf(text->out, "%*s%.*s%s\n", len ? indent : 0, "", (int)len, line,
		colored ? "\033[0m" : "");
	text->lines++;
}

/* Lets go of the last words, but one, until @most lines hold what is left. */
static void drop_words(const struct text *text, char *words, unsigned int most)
{
	while (lines_of(text, words, 0) > most) {
		size_t last = 0, len = strlen(words);

		if (len >= strlen(LEFT_OUT) && !strcmp(words + len - strlen(LEFT_OUT), LEFT_OUT))
			words[len - strlen(LEFT_OUT)] = '\0';
		for (size_t end = word_len(words); words[end]; end += word_len(words + end)) {
			last = end;
			end += strspn(words + end, " ");
		}
		if (!last)
			return;
		strcpy(words + last, LEFT_OUT);
	}
}

/**
 * text_wrap() - writes the line on as many lines as its words need
 * @text: the report
 * @indent: of all lines but the first
 * @style: with colours
 */
void text_wrap(struct text *text, unsigned int indent, enum text_style style)
{
	text_wrap_to(text, indent, UINT_MAX, style);
}

/**
 * text_wrap_to() - text_wrap() on so many lines at most
 * @text: the report
 * @indent: of all lines but the first
 * @most: lines; the last words that need more are left out on a terminal, elsewhere the last line
 *	has all of them
 * @style: with colours
 */
void text_wrap_to(struct text *text, unsigned int indent, unsigned int most, enum text_style style)
{
	char safe[NAME_SAFE_SIZE(TEXT_LINE_SIZE) + sizeof(LEFT_OUT)];
	const char *rest = safe;
	size_t len;

	name_safe(safe, text->line, strlen(text->line), NAME_WHOLE);
	*text->line = '\0';
	if (text->terminal && most != UINT_MAX)
		drop_words(text, safe, most);
	if (!*rest)
		put(text, 0, rest, 0, style);
	for (unsigned int i = 0; *rest; i++, rest = next_line(rest, len)) {
		unsigned int begin = i ? indent : 0;

		len = fitting(text, rest, room_of(text, begin));
		if (i + 1 >= most && !text->terminal)
			len = strlen(rest);
		put(text, begin, rest, len, style);
	}
}

/**
 * text_add_item() - adds an item of a list to the line
 * @text: the report
 * @indent: of all lines but the first
 * @most: lines that the list may take with the item; UINT_MAX: as many as it needs
 * @item: words
 *
 * Return: whether the lines had room; if not, the line is as it was.
 */
bool text_add_item(struct text *text, unsigned int indent, unsigned int most, const char *item)
{
	size_t len = strlen(text->line);

	text_add(text, "%s", item);
	if (most == UINT_MAX || text_lines(text, indent) <= most)
		return true;
	text->line[len] = '\0';
	return false;
}

/* Lines that text_wrap() would take for the line. */
unsigned int text_lines(const struct text *text, unsigned int indent)
{
	char safe[NAME_SAFE_SIZE(TEXT_LINE_SIZE)];

	name_safe(safe, text->line, strlen(text->line), NAME_WHOLE);
	return lines_of(text, safe, indent);
}

/**
 * text_cut() - shortens a name to a number of columns
 * @cell: the result, TEXT_CELL_SIZE bytes
 * @name: any bytes
 * @len: bytes of @name
 * @columns: 1 to TEXT_NAME_COLUMNS; in a name with more columns, ~ replaces the middle
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
	for (unsigned int one; (one = width_of(s, first_char(s))) <= room; s += first_char(s)) {
		room -= one;
		left -= one;
	}
	head = s - safe;
	room += columns - columns / 2 - 1;
	for (; left > room; s += first_char(s))
		left -= width_of(s, first_char(s));
	snprintf(cell, TEXT_CELL_SIZE, "%.*s~%s", (int)head, safe, s);
}
