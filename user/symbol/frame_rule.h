/* SPDX-License-Identifier: GPL-2.0 */
/* What the call frame information says of a place. */
#ifndef GAPP_READ_FRAME_RULE_H
#define GAPP_READ_FRAME_RULE_H

#include "symbol_file.h"
#include "symbols.h"

enum frame_rule frame_rule_find(struct symbol_file *file, u64 address);

#endif /* GAPP_READ_FRAME_RULE_H */
