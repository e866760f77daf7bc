// SPDX-License-Identifier: GPL-2.0
#include "file_facts.h"

#include <stdio.h>

#include <elfutils/libdwelf.h>

#include "symbol_file.h"

/* Whether a file has a whole table of symbols; one that is compressed is for libdwfl to read. */
static bool has_symtab(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (header.sh_type == SHT_SYMTAB || (name && !strcmp(name, ".gnu_debugdata")))
			return true;
	}
	return false;
}

/* Whether debug information has at least one unit. */
static bool has_units(Dwarf *dwarf)
{
	Dwarf_Off next;
	size_t head;

	return dwarf && !dwarf_nextcu(dwarf, 0, &next, &head, NULL, NULL, NULL);
}

static void note_debug_file(struct file_facts *facts, Dwfl_Module *module)
{
	const char *main_file, *debug_file;

	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &main_file, &debug_file);
	if (debug_file && (!main_file || strcmp(main_file, debug_file)))
		snprintf(facts->debug_file, sizeof(facts->debug_file), "%s", debug_file);
}

void file_facts_read(struct file_facts *facts, struct object *object,
		     const struct symbol_sources *sources)
{
	struct symbol_file file = { .object = object, .sources = sources };
	const char *link;
	GElf_Word crc;
	GElf_Addr bias;
	Dwarf *dwarf;
	Elf *elf;

	*facts = (struct file_facts){ 0 };
	if (symbol_file_load(&file))
		return;
	facts->readable = true;
	facts->functions = file.symtab.count;
	memcpy(facts->build_id, file.build_id, sizeof(facts->build_id));
	elf = dwfl_module_getelf(file.module, &bias);
	dwarf = dwfl_module_getdwarf(file.module, &bias);
	facts->debug = has_units(dwarf);
	facts->symtab = has_symtab(elf) || (dwarf && has_symtab(dwarf_getelf(dwarf)));
	note_debug_file(facts, file.module);
	link = elf ? dwelf_elf_gnu_debuglink(elf, &crc) : NULL;
	if (link)
		snprintf(facts->debug_link, sizeof(facts->debug_link), "%s", link);
	symbol_file_unload(&file);
}
