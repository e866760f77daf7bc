// SPDX-License-Identifier: GPL-2.0
/*
 * Tables and mappings that come and go at once, and code and stacks that do so too, while the
 * target switches and is sampled as often as can be.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "groups.h"
#include "seen.h"

#define SETTERS 3
#define SECONDS 4
#define ROUNDS 200
#define LEAVERS 400
#define LEAVER_STACK 16384

static volatile bool end;

struct setter {
	pthread_t thread;
	struct seen *seen;
	const struct f_scene *scene;
	unsigned int seed;
	u32 image;
	u64 calls;
	u64 odd;
};

static s32 spread(unsigned int *seed)
{
	return (s32)(rand_r(seed) % 16) * 8;
}

/* Loads, tells, and drops before or after; the mappings may be of another thread's table. */
static void set_once(struct setter *setter)
{
	u64 at = (uintptr_t)setter->scene->code;
	struct f_table table = f_table();
	struct gapp_mapping maps[40];
	u32 count = rand_r(&setter->seed) % ARRAY_SIZE(maps);
	int number, ret;

	table.rules[F_RULE_OUTER].cfa_offset += spread(&setter->seed);
	number = f_load(setter->seen->fd, &table, sizeof(table));
	setter->odd += number <= 0;
	for (u32 i = 0; i < count; i++)
		maps[i] = (struct gapp_mapping){ .begin = at + i * 64,
						 .end = at + (i + 1) * 64,
						 .bias = at,
						 .table = i % 3 ? number : 0 };
	if (rand_r(&setter->seed) % 4 == 0)
		f_drop(setter->seen->fd, number);
	ret = f_set(setter->seen->fd, setter->seen->child.pid, &setter->image, maps, count);
	setter->odd += ret && ret != -ENOENT;
	f_drop(setter->seen->fd, number);
	setter->calls++;
}

static void *sets(void *arg)
{
	while (!end)
		set_once(arg);
	return NULL;
}

static void go_round(struct f_scene *scene, u64 ns)
{
	scene->stage->unmap_bytes = ns;
	scene->stage->rdi = (uintptr_t)&scene->stage->unmap_at;
	scene->stage->rsi = 0;
	scene->stage->number = SYS_nanosleep;
}

static void read_for(struct seen *seen, u64 ns)
{
	u64 until = t_now() + ns;

	while (t_now() < until) {
		s_read(seen);
		t_sleep(200000);
	}
}

void storms_maps(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_AUTO);
	struct setter setters[SETTERS] = { 0 };
	struct gapp_counters counters;
	u64 calls = 0, odd = 0;
	struct s_test test;
	struct seen *seen;

	config.rate_hz = GAPP_MAX_RATE_HZ;
	s_make(&test, &config, f_start);
	seen = test.seen;
	go_round(&test.scene, 1000);
	t_tell(&seen->child);
	end = false;
	for (int i = 0; i < SETTERS; i++) {
		setters[i] = (struct setter){ .seen = seen, .scene = &test.scene, .seed = i };
		f_set(seen->fd, seen->child.pid, &setters[i].image, NULL, 0);
		if (pthread_create(&setters[i].thread, NULL, sets, &setters[i]))
			t_die("pthread_create");
	}
	read_for(seen, SECONDS * NSEC_PER_SEC);
	end = true;
	for (int i = 0; i < SETTERS; i++) {
		pthread_join(setters[i].thread, NULL);
		calls += setters[i].calls;
		odd += setters[i].odd;
	}
	t_check(calls > 100 && !odd, "mappings are set again and again", "%llu times, %llu odd",
		calls, odd);
	t_counters(seen->fd, &counters);
	t_check(!counters.tables && !counters.table_bytes && counters.spaces == 1,
		"no table is left", "%llu of %llu bytes; %llu spaces", counters.tables,
		counters.table_bytes, counters.spaces);
	s_tell(seen, &test.scene);
	s_read(seen);
	s_wait(seen);
	s_wait(seen);
	s_expect(seen, seen->slice.path, test.frames, F_FRAMES,
		 GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE, "afterwards paths are whole");
	t_check(!r_kernel_words(&seen->reader), "no path has an address of the kernel", "%u words",
		r_kernel_words(&seen->reader));
	s_unmake(&test);
}

/* Loads, drops and closes; what it has loaded is equal to what the others have. */
static void *shares(void *arg)
{
	unsigned int seed = (uintptr_t)arg;
	struct f_table table = f_table();
	u64 odd = 0;

	for (int i = 0; i < ROUNDS; i++) {
		int fd = f_ready(), numbers[20];

		for (size_t j = 0; j < ARRAY_SIZE(numbers); j++) {
			table.rules[F_RULE_OUTER].cfa_offset = spread(&seed);
			numbers[j] = f_load(fd, &table, sizeof(table));
			odd += numbers[j] <= 0;
		}
		for (size_t j = 0; j < ARRAY_SIZE(numbers); j++)
			if (rand_r(&seed) % 2)
				odd += f_drop(fd, numbers[j]) != 0;
		close(fd);
	}
	return (void *)(uintptr_t)odd;
}

void storms_sharing(void)
{
	pthread_t threads[4];
	u64 odd = 0;
	void *result;

	for (uintptr_t i = 0; i < ARRAY_SIZE(threads); i++)
		if (pthread_create(&threads[i], NULL, shares, (void *)i))
			t_die("pthread_create");
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &result);
		odd += (uintptr_t)result;
	}
	t_check(!odd, "sessions that load, drop and close the same tables", "%llu errors", odd);
}

/* A walk may be under way while its session and its tables go. */
void storms_closing(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_AUTO);
	u64 slices = 0;

	config.rate_hz = GAPP_MAX_RATE_HZ;
	for (int i = 0; i < 30; i++) {
		struct f_scene scene;
		struct seen *seen;

		f_make(&scene);
		seen = s_follow(&config, &scene);
		s_tell(seen, &scene);
		go_round(&scene, 1000);
		t_tell(&seen->child);
		read_for(seen, 10 * NSEC_PER_MSEC);
		slices += seen->slices;
		r_close(&seen->reader);
		close(seen->fd);
		seen->fd = -1;
		t_kill(&seen->child);
		free(seen);
		f_unmake(&scene);
	}
	t_check(slices > 10, "files are closed while their target is walked", "%llu slices",
		slices);
}

/* What is behind the functions, and told to be code too, moves, and is not there, and is another.
 */
static void *remaps(void *arg)
{
	struct f_scene *scene = arg;
	u8 *at = scene->code + F_CODE_BYTES, *there;

	for (unsigned int i = 0;; i++) {
		there = mremap(at, F_CODE_BYTES, F_CODE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
			       at + 16 * F_CODE_BYTES);
		if (there != MAP_FAILED)
			mremap(there, F_CODE_BYTES, F_CODE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
			       at);
		mprotect(at, F_CODE_BYTES, i % 2 ? PROT_NONE : PROT_READ | PROT_EXEC);
		if (i % 64 == 0) {
			munmap(at, F_CODE_BYTES);
			if (mmap(at, F_CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at)
				_exit(1);
		}
	}
	return NULL;
}

/* The same for the upper part of the stack, into which the walk goes on. */
static void *remaps_stack(void *arg)
{
	u8 *stack = arg, *there;

	for (unsigned int i = 0;; i++) {
		there = mremap(stack, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, stack + 65536);
		if (there != MAP_FAILED)
			mremap(there, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, stack);
		mprotect(stack, 4096, i % 2 ? PROT_NONE : PROT_READ | PROT_WRITE);
		madvise(stack, 4096, MADV_DONTNEED);
		if (i % 2 == 0)
			memcpy(stack, stack - 4096, 4096);
	}
	return NULL;
}

static u8 *room;

static void unsteady(struct t_child *parent, void *arg)
{
	struct f_scene *scene = arg;
	pthread_t thread;

	t_tell(parent);
	t_hear(parent);
	if (pthread_create(&thread, NULL, remaps, scene) ||
	    pthread_create(&thread, NULL, remaps_stack, room + 4096))
		_exit(1);
	go_round(scene, 1000);
	f_enter(scene->stage, scene->stack + F_STACK_TOP, f_at(scene, scene->start));
}

/* In any of its parts memory may be gone at any moment: the path ends, its first frame is right. */
void storms_code(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_AUTO);
	struct f_table table = f_table();
	const struct gapp_path *path = NULL;
	u64 wrong = 0, paths = 0;
	struct gapp_mapping map;
	struct f_scene scene;
	struct seen *seen;
	u32 image;

	f_make(&scene);
	scene.start = f_start_swap;
	room = mmap(NULL, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* Room behind the code for what is moved; all of it is told to be code. */
	munmap(scene.code, F_CODE_BYTES);
	scene.code = mmap(NULL, 64 * F_CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED || scene.code == MAP_FAILED)
		t_die("mmap");
	memcpy(scene.code, f_begin, f_end - f_begin);
	for (u64 *word = (u64 *)room; (u8 *)word < room + 3 * 4096; word++)
		*word = f_at(&scene, f_swap_back);
	scene.stage->rsp = (uintptr_t)room + 4096 - 24;
	config.rate_hz = GAPP_MAX_RATE_HZ;
	seen = s_follow_body(&config, unsteady, &scene);
	map = (struct gapp_mapping){
		.begin = (uintptr_t)scene.code,
		.end = (uintptr_t)scene.code + 64 * F_CODE_BYTES,
		.bias = (uintptr_t)scene.code,
		.table = f_load(seen->fd, &table, sizeof(table)),
	};
	f_set(seen->fd, seen->child.pid, &image, NULL, 0);
	t_expect(f_set(seen->fd, seen->child.pid, &image, &map, 1), T_OK, "SET_MAPS");
	t_tell(&seen->child);
	seen->tid = 0;
	read_for(seen, SECONDS * NSEC_PER_SEC);
	for (u32 i = 0; i < seen->reader.layout.path_slots; i++) {
		const u64 *frames = r_frames(&seen->reader, i, &path);

		if (!frames || frames[0] - (uintptr_t)scene.code >= F_CODE_BYTES)
			continue;
		paths++;
		for (u16 j = 1; j < path->words; j++)
			wrong += frames[j] != f_at(&scene, f_swap_back) &&
				 frames[j] != f_at(&scene, f_start_swap_back);
	}
	t_check(paths >= 2 && !wrong, "memory that moves: paths are cut, but not wrong",
		"%llu paths, %llu frames wrong", paths, wrong);
	t_check(!r_kernel_words(&seen->reader), "no path has an address of the kernel", "%u words",
		r_kernel_words(&seen->reader));
	s_good(seen, "all records make sense");
	s_end(seen);
	munmap(room, 64 * 4096);
	munmap(scene.code + F_CODE_BYTES, 63 * F_CODE_BYTES);
	f_unmake(&scene);
}

struct leaver {
	struct f_stage stage;
	u8 *stack;
	u64 start;
};

static int leaves(void *arg)
{
	struct leaver *leaver = arg;

	f_enter(&leaver->stage, leaver->stack + LEAVER_STACK - 64, leaver->start);
	return 0;
}

/* Threads that unmap their own stack and are gone. */
static void has_leavers(struct t_child *parent, void *arg)
{
	struct leaver *leavers = calloc(LEAVERS, sizeof(*leavers));
	struct f_scene *scene = arg;

	t_tell(parent);
	t_hear(parent);
	for (int i = 0; i < LEAVERS; i++) {
		struct leaver *leaver = &leavers[i];

		leaver->stack = mmap(NULL, LEAVER_STACK, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		leaver->start = f_at(scene, f_leave);
		leaver->stage.unmap_at = (uintptr_t)leaver->stack;
		leaver->stage.unmap_bytes = LEAVER_STACK;
		if (leaver->stack == MAP_FAILED ||
		    clone(leaves, leaver->stack + LEAVER_STACK,
			  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				  CLONE_SYSVSEM,
			  leaver) < 0)
			_exit(1);
	}
	t_tell(parent);
	for (;;)
		pause();
}

struct exits {
	const struct f_scene *scene;
	struct r_reader *reader;
	u64 seen;
	u64 right;
	u64 tails;
};

static void see_exit(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct gapp_path *path = NULL;
	struct exits *exits = arg;
	const u64 *frames;

	if (record->type != GAPP_RECORD_SLICE || slice->then != GAPP_THEN_EXITED ||
	    slice->flags & GAPP_SLICE_LEADER)
		return;
	exits->seen++;
	exits->tails += (slice->path & GAPP_PATH_COPY) != 0;
	frames = r_frames(exits->reader, slice->path, &path);
	exits->right += frames && path->words == 1 && frames[0] == f_at(exits->scene, f_left);
}

void storms_leaving(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_AUTO);
	struct gapp_counters counters;
	struct exits exits = { 0 };
	struct f_scene scene;
	struct seen *seen;
	bool good;

	f_make(&scene);
	config.rate_hz = GAPP_MAX_RATE_HZ;
	seen = s_follow_body(&config, has_leavers, &scene);
	s_tell(seen, &scene);
	exits.scene = &scene;
	exits.reader = &seen->reader;
	seen->reader.see = see_exit;
	seen->reader.arg = &exits;
	t_tell(&seen->child);
	r_follow(&seen->reader, &seen->child);
	t_settled(seen->child.pid);
	s_read(seen);
	t_counters(seen->fd, &counters);
	/* an event that was posted has no record */
	good = exits.seen + counters.posts >= LEAVERS && exits.seen > LEAVERS / 2;
	t_check(good && exits.right == exits.seen,
		"threads that unmap their stack and exit: the last frame they had",
		"%llu of %llu, %d began; %llu with tails", exits.right, exits.seen, LEAVERS,
		exits.tails);
	s_done(seen, &scene);
}
