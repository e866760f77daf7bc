// SPDX-License-Identifier: GPL-2.0
#include "timeline_path.h"

#include <inttypes.h>

#include "timeline_writing.h"

/* The first bound; each further one is twice as much. */
#define NARROW_FIRST_NS 64

void timeline_path_init(struct timeline_path *path, u64 start_ns, u32 limit)
{
	*path = (struct timeline_path){ .limit = limit };
	wait_store_init(&path->store, start_ns, STORE_SLICES_MAX);
}

void timeline_path_free(struct timeline_path *path)
{
	wait_store_free(&path->store);
	free(path->parts);
}

int timeline_path_record(struct timeline_path *path, const struct gapp_record *record)
{
	struct gapp_record_slice slice;

	switch (record->type) {
	case GAPP_RECORD_SLICE:
		slice = *(const struct gapp_record_slice *)record;
		/* without its integrals it is stored as one part */
		slice.cmetric = 0;
		slice.sample_count = 0;
		return wait_store_slice(&path->store, &slice, STORE_NONE, STORE_NONE, NULL);
	case GAPP_RECORD_WAKE:
		return wait_store_wake(&path->store, (const struct gapp_record_wake *)record);
	case GAPP_RECORD_LOST:
		return wait_store_lost(&path->store, (const struct gapp_record_lost *)record);
	}
	return 0;
}

static u64 length_of(const struct path_part *part)
{
	return part->end - part->begin;
}

/* @earlier comes before @part, in time. */
static bool are_merged(const struct path_part *part, const struct path_part *earlier, u64 narrow_ns)
{
	return length_of(part) < narrow_ns && length_of(earlier) < narrow_ns &&
	       part->begin - earlier->end < narrow_ns;
}

static void extend(struct path_part *part, const struct path_part *earlier)
{
	part->begin = earlier->begin;
	part->parts += earlier->parts;
	if (part->thread != earlier->thread || part->what != earlier->what)
		part->what = PATH_SEVERAL;
	if (earlier->longest_ns > part->longest_ns) {
		part->longest_ns = earlier->longest_ns;
		part->thread = earlier->thread;
	}
}

void timeline_path_shrink(struct timeline_path *path, u32 limit)
{
	/* no time is longer than 2^63 nanoseconds */
	while (path->count > limit && path->narrow_ns < 1ULL << 62) {
		u32 kept = 0;

		path->narrow_ns = path->narrow_ns ? 2 * path->narrow_ns : NARROW_FIRST_NS;
		for (u32 i = 1; i < path->count; i++) {
			if (are_merged(&path->parts[kept], &path->parts[i], path->narrow_ns))
				extend(&path->parts[kept], &path->parts[i]);
			else
				path->parts[++kept] = path->parts[i];
		}
		path->count = kept + 1;
	}
}

static int take_piece(void *context, const struct path_cell_key *key, u64 begin, u64 end)
{
	struct timeline_path *path = context;
	struct path_part *last = path->count ? &path->parts[path->count - 1] : NULL;
	const struct path_part part = { begin, end, end - begin, key->thread, key->what, 1 };

	if (key->what == PIECE_NONE)
		return 0;
	if (last && last->begin == end && last->thread == key->thread && last->what == key->what) {
		last->begin = begin;
		if (last->parts == 1)
			last->longest_ns = length_of(last);
		return 0;
	}
	if (last && are_merged(last, &part, path->narrow_ns)) {
		extend(last, &part);
		return 0;
	}
	if (array_grow(&path->parts, &path->room, path->count, sizeof(*path->parts)))
		return -1;
	path->parts[path->count++] = part;
	/* so much less that the next time is far away */
	if (path->count > path->limit)
		timeline_path_shrink(path, path->limit - path->limit / 4);
	return 0;
}

int timeline_path_make(struct timeline_path *path, u64 stop_ns)
{
	struct critical_walk walk = { 0 };
	int error = wait_store_end(&path->store, stop_ns) ||
		    critical_walk_each(&path->store, wait_store_time(&path->store, stop_ns), &walk,
				       take_piece, path);

	path->unknown_ns = walk.unknown_ns;
	path->known_from = path->store.known_from;
	path->known = true;
	critical_walk_free(&walk);
	wait_store_free_times(&path->store);
	return error ? -1 : 0;
}

static u64 merged(const struct timeline_path *path)
{
	u64 parts = 0;

	for (u32 i = 0; i < path->count; i++)
		parts += path->parts[i].parts - 1;
	return parts;
}

int timeline_path_json(const struct writing *writing)
{
	const struct timeline_path *path = &writing->timeline->path;
	const char *comma = "";
	u64 end = 0;

	if (!path->known) {
		fputs("\"critical_path\":null,\n", writing->out);
		return 0;
	}
	fputs("\"critical_path\":{\"parts\":[", writing->out);
	for (u32 i = path->count; i--;) {
		const struct path_part *part = &path->parts[i];
		const struct stored_thread_key *key = &path->store.threads.rows[part->thread].key;
		u32 number = writing_number(writing, key->tid, key->tgid);

		fprintf(writing->out, "%s%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%u", comma,
			(uint64_t)(part->begin - end), (uint64_t)length_of(part),
			number == ROW_NONE ? (int64_t)-1 : (int64_t)number, part->what);
		end = part->end;
		comma = ",";
	}
	fprintf(writing->out,
		"],\n\"merged_below_ns\":%" PRIu64 ",\"merged\":%" PRIu64 ",\"unknown_ns\":%" PRIu64
		",\"known_from_ns\":%" PRIu64 "},\n",
		(uint64_t)path->narrow_ns, (uint64_t)merged(path), (uint64_t)path->unknown_ns,
		(uint64_t)path->known_from);
	return 0;
}
