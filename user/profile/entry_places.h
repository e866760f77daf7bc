/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which code of a program is behind an address at which threads enter the kernel: that is in the C
 * library, and the call paths that begin at it know who called it.
 */
#ifndef GAPP_READ_ENTRY_PLACES_H
#define GAPP_READ_ENTRY_PLACES_H

#include "path_names.h"

struct entry_places;

/* @names: of the profile whose call paths are looked at. NULL: no memory. */
struct entry_places *entry_places_new(const struct path_names *names);
void entry_places_free(struct entry_places *places);

/*
 * The innermost own code on nearly all call paths that begin at @entry; NULL: there is no such
 * path, they differ, or @entry itself is own code.
 */
const struct frame *entry_places_find(const struct entry_places *places, struct code_address entry);

#endif /* GAPP_READ_ENTRY_PLACES_H */
