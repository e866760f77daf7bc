// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring requests that are forced to worker threads, which block: splices
 * from pipes that get their data later, one pipe after the other. (A read would not
 * do: workers poll for what can be polled.)
 *
 * Bottleneck by construction: the feeding thread, which computes before it
 * feeds; main waits for completions, the workers in the pipes.
 *
 * Exit status 77 where the kernel has no io_uring.
 *
 * Usage: uring [requests at a time=4] [rounds=25] [units before each=6000]
 */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "work.h"

#define SKIPPED 77
#define ENTRIES 64

struct ring {
	int fd;
	struct io_uring_sqe *sqes;
	uint32_t *sq_tail, *sq_mask, *sq_array;
	uint32_t *cq_head, *cq_tail;
};

static int pipes[WORK_MAX_THREADS][2];
static unsigned int requests;
static unsigned long rounds, units;

static char *map_ring(int fd, size_t size, off_t offset)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static void ring_open(struct ring *ring)
{
	struct io_uring_params p = { 0 };
	char *sq, *cq;

	ring->fd = syscall(SYS_io_uring_setup, ENTRIES, &p);
	if (ring->fd < 0) {
		fprintf(stderr, "uring: io_uring_setup: %s\n", strerror(errno));
		exit(SKIPPED);
	}
	sq = map_ring(ring->fd, p.sq_off.array + p.sq_entries * sizeof(uint32_t),
		      IORING_OFF_SQ_RING);
	cq = map_ring(ring->fd, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe),
		      IORING_OFF_CQ_RING);
	ring->sqes = (void *)map_ring(ring->fd, p.sq_entries * sizeof(struct io_uring_sqe),
				      IORING_OFF_SQES);
	ring->sq_tail = (void *)(sq + p.sq_off.tail);
	ring->sq_mask = (void *)(sq + p.sq_off.ring_mask);
	ring->sq_array = (void *)(sq + p.sq_off.array);
	ring->cq_head = (void *)(cq + p.cq_off.head);
	ring->cq_tail = (void *)(cq + p.cq_off.tail);
}

static void ring_queue_splice(struct ring *ring, int from_pipe, int to)
{
	uint32_t tail = *ring->sq_tail;
	uint32_t slot = tail & *ring->sq_mask;
	struct io_uring_sqe *sqe = &ring->sqes[slot];

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_SPLICE;
	sqe->flags = IOSQE_ASYNC;
	sqe->splice_fd_in = from_pipe;
	sqe->splice_off_in = -1;
	sqe->fd = to;
	sqe->off = -1;
	sqe->len = 1;
	ring->sq_array[slot] = slot;
	__atomic_store_n(ring->sq_tail, tail + 1, __ATOMIC_RELEASE);
}

/* Submits @submit queued requests and waits until @wait_for have completed. */
static void ring_enter(struct ring *ring, unsigned int submit, unsigned int wait_for)
{
	if (syscall(SYS_io_uring_enter, ring->fd, submit, 0, 0, NULL, 0) != (long)submit)
		die("io_uring_enter");
	while (__atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE) - *ring->cq_head < wait_for)
		syscall(SYS_io_uring_enter, ring->fd, 0, wait_for, IORING_ENTER_GETEVENTS, NULL, 0);
	__atomic_store_n(ring->cq_head, *ring->cq_head + wait_for, __ATOMIC_RELEASE);
}

static void *feeder(void *arg)
{
	(void)arg;
	for (unsigned long i = 0; i < rounds; i++) {
		for (unsigned int j = 0; j < requests; j++) {
			burn(units);
			if (write(pipes[j][1], "x", 1) != 1)
				die("write");
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct ring ring;
	pthread_t thread;
	int sink;

	requests = threads_arg(argc, argv, 1, 4);
	rounds = arg_or(argc, argv, 2, 25);
	units = arg_or(argc, argv, 3, 6000);
	ring_open(&ring);
	sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (sink < 0)
		die("/dev/null");
	for (unsigned int i = 0; i < requests; i++) {
		if (pipe(pipes[i]))
			die("pipe");
	}
	start_thread(&thread, feeder, NULL);
	for (unsigned long i = 0; i < rounds; i++) {
		for (unsigned int j = 0; j < requests; j++)
			ring_queue_splice(&ring, pipes[j][0], sink);
		ring_enter(&ring, requests, requests);
	}
	pthread_join(thread, NULL);
	return 0;
}
