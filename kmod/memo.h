/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk depends on three registers and on what it reads; if all of that is still the same, so is
 * the path, which need not be walked, hashed and looked up again. This is what most walks come to.
 */
#ifndef GAPP_MEMO_H
#define GAPP_MEMO_H

#include "core/memos.h"

bool gapp_memo_reads_hold(const struct gapp_memo *memo);

#endif /* GAPP_MEMO_H */
