/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The way of a ranking: cells become flows (which share goes to which stack),
 * flows are put together into rows, rows are sorted, and those that rank get
 * their frames and lines.
 */
#ifndef GAPP_READ_RANK_INT_H
#define GAPP_READ_RANK_INT_H

#include "profile_int.h"
#include "believed.h"

/**
 * struct flow - a part of a cell that goes to one place
 * @cell: number of the cell
 * @key: stack that tells the row
 * @leaf: stack that tells the line
 * @row: number of the row
 * @part: of the cell: more than 0, at most 1; all flows of a cell make 1
 * @inferred: no sample told
 * @stack_top: @leaf is where the slices ended, for want of anything better
 */
struct flow {
	u32 cell;
	u32 key;
	u32 leaf;
	u32 row;
	double part;
	bool inferred;
	bool stack_top;
};

/* The flows of a cell follow each other. */
struct flows {
	struct flow *flow;
	u32 count;
	u32 room;
};

/**
 * struct part - what a row has of one stack
 * @row: number of the row
 * @leaf: the stack
 * @stack_top: as in struct flow
 * @samples: that hit it
 * @critical_ns: how much
 */
struct part {
	u32 row;
	u32 leaf;
	bool stack_top;
	u64 samples;
	double critical_ns;
};

/**
 * struct row - a row that is being made
 * @ranked: what is known of it yet
 * @target: its target
 * @stack: stack of its largest flow; the others have the same functions
 * @spot: with BY_LINE: the line
 * @slices: as in @ranked, with parts of slices
 * @then: likewise
 * @n_ns: sum of nanoseconds times average active threads
 * @largest_ns: largest flow
 * @first_part: number of its first part
 * @part_count: how many, the largest first
 */
struct row {
	struct ranked ranked;
	u32 target;
	u32 stack;
	const struct frame *spot;
	double slices;
	double then[THEN_COUNT];
	double n_ns;
	double largest_ns;
	u32 first_part;
	u32 part_count;
};

struct ranker {
	struct profile *profile;
	struct symbols *symbols;
	const struct profile_options *options;
	struct walk *walks; /* by id of the stack */
	const struct frame **spots; /* likewise, with BY_LINE */
	struct flows flows;
	u32 *first_flow; /* by number of the cell */
	struct row *rows;
	u32 row_room;
	struct hash_index row_index;
	struct part *parts;
	u32 part_count;
};

/* What a row is of, beside its functions or line. */
struct row_key {
	enum path_kind kind;
	enum gapp_wait_reason wait;
	u32 target;
	u32 stack;
};

/* HASH_NONE: there is none. */
u32 rank_find_row(const struct ranker *ranker, const struct row_key *key);

/* All return 0, or -1 without memory. */
int blame(const struct profile *profile, const struct profile_options *options,
	  struct flows *flows);
int rank_rows(struct ranker *ranker);
int rank_parts(struct ranker *ranker);
int rank_counts(struct ranker *ranker);
int rank_frames(struct ranker *ranker, struct row *row, bool thorough);
int rank_threads(const struct profile *profile, const struct profile_options *options,
		 struct ranking *ranking);

/* Lines, as they are told apart: by file and number, or else by function or place. */
u64 spot_hash(const struct frame *spot);
bool spot_same(const struct frame *a, const struct frame *b);

/* For qsort: the order of the report. */
int ranked_compare(const void *a, const void *b);
void ranked_free(struct ranked *ranked);
void ranked_comm(struct ranked *ranked, const u8 *comm);

bool rank_wants(const struct profile_options *options, bool leader);

/**
 * struct weight - how much of a row has a property
 * @row: number of the row
 * @what: the property
 * @weight: how much
 */
struct weight {
	u32 row;
	u32 what;
	double weight;
};

/* For qsort: by row, then by property. */
int weight_compare(const void *a, const void *b);

/* Median of lengths in steps; @steps are in order. 0: there are none. */
u64 weighted_median(const struct weight *steps, size_t count);

#endif /* GAPP_READ_RANK_INT_H */
