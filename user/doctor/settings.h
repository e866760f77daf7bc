/* SPDX-License-Identifier: GPL-2.0 */
/* Files of lines NAME=WORD, as a shell reads them: DKMS's settings, and what the distribution is.
 */
#ifndef GAPP_READ_DOCTOR_SETTINGS_H
#define GAPP_READ_DOCTOR_SETTINGS_H

#include <limits.h>

#include "system.h"

/*
 * Sets @value to the word of the last line NAME=WORD of a text (which may be NULL), or leaves it.
 * @release: what the variable $kernelver of a word stands for
 */
void settings_take(char value[PATH_MAX], const char *text, const char *name, const char *release);

/* What the distribution says of itself by a name such as VERSION_ID; "": nothing. */
void distribution_take(char value[PATH_MAX], const struct system *system, const char *name);
/* Whether the distribution is Ubuntu, or says that it is like Ubuntu. */
bool system_is_ubuntu(const struct system *system);

#endif /* GAPP_READ_DOCTOR_SETTINGS_H */
