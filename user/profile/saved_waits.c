// SPDX-License-Identifier: GPL-2.0
/* Waits in a recording's file: objects, sites, who woke whom, and what was left out. */
#include "callpath/saved_paths.h"
#include "profile_private.h"
#include "saved_numbers.h"
#include "saved_waits.h"

#define COUNT_MAX 0x100000000000000ULL

static void pack_sums(struct pack *pack, const struct wait_sums *sums)
{
	pack_double(pack, sums->critical);
	pack_u64(pack, sums->idle_ns);
	pack_u64(pack, sums->waited_ns);
	pack_u64(pack, sums->waits);
}

static void unpack_sums(struct unpack *unpack, struct wait_sums *sums)
{
	sums->critical = unpack_double(unpack);
	sums->idle_ns = unpack_u64(unpack);
	sums->waited_ns = unpack_u64(unpack);
	sums->waits = unpack_most(unpack, COUNT_MAX);
}

static const char *text_of(const struct all_waits *waits, u32 name)
{
	return name < waits->names.index.count ? waits->names.texts[name] : NULL;
}

static void save_counts(const struct all_waits *waits, struct blocks_writer *writer)
{
	struct pack *pack;
	u64 open = 0;

	for (u32 i = 0; waits->all && i < waits->threads.index.count; i++)
		open += waits->threads.rows[i].site != HASH_NONE;
	blocks_section(writer, BLOCK_WAIT_COUNTS);
	pack = blocks_item(writer);
	pack_u64(pack, waits->all);
	pack_u64(pack, waits->without_room);
	pack_u64(pack, waits->not_looked_up);
	pack_u64(pack, waits->cut + open);
	pack_u64(pack, waits->left_out);
	blocks_item_end(writer);
}

/* Kinds of interrupts as BLOCK_WAKER_PATHS has them: the numbers are part of the format. */
enum more_of_pair {
	MORE_NONE,
	MORE_TIMER,
	MORE_DISK,
	MORE_NETWORK,
	MORE_KINDS,
};

static enum more_of_pair more_of(u32 waker)
{
	switch (waker) {
	case WAKER_TIMER:
		return MORE_TIMER;
	case WAKER_DISK:
		return MORE_DISK;
	case WAKER_NETWORK:
		return MORE_NETWORK;
	default:
		return MORE_NONE;
	}
}

/* Readers before format 1.4 know all of BLOCK_WAKERS, and none of this. */
static void save_waker_paths(const struct all_waits *waits, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_WAKER_PATHS);
	for (u32 i = 0; i < waits->pairs.index.count; i++) {
		const struct wait_pair_key *key = &waits->pairs.rows[i].key;
		enum more_of_pair kind = more_of(key->waker);
		struct pack *pack;

		if (!kind && key->from == STACK_NONE)
			continue;
		pack = blocks_item(writer);
		pack_u64(pack, i);
		pack_u64(pack, kind);
		pack_u64(pack, key->from);
		blocks_item_end(writer);
	}
}

static void save_spins(const struct all_waits *waits, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_SPINS);
	for (u32 i = 0; i < waits->objects.index.count; i++) {
		const struct spin_sums *sums = &waits->objects.rows[i].spins;
		struct pack *pack;

		if (!sums->spins)
			continue;
		pack = blocks_item(writer);
		pack_u64(pack, i);
		pack_u64(pack, sums->spins);
		pack_u64(pack, sums->spun_ns);
		pack_u64(pack, sums->vain);
		pack_u64(pack, sums->vain_ns);
		pack_u64(pack, sums->slept_ns);
		pack_u64(pack, sums->seen_ns);
		pack_u64(pack, sums->starved_ns);
		blocks_item_end(writer);
	}
}

static void pack_delays(struct pack *pack, const struct spin_delays *delays)
{
	pack_u64(pack, delays->ends);
	pack_u64(pack, delays->sum_ns);
	pack_u64(pack, delays->squares_us);
}

/* In a section of their own, for files of minor version 9 have rows of spins without. */
static void save_delays(const struct all_waits *waits, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_SPIN_DELAYS);
	for (u32 i = 0; i < waits->objects.index.count; i++) {
		const struct spin_sums *sums = &waits->objects.rows[i].spins;
		struct pack *pack;

		if (!sums->near.ends && !sums->far.ends)
			continue;
		pack = blocks_item(writer);
		pack_u64(pack, i);
		pack_delays(pack, &sums->near);
		pack_delays(pack, &sums->far);
		blocks_item_end(writer);
	}
}

void waits_save(const struct all_waits *waits, struct blocks_writer *writer)
{
	save_counts(waits, writer);
	blocks_section(writer, BLOCK_WAIT_OBJECTS);
	for (u32 i = 0; i < waits->objects.index.count; i++) {
		const struct wait_object *object = &waits->objects.rows[i];
		struct pack *pack = blocks_item(writer);

		pack_u64(pack, object->key.kind);
		pack_u64(pack, object->key.image);
		pack_u64(pack, object->key.words[0]);
		pack_u64(pack, object->key.words[1]);
		pack_s64(pack, object->tgid);
		pack_text(pack, text_of(waits, wait_object_name(object)));
		pack_sums(pack, &object->sums);
		blocks_item_end(writer);
	}
	blocks_section(writer, BLOCK_WAIT_SITES);
	for (u32 i = 0; i < waits->sites.index.count; i++) {
		const struct wait_site *site = &waits->sites.rows[i];
		struct pack *pack = blocks_item(writer);

		pack_u64(pack, site->key.object);
		pack_u64(pack, site->key.stack);
		pack_u64(pack, site->key.wait);
		pack_sums(pack, &site->sums);
		blocks_item_end(writer);
	}
	blocks_section(writer, BLOCK_HOLDERS);
	for (u32 i = 0; i < waits->holders.holds.index.count; i++) {
		const struct lock_hold *hold = &waits->holders.holds.rows[i];
		struct pack *pack = blocks_item(writer);

		pack_u64(pack, hold->key.object);
		pack_u64(pack, hold->key.stack);
		pack_u64(pack, hold->key.critical);
		pack_u64(pack, hold->holds);
		pack_u64(pack, hold->own_ns);
		pack_u64(pack, hold->own_few_ns);
		pack_u64(pack, hold->seen_ns);
		pack_u64(pack, hold->seen_few_ns);
		pack_u64(pack, hold->waits);
		pack_u64(pack, hold->waited_ns);
		pack_double(pack, hold->critical);
		blocks_item_end(writer);
	}
	blocks_section(writer, BLOCK_WAKERS);
	for (u32 i = 0; i < waits->pairs.index.count; i++) {
		const struct wait_pair *pair = &waits->pairs.rows[i];
		struct pack *pack = blocks_item(writer);

		pack_u64(pack, pair->key.site);
		pack_text(pack, text_of(waits, pair->key.waiter));
		pack_u64(pack, waker_is_interrupt(pair->key.waker));
		pack_text(pack, text_of(waits, pair->key.waker));
		pack_u64(pack, pair->waits);
		pack_u64(pack, pair->waited_ns);
		for (u32 step = 0; step < WAIT_STEPS; step++)
			pack_u64(pack, pair->steps[step]);
		blocks_item_end(writer);
	}
	save_waker_paths(waits, writer);
	save_spins(waits, writer);
	save_delays(waits, writer);
}

/**
 * struct more - what BLOCK_WAKER_PATHS says of a pair
 * @kind: enum more_of_pair
 * @known: it says something
 * @from: id of the waker's call path, or STACK_NONE
 */
struct more {
	u32 kind;
	bool known;
	u32 from;
};

/**
 * struct reading - waits that are being read
 * @objects: number now of each object in the file; HASH_NONE: it was left out
 * @sites: number now of each site in the file
 * @more: by number of a pair in the file
 * @image: added to numbers of address spaces
 * @former_objects: objects of files that were read before
 * @former_sites: sites of these
 * @former_holds: holds of these
 * @former_pairs: pairs of these
 * @any: the file has waits
 */
struct reading {
	struct all_waits *waits;
	struct profile *profile;
	const struct saved_paths *paths;
	struct numbers objects;
	struct numbers sites;
	struct more *more;
	u32 more_room;
	u32 image;
	u32 former_objects;
	u32 former_sites;
	u32 former_holds;
	u32 former_pairs;
	bool any;
};

static void add_sums(struct wait_sums *sums, const struct wait_sums *more)
{
	sums->critical += more->critical;
	sums->idle_ns += more->idle_ns;
	sums->waited_ns += more->waited_ns;
	sums->waits += more->waits;
}

/* Sets @name to the number of the next text; HASH_NONE: there is none. 0, or -1 without memory. */
static int unpack_name(struct all_waits *waits, struct unpack *unpack, u32 *name)
{
	_cleanup_free_ char *text = unpack_text(unpack);

	*name = HASH_NONE;
	if (!text || !*text || waits->names.index.count >= WAIT_NAMES_MAX)
		return 0;
	*name = texts_number(&waits->names, text);
	return *name == HASH_NONE ? -1 : 0;
}

static int take_counts(void *context, _unused_ u64 first, _unused_ u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct all_waits *waits = reading->waits;
	bool all;

	all = unpack_most(unpack, 1);
	waits->without_room += unpack_most(unpack, COUNT_MAX);
	waits->not_looked_up += unpack_most(unpack, COUNT_MAX);
	waits->cut += unpack_most(unpack, COUNT_MAX);
	if (unpack_more(unpack))
		waits->left_out += unpack_most(unpack, COUNT_MAX);
	if (unpack->failed)
		return 0;
	/* with those of another file, there is all only where both have all */
	waits->all = reading->profile->waits && !reading->any ? waits->all && all : all;
	reading->any = true;
	reading->profile->waits = waits;
	return 0;
}

static int take_objects(void *context, u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct all_waits *waits = reading->waits;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct wait_object object = { 0 };
		u32 id;

		object.key.kind = unpack_most(unpack, WAIT_ON_KINDS - 1);
		object.key.image = unpack_most(unpack, UINT32_MAX);
		object.key.words[0] = unpack_u64(unpack);
		object.key.words[1] = unpack_u64(unpack);
		if (object.key.image)
			object.key.image += reading->image;
		object.tgid = unpack_s64(unpack);
		if (unpack_name(waits, unpack, &object.name))
			return -1;
		object.usual_name = HASH_NONE;
		unpack_sums(unpack, &object.sums);
		if (first + i >= WAIT_OBJECTS_MAX || !unpack_keep(unpack, sizeof(object)))
			unpack->failed = true;
		if (unpack->failed)
			return 0;
		id = keyed_find(&waits->objects, &object.key);
		if (id < reading->former_objects) {
			add_sums(&waits->objects.rows[id].sums, &object.sums);
			if (set_number(&reading->objects, first + i, id))
				return -1;
			continue;
		}
		if (id != HASH_NONE)
			continue;
		id = keyed_add(&waits->objects, &object.key);
		if (id == HASH_NONE || set_number(&reading->objects, first + i, id))
			return -1;
		waits->objects.rows[id] = object;
	}
	return 0;
}

/* A path that is missing is none. Returns 0, or -1 without memory. */
static int find_stack(struct reading *reading, u32 *stack)
{
	struct profile *profile = reading->profile;
	const struct call_path *path = *stack < STACK_LOST ? saved_path(reading->paths, *stack) :
							     NULL;

	if (!path) {
		*stack = STACK_NONE;
		return 0;
	}
	*stack = path->id;
	if (*stack < profile->seen_room && profile->seen[*stack])
		return 0;
	if (profile_see(profile, path))
		return -1;
	/* the file has the count */
	profile->stack_count--;
	return 0;
}

static int take_sites(void *context, u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct all_waits *waits = reading->waits;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct wait_site site = { 0 };
		u32 id;

		site.key.object = number_now(&reading->objects, unpack_u64(unpack));
		site.key.stack = unpack_most(unpack, UINT32_MAX);
		site.key.wait = unpack_most(unpack, GAPP_WAIT_REASONS - 1);
		unpack_sums(unpack, &site.sums);
		if (first + i >= WAIT_SITES_MAX || !unpack_keep(unpack, sizeof(site)))
			unpack->failed = true;
		if (unpack->failed)
			return 0;
		if (site.key.object == HASH_NONE)
			continue;
		if (find_stack(reading, &site.key.stack))
			return -1;
		id = keyed_find(&waits->sites, &site.key);
		if (id == HASH_NONE) {
			id = keyed_add(&waits->sites, &site.key);
			if (id == HASH_NONE)
				return -1;
			waits->sites.rows[id] = site;
		} else if (id < reading->former_sites) {
			add_sums(&waits->sites.rows[id].sums, &site.sums);
		}
		if (set_number(&reading->sites, first + i, id))
			return -1;
	}
	return 0;
}

static void add_hold(struct lock_hold *hold, const struct lock_hold *more)
{
	hold->holds += more->holds;
	hold->own_ns += more->own_ns;
	hold->own_few_ns += more->own_few_ns;
	hold->seen_ns += more->seen_ns;
	hold->seen_few_ns += more->seen_few_ns;
	hold->waits += more->waits;
	hold->waited_ns += more->waited_ns;
	hold->critical += more->critical;
}

static int take_holders(void *context, u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct all_waits *waits = reading->waits;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct lock_hold hold = { 0 };
		u32 id;

		hold.key.object = number_now(&reading->objects, unpack_u64(unpack));
		hold.key.stack = unpack_most(unpack, UINT32_MAX);
		hold.key.critical = unpack_most(unpack, 1);
		hold.holds = unpack_most(unpack, COUNT_MAX);
		hold.own_ns = unpack_most(unpack, COUNT_MAX);
		hold.own_few_ns = unpack_most(unpack, COUNT_MAX);
		hold.seen_ns = unpack_most(unpack, COUNT_MAX);
		hold.seen_few_ns = unpack_most(unpack, COUNT_MAX);
		hold.waits = unpack_most(unpack, COUNT_MAX);
		hold.waited_ns = unpack_u64(unpack);
		hold.critical = unpack_double(unpack);
		if (first + i >= LOCK_HOLDS_MAX || !unpack_keep(unpack, sizeof(hold)))
			unpack->failed = true;
		if (unpack->failed)
			return 0;
		if (hold.key.object == HASH_NONE)
			continue;
		if (find_stack(reading, &hold.key.stack))
			return -1;
		id = keyed_find(&waits->holders.holds, &hold.key);
		if (id < reading->former_holds)
			add_hold(&waits->holders.holds.rows[id], &hold);
		if (id != HASH_NONE)
			continue;
		id = keyed_add(&waits->holders.holds, &hold.key);
		if (id == HASH_NONE)
			return -1;
		waits->holders.holds.rows[id] = hold;
	}
	return 0;
}

static int take_spins(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		u32 object = number_now(&reading->objects, unpack_u64(unpack));
		struct spin_sums sums = { 0 };

		sums.spins = unpack_most(unpack, COUNT_MAX);
		sums.spun_ns = unpack_most(unpack, COUNT_MAX);
		sums.vain = unpack_most(unpack, sums.spins);
		sums.vain_ns = unpack_most(unpack, sums.spun_ns);
		sums.slept_ns = unpack_most(unpack, COUNT_MAX);
		sums.seen_ns = unpack_most(unpack, sums.spun_ns);
		sums.starved_ns = unpack_most(unpack, sums.seen_ns);
		if (unpack->failed)
			return 0;
		if (object < reading->former_objects)
			spin_sums_add(&reading->waits->objects.rows[object].spins, &sums);
		else if (object != HASH_NONE)
			reading->waits->objects.rows[object].spins = sums;
	}
	return 0;
}

static void unpack_delays(struct unpack *unpack, struct spin_delays *delays)
{
	delays->ends = unpack_most(unpack, COUNT_MAX);
	delays->sum_ns = unpack_most(unpack, COUNT_MAX);
	delays->squares_us = unpack_u64(unpack);
}

/* Behind the spins, of which these are some. */
static int take_delays(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		u32 object = number_now(&reading->objects, unpack_u64(unpack));
		struct spin_sums sums = { 0 };

		unpack_delays(unpack, &sums.near);
		unpack_delays(unpack, &sums.far);
		if (unpack->failed)
			return 0;
		if (object != HASH_NONE)
			spin_sums_add(&reading->waits->objects.rows[object].spins, &sums);
	}
	return 0;
}

static int take_waker_paths(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		u64 pair = unpack_most(unpack, WAIT_PAIRS_MAX - 1);
		struct more more = { .known = true };

		more.kind = unpack_most(unpack, MORE_KINDS - 1);
		more.from = unpack_most(unpack, UINT32_MAX);
		if (unpack->failed)
			return 0;
		if (find_stack(reading, &more.from) ||
		    array_grow_zeroed(&reading->more, &reading->more_room, pair,
				      sizeof(*reading->more)))
			return -1;
		reading->more[pair] = more;
	}
	return 0;
}

/* What is known besides of pair number @pair, whose waker is an interrupt or not. */
static void add_more(const struct reading *reading, u64 pair, bool interrupt,
		     struct wait_pair_key *key)
{
	static const u32 wakers[MORE_KINDS] = {
		[MORE_NONE] = WAKER_INTERRUPT,
		[MORE_TIMER] = WAKER_TIMER,
		[MORE_DISK] = WAKER_DISK,
		[MORE_NETWORK] = WAKER_NETWORK,
	};
	struct more more = { .from = STACK_NONE };

	if (pair < reading->more_room && reading->more[pair].known)
		more = reading->more[pair];
	key->from = more.from;
	if (interrupt)
		key->waker = wakers[more.kind];
}

static void add_pair(struct wait_pair *pair, const struct wait_pair *more)
{
	pair->waits += more->waits;
	pair->waited_ns += more->waited_ns;
	for (u32 step = 0; step < WAIT_STEPS; step++)
		pair->steps[step] += more->steps[step];
}

static int take_wakers(void *context, u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct all_waits *waits = reading->waits;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct wait_pair pair = { 0 };
		bool interrupt;
		u32 id;

		pair.key.site = number_now(&reading->sites, unpack_u64(unpack));
		if (unpack_name(waits, unpack, &pair.key.waiter))
			return -1;
		interrupt = unpack_most(unpack, 1);
		if (unpack_name(waits, unpack, &pair.key.waker))
			return -1;
		add_more(reading, first + i, interrupt, &pair.key);
		pair.waits = unpack_most(unpack, COUNT_MAX);
		pair.waited_ns = unpack_u64(unpack);
		for (u32 step = 0; step < WAIT_STEPS; step++)
			pair.steps[step] = unpack_most(unpack, UINT32_MAX);
		if (first + i >= WAIT_PAIRS_MAX || !unpack_keep(unpack, sizeof(pair)))
			unpack->failed = true;
		if (unpack->failed)
			return 0;
		if (pair.key.site == HASH_NONE)
			continue;
		id = keyed_find(&waits->pairs, &pair.key);
		if (id < reading->former_pairs)
			add_pair(&waits->pairs.rows[id], &pair);
		if (id != HASH_NONE)
			continue;
		id = keyed_add(&waits->pairs, &pair.key);
		if (id == HASH_NONE)
			return -1;
		waits->pairs.rows[id] = pair;
	}
	return 0;
}

int waits_read(struct profile *profile, const struct saved_paths *paths, u32 image,
	       struct blocks *blocks)
{
	static const struct {
		enum block_type type;
		blocks_take_fn take;
	} sections[] = {
		{ BLOCK_WAIT_COUNTS, take_counts },
		{ BLOCK_WAIT_OBJECTS, take_objects },
		{ BLOCK_WAIT_SITES, take_sites },
		{ BLOCK_HOLDERS, take_holders },
		{ BLOCK_WAKER_PATHS, take_waker_paths },
		{ BLOCK_WAKERS, take_wakers },
		{ BLOCK_SPINS, take_spins },
		{ BLOCK_SPIN_DELAYS, take_delays },
	};
	struct all_waits *waits = profile->waits ?: calloc(1, sizeof(*waits));
	struct reading reading = {
		.waits = waits,
		.profile = profile,
		.paths = paths,
		.image = image,
	};
	int error = !waits;

	if (waits) {
		reading.former_objects = waits->objects.index.count;
		reading.former_sites = waits->sites.index.count;
		reading.former_holds = waits->holders.holds.index.count;
		reading.former_pairs = waits->pairs.index.count;
	}

	for (size_t i = 0; i < ARRAY_SIZE(sections) && !error; i++)
		error = blocks_each(blocks, sections[i].type, sections[i].take, &reading);
	if (profile->waits && !reading.any)
		profile->waits->all = false;
	free(reading.objects.now);
	free(reading.sites.now);
	free(reading.more);
	if (profile->waits != reading.waits)
		waits_free(reading.waits);
	return error;
}

bool waits_are_too_many(const struct all_waits *waits)
{
	return waits->objects.index.count > WAIT_OBJECTS_MAX ||
	       waits->sites.index.count > WAIT_SITES_MAX ||
	       waits->pairs.index.count > WAIT_PAIRS_MAX ||
	       waits->holders.holds.index.count > LOCK_HOLDS_MAX;
}
