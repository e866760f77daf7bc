/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the program crowd share; see crowd.c. */
#ifndef GAPP_TESTS_BENCH_CROWD_H
#define GAPP_TESTS_BENCH_CROWD_H

#include "../abi/t.h"

#define CROWD_SESSIONS_MAX 16

/**
 * struct crowd - what was asked for
 * @name: printed in each line of JSON
 * @threads: of the target
 * @foreign: threads of others that sleep
 * @switching: pairs of others that switch meanwhile
 * @outside: the pipe loop runs in another process, and the target sleeps
 * @sessions: on the target
 * @level: enum gapp_level
 * @export_all: every slice has a record
 * @rounds: of the pipe loop
 * @pairs: of measurements
 * @seconds: that a load runs
 * @rate: switches a second of a load; 0: as many as it can
 */
struct crowd {
	const char *name;
	u32 threads;
	u32 foreign;
	u32 switching;
	bool outside;
	u32 sessions;
	u32 level;
	bool export_all;
	u32 rounds;
	u32 pairs;
	double seconds;
	double rate;
};

/**
 * struct pingpong - two threads that wake each other through pipes
 * @there: pipe that the first one writes to
 * @back: pipe that the other one does
 */
struct pingpong {
	int there[2];
	int back[2];
};

/**
 * struct people - the processes that are measured
 * @crowd: what was asked for
 * @loop: whose answer to t_tell() is that it has made its rounds
 * @target: the process that sessions follow
 * @others: pairs that switch meanwhile, each its own process; likewise
 */
struct people {
	const struct crowd *crowd;
	struct t_child loop;
	struct t_child target;
	struct t_child *others;
};

/* crowd_people.c: all of them sleep when this returns. */
void people_make(struct people *people, const struct crowd *crowd);
/* Nanoseconds from the order to do their rounds to the answer of the last one. */
u64 people_run(struct people *people);
void people_kill(struct people *people);
/* Both ends of it, in this thread. */
void pingpong_make(struct pingpong *pingpong);
void pingpong_first(const struct pingpong *pingpong, u32 rounds);
void *pingpong_second(void *pingpong);

/* crowd_session.c: several sessions as one. */
struct sessions {
	u32 count;
	int fds[CROWD_SESSIONS_MAX];
};

struct gapp_config sessions_config(const struct crowd *crowd);
/* Opened and configured, with the target. */
void sessions_open(struct sessions *sessions, const struct crowd *crowd, pid_t target);
void sessions_start(struct sessions *sessions);
void sessions_stop(struct sessions *sessions);
void sessions_close(struct sessions *sessions);

/* What the program does; each prints lines of JSON. */
void crowd_cost(const struct crowd *crowd);
void crowd_hold(const struct crowd *crowd);
void crowd_attach(const struct crowd *crowd, char **reader);
void crowd_memory(const struct crowd *crowd);
void crowd_load(const struct crowd *crowd);

#endif /* GAPP_TESTS_BENCH_CROWD_H */
