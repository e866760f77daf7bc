// SPDX-License-Identifier: GPL-2.0
#include "woken_paths.h"

#include "profile_private.h"

void woken_paths_free(struct woken_paths *woken)
{
	for (size_t i = 0; i < woken->path_count; i++)
		free(woken->paths[i].frames);
	free(woken->paths);
	free(woken->rows);
	*woken = (struct woken_paths){ 0 };
}

/* Adds the frames of one address, innermost first. Returns 0, or -1 without memory. */
static int add_frames(struct woken_path *path, const struct frame *frames, size_t count)
{
	struct frame *grown =
		count ? reallocarray(path->frames, path->count + count, sizeof(*grown)) : NULL;

	if (!grown)
		return -1;
	path->frames = grown;
	memcpy(grown + path->count, frames, count * sizeof(*grown));
	path->count += count;
	return 0;
}

static void free_believed(struct believed *believed)
{
	free(believed->functions);
}

/* Returns 0, or -1 without memory. */
static int make_path(const struct profile *profile, struct symbols *symbols, u32 stack,
		     struct woken_path *path)
{
	_cleanup_(free_believed) struct believed believed = { 0 };
	const struct frame *frames;

	if (path->count || stack >= profile->seen_room || !profile->seen[stack])
		return 0;
	if (believe(&believed, profile->seen[stack], symbols))
		return -1;
	for (u32 i = believed.first; i < believed.count; i++) {
		size_t count = symbols_frames(symbols, believed.stack->addresses[i],
					      call_path_is_return(believed.stack, i), &frames);

		if (add_frames(path, frames, count))
			return -1;
	}
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct woken *x = a, *y = b;

	return compare_by(three_way(y->waited_ns, x->waited_ns), three_way(x->pair, y->pair));
}

int profile_woken_paths(struct profile *profile, struct symbols *symbols, struct woken_paths *out)
{
	const struct all_waits *waits = profile->waits;

	*out = (struct woken_paths){ 0 };
	if (!waits)
		return 0;
	/* the last one is that of waits and wake-ups without a call path */
	out->path_count = profile->seen_room + 1;
	out->paths = calloc(out->path_count, sizeof(*out->paths));
	out->rows = calloc(waits->pairs.index.count + 1, sizeof(*out->rows));
	if (!out->paths || !out->rows)
		goto failed;
	for (u32 i = 0; i < waits->pairs.index.count; i++) {
		const struct wait_pair *pair = &waits->pairs.rows[i];
		u32 stack = waits->sites.rows[pair->key.site].key.stack;
		struct woken *row = &out->rows[out->count++];

		*row = (struct woken){
			.pair = i,
			.waiter = wait_name_text(waits, pair->key.waiter),
			.waited = stack < profile->seen_room ? stack : profile->seen_room,
			.waker = wait_name_text(waits, pair->key.waker),
			.interrupt = waker_is_interrupt(pair->key.waker),
			.kind = waker_interrupt_kind(pair->key.waker),
			.from = pair->key.from < profile->seen_room ? pair->key.from :
								      profile->seen_room,
			.waited_ns = pair->waited_ns,
		};
		if (make_path(profile, symbols, row->waited, &out->paths[row->waited]) ||
		    make_path(profile, symbols, row->from, &out->paths[row->from]))
			goto failed;
	}
	qsort(out->rows, out->count, sizeof(*out->rows), compare_rows);
	return 0;
failed:
	woken_paths_free(out);
	return -1;
}
