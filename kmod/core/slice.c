// SPDX-License-Identifier: GPL-2.0
/* Slices: differences of the accumulators, and the rule that says when they are told. */
#include "slice.h"
#include "mix.h"

/* More than a draw can be about: 13 days. */
#define MAX_DRAW_NS 0x4000000000000ULL

/**
 * gapp_due_init() - set a rule
 * @rule: the rule
 * @min_critical_ns: a record is due when about so much has come together; 0: always
 * @criterion: enum gapp_criterion
 * @seed: of the draws, a secret
 *
 * It is between half and one and a half times that much, drawn anew for each record. A fixed amount
 * would fall in step with a program whose slices come in a pattern, and always hit the same one of
 * them.
 */
void gapp_due_init(struct gapp_due *rule, u64 min_critical_ns, u32 criterion, u64 seed)
{
	u64 about = min_critical_ns < MAX_DRAW_NS ? min_critical_ns : MAX_DRAW_NS;

	/* What 16 bits of randomness cut off is nothing, for a nanosecond has 4096 shares. */
	about <<= GAPP_SHARE_SHIFT;
	rule->least = about / 2;
	rule->range = about >> 16;
	rule->seed = seed;
	rule->criterion = criterion;
}

/* By session time, which never comes again and which nobody can choose to the nanosecond. */
static u16 draw(const struct gapp_due *rule, u64 t)
{
	return gapp_mix(rule->seed + t * 0x9e3779b97f4a7c15ULL) >> 48;
}

/* A record is due at this share. */
static u64 due_share(const struct gapp_due *rule, u16 drawn)
{
	return rule->least + rule->range * drawn;
}

u64 gapp_slice_due(const struct gapp_slice *slice, const struct gapp_due *rule)
{
	return due_share(rule, slice->due);
}

u64 gapp_slice_wait_due(const struct gapp_slice *slice, const struct gapp_due *rule)
{
	return due_share(rule, slice->wait_due) >> GAPP_SHARE_SHIFT;
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
 * @thread: something that differs from thread to thread
 */
void gapp_slice_init(struct gapp_slice *slice, const struct gapp_due *rule, u64 thread)
{
	memset(slice, 0, sizeof(*slice));
	slice->due = draw(rule, ~thread);
	slice->wait_due = draw(rule, gapp_mix(thread));
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
static void go_on(struct gapp_open_slice *open, const struct gapp_at *at)
{
	struct gapp_since *begin = &open->begin;

	begin->t += growth(at->t, begin->t);
	begin->g += growth(at->g, begin->g);
	begin->c += growth(at->c, begin->c);
	begin->s += growth_of_s(at->s, begin->s);
	open->share_at = 0;
}

/**
 * gapp_slice_begin() - a thread is switched in
 * @open: its slice
 * @at: the accumulators then
 */
void gapp_slice_begin(struct gapp_open_slice *open, const struct gapp_at *at)
{
	open->begin = (struct gapp_since){ .t = at->t, .g = at->g, .c = at->c, .s = at->s };
	open->share_at = 0;
	open->critical = false;
	open->sampled = false;
}

/**
 * gapp_slice_sample() - a sample hits the open slice
 * @open: the slice
 * @rule: when a record is due
 * @at: the accumulators then
 *
 * Return: the share that has grown since the sample before, or the begin.
 */
u64 gapp_slice_sample(struct gapp_open_slice *open, const struct gapp_due *rule,
		      const struct gapp_at *at)
{
	u64 clock = share_clock(rule, at->g, at->c);
	u64 before = open->share_at;
	u64 share;

	if (!before)
		before = share_clock(rule, open->begin.g, open->begin.c);
	share = growth(clock, before);
	if (share)
		open->share_at = clock;
	return share;
}

static u64 length(const struct gapp_open_slice *open, const struct gapp_at *at)
{
	return growth(at->t, open->begin.t);
}

static u64 cmetric(const struct gapp_open_slice *open, const struct gapp_at *at)
{
	return growth(at->g, open->begin.g);
}

static u64 thread_ns(const struct gapp_open_slice *open, const struct gapp_at *at)
{
	return growth_of_s(at->s, open->begin.s);
}

/*
 * As the paper has it: the whole slice or nothing of it. The average is at most n_min if
 * thread_ns / n_min, rounded up, is at most the length.
 */
static u64 average_share(const struct gapp_open_slice *open, const struct gapp_at *at)
{
	u64 threads = thread_ns(open, at);

	if (!threads || !at->n_min)
		return 0;
	return div_u64(threads - 1, at->n_min) < length(open, at) ? cmetric(open, at) : 0;
}

static u64 own_critical_share(const struct gapp_open_slice *open, const struct gapp_due *rule,
			      const struct gapp_at *at)
{
	return rule->criterion == GAPP_CRITERION_AVERAGE ? average_share(open, at) :
							   growth(at->c, open->begin.c);
}

static void take_carry(struct gapp_slice *slice, struct gapp_slice_end *end)
{
	end->critical_share = slice->carry + end->own_critical_share;
	end->slices += slice->carried;
	slice->carry = 0;
	slice->carried = 0;
}

/* What a record has besides. */
static void measure(struct gapp_slice *slice, const struct gapp_open_slice *open,
		    const struct gapp_due *rule, const struct gapp_at *at,
		    struct gapp_slice_end *end)
{
	end->begin = open->begin.t;
	end->length = length(open, at);
	end->cmetric = cmetric(open, at);
	end->thread_ns = thread_ns(open, at);
	take_carry(slice, end);
	if (rule->least)
		slice->due = draw(rule, at->t);
}

/**
 * gapp_slice_end() - a slice ends, or a part of it
 * @slice: the thread's
 * @open: the slice; open afterwards only with GAPP_SLICE_GOES_ON
 * @rule: when a record is due
 * @at: the accumulators then
 * @how: how it ends
 * @sampled: samples have hit what ends
 * @end: what it collected; its record has what was carried over besides
 */
void gapp_slice_end(struct gapp_slice *slice, struct gapp_open_slice *open,
		    const struct gapp_due *rule, const struct gapp_at *at, enum gapp_slice_how how,
		    bool sampled, struct gapp_slice_end *end)
{
	const bool over = how != GAPP_SLICE_GOES_ON;
	u64 own = own_critical_share(open, rule, at), share = slice->carry + own;
	u64 due = how == GAPP_SLICE_SWITCHED ? due_share(rule, slice->due) : !!rule->least;

	end->own_critical_share = own;
	end->critical = own || open->critical;
	end->sampled = sampled || open->sampled;
	end->slices = over;
	end->due = share >= due;
	if (end->due) {
		measure(slice, open, rule, at, end);
	} else {
		slice->carry = share;
		slice->carried += over;
	}
	if (over)
		return;
	open->critical = end->critical;
	open->sampled = end->sampled;
	go_on(open, at);
}

/**
 * gapp_slice_rest() - take what was carried over and has not come to a record
 * @slice: the thread's, of which none is open
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
 * @rule: when a record is due
 * @at: the accumulators when it became active
 *
 * Return: whether a record is due.
 */
bool gapp_slice_waited(struct gapp_slice *slice, const struct gapp_due *rule,
		       const struct gapp_at *at)
{
	slice->wait_ns += at->idle;
	slice->wait_stretches++;
	slice->wait_begin = at->t - at->idle;
	return slice->wait_ns >= gapp_slice_wait_due(slice, rule);
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
	if (rule->least)
		slice->wait_due = draw(rule, ~slice->wait_begin);
	return wait_ns;
}
