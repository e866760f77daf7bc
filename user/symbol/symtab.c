// SPDX-License-Identifier: GPL-2.0
/* Names of functions: of ELF files by their symbol tables, and of the kernel by /proc/kallsyms. */
#include "symbol_file.h"

#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>

/* Debian has a folder for it, others have not */
#if __has_include("libiberty/demangle.h")
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

#include "openmp.h"
#include "util/hash_index.h"

/* Bytes of a mangled name; libiberty needs stack in proportion. */
#define MANGLED_MAX 8192

static const char *const copies[] = { ".cold", ".part",	    ".isra",	   ".constprop",
				      ".llvm", ".lto_priv", ".localalias", ".clone" };

/**
 * struct output - a demangled name in the making
 * @name: the name, DEMANGLE_SIZE bytes
 * @length: bytes so far
 * @too_long: where to jump if the name does not fit. A short symbol can mean an endless name, and
 *	nothing else stops libiberty, which has no memory allocated meanwhile
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

/* Length without a dot and digits at the end; @length if there are none. */
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

/* Leaves what it appended if it returns false. */
static bool demangle_base(struct output *output, const char *base)
{
	if (rust_demangle_callback(base, DMGL_NO_OPTS, append, output) && output->length)
		return true;
	output->length = 0;
	return cplus_demangle_v3_callback(base, DMGL_ANSI, append, output) && output->length;
}

void demangle(char *name, const char *symbol)
{
	struct output output = { .name = name };
	size_t length = demangle_base_length(symbol), base_length = openmp_mark(symbol, length);
	char base[MANGLED_MAX + 1];

	snprintf(name, DEMANGLE_SIZE, "%.*s", (int)(length < DEMANGLE_SIZE ? length : 0), symbol);
	if (!length || length >= DEMANGLE_SIZE) {
		snprintf(name, DEMANGLE_SIZE, "%s", symbol);
		return;
	}
	if (length > MANGLED_MAX || symbol[0] != '_')
		return;
	memcpy(base, symbol, base_length);
	base[base_length] = '\0';
	if (!setjmp(output.too_long)) {
		if (demangle_base(&output, base)) {
			append(symbol + base_length, length - base_length, &output);
			return;
		}
	}
	memcpy(name, symbol, length);
	name[length] = '\0';
}

#define FUNCTIONS_MAX (16 << 20)
/* Bytes of names that count when symbols are sorted, or long names would take too much time. */
#define COMPARED_BYTES 512
#define COLD_NAME_BYTES 4096
/* Functions before an address that are looked at, because one may enclose the next ones. */
#define NESTED_MAX 64

/* What makes a symbol a worse name than others of its address; the worst property first. */
enum {
	WEIGHT_NOTYPE = 1 << 6, /* a label */
	WEIGHT_UNSIZED = 1 << 5,
	WEIGHT_LOCAL = 1 << 4,
	WEIGHT_UNDERSCORE = 1 << 2, /* for each of up to three */
	WEIGHT_WEAK = 1 << 0,
};

static u8 weight_of(const GElf_Sym *sym, const char *name)
{
	bool mangled = !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2);
	size_t underscores = mangled ? 0 : strspn(name, "_");
	u8 weight = WEIGHT_UNDERSCORE * (underscores < 3 ? underscores : 3);

	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE)
		weight |= WEIGHT_NOTYPE;
	if (!sym->st_size)
		weight |= WEIGHT_UNSIZED;
	if (GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		weight |= WEIGHT_LOCAL;
	if (GELF_ST_BIND(sym->st_info) == STB_WEAK)
		weight |= WEIGHT_WEAK;
	return weight;
}

/* Whether a symbol may be code: a function, or a label that no assembler or compiler made. */
static bool may_be_code(const GElf_Sym *sym, GElf_Word section, const char *name)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (!name || !*name || section == SHN_UNDEF || section == SHN_ABS || section == SHN_COMMON)
		return false;
	if (type == STT_NOTYPE)
		return *name != '$' && *name != '.';
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* The address behind the code of a section; 0: the section has no code. */
static u64 code_end(Elf *elf, GElf_Word section, u64 bias)
{
	GElf_Shdr header;

	if (!gelf_getshdr(elf_getscn(elf, section), &header) ||
	    !(header.sh_flags & SHF_EXECINSTR) ||
	    __builtin_add_overflow(header.sh_addr, header.sh_size, &header.sh_addr))
		return 0;
	return header.sh_addr + bias;
}

/* Sets @function from symbol number @i. False: the symbol is no function. */
static bool function_of(Dwfl_Module *module, int i, struct function *function)
{
	GElf_Word section = SHN_UNDEF;
	GElf_Addr address, bias = 0;
	Elf *elf = NULL;
	GElf_Sym sym;
	const char *name =
		dwfl_module_getsym_info(module, i, &sym, &address, &section, &elf, &bias);

	if (!may_be_code(&sym, name ? section : SHN_UNDEF, name))
		return false;
	*function = (struct function){ .begin = address,
				       .name = name,
				       .sized = sym.st_size != 0,
				       .weight = weight_of(&sym, name) };
	if (!sym.st_size || function->weight & WEIGHT_NOTYPE) {
		function->end = code_end(elf, section, bias);
		if (function->end <= address)
			return false;
	}
	if (sym.st_size && __builtin_add_overflow(address, sym.st_size, &function->end))
		return false;
	return true;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	size_t x_length, y_length;
	int order = three_way(x->begin, y->begin) ?: three_way(x->weight, y->weight);

	if (order)
		return order;
	x_length = strnlen(x->name, COMPARED_BYTES);
	y_length = strnlen(y->name, COMPARED_BYTES);
	return three_way(x_length, y_length) ?: memcmp(x->name, y->name, x_length);
}

/*
 * Keeps one symbol of each address. Labels and symbols without a size are dropped if they are
 * within a function that has a size. Returns how many are left.
 */
static size_t keep_functions(struct function *functions, size_t count)
{
	u64 covered = 0;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		bool real = functions[i].sized && !(functions[i].weight & WEIGHT_NOTYPE);

		if (kept && functions[kept - 1].begin == functions[i].begin)
			continue;
		if (!real && functions[i].begin < covered)
			continue;
		if (real && functions[i].end > covered)
			covered = functions[i].end;
		functions[kept++] = functions[i];
	}
	return kept;
}

static void put_in_order(struct symtab *symtab)
{
	struct function *functions = symtab->functions;

	qsort(functions, symtab->count, sizeof(*functions), compare_functions);
	symtab->count = keep_functions(functions, symtab->count);
	for (size_t i = 0; i < symtab->count; i++) {
		struct function *function = &functions[i], *next = function + 1;

		if (!function->sized && i + 1 < symtab->count && function->end > next->begin)
			function->end = next->begin;
		function->reach = function->end;
		if (i && functions[i - 1].reach > function->reach)
			function->reach = functions[i - 1].reach;
	}
}

int symtab_read(struct symtab *symtab, Dwfl_Module *module)
{
	int count = dwfl_module_getsymtab(module);
	void *fitting;

	*symtab = (struct symtab){ 0 };
	if (count <= 0)
		return 0;
	if (count > FUNCTIONS_MAX)
		count = FUNCTIONS_MAX;
	symtab->functions = calloc(count, sizeof(*symtab->functions));
	if (!symtab->functions)
		return -1;
	for (int i = 1; i < count; i++) {
		if (function_of(module, i, &symtab->functions[symtab->count]))
			symtab->count++;
	}
	if (symtab->count)
		put_in_order(symtab);
	fitting = realloc(symtab->functions, (symtab->count + 1) * sizeof(*symtab->functions));
	if (fitting)
		symtab->functions = fitting;
	return 0;
}

void symtab_free(struct symtab *symtab)
{
	free(symtab->functions);
	*symtab = (struct symtab){ 0 };
}

/* The function that @cold is a part of; @cold if none or several have the name. */
static const struct function *whole_of(const struct symtab *symtab, const struct function *cold)
{
	size_t length = strstr(cold->name, ".cold") - cold->name;
	const struct function *whole = NULL;

	if (length > COLD_NAME_BYTES)
		return cold;
	for (size_t i = 0; i < symtab->count; i++) {
		const char *name = symtab->functions[i].name;

		if (strncmp(name, cold->name, length) || name[length])
			continue;
		if (whole)
			return cold;
		whole = &symtab->functions[i];
	}
	return whole ? whole : cold;
}

const struct function *symtab_find(const struct symtab *symtab, u64 address)
{
	size_t last =
		count_up_to(symtab->functions, symtab->count, sizeof(struct function), address);
	size_t least = last > NESTED_MAX ? last - NESTED_MAX : 0;

	for (size_t i = last; i > least; i--) {
		const struct function *function = &symtab->functions[i - 1];

		if (function->reach <= address)
			break;
		if (function->end > address)
			return demangle_is_cold(function->name) ? whole_of(symtab, function) :
								  function;
	}
	return NULL;
}

const struct function *symtab_named(const struct symtab *symtab, const char *name)
{
	for (size_t i = 0; i < symtab->count; i++) {
		if (!strcmp(symtab->functions[i].name, name))
			return &symtab->functions[i];
	}
	return NULL;
}

/* Symbols of a kernel have fewer. */
#define KERNEL_SYMBOLS_MAX (8U << 20)
/* Bytes of the last function before a gap, because no symbol says where it ends. */
#define KERNEL_FUNCTION_MAX (256U << 10)

/**
 * struct kallsyms - the kernel's symbols
 * @symbols: sorted by address
 * @scheduler: where the scheduler's functions that sleep begin; 0: not known
 * @scheduler_end: where they end
 */
struct kallsyms {
	struct kernel_symbol *symbols;
	u32 count;
	u32 room;
	u64 scheduler;
	u64 scheduler_end;
	struct texts texts;
};

/* Returns 0, or -1 without memory. */
static int add_symbol(struct kallsyms *kallsyms, u64 address, char type, const char *name,
		      const char *module)
{
	struct kernel_symbol *symbol;

	if (array_grow(&kallsyms->symbols, &kallsyms->room, kallsyms->count, sizeof(*symbol)))
		return -1;
	symbol = &kallsyms->symbols[kallsyms->count];
	*symbol = (struct kernel_symbol){ .address = address };
	if (strchr("tTwW", type)) {
		symbol->name = texts_add(&kallsyms->texts, name);
		symbol->module = texts_add(&kallsyms->texts, module);
		if (!symbol->name || !symbol->module)
			return -1;
	}
	kallsyms->count++;
	return 0;
}

/* Takes a line "ffffffffc0401000 t name\t[module]". */
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
	/* the linker's labels around the kernel's section for them */
	if (!module && !strcmp(name, "__sched_text_start"))
		kallsyms->scheduler = address;
	if (!module && !strcmp(name, "__sched_text_end"))
		kallsyms->scheduler_end = address;
	return add_symbol(kallsyms, address, *type, name, module ? module : "[kernel]");
}

/* Sorts by address, then functions before data, then names without a leading underscore first. */
static int compare_symbols(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	if (x->address != y->address || !x->name || !y->name)
		return three_way(x->address, y->address) ?: !x->name - !y->name;
	return three_way(*x->name == '_', *y->name == '_') ?: strcmp(x->name, y->name);
}

static int read_lines(struct kallsyms *kallsyms, const char *path)
{
	_cleanup_free_ char *line = NULL;
	FILE *file = fopen(path, "re");
	size_t size = 0;
	int error = 0;

	if (!file)
		return 0;
	while (!error && kallsyms->count < KERNEL_SYMBOLS_MAX && getline(&line, &size, file) > 0)
		error = parse_line(kallsyms, line);
	fclose(file);
	return error;
}

struct kallsyms *kallsyms_read(const char *path)
{
	struct kallsyms *kallsyms = calloc(1, sizeof(*kallsyms));

	if (!kallsyms || read_lines(kallsyms, path)) {
		kallsyms_free(kallsyms);
		return NULL;
	}
	if (kallsyms->count)
		qsort(kallsyms->symbols, kallsyms->count, sizeof(*kallsyms->symbols),
		      compare_symbols);
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

const struct kernel_symbol *kallsyms_find(const struct kallsyms *kallsyms, u64 address)
{
	const struct kernel_symbol *symbols = kallsyms->symbols;
	size_t i = count_up_to(symbols, kallsyms->count, sizeof(*symbols), address);

	if (!i || address - symbols[i - 1].address >= KERNEL_FUNCTION_MAX)
		return NULL;
	/* the first of several symbols of one address has the best name */
	for (i--; i && symbols[i - 1].address == symbols[i].address;)
		i--;
	return symbols[i].name ? &symbols[i] : NULL;
}

const struct kernel_symbol *kallsyms_named(const struct kallsyms *kallsyms, const char *name)
{
	for (u32 i = 0; i < kallsyms->count; i++) {
		const struct kernel_symbol *symbol = &kallsyms->symbols[i];

		if (symbol->name && !strcmp(symbol->name, name) &&
		    !strcmp(symbol->module, "[kernel]"))
			return symbol;
	}
	return NULL;
}

bool kallsyms_is_scheduler(const struct kallsyms *kallsyms, u64 address)
{
	const struct kernel_symbol *symbol = kallsyms_find(kallsyms, address);

	/* where sched_switch has several probes, this calls them from within the scheduler */
	if (symbol && !strcmp(symbol->name, "__traceiter_sched_switch"))
		return true;
	return address >= kallsyms->scheduler && address < kallsyms->scheduler_end;
}
