/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the program reader share; see reader.c. */
#ifndef GAPP_TESTS_BENCH_READER_H
#define GAPP_TESTS_BENCH_READER_H

#include <stdbool.h>

#include "fed.h"

#define FEED_OBJECTS 4

typedef __u32 u32;
typedef __u64 u64;

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

/**
 * struct feed - what is written where
 * @paths: as asked for, likewise the next ones
 * @frames: of each
 * @threads: how many
 * @rate: records a second
 * @records: in all
 * @sampled: per cent
 * @waits: each wait has two records, of its begin and its end
 * @memory: file of the mappings
 * @wake: eventfd
 * @rings: begins of the rings
 * @data: their records
 * @tails: how far they are read
 * @slots: of the table of paths
 * @words: likewise
 * @functions: of the libraries
 * @random: state of the draws
 * @last_ns: time of the last record
 * @ticked_ns: when the reader was woken last
 * @written: records
 * @lost: records that found no room
 */
struct feed {
	u32 paths;
	u32 frames;
	u32 threads;
	u64 rate;
	u64 records;
	u32 sampled;
	bool waits;
	int memory;
	int wake;
	struct gapp_ring *rings[FED_CPUS];
	unsigned char *data[FED_CPUS];
	u64 *tails;
	struct gapp_path *slots;
	u64 *words;
	void *const *functions[FEED_OBJECTS];
	u64 random;
	u64 last_ns;
	u64 ticked_ns;
	u64 written;
	u64 lost;
};

void feed_die(const char *what) __attribute__((noreturn));
u64 feed_now(void);

/* reader_records.c: mappings, paths, and records in the rings. */
void feed_map(struct feed *feed);
void feed_load(struct feed *feed, const char *folder);
void feed_make_paths(struct feed *feed);
/* False: the ring is full. */
bool feed_put(struct feed *feed, u64 number);
u64 feed_used(const struct feed *feed, u32 cpu);
void feed_wake(struct feed *feed);

#endif /* GAPP_TESTS_BENCH_READER_H */
