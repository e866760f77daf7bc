/* SPDX-License-Identifier: GPL-2.0 */
/* What threads waited for, in the order in which reports name it. */
#ifndef GAPP_READ_THREAD_WAITS_H
#define GAPP_READ_THREAD_WAITS_H

#include "json_write.h"
#include "report.h"

/* What a preempter is called that has no thread id: the CPU went idle. */
#define IDLE_PREEMPTER "no thread"

/**
 * struct ordered_waits - a thread's waits and preempters, the largest first
 * @ns: nanoseconds blocked, by enum gapp_wait_reason; reasons without a name are in the others
 * @reasons: enum gapp_wait_reason; what took no time is left out
 * @by: elements of gapp_thread_waits.by; those that are not used are left out
 * @others: number of stays in the run queue that began with others than @by
 * @others_ns: nanoseconds of these stays
 */
struct ordered_waits {
	u64 ns[GAPP_WAIT_REASONS];
	u8 reasons[GAPP_WAIT_REASONS];
	size_t reason_count;
	const struct gapp_preempted *by[GAPP_PREEMPTERS];
	size_t by_count;
	u64 others;
	u64 others_ns;
};

void order_waits(const struct gapp_thread_waits *waits, struct ordered_waits *ordered);
/* Nanoseconds of a thread's stay in the run queue, on average, among those that ended. */
double waits_runq_average_ns(const struct gapp_thread_waits *waits);
/* Adds members to a thread's object; @waits: NULL: none. */
void json_thread_waits(struct json *json, const struct gapp_thread_waits *waits);

#endif /* GAPP_READ_THREAD_WAITS_H */
