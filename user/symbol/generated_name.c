// SPDX-License-Identifier: GPL-2.0
/* Names in perf maps and JIT dumps, taken apart. */
#include <ctype.h>
#include <stdio.h>

#include "perf_map.h"

static bool begins_with(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

static void put(char *to, const char *text, size_t length)
{
	snprintf(to, PERF_MAP_NAME_MAX, "%.*s", (int)length, text);
}

/* Bytes of @text before ":DIGITS" at its end, and that number; all bytes, if there is none. */
static size_t before_number(const char *text, size_t length, u32 *number)
{
	size_t digits = length;

	while (digits && isdigit((unsigned char)text[digits - 1]))
		digits--;
	if (digits == length || !digits || text[digits - 1] != ':')
		return length;
	*number = strtoul(text + digits, NULL, 10);
	return digits - 1;
}

/* Bytes of "NAME FILE" before the space. A file's name may have spaces, a function's hardly. */
static size_t before_file(const char *text, size_t length)
{
	static const char *const begins[] = { " /", " file:", " node:", " internal/" };
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		const char *at = strstr(text, begins[i]);

		if (at && (size_t)(at - text) < length && (!found || at < found))
			found = at;
	}
	if (found)
		return found - text;
	for (size_t i = length; i; i--) {
		if (text[i - 1] == ' ')
			return i - 1;
	}
	return length;
}

/*
 * V8's "JS:*compact /srv/app.js:12:7": what it is, a mark of how it was compiled, the name, and
 * where it is. Other code of V8's has no place in a source.
 */
static bool take_v8(struct generated_name *made, const char *name)
{
	static const char *const kinds[] = { "LazyCompile:", "Function:", "JS:",
					     "Script:",	     "Eval:",	  "InterpretedFunction:" };
	size_t length, end, own, i;
	u32 number = 0;

	for (i = 0; i < ARRAY_SIZE(kinds) && !begins_with(name, kinds[i]);)
		i++;
	if (i == ARRAY_SIZE(kinds))
		return false;
	name += strlen(kinds[i]);
	name += *name && strchr("~^+*-", *name);
	length = strlen(name);
	end = before_number(name, length, &number);
	if (end < length) {
		u32 column = number;
		size_t line_end = end;

		/* the last number is the column, if there are two */
		end = before_number(name, line_end, &number);
		if (end == line_end)
			number = column;
	}
	own = end < length ? before_file(name, end) : length;
	put(made->function, name, own);
	if (own < end) {
		name += own + 1;
		end -= own + 1;
		if (begins_with(name, "file://")) {
			name += strlen("file://");
			end -= strlen("file://");
		}
		put(made->file, name, end);
		made->line = number;
	}
	if (!*made->function)
		put(made->function, "(anonymous)", strlen("(anonymous)"));
	return true;
}

/* CPython's "py::run:/srv/app.py". */
static bool take_python(struct generated_name *made, const char *name)
{
	const char *colon;

	if (!begins_with(name, "py::"))
		return false;
	name += strlen("py::");
	colon = strchr(name, ':');
	put(made->function, name, colon ? (size_t)(colon - name) : strlen(name));
	if (colon)
		put(made->file, colon + 1, strlen(colon + 1));
	return true;
}

/*
 * "Lcom/foo/Bar;::run", with the class as Java's class files have it. The agent of the JVM that
 * comes with perf writes "Lcom/foo/Bar;run(ILjava/lang/String;)V".
 */
static bool take_java(struct generated_name *made, const char *name)
{
	const char *end = strchr(name, ';'), *parameters;
	size_t own;

	if (*name != 'L' || !end || !end[1])
		return false;
	parameters = strchr(end, '(');
	if (strchr(":.", end[1])) {
		if (!strchr(name, '/'))
			return false;
		own = strlen(end + 1);
	} else {
		if (!parameters)
			return false;
		own = parameters - end - 1;
	}
	snprintf(made->function, PERF_MAP_NAME_MAX, "%.*s%s%.*s", (int)(end - name - 1), name + 1,
		 strchr(":.", end[1]) ? "" : ".", (int)own, end + 1);
	for (char *at = made->function; *at && *at != ':'; at++) {
		if (*at == '/')
			*at = '.';
	}
	return true;
}

/* Bytes before a mark such as "[Tier1]" behind the parameters. */
static size_t before_mark(const char *name, size_t length)
{
	size_t at = length;

	if (!length || name[length - 1] != ']')
		return length;
	while (at && name[at - 1] != '[')
		at--;
	return at > 1 && name[at - 2] == ')' ? at - 1 : length;
}

/* "void com.foo.Bar.run(int, byte[])" of the JVM, and the like of .NET. */
static bool take_signature(struct generated_name *made, const char *name)
{
	size_t end = before_mark(name, strlen(name)), begin;
	const char *parameters = strchr(name, '(');

	if (!end || name[end - 1] != ')' || !parameters || parameters == name ||
	    parameters[-1] == ' ')
		return false;
	end = parameters - name;
	for (begin = end; begin && name[begin - 1] != ' ';)
		begin--;
	put(made->function, name + begin, end - begin);
	return true;
}

void generated_name(struct generated_name *made, const char *name)
{
	*made->function = '\0';
	*made->file = '\0';
	made->line = 0;
	if (!take_v8(made, name) && !take_python(made, name) && !take_java(made, name) &&
	    !take_signature(made, name))
		put(made->function, name, strlen(name));
	if (!*made->function)
		put(made->function, name, strlen(name));
}
