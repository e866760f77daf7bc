/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address spaces as libdwfl sees them: one for each distinct list of mapped
 * files. A file is opened when a frame is in it.
 */
#ifndef GAPP_READ_UNWIND_SPACE_H
#define GAPP_READ_UNWIND_SPACE_H

#include <elfutils/libdwfl.h>

#include "input/mappings.h"

struct unwind_space;
struct unwind_spaces;

/* NULL: no memory. */
struct unwind_spaces *unwind_spaces_new(struct objects *objects);
void unwind_spaces_free(struct unwind_spaces *spaces);

/* The space for a list of mappings; it stays until the next call. NULL: no memory. */
struct unwind_space *unwind_space_get(struct unwind_spaces *spaces,
				      const struct mappings *mappings);

/*
 * Of the file that is mapped at an address; NULL: none is, or it is not to be had. What was given
 * before may have gone.
 */
Dwfl_Module *unwind_space_module(struct unwind_space *space, u64 address);

/* Its threads have one set of callbacks, which are given @context. NULL: libdwfl has failed. */
Dwfl *unwind_space_attach(struct unwind_space *space, const Dwfl_Thread_Callbacks *callbacks,
			  void *context);

/* A frame of the call frame information at an address, to be freed; NULL: there is none. */
Dwarf_Frame *unwind_space_frame(struct unwind_space *space, u64 address);

#endif /* GAPP_READ_UNWIND_SPACE_H */
