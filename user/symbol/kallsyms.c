// SPDX-License-Identifier: GPL-2.0
#include "kallsyms.h"

#include <errno.h>
#include <stdio.h>

#include "util/texts.h"

/* Bounds that no kernel comes near to: it is a file, after all. */
#define SYMBOLS_MAX (8U << 20)
/* Of the last function before a hole, whose end no symbol tells. */
#define FUNCTION_MAX (256U << 10)

/**
 * struct symbol - a symbol of the kernel
 * @address: first address
 * @name: NULL: data, which only ends the function before it
 * @module: as in struct kernel_function
 */
struct symbol {
	u64 address;
	const char *name;
	const char *module;
};

struct kallsyms {
	struct symbol *symbols;
	size_t count;
	size_t room;
	struct texts texts;
};

static bool is_code(char type)
{
	return type && strchr("tTwW", type);
}

/* Returns 0, or -1 without memory. */
static int add(struct kallsyms *kallsyms, u64 address, char type, const char *name,
	       const char *module)
{
	struct symbol *symbol;

	if (kallsyms->count == kallsyms->room) {
		size_t room = kallsyms->room ? 2 * kallsyms->room : 1 << 12;
		void *symbols = realloc(kallsyms->symbols, room * sizeof(*symbol));

		if (!symbols)
			return -1;
		kallsyms->symbols = symbols;
		kallsyms->room = room;
	}
	symbol = &kallsyms->symbols[kallsyms->count];
	*symbol = (struct symbol){ .address = address };
	if (is_code(type)) {
		symbol->name = texts_add(&kallsyms->texts, name);
		symbol->module = texts_add(&kallsyms->texts, module);
		if (!symbol->name || !symbol->module)
			return -1;
	}
	kallsyms->count++;
	return 0;
}

/* "ffffffffc0401000 t name\t[module]" */
static int parse_line(struct kallsyms *kallsyms, char *line)
{
	char *end, *save, *type, *name, *module;
	unsigned long long address;

	errno = 0;
	address = strtoull(line, &end, 16);
	if (errno || end == line || !address)
		return 0;
	type = strtok_r(end, " \t\n", &save);
	name = strtok_r(NULL, " \t\n", &save);
	module = strtok_r(NULL, " \t\n", &save);
	if (!type || type[1] || !name)
		return 0;
	return add(kallsyms, address, *type, name, module ? module : "[kernel]");
}

/*
 * By address; functions before data there, then names without underscores in front first, so that
 * the better of two names comes first.
 */
static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (!x->name || !y->name)
		return !x->name - !y->name;
	if ((*x->name == '_') != (*y->name == '_'))
		return *x->name == '_' ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int read_lines(struct kallsyms *kallsyms, FILE *file)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, file) > 0 && kallsyms->count < SYMBOLS_MAX) {
		if (parse_line(kallsyms, line))
			return -1;
	}
	return 0;
}

struct kallsyms *kallsyms_read(const char *path)
{
	struct kallsyms *kallsyms = calloc(1, sizeof(*kallsyms));
	FILE *file;
	int error = 0;

	if (!kallsyms)
		return NULL;
	file = fopen(path, "re");
	if (file) {
		error = read_lines(kallsyms, file);
		fclose(file);
	}
	if (error) {
		kallsyms_free(kallsyms);
		return NULL;
	}
	if (kallsyms->count)
		qsort(kallsyms->symbols, kallsyms->count, sizeof(*kallsyms->symbols), compare);
	return kallsyms;
}

void kallsyms_free(struct kallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	texts_free(&kallsyms->texts);
	free(kallsyms->symbols);
	free(kallsyms);
}

/* Symbols up to @address. */
static size_t symbols_up_to(const struct kallsyms *kallsyms, u64 address)
{
	size_t low = 0, high = kallsyms->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kallsyms->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool kallsyms_find(const struct kallsyms *kallsyms, u64 address, struct kernel_function *found)
{
	size_t i = symbols_up_to(kallsyms, address);
	const struct symbol *symbols = kallsyms->symbols;

	if (!i || address - symbols[i - 1].address >= FUNCTION_MAX)
		return false;
	/* the best name of those that share the address */
	for (i--; i && symbols[i - 1].address == symbols[i].address;)
		i--;
	if (!symbols[i].name)
		return false;
	*found = (struct kernel_function){ symbols[i].name, symbols[i].module, symbols[i].address };
	return true;
}
