// SPDX-License-Identifier: GPL-2.0
/*
 * libelf and libdw are not safe for several threads, so only the worker uses handles that it
 * makes.
 */
#include "unwind_table.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>

/**
 * struct table_worker - the worker
 * @thread: the worker's thread
 * @started: @thread is valid
 * @ready_fd: eventfd that counts the tables to take
 * @cancel: the thread shall end
 * @lock: protects @given and @done
 * @wake: signalled when a file was given, or @cancel was set
 * @given: files given so far
 * @done: files whose tables were made so far
 * @taken: tables taken so far; only for the owner's thread
 * @jobs: a ring of files, by the order in which they were given, with what became of them
 */
struct table_worker {
	pthread_t thread;
	bool started;
	int ready_fd;
	volatile bool cancel;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	unsigned int given;
	unsigned int done;
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

struct table_worker *table_worker_new(void)
{
	struct table_worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return NULL;
	worker->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	if (worker->ready_fd < 0) {
		free(worker);
		return NULL;
	}
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->wake, NULL);
	return worker;
}

void table_worker_free(struct table_worker *worker)
{
	if (!worker)
		return;
	pthread_mutex_lock(&worker->lock);
	__atomic_store_n(&worker->cancel, true, __ATOMIC_RELAXED);
	pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
	if (worker->started)
		pthread_join(worker->thread, NULL);
	for (; worker->taken != worker->given; worker->taken++) {
		cleanup_close(&job_of(worker, worker->taken)->fd);
		unwind_table_free(&job_of(worker, worker->taken)->made.table);
	}
	pthread_cond_destroy(&worker->wake);
	pthread_mutex_destroy(&worker->lock);
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

/* The next file without a table; NULL: the thread shall end. */
static struct job *wait_for_job(struct table_worker *worker)
{
	bool cancel;

	pthread_mutex_lock(&worker->lock);
	while (!worker->cancel && worker->done == worker->given)
		pthread_cond_wait(&worker->wake, &worker->lock);
	cancel = worker->cancel;
	pthread_mutex_unlock(&worker->lock);
	return cancel ? NULL : job_of(worker, worker->done);
}

static void *work(void *context)
{
	struct table_worker *worker = context;
	struct job *job;

	while ((job = wait_for_job(worker))) {
		struct table_made *made = &job->made;
		u64 begin = clock_ns();

		if (unwind_table_get(&made->table, job->fd, &worker->cancel)) {
			made->error = errno ? errno : EINVAL;
			made->table = (struct unwind_table){ 0 };
		}
		made->took_ns = clock_ns() - begin;
		close(job->fd);
		job->fd = -1;
		pthread_mutex_lock(&worker->lock);
		worker->done++;
		pthread_mutex_unlock(&worker->lock);
		/* cannot fail: its counter has room for more than all files */
		eventfd_write(worker->ready_fd, 1);
	}
	return NULL;
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
	pthread_mutex_lock(&worker->lock);
	worker->given++;
	pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
	return 0;
}

bool table_worker_take(struct table_worker *worker, struct table_made *made)
{
	eventfd_t one;

	if (eventfd_read(worker->ready_fd, &one))
		return false;
	pthread_mutex_lock(&worker->lock);
	*made = job_of(worker, worker->taken++)->made;
	pthread_mutex_unlock(&worker->lock);
	return true;
}
