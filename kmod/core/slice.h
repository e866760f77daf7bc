/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread's slices (its stays on a CPU): what each collected, and when that
 * is worth a record. Small shares are carried over to a later record, so that
 * none is lost; likewise the waits of the whole target that the thread ended.
 */
#ifndef GAPP_CORE_SLICE_H
#define GAPP_CORE_SLICE_H

#include "cmetric.h"
#include "port.h"

/**
 * struct gapp_due - when a record is due; see gapp_due_init()
 * @least: so much share must have come together; 0: a record is always due
 * @range: and so much besides, by a draw, in 2^16ths
 * @seed: of the draws
 * @criterion: enum gapp_criterion
 */
struct gapp_due {
	u64 least;
	u64 range;
	u64 seed;
	u32 criterion;
};

/**
 * struct gapp_since - the accumulators at a slice's begin
 * @t: session time
 * @g: G
 * @c: C
 * @s: S
 */
struct gapp_since {
	u64 t;
	u64 g;
	u64 c;
	u64 s;
};

/**
 * struct gapp_open_slice - a slice that has not ended: there is one for each CPU, at most
 * @begin: its begin, or the last record of a part of it
 * @share_at: the share's clock (C or G) at the last sample; 0: there was none since @begin
 * @critical: a part of the slice that has its record already was critical
 * @sampled: it was sampled, likewise
 */
struct gapp_open_slice {
	struct gapp_since begin;
	u64 share_at;
	bool critical;
	bool sampled;
};

/**
 * struct gapp_slice - what is carried over from a thread's slice to its next
 * @carry: share of earlier slices that no record had yet
 * @wait_ns: time with no thread active that this thread ended and no record had yet
 * @carried: slices that @carry is of
 * @due: the draw that says at which share a record is due
 * @wait_due: the draw that says at which time
 * @wait_begin: session time at which the last stretch of that time began
 * @wait_stretches: how many there were
 *
 * There is one for each thread: nothing is behind its last member.
 */
struct gapp_slice {
	u64 carry;
	u64 wait_ns;
	u32 carried;
	u16 due;
	u16 wait_due;
	u64 wait_begin;
	u32 wait_stretches;
} __packed __aligned(4);

/**
 * struct gapp_slice_end - a slice or a part of one that ended
 * @begin: session time of its begin
 * @length: its length
 * @share: critical share that its record carries
 * @own_critical_share: of this slice alone
 * @cmetric: all share of it
 * @thread_ns: integral of n over it
 * @slices: slices that @share stands for
 * @due: a record is to be written; without one only @own_critical_share, @critical, @sampled and
 *@slices are set
 * @critical: the whole slice was critical (at its last part)
 * @sampled: a sample hit the whole slice (at its last part)
 */
struct gapp_slice_end {
	u64 begin;
	u64 length;
	u64 critical_share;
	u64 own_critical_share;
	u64 cmetric;
	u64 thread_ns;
	u32 slices;
	bool due;
	bool critical;
	bool sampled;
};

/* How a slice comes to an end. */
enum gapp_slice_how {
	GAPP_SLICE_SWITCHED, /* it may come again: small shares are carried over */
	GAPP_SLICE_LAST, /* nothing comes after it */
	GAPP_SLICE_GOES_ON, /* a part of it: it stays open */
};

void gapp_due_init(struct gapp_due *rule, u64 min_critical_ns, u32 criterion, u64 seed);
void gapp_slice_init(struct gapp_slice *slice, const struct gapp_due *rule, u64 thread);
u64 gapp_slice_due(const struct gapp_slice *slice, const struct gapp_due *rule);
u64 gapp_slice_wait_due(const struct gapp_slice *slice, const struct gapp_due *rule);
void gapp_slice_begin(struct gapp_open_slice *open, const struct gapp_at *at);
u64 gapp_slice_sample(struct gapp_open_slice *open, const struct gapp_due *rule,
		      const struct gapp_at *at);
void gapp_slice_end(struct gapp_slice *slice, struct gapp_open_slice *open,
		    const struct gapp_due *rule, const struct gapp_at *at, enum gapp_slice_how how,
		    bool sampled, struct gapp_slice_end *end);
bool gapp_slice_rest(struct gapp_slice *slice, struct gapp_slice_end *end);
bool gapp_slice_waited(struct gapp_slice *slice, const struct gapp_due *rule,
		       const struct gapp_at *at);
u64 gapp_slice_take_wait(struct gapp_slice *slice, const struct gapp_due *rule, u32 *stretches);

#endif /* GAPP_CORE_SLICE_H */
