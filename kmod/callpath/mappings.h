/* SPDX-License-Identifier: GPL-2.0 */
/* SET_MAPS: what the reader tells of a process's memory. */
#ifndef GAPP_MAPPINGS_H
#define GAPP_MAPPINGS_H

#include "address_spaces.h"

int gapp_mappings_set(struct gapp_address_spaces *spaces, const struct gapp_thread_table *threads,
		      struct pid *pid, struct mm_struct **asked_mm, struct gapp_mappings *maps);

#endif /* GAPP_MAPPINGS_H */
