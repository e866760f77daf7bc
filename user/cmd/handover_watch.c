// SPDX-License-Identifier: GPL-2.0
#include "handover_watch.h"

#include "fetch.h"

void handover_watch_free(struct handover_watch *watch)
{
	handovers_free(watch->handovers);
	entry_codes_free(&watch->codes);
	free(watch->rows);
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
	return entry_codes_look(&watch->codes, maps, watch->rows, watch->count) ? out_of_memory() :
										  0;
}

int handover_watch_make(struct handover_watch *watch, struct profile *profile,
			struct symbols *symbols, const struct options *options,
			const struct model *model)
{
	struct path_names *names = path_names_new(profile, symbols, options->rules);
	struct entry_places *places = names ? entry_places_new(names) : NULL;
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
