// SPDX-License-Identifier: GPL-2.0
#include "parallelism.h"

void parallelism_init(struct parallelism *parallelism, u64 start_ns, u64 length_ns, u32 n_min)
{
	*parallelism = (struct parallelism){
		.start_ns = start_ns,
		.step_ns = length_ns / PARALLELISM_STEPS + 1,
		.n_min = n_min,
	};
	parallelism->steps =
		length_ns / parallelism->step_ns + (length_ns % parallelism->step_ns ? 1 : 0);
}

/* From @since to @until there were @n threads. */
static void add(struct parallelism *parallelism, u64 until)
{
	u64 at = parallelism->since, step = parallelism->step_ns;
	bool few = parallelism->n && parallelism->n <= parallelism->n_min;

	for (u64 i = at / step; at < until && i < parallelism->steps; i++) {
		u64 end = (i + 1) * step < until ? (i + 1) * step : until;

		parallelism->active[i] += (double)parallelism->n * (end - at);
		parallelism->critical[i] += few ? end - at : 0;
		at = end;
	}
	parallelism->since = until;
}

/* From a moment on there are @n threads; before it there were @before, if that is not known yet. */
static void set(struct parallelism *parallelism, u64 time_ns, u32 n, u32 before)
{
	u64 at = time_ns > parallelism->start_ns ? time_ns - parallelism->start_ns : 0;

	if (!parallelism->known) {
		parallelism->known = true;
		parallelism->n = before;
	}
	if (at > parallelism->since)
		add(parallelism, at);
	parallelism->n = n;
}

static void take_slice(struct parallelism *parallelism, const struct gapp_record_slice *slice)
{
	bool left = slice->then == GAPP_THEN_WAIT || slice->then == GAPP_THEN_EXITED;

	if (slice->flags & GAPP_SLICE_REST)
		return;
	parallelism->targets |= slice->target != 0;
	set(parallelism, slice->head.time_ns, slice->n, slice->n + left);
}

static void take_wake(struct parallelism *parallelism, const struct gapp_record_wake *wake)
{
	parallelism->targets |= wake->target != 0;
	set(parallelism, wake->head.time_ns, wake->n, wake->n ? wake->n - 1 : 0);
}

void parallelism_record(struct parallelism *parallelism, const struct gapp_record *record)
{
	if (record->type == GAPP_RECORD_SLICE)
		take_slice(parallelism, (const struct gapp_record_slice *)record);
	if (record->type == GAPP_RECORD_WAKE)
		take_wake(parallelism, (const struct gapp_record_wake *)record);
}

void parallelism_end(struct parallelism *parallelism, u64 length_ns)
{
	if (parallelism->known && length_ns > parallelism->since)
		add(parallelism, length_ns);
}
