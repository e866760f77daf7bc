/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words that threads wait for in busy-wait loops: which of them is worth watching, and which store
 * ended a wait. The scheduler knows nothing of such an end, so the record of it names nobody, until
 * a store is found that may have ended it.
 */
#ifndef GAPP_READ_SPUN_WORDS_H
#define GAPP_READ_SPUN_WORDS_H

#include <gapp.h>
#include <gapp_record.h>

#include "store_sites.h"
#include "util/hash_index.h"

/* The last stores into a word, and the last times when it was watched, that are remembered. */
#define SPUN_STORES 64
#define SPUN_WATCHES 4
/* A word whose waits more instructions end has to be watched. */
#define SPUN_SITES 4

struct spun_word_key {
	u64 image;
	u64 address;
};

/* When all stores into a word were seen. */
struct spun_watch {
	u64 from_ns;
	u64 to_ns;
};

/**
 * struct spun_word - a word that threads wait for
 * @tgid: process of the first one
 * @bytes: how many of it are compared
 * @goes_on: enum gapp_spin_while of all loops; GAPP_SPIN_WHILE_UNKNOWN: they differ
 * @refused: it cannot be watched
 * @varies: waits one after the other compared it with different numbers
 * @untold: something else than the instructions of @sites may end waits
 * @site_count: instructions that were seen to store what may end a wait
 * @sites: their numbers
 * @number: what it is compared with
 * @waiting: threads that wait for it now
 * @found_ns: when a thread was last found waiting for it
 * @until_ns: up to when @waited_ns is known
 * @waited_ns: how long threads have waited for it since it was watched last
 * @watches: the last ones, by their number
 * @watch_count: all so far
 * @stores: the last ones, by their number
 * @store_count: all so far
 */
struct spun_word {
	struct spun_word_key key;
	s32 tgid;
	u8 bytes;
	u8 goes_on;
	bool refused;
	bool varies;
	bool untold;
	u8 site_count;
	u32 sites[SPUN_SITES];
	s64 number;
	u32 waiting;
	u64 found_ns;
	u64 until_ns;
	u64 waited_ns;
	struct spun_watch watches[SPUN_WATCHES];
	u32 watch_count;
	struct gapp_record_store stores[SPUN_STORES];
	u64 store_count;
};

struct spinner_key {
	s32 tid;
	s32 tgid;
};

/**
 * struct spinner - a thread that waits in a busy-wait loop, or has
 * @word: number of the word; HASH_NONE: it waits for none
 * @begin_ns: when it was found
 * @compared: the record's GAPP_SPIN_COMPARED()
 * @number: what its loop compares the word with
 */
struct spinner {
	struct spinner_key key;
	u32 word;
	u64 begin_ns;
	u64 compared;
	s64 number;
};

struct spun_words {
	KEYED(spun_word) words;
	KEYED(spinner) spinners;
	struct store_sites sites;
};

/*
 * A record of a wait without any active thread, and of a wake-up, with a path of the waker.
 * @stored_ns: when the store was that ended it; 0: it was not seen
 */
struct told_wait {
	struct gapp_record_wait wait;
	struct gapp_waker_path from;
};

struct told_wake {
	struct gapp_record_wake wake;
	struct gapp_waker_path from;
	u64 stored_ns;
};

void spun_words_free(struct spun_words *words);

/* A slice ended, perhaps because its thread waits in a busy-wait loop. -1: without memory. */
int spun_words_slice(struct spun_words *words, const struct gapp_record_slice *slice);
/* @from: address in the instruction that stored; 0: it is not known. */
void spun_words_store(struct spun_words *words, const struct gapp_record_store *store, u64 from);
/* Records were lost: nobody knows who still waits. */
void spun_words_lost(struct spun_words *words);

/*
 * A thread became active. Returns @wake; or @told, which is the same and names the thread whose
 * store ended the wait in a busy-wait loop, where that was seen.
 */
const struct gapp_record_wake *spun_words_wake(struct spun_words *words,
					       const struct gapp_record_wake *wake,
					       struct told_wake *told);

/* The same of a thread that has ended a time without any active thread. -1: without memory. */
int spun_words_wait(struct spun_words *words, const struct gapp_record_wait **wait,
		    struct told_wait *told);

/*
 * Which word to watch: that for which threads have waited most since it was watched last. Fills in
 * all of @watch but how long, and how many stores. NULL: none is worth it.
 */
struct spun_word *spun_words_next(struct spun_words *words, u64 now_ns, struct gapp_watch *watch);
/* The module watches the word from @from_ns to @to_ns, CLOCK_MONOTONIC. */
void spun_word_watched(struct spun_word *word, u64 from_ns, u64 to_ns);

#endif /* GAPP_READ_SPUN_WORDS_H */
