// SPDX-License-Identifier: GPL-2.0
/* Slices: differences of the integrals, and the rule for when a record is due. */
#include "slice.h"
#include "mix.h"

/* Highest min_critical_ns that the arithmetic can hold: 13 days. */
#define MAX_DRAW_NS 0x4000000000000ULL

/**
 * gapp_due_init() - set the rule for when a record is due
 * @rule: the rule
 * @min_critical_ns: nanoseconds of share for a record, on average; 0: a record is always due
 * @criterion: enum gapp_criterion
 * @seed: secret seed of the random numbers
 *
 * A record is due at a random share from half to one and a half times @min_critical_ns. At a fixed
 * share a program whose slices follow a pattern would always get its record at the same slice.
 */
void gapp_due_init(struct gapp_due *rule, u64 min_critical_ns, u32 criterion, u64 seed)
{
	u64 about = min_critical_ns < MAX_DRAW_NS ? min_critical_ns : MAX_DRAW_NS;

	/* The shift by 16 cuts off less than 16 ns. */
	about <<= GAPP_SHARE_SHIFT;
	rule->least = about / 2;
	rule->range = about >> 16;
	rule->seed = seed;
	rule->criterion = criterion;
}

/* A random number from session time, which no program can choose to the nanosecond. */
static u16 draw(const struct gapp_due *rule, u64 t)
{
	return gapp_mix(rule->seed + t * 0x9e3779b97f4a7c15ULL) >> 48;
}

/* The share at which a record is due. */
static u64 due_share(const struct gapp_due *rule, u16 drawn)
{
	/* then @range is 0, too */
	if (!rule->least)
		return 0;
	return rule->least + rule->range * drawn;
}

/**
 * gapp_slice_due() - the share at which the next slice record is due
 * @slice: slice state of the thread
 * @rule: when a record is due
 *
 * Return: the share.
 */
u64 gapp_slice_due(const struct gapp_slice *slice, const struct gapp_due *rule)
{
	return due_share(rule, slice->due);
}

/**
 * gapp_slice_carried() - the share of earlier slices that no record has yet
 * @slice: slice state of the thread
 * @rule: when a record is due
 *
 * Return: the share.
 */
u64 gapp_slice_carried(const struct gapp_slice *slice, const struct gapp_due *rule)
{
	return gapp_slice_due(slice, rule) - slice->lacks;
}

/**
 * gapp_slice_wait_due() - the time without active threads at which the next wait record is due
 * @slice: slice state of the thread
 * @rule: when a record is due
 *
 * Return: nanoseconds.
 */
u64 gapp_slice_wait_due(const struct gapp_slice *slice, const struct gapp_due *rule)
{
	return due_share(rule, slice->wait_due) >> GAPP_SHARE_SHIFT;
}

/* The integral whose difference is the share. */
static u64 share_clock(const struct gapp_due *rule, u64 g, u64 c)
{
	return rule->criterion == GAPP_CRITERION_AVERAGE ? g : c;
}

/**
 * gapp_slice_init() - slice state of a new thread
 * @slice: slice state of the thread
 * @rule: when a record is due
 * @thread: a number that differs between threads
 */
void gapp_slice_init(struct gapp_slice *slice, const struct gapp_due *rule, u64 thread)
{
	memset(slice, 0, sizeof(*slice));
	slice->due = draw(rule, ~thread);
	slice->wait_due = draw(rule, gapp_mix(thread));
	slice->lacks = gapp_slice_due(slice, rule);
}

/* The clocks of two CPUs differ by nanoseconds: a step back counts as 0. */
static u64 growth(u64 now, u64 before)
{
	return now > before ? now - before : 0;
}

/* growth() of S, which wraps. */
static u64 growth_of_s(u64 now, u64 before)
{
	return (s64)(now - before) > 0 ? now - before : 0;
}

/* The next part begins where this one ended, so that the parts add up to the slice. */
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
 * @open: open slice of the CPU
 * @at: integrals at the switch
 */
void gapp_slice_begin(struct gapp_open_slice *open, const struct gapp_at *at)
{
	open->begin = (struct gapp_since){ .t = at->t, .g = at->g, .c = at->c, .s = at->s };
	open->share_at = 0;
	open->marks &= GAPP_OPEN_BY_AVERAGE;
}

/**
 * gapp_slice_sample() - a sample hits the open slice
 * @open: open slice of the CPU
 * @rule: when a record is due
 * @at: integrals at the sample
 *
 * Return: the share since the previous sample, or since the begin of the slice.
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

/**
 * gapp_slice_cmetric() - the share of an open slice at any n, if it ended now
 * @open: open slice of the CPU
 * @at: the integrals now
 *
 * Return: the share since its begin, or since the record of its last part.
 */
u64 gapp_slice_cmetric(const struct gapp_open_slice *open, const struct gapp_at *at)
{
	return growth(at->g, open->begin.g);
}

/**
 * gapp_slice_thread_ns() - the integral of n over an open slice, if it ended now
 * @open: open slice of the CPU
 * @at: the integrals now
 *
 * Return: thread nanoseconds since its begin, or since the record of its last part.
 */
u64 gapp_slice_thread_ns(const struct gapp_open_slice *open, const struct gapp_at *at)
{
	return growth_of_s(at->s, open->begin.s);
}

/*
 * GAPP_CRITERION_AVERAGE, as in the paper: all share of the slice if its average n is at most
 * n_min, that is if thread_ns / n_min, rounded up, is at most the length.
 */
static u64 average_share(const struct gapp_open_slice *open, const struct gapp_at *at)
{
	u64 threads = gapp_slice_thread_ns(open, at);

	if (!threads || !at->n_min)
		return 0;
	if (div_u64(threads - 1, at->n_min) >= length(open, at))
		return 0;
	return gapp_slice_cmetric(open, at);
}

/**
 * gapp_slice_own() - the critical share of an open slice alone, if it ended now
 * @open: open slice of the CPU
 * @rule: when a record is due
 * @at: the integrals now
 *
 * Return: the share since its begin, or since the record of its last part.
 */
u64 gapp_slice_own(const struct gapp_open_slice *open, const struct gapp_due *rule,
		   const struct gapp_at *at)
{
	return rule->criterion == GAPP_CRITERION_AVERAGE ? average_share(open, at) :
							   growth(at->c, open->begin.c);
}

/* Nothing is carried any more. */
static void draw_again(struct gapp_slice *slice, const struct gapp_due *rule, u64 t)
{
	if (rule->least)
		slice->due = draw(rule, t);
	slice->lacks = gapp_slice_due(slice, rule);
	slice->carried = 0;
}

static void take_carry(const struct gapp_slice *slice, const struct gapp_due *rule,
		       struct gapp_slice_end *end)
{
	end->critical_share = gapp_slice_carried(slice, rule) + end->own_critical_share;
	end->slices += slice->carried;
}

/* Fills in what only a record needs. */
static void measure(struct gapp_slice *slice, const struct gapp_open_slice *open,
		    const struct gapp_due *rule, const struct gapp_at *at,
		    struct gapp_slice_end *end)
{
	end->begin = open->begin.t;
	end->length = length(open, at);
	end->cmetric = gapp_slice_cmetric(open, at);
	end->thread_ns = gapp_slice_thread_ns(open, at);
	take_carry(slice, rule, end);
	draw_again(slice, rule, at->t);
}

/**
 * gapp_slice_end() - a slice ends, or a part of a slice
 * @slice: slice state of the thread
 * @open: open slice of the CPU; it stays open only with GAPP_SLICE_GOES_ON
 * @rule: when a record is due
 * @at: integrals at the end
 * @how: how the slice ends
 * @sampled: a sample hit the slice, or the part
 * @end: what the slice collected
 */
void gapp_slice_end(struct gapp_slice *slice, struct gapp_open_slice *open,
		    const struct gapp_due *rule, const struct gapp_at *at, enum gapp_slice_how how,
		    bool sampled, struct gapp_slice_end *end)
{
	const bool over = how != GAPP_SLICE_GOES_ON;
	const u64 own = gapp_slice_own(open, rule, at);

	end->own_critical_share = own;
	end->critical = own || open->marks & GAPP_OPEN_CRITICAL;
	end->sampled = sampled || open->marks & GAPP_OPEN_SAMPLED;
	end->slices = over;
	if (how == GAPP_SLICE_SWITCHED)
		end->due = slice->lacks <= 0 || own >= (u64)slice->lacks;
	else
		end->due = !rule->least || gapp_slice_carried(slice, rule) + own;
	if (end->due) {
		measure(slice, open, rule, at, end);
	} else {
		slice->lacks -= own;
		slice->carried += over;
	}
	if (over)
		return;
	open->marks &= GAPP_OPEN_BY_AVERAGE;
	open->marks |= (end->critical ? GAPP_OPEN_CRITICAL : 0) |
		       (end->sampled ? GAPP_OPEN_SAMPLED : 0);
	go_on(open, at);
}

/**
 * gapp_slice_end_usual() - gapp_slice_end() of a slice that needs no record and has no marks
 * @slice: slice state of the thread, which carries the share
 * @open: open slice of the CPU
 * @at: integrals at the end
 * @own: set to the critical share of the slice alone
 *
 * Return: false if gapp_slice_end() must end it: nothing was changed.
 */
bool gapp_slice_end_usual(struct gapp_slice *slice, const struct gapp_open_slice *open,
			  const struct gapp_at *at, u64 *own)
{
	if (unlikely(open->marks))
		return false;
	*own = growth(at->c, open->begin.c);
	/* more than 26 days in one slice are negative */
	if ((s64)*own >= slice->lacks || unlikely((s64)*own < 0))
		return false;
	slice->lacks -= *own;
	slice->carried++;
	return true;
}

/**
 * gapp_slice_take_usual() - gapp_slice_end() of a slice that has a record but no marks
 * @slice: slice state of the thread
 * @open: open slice of the CPU
 * @rule: when a record is due
 * @at: integrals at the end
 * @share: set to the share for the record
 *
 * Return: false if gapp_slice_end() must end it: nothing was changed.
 */
bool gapp_slice_take_usual(struct gapp_slice *slice, const struct gapp_open_slice *open,
			   const struct gapp_due *rule, const struct gapp_at *at,
			   struct gapp_slice_share *share)
{
	if (unlikely(open->marks))
		return false;
	share->own = growth(at->c, open->begin.c);
	if (slice->lacks > 0 && share->own < (u64)slice->lacks)
		return false;
	share->critical = gapp_slice_carried(slice, rule) + share->own;
	share->slices = slice->carried + 1;
	draw_again(slice, rule, at->t);
	return true;
}

/**
 * gapp_slice_carry() - a slice ends that cannot have a record
 * @slice: slice state of the thread, which carries the share to a later record
 * @open: the slice
 * @rule: when a record is due
 * @at: integrals at the end
 *
 * Return: the critical share of the slice.
 */
u64 gapp_slice_carry(struct gapp_slice *slice, const struct gapp_open_slice *open,
		     const struct gapp_due *rule, const struct gapp_at *at)
{
	u64 own = gapp_slice_own(open, rule, at);

	slice->lacks -= own;
	slice->carried++;
	return own;
}

/**
 * gapp_slice_rest() - take the share that a thread has carried to its end
 * @slice: slice state of a thread that has no open slice
 * @rule: when a record is due
 * @end: the share for a record
 *
 * Return: true if there is any.
 */
bool gapp_slice_rest(struct gapp_slice *slice, const struct gapp_due *rule,
		     struct gapp_slice_end *end)
{
	memset(end, 0, sizeof(*end));
	end->due = gapp_slice_carried(slice, rule) > 0;
	if (!end->due)
		return false;
	take_carry(slice, rule, end);
	slice->lacks = gapp_slice_due(slice, rule);
	slice->carried = 0;
	return true;
}

/**
 * gapp_slice_waited() - a thread ends a stretch of time with no active thread
 * @slice: slice state of the thread
 * @rule: when a record is due
 * @at: integrals when the thread became active
 *
 * Return: true if a record is due.
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
 * gapp_slice_take_wait() - take the time with no active thread for a record
 * @slice: slice state of the thread
 * @rule: when a record is due
 * @stretches: set to the number of stretches
 *
 * Return: nanoseconds; 0: there are none.
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
