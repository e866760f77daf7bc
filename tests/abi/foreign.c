// SPDX-License-Identifier: GPL-2.0
/*
 * Stack pointers into memory that is somebody else's: of another thread, shared with another
 * process, or only that process's. Paths and copies have the words that the thread itself would
 * read there, and no others.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "groups.h"
#include "seen.h"

#define PAGE 4096ULL
#define FRAMES 4
/* From where f_enter() sets the stack pointer down to f_inner()'s return address. */
#define INNER_RETURNS 0x160

enum place {
	AT_SHARED = 0,
	AT_PRIVATE = PAGE, /* both have it, each with another word */
	AT_GONE = 2 * PAGE, /* the other process alone has it */
	AT_THREAD = 4 * PAGE,
	AT_THREAD_TOP = AT_THREAD + 2 * PAGE,
	AREA_BYTES = AT_THREAD_TOP,
};

static u8 *area;
static struct f_stage other_stage = { .number = SYS_pause };

static void put(const struct f_scene *scene, u64 at, const u8 *back)
{
	u64 word = back ? f_at(scene, back) : 0;

	memcpy(area + at, &word, sizeof(word));
}

static u64 word_at(u64 at)
{
	volatile u64 *word = (volatile u64 *)(area + at);

	return *word;
}

static void make_area(const struct f_scene *scene)
{
	area = mmap(NULL, AREA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || mmap(area + AT_SHARED, PAGE, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		t_die("mmap");
	put(scene, AT_SHARED, f_start_swap_back);
	put(scene, AT_PRIVATE, f_middle_back);
	put(scene, AT_GONE, f_start_swap_back);
}

static void *sit_elsewhere(void *arg)
{
	struct f_scene *scene = arg;

	f_enter(&other_stage, area + AT_THREAD_TOP, f_at(scene, f_start));
}

/* In the process: another thread sits deep in the functions, and some memory is its own. */
static void prepare(struct f_scene *scene)
{
	pthread_t other;

	put(scene, AT_PRIVATE, f_start_swap_back);
	/* fork() leaves shared memory to be found again */
	word_at(AT_SHARED);
	if (pthread_create(&other, NULL, sit_elsewhere, scene))
		t_die("pthread_create");
	while (word_at(AT_THREAD_TOP - INNER_RETURNS) != f_at(scene, f_middle_back))
		sched_yield();
	munmap(area + AT_GONE, PAGE);
}

/**
 * struct foreign - a stack pointer
 * @name: what it points to
 * @at: in the area
 * @shared: what the other process puts there first, if it is shared
 * @backs: the frames behind the innermost one
 * @end: of the path
 */
struct foreign {
	const char *name;
	u64 at;
	const u8 *shared;
	const u8 *backs[FRAMES - 1];
	u16 end;
};

static const struct foreign cases[] = {
	{ "another thread's stack",
	  AT_THREAD_TOP - INNER_RETURNS,
	  NULL,
	  { f_middle_back, f_outer_back, f_start_back },
	  GAPP_UNWIND_COMPLETE },
	{ "memory shared with another process",
	  AT_SHARED,
	  f_start_swap_back,
	  { f_start_swap_back },
	  GAPP_UNWIND_COMPLETE },
	{ "shared memory that the other process changed",
	  AT_SHARED,
	  NULL,
	  { NULL },
	  GAPP_UNWIND_COMPLETE },
	{ "shared memory that it changed back",
	  AT_SHARED,
	  f_start_swap_back,
	  { f_start_swap_back },
	  GAPP_UNWIND_COMPLETE },
	{ "memory that another process has there too",
	  AT_PRIVATE,
	  NULL,
	  { f_start_swap_back },
	  GAPP_UNWIND_COMPLETE },
	{ "memory that only another process has", AT_GONE, NULL, { NULL }, GAPP_UNWIND_UNREADABLE },
};

static struct seen *follow(struct f_scene *scene, enum gapp_unwind_by calls)
{
	struct gapp_config config = s_config(calls);

	f_make(scene);
	make_area(scene);
	scene->start = f_start_swap;
	scene->prepare = prepare;
	scene->stage->rsp = (uintptr_t)scene->stack + F_STACK_TOP - PAGE;
	return s_follow(&config, scene);
}

static void unmake(struct seen *seen, struct f_scene *scene)
{
	s_done(seen, scene);
	munmap(area, AREA_BYTES);
}

static void step_to(struct seen *seen, const struct f_scene *scene, const struct foreign *test)
{
	if (test->at == AT_SHARED)
		put(scene, AT_SHARED, test->shared);
	scene->stage->rsp = (uintptr_t)area + test->at;
	s_step(seen);
}

static void check_path(struct seen *seen, const struct f_scene *scene, const struct foreign *test)
{
	u64 frames[FRAMES] = { f_at(scene, f_swap_back) };
	char name[80];
	u16 count = 1;

	for (; count < FRAMES && test->backs[count - 1]; count++)
		frames[count] = f_at(scene, test->backs[count - 1]);
	snprintf(name, sizeof(name), "path through %s", test->name);
	step_to(seen, scene, test);
	s_expect(seen, seen->slice.path, frames, count, test->end | GAPP_PATH_BY_TABLE, name);
}

/* The word at the stack pointer, which is the first return address. */
static void check_copy(struct seen *seen, const struct f_scene *scene, const struct foreign *test)
{
	u64 wanted = test->backs[0] ? f_at(scene, test->backs[0]) : 0, found = ~0ULL, skip;
	bool readable = test->end == GAPP_UNWIND_COMPLETE;
	const struct gapp_record_stack_copy *tail = &seen->tail;
	char name[80];

	snprintf(name, sizeof(name), "copy of %s", test->name);
	step_to(seen, scene, test);
	skip = scene->stage->rsp - tail->stack_at;
	if (tail->stack_bytes >= sizeof(found) && skip <= tail->stack_bytes - sizeof(found))
		memcpy(&found, seen->stack + skip, sizeof(found));
	t_check(tail->registers[7] == scene->stage->rsp &&
			(readable ? found == wanted : !tail->stack_bytes),
		name, "%u bytes at %#llx, the word is %#llx, not %#llx", tail->stack_bytes,
		tail->stack_at, found, wanted);
}

void foreign_walked(void)
{
	struct f_scene scene;
	struct seen *seen = follow(&scene, GAPP_UNWIND_BY_TABLE);

	s_tell(seen, &scene);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_path(seen, &scene, &cases[i]);
	unmake(seen, &scene);
}

void foreign_copied(void)
{
	struct f_scene scene;
	struct seen *seen = follow(&scene, GAPP_UNWIND_BY_COPY);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_copy(seen, &scene, &cases[i]);
	unmake(seen, &scene);
}
