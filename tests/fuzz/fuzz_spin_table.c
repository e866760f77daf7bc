// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a spin table: it is refused, or every look-up stays in it and finds the range that a
 * look at all ranges finds. See tests/unit/core/spin_table_check.h.
 *
 * First a byte: what is put in order. Then an address, and the table.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "spin_table_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_BYTES 8192
#define FIRST_BYTES (1 + sizeof(u64))

enum {
	HEAD_IN_ORDER = 1,
	RANGES_IN_ORDER = 2,
	NEAR_THE_END = 4,
	WHOLE_RANGES = 8,
	A_BYTE_EARLY = 16,
};

/* It becomes what the input has room for, or few inputs would get past the head. */
static void put_head_in_order(struct gapp_spin_head *head, size_t size)
{
	*head = (struct gapp_spin_head){
		.magic = GAPP_SPIN_MAGIC,
		.version = GAPP_SPIN_VERSION,
		.arch = 1 + head->arch % 2,
		.ranges = (size - sizeof(*head)) / sizeof(struct gapp_spin_range),
	};
}

/* Each is behind the one before, or begins with its last byte, if there is room for it. */
static void put_ranges_in_order(struct gapp_spin_head *head, u32 how)
{
	struct gapp_spin_range *range = (struct gapp_spin_range *)(head + 1);
	u64 end = how & NEAR_THE_END ? ~0ULL - 0x4000 : 0;
	u32 i;

	for (i = 0; i < head->ranges; i++, range++) {
		range->begin = end + range->begin % 256;
		range->bytes = 1 + range->bytes % 256;
		range->flags %= 2;
		end = range->begin + range->bytes - (how & A_BYTE_EARLY ? 1 : 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *wrong;
	size_t bytes;
	u64 address;
	u8 *table;

	if (size < FIRST_BYTES + sizeof(struct gapp_spin_head) || size > MAX_BYTES)
		return 0;
	memcpy(&address, data + 1, sizeof(address));
	bytes = size - FIRST_BYTES;
	if (data[0] & WHOLE_RANGES)
		bytes -= bytes % sizeof(struct gapp_spin_range);
	/* no byte more, so that a sanitizer sees a look behind it */
	table = malloc(bytes);
	if (!table)
		abort();
	memcpy(table, data + FIRST_BYTES, bytes);
	if (data[0] & (HEAD_IN_ORDER | RANGES_IN_ORDER))
		put_head_in_order((struct gapp_spin_head *)table, bytes);
	if (data[0] & RANGES_IN_ORDER)
		put_ranges_in_order((struct gapp_spin_head *)table, data[0]);
	wrong = spin_table_check(table, bytes, address);
	free(table);
	if (!wrong)
		return 0;
	fprintf(stderr, "step 0: %s\n", wrong);
	abort();
}
