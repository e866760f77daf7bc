/* SPDX-License-Identifier: GPL-2.0 */
/* What names of an object's code can be found: in the file, or in its separate debug file. */
#ifndef GAPP_READ_FILE_FACTS_H
#define GAPP_READ_FILE_FACTS_H

#include <limits.h>

#include "symbols.h"

/**
 * struct file_facts - what an object's file has
 * @readable: the file could be read as a program or library
 * @functions: how many functions have names
 * @symtab: its table of symbols is whole, not only that of what it gives to others
 * @debug: it has debug information, so source lines are known
 * @debug_file: the separate file that has debug information; "": the file itself, or none
 * @debug_link: the separate file that it names; "": none
 * @build_id: build-id in hexadecimal; "": none
 */
struct file_facts {
	bool readable;
	size_t functions;
	bool symtab;
	bool debug;
	char debug_file[PATH_MAX];
	char debug_link[PATH_MAX];
	char build_id[2 * BUILD_ID_MAX + 1];
};

/* Looks into an object's file, whose symbols nobody has looked up. @sources: see symbols.h. */
void file_facts_read(struct file_facts *facts, struct object *object,
		     const struct symbol_sources *sources);

#endif /* GAPP_READ_FILE_FACTS_H */
