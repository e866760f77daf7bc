// SPDX-License-Identifier: GPL-2.0
#include "markup.h"

#include <string.h>

#include "util/names.h"

/* Words of a command in a title, and bytes of a word. */
#define TITLE_WORDS 8
#define TITLE_WORD_BYTES 80

/* U+FFFE and U+FFFF, which XML does not have. */
static bool is_no_character(const char *text)
{
	return !strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3);
}

void markup_put(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			if (is_no_character(text)) {
				fputs("\xef\xbf\xbd", out);
				text += 2;
			} else {
				putc(*text, out);
			}
		}
	}
}

int markup_put_name(FILE *out, const char *name)
{
	_cleanup_free_ char *text = name_text(name, strlen(name));

	if (!text)
		return -1;
	markup_put(out, text);
	return 0;
}

int markup_put_title(FILE *out, const struct options *options)
{
	char *const *command = options->command;

	fputs("gapp", out);
	for (int i = 0; command && command[i] && i < TITLE_WORDS; i++) {
		_cleanup_free_ char *word =
			name_text(command[i], strnlen(command[i], TITLE_WORD_BYTES));

		if (!word)
			return -1;
		fputs(i ? " " : ": ", out);
		markup_put(out, word);
	}
	return 0;
}
