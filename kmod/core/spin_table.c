// SPDX-License-Identifier: GPL-2.0
/* Spin tables: the user who loads a table chooses every bit of it. */
#include "spin_table.h"

#define SPIN_HEAD_RESERVED 6

static bool spin_head_is_valid(const struct gapp_spin_head *head)
{
	u32 i;

	if (head->magic != GAPP_SPIN_MAGIC || head->version != GAPP_SPIN_VERSION || head->reserved0)
		return false;
	if (head->arch != GAPP_ARCH_X86_64 && head->arch != GAPP_ARCH_AARCH64)
		return false;
	for (i = 0; i < SPIN_HEAD_RESERVED; i++)
		if (head->reserved[i])
			return false;
	return head->ranges && head->ranges <= GAPP_SPIN_MAX_RANGES;
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
	return sizeof(*head) + (u64)head->ranges * sizeof(struct gapp_spin_range);
}

/**
 * gapp_spin_table_parts() - find the parts of a table whose ranges are known to be valid
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
	return true;
}

/* Whether the range is valid, and behind @before if that is not NULL. */
static bool range_is_valid(const struct gapp_spin_range *range,
			   const struct gapp_spin_range *before)
{
	if (!range->bytes || range->flags & ~GAPP_SPIN_CALLS || range->begin > ~0ULL - range->bytes)
		return false;
	return !before || range->begin >= before->begin + before->bytes;
}

/**
 * gapp_spin_table_check() - check the next ranges of a table
 * @table: from gapp_spin_table_parts()
 * @range: index of the range to begin with, at first 0; moved to the one to go on with, which is
 *	the number of ranges once all are checked
 *
 * Checks at most GAPP_SPIN_CHECKED ranges: a caller can pause between calls.
 *
 * Return: false if the table is not valid.
 */
bool gapp_spin_table_check(const struct gapp_spin_table *table, u32 *range)
{
	u32 i = *range, end = table->count;

	if (end - i > GAPP_SPIN_CHECKED)
		end = i + GAPP_SPIN_CHECKED;
	for (; i < end; i++)
		if (!range_is_valid(&table->ranges[i], i ? &table->ranges[i - 1] : NULL))
			return false;
	*range = i;
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
	u32 range = 0;

	if (!gapp_spin_table_parts(table, data, bytes))
		return false;
	while (range < table->count)
		if (!gapp_spin_table_check(table, &range))
			return false;
	return true;
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
