/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of the processor, by the kernel's perf, which reads them for its own use only. */
#ifndef GAPP_COMPAT_PERF_COUNT_H
#define GAPP_COMPAT_PERF_COUNT_H

#include <linux/err.h>
#include <linux/perf_event.h>

#ifdef CONFIG_PERF_EVENTS

/*
 * Counts on a CPU whatever its threads do in their own code. Pinned: it counts all the time, or it
 * is in error for good. Returns the event, or an ERR_PTR. May sleep.
 */
static inline struct perf_event *gapp_perf_count_begin(unsigned int cpu, u32 type, u64 config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
}

/* False: all counters of the CPU that could be its own are in use. */
static inline bool gapp_perf_count_is_on(const struct perf_event *event)
{
	return READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE;
}

/* May sleep. */
static inline void gapp_perf_count_end(struct perf_event *event)
{
	perf_event_release_kernel(event);
}

/* On the event's CPU, interrupts off. False: it does not count now. */
static inline bool gapp_perf_count_read(struct perf_event *event, u64 *value)
{
	if (!gapp_perf_count_is_on(event))
		return false;
	event->pmu->read(event);
	*value = local64_read(&event->count);
	return true;
}

#else

static inline struct perf_event *gapp_perf_count_begin(unsigned int cpu, u32 type, u64 config)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline bool gapp_perf_count_is_on(const struct perf_event *event)
{
	return false;
}

static inline void gapp_perf_count_end(struct perf_event *event)
{
}

static inline bool gapp_perf_count_read(struct perf_event *event, u64 *value)
{
	return false;
}

#endif

#endif /* GAPP_COMPAT_PERF_COUNT_H */
