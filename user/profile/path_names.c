// SPDX-License-Identifier: GPL-2.0
#include "path_names.h"

#include "profile_private.h"
#include "symbol/own_code.h"

/**
 * struct path_names - functions of the paths of a profile
 * @ranker: only its functions and rules are made
 * @options: of @ranker
 * @parts: in the order of their ends
 * @part_count: elements of @parts
 */
struct path_names {
	struct ranker ranker;
	struct profile_options options;
	struct path_part *parts;
	u32 part_count;
};

int profile_path_id(struct profile *profile, u32 path, u32 kernel,
		    const struct gapp_record_slice *slice, u32 *id)
{
	int failed = profile_stack(profile, path, kernel, slice->tgid, slice->begin_ns,
				   slice->head.time_ns, id);

	if (*id == STACK_LOST)
		*id = PATH_NAMELESS;
	return failed;
}

static int by_end(const void *a, const void *b)
{
	const struct path_part *x = a, *y = b;

	return compare_by(three_way(x->end, y->end), three_way(x->path, y->path));
}

/* Returns 0, or -1 without memory. */
static int find_parts(struct path_names *names)
{
	const struct profile *profile = names->ranker.profile;
	u32 count = profile->cells.index.count, last;

	names->parts = reallocarray(NULL, count + 1, sizeof(*names->parts));
	if (!names->parts)
		return -1;
	for (u32 i = 0; i < count; i++) {
		const struct cell *cell = &profile->cells.rows[i];

		if (cell->key.kind != CELL_SAMPLED || cell->key.end >= STACK_LOST ||
		    !cell->figures.critical_share)
			continue;
		names->parts[names->part_count++] =
			(struct path_part){ cell->key.end, cell->key.stack,
					    cell->figures.critical_share };
	}
	qsort(names->parts, names->part_count, sizeof(*names->parts), by_end);
	for (u32 i = 0; i < names->part_count; i = last) {
		double sum = 0;

		for (last = i; last < names->part_count; last++) {
			if (names->parts[last].end != names->parts[i].end)
				break;
			sum += names->parts[last].part;
		}
		for (u32 j = i; j < last; j++)
			names->parts[j].part /= sum;
	}
	return 0;
}

struct path_names *path_names_new(struct profile *profile, struct symbols *symbols,
				  const struct wait_rules *rules)
{
	struct path_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->options.rules = rules;
	names->ranker = (struct ranker){
		.profile = profile,
		.symbols = symbols,
		.options = &names->options,
	};
	if (!believed_all(&names->ranker) && !find_parts(names))
		return names;
	path_names_free(names);
	return NULL;
}

void path_names_free(struct path_names *names)
{
	if (!names)
		return;
	believed_end(&names->ranker);
	free(names->parts);
	free(names);
}

static const struct believed *believed_of(const struct path_names *names, u32 path)
{
	if (path >= names->ranker.profile->seen_room || !names->ranker.believed[path].stack)
		return NULL;
	return &names->ranker.believed[path];
}

u32 path_names_own(const struct path_names *names, u32 path)
{
	const struct believed *believed = believed_of(names, path);

	if (!believed)
		return HASH_NONE;
	for (u32 i = believed->first; i < believed->count; i++) {
		const struct frame *function = believed->functions[i];

		if (!function->kernel && !function_is_library(function) &&
		    !function_runs_others(function))
			return i;
	}
	return HASH_NONE;
}

const struct frame *path_names_function(const struct path_names *names, u32 path)
{
	const struct believed *believed = believed_of(names, path);
	u32 own = path_names_own(names, path);

	if (!believed)
		return NULL;
	return believed->functions[own == HASH_NONE ? believed->first : own];
}

const struct profile *path_names_profile(const struct path_names *names)
{
	return names->ranker.profile;
}

struct symbols *path_names_symbols(const struct path_names *names)
{
	return names->ranker.symbols;
}

struct wait_kind path_names_wait(const struct path_names *names, u32 path, u32 wait)
{
	return believed_of(names, path) ? path_wait(&names->ranker, path, wait) :
					  wait_by_call(wait);
}

u32 path_names_site(const struct path_names *names, u32 site, u32 path)
{
	const struct all_waits *waits = names->ranker.profile->waits;

	return waits && site < waits->sites.index.count ? waits->sites.rows[site].key.stack : path;
}

const struct path_part *path_names_parts(const struct path_names *names, u32 path, u32 *count)
{
	u32 low = 0, high = names->part_count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (names->parts[middle].end < path)
			low = middle + 1;
		else
			high = middle;
	}
	for (*count = 0; low + *count < names->part_count; ++*count)
		if (names->parts[low + *count].end != path)
			break;
	return names->parts + low;
}
