// SPDX-License-Identifier: GPL-2.0
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "input/program_files.h"
#include "unwind-table/unwind_table.h"

/* Debian's servers, which have the debug information of its packages. */
#define SERVERS "https://debuginfod.debian.net"

void file_state_read(struct file_state *state, struct object *object,
		     const struct symbol_sources *sources)
{
	_cleanup_(unwind_table_free) struct unwind_table table = { 0 };
	_cleanup_close_ int fd = -1;

	*state = (struct file_state){ 0 };
	file_facts_read(&state->names, object, sources);
	fd = elf_file_open(object);
	errno = 0;
	if (fd < 0 || unwind_table_compile(&table, fd, NULL)) {
		state->unwind_error = errno ? errno : EIO;
		return;
	}
	if (table.data) {
		state->table_bytes = table.bytes;
		state->rows = table.data->rows;
	}
}

static void check_unwind(struct findings *findings, const struct file_state *state)
{
	if (state->unwind_error == ENOEXEC)
		found(findings, "unwind table", FINDING_PROBLEM,
		      "it is no program or library of 64 bits of x86-64 or aarch64, of which gapp finds call paths");
	else if (state->unwind_error)
		found(findings, "unwind table", FINDING_PROBLEM, "it cannot be read: %s",
		      strerror(state->unwind_error));
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
		return;
	}
	file_state_read(&state, object, symbols);
	file_findings(findings, &state, sources);
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
		found(findings, "program", FINDING_PROBLEM, "%s",
		      strchr(program, '/') ? "there is no such program, or it cannot be executed" :
					     "no folder of PATH has such a program");
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
