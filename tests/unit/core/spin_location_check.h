/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Any location of a spin table: core/spin_location against a slow evaluation of its own, and how
 * words compare against C's own types.
 */
#ifndef GAPP_SPIN_LOCATION_CHECK_H
#define GAPP_SPIN_LOCATION_CHECK_H

#include "spin_location.h"

/* Whether the location is valid by the ABI's words. */
bool spin_location_is_good(const struct gapp_spin_location *location);
/*
 * Whether loops that compare the first @bytes bytes of their word with @number go on with @word, in
 * each way to compare and in some that nobody knows. Returns what is wrong, or NULL.
 */
const char *spin_goes_on_check(u32 bytes, s64 number, u64 word);
/*
 * Finds the address of a valid location in a thread whose registers and memory are made of @seed;
 * some registers are not known and some words cannot be read. Finds what it compares its word with,
 * and compares words with that. Returns what is wrong, or NULL.
 */
const char *spin_location_check(const struct gapp_spin_location *location, u64 seed);
/* Makes a valid location. */
void spin_location_make(struct gapp_spin_location *location, u64 *random);

#endif /* GAPP_SPIN_LOCATION_CHECK_H */
