/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a profile holds while records come in: sums by (process, path at the end, sampled path), by
 * thread, and counts that belong to either; and what a ranking makes of them.
 */
#ifndef GAPP_READ_PROFILE_PRIVATE_H
#define GAPP_READ_PROFILE_PRIVATE_H

#include "util/hash_index.h"
#include "profile.h"
#include "waits.h"

/* In place of a call path's id: there is no path; the path found no room in a table. */
#define STACK_NONE 0xffffffffU
#define STACK_LOST 0xfffffffeU

/*
 * Bounds. Past SOFT_CELLS and SOFT_ENTRIES, new keys are made coarser and share cells and entries,
 * so that the hard bounds are hardly ever met.
 */
#define MAX_CELLS 131072
#define SOFT_CELLS (3 * MAX_CELLS / 4)
#define MAX_ENTRIES 65536
#define SOFT_ENTRIES (MAX_ENTRIES - GAPP_MAX_PROCESSES)
/* Number of keys that differ only in kind, wait reason and @leader. */
#define REST_ENTRIES (2 * GAPP_WAIT_REASONS * 2)
#define MAX_TALLIES 1048576
#define MAX_SETS 65536
#define MAX_THREADS_OF_CELL 4096
/* A slice counts for this many of its paths at most: those with most of its share. */
#define MAX_STACKS_OF_SET 16

/**
 * struct span - slices whose length is known
 * @cmetric: their CMetric
 * @share: their critical share
 * @length_ns: their lengths
 */
struct span {
	u64 cmetric;
	u64 share;
	u64 length_ns;
};

/*
 * The share of the slices while more than N_min threads were active; shares are rounded, so it may
 * be a little below 0.
 */
static inline s64 span_beyond(const struct span *span)
{
	return span->cmetric - span->share;
}

/**
 * struct figures - sums
 * @critical_share: share of slices, or nanoseconds of waits
 * @slices: slices without samples (sets count the others), or stretches of waits
 * @waiting: the part of @critical_share in which others waited, by enum gapp_wait_reason
 * @n_share: sum of share times average active threads
 * @span: of the slices without samples, those whose length is known
 */
struct figures {
	u64 critical_share;
	u64 samples;
	u64 slices;
	double waiting[GAPP_WAIT_REASONS];
	double n_share;
	struct span span;
};

enum cell_kind {
	CELL_SAMPLED, /* share whose path a sample shows */
	CELL_UNSAMPLED, /* share of slices without samples */
	CELL_INTERRUPTED, /* share without samples of slices that ran on their path at the end */
	CELL_WAITED, /* time in which no thread was active */
};

/**
 * struct cell_key - what the figures of a cell belong to
 * @tgid: process; 0: any
 * @target: number of the target
 * @end: call path at the end of the slices, or at which the thread blocked; STACK_NONE: any
 * @stack: with CELL_SAMPLED the sampled call path, else STACK_NONE
 * @kind: enum cell_kind
 * @wait: with CELL_WAITED the wait reason
 * @leader: the thread is its process's leader
 * @zero: padding, 0, because keys are compared as bytes
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

/* A sampled path of a slice. */
struct hit {
	u32 stack;
	u32 cell;
	u64 critical_share;
};

/* A thread, or past the bound several threads, by kind of time; waits also by wait reason. */
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
 * struct entry - the sums of a thread
 * @comm: the last name of the thread
 * @sampled: a part of the open slice was sampled
 * @parts: there were records of parts of the open slice
 * @open: sampled paths of these parts, at most MAX_STACKS_OF_SET
 * @open_count: elements of @open that are used
 * @open_share: critical share of these parts
 * @open_span: of these parts, those with samples
 * @losses: @losses of the profile when @parts was set; if that has changed, the end of the open
 *	slice may be lost, and what the entry has of its parts is not valid any more
 */
struct entry {
	struct entry_key key;
	u8 comm[GAPP_COMM_LEN];
	bool sampled;
	bool parts;
	struct hit *open;
	u32 open_count;
	u64 open_share;
	struct span open_span;
	u64 losses;
	struct figures figures;
};

/* The owner of a tally is a cell, or with one of these bits an entry or a set. */
#define TALLY_ENTRY 0x80000000U
#define TALLY_SET 0x40000000U
/*
 * What a tally counts: share by entry, slices by critical time, slices by why they ended, share, or
 * nanoseconds of waits, by where in the kernel it was, and what the module counted (counted.c).
 */
#define TALLY_WHAT 0xe0000000U
#define TALLY_SHARE 0x00000000U
#define TALLY_LENGTH 0x40000000U
#define TALLY_THEN 0x80000000U
#define TALLY_IN 0xc0000000U
#define TALLY_COUNTED 0xe0000000U

struct tally_key {
	u32 owner;
	u32 what;
};

struct tally {
	struct tally_key key;
	u64 sum;
};

/**
 * struct set_key - slices whose samples hit the same paths, and that ended alike
 * @target: number of the target
 * @end: call path at the end
 * @then: why the slices ended
 * @leader: the thread is its process's leader
 * @stacks: sampled paths, sorted; STACK_NONE in elements that are not used
 */
struct set_key {
	u32 target;
	u32 end;
	u32 then;
	u32 leader;
	u32 stacks[MAX_STACKS_OF_SET];
};

/**
 * struct set - sums of these slices
 * @shares: share that each of the key's paths has in them
 * @slices: number of slices; of parts of slices with THEN_ON
 * @span: the slices and their parts whose length is known; nothing with THEN_ON, whose parts are
 *	those of slices in other sets
 */
struct set {
	struct set_key key;
	u64 shares[MAX_STACKS_OF_SET];
	u64 slices;
	struct span span;
};

/**
 * struct wait_part - some of the waits that the module counts as one wait reason
 * @kind: what they are by their paths
 * @part: of all that the module counts as that reason
 */
struct wait_part {
	struct wait_kind kind;
	double part;
};

struct profile {
	struct call_paths *stacks; /* NULL: nothing is added any more */
	const struct call_paths_figures *copies;
	bool kernel; /* call paths begin with the kernel's frames */
	const u64 *outdated_over; /* call_paths_outdated_until() */
	const u64 *changes; /* call_paths_changes() */
	const struct call_path **seen; /* by id; NULL: not seen */
	u32 seen_room;

	KEYED(cell) cells;
	KEYED(entry) entries;
	KEYED(tally) tallies;
	KEYED(set) sets;
	struct batch *batches;
	u32 batch_mask; /* number of pairs of batches, less 1 */
	u32 batches_gone; /* batches replaced by others since the number of pairs last grew */
	struct hit *hits;
	u32 hit_room;
	u32 hit_count;

	u64 attributed;
	u64 waited_ns;
	u64 no_path;
	u64 table_full;
	u64 lost;
	u64 losses; /* GAPP_RECORD_LOST so far */
	u64 waited_lost_ns;
	u64 slices;
	u64 records;
	u64 unsampled;
	u64 stack_count;
	double complete_part[PATH_METHODS]; /* of @attributed */
	double cut_part[PATH_ENDS];
	u32 first_target;
	bool any_target;
	bool several_targets;

	struct all_waits *waits; /* NULL: they are not collected */
	u8 *sure; /* by id of the call path: see profile_is_sure() */
	u32 sure_room;
	/*
	 * What the waits are that the module counts as a wait reason, by their paths; of the last
	 * ranking that looked at paths, if @waits_known.
	 */
	struct wait_kind waits_as[GAPP_WAIT_REASONS];
	bool waits_known;
	/* Where every wait was recorded: the parts of a reason, by the reason that paths say. */
	struct wait_part waits_parts[GAPP_WAIT_REASONS][GAPP_WAIT_REASONS];
};

/* A profile that no records are added to. NULL: no memory. */
struct profile *profile_for_rankings(const struct call_paths_figures *copies);

/* Finds or makes a cell; HASH_NONE if there are too many. Returns 0, or -1 without memory. */
int profile_cell(struct profile *profile, struct cell_key key, u32 *id);

/* Finds or makes the entry of a thread with this name now. Returns 0, or -1 without memory. */
int profile_thread(struct profile *profile, struct entry_key key, const u8 *comm, u32 *entry);

/* Adds to a tally, if there is room for it. Returns 0, or -1 without memory. */
int profile_tally(struct profile *profile, u32 owner, u32 what, u64 sum);

/*
 * Tallies time of a cell (HASH_NONE: of none) and of an entry by where in the kernel it was, @in:
 * the number of a system call or GAPP_IN_*. Returns 0, or -1 without memory.
 */
int profile_tally_in(struct profile *profile, u32 cell, u32 entry, s32 in, u64 sum);

/*
 * Adds what the module counted in a slice to the cells in profile.hits, by their share, or if there
 * are none to @cell, which may be HASH_NONE, and to the entry. Returns 0, or -1 without memory.
 */
int profile_count(struct profile *profile, const struct gapp_record_slice *slice, u32 cell,
		  u32 entry);

/* Whether tallies of TALLY_COUNTED may have this value. */
bool profile_counted_is_valid(u32 value);

int profile_see(struct profile *profile, const struct call_path *stack);

/*
 * Sets @id to the call path that has the number @path in a record, or to STACK_NONE or STACK_LOST;
 * where frames of the kernel are shown, to the one that begins with those of the path @kernel. The
 * module took the paths between @begin_ns and the time of the record. Returns 0, or -1 without
 * memory.
 */
static inline int profile_stack(struct profile *profile, u32 path, u32 kernel, s32 tgid,
				u64 begin_ns, u64 time_ns, u32 *id)
{
	const struct call_path *stack = NULL;

	*id = path == GAPP_PATH_LOST ? STACK_LOST : STACK_NONE;
	if (path == GAPP_PATH_LOST || (path == GAPP_PATH_NONE && !profile->kernel))
		return 0;
	if (path != GAPP_PATH_NONE)
		stack = call_paths_get(profile->stacks, path, tgid, begin_ns, time_ns);
	if (stack && !stack->count)
		stack = NULL;
	if (profile->kernel)
		stack = call_paths_join(profile->stacks, kernel, stack);
	if (!stack)
		return 0;
	*id = stack->id;
	if (*id < profile->seen_room && profile->seen[*id])
		return 0;
	return profile_see(profile, stack);
}

/* Puts the sums of all batches into the tables. Returns 0, or -1 without memory. */
int profile_settle(struct profile *profile);
int profile_make_batches(struct profile *profile);
/*
 * Notes that a thread waited on call path @end. Returns 0, or -1 without memory.
 */
int profile_note_wait(struct profile *profile, u32 end, s32 syscall);

/*
 * Whether the waits on a call path were in a system call that itself says what it waits for, as
 * wait4() does: the module's wait reason is right then. Of a futex only those know that use it.
 */
static inline bool profile_is_sure(const struct profile *profile, u32 stack)
{
	return stack < profile->sure_room && profile->sure[stack];
}

bool record_is_leader(s32 tid, s32 tgid, u32 flags);
enum gapp_wait_reason record_wait_reason(u32 wait);

/* Adds @share, in which @waiting other threads waited, and @n were active on average. */
void figures_add(struct figures *figures, u64 share, const u16 *waiting, double n);
/* Splits @share among wait reasons, in proportion to @waiting, the threads that waited for each. */
void figures_split(struct figures *figures, u64 share, const u16 *waiting);
void span_merge(struct span *span, const struct span *more);
void figures_merge(struct figures *figures, const struct figures *more);

static inline double share_ns_exactly(double share)
{
	return share / (1 << GAPP_SHARE_SHIFT);
}

/*
 * The step of a length. The first eight steps are one nanosecond wide; from then on, there are
 * eight steps from each power of two to the next.
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

/* What a wait is of which only the module's reason is known: a futex of no known value is "other".
 */
struct wait_kind wait_by_call(u32 wait);
bool wait_kind_same(const struct wait_kind *a, const struct wait_kind *b);

/* What the waits are that the module counted as @wait. */
static inline struct wait_kind profile_wait_as(const struct profile *profile, u32 wait)
{
	return profile->waits_known ? profile->waits_as[wait] : wait_by_call(wait);
}

u64 function_hash(const struct believed *believed, u32 frame);
bool function_same(const struct believed *a, u32 a_frame, const struct believed *b, u32 b_frame);

/*
 * Begins paths at the first frame of the program itself; a path without such a frame stays as it
 * is. If @options name no file, files in which main() was seen are the program's, and if main() was
 * never seen, files in which whole paths begin.
 */
void believed_skip_libraries(struct believed *believed, size_t count,
			     const struct profile_options *options);

/**
 * struct flow - the part of a cell, or of a thread's entry, that goes to one place
 * @cell: number of the cell or entry
 * @key: call path that decides the place
 * @leaf: call path that decides the line
 * @row: number of the place
 * @part: part of the cell: more than 0, at most 1; the flows of a cell add up to 1
 * @weight: part of the cell's threads that counts in the place
 * @stack_top: @leaf is where the slices ended, because no sample shows where they ran
 */
struct flow {
	u32 cell;
	u32 key;
	u32 leaf;
	u32 row;
	double part;
	double weight;
	bool stack_top;
};

/* The flows of a cell follow each other. */
struct flows {
	struct flow *flow;
	u32 count;
	u32 room;
};

/**
 * struct part - the share and samples of one call path in a place, or a sum of tallies
 * @row: number of the place
 * @what: the call path, or what the tallies count, see struct tally_key
 * @stack_top: as in struct flow
 * @samples: samples that hit the path
 * @sum: nanoseconds, or the sum of the tallies
 */
struct part {
	u32 row;
	u32 what;
	u64 stack_top : 1;
	u64 samples : 63;
	double sum;
};

/**
 * struct row - a place that is being made
 * @ranked: what is known of the place so far
 * @place: with BY_PLACE: its number in the tree
 * @stack: call path of the largest flow; those of the other flows have the same functions. Of
 *	threads and processes see struct row_key
 * @spot: with BY_LINE: the line
 * @slices: as in @ranked, not rounded
 * @then: as in @ranked, not rounded
 * @n_ns: sum of nanoseconds times average active threads
 * @waiting: nanoseconds by what the others waited for, by the module's reasons
 * @called_ns: with PATH_WAITED: the part that is called as @ranked says
 * @wall_ns: wall time that the place had at most while few threads were active
 * @sampled_ns: critical share that samples show
 * @in_sets_ns: the part of @sampled_ns that is in sets
 * @target_ns: of its target, nanoseconds with few threads active, or if that is not known its run
 *	time; UINT64_MAX: neither is
 * @part: of the cell that is being looked at
 * @largest_ns: largest flow; of a process HUGE_VAL once its leader gave the name
 * @weighed: with the weight of the cell whose flows were weighed last
 * @first_part: number of the first part; parts are in order, the largest first
 */
struct row {
	struct ranked ranked;
	u32 place;
	u32 stack;
	const struct frame *spot;
	double slices;
	double then[THEN_COUNT];
	double n_ns;
	double waiting[GAPP_WAIT_REASONS];
	double called_ns;
	double wall_ns;
	double sampled_ns;
	double in_sets_ns;
	u64 target_ns;
	double part;
	double largest_ns;
	struct flow *weighed;
	u32 first_part;
	u32 part_count;
};

/* The rule for the waits on a call path with the module's wait reason; NULL: none is known. */
struct path_rule {
	const struct wait_rule *rule;
	u32 by_call;
	bool asked;
};

struct ranker {
	struct profile *profile;
	struct symbols *symbols;
	const struct profile_options *options;
	bool threads; /* with BY_THREAD and BY_PROCESS, which rank entries */
	u64 *targets_low_ns; /* time with few threads active, by target */
	struct believed *believed; /* by id of the call path */
	struct path_rule *path_rules; /* by id of the call path */
	struct place_tree *tree; /* with BY_PLACE */
	const struct frame **spots; /* by id of the call path, with BY_LINE */
	struct flows flows;
	struct row *rows;
	u32 row_room;
	struct hash_index row_index;
	struct part *parts;
};

/*
 * Places with the same key, and the same functions or line of @stack, are one. With BY_THREAD
 * @stack is the number of the entry, with BY_PROCESS the process.
 */
struct row_key {
	enum path_kind kind;
	enum gapp_wait_reason wait;
	u32 target;
	u32 stack;
};

/* The number of the place; HASH_NONE: there is none. */
u32 rank_find_row(const struct ranker *ranker, const struct row_key *key);

/* What decides the place of a flow. */
struct row_key rank_key_of(const struct ranker *ranker, const struct flow *flow);
/* Nanoseconds of a place in a unit of the tallies of TALLY_IN that its flow's cell or entry has. */
double rank_unit_in(const struct ranker *ranker, const struct flow *flow);
/* Sets what a place shows of the kernel; @parts: the sums of TALLY_IN. 0, or -1 without memory. */
int rank_kernel(struct ranked *ranked, const struct part *parts, size_t count);
/* Sets what was counted while a place ran; @parts: the sums of TALLY_COUNTED. */
void rank_counted(struct ranked *ranked, const struct part *parts, size_t count);

/* What a thread waits for on a call path, where the module says @wait. */
struct wait_kind path_wait(const struct ranker *ranker, u32 stack, u32 wait);
/* Whether a thread waits there in a library whose values of futexes the module knows. */
bool path_value_is_known(const struct ranker *ranker, u32 stack);

/*
 * Number of the first frame behind the function that says what a path waits for: the caller of a
 * lock's or a queue's own functions. The first believed frame if no rule names one.
 */
u32 path_wait_behind(const struct ranker *ranker, u32 stack, u32 wait);
/*
 * Finds out for each wait reason of the module what it is by the paths of such waits. Returns 0, or
 * -1 without memory.
 */
int believed_begin(struct ranker *ranker);
int believed_all(struct ranker *ranker);
void believed_end(struct ranker *ranker);
int rank_others_waits(struct ranker *ranker);
/* Sets what the others waited for while a place ran. */
void rank_waiting(const struct ranker *ranker, struct row *row);
int rank_parts(struct ranker *ranker);

/**
 * struct set_rows - the places of a set's paths
 * @count: places
 * @rows: their numbers
 * @part: part of the set's share that each has
 * @share: the set's share
 */
struct set_rows {
	u32 count;
	u32 rows[MAX_STACKS_OF_SET];
	double part[MAX_STACKS_OF_SET];
	double share;
};

void rank_set_rows(const struct ranker *ranker, const struct set *set, struct set_rows *places);

/* Finds what mending each place can save at most. */
int rank_targets(struct ranker *ranker);
void rank_gain(struct ranker *ranker);
int rank_counts(struct ranker *ranker);
int rank_frames(struct ranker *ranker, struct row *row, bool thorough);

/* The innermost frame that is shown of a call path, with its line. NULL: no memory. */
const struct frame *rank_spot(const struct ranker *ranker, u32 stack);

/* Nanoseconds of a flow. */
double flow_ns(const struct ranker *ranker, const struct flow *flow);

/* Lines are the same if file and number are; without a file, if the function or address is. */
u64 spot_hash(const struct frame *spot);
bool spot_same(const struct frame *a, const struct frame *b);

void ranked_comm(struct ranked *ranked, const u8 *comm);

bool rank_wants(const struct profile_options *options, bool leader);

#endif /* GAPP_READ_PROFILE_PRIVATE_H */
