/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_NO_KERNEL_H
#define GAPP_READ_NO_KERNEL_H

#include <gapp.h>

/* Why a session that asked for kernel call paths records none, and the cure, in words. */
const char *why_no_kernel(const struct gapp_status *status);

#endif /* GAPP_READ_NO_KERNEL_H */
