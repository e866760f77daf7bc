// SPDX-License-Identifier: GPL-2.0
/* Rows of the table of handovers that are made, that are not at their place, and that are read. */
#include "handovers.h"

/**
 * gapp_handovers_add() - one more handover, whose row is not at its place
 * @table: this CPU's table; interrupts are off
 * @place: gapp_handover_place() of @key
 * @key: who and where
 * @processes: ids of both processes
 * @t: session time, in nanoseconds
 *
 * Where GAPP_HANDOVER_PROBES rows have other keys it only counts as lost.
 */
void gapp_handovers_add(struct gapp_handovers *table, u32 place,
			const struct gapp_handover_key *key, u64 processes, u64 t)
{
	struct gapp_handover_row *row;
	u32 i;

	for (i = 0; i < GAPP_HANDOVER_PROBES; i++) {
		row = &table->rows[(place + i) & (GAPP_HANDOVER_ROWS - 1)];
		if (!row->count) {
			row->key = *key;
			row->processes = processes;
			WRITE_ONCE(row->last, t);
			/* Pairs with the acquire in gapp_handovers_read(): the row is filled in. */
			smp_store_release(&row->count, 1);
			return;
		}
		if (gapp_handover_is(row, key)) {
			gapp_count(row->count, 1);
			WRITE_ONCE(row->last, t);
			return;
		}
	}
	WRITE_ONCE(table->lost_last, t);
	gapp_count(table->lost, 1);
}

/**
 * gapp_handovers_read() - one row, as the ABI has it
 * @table: the table of any CPU, which may go on writing it
 * @number: up to GAPP_HANDOVER_ROWS; that one is the row of what found no room
 * @handover: filled in, but for the CPU's number
 *
 * Return: false if the row is not in use.
 */
bool gapp_handovers_read(const struct gapp_handovers *table, u32 number,
			 struct gapp_handover *handover)
{
	const struct gapp_handover_row *row;

	memset(handover, 0, sizeof(*handover));
	if (number >= GAPP_HANDOVER_ROWS) {
		handover->flags = GAPP_HANDOVER_LOST;
		handover->count = READ_ONCE(table->lost);
		handover->last_ns = READ_ONCE(table->lost_last);
		return handover->count;
	}
	row = &table->rows[array_index_nospec(number, GAPP_HANDOVER_ROWS)];
	/* Pairs with the release in gapp_handovers_add(). */
	handover->count = smp_load_acquire(&row->count);
	if (!handover->count)
		return false;
	handover->from_tid = row->key.threads >> 32;
	handover->to_tid = (u32)row->key.threads;
	handover->from_tgid = row->processes >> 32;
	handover->to_tgid = (u32)row->processes;
	handover->from_image = row->key.images >> 32;
	handover->to_image = (u32)row->key.images;
	handover->from_ip = row->key.from_ip;
	handover->to_ip = row->key.to_ip;
	handover->last_ns = READ_ONCE(row->last);
	return true;
}
