/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Breakpoints of the processor for stores. On aarch64 they come before the store, and whoever uses
 * them must step over it.
 */
#ifndef GAPP_COMPAT_WATCH_H
#define GAPP_COMPAT_WATCH_H

#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/version.h>

/*
 * Before v6.11, 2b84def990d3, perf disables an event in a thread, with interrupts on, if there is
 * PREEMPT_RT: a CPU that is asked to end the event then waits for that thread's lock for ever.
 * gapp asks for 6.12, because nobody tried it on 6.11.
 */
#if defined(CONFIG_PREEMPT_RT) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define GAPP_CAN_WATCH 0
#elif defined(CONFIG_HAVE_HW_BREAKPOINT) && defined(CONFIG_X86_64)
#define GAPP_CAN_WATCH 1
#else
#define GAPP_CAN_WATCH 0
#endif

#if GAPP_CAN_WATCH

/*
 * Calls @seen at each store into @bytes at @address on a CPU, @most times; with the last call
 * event_limit is 0. Whatever runs there may have stored. Returns the event, or an ERR_PTR. May
 * sleep.
 */
static inline struct perf_event *gapp_watch_begin_on(unsigned int cpu, u64 address, u32 bytes,
						     u32 most, perf_overflow_handler_t seen,
						     void *context)
{
	struct perf_event_attr attr;
	struct perf_event *event;

	hw_breakpoint_init(&attr);
	attr.bp_addr = address;
	attr.bp_len = bytes;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.disabled = 1;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, seen, context);
	if (IS_ERR(event))
		return event;
	/* perf disables the event itself, by irq_work behind the last call */
	atomic_set(&event->event_limit, most);
	perf_event_enable(event);
	return event;
}

/* What gapp_watch_begin_on() had as @context. */
static inline void *gapp_watch_context(const struct perf_event *event)
{
	return event->overflow_handler_context;
}

/* Whether this call is the last one of @most. */
static inline bool gapp_watch_is_last(struct perf_event *event)
{
	return !atomic_read(&event->event_limit);
}

/* No call of its function comes any more when it returns. May sleep. */
static inline void gapp_watch_end_on(struct perf_event *event)
{
	perf_event_release_kernel(event);
}

#else

static inline struct perf_event *gapp_watch_begin_on(unsigned int cpu, u64 address, u32 bytes,
						     u32 most, perf_overflow_handler_t seen,
						     void *context)
{
	return ERR_PTR(-EOPNOTSUPP);
}

/* Without CONFIG_PERF_EVENTS struct perf_event has no members. */
static inline void *gapp_watch_context(const struct perf_event *event)
{
	return NULL;
}

static inline bool gapp_watch_is_last(struct perf_event *event)
{
	return true;
}

static inline void gapp_watch_end_on(struct perf_event *event)
{
}

#endif

#endif /* GAPP_COMPAT_WATCH_H */
