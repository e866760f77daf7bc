/* SPDX-License-Identifier: GPL-2.0 */
/* What is in the flags of a page. */
#ifndef GAPP_COMPAT_PAGE_FLAGS_H
#define GAPP_COMPAT_PAGE_FLAGS_H

#include <linux/gfp.h>
#include <linux/page-flags.h>

/*
 * Flags for pages that a process may map. Before 5.11, 18b2db3b0385, a page that a control group
 * pays for has a type, in the word that else counts its mappings, and no process can map it.
 */
#ifdef PG_kmemcg
#define GAPP_GFP_MAPPED(flags) ((flags) & ~__GFP_ACCOUNT)
#else
#define GAPP_GFP_MAPPED(flags) (flags)
#endif

#endif /* GAPP_COMPAT_PAGE_FLAGS_H */
