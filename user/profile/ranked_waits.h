/* SPDX-License-Identifier: GPL-2.0 */
/* What the waits of a profile come to: wait objects, and who woke whom. */
#ifndef GAPP_READ_RANKED_WAITS_H
#define GAPP_READ_RANKED_WAITS_H

#include "profile.h"
#include "waits.h"

/* Sites and enders of one object that are told apart. */
#define RANKED_SITES_MAX 16

/**
 * struct ranked_site - where threads wait
 * @frame: the program's own function, with its line; NULL: no path is known. Belongs to the symbols
 */
struct ranked_site {
	const struct frame *frame;
	u64 waits;
	u64 waited_ns;
};

/**
 * struct ranked_ender - who ended waits
 * @name: name of a thread; NULL: an interrupt, or it is not known
 * @interrupt: an interrupt did
 * @kind: "disk", "network" or "timer": what interrupted; NULL: it is not known
 * @frame: the program's own function that woke the thread, with its line; NULL: no path is known
 */
struct ranked_ender {
	const char *name;
	bool interrupt;
	const char *kind;
	const struct frame *frame;
	u64 waits;
	u64 waited_ns;
};

/**
 * struct ranked_holder - where a lock was held
 * @frame: the program's own function that held it, with a line; NULL: it is not known
 * @critical: few threads, or none, were active at some moment of these holds
 * @hold_ns: how long the holds took, at least
 * @few_ns: the part of @hold_ns with few threads active, or none, at least
 * @waits: waits that ended with these holds
 * @waited_ns: how long they took
 * @critical_ns: their part of @critical_ns of the object
 */
struct ranked_holder {
	const struct frame *frame;
	bool critical;
	u64 holds;
	u64 hold_ns;
	u64 few_ns;
	u64 waits;
	u64 waited_ns;
	double critical_ns;
};

/**
 * struct ranked_object - a wait object
 * @name: what it is called; NULL: the records do not say what it is. To be freed
 * @reason: the wait reason of those of its waits that count most: see struct wait_weight
 * @called: what most of these are called by the rules; NULL: the reason alone is known
 * @plain: @called says little more than the reason
 * @critical_ns: time with few threads active while others waited for it, in equal parts among the
 *	waits that went on
 * @inferred: @critical_ns is the part of their reasons' that its recorded waits have
 * @idle_ns: time with no thread active that ended with waits for it
 * @waited_ns: how long its waits took, as far as records say
 * @waits: waits that were recorded
 * @named_by_site: @name is made of the functions that wait for it
 * @joined: other objects that the row stands for, too: see ranked_objects_join()
 * @target: number of the target of its waits, or of most of them; HASH_NONE: not known
 * @spins: with every wait recorded: those of its waits that were in busy-wait loops
 * @holders: of a lock with every wait recorded: the critical ones first, and those whose holds
 *	ended most time waited. To be freed
 */
struct ranked_object {
	char *name;
	u32 reason;
	const char *called;
	bool plain;
	double critical_ns;
	bool inferred;
	double idle_ns;
	u64 waited_ns;
	u64 waits;
	bool named_by_site;
	u32 joined;
	u32 target;
	s32 tgid;
	struct ranked_site sites[RANKED_SITES_MAX];
	size_t site_count;
	struct ranked_ender enders[RANKED_SITES_MAX];
	size_t ender_count;
	struct spin_sums spins;
	struct ranked_holder *holders;
	size_t holder_count;
};

/**
 * struct ranked_pair - who woke whom
 * @waker: who did
 * @waiter: name of the thread that waited
 * @frame: as in struct ranked_site
 * @kind: what the waits are: some for the object may be of another kind
 * @object: number of the object in the ranking
 * @median_ns: median of the waits' lengths, within a factor of 1.5
 * @steps: waits by their lengths, see struct wait_pair
 */
struct ranked_pair {
	struct ranked_ender waker;
	const char *waiter;
	const struct frame *frame;
	struct wait_kind kind;
	u32 object;
	u64 median_ns;
	u64 steps[WAIT_STEPS];
};

/**
 * struct main_object - the object that stands for a wait reason
 * @target: in this target
 * @object: number of the object in the ranking
 */
struct main_object {
	u32 target;
	u32 reason;
	u32 object;
};

/**
 * struct ranked_waits - all that is known of waits
 * @collected: waits were collected
 * @all: every wait was recorded
 * @objects: those with most critical time first
 * @all_objects: elements of @objects: behind @object_count are those of which no wait is known from
 *	its begin to its end
 * @pairs: those with most time waited first
 * @object_of_site: the number of the object of each site of struct all_waits
 * @site_count: sites
 * @main: objects with a name that nearly all recorded waits of a target for a reason are for
 * @main_count: elements of @main
 * @without_room: waits that found no room in a table
 * @not_looked_up: look-ups in /proc that were too many
 * @cut: waits whose begin or end was lost, or that had not ended
 * @left_out: wake-ups whose waker's call path was left out, because there were too many
 */
struct ranked_waits {
	bool collected;
	bool all;
	struct ranked_object *objects;
	size_t object_count;
	size_t all_objects;
	struct ranked_pair *pairs;
	size_t pair_count;
	u32 *object_of_site;
	u32 site_count;
	struct main_object *main;
	size_t main_count;
	u64 without_room;
	u64 not_looked_up;
	u64 cut;
	u64 left_out;
};

/*
 * Ranks the waits of all records that were added. @paths: the ranking by path, which has the time
 * that others waited for each reason. Returns 0, or -1 without memory.
 */
int profile_rank_waits(struct profile *profile, struct symbols *symbols,
		       const struct profile_options *options, const struct ranking *paths,
		       struct ranked_waits *waits);
void ranked_waits_free(struct ranked_waits *waits);

/*
 * The object for which the waits of a reason were that left no thread active, if more than half of
 * that time was for one with a name of its own, which says more than the reason. Sets @part to its
 * part of the time. NULL: there is none.
 */
const struct ranked_object *ranked_waits_idle(const struct ranked_waits *waits, u32 reason,
					      double *part);

/* Adds to where an object is waited for, and to who ended that. */
void ranked_object_add_site(struct ranked_object *object, const struct ranked_site *more);
void ranked_object_add_ender(struct ranked_object *object, const struct ranked_ender *more);

/*
 * The name of a futex without a symbol: the function that waits for it most, and the next one if
 * that has a tenth of the waits. NULL: none is known, or no memory. To be freed.
 */
char *ranked_object_name_by_sites(const struct ranked_object *object);
/* Whether a futex is a lock itself, and not a part of something that is built of futexes. */
bool ranked_object_is_lock(const struct ranked_object *ranked, const struct wait_object *object);

/*
 * Adds objects that a reader takes for one to the first of them, and leaves the others without a
 * wait. Objects are in the order of @waits. Sets @row_of to the object that has each one's row.
 * Returns 0, or -1 without memory.
 */
int ranked_objects_join(struct ranked_waits *out, const struct all_waits *waits, u32 *row_of);

/*
 * Whether it is known how long the waits for an object took. Where not every wait was recorded,
 * that is what some of them took: if it is less than half of the critical time, which was in them,
 * it says nothing.
 */
bool ranked_object_has_length(const struct ranked_object *object);

/*
 * The objects as places of one frame each, for what prints a ranking: one with the time in which
 * threads ran while others waited for it, and one with the time in which none ran. Both have all
 * its waits in @slices. Returns 0, or -1 without memory.
 */
int ranked_waits_as_ranking(const struct ranked_waits *waits, struct ranking *ranking);

/* The name of the object that nearly all waits of a target for a reason are for; NULL: none is
 * known.
 */
const char *ranked_waits_main(const struct ranked_waits *waits, u32 target, u32 reason);

#endif /* GAPP_READ_RANKED_WAITS_H */
