// SPDX-License-Identifier: GPL-2.0
/*
 * Everything that switches is in the innermost function of its side, so that each switch of a side
 * has one call path. Each of them could return: one that cannot gets no frame pointer.
 */
#include "kinds.h"

#include <linux/sched.h>
#include <stddef.h>
#include <string.h>

#include "ends.h"
#include "syscalls.h"

static void pipe_first(void *argument)
{
	struct loop *loop = argument;
	char byte = 'x';

	for (uint64_t i = 0; i < loop->rounds && !loop->failed; i++)
		loop->failed = write_one(loop->to[1], &byte) != 1 ||
			       read_one(loop->fro[0], &byte) != 1;
}

static void pipe_second(void *argument)
{
	struct loop *loop = argument;
	char byte;

	while (read_one(loop->to[0], &byte) == 1 && write_one(loop->fro[1], &byte) == 1)
		;
	loop->failed = true;
}

static void ring_first(void *argument)
{
	struct loop *loop = argument;
	char byte = 'x';

	for (uint64_t i = 0; i < loop->rounds && !loop->failed; i++)
		loop->failed = write_one(loop->ring[1][1], &byte) != 1 ||
			       read_one(loop->ring[0][0], &byte) != 1;
}

static void ring_next(void *argument)
{
	const struct place *place = argument;
	struct loop *loop = place->loop;
	int from = loop->ring[place->number][0];
	int to = loop->ring[(place->number + 1) % loop->places][1];
	char byte;

	while (read_one(from, &byte) == 1 && write_one(to, &byte) == 1)
		;
	loop->failed = true;
}

static inline __attribute__((always_inline)) void wait_for_turn(struct loop *loop, int side)
{
	int turn;

	while ((turn = __atomic_load_n(&loop->turn, __ATOMIC_ACQUIRE)) != side)
		futex_wait(&loop->turn, turn);
}

static inline __attribute__((always_inline)) void hand_over(struct loop *loop, int side)
{
	__atomic_store_n(&loop->turn, side, __ATOMIC_RELEASE);
	futex_wake(&loop->turn);
}

static void futex_first(void *argument)
{
	struct loop *loop = argument;

	for (uint64_t i = 0; i < loop->rounds; i++) {
		hand_over(loop, 1);
		wait_for_turn(loop, 0);
	}
}

static void futex_second(void *argument)
{
	struct loop *loop = argument;

	while (!__atomic_load_n(&loop->failed, __ATOMIC_RELAXED)) {
		wait_for_turn(loop, 1);
		hand_over(loop, 0);
	}
}

static void yield_first(void *argument)
{
	struct loop *loop = argument;

	hand_over(loop, 1);
	for (uint64_t i = 0; i < loop->rounds; i++)
		syscall4(SYS_sched_yield, 0, 0, 0, 0);
	__atomic_store_n(&loop->turn, 0, __ATOMIC_RELEASE);
}

static void yield_second(void *argument)
{
	struct loop *loop = argument;

	while (!__atomic_load_n(&loop->failed, __ATOMIC_RELAXED)) {
		wait_for_turn(loop, 1);
		syscall4(SYS_sched_yield, 0, 0, 0, 0);
	}
}

#define SHORT_THREAD                                                                        \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | \
	 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

static void join_first(void *argument)
{
	static char stack[4096] __attribute__((aligned(16)));
	struct loop *loop = argument;
	int alive = 0, now;

	for (uint64_t i = 0; i < loop->rounds; i++) {
		if (start_short_thread(SHORT_THREAD, stack + sizeof(stack), &alive) < 0) {
			loop->failed = true;
			return;
		}
		while ((now = __atomic_load_n(&alive, __ATOMIC_ACQUIRE)))
			futex_wait(&alive, now);
	}
}

/* Instructions of a round, about. */
#define SPIN_INSTRUCTIONS 100000

static void spin_first(void *argument)
{
	struct loop *loop = argument;
	uint64_t value = 1;

	for (uint64_t i = 0; i < loop->rounds; i++) {
		for (unsigned int k = 0; k < SPIN_INSTRUCTIONS / 4; k++) {
			value = value * 6364136223846793005ULL + 1442695040888963407ULL;
			asm volatile("" : "+r"(value));
		}
	}
}

/* A round of the loop takes four instructions. */
static __attribute__((noipa)) bool look_for(const int *flag, unsigned int rounds)
{
	for (; rounds; rounds--)
		if (__atomic_load_n(flag, __ATOMIC_RELAXED))
			return true;
	return false;
}

/* A busy-wait loop which gives up after so many rounds, because nobody ends the wait. */
static void wait_first(void *argument)
{
	static const int never;
	struct loop *loop = argument;

	for (uint64_t i = 0; i < loop->rounds; i++)
		if (look_for(&never, SPIN_INSTRUCTIONS / 4))
			return;
}

const struct kind kinds[] = {
	{ .name = "pipe", .first = pipe_first, .second = pipe_second, .blocks = true },
	{ .name = "ring", .first = ring_first, .next = ring_next, .blocks = true },
	{ .name = "futex", .first = futex_first, .second = futex_second, .blocks = true },
	{ .name = "yield", .first = yield_first, .second = yield_second, .one_cpu = true },
	{ .name = "join", .first = join_first },
	{ .name = "spin", .first = spin_first },
	{ .name = "wait", .first = wait_first },
	{ 0 },
};

const struct kind *find_kind(const char *name)
{
	const struct kind *kind;

	for (kind = kinds; kind->name; kind++)
		if (!strcmp(kind->name, name))
			return kind;
	return NULL;
}
