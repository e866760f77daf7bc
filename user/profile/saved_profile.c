// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a profile from a recording's file. The file may be damaged or made up: what makes no sense,
 * or belongs to something that is missing, is left out.
 */
#include "saved_profile.h"

#include "profile_private.h"
#include "saved_numbers.h"
#include "saved_waits.h"

/* Bits of a tally's @what below TALLY_WHAT. */
#define WHAT_BITS (~TALLY_WHAT)
/* The step of the longest time. */
#define STEP_MAX 488
/* The largest number that a tally keeps of where in the kernel time was. */
#define IN_MAX 0xffff
/* Above all counts; sums of these do not overflow. Shares and nanoseconds may have any value. */
#define COUNT_MAX 0x100000000000000ULL

/**
 * struct reading - a profile that is being read
 * @paths: call paths of the file
 * @cells: numbers of cells
 * @entries: numbers of entries
 * @sets: numbers of sets
 * @former_cells: cells of files that were read before
 * @former_entries: entries of these
 * @former_tallies: tallies of these
 * @shift: what becomes of numbers
 * @attributed: critical share of slices, by the file's totals
 * @waited_ns: nanoseconds of waits, by the file's totals
 * @found: critical share of slices in the file's cells
 * @found_ns: nanoseconds of waits in these
 */
struct reading {
	struct profile *profile;
	const struct saved_paths *paths;
	struct numbers cells;
	struct numbers entries;
	struct numbers sets;
	u32 former_cells;
	u32 former_entries;
	u32 former_tallies;
	const struct profile_shift *shift;
	u64 attributed;
	u64 waited_ns;
	u64 found;
	u64 found_ns;
};

/* Time of the longest recording is near the most that a number can be, and a file may say more. */
static u64 add_saturated(u64 a, u64 b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

u32 profile_shift_target(const struct profile_shift *shift, u32 target)
{
	if (!shift->targets)
		return target;
	return target < shift->target_count ? shift->targets[target] : PROFILE_TARGET_UNKNOWN;
}

static u32 unpack_target(const struct reading *reading, struct unpack *unpack)
{
	return profile_shift_target(reading->shift, unpack_most(unpack, UINT32_MAX));
}

static void unpack_figures(struct unpack *unpack, struct figures *figures)
{
	u64 used;

	figures->critical_share = unpack_u64(unpack);
	figures->samples = unpack_most(unpack, COUNT_MAX);
	figures->slices = unpack_most(unpack, COUNT_MAX);
	figures->n_share = unpack_double(unpack);
	used = unpack_most(unpack, (1ULL << GAPP_WAIT_REASONS) - 1);
	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++)
		if (used & (1ULL << i))
			figures->waiting[i] = unpack_double(unpack);
}

static int take_sums(void *context, _unused_ u64 first, _unused_ u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct profile *profile = reading->profile;
	const struct {
		u64 *sum;
		u64 most;
	} sums[] = {
		{ &reading->attributed, UINT64_MAX },	  { &reading->waited_ns, UINT64_MAX },
		{ &profile->no_path, UINT64_MAX },	  { &profile->table_full, UINT64_MAX },
		{ &profile->lost, UINT64_MAX },		  { &profile->losses, COUNT_MAX },
		{ &profile->waited_lost_ns, UINT64_MAX }, { &profile->slices, COUNT_MAX },
		{ &profile->records, COUNT_MAX },	  { &profile->unsampled, COUNT_MAX },
		{ &profile->stack_count, COUNT_MAX },
	};
	bool several, any;
	u32 target;

	/* the totals of one file alone: see count_missing() */
	reading->attributed = 0;
	reading->waited_ns = 0;
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		*sums[i].sum = add_saturated(*sums[i].sum, unpack_most(unpack, sums[i].most));
	several = unpack_most(unpack, 1);
	any = unpack_most(unpack, 1);
	target = unpack_target(reading, unpack);
	if (unpack->failed)
		return 0;
	if (profile->any_target && any)
		several |= target != profile->first_target;
	else if (any)
		profile->first_target = target;
	profile->any_target |= any;
	profile->several_targets |= several;
	return 0;
}

/*
 * Sets the profile's path with this id, and @id to what it is now. Returns whether there is one, or
 * -1 without memory.
 */
static int see(struct reading *reading, u32 *id)
{
	struct profile *profile = reading->profile;
	const struct call_path *path = saved_path(reading->paths, *id);
	u64 count = profile->stack_count;

	if (!path)
		return 0;
	*id = path->id;
	if (*id < profile->seen_room && profile->seen[*id])
		return 1;
	if (profile_see(profile, path))
		return -1;
	profile->stack_count = count;
	return 1;
}

static bool unpack_cell_key(const struct reading *reading, struct unpack *unpack,
			    struct cell_key *key)
{
	*key = (struct cell_key){ 0 };
	key->tgid = unpack_s64(unpack);
	key->target = unpack_target(reading, unpack);
	key->end = unpack_most(unpack, UINT32_MAX);
	key->stack = unpack_most(unpack, UINT32_MAX);
	key->kind = unpack_most(unpack, CELL_WAITED);
	key->wait = unpack_most(unpack, GAPP_WAIT_REASONS - 1);
	key->leader = unpack_most(unpack, 1);
	if (key->kind != CELL_SAMPLED && key->stack != STACK_NONE)
		unpack->failed = true;
	return !unpack->failed;
}

/* Whether the paths of a cell are there; the path at the end may be missing where samples tell. */
static int see_cell(struct reading *reading, struct cell_key *key)
{
	int end = key->end == STACK_NONE ? 0 : see(reading, &key->end);

	if (key->kind != CELL_SAMPLED || end < 0)
		return end;
	if (!end)
		key->end = STACK_NONE;
	return see(reading, &key->stack);
}

/* Time of cells that are missing has no path. */
static void count_missing(const struct reading *reading)
{
	struct profile *profile = reading->profile;

	if (reading->found < reading->attributed)
		profile->no_path =
			add_saturated(profile->no_path, reading->attributed - reading->found);
	if (reading->found_ns < reading->waited_ns)
		profile->waited_lost_ns = add_saturated(profile->waited_lost_ns,
							reading->waited_ns - reading->found_ns);
}

static bool is_damaged(const struct blocks *blocks)
{
	const struct blocks_health *health = blocks_health(blocks);

	return health->damaged || !health->ended;
}

static void note_found(struct reading *reading, const struct cell *cell)
{
	u64 *found = cell->key.kind == CELL_WAITED ? &reading->found_ns : &reading->found;

	*found = add_saturated(*found, cell->figures.critical_share);
}

/* Adds a cell and sets its number. Returns 0, or -1 without memory. */
static int add_cell(struct reading *reading, u64 number, struct cell *cell)
{
	struct profile *profile = reading->profile;
	int seen = see_cell(reading, &cell->key);
	u32 now;

	if (seen < 0)
		return -1;
	if (!seen)
		return 0;
	now = keyed_find(&profile->cells, &cell->key);
	if (now != HASH_NONE && now >= reading->former_cells)
		return 0;
	note_found(reading, cell);
	if (now != HASH_NONE) {
		/* its threads are counted by their tallies */
		figures_merge(&profile->cells.rows[now].figures, &cell->figures);
		return set_number(&reading->cells, number, now);
	}
	now = keyed_add(&profile->cells, &cell->key);
	if (now == HASH_NONE)
		return -1;
	profile->cells.rows[now] = *cell;
	return set_number(&reading->cells, number, now);
}

static int take_cells(void *context, u64 first, u64 count, struct unpack *unpack)
{
	for (u64 i = first; i - first < count && unpack_more(unpack); i++) {
		struct cell cell = { 0 };

		unpack_cell_key(context, unpack, &cell.key);
		cell.threads = unpack_most(unpack, UINT32_MAX);
		unpack_figures(unpack, &cell.figures);
		if (i >= MAX_CELLS)
			unpack->failed = true;
		if (unpack->failed)
			return 0;
		if (add_cell(context, i, &cell))
			return -1;
	}
	return 0;
}

static void unpack_entry_key(const struct reading *reading, struct unpack *unpack,
			     struct entry_key *key)
{
	key->tid = unpack_s64(unpack);
	key->tgid = unpack_s64(unpack);
	key->target = unpack_target(reading, unpack);
	key->kind = unpack_most(unpack, PATH_WAITED);
	key->wait = unpack_most(unpack, GAPP_WAIT_REASONS - 1);
	key->leader = unpack_most(unpack, 1);
}

static int add_entry(struct reading *reading, u64 number, const struct entry *entry)
{
	struct profile *profile = reading->profile;
	u32 now = keyed_find(&profile->entries, &entry->key);

	if (now != HASH_NONE && now >= reading->former_entries)
		return 0;
	if (now != HASH_NONE) {
		figures_merge(&profile->entries.rows[now].figures, &entry->figures);
		return set_number(&reading->entries, number, now);
	}
	now = keyed_add(&profile->entries, &entry->key);
	if (now == HASH_NONE)
		return -1;
	profile->entries.rows[now] = *entry;
	return set_number(&reading->entries, number, now);
}

static int take_entries(void *context, u64 first, u64 count, struct unpack *unpack)
{
	for (u64 i = first; i - first < count && unpack_more(unpack); i++) {
		struct entry entry = { 0 };

		unpack_entry_key(context, unpack, &entry.key);
		unpack_sized(unpack, entry.comm, sizeof(entry.comm));
		unpack_figures(unpack, &entry.figures);
		if (i >= MAX_ENTRIES)
			unpack->failed = true;
		if (unpack->failed)
			return 0;
		if (add_entry(context, i, &entry))
			return -1;
	}
	return 0;
}

/* Samples hit paths, at least one; the path at the end may be none, but not a lost one. */
static bool unpack_set(const struct reading *reading, struct unpack *unpack, struct set *set)
{
	u64 count;

	*set = (struct set){ 0 };
	set->key.target = unpack_target(reading, unpack);
	set->key.end = unpack_most(unpack, UINT32_MAX);
	set->key.then = unpack_most(unpack, THEN_COUNT - 1);
	set->key.leader = unpack_most(unpack, 1);
	set->slices = unpack_most(unpack, COUNT_MAX);
	count = unpack_most(unpack, MAX_STACKS_OF_SET);
	for (u32 i = 0; i < MAX_STACKS_OF_SET; i++) {
		set->key.stacks[i] = i < count ? unpack_most(unpack, STACK_LOST - 1) : STACK_NONE;
		set->shares[i] = i < count ? unpack_u64(unpack) : 0;
	}
	if (!count || set->key.end == STACK_LOST)
		unpack->failed = true;
	return !unpack->failed;
}

/* Whether the paths of a set are there; -1 without memory. */
static int see_set(struct reading *reading, struct set_key *key)
{
	int seen = key->end == STACK_NONE ? 1 : see(reading, &key->end);

	for (u32 i = 0; seen > 0 && i < MAX_STACKS_OF_SET && key->stacks[i] != STACK_NONE; i++)
		seen = see(reading, &key->stacks[i]);
	return seen;
}

static int add_set(struct reading *reading, u64 number, struct set *set)
{
	struct profile *profile = reading->profile;
	int seen = see_set(reading, &set->key);
	u32 now;

	if (seen < 0)
		return -1;
	if (!seen || keyed_find(&profile->sets, &set->key) != HASH_NONE)
		return 0;
	now = keyed_add(&profile->sets, &set->key);
	if (now == HASH_NONE)
		return -1;
	profile->sets.rows[now] = *set;
	return set_number(&reading->sets, number, now);
}

static int take_sets(void *context, u64 first, u64 count, struct unpack *unpack)
{
	for (u64 i = first; i - first < count && unpack_more(unpack); i++) {
		struct set set;

		if (!unpack_set(context, unpack, &set) || i >= MAX_SETS) {
			unpack->failed = true;
			return 0;
		}
		if (add_set(context, i, &set))
			return -1;
	}
	return 0;
}

/* Sets the number that the owner of a tally has now. False: it was left out. */
static bool find_owner(const struct reading *reading, u32 *owner)
{
	u32 kind = *owner & (TALLY_ENTRY | TALLY_SET);
	const struct numbers *numbers = kind == TALLY_ENTRY ? &reading->entries :
					kind == TALLY_SET   ? &reading->sets :
							      &reading->cells;
	u32 now = number_now(numbers, *owner & ~(TALLY_ENTRY | TALLY_SET));

	*owner = kind | now;
	return now != HASH_NONE;
}

/* Whether its owner has such a tally. */
static bool makes_sense(const struct tally_key *key)
{
	u32 kind = key->owner & (TALLY_ENTRY | TALLY_SET), value = key->what & WHAT_BITS;

	if (kind == (TALLY_ENTRY | TALLY_SET))
		return false;
	switch (key->what & TALLY_WHAT) {
	case TALLY_SHARE:
		return !kind;
	case TALLY_LENGTH:
		return value <= STEP_MAX;
	case TALLY_THEN:
		return value < THEN_COUNT && kind != TALLY_SET;
	case TALLY_COUNTED:
		return profile_counted_is_valid(value) && kind != TALLY_SET;
	case TALLY_IN:
		return value <= IN_MAX && kind != TALLY_SET;
	default:
		return false;
	}
}

/* Sets what a tally counts now. False: it was left out. */
static bool find_what(const struct reading *reading, u32 *what)
{
	u32 entry;

	if ((*what & TALLY_WHAT) != TALLY_SHARE)
		return true;
	entry = number_now(&reading->entries, *what & WHAT_BITS);
	*what = TALLY_SHARE | entry;
	return entry != HASH_NONE;
}

/* A cell of a former file has another thread. */
static void note_thread(struct reading *reading, const struct tally_key *key)
{
	if ((key->what & TALLY_WHAT) == TALLY_SHARE && key->owner < reading->former_cells)
		reading->profile->cells.rows[key->owner].threads++;
}

static int take_tallies(void *context, u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct profile *profile = reading->profile;
	const u32 former = reading->former_tallies;

	for (u64 i = first; i - first < count && unpack_more(unpack); i++) {
		struct tally tally;
		u32 now;

		tally.key.owner = unpack_most(unpack, UINT32_MAX);
		tally.key.what = unpack_most(unpack, UINT32_MAX);
		tally.sum = unpack_u64(unpack);
		if (i >= MAX_TALLIES || !makes_sense(&tally.key))
			unpack->failed = true;
		if (unpack->failed)
			return 0;
		if (!find_owner(reading, &tally.key.owner) || !find_what(reading, &tally.key.what))
			continue;
		now = keyed_find(&profile->tallies, &tally.key);
		if (now < former) {
			profile->tallies.rows[now].sum += tally.sum;
			continue;
		}
		if (now != HASH_NONE)
			continue;
		now = keyed_add(&profile->tallies, &tally.key);
		if (now == HASH_NONE)
			return -1;
		profile->tallies.rows[now] = tally;
		note_thread(reading, &tally.key);
	}
	return 0;
}

static int take_spans(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct profile *profile = reading->profile;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		u32 owner = unpack_most(unpack, TALLY_SET | (MAX_CELLS - 1));
		struct span span;

		span.share = unpack_u64(unpack);
		span.length_ns = unpack_u64(unpack);
		span.cmetric = span.share + unpack_u64(unpack);
		if (unpack->failed || owner & TALLY_ENTRY || !find_owner(reading, &owner))
			continue;
		if (owner & TALLY_SET)
			profile->sets.rows[owner & ~TALLY_SET].span = span;
		else if (owner < reading->former_cells)
			span_merge(&profile->cells.rows[owner].figures.span, &span);
		else
			profile->cells.rows[owner].figures.span = span;
	}
	return 0;
}

static int take_sure(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct profile *profile = reading->profile;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		u32 id = unpack_most(unpack, STACK_LOST - 1);

		const struct call_path *path = saved_path(reading->paths, id);

		if (unpack->failed || !path)
			continue;
		id = path->id;
		if (array_grow_zeroed(&profile->sure, &profile->sure_room, id,
				      sizeof(*profile->sure)))
			return -1;
		profile->sure[id] = true;
	}
	return 0;
}

int profile_read_more(struct profile *profile, struct blocks *blocks,
		      const struct saved_paths *paths, const struct profile_shift *shift)
{
	static const struct {
		enum block_type type;
		blocks_take_fn take;
	} sections[] = {
		{ BLOCK_SUMS, take_sums },	 { BLOCK_CELLS, take_cells },
		{ BLOCK_ENTRIES, take_entries }, { BLOCK_SETS, take_sets },
		{ BLOCK_TALLIES, take_tallies }, { BLOCK_SURE_PATHS, take_sure },
		{ BLOCK_SPANS, take_spans },	 { BLOCK_COUNTED, take_tallies },
	};
	struct reading reading = {
		.profile = profile,
		.paths = paths,
		.shift = shift,
		.former_cells = profile->cells.index.count,
		.former_entries = profile->entries.index.count,
		.former_tallies = profile->tallies.index.count,
	};
	u64 attributed = profile->attributed, waited_ns = profile->waited_ns;
	bool had_waits = profile->waits;
	int error = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sections) && !error; i++)
		error = blocks_each(blocks, sections[i].type, sections[i].take, &reading);
	if (!error)
		error = waits_read(profile, paths, shift->image, blocks);
	/* a former file has none */
	if (profile->waits && !had_waits && reading.former_entries)
		profile->waits->all = false;
	if (is_damaged(blocks)) {
		count_missing(&reading);
		reading.attributed = reading.found;
		reading.waited_ns = reading.found_ns;
	}
	profile->attributed = add_saturated(attributed, reading.attributed);
	profile->waited_ns = add_saturated(waited_ns, reading.waited_ns);
	free(reading.cells.now);
	free(reading.entries.now);
	free(reading.sets.now);
	return error;
}

struct profile *profile_read(struct blocks *blocks, const struct saved_paths *paths,
			     const struct call_paths_figures *copies)
{
	static const struct profile_shift none;
	struct profile *profile = profile_for_rankings(copies);

	if (!profile || !profile_read_more(profile, blocks, paths, &none))
		return profile;
	profile_free(profile);
	return NULL;
}

struct profile *profile_for_saved(void)
{
	return profile_for_rankings(NULL);
}

bool profile_is_too_large(const struct profile *profile)
{
	return profile->cells.index.count > MAX_CELLS ||
	       profile->entries.index.count > MAX_ENTRIES ||
	       profile->tallies.index.count > MAX_TALLIES || profile->sets.index.count > MAX_SETS ||
	       (profile->waits && waits_are_too_many(profile->waits));
}
