/* SPDX-License-Identifier: GPL-2.0 */
/* Names by pattern. */
#ifndef GAPP_CORE_GLOB_H
#define GAPP_CORE_GLOB_H

#include "port.h"

bool gapp_glob_matches(const char *glob, const char *text);

#endif /* GAPP_CORE_GLOB_H */
