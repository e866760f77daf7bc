/* SPDX-License-Identifier: GPL-2.0 */
/* Any location of a spin table: core/spin_location against a slow evaluation of its own. */
#ifndef GAPP_SPIN_LOCATION_CHECK_H
#define GAPP_SPIN_LOCATION_CHECK_H

#include "spin_location.h"

/* Whether the location is valid by the ABI's words. */
bool spin_location_is_good(const struct gapp_spin_location *location);
/*
 * Finds the address of a valid location in a thread whose registers and memory are made of @seed;
 * some registers are not known and some words cannot be read. Returns what is wrong, or NULL.
 */
const char *spin_location_check(const struct gapp_spin_location *location, u64 seed);
/* Makes a valid location. */
void spin_location_make(struct gapp_spin_location *location, u64 *random);

#endif /* GAPP_SPIN_LOCATION_CHECK_H */
