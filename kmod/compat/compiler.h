/* SPDX-License-Identifier: GPL-2.0 */
/* Attributes of functions. */
#ifndef GAPP_COMPAT_COMPILER_H
#define GAPP_COMPAT_COMPILER_H

#include <linux/compiler.h>

/* v5.12, 258e0815e2b1: whatever the function calls is inlined */
#ifndef __flatten
#define __flatten __attribute__((__flatten__))
#endif

#endif /* GAPP_COMPAT_COMPILER_H */
