// SPDX-License-Identifier: GPL-2.0
/*
 * A program that switches so often: pairs of threads that hand a byte to and fro, in bursts of a
 * millisecond's share each, so that the machine has as much to do as the rate says.
 */
#include "crowd.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define BURST_NS NSEC_PER_MSEC
#define ROUNDS_AT_ONCE 16

/**
 * struct pair - two threads
 * @pingpong: their pipes
 * @first: one of them
 * @second: the other
 * @rate: switches a second; 0: as many as it can
 * @end_ns: when to end
 * @rounds: made
 */
struct pair {
	struct pingpong pingpong;
	pthread_t first;
	pthread_t second;
	double rate;
	u64 end_ns;
	u64 rounds;
};

static u64 rounds_due(const struct pair *pair, u64 ns)
{
	return pair->rate / 2 * ns / NSEC_PER_SEC;
}

static void *hands_over(void *arg)
{
	struct pair *pair = arg;
	u64 begin = t_now(), now = begin;

	while (now < pair->end_ns) {
		u64 due = pair->rate ? rounds_due(pair, now - begin) : UINT64_MAX;

		if (pair->rounds < due) {
			u64 rest = due - pair->rounds;
			u32 rounds = rest < ROUNDS_AT_ONCE ? rest : ROUNDS_AT_ONCE;

			pingpong_first(&pair->pingpong, rounds);
			pair->rounds += rounds;
		} else {
			t_sleep(BURST_NS);
		}
		now = t_now();
	}
	return NULL;
}

void crowd_load(const struct crowd *crowd)
{
	struct pair *pairs = calloc(crowd->pairs, sizeof(*pairs));
	u64 begin = t_now(), switches = 0;

	if (!pairs)
		t_die("memory");
	for (u32 i = 0; i < crowd->pairs; i++) {
		struct pair *pair = &pairs[i];

		pingpong_make(&pair->pingpong);
		pair->rate = crowd->rate / crowd->pairs;
		pair->end_ns = begin + (u64)(crowd->seconds * NSEC_PER_SEC);
		errno = pthread_create(&pair->second, NULL, pingpong_second, &pair->pingpong);
		if (!errno)
			errno = pthread_create(&pair->first, NULL, hands_over, pair);
		if (errno)
			t_die("pthread_create");
	}
	for (u32 i = 0; i < crowd->pairs; i++) {
		pthread_join(pairs[i].first, NULL);
		switches += 2 * pairs[i].rounds;
	}
	fprintf(stderr, "{\"name\": \"%s\", \"switches\": %llu, \"ns\": %llu}\n", crowd->name,
		switches, t_now() - begin);
}
