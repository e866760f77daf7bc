// SPDX-License-Identifier: GPL-2.0
#include "spin_table_check.h"

#include "random.h"
#include "spin_location_check.h"

/* Whether an address is in one of the ranges, by a look at all of them. */
static bool is_in_a_range(const struct gapp_spin_range *ranges, u32 count, u64 address)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (address >= ranges[i].begin && address - ranges[i].begin < ranges[i].bytes)
			return true;
	return false;
}

/* Exits by the ABI's words. */
static bool exits_are_good(const struct gapp_spin_head *head, const struct gapp_spin_exit *exits)
{
	const struct gapp_spin_range *ranges = (const struct gapp_spin_range *)(head + 1);
	u32 i;

	for (i = 0; i < head->exits; i++) {
		const struct gapp_spin_exit *exit = &exits[i];

		if (exit->condition >= 16 || exit->stays < 1 || exit->stays > 3 || exit->reserved)
			return false;
		if (!is_in_a_range(ranges, head->ranges, exit->address))
			return false;
		if (i &&
		    (exits[i - 1].loop > exit->loop ||
		     (exits[i - 1].loop == exit->loop && exits[i - 1].address >= exit->address)))
			return false;
	}
	return true;
}

/* A valid table by the ABI's words, without arithmetic that can wrap. */
static bool is_valid(const void *data, u64 bytes)
{
	const struct gapp_spin_head *head = data;
	const struct gapp_spin_range *range = (const struct gapp_spin_range *)(head + 1);
	const struct gapp_spin_location *location;
	struct gapp_spin_head must = { .magic = GAPP_SPIN_MAGIC };
	__uint128_t end = 0;
	u32 i;

	if (bytes < sizeof(*head))
		return false;
	must.version = head->version;
	must.arch = head->arch;
	must.ranges = head->ranges;
	must.locations = head->locations;
	must.exits = head->exits;
	if (memcmp(head, &must, sizeof(must)))
		return false;
	/* nobody minds if a location of version 2 says what is compared */
	switch (head->version) {
	case 1:
		if (head->locations || head->exits)
			return false;
		break;
	case 2:
	case 3:
		if (head->exits)
			return false;
		break;
	case 4:
		break;
	default:
		return false;
	}
	if (head->arch != GAPP_ARCH_X86_64 && head->arch != GAPP_ARCH_AARCH64)
		return false;
	if (!head->ranges || head->ranges > GAPP_SPIN_MAX_RANGES)
		return false;
	if (head->locations > GAPP_SPIN_MAX_LOCATIONS || head->exits > GAPP_SPIN_MAX_EXITS)
		return false;
	if (bytes - sizeof(*head) !=
	    (__uint128_t)head->ranges * sizeof(*range) +
		    (__uint128_t)head->locations * sizeof(*location) +
		    (__uint128_t)head->exits * sizeof(struct gapp_spin_exit))
		return false;
	for (i = 0; i < head->ranges; i++, range++) {
		if (!range->bytes || (range->flags != 0 && range->flags != 1 && range->flags != 3))
			return false;
		if (range->location > head->locations)
			return false;
		if (range->begin < end)
			return false;
		end = (__uint128_t)range->begin + range->bytes;
		if (end > ~0ULL)
			return false;
	}
	location = (const struct gapp_spin_location *)range;
	for (i = 0; i < head->locations; i++)
		if (!spin_location_is_good(&location[i]))
			return false;
	return exits_are_good(head, (const struct gapp_spin_exit *)&location[head->locations]);
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

static bool is_deep(const struct gapp_spin_table *table)
{
	u32 i, flags = 0;

	for (i = 0; i < table->count; i++)
		flags |= table->ranges[i].flags;
	return flags / 2 % 2;
}

static bool is_found(const struct gapp_spin_table *table, u64 address)
{
	return gapp_spin_table_find(table, address) == find(table, address);
}

/* A range's location is the one that the ABI's words say, and gives the right address. */
static const char *location_check(const struct gapp_spin_table *table,
				  const struct gapp_spin_range *range, u64 seed)
{
	const u8 *locations = (const u8 *)(table->ranges + table->count);
	const struct gapp_spin_location *location = gapp_spin_table_location(table, range);

	if (!range->location)
		return location ? "a location of a range that has none" : NULL;
	if ((const u8 *)location != locations + (range->location - 1) * sizeof(*location))
		return "another location";
	return spin_location_check(location, seed);
}

/* The exits of the first loop that has one in the range of @address. */
static const char *exits_check(const struct gapp_spin_table *table, u64 address)
{
	const struct gapp_spin_range *range = find(table, address);
	u32 i, first = 0, count = 0, found, got;

	for (i = 0; range && i < table->exit_count && !count; i++)
		if (table->exits[i].address >= range->begin &&
		    table->exits[i].address - range->begin < range->bytes)
			count = 1;
	if (count) {
		const u32 loop = table->exits[i - 1].loop;

		for (i = 0, count = 0; i < table->exit_count; i++) {
			if (table->exits[i].loop != loop)
				continue;
			first = count ? first : i;
			count++;
		}
	}
	found = gapp_spin_table_exits(table, address, &got);
	return got != count || (count && found != first) ? "other exits of a loop" : NULL;
}

const char *spin_table_check(const void *data, u64 bytes, u64 address)
{
	const struct gapp_spin_head *head = data;
	const struct gapp_spin_range *range;
	const bool valid = is_valid(data, bytes);
	struct gapp_spin_table table;
	const char *wrong;
	u32 i, step;

	if (gapp_spin_table_open(&table, data, bytes) != valid)
		return valid ? "a good table is refused" : "a bad table is opened";
	if (!valid)
		return NULL;
	if (gapp_spin_table_bytes(head) != bytes || table.count != head->ranges ||
	    table.location_count != head->locations || table.exit_count != head->exits)
		return "a table of another size";
	if (gapp_spin_table_is_deep(&table) != is_deep(&table))
		return "another answer whether any range is deep";
	/* a look at all ranges takes long: of large tables some are enough */
	step = table.count / 64 + 1;
	for (i = 0; i < table.count; i += step) {
		range = &table.ranges[i];
		if (!is_found(&table, range->begin - 1) || !is_found(&table, range->begin) ||
		    !is_found(&table, range->begin + range->bytes / 2) ||
		    !is_found(&table, range->begin + range->bytes - 1) ||
		    !is_found(&table, range->begin + range->bytes))
			return "another range at an edge";
		wrong = location_check(&table, range, address + i) ?:
				exits_check(&table, range->begin);
		if (wrong)
			return wrong;
	}
	if (!is_found(&table, 0) || !is_found(&table, ~0ULL) || !is_found(&table, address))
		return "another range";
	wrong = exits_check(&table, address);
	range = gapp_spin_table_find(&table, address);
	return wrong || !range ? wrong : location_check(&table, range, address);
}

/* Exits of a few loops, in any ranges. Returns how many. */
static u32 make_exits(struct gapp_spin_exit *exits, const struct gapp_spin_range *ranges, u32 count,
		      u64 *random)
{
	const u32 most = random_below(random, SPIN_TABLE_MADE_EXITS + 1);
	u32 i, made = 0, loop = 0, at = 0;

	for (i = 0; i < most; i++) {
		if (random_below(random, 2)) {
			loop += 1 + random_below(random, 3);
			at = random_below(random, count);
		} else if (made) {
			at++;
		}
		if (at >= count)
			break;
		exits[made++] = (struct gapp_spin_exit){
			.address = ranges[at].begin + random_below(random, ranges[at].bytes),
			.loop = loop,
			.condition = random_below(random, 16),
			.stays = 1 + random_below(random, 3),
		};
	}
	return made;
}

u64 spin_table_make(void *data, u64 *random, u32 max_ranges, u32 max_locations)
{
	struct gapp_spin_head *head = data;
	struct gapp_spin_range *ranges = (struct gapp_spin_range *)(head + 1);
	struct gapp_spin_location *locations;
	struct gapp_spin_exit *exits;
	u32 i, shift = random_below(random, 30);
	u64 at, most;

	*head = (struct gapp_spin_head){
		.magic = GAPP_SPIN_MAGIC,
		.version = GAPP_SPIN_VERSION,
		.arch = GAPP_ARCH_X86_64,
		.ranges = 1 + random_below(random, max_ranges),
	};
	head->locations = random_below(random, max_locations + 1);
	/* an older version at times */
	if (!random_below(random, 4))
		head->version = head->locations ? 2 + random_below(random, 2) :
						  1 + random_below(random, 3);
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
		/* in few tables any is deep */
		ranges[i].flags = random_below(random, 64) ? random_below(random, 2) : 3;
		ranges[i].location = random_below(random, head->locations + 1);
		at += ranges[i].bytes;
	}
	locations = (struct gapp_spin_location *)&ranges[head->ranges];
	for (i = 0; i < head->locations; i++) {
		spin_location_make(&locations[i], random);
		if (head->version >= 3)
			continue;
		locations[i].goes_on = 0;
		locations[i].bytes = 0;
		locations[i].with = 0;
		locations[i].number = 0;
	}
	exits = (struct gapp_spin_exit *)&locations[head->locations];
	if (head->version == GAPP_SPIN_VERSION)
		head->exits = make_exits(exits, ranges, head->ranges, random);
	return sizeof(*head) + head->ranges * sizeof(*ranges) +
	       head->locations * sizeof(*locations) + head->exits * sizeof(*exits);
}
