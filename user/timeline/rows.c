// SPDX-License-Identifier: GPL-2.0
#include "rows.h"

/* The first bound; each further one is twice as much. */
#define NARROW_FIRST_NS 64

void rows_init(struct rows *rows, u64 start_ns, u32 threads_max, u32 limit)
{
	*rows = (struct rows){
		.start_ns = start_ns,
		.threads_max = threads_max,
		.limit = limit,
	};
}

static void free_all(struct row *rows, u32 count)
{
	for (u32 i = 0; i < count; i++)
		free(rows[i].stays);
	free(rows);
}

void rows_free(struct rows *rows)
{
	free_all(rows->cpus, rows->cpu_room);
	free_all(rows->threads, rows->thread_room);
}

static u64 length_of(const struct row_stay *stay)
{
	return stay->end - stay->begin;
}

/* The same thing goes on. */
static bool goes_on(const struct row_stay *last, const struct row_stay *stay)
{
	return last->end == stay->begin && last->kind == stay->kind && last->who == stay->who &&
	       last->place == stay->place && last->kind < STAY_KINDS;
}

/* Both are narrow, and close to one another: nobody sees them apart. */
static bool are_merged(const struct row_stay *last, const struct row_stay *stay, u64 narrow_ns)
{
	return length_of(last) < narrow_ns && length_of(stay) < narrow_ns &&
	       stay->begin - last->end < narrow_ns;
}

/* Extends a stay by the next one of its row. */
static void extend(const struct rows *rows, struct row_stay *last, const struct row_stay *stay)
{
	bool same = last->kind == stay->kind && last->who == stay->who &&
		    last->end == stay->begin && last->kind < STAY_KINDS;
	bool longer = length_of(stay) > length_of(last);

	last->end = stay->end;
	last->on_ns += stay->on_ns;
	last->spun_ns += stay->spun_ns;
	last->stays += stay->stays;
	if (same) {
		last->place = longer ? stay->place : last->place;
		return;
	}
	if (2 * last->on_ns < length_of(last))
		last->kind = ROW_MOSTLY_OFF;
	else
		last->kind = 2 * last->spun_ns > last->on_ns ? STAY_SPUN : ROW_MOSTLY_ON;
	if (!rows->keeps_who || last->who != stay->who)
		last->who = ROW_NONE;
	last->place = ROW_NONE;
}

/* Merges the stays of a row by the present bound. */
static void merge_row(struct rows *rows, struct row *row)
{
	u32 kept = 0;

	for (u32 i = 1; i < row->count; i++) {
		if (are_merged(&row->stays[kept], &row->stays[i], rows->narrow_ns))
			extend(rows, &row->stays[kept], &row->stays[i]);
		else
			row->stays[++kept] = row->stays[i];
	}
	if (!row->count)
		return;
	rows->count -= row->count - (kept + 1);
	row->count = kept + 1;
}

static void merge_all(struct rows *rows)
{
	for (u32 i = 0; i < rows->cpu_room; i++)
		merge_row(rows, &rows->cpus[i]);
	for (u32 i = 0; i < rows->thread_room; i++)
		merge_row(rows, &rows->threads[i]);
}

void rows_shrink(struct rows *rows, u32 limit)
{
	/* no time is longer than 2^63 nanoseconds */
	while (rows->count > limit && rows->narrow_ns < 1ULL << 62) {
		rows->narrow_ns = rows->narrow_ns ? 2 * rows->narrow_ns : NARROW_FIRST_NS;
		merge_all(rows);
	}
}

static int append(struct rows *rows, struct row *row, const struct row_stay *stay)
{
	struct row_stay *last = row->count ? &row->stays[row->count - 1] : NULL;

	if (last && stay->begin < last->end)
		return 0;
	if (last && goes_on(last, stay)) {
		last->end = stay->end;
		last->on_ns += stay->on_ns;
		last->spun_ns += stay->spun_ns;
		return 0;
	}
	if (last && are_merged(last, stay, rows->narrow_ns)) {
		extend(rows, last, stay);
		return 0;
	}
	if (array_grow(&row->stays, &row->room, row->count, sizeof(*row->stays)))
		return -1;
	row->stays[row->count++] = *stay;
	rows->count++;
	/* so much less that the next time is far away */
	if (rows->count > rows->limit)
		rows_shrink(rows, rows->limit - rows->limit / 4);
	return 0;
}

static int append_to(struct rows *rows, struct row **all, u32 *room, u32 number,
		     const struct row_stay *stay)
{
	if (array_grow_zeroed(all, room, number, sizeof(**all)))
		return -1;
	return append(rows, &(*all)[number], stay);
}

int rows_add(struct rows *rows, const struct stay *stay, u32 place)
{
	struct row_stay row = {
		.begin = stay->begin - rows->start_ns,
		.end = stay->end - rows->start_ns,
		.who = ROW_NONE,
		.place = place,
		.stays = 1,
		.kind = stay->kind,
	};
	bool spins = stay->kind == STAY_WAITED && stay->reason == GAPP_WAIT_SPIN;

	if (row.end <= row.begin)
		return 0;
	if (stay->kind == STAY_RAN || stay->kind == STAY_SPUN) {
		row.who = stay->thread;
		row.on_ns = row.end - row.begin;
		row.spun_ns = stay->kind == STAY_SPUN ? row.on_ns : 0;
		if (append_to(rows, &rows->cpus, &rows->cpu_room, stay->cpu, &row))
			return -1;
	}
	/* a thread that spins has a wait of its own */
	if (stay->kind == STAY_SPUN || stay->thread >= rows->threads_max)
		return 0;
	if (stay->kind == STAY_RAN || spins) {
		row.who = stay->cpu;
		row.on_ns = row.end - row.begin;
		row.kind = spins ? STAY_SPUN : STAY_RAN;
		row.spun_ns = spins ? row.on_ns : 0;
	} else if (stay->kind == STAY_WAITED) {
		row.who = stay->reason;
	}
	return append_to(rows, &rows->threads, &rows->thread_room, stay->thread, &row);
}

static u64 merged_in(const struct row *rows, u32 count)
{
	u64 merged = 0;

	for (u32 i = 0; i < count; i++)
		for (u32 j = 0; j < rows[i].count; j++)
			merged += rows[i].stays[j].stays - 1;
	return merged;
}

u64 rows_merged(const struct rows *rows)
{
	return merged_in(rows->cpus, rows->cpu_room) + merged_in(rows->threads, rows->thread_room);
}
