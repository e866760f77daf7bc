// SPDX-License-Identifier: GPL-2.0
#include "spin_table_check.h"

#include "random.h"

/* A valid table by the ABI's words, without arithmetic that can wrap. */
static bool is_valid(const void *data, u64 bytes)
{
	const struct gapp_spin_head *head = data;
	const struct gapp_spin_range *range = (const struct gapp_spin_range *)(head + 1);
	struct gapp_spin_head must = { .magic = GAPP_SPIN_MAGIC, .version = GAPP_SPIN_VERSION };
	__uint128_t end = 0;
	u32 i;

	if (bytes < sizeof(*head))
		return false;
	must.arch = head->arch;
	must.ranges = head->ranges;
	if (memcmp(head, &must, sizeof(must)))
		return false;
	if (head->arch != GAPP_ARCH_X86_64 && head->arch != GAPP_ARCH_AARCH64)
		return false;
	if (!head->ranges || head->ranges > GAPP_SPIN_MAX_RANGES)
		return false;
	if (bytes - sizeof(*head) != (__uint128_t)head->ranges * sizeof(*range))
		return false;
	for (i = 0; i < head->ranges; i++, range++) {
		if (!range->bytes || (range->flags != 0 && range->flags != GAPP_SPIN_CALLS))
			return false;
		if (range->begin < end)
			return false;
		end = (__uint128_t)range->begin + range->bytes;
		if (end > ~0ULL)
			return false;
	}
	return true;
}

/* A look at every range. */
static const struct gapp_spin_range *find(const struct gapp_spin_table *table, u64 address)
{
	u32 i;

	for (i = 0; i < table->count; i++)
		if (address >= table->ranges[i].begin &&
		    address - table->ranges[i].begin < table->ranges[i].bytes)
			return &table->ranges[i];
	return NULL;
}

static bool is_found(const struct gapp_spin_table *table, u64 address)
{
	return gapp_spin_table_find(table, address) == find(table, address);
}

const char *spin_table_check(const void *data, u64 bytes, u64 address)
{
	const struct gapp_spin_head *head = data;
	const struct gapp_spin_range *range;
	const bool valid = is_valid(data, bytes);
	struct gapp_spin_table table;
	u32 i, step;

	if (gapp_spin_table_open(&table, data, bytes) != valid)
		return valid ? "a good table is refused" : "a bad table is opened";
	if (!valid)
		return NULL;
	if (gapp_spin_table_bytes(head) != bytes || table.count != head->ranges)
		return "a table of another size";
	/* a look at all ranges takes long: of large tables some are enough */
	step = table.count / 64 + 1;
	for (i = 0; i < table.count; i += step) {
		range = &table.ranges[i];
		if (!is_found(&table, range->begin - 1) || !is_found(&table, range->begin) ||
		    !is_found(&table, range->begin + range->bytes / 2) ||
		    !is_found(&table, range->begin + range->bytes - 1) ||
		    !is_found(&table, range->begin + range->bytes))
			return "another range at an edge";
	}
	if (!is_found(&table, 0) || !is_found(&table, ~0ULL) || !is_found(&table, address))
		return "another range";
	return NULL;
}

u64 spin_table_make(void *data, u64 *random, u32 max_ranges)
{
	struct gapp_spin_head *head = data;
	struct gapp_spin_range *ranges = (struct gapp_spin_range *)(head + 1);
	u32 i, shift = random_below(random, 30);
	u64 at, most;

	*head = (struct gapp_spin_head){
		.magic = GAPP_SPIN_MAGIC,
		.version = GAPP_SPIN_VERSION,
		.arch = GAPP_ARCH_X86_64,
		.ranges = 1 + random_below(random, max_ranges),
	};
	/* from 0 on, anywhere, or so high that they come near the end of addresses */
	most = head->ranges * (3ULL << shift);
	switch (random_below(random, 3)) {
	case 0:
		at = 0;
		break;
	case 1:
		at = random_next(random) >> 1;
		break;
	default:
		at = ~0ULL - most;
		break;
	}
	for (i = 0; i < head->ranges; i++) {
		/* at times no gap */
		if (random_below(random, 3))
			at += random_below(random, 2ULL << shift);
		ranges[i].begin = at;
		ranges[i].bytes = 1 + random_below(random, 1ULL << shift);
		ranges[i].flags = random_below(random, 2);
		at += ranges[i].bytes;
	}
	return sizeof(*head) + head->ranges * sizeof(*ranges);
}
