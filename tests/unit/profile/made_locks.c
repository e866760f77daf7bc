// SPDX-License-Identifier: GPL-2.0
#include "made_locks.h"

#include <string.h>
#include <sys/syscall.h>

#include "profile/profile_private.h"

struct made_locks run;
u32 lock_paths[LOCKS][SITES], unlock_paths[LOCKS], disk_paths[SITES], run_path;
u64 made_seed;

u32 draw(u32 below)
{
	made_seed = made_seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (made_seed >> 33) % below;
}

void make_paths(void)
{
	char path[80];

	for (u32 i = 0; i < SITES; i++) {
		for (u32 j = 0; j < LOCKS; j++) {
			snprintf(path, sizeof(path), "pthread_mutex_lock:1 take_%u_%u:2 main:3", j,
				 i);
			lock_paths[j][i] = path_of(path);
		}
		snprintf(path, sizeof(path), "lib_fsync:1 sync_%u:2 main:3", i);
		disk_paths[i] = path_of(path);
	}
	for (u32 i = 0; i < LOCKS; i++) {
		snprintf(path, sizeof(path), "pthread_mutex_unlock:1 give_%u:2 main:3", i);
		unlock_paths[i] = path_of(path);
	}
	run_path = path_of("work:1 main:2");
}

static u32 active(void)
{
	u32 n = 0;

	for (u32 i = 0; i < THREADS; i++)
		n += run.actors[i].state <= READY;
	return n;
}

static struct event *add_event(enum what what, u32 thread)
{
	struct event *event = &run.events[run.count++];

	assert_true(run.count < EVENTS_MAX);
	*event = (struct event){
		.what = what,
		.at = ++run.now,
		.thread = thread,
		.lock = NONE,
		.by = NONE,
		.from = NONE,
	};
	return event;
}

static void end_slice(u32 thread, enum state then, u32 lock, u32 path)
{
	struct actor *actor = &run.actors[thread];
	struct event *event = add_event(SLICE, thread);

	event->begin = actor->since;
	event->path = path;
	event->lock = lock;
	event->waits = then >= IN_LOCK;
	actor->state = then;
	actor->since = run.now;
	actor->until = run.now + 1 + draw(40);
	event->n = active();
}

static void wake(u32 thread, u32 by)
{
	struct actor *actor = &run.actors[thread];
	struct event *event = add_event(WAKE, thread);

	event->by = by;
	event->lock = actor->state == IN_LOCK ? actor->wants : NONE;
	/* some call paths are too many */
	if (event->lock != NONE && by != IRQ && run.now % 3)
		event->from = unlock_paths[event->lock];
	actor->woken_from = actor->state == IN_LOCK && by != IRQ;
	actor->state = READY;
	actor->until = run.now + draw(6);
	event->n = active();
}

static void took(u32 thread, u32 lock, u32 site)
{
	run.owner[lock] = thread;
	run.hold[lock] = run.hold_count++;
	run.holds[run.hold[lock]] = (struct truth){
		.lock = lock,
		.thread = thread,
		.path = lock_paths[lock][site],
		.begin = run.now,
		.end = NONE,
	};
}

static void wait_for(u32 thread, u32 lock, u32 site)
{
	run.actors[thread].wants = lock;
	run.actors[thread].site = site;
	run.word[lock] = 2;
	end_slice(thread, IN_LOCK, lock, lock_paths[lock][site]);
}

static void lock_it(u32 thread, u32 lock, u32 site)
{
	if (run.word[lock]) {
		wait_for(thread, lock, site);
	} else {
		run.word[lock] = 1;
		took(thread, lock, site);
	}
}

static void unlock_it(u32 thread, u32 lock)
{
	u32 first = draw(THREADS);
	bool wakes = run.word[lock] == 2;

	run.now++;
	run.holds[run.hold[lock]].end = run.now + 1;
	run.word[lock] = 0;
	run.owner[lock] = NONE;
	for (u32 i = 0; i < THREADS && wakes; i++) {
		u32 other = (first + i) % THREADS;

		if (run.actors[other].state != IN_LOCK || run.actors[other].wants != lock)
			continue;
		wake(other, thread);
		return;
	}
}

/* A thread with a CPU again: who was woken from a lock tries to take it. */
static void runs_again(u32 thread)
{
	struct actor *actor = &run.actors[thread];

	actor->state = RUNS_NOW;
	actor->since = ++run.now;
	if (!actor->woken_from)
		return;
	actor->woken_from = false;
	if (run.word[actor->wants]) {
		wait_for(thread, actor->wants, actor->site);
	} else {
		run.word[actor->wants] = 2;
		took(thread, actor->wants, actor->site);
	}
}

static void act(u32 thread)
{
	u32 lock = draw(LOCKS), held = 0;

	for (u32 i = 0; i < LOCKS; i++)
		held += run.owner[i] == thread;
	if (run.owner[lock] == thread && !draw(4))
		unlock_it(thread, lock);
	/* a thread takes the first lock before the second, so that none waits for ever */
	else if (run.owner[lock] != thread && !draw(4) && (!held || lock))
		lock_it(thread, lock, draw(SITES));
	else if (!draw(12))
		end_slice(thread, IN_DISK, NONE, disk_paths[draw(SITES)]);
	else if (!draw(12))
		end_slice(thread, READY, NONE, run_path);
}

void make_run(void)
{
	memset(&run, 0, sizeof(run));
	for (u32 i = 0; i < LOCKS; i++)
		run.owner[i] = NONE;
	for (u32 i = 0; i < TICKS; i++) {
		u32 thread = draw(THREADS);
		struct actor *actor = &run.actors[thread];

		run.now++;
		switch (actor->state) {
		case RUNS_NOW:
			act(thread);
			break;
		case READY:
			if (run.now >= actor->until)
				runs_again(thread);
			break;
		case IN_LOCK:
			/* it gives up, as with a timed lock */
			if (!draw(30))
				wake(thread, IRQ);
			break;
		case IN_DISK:
			if (run.now >= actor->until)
				wake(thread, IRQ);
		}
	}
	for (u32 i = 0; i < run.hold_count; i++)
		if (run.holds[i].end == NONE)
			run.holds[i].end = run.now + 1;
}

void give(const struct event *event)
{
	struct made made = made_slice(100 + event->thread, 1, event->path, 0);
	const bool has_path = event->what == WAKE && event->from != NONE;
	const struct {
		struct gapp_record_wake wake;
		struct gapp_waker_path from;
	} made_wake = {
		.wake = { .head = { .type = GAPP_RECORD_WAKE,
				    .cpu = event->remote,
				    .time_ns = BEGIN_NS + event->at * TICK_NS },
			  .tid = 100 + event->thread,
			  .tgid = 1,
			  .n = event->n,
			  .flags = (event->by == IRQ ? GAPP_SLICE_WOKEN_BY_IRQ : GAPP_SLICE_WAKER) |
				   (has_path ? GAPP_SLICE_WAKER_PATH : 0),
			  .waker_tid = event->by == IRQ ? 0 : 100 + event->by,
			  .waker_tgid = 1 },
		.from = { .path = event->from },
	};
	u32 site;

	if (event->what == WAKE) {
		assert_int_equal(profile_wait_ends(profile, &made_wake.wake), 0);
		return;
	}
	made.slice.head.time_ns = BEGIN_NS + event->at * TICK_NS;
	made.slice.begin_ns = BEGIN_NS + event->begin * TICK_NS;
	made.slice.image = 7;
	made.slice.n = event->n;
	made.slice.then = event->waits ? GAPP_THEN_WAIT : GAPP_THEN_PREEMPTED;
	made.slice.syscall = event->lock == NONE ? SYS_fsync : SYS_futex;
	made.slice.args[0] = event->lock == NONE ? 3 : ADDRESS(event->lock);
	made.slice.wait = event->lock == NONE ? GAPP_WAIT_DISK : GAPP_WAIT_LOCK;
	assert_int_equal(profile_wait_begins(profile, &made.slice, &site), 0);
}

static void look(pid_t pid, u32 fd, struct wait_file *file)
{
	*file = (struct wait_file){ 0 };
}

static bool thread_name(pid_t tid, char *name)
{
	return false;
}

void collect(void)
{
	static const struct wait_sources sources = { .look = look, .thread_name = thread_name };

	if (profile->waits)
		waits_free(profile->waits);
	assert_int_equal(profile_collect_waits(profile, &sources, true), 0);
	profile_waits_drain(profile, N_MIN);
}
