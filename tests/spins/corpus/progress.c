// SPDX-License-Identifier: GPL-2.0
/* Loops that call what has a library's communication go on, by the names that such functions have.
 */
#include "corpus.h"

struct request {
	char pad[88];
	void *volatile complete;
	atomic_int count;
};

/* as ompi_request_default_wait() */
LABELLED int call_engine(struct request *request, int *status)
{
	while (request->complete != (void *)1)
		opal_progress();
	return *status;
}

/* as Open MPI waits for several requests: by a count on the stack that others know of */
LABELLED void call_engine_for_count(struct request *request, void (*tell)(struct request *))
{
	struct request own = { .count = 3 };

	(void)request;
	tell(&own);
	while (acquire(&own.count) > 0)
		opal_progress();
}

/* as UCX's users: the engine of another library now and then */
LABELLED void call_engines(void *worker, struct request *request)
{
	unsigned int rounds = 0;

	while (!request->complete) {
		if (++rounds % 100)
			ucp_worker_progress(worker);
		else
			opal_progress();
	}
}

/* a program's own */
LABELLED void call_test(void *request)
{
	int done = 0;

	while (!done)
		MPI_Test(request, &done, NULL);
}

/* the same, but for the name */
LABELLED void may_work_until(volatile int *stop)
{
	while (!*stop)
		corpus_work_again();
}

LABELLED void look_engine_and_work(struct request *request)
{
	unsigned int piece = 0;

	while (!request->complete) {
		opal_progress();
		corpus_work_on(piece++);
	}
}

LABELLED void look_engine_rounds(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		opal_progress();
}

LABELLED void look_engine_drained(void *worker)
{
	while (ucp_worker_progress(worker))
		;
}

LABELLED unsigned int look_engine_list(struct request *requests)
{
	unsigned int i = 0;

	while (!requests[i].complete) {
		opal_progress();
		i++;
	}
	return i;
}
