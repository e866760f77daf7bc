/* SPDX-License-Identifier: GPL-2.0 */
/* Busy-wait loops of files, as gapp-read spins shows them. Callers find write errors with ferror().
 */
#ifndef GAPP_READ_SPINS_REPORT_H
#define GAPP_READ_SPINS_REPORT_H

#include <stdio.h>

#include "input/build_id.h"
#include "spin/spins.h"
#include "symbol/symbols.h"

/* Bytes of a location or value in words, with the NUL. */
#define SPIN_WORDS 192

/**
 * struct spin_name - where a loop is, in words
 * @function: function that it is in, or NULL
 * @file: source file of its first instruction, or NULL
 * @line: line in @file; 0: not known
 */
struct spin_name {
	const char *function;
	const char *file;
	u32 line;
};

/**
 * struct spins_file - the loops of one file
 * @path: the file, as it was given
 * @build_id: its build-id; of size 0: it has none
 * @spins: its loops
 * @names: of each of @spins
 */
struct spins_file {
	const char *path;
	struct build_id build_id;
	struct spins spins;
	struct spin_name *names;
};

/**
 * struct spins_report - loops of files
 * @symbols: what names belong to
 * @files: files that could be read
 * @count: files
 * @verbose: loops that only may wait are shown too
 */
struct spins_report {
	struct symbols *symbols;
	struct spins_file *files;
	u32 count;
	bool verbose;
};

/* Names the loops of @file, which is @object. Returns 0, or -1 without memory. */
int spins_name(struct spins_file *file, struct symbols *symbols, struct object *object);

/* Writes a value to SPIN_WORDS bytes: "[rdi+0x8]", "rsi" or "-1". False: it is not known. */
bool spin_value_words(char *words, const struct spins *spins, const struct spin_value *value);
/* The sign of a comparison: "=="; NULL: it is not known. */
const char *spin_comparison(u8 condition);
/* Whether it compares without signs. */
bool spin_is_unsigned(u8 condition);

/* What a loop does (enum spin_does): the word for JSON, and for text. */
struct spin_word {
	u32 does;
	const char *name;
	const char *text;
};

extern const struct spin_word spin_words[]; /* ended by 0 */

void spins_text(FILE *out, const struct spins_report *report);
void spins_json(FILE *out, const struct spins_report *report);

#endif /* GAPP_READ_SPINS_REPORT_H */
