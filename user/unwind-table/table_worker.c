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
 * struct job - a file that the worker was given
 * @next: next job of the list
 * @fd: the file; -1: closed
 * @made: its table
 */
struct job {
	struct job *next;
	int fd;
	struct table_made made;
};

/**
 * struct jobs - a list of jobs, the oldest first
 * @first: NULL: empty
 * @end: pointer that the next job is appended to
 */
struct jobs {
	struct job *first;
	struct job **end;
};

/**
 * struct table_worker - the worker
 * @thread: the worker's thread
 * @started: @thread is valid
 * @given: files whose tables were not taken yet; only for the owner's thread
 * @ready_fd: eventfd that counts the jobs of @ready
 * @cancel: the thread shall end
 * @lock: protects the members behind it
 * @wake: signalled when a job was put into @todo, or @cancel was set
 * @todo: jobs without a table yet
 * @ready: jobs with a table to take
 */
struct table_worker {
	pthread_t thread;
	bool started;
	unsigned int given;
	int ready_fd;
	volatile bool cancel;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct jobs todo;
	struct jobs ready;
};

static void append(struct jobs *jobs, struct job *job)
{
	job->next = NULL;
	*jobs->end = job;
	jobs->end = &job->next;
}

/* Removes the first job; NULL: the list is empty. */
static struct job *take_first(struct jobs *jobs)
{
	struct job *job = jobs->first;

	if (!job)
		return NULL;
	jobs->first = job->next;
	if (!jobs->first)
		jobs->end = &jobs->first;
	return job;
}

static void free_job(struct job *job)
{
	cleanup_close(&job->fd);
	unwind_table_free(&job->made.table);
	free(job);
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
	worker->todo.end = &worker->todo.first;
	worker->ready.end = &worker->ready.first;
	return worker;
}

void table_worker_free(struct table_worker *worker)
{
	struct job *job;

	if (!worker)
		return;
	pthread_mutex_lock(&worker->lock);
	__atomic_store_n(&worker->cancel, true, __ATOMIC_RELAXED);
	pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
	if (worker->started)
		pthread_join(worker->thread, NULL);
	while ((job = take_first(&worker->todo)) || (job = take_first(&worker->ready)))
		free_job(job);
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
	return TABLE_WORKER_ROOM - worker->given;
}

/* NULL: the thread shall end. */
static struct job *wait_for_job(struct table_worker *worker)
{
	struct job *job = NULL;

	pthread_mutex_lock(&worker->lock);
	while (!worker->cancel && !worker->todo.first)
		pthread_cond_wait(&worker->wake, &worker->lock);
	if (!worker->cancel)
		job = take_first(&worker->todo);
	pthread_mutex_unlock(&worker->lock);
	return job;
}

static void put_ready(struct table_worker *worker, struct job *job)
{
	pthread_mutex_lock(&worker->lock);
	append(&worker->ready, job);
	pthread_mutex_unlock(&worker->lock);
	/* fails only with more jobs than there can be */
	eventfd_write(worker->ready_fd, 1);
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
		put_ready(worker, job);
	}
	return NULL;
}

/* The worker leaves all signals to other threads, but those that its own faults cause. */
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
	struct job *job = start(worker) ? NULL : calloc(1, sizeof(*job));

	if (!job) {
		close(fd);
		return -1;
	}
	job->fd = fd;
	job->made.owner = owner;
	worker->given++;
	pthread_mutex_lock(&worker->lock);
	append(&worker->todo, job);
	pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
	return 0;
}

bool table_worker_take(struct table_worker *worker, struct table_made *made)
{
	struct job *job;
	eventfd_t one;

	if (eventfd_read(worker->ready_fd, &one))
		return false;
	pthread_mutex_lock(&worker->lock);
	job = take_first(&worker->ready);
	pthread_mutex_unlock(&worker->lock);
	if (!job)
		return false;
	worker->given--;
	*made = job->made;
	free(job);
	return true;
}
