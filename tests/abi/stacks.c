// SPDX-License-Identifier: GPL-2.0
/* Stack pointers that point anywhere: a path ends there with its reason, and nobody is harmed. */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "groups.h"
#include "memory.h"
#include "seen.h"

#define PAGE 4096ULL
/* A copy begins so far below the stack pointer, if it can. */
#define RED_ZONE 128
#define HUGE_BYTES (2ULL << 20)
#define END_OF_USER 0x7ffffffff000ULL
#define LAST_PAGE (END_OF_USER - PAGE)

/* Places in the arena, whose other parts are not mapped at all. */
enum place {
	AT_HUGE = 0,
	AT_NONE = HUGE_BYTES,
	AT_AWAY = AT_NONE + 2 * PAGE, /* not in the page table */
	AT_FILE = AT_AWAY + 2 * PAGE, /* beyond the end of a file */
	AT_HOLE = AT_FILE + 3 * PAGE, /* of a userfaultfd */
	AT_EDGE = AT_HOLE + 2 * PAGE,
	AT_GOOD = AT_EDGE + 2 * PAGE,
	AT_GROWS = AT_GOOD + 4 * PAGE,
	AT_END = AT_GROWS + 4 * PAGE,
};

#define ARENA_BYTES (2 * HUGE_BYTES)

enum lack {
	LACK_HUGE,
	LACK_AWAY,
	LACK_HOLE,
	LACK_LAST,
	LACK_NOTHING,
};

static u8 *arena;

/* The arena is free for the child to map in, and for nobody else. */
static void make_arena(void)
{
	u8 *memory = mmap(NULL, ARENA_BYTES + HUGE_BYTES, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		t_die("mmap");
	arena = (u8 *)(((uintptr_t)memory + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
}

static u8 *map(u64 at, u64 bytes, int flags, int fd)
{
	u8 *memory = mmap(arena + at, bytes, PROT_READ | PROT_WRITE, MAP_FIXED | flags, fd, 0);

	if (memory != arena + at)
		t_die("mmap in the arena");
	return memory;
}

static bool make_hole(u8 *memory)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register area = {
		.range = { .start = (uintptr_t)memory, .len = PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	return fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &area);
}

/* Where the stack pointer will be: the way back. */
static void put(const struct f_scene *scene, u8 *memory, u64 at, const u8 *back)
{
	u64 word = f_at(scene, back);

	memcpy(memory + at, &word, sizeof(word));
}

static void prepare(struct f_scene *scene)
{
	u64 *lacks = &scene->stage->lacks;
	int private = MAP_PRIVATE | MAP_ANONYMOUS;
	u8 *memory;

	munmap(arena, ARENA_BYTES);
	memory = map(AT_HUGE, HUGE_BYTES, private, -1);
	if (madvise(memory, HUGE_BYTES, MADV_HUGEPAGE))
		*lacks |= 1ULL << LACK_HUGE;
	put(scene, memory, HUGE_BYTES / 2, f_start_swap_back);
	if (!m_is_huge(memory))
		*lacks |= 1ULL << LACK_HUGE;

	put(scene, map(AT_NONE, PAGE, private, -1), 0, f_start_swap_back);
	mprotect(arena + AT_NONE, PAGE, PROT_NONE);

	/* Without swap it stays in memory, and leaves the page table only. */
	memory = map(AT_AWAY, PAGE, MAP_SHARED, m_file(PAGE));
	put(scene, memory, 0, f_start_swap_back);
	madvise(memory, PAGE, MADV_PAGEOUT);
	if (m_is_present(memory))
		madvise(memory, PAGE, MADV_DONTNEED);
	if (m_is_present(memory))
		*lacks |= 1ULL << LACK_AWAY;

	put(scene, map(AT_FILE, 2 * PAGE, MAP_SHARED, m_file(PAGE)), 0, f_start_swap_back);
	if (!make_hole(map(AT_HOLE, PAGE, private, -1)))
		*lacks |= 1ULL << LACK_HOLE;
	put(scene, map(AT_EDGE, PAGE, private, -1), PAGE - 8, f_middle_back);
	memory = map(AT_GROWS, PAGE, private | MAP_GROWSDOWN, -1);
	put(scene, memory, 0, f_start_swap_back);

	memory = mmap((void *)LAST_PAGE, PAGE, PROT_READ | PROT_WRITE,
		      private | MAP_FIXED_NOREPLACE, -1, 0);
	if (memory == (u8 *)LAST_PAGE)
		put(scene, memory, PAGE - 16, f_middle_back);
	else
		*lacks |= 1ULL << LACK_LAST;
}

#define GOOD_WORDS (3 * PAGE / sizeof(u64))

/* Return addresses that lead nowhere, and very many that lead on. */
static void prepare_more(struct f_scene *scene)
{
	u64 *words;

	prepare(scene);
	words = (u64 *)map(AT_GOOD, 3 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	words[0] = 0;
	words[1] = 0xffffffff81000000ULL;
	words[2] = 0x0000800000000000ULL;
	words[3] = 1;
	words[4] = 0x10000;
	words[5] = END_OF_USER - 1;
	for (size_t i = 6; i < GOOD_WORDS; i++)
		put(scene, (u8 *)&words[i], 0, f_swap_back);
}

struct stack_case {
	const char *name;
	u64 sp;
	const u8 *back; /* the second frame, if any */
	u16 end;
	enum lack lack;
	bool absolute; /* not in the arena */
};

static const char *const lack_names[] = {
	[LACK_HUGE] = "no huge pages here",
	[LACK_AWAY] = "it stays in the page table",
	[LACK_HOLE] = "no userfaultfd here",
	[LACK_LAST] = "the last page is somebody else's",
};

static const struct stack_case cases[] = {
	{ "not mapped", AT_END, NULL, GAPP_UNWIND_UNREADABLE, LACK_NOTHING, false },
	{ "at 0", 0, NULL, GAPP_UNWIND_UNREADABLE, LACK_NOTHING, true },
	{ "in the kernel's memory", 0xffff888000000000ULL, NULL, GAPP_UNWIND_LOOP, LACK_NOTHING,
	  true },
	{ "in the kernel's code", 0xffffffff81000000ULL, NULL, GAPP_UNWIND_LOOP, LACK_NOTHING,
	  true },
	{ "in the vsyscall page", 0xffffffffff600000ULL, NULL, GAPP_UNWIND_LOOP, LACK_NOTHING,
	  true },
	{ "not canonical", 0x0000900000000000ULL, NULL, GAPP_UNWIND_LOOP, LACK_NOTHING, true },
	{ "the last word of all", ~7ULL, NULL, GAPP_UNWIND_LOOP, LACK_NOTHING, true },
	{ "~0", ~0ULL, NULL, GAPP_UNWIND_LOOP, LACK_NOTHING, true },
	{ "not aligned", AT_GOOD + 1, NULL, GAPP_UNWIND_LOOP, LACK_NOTHING, false },
	{ "in a huge page", HUGE_BYTES / 2, f_start_swap_back, GAPP_UNWIND_COMPLETE, LACK_HUGE,
	  false },
	{ "in a page of PROT_NONE", AT_NONE, NULL, GAPP_UNWIND_UNREADABLE, LACK_NOTHING, false },
	{ "in a page that is paged out", AT_AWAY, NULL, GAPP_UNWIND_UNREADABLE, LACK_AWAY, false },
	{ "in the last page of a file", AT_FILE, f_start_swap_back, GAPP_UNWIND_COMPLETE,
	  LACK_NOTHING, false },
	{ "beyond the end of a file", AT_FILE + PAGE, NULL, GAPP_UNWIND_UNREADABLE, LACK_NOTHING,
	  false },
	{ "in a hole that somebody watches", AT_HOLE, NULL, GAPP_UNWIND_UNREADABLE, LACK_HOLE,
	  false },
	{ "in the last word of a page", AT_EDGE + PAGE - 8, f_middle_back, GAPP_UNWIND_UNREADABLE,
	  LACK_NOTHING, false },
	{ "below a stack that grows", AT_GROWS - PAGE, NULL, GAPP_UNWIND_UNREADABLE, LACK_NOTHING,
	  false },
	{ "in one that grows", AT_GROWS, f_start_swap_back, GAPP_UNWIND_COMPLETE, LACK_NOTHING,
	  false },
	{ "in the last words of all that is the user's", END_OF_USER - 16, f_middle_back,
	  GAPP_UNWIND_LOOP, LACK_LAST, true },
	{ "in the very last one", END_OF_USER - 8, NULL, GAPP_UNWIND_LOOP, LACK_LAST, true },
	{ "at the end of all that is the user's", END_OF_USER, NULL, GAPP_UNWIND_LOOP, LACK_NOTHING,
	  true },
	{ "it returns to 0", AT_GOOD, NULL, GAPP_UNWIND_COMPLETE, LACK_NOTHING, false },
	{ "it returns into the kernel", AT_GOOD + 8, NULL, GAPP_UNWIND_NO_FRAME, LACK_NOTHING,
	  false },
	{ "it returns to what is not canonical", AT_GOOD + 16, NULL, GAPP_UNWIND_NO_FRAME,
	  LACK_NOTHING, false },
	{ "it returns to 1", AT_GOOD + 24, NULL, GAPP_UNWIND_NO_FRAME, LACK_NOTHING, false },
	{ "it returns to what is not mapped", AT_GOOD + 32, NULL, GAPP_UNWIND_UNMAPPED,
	  LACK_NOTHING, false },
	{ "it returns to the end", AT_GOOD + 40, NULL, GAPP_UNWIND_UNMAPPED, LACK_NOTHING, false },
};

static void one_stack(struct seen *seen, const struct f_scene *scene, const struct stack_case *test)
{
	u64 frames[2] = { f_at(scene, f_swap_back) };
	char name[80];

	snprintf(name, sizeof(name), "stack %s", test->name);
	if (test->lack != LACK_NOTHING && scene->stage->lacks >> test->lack & 1) {
		t_skip(name, lack_names[test->lack]);
		return;
	}
	if (test->back)
		frames[1] = f_at(scene, test->back);
	scene->stage->rsp = test->sp + (test->absolute ? 0 : (uintptr_t)arena);
	s_step(seen);
	s_expect(seen, seen->slice.path, frames, test->back ? 2 : 1, test->end | GAPP_PATH_BY_TABLE,
		 name);
}

static void check_depth(struct seen *seen, const struct f_scene *scene)
{
	u64 frames[GAPP_DEFAULT_STACK];

	for (size_t i = 0; i < ARRAY_SIZE(frames); i++)
		frames[i] = f_at(scene, f_swap_back);
	scene->stage->rsp = (uintptr_t)arena + AT_GOOD + 6 * sizeof(u64);
	s_step(seen);
	s_expect(seen, seen->slice.path, frames, GAPP_DEFAULT_STACK,
		 GAPP_UNWIND_FULL | GAPP_PATH_BY_TABLE, "a path is not longer than it may be");
}

/* The page with which the kernel tells the time is no plain memory. It is read by the child too. */
static void check_special(struct seen *seen, const struct f_scene *scene)
{
	const char *name = "a stack in memory that is not plain is not read";
	u64 frames[1] = { f_at(scene, f_swap_back) };
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long long begin = 0;
	char line[200];

	while (maps && fgets(line, sizeof(line), maps) && !strstr(line, "[vvar]"))
		;
	if (maps && strstr(line, "[vvar]"))
		sscanf(line, "%llx", &begin);
	if (maps)
		fclose(maps);
	if (!begin) {
		t_skip(name, "no [vvar]");
		return;
	}
	/* words that are not 0 */
	scene->stage->rsp = begin + 128;
	s_step(seen);
	s_expect(seen, seen->slice.path, frames, 1, GAPP_UNWIND_UNREADABLE | GAPP_PATH_BY_TABLE,
		 name);
}

static void make_scene(struct f_scene *scene)
{
	make_arena();
	f_make(scene);
	scene->start = f_start_swap;
	scene->prepare = prepare_more;
	scene->stage->rsp = (uintptr_t)scene->stack + F_STACK_TOP - 4096;
}

void stacks_anywhere(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_TABLE);
	struct gapp_counters counters;
	struct f_scene scene;
	struct seen *seen;

	make_scene(&scene);
	config.rate_hz = 1000;
	seen = s_follow(&config, &scene);
	s_tell(seen, &scene);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		one_stack(seen, &scene, &cases[i]);
	check_depth(seen, &scene);
	check_special(seen, &scene);
	t_counters(seen->fd, &counters);
	t_check(counters.lost[GAPP_LOST_UNREADABLE] >= 8, "unreadable stacks are counted", "%llu",
		counters.lost[GAPP_LOST_UNREADABLE]);
	t_check(!r_kernel_words(&seen->reader), "no path has an address of the kernel", "%u words",
		r_kernel_words(&seen->reader));
	s_done(seen, &scene);
}

/* Copies of such stacks: what can be read, and nothing else. */
void stacks_copied(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_COPY);
	struct f_scene scene;
	struct seen *seen;
	char name[100];
	u32 wanted;
	u64 below;

	make_scene(&scene);
	seen = s_follow(&config, &scene);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct stack_case *test = &cases[i];
		u64 left = PAGE - test->sp % PAGE;

		/* The page of others goes on behind it. */
		if ((test->lack != LACK_NOTHING && scene.stage->lacks >> test->lack & 1) ||
		    test->sp / PAGE == AT_GOOD / PAGE)
			continue;
		scene.stage->rsp = test->sp + (test->absolute ? 0 : (uintptr_t)arena);
		s_step(seen);
		wanted = test->end == GAPP_UNWIND_UNREADABLE && !test->back ? 0 : left;
		if (test->absolute && (test->sp < LAST_PAGE || test->sp >= END_OF_USER))
			wanted = 0;
		/* and what is below it, where the page is there */
		below = scene.stage->rsp - seen->tail.stack_at;
		if (wanted && (test->sp % PAGE >= RED_ZONE || below))
			wanted += RED_ZONE;
		if (wanted > GAPP_DEFAULT_STACK_COPY)
			wanted = GAPP_DEFAULT_STACK_COPY;
		snprintf(name, sizeof(name), "copy of a stack %s", test->name);
		t_check(seen->tail.stack_bytes == wanted &&
				seen->tail.registers[7] == scene.stage->rsp &&
				(!below || below == RED_ZONE),
			name, "%u bytes, not %u, at %#llx", seen->tail.stack_bytes, wanted,
			seen->tail.stack_at);
	}
	s_done(seen, &scene);
}

/* A path of very many frames, too many for the path cache. */
static struct seen *follow_deep(const struct gapp_config *config, struct f_scene *scene)
{
	struct seen *seen;

	make_scene(scene);
	seen = s_follow(config, scene);
	s_tell(seen, scene);
	scene->stage->rsp = (uintptr_t)arena + AT_GOOD + 6 * sizeof(u64);
	return seen;
}

/* A path that takes longer than a switch may take is cut, with the frames that are known by then.
 */
void stacks_late(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_TABLE);
	const struct gapp_path *path = NULL;
	struct gapp_counters counters;
	struct f_scene scene;
	const u64 *frames;
	struct seen *seen;
	bool equal = true;

	config.max_stack = GAPP_MAX_STACK;
	t_set_parameter("max_switch_us", "1");
	seen = follow_deep(&config, &scene);
	t_set_parameter("max_switch_us", T_SWITCH_US);
	s_step_once(seen);
	frames = r_frames(&seen->reader, seen->slice.path, &path);
	for (u16 i = 0; frames && i < path->words; i++)
		equal &= frames[i] == f_at(&scene, f_swap_back);
	t_check(frames && equal && path->words >= 1 && path->words < GAPP_MAX_STACK &&
			(path->flags & GAPP_PATH_END_MASK) == GAPP_UNWIND_LATE,
		"a path that takes too long is cut", "%u words, flags %#x",
		frames ? path->words : 0, frames ? path->flags : 0);
	t_counters(seen->fd, &counters);
	t_check(counters.lost[GAPP_LOST_PATHS_OVER_BUDGET] && counters.longest_ns >= 1000,
		"and counted", "%llu, at most %llu ns", counters.lost[GAPP_LOST_PATHS_OVER_BUDGET],
		counters.longest_ns);
	s_done(seen, &scene);
}

/* Steps until the session has lost a path; returns how many paths it has had before. */
static u64 steps_until_lost(struct seen *seen, u64 most)
{
	struct gapp_counters counters = { 0 };
	u64 steps = 0;

	while (steps < most && !counters.lost[GAPP_LOST_PATHS_OVER_BUDGET]) {
		s_step_once(seen);
		steps++;
		t_counters(seen->fd, &counters);
	}
	return steps;
}

/* Many switches, each of which takes little, have a share of the CPU. */
void stacks_share(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_TABLE);
	struct f_scene scene;
	struct seen *seen;
	u64 steps;

	config.max_stack = GAPP_MAX_STACK;
	t_set_parameter("max_cpu_percent", "1");
	seen = follow_deep(&config, &scene);
	t_set_parameter("max_cpu_percent", T_CPU_PERCENT);
	steps = steps_until_lost(seen, 20000);
	t_check(steps < 20000, "paths have a share of the CPU", "not in %llu switches", steps);
	t_check(seen->slice.path == GAPP_PATH_NONE, "beyond it a slice has no path", "%u",
		seen->slice.path);
	s_done(seen, &scene);
}
