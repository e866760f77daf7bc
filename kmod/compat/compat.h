/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What gapp needs of every kernel; probes.mk has the releases. Nothing outside this folder knows a
 * kernel version; one header here wraps one header of the kernel.
 */
#ifndef GAPP_COMPAT_H
#define GAPP_COMPAT_H

#include <linux/version.h>

#if !defined(CONFIG_TRACEPOINTS) || !defined(CONFIG_64BIT) || !defined(CONFIG_PROC_FS)
#error "gapp needs a 64-bit kernel with CONFIG_TRACEPOINTS and CONFIG_PROC_FS"
#endif

#endif /* GAPP_COMPAT_H */
