// SPDX-License-Identifier: GPL-2.0
#include "demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>

#include <libiberty/demangle.h>

/* libiberty takes stack in proportion. */
#define SYMBOL_MAX 8192

static const char *const copies[] = { ".cold", ".part",	    ".isra",	   ".constprop",
				      ".llvm", ".lto_priv", ".localalias", ".clone" };

/**
 * struct output - a name in the making
 * @name: where to, DEMANGLE_SIZE bytes
 * @length: bytes so far
 * @too_long: where to go when it does not fit: a short symbol can mean an endless name, and there
 *	is no other way to stop libiberty; it has nothing allocated meanwhile
 */
struct output {
	char *name;
	size_t length;
	jmp_buf too_long;
};

static void append(const char *text, size_t length, void *context)
{
	struct output *output = context;

	if (length >= DEMANGLE_SIZE - output->length)
		longjmp(output->too_long, 1);
	memcpy(output->name + output->length, text, length);
	output->length += length;
	output->name[output->length] = '\0';
}

static size_t digits_before(const char *symbol, size_t length)
{
	size_t start = length;

	while (start && isdigit((unsigned char)symbol[start - 1]))
		start--;
	return start < length && start && symbol[start - 1] == '.' ? start - 1 : length;
}

/* Length without the last mark; @length if there is none. */
static size_t without_mark(const char *symbol, size_t length)
{
	size_t end = digits_before(symbol, length), mark;

	for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
		mark = strlen(copies[i]);
		if (end > mark && !memcmp(symbol + end - mark, copies[i], mark))
			return end - mark;
	}
	return length;
}

size_t demangle_base_length(const char *symbol)
{
	size_t length = strlen(symbol), shorter;
	const char *version = strchr(symbol, '@');

	if (version && version != symbol)
		length = version - symbol;
	while ((shorter = without_mark(symbol, length)) < length)
		length = shorter;
	return length;
}

bool demangle_is_cold(const char *symbol)
{
	const char *mark = strstr(symbol, ".cold");

	return mark && mark != symbol;
}

void demangle(char *name, const char *symbol)
{
	struct output output = { .name = name };
	size_t length = demangle_base_length(symbol);
	char base[SYMBOL_MAX + 1];

	snprintf(name, DEMANGLE_SIZE, "%.*s", (int)(length < DEMANGLE_SIZE ? length : 0), symbol);
	if (!length || length >= DEMANGLE_SIZE) {
		snprintf(name, DEMANGLE_SIZE, "%s", symbol);
		return;
	}
	if (length > SYMBOL_MAX || symbol[0] != '_')
		return;
	memcpy(base, symbol, length);
	base[length] = '\0';
	if (!setjmp(output.too_long)) {
		if (rust_demangle_callback(base, DMGL_NO_OPTS, append, &output) && output.length)
			return;
		output.length = 0;
		if (cplus_demangle_v3_callback(base, DMGL_ANSI, append, &output) && output.length)
			return;
	}
	memcpy(name, base, length + 1);
}
