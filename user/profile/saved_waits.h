/* SPDX-License-Identifier: GPL-2.0 */
/* Waits in a recording's file. */
#ifndef GAPP_READ_SAVED_WAITS_H
#define GAPP_READ_SAVED_WAITS_H

#include "callpath/saved_paths.h"
#include "waits.h"

void waits_save(const struct all_waits *waits, struct blocks_writer *writer);
/* Sets @profile->waits, if the file has any. Returns 0, or -1 without memory. */
int waits_read(struct profile *profile, const struct saved_paths *paths, struct blocks *blocks);

#endif /* GAPP_READ_SAVED_WAITS_H */
