/* SPDX-License-Identifier: GPL-2.0 */
/* What an instruction stores, and where, by the registers in front of it. */
#ifndef GAPP_CORE_STORE_POINT_H
#define GAPP_CORE_STORE_POINT_H

#include <gapp.h>

#include "port.h"
#include "unwind.h"

bool gapp_store_point_is_valid(const struct gapp_store_point *point);
bool gapp_store_point_locate(const struct gapp_store_point *point, const struct gapp_regs *regs,
			     u64 *address);
bool gapp_store_point_value(const struct gapp_store_point *point, const struct gapp_regs *regs,
			    u64 word, u64 *value);

#endif /* GAPP_CORE_STORE_POINT_H */
