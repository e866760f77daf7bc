// SPDX-License-Identifier: GPL-2.0
#include "spin_exits.h"

#include "core/spin_table.h"
#include "util/hash_index.h"
#include "util/util.h"

/**
 * struct piece - code of a loop that surely waits
 * @range: the code
 * @loop: number of the loop
 */
struct piece {
	struct spin_range range;
	u32 loop;
};

/**
 * struct pieces - the code of all of them, sorted by address
 * @pieces: the code; once loops are joined, without overlap
 * @count: pieces
 * @room: of the list
 */
struct pieces {
	struct piece *pieces;
	u32 count;
	u32 room;
};

static void free_pieces(struct pieces *pieces)
{
	free(pieces->pieces);
}

static int by_begin(const void *a, const void *b)
{
	const struct piece *one = a, *other = b;

	return three_way(one->range.begin, other->range.begin);
}

static int by_loop(const void *a, const void *b)
{
	const struct numbered_exit *one = a, *other = b;

	return compare_by(three_way(one->loop, other->loop),
			  three_way(one->exit.address, other->exit.address));
}

/* The loop that stands for all that are one with this one. */
static u32 first_of(u32 *same_as, u32 loop)
{
	while (same_as[loop] != loop) {
		same_as[loop] = same_as[same_as[loop]];
		loop = same_as[loop];
	}
	return loop;
}

static int add_pieces(struct pieces *pieces, const struct spin *spin, u32 loop)
{
	for (u32 i = 0; spin->tier == SPIN_HIGH && i < spin->range_count; i++) {
		if (array_grow(&pieces->pieces, &pieces->room, pieces->count,
			       sizeof(*pieces->pieces)))
			return -1;
		pieces->pieces[pieces->count++] = (struct piece){ spin->ranges[i], loop };
	}
	return 0;
}

/*
 * Makes loops one that share code, or lie right behind one another: the table may have one range
 * for them, and a thread goes from one to the other. Returns 0, or -1 without memory.
 */
static int join_loops(struct pieces *pieces, const struct spins *spins, u32 *same_as)
{
	u32 joined = 0;

	for (u32 i = 0; i < spins->count; i++) {
		same_as[i] = i;
		if (add_pieces(pieces, &spins->spins[i], i))
			return -1;
	}
	if (pieces->count)
		qsort(pieces->pieces, pieces->count, sizeof(*pieces->pieces), by_begin);
	for (u32 i = 0; i < pieces->count; i++) {
		const struct piece *piece = &pieces->pieces[i];
		struct piece *last = joined ? &pieces->pieces[joined - 1] : NULL;

		if (!last || piece->range.begin > last->range.end) {
			pieces->pieces[joined++] = *piece;
			continue;
		}
		same_as[first_of(same_as, piece->loop)] = first_of(same_as, last->loop);
		if (piece->range.end > last->range.end)
			last->range.end = piece->range.end;
	}
	pieces->count = joined;
	return 0;
}

/* Whether an address is in a loop, or in one of those that are one with it. */
static bool is_in(const struct pieces *pieces, u32 *same_as, u32 loop, u64 address)
{
	u32 first = 0, count = pieces->count;
	const struct piece *piece;

	while (count > 1) {
		const u32 half = count / 2;

		if (pieces->pieces[first + half].range.begin <= address)
			first += half;
		count -= half;
	}
	piece = &pieces->pieces[first];
	return address >= piece->range.begin && address < piece->range.end &&
	       first_of(same_as, piece->loop) == loop;
}

/*
 * By which ways a thread stays. One that goes on to another loop leaves this one: the other may
 * have no breakpoints, and may be passed without a wait; if it has some, the first of them tells
 * that the thread waits there.
 */
static u8 stays_of(const struct pieces *pieces, u32 *same_as, u32 loop,
		   const struct spin_exit *exit)
{
	return (is_in(pieces, same_as, loop, exit->next) ? GAPP_SPIN_STAYS : 0) |
	       (is_in(pieces, same_as, loop, exit->target) ? GAPP_SPIN_STAYS_JUMPING : 0);
}

/* Leaves out what several loops have, and all of a loop of which not all exits are known. */
static void settle(struct spin_exits *exits, const bool *is_unknown)
{
	u32 kept = 0;

	if (exits->count)
		qsort(exits->exits, exits->count, sizeof(*exits->exits), by_loop);
	for (u32 i = 0; i < exits->count; i++)
		if (!is_unknown[exits->exits[i].loop] &&
		    (!kept || by_loop(&exits->exits[kept - 1], &exits->exits[i])))
			exits->exits[kept++] = exits->exits[i];
	exits->count = kept;
}

int spin_exits_find(struct spin_exits *exits, const struct spins *spins)
{
	_cleanup_(free_pieces) struct pieces pieces = { 0 };
	_cleanup_free_ bool *is_unknown = calloc(spins->count + 1, sizeof(*is_unknown));
	_cleanup_free_ u32 *same_as = calloc(spins->count + 1, sizeof(*same_as));

	if (!is_unknown || !same_as || join_loops(&pieces, spins, same_as))
		return -1;
	for (u32 i = 0; i < spins->count; i++) {
		const struct spin *spin = &spins->spins[i];
		const u32 loop = first_of(same_as, i);

		if (spin->tier != SPIN_HIGH)
			continue;
		is_unknown[loop] |= !spin->exit_count;
		for (u32 j = 0; j < spin->exit_count; j++) {
			if (array_grow(&exits->exits, &exits->room, exits->count,
				       sizeof(*exits->exits)))
				return -1;
			exits->exits[exits->count++] = (struct numbered_exit){
				spin->exits[j], loop,
				stays_of(&pieces, same_as, loop, &spin->exits[j])
			};
		}
	}
	settle(exits, is_unknown);
	return 0;
}

void spin_exits_free(struct spin_exits *exits)
{
	free(exits->exits);
}

/* Those of the ways that lead to code which the table has. */
static u8 known_stays(const struct gapp_spin_table *table, const struct numbered_exit *from)
{
	const struct spin_exit *exit = &from->exit;
	u8 known = 0;

	if (gapp_spin_table_find(table, exit->next))
		known |= GAPP_SPIN_STAYS;
	if (gapp_spin_table_find(table, exit->target))
		known |= GAPP_SPIN_STAYS_JUMPING;
	return from->stays & known;
}

/* Sets an exit of a table. False: the table has not all of its loop. */
static bool put_exit(const struct gapp_spin_table *table, const struct numbered_exit *from,
		     struct gapp_spin_exit *to)
{
	const struct spin_exit *exit = &from->exit;

	*to = (struct gapp_spin_exit){
		.address = exit->address,
		.loop = from->loop,
		.condition = exit->condition,
		.stays = known_stays(table, from),
	};
	return to->stays && gapp_spin_table_find(table, exit->address);
}

u32 spin_exits_put(const struct spin_exits *exits, const struct gapp_spin_head *head,
		   struct gapp_spin_exit *to)
{
	const struct gapp_spin_table table = {
		.count = head->ranges,
		.ranges = (const struct gapp_spin_range *)(head + 1),
	};
	u32 count = 0, next;

	for (u32 i = 0; i < exits->count; i = next) {
		const u32 loop = exits->exits[i].loop, before = count;
		bool is_whole = true;

		for (next = i; next < exits->count && exits->exits[next].loop == loop; next++) {
			is_whole = is_whole && count < GAPP_SPIN_MAX_EXITS &&
				   put_exit(&table, &exits->exits[next], &to[count]);
			count += is_whole;
		}
		/* where there is too much for a table, it has all exits of a loop or none */
		if (!is_whole)
			count = before;
	}
	return count;
}
