// SPDX-License-Identifier: GPL-2.0
#include "thread_waits.h"

static int by_ns(const void *a, const void *b, void *context)
{
	const u64 *ns = context;
	const u8 x = *(const u8 *)a, y = *(const u8 *)b;

	return compare_by(three_way(ns[y], ns[x]), three_way(x, y), 0);
}

static int by_times(const void *a, const void *b)
{
	const struct gapp_preempted *x = *(const struct gapp_preempted *const *)a;
	const struct gapp_preempted *y = *(const struct gapp_preempted *const *)b;

	return compare_by(three_way(y->times, x->times), three_way(y->runq_ns, x->runq_ns),
			  three_way(x->tid, y->tid));
}

/* @a - @b, or 0: a file may have been made up. */
static u64 less(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

void order_waits(const struct gapp_thread_waits *waits, struct ordered_waits *ordered)
{
	*ordered = (struct ordered_waits){ .others = waits->preempted,
					   .others_ns = waits->preempted_runq_ns };
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++) {
		bool named = wait_name(i) != wait_name(GAPP_WAIT_OTHER);

		ordered->ns[named ? i : GAPP_WAIT_OTHER] += waits->blocked_ns[i];
	}
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		if (ordered->ns[i])
			ordered->reasons[ordered->reason_count++] = i;
	qsort_r(ordered->reasons, ordered->reason_count, 1, by_ns, ordered->ns);
	for (size_t i = 0; i < GAPP_PREEMPTERS; i++) {
		const struct gapp_preempted *by = &waits->by[i];

		if (!by->times)
			continue;
		ordered->by[ordered->by_count++] = by;
		ordered->others = less(ordered->others, by->times);
		ordered->others_ns = less(ordered->others_ns, by->runq_ns);
	}
	qsort(ordered->by, ordered->by_count, sizeof(*ordered->by), by_times);
}

double waits_runq_average_ns(const struct gapp_thread_waits *waits)
{
	return waits->runq_stays ? (double)waits->runq_ns / waits->runq_stays : 0;
}

static void put_preempters(struct json *json, const struct ordered_waits *ordered)
{
	json_begin_member(json, "preempted_by", '[');
	for (size_t i = 0; i < ordered->by_count; i++) {
		const struct gapp_preempted *by = ordered->by[i];

		json_begin_element(json, NULL);
		json_number(json, "tid", by->tid);
		by->tid ? json_comm(json, by->comm) : json_null(json, "comm");
		json_number(json, "times", by->times);
		json_seconds(json, "runq_s", by->runq_ns);
		json_end(json, '}');
	}
	if (ordered->others) {
		json_begin_element(json, NULL);
		json_null(json, "tid");
		json_null(json, "comm");
		json_number(json, "times", ordered->others);
		json_seconds(json, "runq_s", ordered->others_ns);
		json_end(json, '}');
	}
	json_end(json, ']');
}

void json_thread_waits(struct json *json, const struct gapp_thread_waits *waits)
{
	struct ordered_waits ordered;

	if (!waits)
		return;
	order_waits(waits, &ordered);
	json_seconds(json, "life_s", waits->life_ns);
	json_seconds(json, "ready_s", waits->runq_ns);
	json_seconds(json, "unknown_s", waits->unknown_ns);
	json_begin_member(json, "blocked_by", '{');
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		if (ordered.ns[i])
			json_seconds(json, wait_name(i), ordered.ns[i]);
	json_end(json, '}');
	json_number(json, "runq_stays", waits->runq_stays);
	json_nanoseconds(json, "runq_average_s", waits_runq_average_ns(waits));
	json_seconds(json, "runq_max_s", waits->runq_max_ns);
	json_seconds(json, "runq_max_at_s", waits->runq_max_at_ns);
	json_number(json, "preempted", waits->preempted);
	json_seconds(json, "preempted_runq_s", waits->preempted_runq_ns);
	put_preempters(json, &ordered);
}
