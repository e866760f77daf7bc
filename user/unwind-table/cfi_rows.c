// SPDX-License-Identifier: GPL-2.0
#include "cfi_rows.h"

/* Code between two descriptions that is shorter than this belongs to what is before it. */
#define HOLE_MIN 16
/* Addresses from here on are no process's. */
#define ADDRESS_MAX 0x4000000000000000ULL
/* Pages are begun, whatever the number of rows. */
#define ROWS_MAX (GAPP_TABLE_MAX_ROWS - GAPP_TABLE_MAX_PAGES)

/* The first rules of every table. */
enum { RULE_GAP, RULE_NONE };

static bool is_same_rule(const void *table, u32 id, const void *key)
{
	return !memcmp((const struct gapp_rule *)table + id, key, sizeof(struct gapp_rule));
}

/* The number of a rule; one more than there may be becomes that which says nothing. */
static int number_of(struct cfi_rows *rows, const struct gapp_rule *rule, u32 *number)
{
	u32 words[sizeof(*rule) / sizeof(u32)];
	u64 hash;

	memcpy(words, rule, sizeof(words));
	hash = hash_words(0, words, ARRAY_SIZE(words));
	*number = hash_index_find(&rows->index, hash, is_same_rule, rows->rules, rule);
	if (*number != HASH_NONE)
		return 0;
	*number = RULE_NONE;
	if (rows->rule_count == GAPP_TABLE_MAX_RULES)
		return 0;
	if (array_grow(&rows->rules, &rows->rule_room, rows->rule_count, sizeof(*rule)) ||
	    hash_index_add(&rows->index, hash, rows->rule_count))
		return -1;
	*number = rows->rule_count;
	rows->rules[rows->rule_count++] = *rule;
	return 0;
}

static int begin_table(struct cfi_rows *rows, u64 address)
{
	static const struct gapp_rule gap = { .cfa = GAPP_CFA_GAP },
				      none = { .cfa = GAPP_CFA_NONE };
	u32 number;

	if (number_of(rows, &gap, &number) || number_of(rows, &none, &number))
		return -1;
	rows->begin = address - address % GAPP_TABLE_PAGE;
	rows->end = rows->begin;
	rows->last = RULE_GAP;
	return 0;
}

static int put_row(struct cfi_rows *rows, u16 low, u32 rule)
{
	if (array_grow(&rows->rows, &rows->row_room, rows->row_count, sizeof(*rows->rows)))
		return -1;
	rows->rows[rows->row_count++] = (struct gapp_row){ .low = low, .rule = rule };
	return 0;
}

/* Begins all pages up to that of @address, with the rule that holds in them. */
static int reach_page(struct cfi_rows *rows, u64 address)
{
	u32 page = (address - rows->begin) / GAPP_TABLE_PAGE;

	while (rows->pages <= page) {
		if (array_grow(&rows->first, &rows->page_room, rows->pages, sizeof(u32)) ||
		    put_row(rows, 0, rows->last))
			return -1;
		rows->first[rows->pages++] = rows->row_count - 1;
	}
	return 0;
}

/* From @address on rule number @rule holds. */
static int change(struct cfi_rows *rows, u64 address, u32 rule)
{
	u16 low = address % GAPP_TABLE_PAGE;

	if (rows->row_count >= ROWS_MAX)
		rule = RULE_NONE;
	if (reach_page(rows, address))
		return -1;
	if (rule == rows->last)
		return 0;
	rows->last = rule;
	if (low)
		return put_row(rows, low, rule);
	rows->rows[rows->row_count - 1].rule = rule;
	return 0;
}

int cfi_rows_add(struct cfi_rows *rows, u64 begin, u64 end, const struct gapp_rule *rule)
{
	u32 number;
	u64 limit;

	if (begin >= ADDRESS_MAX)
		return 0;
	if (!rows->rule_count && begin_table(rows, begin))
		return -1;
	limit = rows->begin + (u64)GAPP_TABLE_MAX_PAGES * GAPP_TABLE_PAGE;
	if (end > limit)
		end = limit;
	if (begin >= end)
		return 0;
	if (number_of(rows, rule, &number))
		return -1;
	if (begin - rows->end >= HOLE_MIN && change(rows, rows->end, RULE_GAP))
		return -1;
	if (change(rows, begin, number) || reach_page(rows, end - 1))
		return -1;
	rows->end = end;
	return 0;
}

static void copy_table(const struct cfi_rows *rows, struct gapp_table_head *head)
{
	struct gapp_rule *rules = (struct gapp_rule *)(head + 1);
	u32 *first = (u32 *)(rules + head->rules);

	memcpy(rules, rows->rules, head->rules * sizeof(*rules));
	memcpy(first, rows->first, head->pages * sizeof(*first));
	first[head->pages] = head->rows;
	memcpy(first + head->pages + 1, rows->rows, head->rows * sizeof(*rows->rows));
}

struct gapp_table_head *cfi_rows_finish(struct cfi_rows *rows, enum gapp_arch arch, size_t *bytes)
{
	struct gapp_table_head *head;

	*bytes = 0;
	if (!rows->rule_count || !rows->row_count)
		return NULL;
	*bytes = sizeof(*head) + rows->rule_count * sizeof(*rows->rules) +
		 (rows->pages + 1) * sizeof(*rows->first);
	/* what is behind the last rule has none; nor has it a page of its own */
	if (rows->end % GAPP_TABLE_PAGE && change(rows, rows->end, RULE_GAP))
		return NULL;
	*bytes += rows->row_count * sizeof(*rows->rows);
	head = calloc(1, *bytes);
	if (!head)
		return NULL;
	*head = (struct gapp_table_head){
		.magic = GAPP_TABLE_MAGIC,
		.version = GAPP_TABLE_VERSION,
		.arch = arch,
		.rules = rows->rule_count,
		.pages = rows->pages,
		.rows = rows->row_count,
		.begin = rows->begin,
	};
	copy_table(rows, head);
	return head;
}

void cfi_rows_free(struct cfi_rows *rows)
{
	free(rows->rules);
	free(rows->rows);
	free(rows->first);
	hash_index_free(&rows->index);
	*rows = (struct cfi_rows){ 0 };
}
