/* SPDX-License-Identifier: GPL-2.0 */
/* Finds separate debug information: by build-id, by debug link, from a server if one is set. */
#ifndef GAPP_READ_DEBUG_FILE_H
#define GAPP_READ_DEBUG_FILE_H

#include <elfutils/libdwfl.h>

/* A callback of libdwfl; the module's user data is its struct symbol_file. */
int debug_file_find(struct Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    const char *file_name, const char *link, GElf_Word crc, char **found_name);

/* Likewise: finds no file, where it is given; libdwfl's own search would ask servers. */
int debug_file_no_elf(struct Dwfl_Module *module, void **userdata, const char *name,
		      Dwarf_Addr base, char **file_name, Elf **elf);

#endif /* GAPP_READ_DEBUG_FILE_H */
