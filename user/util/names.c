// SPDX-License-Identifier: GPL-2.0
#include "names.h"

#include <stdlib.h>
#include <wchar.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Returns the bytes of the character at @s. Sets @columns; 0: print it escaped. */
static size_t next_char(const char *s, size_t len, unsigned int *columns)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t bytes = mbrtowc(&c, s, len, &state);
	int width;

	*columns = 0;
	if (!bytes || bytes > len)
		return 1;
	width = wcwidth(c);
	if (width > 0)
		*columns = width;
	return bytes;
}

/* Makes as much of a name safe as @room columns hold. Returns whether that is all of it. */
static bool put_safe(char *safe, const char *name, size_t len, unsigned int room,
		     unsigned int *taken)
{
	unsigned int columns, shown;
	size_t bytes;

	for (*taken = 0; len; name += bytes, len -= bytes) {
		bytes = next_char(name, len, &columns);
		shown = columns ? columns : bytes * strlen("\\xNN");
		if (shown > room - *taken)
			break;
		*taken += shown;
		if (columns)
			safe = mempcpy(safe, name, bytes);
		else
			for (size_t i = 0; i < bytes; i++)
				safe += sprintf(safe, "\\x%02x", (u8)name[i]);
	}
	*safe = '\0';
	return !len;
}

unsigned int name_safe(char *safe, const void *name, size_t len, unsigned int columns)
{
	unsigned int taken;

	if (put_safe(safe, name, len, columns, &taken) || !columns)
		return taken;
	put_safe(safe, name, len, columns - 1, &taken);
	strcat(safe, "~");
	return taken + 1;
}

/* Returns the bytes of the UTF-8 sequence at @s, and sets @code; 0: it is no UTF-8. */
static size_t utf8(const u8 *s, size_t len, u32 *code)
{
	static const u32 smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t bytes = s[0] < 0x80 ? 1 :
		       s[0] < 0xc0 ? 0 :
		       s[0] < 0xe0 ? 2 :
		       s[0] < 0xf0 ? 3 :
		       s[0] < 0xf8 ? 4 :
				     0;

	if (!bytes || bytes > len)
		return 0;
	*code = bytes == 1 ? s[0] : s[0] & (0x7f >> bytes);
	for (size_t i = 1; i < bytes; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < smallest[bytes] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return bytes;
}

static bool is_control(u32 code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

void name_json(FILE *out, const void *name, size_t len)
{
	const u8 *s = name;
	size_t bytes;
	u32 code;

	putc('"', out);
	for (; len; s += bytes, len -= bytes) {
		bytes = utf8(s, len, &code);
		if (!bytes) {
			fputs("\\ufffd", out);
			bytes = 1;
		} else if (is_control(code)) {
			fprintf(out, "\\u%04x", code);
		} else {
			if (code == '"' || code == '\\')
				putc('\\', out);
			fwrite(s, 1, bytes, out);
		}
	}
	putc('"', out);
}

char *name_text(const void *name, size_t len)
{
	char *text = malloc(NAME_SAFE_SIZE(len)), *end = text;
	const u8 *s = name;
	size_t bytes;
	u32 code;

	if (!text)
		return NULL;
	for (; len; s += bytes, len -= bytes) {
		bytes = utf8(s, len, &code);
		if (!bytes) {
			end = mempcpy(end, REPLACEMENT, strlen(REPLACEMENT));
			bytes = 1;
		} else if (is_control(code)) {
			for (size_t i = 0; i < bytes; i++)
				end += sprintf(end, "\\x%02x", s[i]);
		} else {
			end = mempcpy(end, s, bytes);
		}
	}
	*end = '\0';
	return text;
}

static bool has_brackets(const char *module)
{
	size_t len = strlen(module);

	return len > 2 && module[0] == '[' && module[len - 1] == ']';
}

const char *module_begin(const char *module)
{
	return module + has_brackets(module);
}

size_t module_len(const char *module)
{
	return strlen(module) - 2 * has_brackets(module);
}

size_t library_len(const char *module)
{
	const char *so = strstr(module, ".so");

	if (so && so > module && (!so[3] || so[3] == '.'))
		return so - module;
	return module_len(module);
}
