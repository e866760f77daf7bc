// SPDX-License-Identifier: GPL-2.0
/* Processes of many threads that sleep, some of which hand a byte to and fro when told. */
#include "crowd.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define STACK 16384
/* Whoever says so is asleep by then. */
#define SETTLE_NS (20 * NSEC_PER_MSEC)
#define THREADS_EACH 1000

/**
 * struct part - what one process is
 * @sleepers: threads that do nothing
 * @rounds: of its loop each time that it is told
 * @second: the other side of the loop is one of its threads, and else of another process
 * @pingpong: the loop; NULL: it has none
 */
struct part {
	u32 sleepers;
	u32 rounds;
	bool second;
	struct pingpong *pingpong;
};

void pingpong_make(struct pingpong *pingpong)
{
	if (pipe(pingpong->there) || pipe(pingpong->back))
		t_die("pipe");
}

void pingpong_first(const struct pingpong *pingpong, u32 rounds)
{
	char byte = 0;

	for (u32 i = 0; i < rounds; i++)
		if (write(pingpong->there[1], &byte, 1) != 1 ||
		    read(pingpong->back[0], &byte, 1) != 1)
			t_die("a pipe of the loop");
}

/* Until the first one is gone. */
void *pingpong_second(void *arg)
{
	const struct pingpong *pingpong = arg;
	char byte;

	while (read(pingpong->there[0], &byte, 1) == 1)
		if (write(pingpong->back[1], &byte, 1) != 1)
			break;
	return NULL;
}

static u32 asleep;

static void *sleeps(void *arg)
{
	(void)arg;
	__atomic_add_fetch(&asleep, 1, __ATOMIC_RELAXED);
	for (;;)
		pause();
	return NULL;
}

/* Without guard pages: 16,384 of those are more mappings than a process may have. */
static void start_sleepers(u32 count)
{
	pthread_attr_t attributes;
	pthread_t thread;
	char *stacks;

	if (!count)
		return;
	stacks = mmap(NULL, (size_t)count * STACK, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (stacks == MAP_FAILED)
		t_die("memory for stacks");
	pthread_attr_init(&attributes);
	for (u32 i = 0; i < count; i++) {
		pthread_attr_setstack(&attributes, stacks + (size_t)i * STACK, STACK);
		errno = pthread_create(&thread, &attributes, sleeps, NULL);
		if (errno)
			t_die("pthread_create: is kernel.threads-max too small?");
	}
	while (__atomic_load_n(&asleep, __ATOMIC_RELAXED) < count)
		t_sleep(NSEC_PER_MSEC);
}

static void be(struct t_child *parent, void *arg)
{
	const struct part *part = arg;
	pthread_t second;

	if (part->second) {
		errno = pthread_create(&second, NULL, pingpong_second, part->pingpong);
		if (errno)
			t_die("pthread_create");
	}
	start_sleepers(part->sleepers);
	t_tell(parent);
	for (;;) {
		t_hear(parent);
		if (part->pingpong)
			pingpong_first(part->pingpong, part->rounds);
		t_tell(parent);
	}
}

static void be_second(struct t_child *parent, void *arg)
{
	t_tell(parent);
	pingpong_second(arg);
}

static struct t_child start(const struct part *part)
{
	struct t_child child = t_fork(be, (void *)part);

	t_hear(&child);
	return child;
}

static void start_pair(struct t_child *child, u32 rounds)
{
	struct part part = { .rounds = rounds, .second = true };
	struct pingpong pingpong;

	pingpong_make(&pingpong);
	part.pingpong = &pingpong;
	*child = start(&part);
}

static void start_foreign(u32 threads)
{
	while (threads) {
		u32 now = threads < THREADS_EACH ? threads : THREADS_EACH;
		struct part part = { .sleepers = now - 1 };

		start(&part);
		threads -= now;
	}
}

/* One thread alone hands over to one of another process. */
static void start_target(struct people *people)
{
	const struct crowd *crowd = people->crowd;
	struct part part = { .rounds = crowd->rounds };
	struct pingpong pingpong;
	struct t_child second;

	if (crowd->outside) {
		part.sleepers = crowd->threads - 1;
		people->target = start(&part);
		start_pair(&people->loop, crowd->rounds);
		return;
	}
	pingpong_make(&pingpong);
	part.pingpong = &pingpong;
	part.second = crowd->threads > 1;
	if (part.second) {
		part.sleepers = crowd->threads - 2;
	} else {
		second = t_fork(be_second, &pingpong);
		t_hear(&second);
	}
	people->target = start(&part);
	people->loop = people->target;
}

/* @people: nobody is taken down but by people_kill() or the end of this process. */
void people_make(struct people *people, const struct crowd *crowd)
{
	*people = (struct people){ .crowd = crowd };
	people->others = calloc(crowd->switching + 1, sizeof(*people->others));
	if (!people->others)
		t_die("memory");
	start_foreign(crowd->foreign);
	for (u32 i = 0; i < crowd->switching; i++)
		start_pair(&people->others[i], crowd->rounds);
	start_target(people);
	t_sleep(SETTLE_NS);
}

u64 people_run(struct people *people)
{
	u32 others = people->crowd->switching;
	u64 begin = t_now();

	for (u32 i = 0; i < others; i++)
		t_tell(&people->others[i]);
	t_tell(&people->loop);
	for (u32 i = 0; i < others; i++)
		t_hear(&people->others[i]);
	t_hear(&people->loop);
	return t_now() - begin;
}

void people_kill(struct people *people)
{
	for (u32 i = 0; i < people->crowd->switching; i++)
		t_kill(&people->others[i]);
	if (people->loop.pid != people->target.pid)
		t_kill(&people->loop);
	t_kill(&people->target);
	free(people->others);
}
