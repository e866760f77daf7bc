// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what user/symbol says of addresses of a file: frames [--symfs DIR] FILE < ADDRESSES.
 * For each address, in hexadecimal as the ELF file has it, a line with it and one for each frame,
 * innermost first: function, file, line, with tabs between.
 */
#include <elf.h>
#include <stdio.h>
#include <sys/stat.h>

#include "symbol/symbols.h"

#define SEGMENTS_MAX 64

/**
 * struct code - the file's loaded segments
 */
struct code {
	Elf64_Phdr segments[SEGMENTS_MAX];
	size_t count;
};

static int read_code(struct code *code, const char *path)
{
	FILE *file = fopen(path, "re");
	Elf64_Ehdr header;
	int error = -1;

	if (!file)
		return -1;
	if (fread(&header, sizeof(header), 1, file) == 1 && header.e_phnum <= SEGMENTS_MAX &&
	    !fseek(file, header.e_phoff, SEEK_SET) &&
	    fread(code->segments, sizeof(*code->segments), header.e_phnum, file) ==
		    header.e_phnum) {
		code->count = header.e_phnum;
		error = 0;
	}
	fclose(file);
	return error;
}

static bool offset_of(const struct code *code, u64 address, u64 *offset)
{
	for (size_t i = 0; i < code->count; i++) {
		const Elf64_Phdr *segment = &code->segments[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz) {
			*offset = segment->p_offset + (address - segment->p_vaddr);
			return true;
		}
	}
	return false;
}

static void print_frames(struct symbols *symbols, struct object *object, u64 offset)
{
	const struct code_address place = { object, offset };
	const struct frame *frames;
	size_t count = symbols_frames(symbols, place, false, &frames);

	for (size_t i = 0; i < count; i++)
		printf("%s\t%s\t%u\n", frames[i].function ? frames[i].function : "??",
		       frames[i].file ? frames[i].file : "??", frames[i].line);
}

int main(int argc, char **argv)
{
	const struct symbol_sources sources = {
		.symfs = argc == 4 && !strcmp(argv[1], "--symfs") ? argv[2] : NULL,
		.debuginfod = argc == 3 && !strcmp(argv[1], "--debuginfod"),
	};
	const char *path = argv[argc - 1];
	struct object object = { .kind = OBJECT_FILE, .path = realpath(path, NULL) };
	struct symbols *symbols = symbols_new(NULL);
	unsigned long long address;
	struct code code;
	struct stat stat;
	u64 offset;

	if (argc < 2 || argc > 4 || !symbols || !object.path || read_code(&code, path) ||
	    lstat(object.path, &stat)) {
		fprintf(stderr, "usage: frames [--symfs DIR | --debuginfod] FILE < ADDRESSES\n");
		return 2;
	}
	object.name = strrchr(object.path, '/') + 1;
	object.dev = stat.st_dev;
	object.inode = stat.st_ino;
	symbols_set_sources(symbols, &sources);
	while (scanf("%llx", &address) == 1) {
		printf("0x%llx\n", address);
		if (!offset_of(&code, address, &offset))
			continue;
		if (symbols_function(symbols, (struct code_address){ &object, offset }, false) &&
		    symbols_ask_servers(symbols, &object))
			symbols_forget(symbols);
		print_frames(symbols, &object, offset);
	}
	symbols_free(symbols);
	free(object.path);
	return 0;
}
