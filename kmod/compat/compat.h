/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel versions, for the headers here; probes.mk says for which kernels gapp is, and what it
 * needs of their configuration. Nothing outside this folder knows a kernel version. A header here
 * wraps one header of the kernel, or one thing that gapp needs of one or of several, and names the
 * release and the commit of each change that it hides.
 */
#ifndef GAPP_COMPAT_H
#define GAPP_COMPAT_H

#include <linux/version.h>

#endif /* GAPP_COMPAT_H */
