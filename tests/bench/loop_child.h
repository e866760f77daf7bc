/* SPDX-License-Identifier: GPL-2.0 */
/* The loop that is measured: a process that carries out orders. */
#ifndef GAPP_BENCH_LOOP_CHILD_H
#define GAPP_BENCH_LOOP_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct loop_child - one
 * @pid: its process
 * @orders: pipe to it
 * @answers: pipe from it
 */
struct loop_child {
	pid_t pid;
	int orders, answers;
};

/**
 * struct rounds - some rounds of the loop
 * @ns: they took
 * @blocking: switches meanwhile, of threads that blocked
 * @other: and of threads that could have gone on; a thread's last one is never counted
 */
struct rounds {
	uint64_t ns, blocking, other;
};

/* @arguments: of the program, itself first. The child ends with its parent. False: complained. */
bool loop_start(struct loop_child *child, char *const *arguments);

/* False: it did not answer within @limit seconds, or failed; complained. */
bool loop_run(const struct loop_child *child, uint64_t count, unsigned int limit,
	      struct rounds *rounds);

void loop_end(struct loop_child *child);

#endif /* GAPP_BENCH_LOOP_CHILD_H */
