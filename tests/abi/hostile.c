// SPDX-License-Identifier: GPL-2.0
/* A reader that writes anything to the tails: it harms nobody but itself. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "busy.h"
#include "groups.h"
#include "records.h"

#define MEDDLERS 2
#define SECONDS 3

static volatile bool end;

/* Tails that cannot be, and some that could. */
static u64 some_tail(const struct r_ring *ring, u32 bytes, unsigned int *seed)
{
	u64 head = __atomic_load_n(&ring->shared->write_position, __ATOMIC_ACQUIRE);

	switch (rand_r(seed) % 8) {
	case 0:
		return head + 1 + rand_r(seed) % 10000;
	case 1:
		return head - bytes - 1 - rand_r(seed) % 10000;
	case 2:
		return (u64)rand_r(seed) << 33 | rand_r(seed);
	case 3:
		return ~0ULL;
	case 4:
		return head - rand_r(seed) % bytes;
	case 5:
		return 0;
	default:
		return head;
	}
}

static void *meddles(void *arg)
{
	struct r_reader *reader = arg;
	unsigned int seed = (uintptr_t)&seed >> 12;

	while (!end)
		for (unsigned int cpu = 0; cpu < reader->layout.cpus; cpu++) {
			struct r_ring *ring = &reader->rings[cpu];

			if (ring->shared)
				__atomic_store_n(ring->tail,
						 some_tail(ring, reader->layout.ring_bytes, &seed),
						 __ATOMIC_RELAXED);
		}
	return NULL;
}

/* What no meddling may change: heads only grow. */
static void watch(struct r_reader *reader, u64 *heads, u64 *backwards)
{
	for (unsigned int cpu = 0; cpu < reader->layout.cpus; cpu++) {
		const struct gapp_ring *ring = reader->rings[cpu].shared;
		u64 head = ring ? __atomic_load_n(&ring->write_position, __ATOMIC_ACQUIRE) : 0;

		*backwards += head < heads[cpu] || head % 8;
		heads[cpu] = head;
	}
}

/* The page before the data has struct gapp_ring and nothing else. */
static size_t stray_bytes(const struct r_reader *reader)
{
	size_t stray = 0;

	for (unsigned int cpu = 0; cpu < reader->layout.cpus; cpu++) {
		const u8 *page = (const u8 *)reader->rings[cpu].shared;

		for (u64 i = sizeof(struct gapp_ring); page && i < reader->layout.ring_data; i++)
			stray += page[i] != 0;
	}
	return stray;
}

static int begin(struct r_reader *reader, struct t_child *target)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	int fd;

	config.ring_bytes = GAPP_MIN_RING;
	config.rate_hz = 5000;
	config.flags = GAPP_CONFIG_WAKERS | GAPP_CONFIG_KERNEL_PATHS;
	*target = t_fork(busy_storm, NULL);
	t_hear(target);
	fd = t_session(&config);
	r_open(reader, fd);
	t_add(fd, target->pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	return fd;
}

/*
 * A tail that cannot be makes a full ring: what finds no room is counted. A CPU looks at the tail
 * once in a sixteenth of its ring: so much it may write still.
 */
static void impossible_tails(u64 (*tail_of)(u64 head), const char *name)
{
	struct gapp_counters before, after;
	struct r_reader reader;
	struct t_child target;
	int fd = begin(&reader, &target);

	t_sleep(50 * NSEC_PER_MSEC);
	for (unsigned int cpu = 0; cpu < reader.layout.cpus; cpu++)
		if (reader.rings[cpu].shared)
			*reader.rings[cpu].tail = tail_of(reader.rings[cpu].shared->write_position);
	/* Now all that was under way when the tails were set has ended. */
	t_sleep(20 * NSEC_PER_MSEC);
	t_counters(fd, &before);
	t_sleep(100 * NSEC_PER_MSEC);
	t_counters(fd, &after);
	t_check(after.records - before.records <= reader.layout.cpus * GAPP_MIN_RING / 16 /
							  sizeof(struct gapp_record_wake) &&
			after.lost[GAPP_LOST_RING] > before.lost[GAPP_LOST_RING],
		name, "%llu records came, %llu were lost", after.records - before.records,
		after.lost[GAPP_LOST_RING] - before.lost[GAPP_LOST_RING]);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_close(&reader);
	close(fd);
	t_kill(&target);
}

static u64 far_ahead(u64 head)
{
	return head + (1ULL << 40);
}

static u64 far_behind(u64 head)
{
	return head - (1ULL << 40);
}

static u64 just_behind(u64 head)
{
	return head - GAPP_MIN_RING - 8;
}

void hostile_tails(void)
{
	struct r_reader reader;
	struct t_child target;
	struct gapp_counters counters;
	struct gapp_status status;
	pthread_t threads[MEDDLERS];
	u64 *heads, backwards = 0, stop_at;
	int fd = begin(&reader, &target);

	heads = calloc(reader.layout.cpus, sizeof(*heads));
	end = false;
	for (int i = 0; i < MEDDLERS; i++)
		if (pthread_create(&threads[i], NULL, meddles, &reader))
			t_die("pthread_create");
	stop_at = t_now() + SECONDS * NSEC_PER_SEC;
	while (t_now() < stop_at) {
		watch(&reader, heads, &backwards);
		t_sleep(NSEC_PER_MSEC);
	}
	end = true;
	for (int i = 0; i < MEDDLERS; i++)
		pthread_join(threads[i], NULL);

	t_check(!backwards, "heads only grow", "%llu times not", backwards);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_counters(fd, &counters);
	t_status(fd, &status);
	t_check(counters.records && counters.lost[GAPP_LOST_RING],
		"records came, and others were lost", "%llu and %llu", counters.records,
		counters.lost[GAPP_LOST_RING]);
	t_check(!stray_bytes(&reader), "nothing is written before the data", "%zu bytes",
		stray_bytes(&reader));
	t_check(status.flags & GAPP_STATUS_RECOUNT_OK && !status.unexpected,
		"the figures are as without it", "%u differ, %llu odd", status.recount_differ,
		status.unexpected);
	t_sums(fd, "sums");
	free(heads);
	r_close(&reader);
	close(fd);
	t_kill(&target);

	impossible_tails(far_ahead, "a tail far ahead of the head is a full ring");
	impossible_tails(far_behind, "one far behind is");
	impossible_tails(just_behind, "one a little more than a ring behind is");
}

/* A reader that was away comes back: it skips to the head, and all is well from there on. */
void hostile_returns(void)
{
	struct r_reader reader;
	struct t_child target;
	u64 stop_at;
	int fd = begin(&reader, &target);

	for (unsigned int cpu = 0; cpu < reader.layout.cpus; cpu++)
		if (reader.rings[cpu].shared)
			*reader.rings[cpu].tail = ~0ULL / 3;
	t_sleep(200 * NSEC_PER_MSEC);
	r_drain(&reader);
	stop_at = t_now() + NSEC_PER_SEC / 2;
	while (t_now() < stop_at)
		r_drain(&reader);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	t_check(!reader.tally.bad && reader.tally.lost_told && reader.tally.records > 100,
		"a tail that makes sense again is believed again",
		"%llu records, %llu losses told, %llu bad: %s", reader.tally.records,
		reader.tally.lost_told, reader.tally.bad, reader.tally.why);
	r_close(&reader);
	close(fd);
	t_kill(&target);
}
