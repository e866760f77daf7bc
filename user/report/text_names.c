// SPDX-License-Identifier: GPL-2.0
/* How the text report calls code: whole names, but without what tells only overloads apart. */
#include "util/names.h"
#include "text_private.h"

#define COMMAND_COLUMNS 60
#define LEAST_OPERANDS 8 /* columns */

const char *text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "libc" of "/usr/lib/libc.so.6"; a name without ".so" as it is, without brackets. */
void text_module(char *cell, const char *module)
{
	const char *base = text_base_name(module);

	text_cut(cell, module_begin(base), library_len(base), TEXT_NAME_COLUMNS);
}

/* Behind the brackets that @open begins; NULL: nothing closes them. */
const char *text_behind_brackets(const char *open)
{
	int depth = 0;

	for (const char *c = open; *c; c++) {
		if (strchr("<([{", *c))
			depth++;
		else if (strchr(">)]}", *c) && !(*c == '>' && c > open && c[-1] == '-'))
			depth--;
		if (!depth)
			return c + 1;
	}
	return NULL;
}

/* The same, or the end of the name. */
static const char *behind_brackets(const char *open)
{
	const char *behind = text_behind_brackets(open);

	return behind ? behind : open + strlen(open);
}

/* Bytes of "operator<<", "operator()" and the like at @name, or 0. */
static size_t operator_len(const char *name)
{
	size_t word = strlen("operator");

	if (strncmp(name, "operator", word) || !strchr("<>()[]-=!+*/%^&|~,", name[word]))
		return 0;
	if (!strncmp(name + word, "()", 2) || !strncmp(name + word, "[]", 2))
		return word + 2;
	return word + strspn(name + word, "<>-=!+*/%^&|~,");
}

/*
 * Behind a return type, which the names of instances of templates begin with. "StubRoutines (1)" of
 * the JVM has none.
 */
static const char *behind_type(const char *name)
{
	const char *begin = name;

	for (const char *c = name; *c && strncmp(c, "operator", strlen("operator"));) {
		if (*c == '(' && c > begin && c[-1] != '.' && c[-1] != ':')
			break;
		if (strchr("<([{", *c)) {
			c = behind_brackets(c);
			continue;
		}
		if (*c == ' ' && c[1] && !(c[1] == '(' && !*behind_brackets(c + 1)))
			begin = c + 1;
		c++;
	}
	return begin;
}

/*
 * "ns::Map<>::put" of "void ns::Map<int, char>::put<int>(int, char) [clone .cold]". What stands
 * first in brackets is kept, such as Rust's "<T as Trait>", and so are "(anonymous namespace)",
 * Go's "main.(*T).method" and names without brackets.
 */
static void shorten(char *brief, size_t size, const char *name)
{
	const char *c = strchr(name, '(') || strchr(name, '<') ? behind_type(name) : name;
	size_t len = 0;

	while (*c && len + 1 < size) {
		size_t symbol = operator_len(c);
		const char *end = c + 1;
		bool first = !len || brief[len - 1] == ':' || brief[len - 1] == '.';

		if (symbol)
			end = c + symbol;
		else if (strchr("<({", *c) && (first || *c == '{'))
			end = behind_brackets(c);
		else if (*c == '(' && strncmp(behind_brackets(c), "::", 2))
			break;
		if (strchr("<(", *c) && !first && !symbol) {
			len += snprintf(brief + len, size - len, *c == '<' ? "<>" : "()");
			c = behind_brackets(c);
			continue;
		}
		for (; c < end && len + 1 < size; c++)
			brief[len++] = *c;
	}
	len = len < size ? len : size - 1;
	while (len && brief[len - 1] == ' ')
		len--;
	brief[len] = '\0';
}

/*
 * The frame whose function names @frames[0] of @count: the nearest one with a name in its object;
 * if there is none, itself.
 */
const struct frame *text_named_by(const struct frame *frames, size_t count)
{
	for (size_t i = 0; i < count && !strcmp(frames[i].module, frames->module); i++)
		if (frames[i].function)
			return &frames[i];
	return frames;
}

/*
 * Names the first of @count frames, innermost first: "rehash"; if its name is not known "fscanf in
 * libc", the function that the program called; else "libc+0x1234".
 */
void text_function(char *cell, const struct frame *frames, size_t count)
{
	const struct frame *entry = text_named_by(frames, count);
	char brief[TEXT_CELL_SIZE], module[TEXT_CELL_SIZE];

	text_module(module, frames->module);
	if (!entry->function) {
		const char *base = text_base_name(frames->module);

		text_cut(cell, module_begin(base), module_len(base), TEXT_NAME_COLUMNS);
		cell_add(cell, "+0x%llx", frames->offset);
		return;
	}
	shorten(brief, sizeof(brief), entry->function);
	text_cut(cell, brief, strlen(brief), TEXT_NAME_COLUMNS);
	if (entry != frames)
		cell_add(cell, " in %s", module);
	else if (entry->kernel && strcmp(entry->module, "[kernel]"))
		cell_add(cell, " %s", entry->module);
}

/* "hash.c:88" */
void text_source(char *cell, const char *file, u32 line)
{
	const char *base = text_base_name(file);

	text_cut(cell, base, strlen(base), TEXT_NAME_COLUMNS);
	if (line)
		cell_add(cell, ":%u", line);
}

/* Names the thread or process that a row without a path stands for. */
static void put_thread(char *cell, const struct ranked *row)
{
	s32 id = row->tid ? row->tid : row->tgid;

	if (!*row->comm && !id) {
		snprintf(cell, TEXT_CELL_SIZE, "(no call path)");
		return;
	}
	text_cut(cell, row->comm, strlen(row->comm), TEXT_NAME_COLUMNS);
	cell_add(cell, " (%d)", id);
}

/* The innermost frame whose source is known: where the user finds the code. */
static const struct frame *frame_with_source(const struct ranked *row)
{
	for (size_t i = 0; i < row->frame_count; i++)
		if (row->frames[i].file)
			return &row->frames[i];
	return NULL;
}

/* Adds the function in which the row's source line lies, if it is not the row's own. */
static void add_caller(char *cell, const struct ranked *row)
{
	const struct frame *caller = frame_with_source(row);
	char name[TEXT_CELL_SIZE];

	if (!caller || caller == row->frames || !caller->function ||
	    (row->line_count && row->lines[0].file))
		return;
	text_function(name, caller, 1);
	cell_add(cell, " from %s", name);
}

/* Whether a word of a command line, or one like it, is among the operands already. */
static bool has_word(const char *operands, const char *word, size_t len)
{
	for (const char *c = operands; *c; c += strcspn(c, " "), c += strspn(c, " "))
		if (strcspn(c, " ") == len && !memcmp(c, word, len))
			return true;
	return false;
}

/*
 * Shortens a command line: "cc1 ... x86_64-linux-gnu big.c". Options say least of which of several
 * processes of a program it is, so they go first, and then the last words.
 */
void text_command(char *cell, const char *command, unsigned int columns)
{
	_cleanup_free_ char *operands = malloc(strlen(command) + 1);
	size_t whole = strlen(command), name = strcspn(command, " "), len;
	size_t room = columns - name - strlen(" ... ");
	char *end = operands;

	if (!operands || whole <= columns) {
		text_cut(cell, command, whole, columns);
		return;
	}
	*end = '\0';
	for (const char *c = command + name; *c; c += len) {
		c += strspn(c, " ");
		len = strcspn(c, " ");
		if (!len || *c == '-' || has_word(operands, c, len))
			continue;
		if (end > operands && end - operands + 1 + len > room)
			break;
		end += sprintf(end, "%s%.*s", end == operands ? "" : " ", (int)len, c);
	}
	if (end == operands || name + strlen(" ... ") + LEAST_OPERANDS > columns) {
		text_cut(cell, command, whole, columns);
		return;
	}
	snprintf(cell, TEXT_CELL_SIZE, "%.*s ... ", (int)name, command);
	text_cut(cell + strlen(cell), operands, end - operands, columns - strlen(cell));
}

/* A process with its command line as far as it is known: "4711: cc1 -quiet big.c". */
void text_process(const struct text *text, char *cell, const struct ranked *row)
{
	const char *command = command_lines_find(text->results->commands, row->tgid);
	const char *words = command ? strchrnul(command, ' ') : NULL;

	if (!command) {
		put_thread(cell, row);
		return;
	}
	/* without the folders of the program's file */
	while (words > command && words[-1] != '/')
		words--;
	command = words;
	snprintf(cell, TEXT_CELL_SIZE, "%d: ", row->tgid);
	text_command(cell + strlen(cell), command, COMMAND_COLUMNS);
}

/* "rehash", "fsync from commit", "interpret of the main thread", "worker-1 (4711)" */
static void put_name(char *cell, const struct ranked *row)
{
	static const char *const of[] = { [OF_ANY_THREADS] = "",
					  [OF_MAIN_THREADS] = " of the main thread",
					  [OF_STARTED_THREADS] = " of started threads" };

	if (!row->frame_count) {
		put_thread(cell, row);
		return;
	}
	text_function(cell, row->frames, row->frame_count);
	cell_add(cell, "%s", of[row->of]);
	add_caller(cell, row);
}

/* What a row stands for: "rehash in put", "fsync from commit", "worker-1 (4711)". */
void text_code(char *cell, const struct ranked *row)
{
	char name[TEXT_CELL_SIZE];

	put_name(cell, row);
	if (row->frame_count < 2 || !row->frames[0].inlined)
		return;
	text_function(name, &row->frames[1], row->frame_count - 1);
	cell_add(cell, " in %s", name);
}

/* "hash.c:88", the line that counts most; without one "libc", the object; "" of a thread. */
void text_where(char *cell, const struct ranked *row)
{
	const struct frame *frame = frame_with_source(row);

	*cell = '\0';
	if (row->line_count && row->lines[0].file && !row->lines[0].stack_top)
		text_source(cell, row->lines[0].file, row->lines[0].line);
	else if (frame)
		text_source(cell, frame->file, frame->line);
	else if (row->frame_count && row->frames[0].function && !row->frames[0].kernel)
		text_module(cell, row->frames[0].module);
}

/* A row's code for a sentence: "rehash (hash.c:88)". */
void text_code_in_words(char *cell, const struct ranked *row)
{
	char where[TEXT_CELL_SIZE];

	put_name(cell, row);
	text_where(where, row);
	if (*where && frame_with_source(row))
		cell_add(cell, " (%s)", where);
}
