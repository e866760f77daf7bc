// SPDX-License-Identifier: GPL-2.0
#include "symtab.h"

#include "demangle.h"

#define SYMBOLS_MAX (16 << 20)
/* Of names, so that sorting does not take ages where somebody made them long. */
#define COMPARED_BYTES 512
#define COLD_NAME_BYTES 4096
/* Functions of which each begins in the middle of those before it. */
#define NESTED_MAX 64

/* What makes a symbol a worse name than another of the same address, the worst first. */
enum {
	WEIGHT_NOTYPE = 1 << 6, /* a label */
	WEIGHT_UNSIZED = 1 << 5,
	WEIGHT_LOCAL = 1 << 4,
	WEIGHT_UNDERSCORE = 1 << 2, /* each, up to 3 */
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

/* Of labels only those that a programmer gave. */
static bool may_be_code(const GElf_Sym *sym, GElf_Word section, const char *name)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (!name || !*name || section == SHN_UNDEF || section == SHN_ABS || section == SHN_COMMON)
		return false;
	if (type == STT_NOTYPE)
		return *name != '$' && *name != '.';
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* Where the code of a section ends; 0: it has none. */
static u64 code_end(Elf *elf, GElf_Word section, u64 bias)
{
	GElf_Shdr header;

	if (!gelf_getshdr(elf_getscn(elf, section), &header) ||
	    !(header.sh_flags & SHF_EXECINSTR) ||
	    __builtin_add_overflow(header.sh_addr, header.sh_size, &header.sh_addr))
		return 0;
	return header.sh_addr + bias;
}

/* Makes @function of symbol @i, if it is one. */
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

static int compare(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	size_t x_length, y_length;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	x_length = strnlen(x->name, COMPARED_BYTES);
	y_length = strnlen(y->name, COMPARED_BYTES);
	if (x_length != y_length)
		return x_length < y_length ? -1 : 1;
	return memcmp(x->name, y->name, x_length);
}

/*
 * Keeps one symbol of each address. Labels, and what has no size, within a function that has one
 * are no functions of their own.
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

	qsort(functions, symtab->count, sizeof(*functions), compare);
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
	if (count > SYMBOLS_MAX)
		count = SYMBOLS_MAX;
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

/* Functions that begin up to @address. */
static size_t functions_up_to(const struct symtab *symtab, u64 address)
{
	size_t low = 0, high = symtab->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symtab->functions[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The function of which @cold is a part; @cold if that is not clear. */
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
	size_t last = functions_up_to(symtab, address);
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
