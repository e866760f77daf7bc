// SPDX-License-Identifier: GPL-2.0
/* GAPP_CONFIG_WAKER_PATHS: where the waker was, how many paths are taken, and of whom none is. */
#include "waker_paths.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"

#define GIVES 40
#define MANY 6000
/* As the module has them: paths of a session on a CPU, in a second and at once. */
#define PATHS_HZ 2000
#define PATHS_BURST 64

/**
 * struct scene - a process in which one thread wakes the other, from two places
 * @word: both know it
 * @from: addresses to which the function that wakes returns in the two places
 * @taker: the thread that is woken
 * @gives: how often it is woken
 * @pause_ns: nanoseconds that the waker sleeps before each
 * @one_cpu: both run on CPU 0, so the taker sleeps when it is woken
 * @hidden: the process is not dumpable meanwhile
 * @took_ns: nanoseconds that all of it took
 */
struct scene {
	u32 word;
	u64 from[2];
	pid_t taker;
	u32 gives;
	u64 pause_ns;
	bool one_cpu;
	bool hidden;
	u64 took_ns;
};

/**
 * struct seen - what records say
 * @waits: records of waits
 * @wakes: wake-ups of the taker
 * @asked: of these, with a struct gapp_waker_path
 * @paths: of these, with a path
 * @by_place: of these, whose path has scene.from
 * @left_out: paths that were left out, of all threads
 * @taken: paths of all threads
 * @kinds: records by kind of interrupt: network, disk, timer
 * @by_irq: records of waits that an interrupt ended
 */
struct seen {
	const struct scene *scene;
	struct r_reader *reader;
	u64 waits;
	u64 wakes;
	u64 asked;
	u64 paths;
	u64 by_place[2];
	u64 left_out;
	u64 taken;
	u64 kinds[3];
	u64 by_irq;
};

static __attribute__((noinline)) void give(struct scene *scene, size_t place)
{
	scene->from[place] = (uintptr_t)__builtin_return_address(0);
	while (syscall(SYS_futex, &scene->word, FUTEX_WAKE, 1, NULL, NULL, 0) != 1)
		sched_yield();
}

/* Not a jump: the place must be on the stack. */
static __attribute__((noinline)) void here(struct scene *scene)
{
	give(scene, 0);
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void there(struct scene *scene)
{
	give(scene, 1);
	__asm__ volatile("" ::: "memory");
}

static void *takes(void *arg)
{
	struct scene *scene = arg;

	__atomic_store_n(&scene->taker, t_gettid(), __ATOMIC_RELEASE);
	for (;;)
		syscall(SYS_futex, &scene->word, FUTEX_WAIT, 0, NULL, NULL, 0);
	return NULL;
}

static void on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		t_die("sched_setaffinity");
}

static void gives(struct t_child *parent, void *arg)
{
	struct scene *scene = arg;
	pthread_t taker;
	u64 begin;

	if (scene->one_cpu)
		on_one_cpu();
	pthread_create(&taker, NULL, takes, scene);
	while (!__atomic_load_n(&scene->taker, __ATOMIC_ACQUIRE))
		sched_yield();
	t_tell(parent);
	t_hear(parent);
	prctl(PR_SET_DUMPABLE, !scene->hidden);
	begin = t_now();
	for (u32 i = 0; i < scene->gives; i++) {
		if (scene->pause_ns)
			t_sleep(scene->pause_ns);
		if (i % 2)
			there(scene);
		else
			here(scene);
	}
	scene->took_ns = t_now() - begin;
	t_tell(parent);
	pause();
}

static void see_path(struct seen *seen, bool of_taker, const struct gapp_waker_path *from)
{
	const struct gapp_path *path;
	const u64 *frames = r_frames(seen->reader, from->path, &path);

	seen->asked += of_taker;
	seen->left_out += from->path == GAPP_PATH_NONE;
	seen->taken += from->path != GAPP_PATH_NONE;
	if (!of_taker || !frames)
		return;
	seen->paths++;
	for (size_t place = 0; place < 2; place++)
		for (u16 i = 0; i < path->words; i++)
			seen->by_place[place] += frames[i] == seen->scene->from[place];
}

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_wait *wait = (const void *)record;
	const struct gapp_record_wake *wake = (const void *)record;
	struct seen *seen = arg;
	bool of_taker = false;
	u32 flags = 0;

	if (record->type == GAPP_RECORD_WAIT) {
		flags = wait->flags;
		seen->waits++;
	} else if (record->type == GAPP_RECORD_WAKE) {
		flags = wake->flags;
		of_taker = wake->tid == seen->scene->taker;
		seen->wakes += of_taker;
	} else {
		return;
	}
	for (u32 i = 0; i < 3; i++)
		seen->kinds[i] += flags >> (4 + i) & 1;
	seen->by_irq += !!(flags & GAPP_SLICE_WOKEN_BY_IRQ);
	if (flags & GAPP_SLICE_WAKER_PATH)
		see_path(seen, of_taker,
			 record->type == GAPP_RECORD_WAIT ? (const void *)(wait + 1) :
							    (const void *)(wake + 1));
}

static struct scene *make_scene(u32 count, u64 pause_ns)
{
	struct scene *scene = mmap(NULL, sizeof(*scene), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (scene == MAP_FAILED)
		t_die("mmap");
	scene->gives = count;
	scene->pause_ns = pause_ns;
	return scene;
}

/* Follows the scene's process. Sets @counters at the end. */
static struct seen follow(struct scene *scene, enum gapp_level level, u32 flags,
			  struct gapp_counters *counters)
{
	struct gapp_config config = t_config(level);
	struct t_child child = t_fork(gives, scene);
	struct seen seen = { .scene = scene };
	struct r_reader reader;
	int fd;

	config.flags = flags;
	config.ring_bytes = GAPP_DEFAULT_RING;
	fd = t_session(&config);
	t_hear(&child);
	r_open(&reader, fd);
	seen.reader = &reader;
	reader.see = see;
	reader.arg = &seen;
	t_add(fd, child.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&child);
	r_follow(&reader, &child);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	t_counters(fd, counters);
	t_check(!reader.tally.bad, "all records make sense", "%llu do not: %s", reader.tally.bad,
		reader.tally.why);
	r_close(&reader);
	close(fd);
	t_kill(&child);
	return seen;
}

#define PATHS_OF_WAKERS (GAPP_CONFIG_WAKERS | GAPP_CONFIG_WAKER_PATHS)

static void one_level(enum gapp_level level, const char *name)
{
	struct scene *scene = make_scene(GIVES, NSEC_PER_MSEC);
	struct gapp_counters counters;
	struct seen seen = follow(scene, level, PATHS_OF_WAKERS, &counters);
	char title[80];

	snprintf(title, sizeof(title), "each wake-up has its waker's path, %s", name);
	t_check(seen.wakes >= GIVES - 2 && seen.paths >= seen.wakes * 3 / 4, title,
		"%llu of %llu, asked %llu", seen.paths, seen.wakes, seen.asked);
	snprintf(title, sizeof(title), "the path has the place that woke, %s", name);
	/* they take turns: a path that was not taken, as above, is of either */
	t_check(seen.by_place[0] + GIVES / 2 + 2 >= seen.paths &&
			seen.by_place[1] + GIVES / 2 + 2 >= seen.paths &&
			seen.by_place[0] + seen.by_place[1] == seen.paths,
		title, "%llu and %llu of %llu", seen.by_place[0], seen.by_place[1], seen.paths);
	snprintf(title, sizeof(title), "an interrupt by a timer says so, %s", name);
	t_check(seen.by_irq >= GIVES / 2 && seen.kinds[2] >= seen.by_irq - 2, title,
		"%llu of %llu; %llu network, %llu disk", seen.kinds[2], seen.by_irq, seen.kinds[0],
		seen.kinds[1]);
	seen = follow(scene, level, GAPP_CONFIG_WAKERS, &counters);
	snprintf(title, sizeof(title), "none is told if none is asked for, %s", name);
	t_check(!seen.asked && !seen.kinds[2] && (level == GAPP_LEVEL_TRACE || !seen.wakes), title,
		"%llu paths, %llu timers, %llu wake-ups", seen.asked, seen.kinds[2], seen.wakes);
	munmap(scene, sizeof(*scene));
}

void waker_paths_taken(void)
{
	one_level(GAPP_LEVEL_TRACE, "trace");
	one_level(GAPP_LEVEL_CRITICAL, "critical");
}

/* Those that are too many are left out, said in the record, and counted. */
void waker_paths_rate(void)
{
	struct scene *scene = make_scene(MANY, 0);
	struct gapp_counters counters;
	struct seen seen;
	u64 most;

	scene->one_cpu = true;
	seen = follow(scene, GAPP_LEVEL_TRACE, PATHS_OF_WAKERS, &counters);
	most = PATHS_BURST + scene->took_ns * PATHS_HZ / NSEC_PER_SEC + PATHS_HZ / 10;
	t_check(seen.taken <= most, "a CPU takes a bounded number of wakers' paths",
		"%llu, at most %llu in %llu us", seen.taken, most, scene->took_ns / 1000);
	t_check(seen.taken && seen.taken + seen.left_out >= seen.wakes,
		"each record says whether its path was left out", "%llu and %llu of %llu",
		seen.taken, seen.left_out, seen.wakes);
	t_check(counters.lost[GAPP_LOST_PATHS_OVER_BUDGET] >= seen.left_out,
		"and what is left out is counted", "%llu of %llu",
		counters.lost[GAPP_LOST_PATHS_OVER_BUDGET], seen.left_out);
	if (seen.wakes > most)
		t_check(seen.left_out, "too many are left out", "%llu of %llu", seen.left_out,
			seen.wakes);
	else
		t_skip("too many are left out", "this machine is too slow for too many");
	munmap(scene, sizeof(*scene));
}

/*
 * Where the kernel checks each access a path takes much of the time that paths of wakers have.
 * There a thread is also woken more often between its last look and its sleep: such a wake-up has
 * no path.
 */
static void check_paths(const struct seen *seen, const char *what)
{
	t_check(seen->paths >= GIVES / 2 && seen->paths + seen->left_out >= GIVES * 3 / 4, what,
		"%llu of %llu, %llu left out", seen->paths, seen->wakes, seen->left_out);
}

void waker_paths_check(bool told)
{
	struct scene *scene = make_scene(GIVES, NSEC_PER_MSEC);
	struct gapp_counters counters;
	struct seen seen = follow(scene, GAPP_LEVEL_TRACE, PATHS_OF_WAKERS, &counters);

	check_paths(&seen, "a waker that is followed has a path");
	scene->hidden = true;
	seen = follow(scene, GAPP_LEVEL_TRACE, PATHS_OF_WAKERS, &counters);
	if (told)
		check_paths(&seen, "so has one that is not dumpable");
	else
		t_check(seen.wakes && !seen.asked && !counters.lost[GAPP_LOST_PATHS_OVER_BUDGET],
			"one that is not dumpable has none", "%llu of %llu", seen.asked,
			seen.wakes);
	munmap(scene, sizeof(*scene));
}

void waker_paths_hidden(void)
{
	waker_paths_check(true);
}
