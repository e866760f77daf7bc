// SPDX-License-Identifier: GPL-2.0
/* libelf and libdw are not safe for several threads, so one worker alone uses their handles. */
#include "table_worker.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

/**
 * struct table_worker - the worker
 * @maker: what it does
 * @thread: the worker's thread
 * @started: @thread is valid
 * @cancel: the thread shall end
 * @wake: counts the files to begin with, and @cancel
 * @ready_fd: eventfd that counts the tables to take
 * @given: files given so far; only for the owner's thread
 * @taken: tables taken so far; only for the owner's thread
 * @jobs: a ring of files, by the order in which they were given, with what became of them. An
 *	element is the thread's between @wake and @ready_fd, else the owner's
 */
struct table_worker {
	struct table_maker maker;
	pthread_t thread;
	bool started;
	volatile bool cancel;
	sem_t wake;
	int ready_fd;
	unsigned int given;
	unsigned int taken;
	struct job {
		int fd;
		struct table_made made;
	} jobs[TABLE_WORKER_ROOM];
};

static struct job *job_of(struct table_worker *worker, unsigned int number)
{
	return &worker->jobs[number % TABLE_WORKER_ROOM];
}

struct table_worker *table_worker_new(const struct table_maker *maker)
{
	struct table_worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return NULL;
	worker->maker = *maker;
	worker->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	if (worker->ready_fd < 0) {
		free(worker);
		return NULL;
	}
	sem_init(&worker->wake, 0, 0);
	return worker;
}

void table_worker_free(struct table_worker *worker)
{
	if (!worker)
		return;
	__atomic_store_n(&worker->cancel, true, __ATOMIC_RELAXED);
	sem_post(&worker->wake);
	if (worker->started)
		pthread_join(worker->thread, NULL);
	for (; worker->taken != worker->given; worker->taken++) {
		struct job *job = job_of(worker, worker->taken);

		cleanup_close(&job->fd);
		if (job->made.made)
			worker->maker.free(job->made.made);
	}
	sem_destroy(&worker->wake);
	close(worker->ready_fd);
	free(worker);
}

int table_worker_fd(const struct table_worker *worker)
{
	return worker->ready_fd;
}

unsigned int table_worker_room(const struct table_worker *worker)
{
	return TABLE_WORKER_ROOM - (worker->given - worker->taken);
}

static void *work(void *context)
{
	struct table_worker *worker = context;
	const struct table_maker *maker = &worker->maker;

	if (maker->nice)
		setpriority(PRIO_PROCESS, gettid(), maker->nice);
	for (unsigned int number = 0;; number++) {
		struct job *job = job_of(worker, number);
		u64 begin;

		while (sem_wait(&worker->wake))
			;
		if (__atomic_load_n(&worker->cancel, __ATOMIC_RELAXED))
			return NULL;
		begin = clock_ns();
		job->made.made = maker->make(maker->context, job->fd, &worker->cancel);
		job->made.took_ns = clock_ns() - begin;
		close(job->fd);
		job->fd = -1;
		/* cannot fail: its counter has room for more than all files */
		eventfd_write(worker->ready_fd, 1);
	}
}

/* Blocks all signals in the worker, except those that its own faults raise. */
static void block_signals(sigset_t *former)
{
	static const int own[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT };
	sigset_t set;

	sigfillset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		sigdelset(&set, own[i]);
	pthread_sigmask(SIG_BLOCK, &set, former);
}

static int start(struct table_worker *worker)
{
	sigset_t former;
	int error;

	if (worker->started)
		return 0;
	block_signals(&former);
	error = pthread_create(&worker->thread, NULL, work, worker);
	pthread_sigmask(SIG_SETMASK, &former, NULL);
	worker->started = !error;
	return error ? -1 : 0;
}

int table_worker_give(struct table_worker *worker, int fd, void *owner)
{
	if (start(worker)) {
		close(fd);
		return -1;
	}
	*job_of(worker, worker->given) = (struct job){ .fd = fd, .made = { .owner = owner } };
	worker->given++;
	sem_post(&worker->wake);
	return 0;
}

bool table_worker_take(struct table_worker *worker, struct table_made *made)
{
	eventfd_t one;

	if (eventfd_read(worker->ready_fd, &one))
		return false;
	*made = job_of(worker, worker->taken++)->made;
	return true;
}
