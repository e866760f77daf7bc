/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk along the frame pointers of a user stack. The stack is copied by
 * windows through a callback; what is in it is hostile.
 */
#ifndef GAPP_CORE_UNWIND_FP_H
#define GAPP_CORE_UNWIND_FP_H

#include <gapp_record.h>

#include "window.h"

u16 gapp_unwind_fp(struct gapp_window *window, u64 ip, u64 sp, u64 bp, u64 *frames, u16 max,
		   enum gapp_unwind_end *end);

#endif /* GAPP_CORE_UNWIND_FP_H */
