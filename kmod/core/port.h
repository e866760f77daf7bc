/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What core/ needs of its surroundings, in the kernel and outside it. The only
 * file of core/ that may ask which of the two it is.
 */
#ifndef GAPP_CORE_PORT_H
#define GAPP_CORE_PORT_H

#ifdef __KERNEL__

#include <linux/math64.h>
#include <linux/string.h>
#include <linux/types.h>

#else

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef __u64 u64;
typedef __s64 s64;
typedef __u32 u32;
typedef __s32 s32;
typedef __u16 u16;
typedef __u8 u8;

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

#endif

#endif /* GAPP_CORE_PORT_H */
