/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slices, a thread's stays on a CPU: what each collected, and when a record is
 * due. A slice with too little share for a record leaves its share to a later
 * one, so no share is lost. Stretches of time with no active thread that the
 * thread ends add up to a record in the same way.
 */
#ifndef GAPP_CORE_SLICE_H
#define GAPP_CORE_SLICE_H

#include "cmetric.h"
#include "port.h"

/**
 * struct gapp_due - when a record is due; see gapp_due_init()
 * @least: shares that a record needs at least; 0: a record is always due
 * @range: shares that a record needs on top for each unit of a random u16
 * @seed: seed of the random numbers
 * @criterion: enum gapp_criterion
 */
struct gapp_due {
	u64 least;
	u64 range;
	u64 seed;
	u32 criterion;
};

/**
 * struct gapp_since - integrals at the begin of a slice
 * @t: session time
 * @g: G, in shares
 * @c: C, in shares
 * @s: S, in thread nanoseconds
 */
struct gapp_since {
	u64 t;
	u64 g;
	u64 c;
	u64 s;
};

/* What is known of an open slice, beside its begin. */
enum {
	GAPP_OPEN_CRITICAL = 1, /* a part that was already exported was critical */
	GAPP_OPEN_SAMPLED = 2, /* a sample hit a part that was already exported */
	GAPP_OPEN_HAS_SAMPLES = 4, /* for the caller: samples wait for the next record */
	GAPP_OPEN_BY_AVERAGE = 8, /* GAPP_CRITERION_AVERAGE; set before the first slice */
};

/**
 * struct gapp_open_slice - the slice of the thread that a CPU runs now
 * @begin: integrals at its begin, or at the record of its last part
 * @share_at: C, or G with GAPP_CRITERION_AVERAGE, at the last sample; 0: no sample since @begin
 * @marks: GAPP_OPEN_* bits
 */
struct gapp_open_slice {
	struct gapp_since begin;
	u64 share_at;
	u8 marks;
};

/**
 * struct gapp_slice - what a thread carries from one slice to the next
 * @lacks: share that lacks until a record is due: gapp_slice_due() less what is carried, which is
 *	the share of earlier slices that no record has yet. 0 or less: the next slice has a record
 * @wait_ns: nanoseconds with no active thread that this thread ended and no record has yet
 * @carried: number of slices whose share is carried
 * @due: random number that decides at which share a record is due
 * @wait_due: random number that decides at which @wait_ns a record is due
 * @wait_begin: session time at which the last stretch in @wait_ns began
 * @wait_stretches: number of stretches in @wait_ns
 *
 * Each thread has one, so it is packed.
 */
struct gapp_slice {
	s64 lacks;
	u64 wait_ns;
	u32 carried;
	u16 due;
	u16 wait_due;
	u64 wait_begin;
	u32 wait_stretches;
} __packed __aligned(4);

/**
 * struct gapp_slice_end - a slice or a part of a slice that ended
 * @begin: session time of its begin
 * @length: nanoseconds that it lasted
 * @critical_share: critical share of this slice and of earlier ones without a record
 * @own_critical_share: critical share of this slice alone
 * @cmetric: share of this slice at any n
 * @thread_ns: integral of n over the slice, in thread nanoseconds
 * @slices: number of slices in @critical_share
 * @due: a record is due; if not, only @own_critical_share, @slices, @critical and @sampled are set
 * @critical: the slice so far, with all its parts, was critical
 * @sampled: a sample hit the slice so far
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

/**
 * struct gapp_slice_share - the share of a slice that ended
 * @own: critical share of this slice alone
 * @critical: critical share of this slice and of earlier ones without a record
 * @slices: number of slices in @critical
 */
struct gapp_slice_share {
	u64 own;
	u64 critical;
	u32 slices;
};

/* How a slice comes to an end. */
enum gapp_slice_how {
	GAPP_SLICE_SWITCHED, /* the thread may run again, and carries a small share over */
	GAPP_SLICE_LAST, /* the thread or the session ends */
	GAPP_SLICE_GOES_ON, /* only a part ends, and the slice stays open */
};

void gapp_due_init(struct gapp_due *rule, u64 min_critical_ns, u32 criterion, u64 seed);
void gapp_slice_init(struct gapp_slice *slice, const struct gapp_due *rule, u64 thread);
u64 gapp_slice_due(const struct gapp_slice *slice, const struct gapp_due *rule);
u64 gapp_slice_carried(const struct gapp_slice *slice, const struct gapp_due *rule);
u64 gapp_slice_wait_due(const struct gapp_slice *slice, const struct gapp_due *rule);
void gapp_slice_begin(struct gapp_open_slice *open, const struct gapp_at *at);
u64 gapp_slice_sample(struct gapp_open_slice *open, const struct gapp_due *rule,
		      const struct gapp_at *at);
u64 gapp_slice_own(const struct gapp_open_slice *open, const struct gapp_due *rule,
		   const struct gapp_at *at);
void gapp_slice_end(struct gapp_slice *slice, struct gapp_open_slice *open,
		    const struct gapp_due *rule, const struct gapp_at *at, enum gapp_slice_how how,
		    bool sampled, struct gapp_slice_end *end);
bool gapp_slice_end_usual(struct gapp_slice *slice, const struct gapp_open_slice *open,
			  const struct gapp_at *at, u64 *own);
bool gapp_slice_take_usual(struct gapp_slice *slice, const struct gapp_open_slice *open,
			   const struct gapp_due *rule, const struct gapp_at *at,
			   struct gapp_slice_share *share);
u64 gapp_slice_cmetric(const struct gapp_open_slice *open, const struct gapp_at *at);
u64 gapp_slice_thread_ns(const struct gapp_open_slice *open, const struct gapp_at *at);
u64 gapp_slice_carry(struct gapp_slice *slice, const struct gapp_open_slice *open,
		     const struct gapp_due *rule, const struct gapp_at *at);
bool gapp_slice_rest(struct gapp_slice *slice, const struct gapp_due *rule,
		     struct gapp_slice_end *end);
bool gapp_slice_waited(struct gapp_slice *slice, const struct gapp_due *rule,
		       const struct gapp_at *at);
u64 gapp_slice_take_wait(struct gapp_slice *slice, const struct gapp_due *rule, u32 *stretches);

#endif /* GAPP_CORE_SLICE_H */
