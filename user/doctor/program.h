/* SPDX-License-Identifier: GPL-2.0 */
/* Whether gapp can unwind and name the code of programs and processes. */
#ifndef GAPP_READ_DOCTOR_PROGRAM_H
#define GAPP_READ_DOCTOR_PROGRAM_H

#include "findings.h"
#include "input/object.h"
#include "symbol/file_facts.h"

enum file_kind {
	FILE_OTHER, /* no ELF file, or it cannot be read */
	FILE_ELF,
	FILE_ELF_32, /* code of 32 bits, which this machine can execute */
};

/**
 * struct file_state - a program or library
 * @names: what names it has
 * @path: of the file
 * @kind: enum file_kind, whatever else is wrong with it
 * @unwind_error: errno of making its unwind table; 0: there was none
 * @table_bytes: bytes of that table; 0: it has no call frame information
 * @rows: rows of that table
 */
struct file_state {
	struct file_facts names;
	const char *path;
	enum file_kind kind;
	int unwind_error;
	size_t table_bytes;
	u32 rows;
};

void file_state_read(struct file_state *state, struct object *object,
		     const struct symbol_sources *sources);

/**
 * struct debug_sources - from where debug files can come
 * @servers: servers will be asked
 */
struct debug_sources {
	bool servers;
};

/* Of one program: symbols, debug information and unwind table. */
void file_findings(struct findings *findings, const struct file_state *state,
		   const struct debug_sources *sources);
/* Looks at a program, by its path or its name in PATH. */
void program_findings(struct findings *findings, const char *program,
		      const struct symbol_sources *symbols, const struct debug_sources *sources);
/**
 * struct library_sums - the libraries of a process
 * @count: how many there are
 * @of_32_bits: how many are of 32 bits
 * @without_table: how many others have no unwind table
 * @without_symtab: how many have only the names that they give to others
 * @without_debug: how many have no debug information
 * @worst: name of the first without an unwind table
 */
struct library_sums {
	u32 count;
	u32 of_32_bits;
	u32 without_table;
	u32 without_symtab;
	u32 without_debug;
	char worst[256];
};

void library_sums_add(struct library_sums *sums, const char *name, const struct file_state *state);
void library_findings(struct findings *findings, const struct library_sums *sums);

/* @may: errno of following it, 0: it may be followed; NOT_TRIED: there is no session to ask. */
void follow_findings(struct findings *findings, pid_t pid, int may);
/* Looks at a process, its program and its libraries. @asks: a session can be set up to ask. */
void process_findings(struct findings *findings, pid_t pid, bool asks,
		      const struct symbol_sources *symbols, const struct debug_sources *sources);

#endif /* GAPP_READ_DOCTOR_PROGRAM_H */
