// SPDX-License-Identifier: GPL-2.0
/* Spin tables: the user who loads a table chooses every bit of it. */
#include "spin_table.h"

#include "spin_location.h"

#define SPIN_HEAD_RESERVED 5

static bool spin_head_is_valid(const struct gapp_spin_head *head)
{
	u32 i;

	if (head->magic != GAPP_SPIN_MAGIC)
		return false;
	/* version 3 has no exits; version 2, of ABI 1.12, is the same; version 1 has no locations
	 */
	if (!head->version || head->version > GAPP_SPIN_VERSION || head->zero ||
	    (head->version < GAPP_SPIN_VERSION && head->exits) ||
	    (head->version < 2 && head->locations))
		return false;
	if (head->arch != GAPP_ARCH_X86_64 && head->arch != GAPP_ARCH_AARCH64)
		return false;
	for (i = 0; i < SPIN_HEAD_RESERVED; i++)
		if (head->reserved[i])
			return false;
	return head->ranges && head->ranges <= GAPP_SPIN_MAX_RANGES &&
	       head->locations <= GAPP_SPIN_MAX_LOCATIONS && head->exits <= GAPP_SPIN_MAX_EXITS;
}

/**
 * gapp_spin_table_bytes() - the size of a table
 * @head: head of the table
 *
 * Return: bytes of the whole table; 0 if the head is not valid.
 */
u64 gapp_spin_table_bytes(const struct gapp_spin_head *head)
{
	if (!spin_head_is_valid(head))
		return 0;
	return sizeof(*head) + (u64)head->ranges * sizeof(struct gapp_spin_range) +
	       (u64)head->locations * sizeof(struct gapp_spin_location) +
	       (u64)head->exits * sizeof(struct gapp_spin_exit);
}

/**
 * gapp_spin_table_parts() - find the parts of a table whose rows are known to be valid
 * @table: the result
 * @data: the table, aligned to 8 bytes; nobody may change or free it while @table is in use
 * @bytes: bytes at @data
 *
 * Return: false if the table's head is not valid.
 */
bool gapp_spin_table_parts(struct gapp_spin_table *table, const void *data, u64 bytes)
{
	const struct gapp_spin_head *head = data;

	if (bytes < sizeof(*head) || gapp_spin_table_bytes(head) != bytes)
		return false;
	table->count = head->ranges;
	table->ranges = (const struct gapp_spin_range *)(head + 1);
	table->location_count = head->locations;
	table->locations = (const struct gapp_spin_location *)(table->ranges + table->count);
	table->exit_count = head->exits;
	table->exits = (const struct gapp_spin_exit *)(table->locations + table->location_count);
	return true;
}

static bool flags_are_valid(u16 flags)
{
	return !(flags & ~(GAPP_SPIN_CALLS | GAPP_SPIN_DEEP)) && flags != GAPP_SPIN_DEEP;
}

/* Whether range @i is valid, and behind the one before it. */
static bool range_is_valid(const struct gapp_spin_table *table, u32 i)
{
	const struct gapp_spin_range *range = &table->ranges[i];

	if (!range->bytes || !flags_are_valid(range->flags) ||
	    range->begin > ~0ULL - range->bytes || range->location > table->location_count)
		return false;
	return !i || range->begin >= range[-1].begin + range[-1].bytes;
}

/* Whether exit @i is valid, and behind the one before it. */
static bool exit_is_valid(const struct gapp_spin_table *table, u32 i)
{
	const struct gapp_spin_exit *exit = &table->exits[i];

	if (exit->condition > 15 || !exit->stays || exit->reserved ||
	    exit->stays & ~(GAPP_SPIN_STAYS | GAPP_SPIN_STAYS_JUMPING) ||
	    !gapp_spin_table_find(table, exit->address))
		return false;
	return !i || exit->loop > exit[-1].loop ||
	       (exit->loop == exit[-1].loop && exit->address > exit[-1].address);
}

static bool row_is_valid(const struct gapp_spin_table *table, u32 i)
{
	if (i < table->count)
		return range_is_valid(table, i);
	i -= table->count;
	if (i < table->location_count)
		return gapp_spin_location_is_valid(&table->locations[i]);
	return exit_is_valid(table, i - table->location_count);
}

/**
 * gapp_spin_table_check() - check the next rows of a table
 * @table: from gapp_spin_table_parts()
 * @row: number of the row to begin with, ranges first, then locations and exits, at first 0; moved
 *	to the one to go on with, which is gapp_spin_table_rows() once all are checked
 *
 * Checks at most GAPP_SPIN_CHECKED rows: a caller can pause between calls.
 *
 * Return: false if the table is not valid.
 */
bool gapp_spin_table_check(const struct gapp_spin_table *table, u32 *row)
{
	u32 i = *row, end = gapp_spin_table_rows(table);

	if (end - i > GAPP_SPIN_CHECKED)
		end = i + GAPP_SPIN_CHECKED;
	for (; i < end; i++)
		if (!row_is_valid(table, i))
			return false;
	*row = i;
	return true;
}

/**
 * gapp_spin_table_open() - check a table and find its parts
 * @table: the result
 * @data: the table, aligned to 8 bytes; nobody may change or free it while @table is in use
 * @bytes: bytes at @data
 *
 * Takes time in proportion to @bytes.
 *
 * Return: false if the table is not valid.
 */
bool gapp_spin_table_open(struct gapp_spin_table *table, const void *data, u64 bytes)
{
	u32 row = 0;

	if (!gapp_spin_table_parts(table, data, bytes))
		return false;
	while (row < gapp_spin_table_rows(table))
		if (!gapp_spin_table_check(table, &row))
			return false;
	return true;
}

/**
 * gapp_spin_table_is_deep() - whether any loop is to be found by call paths
 * @table: a table that passed the check
 *
 * Takes time in proportion to the ranges: less than to check them.
 *
 * Return: true if a range has GAPP_SPIN_DEEP.
 */
bool gapp_spin_table_is_deep(const struct gapp_spin_table *table)
{
	u32 i;

	for (i = 0; i < table->count; i++)
		if (table->ranges[i].flags & GAPP_SPIN_DEEP)
			return true;
	return false;
}

/**
 * gapp_spin_table_find() - find the busy-wait loop that an address is in
 * @table: the table
 * @address: address in the ELF file
 *
 * Return: the range with the address; NULL: it is in none.
 */
const struct gapp_spin_range *gapp_spin_table_find(const struct gapp_spin_table *table, u64 address)
{
	const struct gapp_spin_range *range = table->ranges;
	u32 count = table->count, half;

	while (count > 1) {
		half = count / 2;
		if (range[half].begin <= address)
			range += half;
		count -= half;
	}
	return address - range->begin < range->bytes ? range : NULL;
}

/**
 * gapp_spin_table_exits() - find the exits of the loop that an address is in
 * @table: the table
 * @address: address in the ELF file
 * @count: set to how many exits the loop has
 *
 * Takes time in proportion to the number of exits.
 *
 * Return: number of the loop's first exit, behind which the others follow; @count is 0: the code
 * around the address has no exit, or is in no loop.
 */
u32 gapp_spin_table_exits(const struct gapp_spin_table *table, u64 address, u32 *count)
{
	const struct gapp_spin_range *range = gapp_spin_table_find(table, address);
	u32 i, first = 0;

	*count = 0;
	for (i = 0; range && i < table->exit_count; i++) {
		if (i && table->exits[i].loop != table->exits[i - 1].loop) {
			if (*count)
				break;
			first = i;
		}
		if (table->exits[i].address - range->begin < range->bytes || *count)
			*count = i - first + 1;
	}
	return first;
}
