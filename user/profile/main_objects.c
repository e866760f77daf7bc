// SPDX-License-Identifier: GPL-2.0
/* Which wait object stands for the waits of a target for one reason. */
#include "judged_waits.h"
#include "profile_private.h"
#include "ranked_waits.h"

/* Of the recorded waits for a reason: an object with so many of them stands for the reason. */
#define NEARLY_ALL 0.9
/* Unless every wait was recorded, fewer than these say nothing of the others. */
#define LEAST_WAITS 4

struct recorded_key {
	u32 target;
	u32 reason;
	u32 object;
};

/* Recorded waits of a target for a reason: those for an object, or with HASH_NONE all. */
struct recorded {
	struct recorded_key key;
	u64 waits;
};

struct recorded_waits {
	KEYED(recorded) rows;
};

static void recorded_free(struct recorded_waits *recorded)
{
	keyed_free(&recorded->rows);
}

/* Returns 0, or -1 without memory. */
static int count_recorded(struct recorded_waits *recorded, const struct recorded_key *key,
			  u64 waits)
{
	u32 id = keyed_find(&recorded->rows, key);

	if (id == HASH_NONE)
		id = keyed_add(&recorded->rows, key);
	if (id == HASH_NONE)
		return -1;
	recorded->rows.rows[id].waits += waits;
	return 0;
}

/* Whether nearly all waits of the target for the reason are for the object, and are enough. */
static bool is_main(const struct recorded_waits *recorded, const struct recorded *row, bool all)
{
	const struct recorded_key whole = { row->key.target, row->key.reason, HASH_NONE };
	u32 id = keyed_find(&recorded->rows, &whole);

	return row->waits >= (all ? 1 : LEAST_WAITS) &&
	       row->waits >= NEARLY_ALL * recorded->rows.rows[id].waits;
}

int find_main_objects(struct ranked_waits *out, const struct all_waits *waits,
		      const struct judged_site *judged, const u32 *now)
{
	_cleanup_(recorded_free) struct recorded_waits recorded = { 0 };

	for (u32 i = 0; i < waits->sites.index.count; i++) {
		const struct wait_site *site = &waits->sites.rows[i];
		struct recorded_key key = { .target = judged[i].target,
					    .reason = judged[i].kind.reason,
					    .object = HASH_NONE };

		if (count_recorded(&recorded, &key, site->sums.waits))
			return -1;
		key.object = now[site->key.object];
		if (count_recorded(&recorded, &key, site->sums.waits))
			return -1;
	}
	out->main = calloc(recorded.rows.index.count + 1, sizeof(*out->main));
	if (!out->main)
		return -1;
	for (u32 i = 0; i < recorded.rows.index.count; i++) {
		const struct recorded *row = &recorded.rows.rows[i];

		if (row->key.object < out->object_count && out->objects[row->key.object].name &&
		    is_main(&recorded, row, out->all))
			out->main[out->main_count++] = (struct main_object){ row->key.target,
									     row->key.reason,
									     row->key.object };
	}
	return 0;
}
