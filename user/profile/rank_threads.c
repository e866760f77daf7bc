// SPDX-License-Identifier: GPL-2.0
/* Threads and processes, as they are ranked. */
#include "rank_int.h"

#include <math.h>

/* Rows by entry, then those of processes in the order in which their first thread was seen. */
struct thread_rows {
	struct ranked *rows;
	double *n_ns;
	double *name_ns; /* share of the thread that gave the row its name */
	u32 *targets;
	u32 *row_of; /* by number of the entry */
	u32 count;
	struct hash_index index; /* with BY_PROCESS */
};

static void free_rows(struct thread_rows *rows)
{
	free(rows->rows);
	free(rows->n_ns);
	free(rows->name_ns);
	free(rows->targets);
	free(rows->row_of);
	hash_index_free(&rows->index);
}

static int make_room(struct thread_rows *rows, u32 entries)
{
	rows->rows = calloc(entries + 1, sizeof(*rows->rows));
	rows->n_ns = calloc(entries + 1, sizeof(*rows->n_ns));
	rows->name_ns = calloc(entries + 1, sizeof(*rows->name_ns));
	rows->targets = calloc(entries + 1, sizeof(*rows->targets));
	rows->row_of = calloc(entries + 1, sizeof(*rows->row_of));
	return rows->rows && rows->n_ns && rows->name_ns && rows->targets && rows->row_of ? 0 : -1;
}

static bool same_process(const void *table, u32 id, const void *wanted)
{
	const struct thread_rows *rows = table;
	const struct entry_key *key = wanted;
	const struct ranked *row = &rows->rows[id];

	return row->tgid == key->tgid && rows->targets[id] == key->target &&
	       row->kind == (enum path_kind)key->kind &&
	       row->wait == (enum gapp_wait_reason)key->wait;
}

static int find_row(struct thread_rows *rows, enum by by, const struct entry_key *key, u32 *id)
{
	u64 hash =
		gapp_hash_add((u64)(u32)key->tgid << 32 | key->target, key->kind | key->wait << 8);

	*id = HASH_NONE;
	if (by == BY_PROCESS)
		*id = hash_index_find(&rows->index, hash, same_process, rows, key);
	if (*id != HASH_NONE)
		return 0;
	*id = rows->count++;
	rows->rows[*id] = (struct ranked){
		.kind = key->kind,
		.wait = key->wait,
		.tid = by == BY_THREAD ? key->tid : 0,
		.tgid = key->tgid,
	};
	rows->targets[*id] = key->target;
	return by == BY_PROCESS ? hash_index_add(&rows->index, hash, *id) : 0;
}

static void add_entry(struct thread_rows *rows, u32 id, const struct entry *entry)
{
	double unit = entry->key.kind == PATH_WAITED ? 1 : share_ns_exactly(1);
	const struct figures *figures = &entry->figures;
	double ns = unit * figures->critical_share;
	struct ranked *row = &rows->rows[id];
	/* a process is called by its leader's name, where that is known */
	double name_ns = entry->key.leader ? HUGE_VAL : ns;

	if (!row->threads++ || name_ns > rows->name_ns[id]) {
		ranked_comm(row, entry->comm);
		rows->name_ns[id] = name_ns;
	}
	row->critical_ns += ns;
	row->slices += figures->slices;
	row->samples += figures->samples;
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		row->waiting_ns[i] += unit * figures->waiting[i];
	rows->n_ns[id] += unit * figures->n_share;
}

static int add_tallies(const struct profile *profile, struct thread_rows *rows)
{
	_cleanup_free_ struct weight *steps = NULL;
	u32 room = 0, count = 0, next;

	for (u32 i = 0; i < profile->tally_index.count; i++) {
		const struct tally *tally = &profile->tallies[i];
		u32 row, what = tally->key.what & ~TALLY_WHAT;

		if (!(tally->key.owner & TALLY_ENTRY))
			continue;
		row = rows->row_of[tally->key.owner & ~TALLY_ENTRY];
		if (row == HASH_NONE)
			continue;
		if ((tally->key.what & TALLY_WHAT) == TALLY_THEN) {
			rows->rows[row].then[what] += tally->sum;
			continue;
		}
		if (array_grow(&steps, &room, count, sizeof(*steps)))
			return -1;
		steps[count++] = (struct weight){ row, tally->key.what, tally->sum };
	}
	if (count)
		qsort(steps, count, sizeof(*steps), weight_compare);
	for (u32 i = 0; i < count; i = next) {
		for (next = i + 1; next < count && steps[next].row == steps[i].row;)
			next++;
		rows->rows[steps[i].row].median_ns = weighted_median(steps + i, next - i);
	}
	return 0;
}

/**
 * rank_threads() - ranks threads or processes
 * @profile: what they collected
 * @options: which of them count
 * @ranking: the result
 *
 * Return: 0, or -1 without memory.
 */
int rank_threads(const struct profile *profile, const struct profile_options *options,
		 struct ranking *ranking)
{
	_cleanup_(free_rows) struct thread_rows rows = { 0 };
	u32 entries = profile->entry_index.count;

	if (make_room(&rows, entries))
		return -1;
	for (u32 i = 0; i < entries; i++) {
		const struct entry *entry = &profile->entries[i];

		rows.row_of[i] = HASH_NONE;
		if (!rank_wants(options, entry->key.leader))
			continue;
		if (find_row(&rows, options->by, &entry->key, &rows.row_of[i]))
			return -1;
		add_entry(&rows, rows.row_of[i], entry);
	}
	if (add_tallies(profile, &rows))
		return -1;

	for (u32 i = 0; i < rows.count; i++) {
		struct ranked *row = &rows.rows[i];

		if (row->kind == PATH_RAN && row->critical_ns > 0)
			row->running = rows.n_ns[i] / row->critical_ns;
	}
	qsort(rows.rows, rows.count, sizeof(*rows.rows), ranked_compare);
	ranking->rows = rows.rows;
	ranking->count = rows.count;
	rows.rows = NULL;
	return 0;
}
