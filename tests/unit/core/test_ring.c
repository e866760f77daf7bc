// SPDX-License-Identifier: GPL-2.0
/* kmod/core/ring.c: a ring of records, alone, with any reader, and with one in another thread. */
#include <pthread.h>
#include <sched.h>

#include "rig.h"

#include "random.h"
#include "ring_check.h"
#include "rings.h"

static void test_vector(void **state)
{
	struct rig rig = { 0 };

	vec_ring_run(&rig, *state);
	rig_done(&rig);
}

/* A CPU that comes when the rings are made already has none. */
static void test_none(void **state)
{
	struct gapp_ring_writer ring = { .cpu = 3 };

	(void)state;
	gapp_ring_lose(&ring, 5, 7, 11);
	gapp_ring_lose(&ring, 5, 0, 12);
	assert_true(ring.lost == 2 && ring.lost_critical_share == 10 && ring.lost_wait_ns == 7);
	assert_true(ring.lost_since_ns == 11);
}

/* So many steps of a hundred that are hostile tails. */
static void run_random(struct rig *rig, u64 seed, u32 hostile)
{
	u8 *data = aligned_alloc(8, RING_CHECK_BYTES);
	u8 bytes[RING_CHECK_STEP];
	struct ring_check check;
	const char *wrong = NULL;
	u64 random = seed, word;
	u32 i, reads;

	assert_non_null(data);
	ring_check_init(&check, data);
	reads = random_below(&random, 6);
	for (i = 0; i < 400 && !wrong; i++) {
		word = random_next(&random);
		memcpy(bytes, &word, sizeof(bytes));
		if (random_below(&random, 100) < hostile)
			bytes[0] = bytes[0] << 3 | 6;
		else
			bytes[0] = (bytes[0] << 3) |
				   (random_below(&random, 8) < reads ? 4 : word >> 62);
		wrong = ring_check_step(&check, bytes);
	}
	if (!wrong)
		wrong = ring_check_end(&check);
	if (wrong)
		VEC_FAIL(rig, "seed %llu, step %u: %s", (unsigned long long)seed, i, wrong);
	free(data);
}

static void test_random(void **state)
{
	u64 runs = from_environment("PROPERTY_RUNS", 5000);
	u64 seed = from_environment("PROPERTY_SEED", 1) << 32;
	struct rig rig = { 0 };
	u64 i;

	for (i = 0; i < runs && !rig.count; i++)
		run_random(&rig, seed + i, *(const u32 *)*state);
	rig_done(&rig);
}

#define BUSY_BYTES 4096

/**
 * struct busy - a producer and a reader at the same time
 * @ring: the ring
 * @shared: its begin
 * @tail: the reader's
 * @records: to be written, lost ones included
 * @done: all are
 * @data: the ring's data
 */
struct busy {
	struct gapp_ring_writer ring;
	struct gapp_ring shared;
	u64 tail;
	u64 records;
	u32 done;
	u64 data[BUSY_BYTES / 8];
};

static void *produce(void *argument)
{
	struct busy *busy = argument;
	u64 i, random = 5;

	for (i = 0; i < busy->records; i++) {
		ring_put(&busy->ring, i, 24 + random_below(&random, 126) * 8, i);
		if (!random_below(&random, 64))
			sched_yield();
	}
	/* Release: with all the records. */
	smp_store_release(&busy->done, 1);
	return NULL;
}

/* Sometimes fast, sometimes slow, so that the ring is empty, full, and in between. */
static const char *consume(struct busy *busy, struct ring_reader *reader)
{
	const char *wrong = NULL;
	u64 random = 6, until = 0;
	u32 done;

	do {
		/* Acquire: nothing is written after that. */
		done = smp_load_acquire(&busy->done);
		until = random_below(&random, 40);
		while (until-- && ring_read(reader, &wrong))
			;
		if (wrong)
			return wrong;
		/* Release: what is read may be written over. */
		smp_store_release(&busy->tail, reader->tail);
		if (!random_below(&random, 4))
			sched_yield();
	} while (!done || READ_ONCE(busy->shared.write_position) != reader->tail);
	return NULL;
}

static void test_threads(void **state)
{
	static struct busy busy;
	struct ring_reader reader = { .data = (u8 *)busy.data, .shared = &busy.shared };
	struct rig rig = { 0 };
	const char *wrong;
	pthread_t producer;

	(void)state;
	reader.bytes = BUSY_BYTES;
	busy.records = from_environment("PROPERTY_RUNS", 5000) * 40;
	gapp_ring_init(&busy.ring, (u8 *)busy.data, BUSY_BYTES, 0, &busy.shared, &busy.tail);
	assert_int_equal(pthread_create(&producer, NULL, produce, &busy), 0);
	wrong = consume(&busy, &reader);
	pthread_join(producer, NULL);
	if (wrong)
		VEC_FAIL(&rig, "%s", wrong);
	else if (reader.next + busy.ring.lost - busy.ring.reported.lost != busy.records)
		VEC_FAIL(&rig, "records that are neither read nor lost");
	else if (busy.ring.records != reader.next - reader.lost)
		VEC_FAIL(&rig, "number of records");
	rig_done(&rig);
}

int main(void)
{
	static const u32 never = 0, often = 10;
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_rings); i++)
		rig_add(&group, vec_rings[i].name, test_vector, &vec_rings[i]);
	rig_add(&group, "no ring", test_none, NULL);
	rig_add(&group, "any producer, any reader", test_random, &never);
	rig_add(&group, "any tail", test_random, &often);
	rig_add(&group, "a reader in another thread", test_threads, NULL);
	return rig_run("ring", &group);
}
