// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a spin table: it is refused, or every look-up stays in it and finds the range that a
 * look at all ranges finds, and the address that a slow evaluation of its location finds, and words
 * compare with the location's number or register as C's own types do. See
 * tests/unit/core/spin_table_check.h.
 *
 * First a byte: what is put in order. Then an address, and the table.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <gapp.h>

#include "spin_table_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_BYTES 8192
#define FIRST_BYTES (1 + sizeof(u64))

enum {
	HEAD_IN_ORDER = 1,
	RANGES_IN_ORDER = 2,
	NEAR_THE_END = 4,
	WHOLE_ROWS = 8,
	A_BYTE_EARLY = 16,
	LOCATIONS_IN_ORDER = 32,
	A_BYTE_STAYS = 64,
};

/*
 * The input's number of locations becomes one for which there is room, and the rest of the input
 * becomes ranges, or few inputs would get past the head.
 */
static void put_head_in_order(struct gapp_spin_head *head, size_t size)
{
	const size_t room = size - sizeof(*head);
	const u32 locations = head->locations % (room / sizeof(struct gapp_spin_location) + 1);

	*head = (struct gapp_spin_head){
		.magic = GAPP_SPIN_MAGIC,
		/* version 1 has no locations */
		.version = GAPP_SPIN_VERSION - head->version % (locations ? 3 : 4),
		.arch = 1 + head->arch % 2,
		.ranges = (room - locations * sizeof(struct gapp_spin_location)) /
			  sizeof(struct gapp_spin_range),
		.locations = locations,
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
		range->flags %= 4;
		range->flags -= range->flags == GAPP_SPIN_DEEP;
		end = range->begin + range->bytes - (how & A_BYTE_EARLY ? 1 : 0);
	}
}

static u8 valid_register(u8 number)
{
	return number < GAPP_REGISTERS ? number : GAPP_SPIN_NO_REGISTER;
}

static void put_term_in_order(struct gapp_spin_term *term)
{
	term->base = valid_register(term->base);
	term->index = valid_register(term->index);
	term->scale = term->index == GAPP_SPIN_NO_REGISTER ? 0 : 1 << term->scale % 4;
	term->reserved = 0;
}

static void put_comparison_in_order(struct gapp_spin_location *location)
{
	location->goes_on %= GAPP_SPIN_WHILES;
	if (location->goes_on || location->bytes)
		location->bytes = 1 << location->bytes % 4;
	/* with a number as often as with a register */
	location->with = location->with % 2 ? 1 + location->with / 2 % GAPP_REGISTERS : 0;
	if (!location->goes_on)
		location->with = 0;
	if (!location->goes_on || location->with)
		location->number = 0;
}

/* Locations are valid, and ranges have locations that are in the table. */
static void put_locations_in_order(struct gapp_spin_head *head)
{
	struct gapp_spin_range *range = (struct gapp_spin_range *)(head + 1);
	struct gapp_spin_location *location;
	u32 i, j;

	for (i = 0; i < head->ranges; i++, range++)
		range->location %= head->locations + 1;
	location = (struct gapp_spin_location *)range;
	for (i = 0; i < head->locations; i++, location++) {
		location->terms = 1 + location->terms % GAPP_SPIN_TERMS;
		put_comparison_in_order(location);
		for (j = 0; j < GAPP_SPIN_TERMS; j++)
			if (j < location->terms)
				put_term_in_order(&location->term[j]);
			else
				memset(&location->term[j], 0, sizeof(location->term[j]));
	}
}

/* The last range becomes an exit, if the version has exits and there is another range. */
static void put_exit_in_order(struct gapp_spin_head *head)
{
	struct gapp_spin_range *range = (struct gapp_spin_range *)(head + 1);
	const struct gapp_spin_range last = range[head->ranges - 1];
	struct gapp_spin_location *location = (void *)&range[head->ranges - 1];

	if (head->version != GAPP_SPIN_VERSION || head->ranges < 2 || last.bytes % 2)
		return;
	memmove(location, &range[head->ranges], head->locations * sizeof(*location));
	head->ranges--;
	head->exits = 1;
	*(struct gapp_spin_exit *)&location[head->locations] = (struct gapp_spin_exit){
		.address = range[last.begin % head->ranges].begin,
		.loop = last.bytes,
		.condition = last.flags % 16,
		.stays = 1 + last.location % 3,
	};
}

/*
 * Puts what @how says of a table of @bytes in order. Returns the table's size: with WHOLE_ROWS, the
 * bytes behind the last row are left out.
 */
static size_t put_in_order(struct gapp_spin_head *head, size_t bytes, u32 how)
{
	put_head_in_order(head, bytes);
	if (how & RANGES_IN_ORDER)
		put_ranges_in_order(head, how);
	if (how & LOCATIONS_IN_ORDER)
		put_locations_in_order(head);
	if (how & RANGES_IN_ORDER && head->ranges)
		put_exit_in_order(head);
	if (!(how & WHOLE_ROWS))
		return bytes;
	return sizeof(*head) + head->ranges * sizeof(struct gapp_spin_range) +
	       head->locations * sizeof(struct gapp_spin_location) +
	       head->exits * sizeof(struct gapp_spin_exit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static u64 room[MAX_BYTES / sizeof(u64)];
	const char *wrong;
	size_t bytes;
	u64 address;
	u8 *table;

	if (size < FIRST_BYTES + sizeof(struct gapp_spin_head) || size > MAX_BYTES)
		return 0;
	memcpy(&address, data + 1, sizeof(address));
	bytes = size - FIRST_BYTES;
	memcpy(room, data + FIRST_BYTES, bytes);
	if (data[0] & (HEAD_IN_ORDER | RANGES_IN_ORDER | LOCATIONS_IN_ORDER))
		bytes = put_in_order((struct gapp_spin_head *)room, bytes, data[0]);
	/* nearly in order: one byte is again the one of the input */
	if (data[0] & A_BYTE_STAYS)
		((u8 *)room)[address % bytes] = data[FIRST_BYTES + address % bytes];
	/* no byte more, so that a sanitizer sees a look behind it */
	table = malloc(bytes);
	if (!table)
		abort();
	memcpy(table, room, bytes);
	wrong = spin_table_check(table, bytes, address);
	free(table);
	if (!wrong)
		return 0;
	fprintf(stderr, "step 0: %s\n", wrong);
	abort();
}
