/* SPDX-License-Identifier: GPL-2.0 */
/* A rule of an unwind table from what libdw says of a frame. */
#ifndef GAPP_READ_CFI_RULE_H
#define GAPP_READ_CFI_RULE_H

#include <elfutils/libdw.h>
#include <gapp_table.h>

#include "util/util.h"

/* All else that is in the rule is zero for GAPP_CFA_NONE and the like. */
struct gapp_rule cfi_rule(struct Dwarf_Frame_s *frame, enum gapp_arch arch);

#endif /* GAPP_READ_CFI_RULE_H */
