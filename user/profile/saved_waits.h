/* SPDX-License-Identifier: GPL-2.0 */
/* Waits in a recording's file. */
#ifndef GAPP_READ_SAVED_WAITS_H
#define GAPP_READ_SAVED_WAITS_H

#include "callpath/saved_paths.h"
#include "waits.h"

void waits_save(const struct all_waits *waits, struct blocks_writer *writer);
/*
 * Sets @profile->waits, if the file has any, or adds them to those of other files. @image: added to
 * numbers of address spaces. Returns 0, or -1 without memory.
 */
int waits_read(struct profile *profile, const struct saved_paths *paths, u32 image,
	       struct blocks *blocks);
/* Whether there are more than a recording can have. */
bool waits_are_too_many(const struct all_waits *waits);

#endif /* GAPP_READ_SAVED_WAITS_H */
