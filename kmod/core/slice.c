// SPDX-License-Identifier: GPL-2.0
/* Slices: differences of the accumulators, and the rule that says when they are told. */
#include "slice.h"
#include "mix.h"

/* More than a draw can be about: 13 days. */
#define MAX_DRAW_NS 0x4000000000000ULL

/*
 * Between half and one and a half times @about. A fixed amount would fall in step with a program
 * whose slices come in a pattern, and always hit the same one of them.
 */
static u64 draw(struct gapp_slice *slice, u64 about)
{
	slice->random = gapp_mix(slice->random + 0x9e3779b97f4a7c15ULL);
	return about / 2 + (about >> 16) * (slice->random >> 48);
}

static u64 min_critical_ns(const struct gapp_due *rule)
{
	return rule->min_critical_ns < MAX_DRAW_NS ? rule->min_critical_ns : MAX_DRAW_NS;
}

/* In shares; what 16 bits of randomness cut off is nothing, for a nanosecond has 4096. */
static u64 draw_share(struct gapp_slice *slice, const struct gapp_due *rule)
{
	return draw(slice, min_critical_ns(rule) << GAPP_SHARE_SHIFT);
}

static u64 draw_wait(struct gapp_slice *slice, const struct gapp_due *rule)
{
	return draw_share(slice, rule) >> GAPP_SHARE_SHIFT;
}

/* What the share is a difference of. */
static u64 share_clock(const struct gapp_due *rule, u64 g, u64 c)
{
	return rule->criterion == GAPP_CRITERION_AVERAGE ? g : c;
}

/**
 * gapp_slice_init() - a thread without a slice
 * @slice: the thread's
 * @rule: when a record is due
 * @random: something that differs from thread to thread
 */
void gapp_slice_init(struct gapp_slice *slice, const struct gapp_due *rule, u64 random)
{
	memset(slice, 0, sizeof(*slice));
	slice->random = random;
	slice->due = draw_share(slice, rule);
	slice->wait_due = draw_wait(slice, rule);
}

/* Clocks of CPUs differ by nanoseconds: a step back is none. */
static u64 growth(u64 now, u64 before)
{
	return now > before ? now - before : 0;
}

/* S wraps. */
static u64 growth_of_s(u64 now, u64 before)
{
	return (s64)(now - before) > 0 ? now - before : 0;
}

/* The next part begins where this one ended, so that parts add up to the whole. */
static void go_on(struct gapp_slice *slice, const struct gapp_due *rule, const struct gapp_at *at)
{
	struct gapp_since *begin = &slice->begin;

	begin->t += growth(at->t, begin->t);
	begin->g += growth(at->g, begin->g);
	begin->c += growth(at->c, begin->c);
	begin->s += growth_of_s(at->s, begin->s);
	slice->share_at = share_clock(rule, begin->g, begin->c);
}

/**
 * gapp_slice_begin() - the thread is switched in
 * @slice: the thread's
 * @rule: when a record is due
 * @at: the accumulators then
 */
void gapp_slice_begin(struct gapp_slice *slice, const struct gapp_due *rule,
		      const struct gapp_at *at)
{
	slice->open = true;
	slice->critical = false;
	slice->sampled = false;
	slice->begin = (struct gapp_since){ .t = at->t, .g = at->g, .c = at->c, .s = at->s };
	slice->share_at = share_clock(rule, at->g, at->c);
}

/**
 * gapp_slice_sample() - a sample hits the open slice
 * @slice: the thread's
 * @rule: when a record is due
 * @at: the accumulators then
 *
 * Return: the share that has grown since the sample before, or the begin.
 */
u64 gapp_slice_sample(struct gapp_slice *slice, const struct gapp_due *rule,
		      const struct gapp_at *at)
{
	u64 clock = share_clock(rule, at->g, at->c);
	u64 share = growth(clock, slice->share_at);

	if (share)
		slice->share_at = clock;
	return share;
}

static u64 length(const struct gapp_slice *slice, const struct gapp_at *at)
{
	return growth(at->t, slice->begin.t);
}

static u64 cmetric(const struct gapp_slice *slice, const struct gapp_at *at)
{
	return growth(at->g, slice->begin.g);
}

static u64 thread_ns(const struct gapp_slice *slice, const struct gapp_at *at)
{
	return growth_of_s(at->s, slice->begin.s);
}

/*
 * As the paper has it: the whole slice or nothing of it. The average is at most n_min if
 * thread_ns / n_min, rounded up, is at most the length.
 */
static u64 average_share(const struct gapp_slice *slice, const struct gapp_at *at)
{
	u64 threads = thread_ns(slice, at);

	if (!threads || !at->n_min)
		return 0;
	return div_u64(threads - 1, at->n_min) < length(slice, at) ? cmetric(slice, at) : 0;
}

static u64 own_share(const struct gapp_slice *slice, const struct gapp_due *rule,
		     const struct gapp_at *at)
{
	return rule->criterion == GAPP_CRITERION_AVERAGE ? average_share(slice, at) :
							   growth(at->c, slice->begin.c);
}

static void take_carry(struct gapp_slice *slice, struct gapp_slice_end *end)
{
	end->share = slice->carry + end->own_share;
	end->slices += slice->carried;
	slice->carry = 0;
	slice->carried = 0;
}

/* What a record has besides. */
static void measure(struct gapp_slice *slice, const struct gapp_due *rule, const struct gapp_at *at,
		    struct gapp_slice_end *end)
{
	end->begin = slice->begin.t;
	end->length = length(slice, at);
	end->cmetric = cmetric(slice, at);
	end->thread_ns = thread_ns(slice, at);
	take_carry(slice, end);
	if (rule->min_critical_ns)
		slice->due = draw_share(slice, rule);
}

/**
 * gapp_slice_end() - the open slice ends, or a part of it
 * @slice: the thread's; nothing is open afterwards but with GAPP_SLICE_GOES_ON
 * @rule: when a record is due
 * @at: the accumulators then
 * @how: how it ends
 * @sampled: samples have hit what ends
 * @end: what it collected; its record has what was carried over besides
 */
void gapp_slice_end(struct gapp_slice *slice, const struct gapp_due *rule, const struct gapp_at *at,
		    enum gapp_slice_how how, bool sampled, struct gapp_slice_end *end)
{
	const bool over = how != GAPP_SLICE_GOES_ON;
	u64 own = own_share(slice, rule, at), share = slice->carry + own;
	u64 due = how == GAPP_SLICE_SWITCHED ? slice->due : 1;

	end->own_share = own;
	end->critical = own || slice->critical;
	end->sampled = sampled || slice->sampled;
	end->slices = over;
	end->due = share >= due || !rule->min_critical_ns;
	if (end->due) {
		measure(slice, rule, at, end);
	} else {
		slice->carry = share;
		slice->carried += over;
	}
	if (over) {
		slice->open = false;
		return;
	}
	slice->critical = end->critical;
	slice->sampled = end->sampled;
	go_on(slice, rule, at);
}

/**
 * gapp_slice_rest() - take what was carried over and has not come to a record
 * @slice: the thread's, not open
 * @end: filled in
 *
 * Return: whether there is any.
 */
bool gapp_slice_rest(struct gapp_slice *slice, struct gapp_slice_end *end)
{
	memset(end, 0, sizeof(*end));
	end->due = slice->carry > 0;
	if (end->due)
		take_carry(slice, end);
	return end->due;
}

/**
 * gapp_slice_waited() - the thread ends a time in which no thread was active
 * @slice: the thread's
 * @at: the accumulators when it became active
 *
 * Return: whether a record is due.
 */
bool gapp_slice_waited(struct gapp_slice *slice, const struct gapp_at *at)
{
	slice->wait_ns += at->idle;
	slice->wait_stretches++;
	slice->wait_begin = at->t - at->idle;
	return slice->wait_ns >= slice->wait_due;
}

/**
 * gapp_slice_take_wait() - take that time for a record
 * @slice: the thread's
 * @rule: when a record is due
 * @stretches: set to how many it is
 *
 * Return: the time; 0: there is none.
 */
u64 gapp_slice_take_wait(struct gapp_slice *slice, const struct gapp_due *rule, u32 *stretches)
{
	u64 wait_ns = slice->wait_ns;

	*stretches = slice->wait_stretches;
	slice->wait_ns = 0;
	slice->wait_stretches = 0;
	if (rule->min_critical_ns)
		slice->wait_due = draw_wait(slice, rule);
	return wait_ns;
}
