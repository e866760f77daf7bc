// SPDX-License-Identifier: GPL-2.0
/*
 * truth: part=waits first=compress_block kind=ran waits=pipe cpu=below
 * truth: object=packer waits_at=read_block
 *
 * Two processes over a pipe: one compresses blocks, the other waits for each of
 * them. Before, they compute together.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "truth.h"

#define BLOCKS 60

static struct pieces *warming;
static int ends[2];

static noinline void compress_block(void)
{
	BURN(8000); /* TRUTH: first */
}

static noinline void store_block(void)
{
	BURN(300);
}

static noinline int read_block(void)
{
	char block[64];

	return read(ends[0], block, sizeof(block)) == sizeof(block);
}

static void pack(void)
{
	char block[64] = { 0 };

	pthread_setname_np(pthread_self(), "packer");
	close(ends[0]);
	parallel_work(warming);
	for (int i = 0; i < BLOCKS; i++) {
		compress_block();
		if (write(ends[1], block, sizeof(block)) != sizeof(block))
			die("write");
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
	int status;
	pid_t packer;

	truth_begin();
	warming = mmap(NULL, sizeof(*warming), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (warming == MAP_FAILED || pipe(ends))
		die("pipe");
	warming->left = 1600;
	read_input();
	packer = fork();
	if (packer < 0)
		die("fork");
	if (!packer) {
		forget_marks();
		pack();
		_exit(0);
	}
	close(ends[1]);
	parallel_work(warming);
	while (read_block())
		store_block();
	if (waitpid(packer, &status, 0) != packer || status)
		die("packer");
	write_output();
	truth_end();
	return 0;
}
