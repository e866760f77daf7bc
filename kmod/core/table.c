// SPDX-License-Identifier: GPL-2.0
/* Unwind tables: the user who loads a table chooses every bit of it. */
#include <gapp_record.h>

#include "table.h"
#include "unwind.h"

#define HEAD_RESERVED 4
/* Rows that gapp_table_check() checks at a time: as many as a page of a valid table can have. */
#define CHECKED_ROWS 65536

const struct gapp_rule gapp_rule_gap = { .cfa = GAPP_CFA_GAP };
const struct gapp_rule gapp_rule_undescribed = { .cfa = GAPP_CFA_GAP, .number = 1 };

static bool head_is_valid(const struct gapp_table_head *head)
{
	u32 i;

	if (head->magic != GAPP_TABLE_MAGIC || head->version != GAPP_TABLE_VERSION ||
	    head->reserved0)
		return false;
	if (head->arch != GAPP_ARCH_X86_64 && head->arch != GAPP_ARCH_AARCH64)
		return false;
	if (!head->rules || head->rules > GAPP_TABLE_MAX_RULES || !head->pages ||
	    head->pages > GAPP_TABLE_MAX_PAGES || head->rows < head->pages ||
	    head->rows > GAPP_TABLE_MAX_ROWS)
		return false;
	if (head->begin % GAPP_TABLE_PAGE ||
	    head->begin > ~0ULL - (u64)head->pages * GAPP_TABLE_PAGE)
		return false;
	for (i = 0; i < HEAD_RESERVED; i++)
		if (head->reserved[i])
			return false;
	return true;
}

/*
 * The stack pointer holds no return address. A walk that took it for one would give addresses that
 * it has computed, and no word of the process.
 */
static bool returns_to_sp(const struct gapp_rule *rule, u32 arch)
{
	return rule->ra == GAPP_RA_REGISTER &&
	       rule->number == (arch == GAPP_ARCH_X86_64 ? GAPP_X86_64_SP : GAPP_AARCH64_SP);
}

static bool rule_is_valid(const struct gapp_rule *rule, u32 arch)
{
	if (rule->cfa >= GAPP_CFA_KINDS || rule->fp >= GAPP_FP_KINDS || rule->ra >= GAPP_RA_KINDS ||
	    rule->number >= GAPP_REGISTERS)
		return false;
	if (rule->cfa <= GAPP_CFA_SIGNAL)
		return !(rule->cfa_offset | rule->fp_offset | rule->ra_offset | rule->fp |
			 rule->ra | rule->number);
	if (returns_to_sp(rule, arch))
		return false;
	return !rule->number || rule->cfa == GAPP_CFA_REGISTER || rule->ra == GAPP_RA_REGISTER;
}

/* Checks the rows of one page; @count is at least 1. */
static bool page_is_valid(const struct gapp_row *row, u32 count, u32 rules)
{
	u32 i;

	if (row->low || row->rule >= rules)
		return false;
	for (i = 1; i < count; i++)
		if (row[i].low <= row[i - 1].low || row[i].rule >= rules)
			return false;
	return true;
}

/**
 * gapp_table_bytes() - the size of a table
 * @head: head of the table
 *
 * Return: bytes of the whole table; 0 if the head is not valid.
 */
u64 gapp_table_bytes(const struct gapp_table_head *head)
{
	if (!head_is_valid(head))
		return 0;
	return sizeof(*head) + (u64)head->rules * sizeof(struct gapp_rule) +
	       ((u64)head->pages + 1) * sizeof(u32) + (u64)head->rows * sizeof(struct gapp_row);
}

/**
 * gapp_table_parts() - find the parts of a table whose rows are known to be valid
 * @table: the result
 * @data: the table, aligned to 8 bytes; nobody may change or free it while @table is in use
 * @bytes: bytes at @data
 *
 * Return: false if the table's head is not valid.
 */
bool gapp_table_parts(struct gapp_table *table, const void *data, u64 bytes)
{
	const struct gapp_table_head *head = data;

	if (bytes < sizeof(*head) || gapp_table_bytes(head) != bytes)
		return false;
	table->begin = head->begin;
	table->pages = head->pages;
	table->arch = head->arch;
	table->rules = (const struct gapp_rule *)(head + 1);
	table->first = (const u32 *)(table->rules + head->rules);
	table->rows = (const struct gapp_row *)(table->first + head->pages + 1);
	return true;
}

static bool rules_are_valid(const struct gapp_table *table, const struct gapp_table_head *head)
{
	u32 i;

	for (i = 0; i < head->rules; i++)
		if (!rule_is_valid(&table->rules[i], head->arch))
			return false;
	return !table->first[0] && table->first[head->pages] == head->rows;
}

/**
 * gapp_table_check() - check the next pages of a table
 * @table: from gapp_table_parts()
 * @head: head of the table
 * @page: index of the page to begin with, at first 0; moved to the one to go on with, which is the
 *	number of pages once all are checked
 *
 * Checks at least a page, and at most twice CHECKED_ROWS rows: a caller can pause between calls.
 *
 * Return: false if the table is not valid.
 */
bool gapp_table_check(const struct gapp_table *table, const struct gapp_table_head *head, u32 *page)
{
	u32 i, end;

	if (!*page && !rules_are_valid(table, head))
		return false;
	end = table->first[*page] + CHECKED_ROWS;
	for (i = *page; i < head->pages && table->first[i] < end; i++) {
		u32 from = table->first[i], to = table->first[i + 1];

		if (from >= to || to > head->rows ||
		    !page_is_valid(table->rows + from, to - from, head->rules))
			return false;
	}
	*page = i;
	return true;
}

/**
 * gapp_table_open() - check a table and find its parts
 * @table: the result
 * @data: the table, aligned to 8 bytes; nobody may change or free it while @table is in use
 * @bytes: bytes at @data
 *
 * Takes time in proportion to @bytes.
 *
 * Return: false if the table is not valid.
 */
bool gapp_table_open(struct gapp_table *table, const void *data, u64 bytes)
{
	u32 page = 0;

	if (!gapp_table_parts(table, data, bytes))
		return false;
	while (page < table->pages)
		if (!gapp_table_check(table, data, &page))
			return false;
	return true;
}

/**
 * gapp_table_find() - find the rule for an address
 * @table: the table
 * @address: address in the ELF file
 *
 * Return: the rule; gapp_rule_gap outside the table.
 */
const struct gapp_rule *gapp_table_find(const struct gapp_table *table, u64 address)
{
	u64 page = (address - table->begin) / GAPP_TABLE_PAGE;
	u32 low = address % GAPP_TABLE_PAGE, count, part, skip;
	const struct gapp_row *row;

	if (page >= table->pages)
		return &gapp_rule_gap;
	page = array_index_nospec(page, table->pages);
	row = table->rows + table->first[page];
	count = table->first[page + 1] - table->first[page];
	/*
	 * The CPU cannot predict the direction, so the search has no branches. It compares three
	 * rows at a time, which takes no longer than one and leaves a quarter of the rows.
	 */
	while (count > 3) {
		part = count / 4;
		skip = row[part].low <= low ? part : 0;
		skip += row[2 * part].low <= low ? part : 0;
		skip += row[3 * part].low <= low ? part : 0;
		row += skip;
		count -= 3 * part;
	}
	while (count > 1) {
		row += row[1].low <= low;
		count--;
	}
	return &table->rules[row->rule];
}
