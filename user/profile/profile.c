// SPDX-License-Identifier: GPL-2.0
/* The tables of a profile: finds or makes rows by key up to a bound; adds waits and losses. */
#include "profile_private.h"

static bool same_cell(const void *table, u32 id, const void *key)
{
	return !memcmp(&((const struct cell *)table)[id].key, key, sizeof(struct cell_key));
}

static u64 cell_hash(const struct cell_key *key)
{
	u64 hash = gapp_hash_add((u32)key->tgid, key->target);

	hash = gapp_hash_add(hash, (u64)key->end << 32 | key->stack);
	return gapp_hash_add(hash, key->kind | key->wait << 8 | key->leader << 16);
}

/**
 * profile_cell() - finds or makes the cell of a key
 * @profile: the profile
 * @key: key of the cell
 * @id: set to the cell's number, or HASH_NONE if there is no room
 *
 * Past SOFT_CELLS, keys of new cells lose the process, and those of sampled cells also the path at
 * the end. Only the guess where slices without samples ran needs these two.
 *
 * Return: 0, or -1 without memory.
 */
int profile_cell(struct profile *profile, struct cell_key key, u32 *id)
{
	u32 next = profile->cell_index.count;
	u64 hash = cell_hash(&key);

	*id = hash_index_find(&profile->cell_index, hash, same_cell, profile->cells, &key);
	if (*id != HASH_NONE)
		return 0;
	if (next >= SOFT_CELLS) {
		key.tgid = 0;
		if (key.kind == CELL_SAMPLED)
			key.end = STACK_NONE;
		hash = cell_hash(&key);
		*id = hash_index_find(&profile->cell_index, hash, same_cell, profile->cells, &key);
		if (*id != HASH_NONE || next >= MAX_CELLS)
			return 0;
	}

	if (array_grow(&profile->cells, &profile->cell_room, next, sizeof(*profile->cells)) ||
	    hash_index_add(&profile->cell_index, hash, next))
		return -1;
	profile->cells[next] = (struct cell){ .key = key };
	*id = next;
	return 0;
}

static bool same_entry(const void *table, u32 id, const void *key)
{
	return !memcmp(&((const struct entry *)table)[id].key, key, sizeof(struct entry_key));
}

static u64 entry_hash(const struct entry_key *key)
{
	u64 hash = gapp_hash_add((u64)(u32)key->tid << 32 | (u32)key->tgid, key->target);

	return gapp_hash_add(hash, key->kind | key->wait << 8 | key->leader << 16);
}

static u32 find_entry(const struct profile *profile, const struct entry_key *key)
{
	return hash_index_find(&profile->entry_index, entry_hash(key), same_entry, profile->entries,
			       key);
}

/**
 * profile_entry() - finds or makes the entry of a thread
 * @profile: the profile
 * @key: key of the entry
 * @comm: the thread's name now
 * @id: set to the entry's number
 *
 * Past SOFT_ENTRIES, the new threads of a process share entries. When only REST_ENTRIES are free,
 * the new threads of all processes share these.
 *
 * Return: 0, or -1 without memory.
 */
static int profile_entry(struct profile *profile, struct entry_key key, const u8 *comm, u32 *id)
{
	u32 next = profile->entry_index.count;

	*id = find_entry(profile, &key);
	if (*id == HASH_NONE && next >= SOFT_ENTRIES) {
		key.tid = 0;
		*id = find_entry(profile, &key);
	}
	if (*id == HASH_NONE && next >= MAX_ENTRIES - REST_ENTRIES) {
		key.tgid = 0;
		key.target = 0;
		*id = find_entry(profile, &key);
	}
	if (*id == HASH_NONE) {
		if (array_grow(&profile->entries, &profile->entry_room, next,
			       sizeof(*profile->entries)) ||
		    hash_index_add(&profile->entry_index, entry_hash(&key), next))
			return -1;
		profile->entries[next] = (struct entry){ .key = key };
		*id = next;
	}
	memcpy(profile->entries[*id].comm, comm, GAPP_COMM_LEN);
	return 0;
}

static bool same_tally(const void *table, u32 id, const void *key)
{
	return !memcmp(&((const struct tally *)table)[id].key, key, sizeof(struct tally_key));
}

static u32 find_tally(const struct profile *profile, struct tally_key key, u64 *hash)
{
	*hash = gapp_mix((u64)key.owner << 32 | key.what);
	return hash_index_find(&profile->tally_index, *hash, same_tally, profile->tallies, &key);
}

static int make_tally(struct profile *profile, struct tally_key key, u64 hash, u64 sum)
{
	u32 next = profile->tally_index.count;

	if (next >= MAX_TALLIES)
		return 0;
	if (array_grow(&profile->tallies, &profile->tally_room, next, sizeof(*profile->tallies)) ||
	    hash_index_add(&profile->tally_index, hash, next))
		return -1;
	profile->tallies[next] = (struct tally){ .key = key, .sum = sum };
	return 0;
}

int profile_tally(struct profile *profile, u32 owner, u32 what, u64 sum)
{
	struct tally_key key = { owner, what };
	u64 hash;
	u32 id = find_tally(profile, key, &hash);

	if (id == HASH_NONE)
		return make_tally(profile, key, hash, sum);
	profile->tallies[id].sum += sum;
	return 0;
}

/**
 * profile_tally_share() - adds to a thread's share in a cell
 * @profile: the profile
 * @cell: number of the cell
 * @entry: number of the thread's entry
 * @share: share to add
 *
 * Return: 0, or -1 without memory.
 */
int profile_tally_share(struct profile *profile, u32 cell, u32 entry, u64 share)
{
	struct tally_key key = { cell, TALLY_SHARE | entry };
	u64 hash;
	u32 id = find_tally(profile, key, &hash);

	if (id != HASH_NONE) {
		profile->tallies[id].sum += share;
		return 0;
	}
	if (profile->cells[cell].threads >= MAX_THREADS_OF_CELL)
		return 0;
	profile->cells[cell].threads++;
	return make_tally(profile, key, hash, share);
}

struct set_key {
	const u32 *words;
	u32 count;
};

static bool same_set(const void *table, u32 id, const void *key)
{
	const struct profile *profile = table;
	const struct set *set = &profile->sets[id];
	const struct set_key *wanted = key;

	return set->words == wanted->count &&
	       !memcmp(profile->words + set->word, wanted->words, wanted->count * sizeof(u32));
}

int profile_count_set(struct profile *profile, const u32 *words, u32 count)
{
	u64 hash = hash_words(count, words, count);
	struct set_key key = { words, count };
	u32 next = profile->set_index.count;
	u32 id = hash_index_find(&profile->set_index, hash, same_set, profile, &key);

	if (id != HASH_NONE) {
		profile->sets[id].count++;
		return 0;
	}
	if (next >= MAX_SETS || count > MAX_SET_WORDS - profile->word_count)
		return 1;
	if (array_grow(&profile->sets, &profile->set_room, next, sizeof(*profile->sets)) ||
	    array_grow(&profile->words, &profile->word_room, profile->word_count + count,
		       sizeof(u32)) ||
	    hash_index_add(&profile->set_index, hash, next))
		return -1;
	profile->sets[next] =
		(struct set){ .word = profile->word_count, .words = count, .count = 1 };
	memcpy(profile->words + profile->word_count, words, count * sizeof(u32));
	profile->word_count += count;
	return 0;
}

void figures_split(struct figures *figures, u64 share, const u16 *waiting)
{
	u32 threads = 0;

	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		threads += waiting[i];
	if (!threads)
		return;
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		if (waiting[i])
			figures->waiting[i] += (double)share * waiting[i] / threads;
}

/**
 * figures_add() - adds a share
 * @figures: sums that get the share
 * @share: share to add
 * @waiting: number of other threads that waited meanwhile, by wait reason
 * @n: active threads on average
 */
void figures_add(struct figures *figures, u64 share, const u16 *waiting, double n)
{
	figures->critical_share += share;
	figures->n_share += n * share;
	figures_split(figures, share, waiting);
}

void figures_merge(struct figures *figures, const struct figures *more)
{
	figures->critical_share += more->critical_share;
	figures->samples += more->samples;
	figures->slices += more->slices;
	figures->n_share += more->n_share;
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		figures->waiting[i] += more->waiting[i];
}

/* The middle of a step: at most 1/16 away from any length in it. */
u64 step_length(u32 step)
{
	u32 shift = step / 8 ? step / 8 - 1 : 0;
	u64 begin = step / 8 ? (u64)(8 + step % 8) << shift : step;

	return begin + ((1ULL << shift) >> 1);
}

struct profile *profile_new(struct call_paths *stacks)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->stacks = stacks;
	profile->outdated_over = call_paths_outdated_until(stacks);
	profile->changes = call_paths_changes(stacks);
	if (profile_make_batches(profile)) {
		free(profile);
		return NULL;
	}
	return profile;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	hash_index_free(&profile->cell_index);
	hash_index_free(&profile->entry_index);
	hash_index_free(&profile->tally_index);
	hash_index_free(&profile->set_index);
	free(profile->seen);
	free(profile->cells);
	free(profile->entries);
	free(profile->tallies);
	free(profile->sets);
	free(profile->words);
	free(profile->batches);
	free(profile->hits);
	free(profile);
}

int profile_see(struct profile *profile, const struct call_path *stack)
{
	u32 room = profile->seen_room;

	if (array_grow(&profile->seen, &profile->seen_room, stack->id, sizeof(*profile->seen)))
		return -1;
	memset(profile->seen + room, 0, (profile->seen_room - room) * sizeof(*profile->seen));
	if (profile->seen_count <= stack->id)
		profile->seen_count = stack->id + 1;
	profile->seen[stack->id] = stack;
	profile->stack_count++;
	return 0;
}

bool record_is_leader(s32 tid, s32 tgid, u32 flags)
{
	return (flags & GAPP_SLICE_LEADER) || (tid && tid == tgid);
}

enum gapp_wait_reason record_wait_reason(u32 wait)
{
	return wait < GAPP_WAIT_REASONS ? wait : GAPP_WAIT_OTHER;
}

/**
 * profile_thread() - finds or makes the entry of a record's thread
 * @profile: the profile
 * @key: key of the entry
 * @comm: the thread's name now
 * @entry: set to the entry's number
 *
 * Return: 0, or -1 without memory.
 */
int profile_thread(struct profile *profile, struct entry_key key, const u8 *comm, u32 *entry)
{
	if (!profile->any_target)
		profile->first_target = key.target;
	profile->any_target = true;
	profile->several_targets |= key.target != profile->first_target;
	return profile_entry(profile, key, comm, entry);
}

int profile_add_wait(struct profile *profile, const struct gapp_record_wait *wait)
{
	struct entry_key key = {
		.tid = wait->tid,
		.tgid = wait->tgid,
		.target = wait->target,
		.kind = PATH_WAITED,
		.wait = record_wait_reason(wait->wait),
		.leader = record_is_leader(wait->tid, wait->tgid, wait->flags),
	};
	struct cell_key cell_key = {
		.tgid = wait->tgid,
		.target = wait->target,
		.stack = STACK_NONE,
		.kind = CELL_WAITED,
		.wait = key.wait,
		.leader = key.leader,
	};
	u32 entry, cell = HASH_NONE;
	struct figures *figures;

	profile->records++;
	if (profile_thread(profile, key, wait->comm, &entry) ||
	    profile_stack(profile, wait->path, wait->tgid, wait->begin_ns, wait->head.time_ns,
			  &cell_key.end))
		return -1;
	figures = &profile->entries[entry].figures;
	figures_add(figures, wait->wait_ns, wait->waiting, 0);
	figures->slices += wait->stretches;
	if (cell_key.end < STACK_LOST && profile_cell(profile, cell_key, &cell))
		return -1;
	if (cell == HASH_NONE) {
		profile->waited_lost_ns += wait->wait_ns;
		return 0;
	}
	profile->waited_ns += wait->wait_ns;
	figures = &profile->cells[cell].figures;
	figures_add(figures, wait->wait_ns, wait->waiting, 0);
	figures->slices += wait->stretches;
	return profile_tally_share(profile, cell, entry, wait->wait_ns);
}

void profile_add_lost(struct profile *profile, const struct gapp_record_lost *lost)
{
	profile->records++;
	profile->lost += lost->critical_share;
	profile->losses++;
	profile->waited_lost_ns += lost->wait_ns;
}

void profile_sums(struct profile *profile, struct profile_sums *sums)
{
	/* without memory only tallies are lost, which no sum here needs */
	profile_settle(profile);
	*sums = (struct profile_sums){
		.attributed_ns = share_ns_exactly(profile->attributed),
		.waited_ns = profile->waited_ns,
		.no_path_ns = share_ns_exactly(profile->no_path),
		.table_full_ns = share_ns_exactly(profile->table_full),
		.lost_ns = share_ns_exactly(profile->lost),
		.waited_lost_ns = profile->waited_lost_ns,
		.slices = profile->slices,
		.records = profile->records,
		.unsampled = profile->unsampled,
		.stacks = profile->stack_count,
		.copies = call_paths_figures(profile->stacks),
	};
	for (size_t i = 0; i < PATH_METHODS; i++) {
		sums->complete_by_ns[i] = sums->attributed_ns * profile->complete_part[i];
		sums->complete_ns += sums->complete_by_ns[i];
	}
	for (size_t i = 0; i < PATH_ENDS; i++)
		sums->cut_ns[i] = sums->attributed_ns * profile->cut_part[i];
}
