// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as an unwind table: it is refused, or every look-up stays in it and finds the rule that
 * a look at all rows finds. See tests/unit/core/table_check.h.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "table_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_BYTES 8192

/* Its sizes become those that the input has room for, or few inputs would get past the head. */
static void put_in_order(struct gapp_table_head *head, size_t size, u32 how)
{
	size_t left = size - sizeof(*head);
	u32 i, *first;

	head->magic = GAPP_TABLE_MAGIC;
	head->version = GAPP_TABLE_VERSION;
	head->arch = 1 + head->arch % 2;
	head->reserved0 = 0;
	memset(head->reserved, 0, sizeof(head->reserved));
	head->rules = 1 + head->rules % 16;
	head->pages = 1 + head->pages % 4;
	head->begin = head->begin << 16 >> 8;
	if (left < head->rules * 16 + head->pages * 8 + 4)
		return;
	first = (u32 *)((struct gapp_rule *)(head + 1) + head->rules);
	head->rows = (left - head->rules * 16 - head->pages * 4 - 4) / 4;
	if (how & 1)
		return;
	first[0] = 0;
	for (i = 1; i < head->pages; i++)
		first[i] = first[i - 1] + 1 + first[i] % 16;
	first[head->pages] = head->rows;
}

/* Rules and rows too. */
static void put_rest_in_order(struct gapp_table_head *head, size_t size, u32 how)
{
	struct gapp_rule *rules = (struct gapp_rule *)(head + 1);
	u32 *first = (u32 *)(rules + head->rules);
	struct gapp_row *rows = (struct gapp_row *)(first + head->pages + 1);
	u32 i, page;

	if (gapp_table_bytes(head) != size || (how & 1) || first[head->pages - 1] >= head->rows)
		return;
	for (i = 0; i < head->rules; i++) {
		rules[i].cfa = GAPP_CFA_SP + rules[i].cfa % (GAPP_CFA_KINDS - GAPP_CFA_SP);
		rules[i].fp %= GAPP_FP_KINDS;
		rules[i].ra %= GAPP_RA_KINDS;
		rules[i].number = rules[i].cfa == GAPP_CFA_REGISTER ? rules[i].number % 33 : 0;
	}
	for (i = 0; i < head->rows; i++) {
		rows[i].low = i ? rows[i - 1].low + 1 + rows[i].low % 64 : 0;
		rows[i].rule %= head->rules;
	}
	for (page = 0; page < head->pages; page++)
		rows[first[page]].low = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u64 *table, how;
	const char *wrong;
	size_t bytes;

	if (size < 1 + sizeof(struct gapp_table_head) || size > MAX_BYTES)
		return 0;
	how = data[0];
	bytes = how & 8 ? size - 1 : (size - 1) / 4 * 4;
	/* no byte more, so that a sanitizer sees a look behind it */
	table = malloc(bytes);
	if (!table)
		abort();
	memcpy(table, data + 1, bytes);
	if (how & 6)
		put_in_order((struct gapp_table_head *)table, bytes, how);
	if (how & 4)
		put_rest_in_order((struct gapp_table_head *)table, bytes, how);
	wrong = table_check(table, bytes, false);
	free(table);
	if (!wrong)
		return 0;
	fprintf(stderr, "step 0: %s\n", wrong);
	abort();
}
