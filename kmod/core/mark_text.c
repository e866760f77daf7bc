// SPDX-License-Identifier: GPL-2.0
/* What a program writes to tell of a mark. All of it is hostile. */
#include "mark_text.h"

/* The word of each kind of marks, with which a line begins. */
static const struct {
	const char *word;
	u32 bytes;
} words[GAPP_MARK_KINDS] = {
	[GAPP_MARK_POINT] = { "mark", 4 },
	[GAPP_MARK_BEGIN] = { "begin", 5 },
	[GAPP_MARK_END] = { "end", 3 },
};

/* Bytes of other characters than ASCII are left alone: the text may be UTF-8, or not. */
static bool is_control(u8 byte)
{
	return byte < 0x20 || byte == 0x7f;
}

/**
 * gapp_mark_is_valid() - whether a mark can be recorded
 * @mark: kind, length and so many bytes of text; may have any content
 *
 * Return: false if the kind is none, or the text is too long, has a control character, or is empty
 * where it may not be.
 */
bool gapp_mark_is_valid(const struct gapp_mark_text *mark)
{
	u32 i;

	if (mark->kind >= GAPP_MARK_KINDS || mark->bytes > GAPP_MARK_TEXT)
		return false;
	for (i = 0; i < mark->bytes; i++)
		if (is_control(mark->text[i]))
			return false;
	return mark->bytes || mark->kind == GAPP_MARK_END;
}

/* Whether a line begins with a word that a space or its end follows. */
static bool has_word(const char *line, u32 bytes, u32 kind)
{
	const u32 length = words[kind].bytes;

	return bytes >= length && !memcmp(line, words[kind].word, length) &&
	       (bytes == length || line[length] == ' ');
}

/**
 * gapp_mark_parse() - read a line
 * @line: "mark TEXT", "begin NAME", "end NAME" or "end"; may have any content
 * @bytes: of the line, without a newline behind it
 * @mark: the result
 *
 * Return: false if the line is none of these.
 */
bool gapp_mark_parse(const char *line, u32 bytes, struct gapp_mark_text *mark)
{
	u32 kind, behind;

	memset(mark, 0, sizeof(*mark));
	for (kind = 0; kind < GAPP_MARK_KINDS && !has_word(line, bytes, kind); kind++)
		;
	if (kind == GAPP_MARK_KINDS)
		return false;
	mark->kind = kind;
	behind = words[kind].bytes + 1;
	if (bytes < behind)
		return gapp_mark_is_valid(mark);
	mark->bytes = bytes - behind;
	if (!mark->bytes || mark->bytes > GAPP_MARK_TEXT)
		return false;
	memcpy(mark->text, line + behind, mark->bytes);
	return gapp_mark_is_valid(mark);
}
