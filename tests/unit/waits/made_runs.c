// SPDX-License-Identifier: GPL-2.0
#include "made_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define PATHS 5

u32 made_seed;

u32 draw(u32 below)
{
	made_seed = made_seed * 1664525 + 1013904223;
	return (u64)(made_seed >> 4) * below >> 28;
}

void made_begin(struct wait_store *store, u32 limit)
{
	wait_store_init(store, RUN_BEGIN_NS, limit);
}

void made_end(struct wait_store *store, u32 end)
{
	assert_int_equal(wait_store_end(store, RUN_BEGIN_NS + end * STEP_NS), 0);
}

void made_slice(struct wait_store *store, u32 thread, u32 begin, u32 end, u32 then, u32 reason,
		u32 path)
{
	struct gapp_record_slice slice = {
		.head = { .type = GAPP_RECORD_SLICE,
			  .cpu = thread,
			  .time_ns = RUN_BEGIN_NS + end * STEP_NS },
		.tid = TID(thread),
		.tgid = TID(0),
		.begin_ns = RUN_BEGIN_NS + begin * STEP_NS,
		.then = then,
		.wait = reason,
		.slices = 1,
	};

	slice.comm[0] = 'a' + thread % 26;
	assert_int_equal(wait_store_slice(store, &slice, path, made_site(path, reason), NULL), 0);
}

void made_wake(struct wait_store *store, u32 thread, u32 at, u32 by, u32 cpu)
{
	struct gapp_record_wake wake = {
		.head = { .type = GAPP_RECORD_WAKE,
			  .cpu = cpu,
			  .time_ns = RUN_BEGIN_NS + at * STEP_NS },
		.tid = TID(thread),
		.tgid = TID(0),
	};

	if (by == BY_IRQ) {
		wake.flags = GAPP_SLICE_WOKEN_BY_IRQ;
	} else if (by != BY_NOBODY) {
		wake.flags = GAPP_SLICE_WAKER;
		wake.waker_tid = by == BY_OUTSIDE ? 7 : TID(by);
		wake.waker_tgid = by == BY_OUTSIDE ? 7 : TID(0);
	}
	assert_int_equal(wait_store_wake(store, &wake), 0);
}

void made_lost(struct wait_store *store, u32 begin, u32 end)
{
	struct gapp_record_lost lost = {
		.head = { .time_ns = RUN_BEGIN_NS + end * STEP_NS },
		.since_ns = RUN_BEGIN_NS + begin * STEP_NS,
		.records = 1,
	};

	assert_int_equal(wait_store_lost(store, &lost), 0);
}

/* What is going on in a thread. */
struct now {
	enum made_state state;
	u32 begin; /* of its slice */
	u32 path;
};

/* A thread that ran in the step before @at; BY_NOBODY: there is none. */
static u32 any_running(const struct made_run *run, u32 at)
{
	u32 first = draw(run->threads);

	for (u32 i = 0; i < run->threads; i++) {
		u32 thread = (first + i) % run->threads;

		if (run->states[thread][at - 1] == MADE_RUNS)
			return thread;
	}
	return BY_NOBODY;
}

static void end_slice(struct made_run *run, struct wait_store *store, struct now *now, u32 thread,
		      u32 at, u32 then, u32 reason)
{
	made_slice(store, thread, now->begin, at, then, reason, now->path);
	for (u32 i = now->begin; i < at; i++) {
		run->paths[thread][i] = now->path;
		run->inferred[thread][i] = then == GAPP_THEN_WAIT;
	}
	if (then == GAPP_THEN_WAIT)
		run->open[thread] = (struct made_wait){
			.thread = thread, .begin = at, .path = now->path, .reason = reason
		};
	run->last = thread;
	run->last_end = at;
	run->last_then = then;
}

static void begin_slice(struct now *now, u32 at)
{
	now->state = MADE_RUNS;
	now->begin = at;
	now->path = draw(PATHS);
}

static void wake(struct made_run *run, struct wait_store *store, struct now *now, u32 thread,
		 u32 at)
{
	struct made_wait *wait = &run->open[thread];
	u32 kind = draw(8);

	wait->end = at;
	wait->by = kind ? any_running(run, at) : draw(2) ? BY_IRQ : BY_OUTSIDE;
	if (wait->by == BY_NOBODY)
		wait->by = BY_IRQ;
	made_wake(store, thread, at, wait->by, draw(RUN_THREADS));
	run->waits[run->wait_count++] = *wait;
	if (draw(2))
		begin_slice(now, at);
	else
		now->state = MADE_READY;
}

/* What happens in a thread at the begin of step @at. */
static void happen(struct made_run *run, struct wait_store *store, struct now *all, u32 thread,
		   u32 at)
{
	struct now *now = &all[thread];
	u32 maker;

	switch (now->state) {
	case MADE_NOT:
		maker = any_running(run, at);
		if (draw(12) || maker == BY_NOBODY || run->made_by[thread] != BY_NOBODY)
			break;
		/* it goes on to run, or its slice would have ended before it made the thread */
		if (all[maker].state != MADE_RUNS || all[maker].begin == at)
			break;
		run->made_by[thread] = maker;
		run->made_at[thread] = at;
		made_wake(store, thread, at, BY_NOBODY, maker);
		now->state = MADE_READY;
		break;
	case MADE_READY:
		if (!draw(2))
			begin_slice(now, at);
		break;
	case MADE_WAITS:
		if (!draw(5))
			wake(run, store, now, thread, at);
		break;
	case MADE_RUNS:
		if (!draw(4)) {
			end_slice(run, store, now, thread, at, GAPP_THEN_WAIT, 1 + draw(6));
			now->state = MADE_WAITS;
		} else if (!draw(12)) {
			end_slice(run, store, now, thread, at, GAPP_THEN_PREEMPTED, 0);
			now->state = MADE_READY;
		} else if (!draw(12)) {
			end_slice(run, store, now, thread, at, GAPP_THEN_ON, 0);
			begin_slice(now, at);
		}
		break;
	}
}

/* Some threads are there, some wait already, and some come later. */
void make_run(struct made_run *run, struct wait_store *store)
{
	struct now now[RUN_THREADS];

	memset(run, 0, sizeof(*run));
	run->threads = 2 + draw(RUN_THREADS - 1);
	for (u32 i = 0; i < run->threads; i++) {
		u32 kind = i ? draw(3) : 0;

		now[i] = (struct now){ 0 };
		run->made_by[i] = BY_NOBODY;
		if (!kind)
			begin_slice(&now[i], 0);
		else if (kind == 1)
			now[i].state = MADE_WAITS;
		run->open[i] = (struct made_wait){ .thread = i, .path = STORE_NONE };
		run->states[i][0] = now[i].state;
	}
	for (u32 at = 1; at < RUN_STEPS; at++) {
		u32 first = draw(run->threads);

		for (u32 i = 0; i < run->threads; i++) {
			u32 thread = (first + i) % run->threads;

			happen(run, store, now, thread, at);
			run->states[thread][at] = now[thread].state;
		}
	}
	for (u32 i = 0; i < run->threads; i++)
		if (now[i].state == MADE_RUNS)
			end_slice(run, store, &now[i], i, RUN_STEPS, GAPP_THEN_STOPPED, 0);
	made_end(store, RUN_STEPS);
}
