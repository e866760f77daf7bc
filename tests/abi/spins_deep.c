// SPDX-License-Identifier: GPL-2.0
/*
 * GAPP_SPIN_DEEP: a thread waits in a loop in which it calls an engine all the time, whose
 * functions have frames. What is called is the same wherever the thread waits and works, so only
 * the caller tells. The mapping has no unwind table: call paths are found by frame pointers.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"
#include "spins.h"

#define RATE_HZ 1000
#define WORK_NS (100 * NSEC_PER_MSEC)
/* Frames between the loop and where the thread nearly always is; and more than are looked at. */
#define DEPTH 6
#define TOO_DEEP 40

/**
 * struct play - what the followed process does
 * @depth: how deep the engine's calls are
 * @yields: the engine lets others run, and both threads share a CPU
 * @unknown: the second thread waits in a loop that is not in the table
 */
struct play {
	u32 depth;
	bool yields;
	bool unknown;
};

static const struct play *play;
static int turn;
/* How long the second thread waited by its own clock; shared with the test. */
static u64 *waited_ns;

/* Called by nothing but itself, so that each call has a frame. */
static __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls"))) void
engine(u32 depth)
{
	if (depth) {
		engine(depth - 1);
		asm volatile("" : : : "memory");
		return;
	}
	if (play->yields) {
		register long number asm("rax") = SYS_sched_yield;

		asm volatile("syscall" : "+r"(number) : : "rcx", "r11", "memory");
		return;
	}
	for (u32 i = 0; i < 20000; i++)
		asm volatile("" : : : "memory");
}

static __attribute__((noinline)) void engine_until(const int *flag)
{
	asm volatile(".globl t_deep_begin\nt_deep_begin:" : : : "memory");
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		engine(play->depth);
	asm volatile(".globl t_deep_end\nt_deep_end:" : : : "memory");
}

/* The same, and nobody tells the session. */
static __attribute__((noinline)) void work_until(const int *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		engine(play->depth);
	asm volatile("" : : : "memory");
}

/* Waits for the first thread, and then works by the same engine. */
static void *waits(void *unused)
{
	u64 begin = t_now(), until;

	(void)unused;
	if (play->unknown)
		work_until(&turn);
	else
		engine_until(&turn);
	*waited_ns = t_now() - begin;
	until = t_now() + WORK_NS;
	while (t_now() < until)
		engine(play->depth);
	return NULL;
}

static void acts(struct t_child *parent, void *arg)
{
	pthread_t other;

	play = arg;
	if (play->yields)
		t_stay_on_one_cpu();
	t_tell(parent);
	t_hear(parent);
	errno = pthread_create(&other, NULL, waits, NULL);
	if (errno)
		t_die("pthread_create");
	/* samples meet who yields only while nobody else wants the CPU */
	if (play->yields)
		t_sleep(WORK_NS / 2);
	t_burn_until(t_now() + (play->yields ? WORK_NS / 2 : WORK_NS));
	__atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
	pthread_join(other, NULL);
	t_tell(parent);
	t_hear(parent);
}

struct table {
	struct gapp_spin_head head;
	struct gapp_spin_range range;
};

static void give_table(int fd, pid_t pid, u16 flags)
{
	struct table table = {
		.head = { .magic = GAPP_SPIN_MAGIC,
			  .version = GAPP_SPIN_VERSION,
			  .arch = GAPP_ARCH_X86_64,
			  .ranges = 1 },
		.range = { .begin = (uintptr_t)t_deep_begin,
			   .bytes = t_deep_end - t_deep_begin,
			   .flags = flags },
	};
	struct gapp_table_load load = { .data = (uintptr_t)&table, .bytes = sizeof(table) };
	struct gapp_mapping mapping = {
		.begin = (uintptr_t)t_deep_begin & ~0xfffffULL,
		.end = ((uintptr_t)t_deep_begin | 0xfffffULL) + 1,
	};
	struct gapp_mappings maps = { .pid = pid };

	t_expect(t_ioctl(fd, GAPP_IOC_LOAD_TABLE, &load), T_OK, "a table with a deep range");
	mapping.spins = load.table;
	t_expect(t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &maps), T_OK, "the number of the mappings");
	maps.maps = (uintptr_t)&mapping;
	maps.count = 1;
	t_expect(t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &maps), T_OK, "SET_MAPPINGS");
}

/**
 * struct seen - what records and figures say
 * @spins: slices that ended in a spin
 * @with_word: of these, those that say for which word
 * @by_n: session time with 0, 1 and 2 active threads
 */
struct seen {
	u32 spins, with_word;
	u64 by_n[3];
};

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	struct seen *seen = arg;

	if (record->type != GAPP_RECORD_SLICE || slice->then != GAPP_THEN_WAIT ||
	    slice->wait != GAPP_WAIT_SPIN)
		return;
	seen->spins++;
	seen->with_word += slice->args[0] || slice->args[1] || slice->args[2];
}

/* Returns how long the process spun, in nanoseconds. */
static u64 follow(const struct play *plays, u16 flags, struct seen *seen)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct t_child child = t_fork(acts, (void *)(uintptr_t)plays);
	struct gapp_target_figures target;
	struct gapp_page page = { .buffer = (uintptr_t)&target, .capacity = 1 };
	struct r_reader reader;
	int fd;

	config.flags = GAPP_CONFIG_SPINS;
	config.unwind_by = GAPP_UNWIND_BY_TABLE;
	config.rate_hz = RATE_HZ;
	config.ring_bytes = GAPP_DEFAULT_RING;
	fd = t_session(&config);
	t_hear(&child);
	*seen = (struct seen){ 0 };
	r_open(&reader, fd);
	reader.see = see;
	reader.arg = seen;
	t_add(fd, child.pid, GAPP_ADD_NO_INHERIT);
	t_expect(t_start(fd), T_OK, "START");
	give_table(fd, child.pid, flags);
	t_tell(&child);
	t_hear(&child);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	t_check(!reader.tally.bad, "all records make sense", "%llu do not: %s", reader.tally.bad,
		reader.tally.why);
	t_sums(fd, "sums are exact");
	t_recount(fd);
	t_expect(t_ioctl(fd, GAPP_IOC_TARGETS, &page), T_OK, "TARGETS");
	t_parallelism(fd, seen->by_n, ARRAY_SIZE(seen->by_n));
	r_close(&reader);
	close(fd);
	t_kill(&child);
	return target.spun_ns;
}

void spins_deep(void)
{
	static const struct play deep = { .depth = DEPTH };
	static const struct play too_deep = { .depth = TOO_DEEP };
	static const struct play yields = { .depth = DEPTH, .yields = true };
	static const struct play unknown = { .depth = DEPTH, .unknown = true };
	const u16 both = GAPP_SPIN_CALLS | GAPP_SPIN_DEEP;
	struct seen seen;
	u64 spun;

	waited_ns = mmap(NULL, sizeof(*waited_ns), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (waited_ns == MAP_FAILED)
		t_die("mmap");
	spun = follow(&deep, both, &seen);
	t_check(seen.spins && spun > WORK_NS / 4, "who waits deep below a loop spins",
		"%u spins, %llu us of %llu", seen.spins, spun / 1000, (u64)WORK_NS / 1000);
	t_check(spun < *waited_ns + WORK_NS / 2, "and works where another function calls the same",
		"%llu us, waited %llu", spun / 1000, *waited_ns / 1000);
	t_check(!seen.with_word, "the word is not known there", "%u of %u have one", seen.with_word,
		seen.spins);
	spun = follow(&deep, GAPP_SPIN_CALLS, &seen);
	t_check(spun < *waited_ns / 4, "without the flag nobody looks so deep", "%u spins, %llu us",
		seen.spins, spun / 1000);
	spun = follow(&unknown, both, &seen);
	t_check(!seen.spins && !spun, "a loop that is not in the table is work",
		"%u spins, %llu us", seen.spins, spun / 1000);
	spun = follow(&too_deep, both, &seen);
	t_check(spun < *waited_ns / 4, "only so many frames are looked at", "%u spins, %llu us",
		seen.spins, spun / 1000);
	/* On a slow kernel samples meet the thread late. */
	for (int i = 0; i < 3; i++) {
		spun = follow(&yields, both, &seen);
		if (spun > WORK_NS / 4 && seen.by_n[0] > WORK_NS / 4 &&
		    seen.by_n[2] < seen.by_n[0] / 2)
			break;
	}
	t_check(seen.spins && spun > WORK_NS / 4, "who yields deep below a loop spins",
		"%u spins, %llu us of %llu", seen.spins, spun / 1000, (u64)WORK_NS / 1000);
	t_check(seen.by_n[0] > WORK_NS / 4 && seen.by_n[2] < seen.by_n[0] / 2,
		"and is found where it yields", "%llu, %llu, %llu us with 0, 1, 2 threads",
		seen.by_n[0] / 1000, seen.by_n[1] / 1000, seen.by_n[2] / 1000);
	munmap(waited_ns, sizeof(*waited_ns));
}
