// SPDX-License-Identifier: GPL-2.0
/* Static variables of an ELF file by address: what a mutex or a condition variable is called. */
#include "symbol_file.h"

/* Symbols of one file; more make no sense. */
#define VARIABLES_MAX (4 << 20)

static int by_address(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;
	int order = three_way(x->begin, y->begin);

	return order ?: strcmp(x->name, y->name);
}

/* Sets @variable from symbol number @i. False: it is no variable. */
static bool variable_of(Dwfl_Module *module, int i, struct variable *variable)
{
	GElf_Word section = SHN_UNDEF;
	GElf_Addr address, bias = 0;
	Elf *elf = NULL;
	GElf_Sym sym;
	const char *name =
		dwfl_module_getsym_info(module, i, &sym, &address, &section, &elf, &bias);

	if (!name || !*name || GELF_ST_TYPE(sym.st_info) != STT_OBJECT || !sym.st_size ||
	    section == SHN_UNDEF || section == SHN_ABS || section == SHN_COMMON)
		return false;
	*variable = (struct variable){ .begin = address, .name = name };
	return !__builtin_add_overflow(address, sym.st_size, &variable->end);
}

/* Without memory the file has no variables. */
static void read_all(struct symbol_file *file)
{
	int count = dwfl_module_getsymtab(file->module);

	file->variables_read = true;
	if (count <= 0 || count > VARIABLES_MAX)
		return;
	file->variables = calloc(count, sizeof(*file->variables));
	for (int i = 0; file->variables && i < count; i++)
		if (variable_of(file->module, i, &file->variables[file->variable_count]))
			file->variable_count++;
	if (file->variable_count)
		qsort(file->variables, file->variable_count, sizeof(*file->variables), by_address);
}

const struct variable *variable_find(struct symbol_file *file, u64 address)
{
	size_t before;

	if (!file->variables_read)
		read_all(file);
	before = count_up_to(file->variables, file->variable_count, sizeof(*file->variables),
			     address);
	if (!before || address >= file->variables[before - 1].end)
		return NULL;
	return &file->variables[before - 1];
}
