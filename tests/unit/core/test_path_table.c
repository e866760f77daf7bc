// SPDX-License-Identifier: GPL-2.0
/* kmod/core/path_table.c: the table of call paths, used by one thread and by several at once. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include "rig.h"

#include "paths.h"
#include "random.h"

static void test_vector(void **state)
{
	struct rig rig = { 0 };

	vec_path_run(&rig, *state);
	rig_done(&rig);
}

/* A path that another CPU has begun to insert: no number until it is there, and no endless wait. */
static void test_half_inserted(void **state)
{
	static const u64 frames[] = { 0x401000, 0x402000 };
	static struct gapp_path slots[16], half[16];
	static u64 words[16];
	struct gapp_path_table table;
	u32 number;

	(void)state;
	gapp_path_table_init(&table, slots, 16, words, 16, 5);
	number = gapp_path_table_insert(&table, 1, frames, 2, 0);
	assert_in_range(number, 0, 15);

	half[number].hash = slots[number].hash;
	gapp_path_table_init(&table, half, 16, words, 16, 5);
	assert_int_equal(gapp_path_table_insert(&table, 1, frames, 2, 0), GAPP_PATH_LOST);
	assert_int_equal(table.refused, 1);
	assert_int_equal(table.word_next, 1);
	half[number] = slots[number];
	assert_int_equal(gapp_path_table_insert(&table, 1, frames, 2, 0), number);
	assert_int_equal(table.refused, 1);
}

/* Only so many slots are looked at, and the last of them is. */
static void test_probes(void **state)
{
	static struct gapp_path slots[256];
	static u64 words[64];
	struct gapp_path_table table;
	u64 frame = 0x401000;
	u32 first, i;

	(void)state;
	gapp_path_table_init(&table, slots, 256, words, 64, 5);
	first = gapp_path_table_insert(&table, 1, &frame, 1, 0);
	assert_in_range(first, 0, 255);
	memset(slots, 0, sizeof(slots));
	for (i = 0; i < GAPP_PATH_TABLE_PROBES; i++) {
		assert_int_equal(gapp_path_table_insert(&table, 1, &frame, 1, 0),
				 (first + i) % 256);
		slots[(first + i) % 256].hash ^= 1;
	}
	assert_int_equal(gapp_path_table_insert(&table, 1, &frame, 1, 0), GAPP_PATH_LOST);
	assert_int_equal(table.refused, 1);
}

/* Whoever does not know the seed cannot choose paths that meet in one slot. */
static void test_seed(void **state)
{
	static struct gapp_path slots[65536];
	static u64 words[16];
	struct gapp_path_table table;
	u64 frame = 0x401000, i;
	u32 same = 0, last = 0, number;

	(void)state;
	for (i = 0; i < 200; i++) {
		gapp_path_table_init(&table, slots, 65536, words, 16, i);
		number = gapp_path_table_insert(&table, 1, &frame, 1, 0);
		same += i && number == last;
		slots[number].hash = 0;
		last = number;
	}
	assert_in_range(same, 0, 2);
}

#define ORDER_BYTES 4096

/**
 * struct order - a table whose words cannot be written to until a fault has been looked at
 * @slots: its slots
 * @words: a page of words
 * @faults: writes to it that were looked at
 * @early: slots that were filled in by then
 */
static struct order {
	struct gapp_path slots[16];
	u64 *words;
	u32 faults;
	u32 early;
} order;

static void first_write(int signal, siginfo_t *info, void *context)
{
	u32 i;

	(void)context;
	if (info->si_addr < (void *)order.words ||
	    info->si_addr >= (void *)(order.words + ORDER_BYTES / sizeof(u64)))
		abort();
	(void)signal;
	order.faults++;
	for (i = 0; i < RIG_COUNT(order.slots); i++)
		order.early += !!READ_ONCE(order.slots[i].word);
	if (mprotect(order.words, ORDER_BYTES, PROT_READ | PROT_WRITE))
		abort();
}

/* When the first frame is written, nobody can know of the path yet. */
static void test_order(void **state)
{
	struct sigaction action = { .sa_sigaction = first_write, .sa_flags = SA_SIGINFO }, before;
	static const u64 frames[] = { 0x401000, 0x402000 };
	struct gapp_path_table table;
	u32 number;

	(void)state;
	order.words = mmap(NULL, ORDER_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(order.words != MAP_FAILED);
	gapp_path_table_init(&table, order.slots, RIG_COUNT(order.slots), order.words,
			     ORDER_BYTES / sizeof(u64), 5);
	assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
	number = gapp_path_table_insert(&table, 1, frames, 2, 0);
	assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
	assert_in_range(number, 0, 15);
	assert_int_equal(order.faults, 1);
	assert_int_equal(order.early, 0);
	assert_memory_equal(order.words + order.slots[number].word, frames, sizeof(frames));
	munmap(order.words, ORDER_BYTES);
}

#define CROWD 4
#define CROWD_SLOTS 1024
#define CROWD_PATHS 600
#define CROWD_WORDS (256 * 1024)
#define MAX_FRAMES 1500

/**
 * struct crowd - threads that insert the same paths in the same order
 * @table: the table
 * @slots: its slots
 * @words: its words
 * @turn: path that is inserted now, times CROWD, and how many are done with it
 * @wrong: what was wrong
 * @numbers: what each thread got for each path
 */
struct crowd {
	struct gapp_path_table table;
	struct gapp_path slots[CROWD_SLOTS];
	u64 words[CROWD_WORDS];
	u32 turn;
	const char *wrong;
	u32 numbers[CROWD][CROWD_PATHS];
};

/**
 * struct member - one of these threads
 * @crowd: the crowd
 * @number: of the thread
 */
struct member {
	struct crowd *crowd;
	u32 number;
};

static u16 make_path(u64 round, u32 path, u64 *frames)
{
	u64 random = round << 32 | path;
	/* Mostly as in life, some long ones for a long time in which they are half inserted. */
	u16 i, count = path % 8 ? 1 + random_below(&random, 127) : MAX_FRAMES;

	for (i = 0; i < count; i++)
		frames[i] = random_next(&random);
	return count;
}

static const char *check_path(const struct crowd *crowd, u32 number, const u64 *frames, u16 count,
			      u16 flags)
{
	const struct gapp_path *slot;

	if (number == GAPP_PATH_LOST)
		return NULL;
	if (number >= CROWD_SLOTS)
		return "a number that no slot has";
	slot = &crowd->slots[number];
	if (!READ_ONCE(slot->word))
		return "a number without frames";
	if (slot->words != count || slot->flags != flags)
		return "number of frames";
	if (slot->word + count > CROWD_WORDS)
		return "frames behind the last word";
	/* The last frame is written last. */
	if (crowd->words[slot->word + count - 1] != frames[count - 1] ||
	    memcmp(&crowd->words[slot->word], frames, count * sizeof(*frames)))
		return "frames";
	return NULL;
}

static void *insert_all(void *argument)
{
	const struct member *member = argument;
	struct crowd *crowd = member->crowd;
	u64 frames[MAX_FRAMES];
	const char *wrong;
	u32 i, spins, number;
	u16 count;

	for (i = 0; i < CROWD_PATHS; i++) {
		count = make_path(1, i, frames);
		/* All begin at the same time, as far as there are CPUs. */
		for (spins = 0; smp_load_acquire(&crowd->turn) < i * CROWD; spins++)
			if (spins % 1000 == 999)
				sched_yield();
		number = gapp_path_table_insert(&crowd->table, 1, frames, count, i % 4);
		wrong = check_path(crowd, number, frames, count, i % 4);
		if (wrong)
			__atomic_store_n(&crowd->wrong, wrong, __ATOMIC_RELAXED);
		crowd->numbers[member->number][i] = number;
		__atomic_fetch_add(&crowd->turn, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static const char *check_crowd(const struct crowd *crowd, u64 lost)
{
	static bool seen[CROWD_SLOTS];
	u32 i, k, number, used = 0;

	memset(seen, 0, sizeof(seen));
	for (i = 0; i < CROWD_PATHS; i++) {
		number = GAPP_PATH_LOST;
		for (k = 0; k < CROWD; k++) {
			u32 mine = crowd->numbers[k][i];

			if (mine == GAPP_PATH_LOST)
				lost--;
			else if (number == GAPP_PATH_LOST)
				number = mine;
			else if (mine != number)
				return "two numbers for one path";
		}
		if (number != GAPP_PATH_LOST && seen[number])
			return "one number for two paths";
		if (number != GAPP_PATH_LOST)
			seen[number] = true;
	}
	for (i = 0; i < CROWD_SLOTS; i++)
		used += !!crowd->slots[i].hash;
	if (used != crowd->table.used)
		return "number of slots in use";
	return lost ? "number of refused paths" : NULL;
}

/* Room for all, or words for a part only: all threads meet at the last ones. */
static void test_threads(void **state)
{
	const u32 *words = *state;
	struct member members[CROWD];
	pthread_t threads[CROWD];
	struct rig rig = { 0 };
	static struct crowd crowd;
	u64 rounds = 1 + from_environment("PROPERTY_RUNS", 5000) / 200;
	const char *wrong = NULL;
	u32 i;

	while (rounds-- && !wrong) {
		memset(&crowd, 0, sizeof(crowd));
		gapp_path_table_init(&crowd.table, crowd.slots, CROWD_SLOTS, crowd.words, *words,
				     rounds);
		for (i = 0; i < CROWD; i++) {
			members[i] = (struct member){ &crowd, i };
			assert_int_equal(pthread_create(&threads[i], NULL, insert_all, &members[i]),
					 0);
		}
		for (i = 0; i < CROWD; i++)
			pthread_join(threads[i], NULL);
		wrong = crowd.wrong ? crowd.wrong : check_crowd(&crowd, crowd.table.refused);
		if (!wrong && crowd.table.word_next > *words)
			wrong = "more words in use than there are";
	}
	if (wrong)
		VEC_FAIL(&rig, "%s", wrong);
	rig_done(&rig);
}

int main(void)
{
	static const u32 all_words = CROWD_WORDS, few_words = 60000;
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_paths); i++)
		rig_add(&group, vec_paths[i].name, test_vector, &vec_paths[i]);
	rig_add(&group, "a path that is half inserted", test_half_inserted, NULL);
	rig_add(&group, "frames come before the number", test_order, NULL);
	rig_add(&group, "how many slots are looked at", test_probes, NULL);
	rig_add(&group, "the seed decides where", test_seed, NULL);
	rig_add(&group, "threads with the same paths", test_threads, &all_words);
	rig_add(&group, "threads when words run out", test_threads, &few_words);
	return rig_run("path_table", &group);
}
