// SPDX-License-Identifier: GPL-2.0
#include "made_code.h"

#include <elf.h>
#include <sys/mman.h>

#define FUNCTIONS_MAX 64
#define NAMES_BYTES 4096

/**
 * struct made_elf - what lies before the code
 */
struct made_elf {
	Elf64_Ehdr elf;
	Elf64_Phdr segment;
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[FUNCTIONS_MAX];
	char names[NAMES_BYTES];
};

u8 *made_code_bytes(const struct made_function *functions, size_t count, size_t *size)
{
	static const Elf64_Ehdr elf = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = offsetof(struct made_elf, segment),
		.e_shoff = offsetof(struct made_elf, sections),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
	};
	struct made_elf *made;
	size_t code = 0, at = 0, name = 1;

	for (size_t i = 0; i < count; i++)
		code += functions[i].size;
	*size = sizeof(*made) + code;
	made = calloc(1, *size);
	if (!made || count >= FUNCTIONS_MAX)
		abort();
	made->elf = elf;
	made->segment.p_type = PT_LOAD;
	made->segment.p_flags = PF_R | PF_X;
	made->segment.p_offset = sizeof(*made);
	made->segment.p_vaddr = MADE_ADDRESS;
	made->segment.p_filesz = code;
	made->segment.p_memsz = code;
	made->sections[1].sh_type = SHT_SYMTAB;
	made->sections[1].sh_offset = offsetof(struct made_elf, symbols);
	made->sections[1].sh_size = count * sizeof(Elf64_Sym);
	made->sections[1].sh_link = 2;
	made->sections[2].sh_type = SHT_STRTAB;
	made->sections[2].sh_offset = offsetof(struct made_elf, names);
	made->sections[2].sh_size = sizeof(made->names);
	for (size_t i = 0; i < count; i++) {
		made->symbols[i].st_name = name;
		made->symbols[i].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		made->symbols[i].st_shndx = 1;
		made->symbols[i].st_value = MADE_ADDRESS + at;
		made->symbols[i].st_size = functions[i].size;
		strcpy(made->names + name, functions[i].name);
		name += strlen(functions[i].name) + 1;
		memcpy((u8 *)(made + 1) + at, functions[i].code, functions[i].size);
		at += functions[i].size;
	}
	return (u8 *)made;
}

int made_file(const void *bytes, size_t size)
{
	int fd = memfd_create("made", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	return fd;
}

int made_code(const struct made_function *functions, size_t count)
{
	_cleanup_free_ u8 *bytes = NULL;
	size_t size;

	bytes = made_code_bytes(functions, count, &size);
	return made_file(bytes, size);
}
