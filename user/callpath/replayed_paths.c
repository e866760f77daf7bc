// SPDX-License-Identifier: GPL-2.0
/*
 * Call paths of records that were kept, whose numbers are ids: while they are replayed, ids stand
 * in the table in which call_paths_get() finds the paths of numbers.
 */
#include "call_paths_private.h"

static const u64 never;

int call_paths_replay(struct call_paths *paths)
{
	const u32 count = paths->index.count;
	struct seen *seen = calloc(count + 1, sizeof(*seen));

	if (!seen)
		return -1;
	for (u32 i = 0; i < count; i++)
		seen[i] = (struct seen){ .path = paths->list[i], .again_ns = UINT64_MAX };
	paths->live = (struct numbered){ paths->seen, paths->seen_room, paths->outdated,
					 paths->outdated_until, paths->changes };
	paths->seen = seen;
	paths->seen_room = count;
	paths->outdated = NULL;
	paths->outdated_until = &never;
	paths->changes = &never;
	paths->replays = true;
	return 0;
}

void call_paths_live(struct call_paths *paths)
{
	const struct numbered *live = &paths->live;

	if (!paths->replays)
		return;
	free(paths->seen);
	paths->seen = live->seen;
	paths->seen_room = live->room;
	paths->outdated = live->outdated;
	paths->outdated_until = live->outdated_until;
	paths->changes = live->changes;
	paths->replays = false;
}
