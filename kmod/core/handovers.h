/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often one thread gave a CPU to another, and where both were: an open-addressed table of one
 * CPU, which alone writes it. No row becomes free again, so a key has one row at most. Others read
 * rows meanwhile.
 */
#ifndef GAPP_CORE_HANDOVERS_H
#define GAPP_CORE_HANDOVERS_H

#include <gapp_figures.h>

#include "port.h"

/* Rows of a CPU: a power of two. */
#define GAPP_HANDOVER_ROWS 1024
/* Rows to try for a handover before it is lost. */
#define GAPP_HANDOVER_PROBES 4

/**
 * struct gapp_handover_key - who gave a CPU to whom, and where
 * @threads: ids of both threads, as gapp_handover_pair() puts them together
 * @images: numbers of their address spaces, as gapp_handover_pair() puts them together
 * @from_ip: user address at which the first thread entered the kernel; 0: it cannot be said
 * @to_ip: user address at which the second one had entered the kernel; 0: it cannot be said
 */
struct gapp_handover_key {
	u64 threads;
	u64 images;
	u64 from_ip;
	u64 to_ip;
};

/**
 * struct gapp_handover_row - one row of the table, a cache line
 * @key: who and where
 * @processes: ids of both processes, as gapp_handover_pair() puts them together
 * @count: number of handovers; 0: the row is not in use, and nothing else of it is set
 * @last: session time of the last one, in nanoseconds
 * @unused: zero
 */
struct gapp_handover_row {
	struct gapp_handover_key key;
	u64 processes;
	u64 count;
	u64 last;
	u64 unused;
};

_Static_assert(sizeof(struct gapp_handover_row) == 64, "gapp_handover_row");

/**
 * struct gapp_handovers - the table of one CPU
 * @rows: zeroed at first
 * @lost: number of handovers that found no room
 * @lost_last: session time of the last of these, in nanoseconds
 */
struct gapp_handovers {
	struct gapp_handover_row rows[GAPP_HANDOVER_ROWS];
	u64 lost;
	u64 lost_last;
};

/* Two numbers of 32 bits as one: that of the first thread, and that of the second. */
static __always_inline u64 gapp_handover_pair(u32 from, u32 to)
{
	return (u64)from << 32 | to;
}

/* Where a key's row is, if it is at its place: a few instructions, for it runs at each switch. */
static __always_inline u32 gapp_handover_place(const struct gapp_handover_key *key)
{
	const u64 ips = key->from_ip ^ (key->to_ip << 32 | key->to_ip >> 32);

	return ((key->threads * 0xd6e8feb86659fd93ULL) ^ (ips * 0x9e3779b97f4a7c15ULL)) >> 48 &
	       (GAPP_HANDOVER_ROWS - 1);
}

static __always_inline bool gapp_handover_is(const struct gapp_handover_row *row,
					     const struct gapp_handover_key *key)
{
	return !((row->key.threads ^ key->threads) | (row->key.images ^ key->images) |
		 (row->key.from_ip ^ key->from_ip) | (row->key.to_ip ^ key->to_ip));
}

void gapp_handovers_add(struct gapp_handovers *table, u32 place,
			const struct gapp_handover_key *key, u64 processes, u64 t);

/* One more handover at session time @t. False: gapp_handovers_add() has to add it. */
static __always_inline bool gapp_handovers_count(struct gapp_handovers *table, u32 place,
						 const struct gapp_handover_key *key, u64 t)
{
	struct gapp_handover_row *row = &table->rows[place];

	if (unlikely(!row->count || !gapp_handover_is(row, key)))
		return false;
	gapp_count(row->count, 1);
	WRITE_ONCE(row->last, t);
	return true;
}

bool gapp_handovers_read(const struct gapp_handovers *table, u32 number,
			 struct gapp_handover *handover);

#endif /* GAPP_CORE_HANDOVERS_H */
