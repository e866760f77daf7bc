// SPDX-License-Identifier: GPL-2.0
#include "handover_watch.h"

#include "fetch.h"

void handover_watch_free(struct handover_watch *watch)
{
	handovers_free(watch->handovers);
	entry_codes_free(&watch->codes);
	thread_paths_free(&watch->paths);
	free(watch->rows);
}

int handover_watch_slice(struct handover_watch *watch, struct profile *profile,
			 const struct gapp_record_slice *slice)
{
	struct thread_path_key key = { .tid = slice->tid, .tgid = slice->tgid };

	if (profile_path_id(profile, slice->path, slice->kernel_path, slice, &key.path))
		return -1;
	return key.path == PATH_NAMELESS ? 0 : thread_paths_add(&watch->paths, &key, slice->slices);
}

static struct code_address find_code(void *context, s32 tgid, u32 image, u64 ip)
{
	struct maps *maps = context;
	struct code_address found;

	maps_image(maps, tgid, image);
	found = maps_find(maps, tgid, ip);
	object_keep(found.object);
	return found;
}

int handover_watch_look(struct handover_watch *watch, struct device *dev, struct maps *maps)
{
	if (!dev->handovers)
		return 0;
	free(watch->rows);
	watch->rows = NULL;
	watch->count = 0;
	if (fetch_handovers(dev, &watch->rows, &watch->count))
		return -1;
	return entry_codes_look(&watch->codes, find_code, maps, watch->rows, watch->count) ?
		       out_of_memory() :
		       0;
}

int handover_watch_make(struct handover_watch *watch, struct profile *profile,
			struct symbols *symbols, const struct options *options,
			const struct model *model)
{
	struct path_names *names = path_names_new(profile, symbols, options->rules);
	struct entry_places *places = names ? entry_places_new(names, &watch->paths) : NULL;
	const struct handover_names of = {
		.codes = &watch->codes,
		.symbols = symbols,
		.places = places,
		.model = model,
	};

	if (places)
		watch->handovers = handovers_make(watch->rows, watch->count, &of);
	entry_places_free(places);
	path_names_free(names);
	return watch->handovers ? 0 : -1;
}
