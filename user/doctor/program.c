// SPDX-License-Identifier: GPL-2.0
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "input/program_files.h"
#include "unwind-table/unwind_table.h"

/* Debian's servers, which have the debug information of its packages. */
#define SERVERS "https://debuginfod.debian.net"

/* Shows each folder of a path with its owner and mode, up to where there is none. */
#define LIST "namei -l"

static enum file_kind read_kind(int fd)
{
	/* what both kinds have in common stands where the smaller one has it */
	Elf32_Ehdr elf;

	if (pread(fd, &elf, sizeof(elf), 0) != sizeof(elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG))
		return FILE_OTHER;
	if (elf.e_ident[EI_CLASS] != ELFCLASS32 || elf.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (elf.e_type != ET_EXEC && elf.e_type != ET_DYN))
		return FILE_ELF;
	switch (elf.e_machine) {
#ifdef __x86_64__
	case EM_386:
	case EM_X86_64: /* x32 */
#else
	case EM_ARM:
#endif
		return FILE_ELF_32;
	default:
		return FILE_ELF;
	}
}

void file_state_read(struct file_state *state, struct object *object,
		     const struct symbol_sources *sources)
{
	_cleanup_(unwind_table_free) struct unwind_table table = { 0 };
	_cleanup_close_ int fd = -1;

	*state = (struct file_state){ .path = object->path };
	file_facts_read(&state->names, object, sources);
	fd = elf_file_open(object);
	if (fd < 0) {
		/* errno is that of the last of several ways to the file */
		if (elf_file_is_there(object)) /* but it is another one */
			state->unwind_error = ENOENT;
		else
			state->unwind_error = access(object->path, R_OK) ? errno : EIO;
		return;
	}
	state->kind = read_kind(fd);
	errno = 0;
	if (unwind_table_compile(&table, fd, NULL)) {
		state->unwind_error = errno ? errno : EIO;
		return;
	}
	if (table.data) {
		state->table_bytes = table.bytes;
		state->rows = table.data->rows;
	}
}

/* Adds a command that ends with a path. */
static void mend_path(struct findings *findings, const char *command, const char *path)
{
	char word[SHELL_WORD_SIZE(PATH_MAX)];

	if (strlen(path) > PATH_MAX)
		return;
	shell_word(word, path);
	mend(findings, "%s %s", command, word);
}

/* Of a file for which gapp makes no table. */
static void check_kind(struct findings *findings, const struct file_state *state)
{
	switch (state->kind) {
	case FILE_ELF_32:
		found(findings, "unwind table", FINDING_WARNING,
		      "it has code of 32 bits: all times are right, but gapp finds no call paths and no system calls there; build it for 64 bits to see its places");
		break;
	case FILE_ELF:
		found(findings, "unwind table", FINDING_PROBLEM,
		      "it is no program or library of 64 bits of x86-64 or aarch64: give one of these; the file's header says what it is");
		mend_path(findings, "readelf -h", state->path);
		break;
	case FILE_OTHER:
		found(findings, "unwind table", FINDING_PROBLEM,
		      "it is no program or library of 64 bits, nor a script whose first line (#!) names its interpreter: give the program that runs it");
	}
}

static void unreadable(struct findings *findings, const struct file_state *state)
{
	const char *error = strerror(state->unwind_error);

	switch (state->unwind_error) {
	case EACCES:
	case EPERM:
		found(findings, "unwind table", FINDING_PROBLEM, "it cannot be read: %s", error);
		mend_path(findings, "sudo gapp-read doctor", state->path);
		break;
	case ENOENT:
		found(findings, "unwind table", FINDING_PROBLEM,
		      "its file was removed or replaced: start the program again");
		break;
	default:
		found(findings, "unwind table", FINDING_PROBLEM,
		      "it cannot be read: %s; the kernel's log may say why", error);
		mend(findings, KERNEL_LOG);
	}
}

static void check_unwind(struct findings *findings, const struct file_state *state)
{
	if (state->unwind_error == ENOEXEC)
		check_kind(findings, state);
	else if (state->unwind_error)
		unreadable(findings, state);
	else if (!state->table_bytes)
		found(findings, "unwind table", FINDING_WARNING,
		      "it has no call frame information (.eh_frame): call paths end in its code, unless it keeps frame pointers (gcc -fasynchronous-unwind-tables, or -fno-omit-frame-pointer)");
	else
		found(findings, "unwind table", FINDING_OK,
		      "its unwind table has %u rows in %zu KiB; frame pointers are not needed",
		      state->rows, (state->table_bytes + 1023) >> 10);
}

static void check_symbols(struct findings *findings, const struct file_facts *names)
{
	if (names->symtab)
		found(findings, "symbols", FINDING_OK, "%zu of its functions have names",
		      names->functions);
	else if (!names->functions)
		found(findings, "symbols", FINDING_WARNING,
		      "it is stripped: none of its functions has a name");
	else
		found(findings, "symbols", FINDING_WARNING,
		      "it is stripped: only the %zu functions that it shares with others have names",
		      names->functions);
}

static void check_debug(struct findings *findings, const struct file_facts *names,
			const struct debug_sources *sources)
{
	char how[PATH_MAX + 64] = "";

	if (names->debug) {
		found(findings, "debug information", FINDING_OK, "its source lines are known%s%s",
		      names->debug_file[0] ? ", from " : "", names->debug_file);
		return;
	}
	if (names->debug_link[0])
		snprintf(how, sizeof(how), "; it names the debug file %s, which is not here",
			 names->debug_link);
	if (sources->servers && names->build_id[0]) {
		found(findings, "debug information", FINDING_OK,
		      "it has none; servers are asked for build-id %s%s", names->build_id, how);
		return;
	}
	found(findings, "debug information", FINDING_WARNING,
	      "it has none, so source lines are not known%s: compile it with -g%s", how,
	      names->build_id[0] ? ", or ask servers that have it" : "");
	if (names->build_id[0])
		mend(findings, "export DEBUGINFOD_URLS=" SERVERS);
}

void file_findings(struct findings *findings, const struct file_state *state,
		   const struct debug_sources *sources)
{
	check_unwind(findings, state);
	if (!state->names.readable)
		return;
	check_symbols(findings, &state->names);
	check_debug(findings, &state->names, sources);
}

static void look_at_file(struct findings *findings, struct objects *objects, const char *path,
			 const struct symbol_sources *symbols, const struct debug_sources *sources)
{
	struct object *object = NULL;
	struct file_state state;
	struct stat stat_of;

	if (!stat(path, &stat_of))
		object = objects_hold(objects, path, stat_of.st_dev, stat_of.st_ino, 0);
	if (!object) {
		found(findings, "program", FINDING_PROBLEM, "%s cannot be read: %s", path,
		      strerror(errno));
		mend_path(findings, LIST, path);
		return;
	}
	file_state_read(&state, object, symbols);
	file_findings(findings, &state, sources);
}

static void not_found(struct findings *findings, const char *program)
{
	struct stat stat_of;

	if (!*program) {
		found(findings, "program", FINDING_PROBLEM,
		      "the empty word is the name of no program: give a path, or a name that is in PATH");
		return;
	}
	if (strchr(program, '/')) {
		if (stat(program, &stat_of))
			found(findings, "program", FINDING_PROBLEM,
			      errno == ENOENT ?
				      "there is no such program: look where its path ends" :
				      "its path leads to no program that you may see");
		else if (!S_ISREG(stat_of.st_mode))
			found(findings, "program", FINDING_PROBLEM,
			      "it is no program, but a folder, a pipe or a device: give the path of a file");
		else
			found(findings, "program", FINDING_PROBLEM,
			      "it is no file that you may execute: give another path, or permit it by chmod +x");
		mend_path(findings, LIST, program);
		return;
	}
	found(findings, "program", FINDING_PROBLEM,
	      "no folder of PATH has such a program: give its path, or what your shell knows by that name");
	mend_path(findings, "type -a", program);
}

void program_findings(struct findings *findings, const char *program,
		      const struct symbol_sources *symbols, const struct debug_sources *sources)
{
	struct objects *objects = objects_new();
	char path[PATH_MAX];

	if (!objects) {
		findings->failed = true;
		return;
	}
	findings->subject = program;
	if (!program_find(program, path)) {
		not_found(findings, program);
	} else {
		if (program_find_interpreter(path))
			found(findings, "program", FINDING_OK, "it is a script of %s", path);
		else
			found(findings, "program", FINDING_OK, "it is %s", path);
		look_at_file(findings, objects, path, symbols, sources);
	}
	findings->subject = NULL;
	objects_free(objects);
}
