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

/*
 * Makes loops one that share code, or lie right behind one another: the table may have one range
 * for them, and a thread goes from one to the other. Returns 0, or -1 without memory.
 */
static int join_loops(const struct spins *spins, u32 *same_as)
{
	_cleanup_free_ struct piece *pieces = NULL;
	u32 count = 0, room = 0;
	u64 end = 0;

	for (u32 i = 0; i < spins->count; i++) {
		const struct spin *spin = &spins->spins[i];

		same_as[i] = i;
		for (u32 j = 0; spin->tier == SPIN_HIGH && j < spin->range_count; j++) {
			if (array_grow(&pieces, &room, count, sizeof(*pieces)))
				return -1;
			pieces[count++] = (struct piece){ spin->ranges[j], i };
		}
	}
	if (count)
		qsort(pieces, count, sizeof(*pieces), by_begin);
	for (u32 i = 0; i < count; i++) {
		if (i && pieces[i].range.begin <= end)
			same_as[first_of(same_as, pieces[i].loop)] =
				first_of(same_as, pieces[i - 1].loop);
		if (pieces[i].range.end > end)
			end = pieces[i].range.end;
	}
	return 0;
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
	_cleanup_free_ bool *is_unknown = calloc(spins->count + 1, sizeof(*is_unknown));
	_cleanup_free_ u32 *same_as = calloc(spins->count + 1, sizeof(*same_as));

	if (!is_unknown || !same_as || join_loops(spins, same_as))
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
			exits->exits[exits->count++] =
				(struct numbered_exit){ spin->exits[j], loop };
		}
	}
	settle(exits, is_unknown);
	return 0;
}

void spin_exits_free(struct spin_exits *exits)
{
	free(exits->exits);
}

static u8 stays(const struct gapp_spin_table *table, const struct spin_exit *exit)
{
	return (gapp_spin_table_find(table, exit->next) ? GAPP_SPIN_STAYS : 0) |
	       (gapp_spin_table_find(table, exit->target) ? GAPP_SPIN_STAYS_JUMPING : 0);
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
		.stays = stays(table, exit),
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
