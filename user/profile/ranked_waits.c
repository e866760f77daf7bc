// SPDX-License-Identifier: GPL-2.0
#include "ranked_waits.h"

#include <stdlib.h>
#include <string.h>

/*
 * Part of the critical time in waits that their length must be at least: nobody waits critically
 * for longer than at all. Less is what few records say.
 */
#define LEAST_LENGTH 0.99

void ranked_waits_free(struct ranked_waits *waits)
{
	for (size_t i = 0; i < waits->all_objects; i++) {
		free(waits->objects[i].name);
		free(waits->objects[i].holders);
	}
	free(waits->objects);
	free(waits->pairs);
	free(waits->object_of_site);
	free(waits->main);
}

const char *ranked_waits_main(const struct ranked_waits *waits, u32 target, u32 reason)
{
	for (size_t i = 0; i < waits->main_count; i++)
		if (waits->main[i].target == target && waits->main[i].reason == reason)
			return waits->objects[waits->main[i].object].name;
	return NULL;
}

/* Of these, the name says no more than the reason: "timer of make", "epoll 5 of nginx". */
static bool says_itself(u32 reason)
{
	return reason == GAPP_WAIT_SLEEP || reason == GAPP_WAIT_SIGNAL ||
	       reason == GAPP_WAIT_FAULT || reason == GAPP_WAIT_MEMORY || reason == GAPP_WAIT_EVENT;
}

const struct ranked_object *ranked_waits_idle(const struct ranked_waits *waits, u32 reason,
					      double *part)
{
	const struct ranked_object *most = NULL;
	double all = 0;

	for (size_t i = 0; i < waits->object_count; i++) {
		const struct ranked_object *object = &waits->objects[i];

		if (object->reason != reason)
			continue;
		all += object->idle_ns;
		if (!most || object->idle_ns > most->idle_ns)
			most = object;
	}
	if (!most || !most->name || most->named_by_site || says_itself(reason) ||
	    most->idle_ns <= all / 2)
		return NULL;
	*part = most->idle_ns / all;
	return most;
}

bool ranked_object_has_length(const struct ranked_object *object)
{
	if (!object->inferred)
		return true;
	return object->waited_ns &&
	       object->waited_ns >= LEAST_LENGTH * (object->critical_ns + object->idle_ns);
}

/* One time of an object as a place. Returns 0, or -1 without memory. */
static int add_place(struct ranking *ranking, const struct ranked_object *object,
		     enum path_kind kind)
{
	struct ranked *row = &ranking->rows[ranking->count];

	*row = (struct ranked){
		.kind = kind,
		.critical_ns = kind == PATH_RAN ? object->critical_ns : object->idle_ns,
		.inferred_ns = kind == PATH_RAN && object->inferred ? object->critical_ns : 0,
		.slices = object->waits,
		.wait = object->reason,
		.called = { object->reason, object->called, false },
		.frames = calloc(1, sizeof(*row->frames)),
		.complete = true,
		.target = object->target,
		.tgid = object->tgid,
	};
	if (!row->frames)
		return -1;
	ranking->count++;
	row->waiting_ns[object->reason] = row->critical_ns;
	row->waiting_called[object->reason] = row->called;
	row->frame_count = 1;
	row->frames[0] = (struct frame){
		.function = object->name ?: "(not known)",
		.module = "",
	};
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return compare_by(three_way(y->critical_ns, x->critical_ns),
			  three_way(y->slices, x->slices), three_way(x->kind, y->kind),
			  strcmp(x->frames->function, y->frames->function),
			  three_way(x->wait, y->wait), three_way(x->tgid, y->tgid));
}

int ranked_waits_as_ranking(const struct ranked_waits *waits, struct ranking *ranking)
{
	*ranking = (struct ranking){
		.rows = calloc(2 * waits->object_count + 1, sizeof(*ranking->rows)),
	};
	if (!ranking->rows)
		return -1;
	for (size_t i = 0; i < waits->object_count; i++) {
		const struct ranked_object *object = &waits->objects[i];

		if ((object->critical_ns > 0 || object->idle_ns <= 0) &&
		    add_place(ranking, object, PATH_RAN))
			return -1;
		if (object->idle_ns > 0 && add_place(ranking, object, PATH_WAITED))
			return -1;
	}
	qsort(ranking->rows, ranking->count, sizeof(*ranking->rows), compare_places);
	return 0;
}
