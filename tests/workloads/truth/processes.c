// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=solve_boundary kind=ran waits=barrier cpu=below
 *
 * Four processes that meet at a barrier in shared memory each round, one of
 * which has more to do.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "truth.h"

#define PROCESSES 4
#define ROUNDS 40

struct shared {
	pthread_barrier_t round_end;
	struct pieces rounds[ROUNDS];
};

static struct shared *common;

static noinline void solve_boundary(void)
{
	BURN(15000); /* TRUTH: first */
}

static void make_shared(void)
{
	pthread_barrierattr_t attributes;

	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (common == MAP_FAILED)
		die("mmap");
	pthread_barrierattr_init(&attributes);
	pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&common->round_end, &attributes, PROCESSES);
	for (int i = 0; i < ROUNDS; i++)
		common->rounds[i].left = 44;
}

static void process(int me)
{
	for (int i = 0; i < ROUNDS; i++) {
		parallel_work(&common->rounds[i]);
		if (me == PROCESSES - 1)
			solve_boundary();
		pthread_barrier_wait(&common->round_end);
	}
	truth_end();
}

/* What was done until the fork is the parent's. */
static void forget_marks(void)
{
	for (struct mark *mark = __start_truth_marks; mark < __stop_truth_marks; mark++)
		mark->loops = 0;
}

int main(void)
{
	int failed = 0, status;
	pid_t child;

	truth_begin();
	make_shared();
	read_input();
	for (int i = 0; i < PROCESSES; i++) {
		child = fork();
		if (child < 0)
			die("fork");
		if (!child) {
			forget_marks();
			process(i);
			_exit(0);
		}
	}
	for (int i = 0; i < PROCESSES; i++)
		failed |= wait(&status) < 0 || status;
	write_output();
	truth_end();
	return failed;
}
