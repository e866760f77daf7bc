/* SPDX-License-Identifier: GPL-2.0 */
/* A bounded queue of items, which are only counted, with condition variables. */
#ifndef GAPP_WORKLOADS_TRUTH_QUEUE_H
#define GAPP_WORKLOADS_TRUTH_QUEUE_H

#include "truth.h"

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	long items, room;
	unsigned int writers;
};

#define QUEUE(size, writer_count)                                                          \
	{                                                                                  \
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, size, writer_count \
	}

static noinline void queue_put(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->items == queue->room)
		pthread_cond_wait(&queue->changed, &queue->lock);
	queue->items++;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

/* Returns 0 when there is no item left and no writer either. */
static noinline int queue_get(struct queue *queue)
{
	int got;

	pthread_mutex_lock(&queue->lock);
	while (!queue->items && queue->writers)
		pthread_cond_wait(&queue->changed, &queue->lock);
	got = queue->items > 0;
	if (got)
		queue->items--;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	return got;
}

static noinline void queue_leave(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->writers--;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

#endif /* GAPP_WORKLOADS_TRUTH_QUEUE_H */
