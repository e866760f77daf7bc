// SPDX-License-Identifier: GPL-2.0
#include "record_paths.h"

static int each_of_slice(struct gapp_record_slice *slice, record_path_fn each, void *context)
{
	struct gapp_sample *samples = (struct gapp_sample *)(slice + 1);
	struct path_moment moment = { slice->tgid, slice->head.time_ns, slice->head.time_ns };

	if (each(context, &slice->path, &moment, false) ||
	    each(context, &slice->kernel_path, &moment, true))
		return -1;
	moment.begin_ns = slice->begin_ns;
	for (u32 i = 0; i < slice->sample_count; i++)
		if (each(context, &samples[i].path, &moment, false) ||
		    each(context, &samples[i].kernel_path, &moment, true))
			return -1;
	return 0;
}

static int each_of_wait(struct gapp_record_wait *wait, record_path_fn each, void *context)
{
	const struct path_moment moment = { wait->tgid, wait->begin_ns, wait->head.time_ns };
	const struct path_moment waker = { wait->waker_tgid, wait->begin_ns, wait->head.time_ns };

	if (each(context, &wait->path, &moment, false) ||
	    each(context, &wait->kernel_path, &moment, true))
		return -1;
	if (!wait_waker_path(wait))
		return 0;
	return each(context, &((struct gapp_waker_path *)(wait + 1))->path, &waker, false);
}

static int each_of_wake(struct gapp_record_wake *wake, record_path_fn each, void *context)
{
	const struct path_moment moment = { wake->waker_tgid, wake->head.time_ns,
					    wake->head.time_ns };

	if (!wake_waker_path(wake))
		return 0;
	return each(context, &((struct gapp_waker_path *)(wake + 1))->path, &moment, false);
}

int record_paths_each(struct gapp_record *record, record_path_fn each, void *context)
{
	switch (record->type) {
	case GAPP_RECORD_SLICE:
		return each_of_slice((struct gapp_record_slice *)record, each, context);
	case GAPP_RECORD_WAIT:
		return each_of_wait((struct gapp_record_wait *)record, each, context);
	case GAPP_RECORD_WAKE:
		return each_of_wake((struct gapp_record_wake *)record, each, context);
	}
	return 0;
}

void call_paths_set_id(struct call_paths *paths, u32 *number, const struct path_moment *moment)
{
	const struct call_path *path;

	if (*number == GAPP_PATH_NONE || *number == GAPP_PATH_LOST)
		return;
	path = call_paths_get(paths, *number, moment->tgid, moment->begin_ns, moment->time_ns);
	*number = path ? path->id : GAPP_PATH_NONE;
}
