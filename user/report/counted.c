// SPDX-License-Identifier: GPL-2.0
#include "counted.h"

#include <string.h>

void counted_free(struct counted *counted)
{
	free(counted->threads);
	free(counted->cpus);
	counter_series_free(&counted->series);
	*counted = (struct counted){ 0 };
}

static void *copy_of(const void *from, size_t bytes)
{
	void *copy = malloc(bytes ?: 1);

	if (copy && bytes)
		memcpy(copy, from, bytes);
	return copy;
}

int counted_copy(struct counted *to, const struct counted *from)
{
	*to = *from;
	to->series = (struct counter_series){ 0 };
	to->threads = copy_of(from->threads, from->thread_count * sizeof(*from->threads));
	to->cpus = copy_of(from->cpus, from->cpu_count * sizeof(*from->cpus));
	if (to->threads && to->cpus && !counter_series_copy(&to->series, &from->series))
		return 0;
	counted_free(to);
	return -1;
}

void counted_save(const struct counted *counted, struct blocks_writer *writer)
{
	const struct tallies *asked = &counted->asked;
	struct pack *pack;

	blocks_section(writer, BLOCK_COUNTERS);
	pack = blocks_item(writer);
	pack_u64(pack, asked->asked_count);
	for (u32 i = 0; i < asked->asked_count; i++) {
		pack_u64(pack, asked->asked[i].source);
		pack_u64(pack, asked->asked[i].type);
		pack_u64(pack, asked->asked[i].config);
		pack_u64(pack, asked->asked[i].refused);
	}
	pack_u64(pack, asked->count);
	for (u32 i = 0; i < asked->count; i++) {
		const struct counter *counter = &asked->counters[i];

		pack_text(pack, counter->name);
		pack_u64(pack, counter->plus);
		pack_u64(pack, counter->minus == TALLY_NONE ? 0 : counter->minus + 1);
	}
	blocks_item_end(writer);
}

static bool is_named(const struct tallies *asked, const char *name)
{
	for (u32 i = 0; i < asked->count; i++)
		if (!strcmp(asked->counters[i].name, name))
			return true;
	return false;
}

/* Reports print it as it is. */
static bool is_name(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return len && !name[len] && len < COUNTER_NAME_SIZE;
}

static void unpack_counter(struct unpack *unpack, struct tallies *asked)
{
	_cleanup_free_ char *name = unpack_text(unpack);
	struct counter *counter = &asked->counters[asked->count];
	u32 plus = unpack_most(unpack, GAPP_TALLIES - 1);
	u32 minus = unpack_most(unpack, asked->asked_count);

	if (!name || !is_name(name) || is_named(asked, name) || plus >= asked->asked_count)
		unpack->failed = true;
	if (unpack->failed)
		return;
	strcpy(counter->name, name);
	counter->plus = plus;
	counter->minus = minus ? minus - 1 : TALLY_NONE;
	asked->count++;
}

static void unpack_asked(struct unpack *unpack, struct tallies *asked)
{
	u32 count = unpack_most(unpack, GAPP_TALLIES);

	while (asked->asked_count < count && !unpack->failed) {
		struct asked_tally *tally = &asked->asked[asked->asked_count++];

		tally->source = unpack_most(unpack, UINT32_MAX);
		tally->type = unpack_most(unpack, UINT32_MAX);
		tally->config = unpack_u64(unpack);
		tally->refused = unpack_most(unpack, TALLY_REFUSED_MAX);
	}
	count = unpack_most(unpack, GAPP_TALLIES);
	while (asked->count < count && !unpack->failed)
		unpack_counter(unpack, asked);
}

static int take(void *context, _unused_ u64 first, _unused_ u64 count, struct unpack *unpack)
{
	struct counted *counted = context;
	struct tallies asked = { 0 };

	/* there is one such block */
	if (counted->asked.count) {
		unpack->failed = true;
		return 0;
	}
	unpack_asked(unpack, &asked);
	if (!unpack->failed)
		counted->asked = asked;
	return 0;
}

int counted_read(struct blocks *blocks, struct counted *counted)
{
	if (blocks_each(blocks, BLOCK_COUNTERS, take, counted))
		return -1;
	return counter_series_read(&counted->series, blocks, tallies_number(&counted->asked));
}
