/* SPDX-License-Identifier: GPL-2.0 */
/* Looks over the instructions of call frame information before libdw is let at them. */
#ifndef GAPP_READ_CFI_PROGRAM_H
#define GAPP_READ_CFI_PROGRAM_H

#include "util/util.h"

/*
 * Whether libdw can carry out what is from @begin to @end in time and memory in proportion to its
 * size: it makes room for any register and any number of remembered states that it reads of.
 */
bool cfi_program_is_harmless(const u8 *begin, const u8 *end, u8 address_encoding);

/* Bytes of an address so encoded; 0: that is not known. */
size_t cfi_encoded_size(u8 encoding);

/* Numbers of DWARF: false, and nothing else, if they do not end before @end. */
bool cfi_read_unsigned(const u8 **at, const u8 *end, u64 *value);
bool cfi_skip_signed(const u8 **at, const u8 *end);

#endif /* GAPP_READ_CFI_PROGRAM_H */
