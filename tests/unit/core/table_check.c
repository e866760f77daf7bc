// SPDX-License-Identifier: GPL-2.0
#include "table_check.h"

#include "random.h"

#define RULES 64

/* The rule by the ABI's words, without any order of the rows. */
static const struct gapp_rule *find_naively(const struct gapp_table_head *head, u64 address)
{
	const struct gapp_rule *rules = (const struct gapp_rule *)(head + 1);
	const u32 *first = (const u32 *)(rules + head->rules);
	const struct gapp_row *rows = (const struct gapp_row *)(first + head->pages + 1);
	const struct gapp_row *best = NULL;
	u32 i, page;

	if (address < head->begin || address - head->begin >= (u64)head->pages << 16)
		return NULL;
	page = (address - head->begin) >> 16;
	for (i = first[page]; i < first[page + 1]; i++)
		if (rows[i].low <= (address & 0xffff) && (!best || rows[i].low > best->low))
			best = &rows[i];
	return best ? &rules[best->rule] : NULL;
}

static const char *check_address(const struct gapp_table *table, const struct gapp_table_head *head,
				 u64 address)
{
	const struct gapp_rule *is = gapp_table_find(table, address);
	const struct gapp_rule *must = find_naively(head, address);

	if (must ? is != must : is != &gapp_rule_gap)
		return "another rule";
	if (is->cfa >= GAPP_CFA_KINDS || is->fp >= GAPP_FP_KINDS || is->ra >= GAPP_RA_KINDS ||
	    is->number > 32)
		return "a rule that is none";
	return NULL;
}

const char *table_check(const void *data, u64 bytes, bool valid)
{
	const struct gapp_table_head *head = data;
	const char *wrong = NULL;
	struct gapp_table table;
	u32 page, i, step;
	u64 at;

	if (!gapp_table_open(&table, data, bytes))
		return valid ? "a good table is refused" : NULL;
	if (gapp_table_bytes(head) != bytes)
		return "a table of another size";
	/* a look at all rows takes long: of large tables some are enough */
	step = head->rows / 32 + 1;
	for (page = 0; page < head->pages && !wrong; page++) {
		at = head->begin + page * (u64)GAPP_TABLE_PAGE;
		for (i = table.first[page]; i < table.first[page + 1] && !wrong; i += step) {
			wrong = check_address(&table, head, at + table.rows[i].low - 1);
			if (!wrong)
				wrong = check_address(&table, head, at + table.rows[i].low);
			if (!wrong)
				wrong = check_address(&table, head, at + table.rows[i].low + 1);
		}
		if (!wrong)
			wrong = check_address(&table, head, at + GAPP_TABLE_PAGE - 1);
		if (!wrong)
			wrong = check_address(&table, head, at + GAPP_TABLE_PAGE);
	}
	if (!wrong)
		wrong = check_address(&table, head, 0);
	return wrong ? wrong : check_address(&table, head, ~0ULL);
}

u64 table_make(void *data, u64 *random, u32 max_rows)
{
	struct gapp_table_head *head = data;
	struct gapp_rule *rules = (struct gapp_rule *)(head + 1);
	u32 page, i, rows, low, left, *first;
	struct gapp_row *row;

	memset(head, 0, sizeof(*head));
	head->magic = GAPP_TABLE_MAGIC;
	head->version = GAPP_TABLE_VERSION;
	head->arch = GAPP_ARCH_X86_64;
	head->rules = 1 + random_below(random, RULES);
	head->pages = 1 + random_below(random, 4);
	head->begin = random_below(random, 1 << 20) * GAPP_TABLE_PAGE;
	for (i = 0; i < head->rules; i++)
		rules[i] = (struct gapp_rule){ .cfa = GAPP_CFA_SP, .cfa_offset = i };
	first = (u32 *)(rules + head->rules);
	row = (struct gapp_row *)(first + head->pages + 1);
	for (page = 0; page < head->pages; page++) {
		first[page] = head->rows;
		left = (max_rows - head->rows) / (head->pages - page);
		rows = 1 + random_below(random, random_below(random, 2) ? 12 : left);
		if (rows > left)
			rows = left;
		low = 0;
		for (i = 0; i < rows; i++) {
			row->low = low;
			row->rule = random_below(random, head->rules);
			row++;
			low += 1 + random_below(random, 2 * 65535 / rows);
			if (low > 65535) {
				i++;
				break;
			}
		}
		head->rows += i;
	}
	first[page] = head->rows;
	return gapp_table_bytes(head);
}
