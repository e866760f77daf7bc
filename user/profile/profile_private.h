/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a profile holds while records come in: sums by (process, path at the end, sampled path), by
 * thread, and counts that belong to either; and what a ranking makes of them.
 */
#ifndef GAPP_READ_PROFILE_PRIVATE_H
#define GAPP_READ_PROFILE_PRIVATE_H

#include "util/hash_index.h"
#include "profile.h"

/* Instead of a stack's id. */
#define STACK_NONE 0xffffffffU
#define STACK_LOST 0xfffffffeU

/*
 * Bounds. Past SOFT_CELLS and SOFT_THREADS new ones are put together more coarsely, so the hard
 * bounds are hardly ever met.
 */
#define MAX_CELLS 131072
#define SOFT_CELLS (3 * MAX_CELLS / 4)
#define MAX_ENTRIES 65536
#define SOFT_ENTRIES (MAX_ENTRIES - GAPP_MAX_PROCESSES)
/* As many as there are kinds of time, wait classes, and leaders or not. */
#define REST_ENTRIES (2 * GAPP_WAIT_REASONS * 2)
#define MAX_TALLIES 1048576
#define MAX_SETS 65536
#define MAX_SET_WORDS 1048576
#define MAX_THREADS_OF_CELL 4096
/* Paths of a slice that count it: those with most of its share. */
#define MAX_STACKS_OF_SET 16

/**
 * struct figures - sums
 * @share: share, of waits nanoseconds
 * @samples: samples
 * @slices: slices (with samples: counted in sets instead), of waits stretches
 * @waiting: the part of @share in which others waited, by enum gapp_wait_reason
 * @n_share: sum of share times average active threads
 */
struct figures {
	u64 critical_share;
	u64 samples;
	u64 slices;
	double waiting[GAPP_WAIT_REASONS];
	double n_share;
};

enum cell_kind {
	CELL_SAMPLED, /* share that samples tell the path of */
	CELL_UNSAMPLED, /* share of slices without samples */
	CELL_INTERRUPTED, /* likewise, but the path at the end tells where they ran */
	CELL_WAITED, /* time in which nobody ran */
};

/**
 * struct cell_key - what a cell is of
 * @tgid: process; 0: any
 * @target: number of the target
 * @end: stack at the end of the slices, or at which the thread had blocked; STACK_NONE: any
 * @stack: with CELL_SAMPLED the sampled one, else STACK_NONE
 * @kind: enum cell_kind
 * @wait: with CELL_WAITED what the thread waited for, enum gapp_wait_reason
 * @leader: the thread is its process's leader
 * @zero: zero, for keys are compared as bytes
 */
struct cell_key {
	s32 tgid;
	u32 target;
	u32 end;
	u32 stack;
	u8 kind;
	u8 wait;
	u8 leader;
	u8 zero;
};

struct cell {
	struct cell_key key;
	u32 threads;
	struct figures figures;
};

/* A thread, or past the bound several, by kind of time and with waits by their class. */
struct entry_key {
	s32 tid;
	s32 tgid;
	u32 target;
	u8 kind; /* enum path_kind */
	u8 wait;
	u8 leader;
	u8 zero;
};

/**
 * struct entry - what a thread collected
 * @key: whose
 * @comm: its last name
 * @sampled: a part of its open slice was sampled
 * @parts: its open slice has had records of parts, the first of which...
 * @begin_ns: ...began then
 * @losses: the profile's when that was so: if records were lost since, nothing is known of it
 * @figures: sums
 */
struct entry {
	struct entry_key key;
	u8 comm[GAPP_COMM_LEN];
	bool sampled;
	bool parts;
	u64 begin_ns;
	u64 losses;
	struct figures figures;
};

/* Owner of a tally: a cell, or an entry with this bit. */
#define TALLY_ENTRY 0x80000000U
/* What is counted: share by entry, slices by length, slices by why they ended. */
#define TALLY_WHAT 0xc0000000U
#define TALLY_SHARE 0x00000000U
#define TALLY_LENGTH 0x40000000U
#define TALLY_THEN 0x80000000U

struct tally_key {
	u32 owner;
	u32 what;
};

struct tally {
	struct tally_key key;
	u64 sum;
};

/**
 * struct set - slices whose samples hit the same paths, and which ended alike
 * @word: number of its first word; the words are SET_* and the stacks in order
 * @words: how many
 * @count: slices
 */
struct set {
	u32 word;
	u32 words;
	u64 count;
};

enum {
	SET_GROUP,
	SET_END,
	SET_THEN, /* kind of then, and SET_LEADER */
	SET_STACKS,
	SET_WORDS = SET_STACKS + MAX_STACKS_OF_SET,
};

#define SET_LEADER 0x100U

/* A sampled path of the record that is being folded in. */
struct hit {
	u32 stack;
	u32 cell;
	u64 critical_share;
};

struct profile {
	struct call_paths *stacks;
	const u64 *outdated_over; /* call_paths_outdated_until() */
	const u64 *changes; /* call_paths_changes() */
	const struct call_path **seen; /* by id; NULL: not seen */
	u32 seen_room;
	u32 seen_count;

	struct cell *cells;
	u32 cell_room;
	struct hash_index cell_index;
	struct entry *entries;
	u32 entry_room;
	struct hash_index entry_index;
	struct tally *tallies;
	u32 tally_room;
	struct hash_index tally_index;
	struct set *sets;
	u32 set_room;
	struct hash_index set_index;
	u32 *words;
	u32 word_room;
	u32 word_count;
	struct batch *batches;
	u32 batch_mask; /* pairs - 1 */
	u32 batches_gone; /* for which there was no room, since there is so much */
	struct hit *hits;
	u32 hit_room;
	u32 hit_count;

	u64 attributed;
	u64 waited_ns;
	u64 no_path;
	u64 table_full;
	u64 lost;
	u64 losses; /* records that tell of lost ones */
	u64 waited_lost_ns;
	u64 slices;
	u64 records;
	u64 unsampled;
	u64 stack_count;
	double complete_part[PATH_METHODS]; /* of @attributed */
	double cut_part[PATH_ENDS];
	u32 first_group;
	bool any_group;
	bool several_groups;
};

/* Find or make; the cell is HASH_NONE where the bound is met. Return 0, or -1 without memory. */
int profile_cell(struct profile *profile, struct cell_key key, u32 *id);

/* Add @sum; past the bound nothing happens. Return 0, or -1 without memory. */
int profile_tally(struct profile *profile, u32 owner, u32 what, u64 sum);
int profile_tally_share(struct profile *profile, u32 cell, u32 entry, u64 share);

/* Counts a slice in the set @words. Returns 1 if the bound is met, 0, or -1 without memory. */
int profile_count_set(struct profile *profile, const u32 *words, u32 count);

int profile_see(struct profile *profile, const struct call_path *stack);

/**
 * profile_stack() - the stack of a path's number
 * @profile: whose
 * @path: number in a record
 * @tgid: the record's process
 * @begin_ns: the path was taken not before then
 * @time_ns: the record's time
 * @id: set to its id, STACK_NONE or STACK_LOST
 *
 * Return: 0, or -1 without memory.
 */
static inline int profile_stack(struct profile *profile, u32 path, s32 tgid, u64 begin_ns,
				u64 time_ns, u32 *id)
{
	const struct call_path *stack;

	*id = path == GAPP_PATH_LOST ? STACK_LOST : STACK_NONE;
	if (path == GAPP_PATH_LOST || path == GAPP_PATH_NONE)
		return 0;
	stack = call_paths_get(profile->stacks, path, tgid, begin_ns, time_ns);
	if (!stack || !stack->count)
		return 0;
	*id = stack->id;
	if (*id < profile->seen_count && profile->seen[*id])
		return 0;
	return profile_see(profile, stack);
}

int profile_thread(struct profile *profile, struct entry_key key, const u8 *comm, u32 *entry);
/* Puts what has been folded in into the tables, where it is not yet. Returns 0, or -1. */
int profile_settle(struct profile *profile);
int profile_make_batches(struct profile *profile);
bool record_is_leader(s32 tid, s32 tgid, u32 flags);
enum gapp_wait_reason record_wait_class(u32 wait);

void figures_add(struct figures *figures, u64 share, const u16 *waiting, double n);
/* Splits @share among what the other threads waited for, evenly. */
void figures_split(struct figures *figures, u64 share, const u16 *waiting);
void figures_merge(struct figures *figures, const struct figures *more);

static inline double share_ns_exactly(double share)
{
	return share / (1 << GAPP_SHARE_SHIFT);
}

/*
 * Slices by length: the first steps are a nanosecond each, then there are eight from a power of two
 * to the next.
 */
static inline u32 length_step(u64 ns)
{
	u32 octave;

	if (ns < 8)
		return ns;
	octave = 63 - __builtin_clzll(ns);
	/* the highest bit counts for the eight steps of an octave */
	return (octave - 3) * 8 + (ns >> (octave - 3));
}

u64 step_length(u32 step);

/*
 * What the wait was for, by the code on its path, innermost first: a futex tells less than the
 * pthread function that uses it.
 */
enum gapp_wait_reason wait_refine(enum gapp_wait_reason wait, const struct frame *const *functions,
				  size_t count);

static inline bool walk_is_return(u32 frame)
{
	return frame > 0;
}

/* The place of the first frame that is shown. */
static inline struct code_address walk_place(const struct walk *walk)
{
	return walk->stack->addresses[walk->first];
}

u64 walk_hash_function(const struct walk *walk, u32 frame);
bool walk_same_function(const struct walk *a, u32 a_frame, const struct walk *b, u32 b_frame);

void walks_skip_libraries(struct walk *walks, size_t count, const struct profile_options *options);

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

#endif /* GAPP_READ_PROFILE_PRIVATE_H */
