/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk depends on three registers and on what it reads; if all of that is still the same, so is
 * the path, which need not be walked, hashed and looked up again. This is what most walks come to.
 */
#ifndef GAPP_PATH_CACHE_H
#define GAPP_PATH_CACHE_H

#include "core/path_cache.h"

bool gapp_path_cache_reads_hold(const struct gapp_cached_path *cached);

#endif /* GAPP_PATH_CACHE_H */
