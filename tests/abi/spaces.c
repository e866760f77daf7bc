// SPDX-License-Identifier: GPL-2.0
/* SET_MAPS: what it refuses, whose mappings it takes, and when. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "seen.h"

#define KERNEL_ADDRESS 0xffff888000000000ULL
#define NOT_CANONICAL 0x0000900000000000ULL
#define END_OF_USER 0x7ffffffff000ULL
#define PAGE 4096ULL
#define KTHREADD 2

struct map_case {
	const char *name;
	int wanted;
	u32 count;
	struct gapp_mapping maps[3];
};

/* Table 1 is there, 2 was dropped. */
static const struct map_case map_cases[] = {
	{ "empty", -EINVAL, 1, { { .begin = PAGE, .end = PAGE } } },
	{ "empty, at 0", -EINVAL, 1, { { 0 } } },
	{ "the wrong way", -EINVAL, 1, { { .begin = 2 * PAGE, .end = PAGE } } },
	{ "wrapping", -EINVAL, 1, { { .begin = ~0ULL - PAGE, .end = PAGE } } },
	{ "beyond the user's", -EINVAL, 1, { { .begin = PAGE, .end = END_OF_USER + 1 } } },
	{ "in the kernel", -EINVAL, 1, { { .begin = KERNEL_ADDRESS, .end = ~0ULL } } },
	{ "all there is", -EINVAL, 1, { { .begin = 0, .end = ~0ULL } } },
	{ "not canonical", -EINVAL, 1, { { .begin = NOT_CANONICAL, .end = NOT_CANONICAL + 1 } } },
	{ "spins that nobody asked for",
	  -EINVAL,
	  1,
	  { { .begin = PAGE, .end = 2 * PAGE, .spins = 1 } } },
	{ "table 2", -ENOENT, 1, { { .begin = PAGE, .end = 2 * PAGE, .table = 2 } } },
	{ "table 3", -ENOENT, 1, { { .begin = PAGE, .end = 2 * PAGE, .table = 3 } } },
	{ "table ~0", -ENOENT, 1, { { .begin = PAGE, .end = 2 * PAGE, .table = ~0U } } },
	{ "a table, then an unknown one",
	  -ENOENT,
	  2,
	  { { .begin = PAGE, .end = 2 * PAGE, .table = 1 },
	    { .begin = 2 * PAGE, .end = 3 * PAGE, .table = 9 } } },
	{ "not sorted",
	  -EINVAL,
	  2,
	  { { .begin = 3 * PAGE, .end = 4 * PAGE, .table = 1 },
	    { .begin = PAGE, .end = 2 * PAGE } } },
	{ "twice the same",
	  -EINVAL,
	  2,
	  { { .begin = PAGE, .end = 2 * PAGE }, { .begin = PAGE, .end = 2 * PAGE } } },
	{ "overlapping by a byte",
	  -EINVAL,
	  2,
	  { { .begin = PAGE, .end = 2 * PAGE }, { .begin = 2 * PAGE - 1, .end = 3 * PAGE } } },
	{ "the third in the first",
	  -EINVAL,
	  3,
	  { { .begin = PAGE, .end = 2 * PAGE },
	    { .begin = 2 * PAGE, .end = 3 * PAGE },
	    { .begin = PAGE + 8, .end = PAGE + 16 } } },
	{ "one behind the other",
	  T_OK,
	  3,
	  { { .begin = 0, .end = PAGE },
	    { .begin = PAGE, .end = 2 * PAGE, .bias = ~0ULL, .table = 1 },
	    { .begin = 2 * PAGE, .end = END_OF_USER } } },
	{ "of a byte, any bias",
	  T_OK,
	  1,
	  { { .begin = 12345, .end = 12346, .bias = 1ULL << 63, .table = 1 } } },
	{ "none", T_OK, 0, { { 0 } } },
};

static int set(int fd, const struct gapp_mappings *maps)
{
	struct gapp_mappings copy = *maps;

	return t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &copy);
}

static void members(int fd, pid_t pid, u32 image)
{
	struct gapp_mapping map = { .begin = PAGE, .end = 2 * PAGE };
	const struct gapp_mappings good = {
		.pid = pid, .image = image, .maps = (uintptr_t)&map, .count = 1
	};
	struct gapp_mappings maps = good;

	maps.flags = 1;
	t_expect(set(fd, &maps), -EINVAL, "SET_MAPS with flags");
	maps = good;
	maps.reserved = 1ULL << 63;
	t_expect(set(fd, &maps), -EINVAL, "SET_MAPS, reserved");
	maps = good;
	maps.count = GAPP_MAX_MAPPINGS + 1;
	t_expect(set(fd, &maps), -EINVAL, "SET_MAPS, too many");
	maps.count = ~0U;
	t_expect(set(fd, &maps), -EINVAL, "SET_MAPS, ~0 of them");
	maps = good;
	maps.image = 0;
	t_expect(set(fd, &maps), -EINVAL, "SET_MAPS, image 0 and a mapping");
	maps.image = image + 1;
	t_expect(set(fd, &maps), -ESTALE, "SET_MAPS, the next image");
	maps.image = ~0U;
	t_expect(set(fd, &maps), -ESTALE, "SET_MAPS, image ~0");
	maps = good;
	maps.pid = 0;
	t_expect(set(fd, &maps), -ESRCH, "SET_MAPS, pid 0");
	maps.pid = -1;
	t_expect(set(fd, &maps), -ESRCH, "SET_MAPS, pid -1");
	maps.pid = 0x7fffffff;
	t_expect(set(fd, &maps), -ESRCH, "SET_MAPS, pid of nobody");
	maps.pid = getpid();
	t_expect(set(fd, &maps), -ESRCH, "SET_MAPS, a process that is not followed");
	maps.pid = KTHREADD;
	t_expect(set(fd, &maps), -ESRCH, "SET_MAPS, a kernel thread");
	maps.image = 0;
	maps.count = 0;
	t_expect(set(fd, &maps), -ESRCH, "the image of a kernel thread");
}

static void addresses(int fd, pid_t pid, u32 image)
{
	size_t page = sysconf(_SC_PAGESIZE);
	u8 *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const u64 bad[] = { 0,
			    1,
			    KERNEL_ADDRESS,
			    NOT_CANONICAL,
			    ~0ULL,
			    (uintptr_t)two + page,
			    (uintptr_t)two + page - sizeof(struct gapp_mapping) };
	struct gapp_mapping *last = (struct gapp_mapping *)(two + page - sizeof(*last));
	struct gapp_mappings maps = { .pid = pid, .image = image, .count = 2 };

	if (two == MAP_FAILED || munmap(two + page, page))
		t_die("mmap");
	*last = (struct gapp_mapping){ .begin = PAGE, .end = 2 * PAGE, .table = 1 };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		maps.maps = bad[i];
		t_expect(set(fd, &maps), -EFAULT, "SET_MAPS, bad address %zu", i);
	}
	/* In the second part that is copied. */
	memset(two, 0, page);
	for (size_t i = 0; i < page / sizeof(*last); i++)
		((struct gapp_mapping *)two)[i] =
			(struct gapp_mapping){ .begin = i, .end = i + 1, .table = 1 };
	maps.maps = (uintptr_t)two;
	maps.count = page / sizeof(*last) + 1;
	t_expect(set(fd, &maps), -EFAULT, "SET_MAPS, the last of many not there");
	maps.count--;
	t_expect(set(fd, &maps), T_OK, "SET_MAPS, many");
	munmap(two, page);
}

static void most(int fd, pid_t pid, u32 image)
{
	struct gapp_mapping *maps = calloc(GAPP_MAX_MAPPINGS, sizeof(*maps));
	struct gapp_counters counters;

	for (u64 i = 0; i < GAPP_MAX_MAPPINGS; i++)
		maps[i] = (struct gapp_mapping){ .begin = i * PAGE,
						 .end = (i + 1) * PAGE,
						 .table = i % 2 };
	t_expect(f_set(fd, pid, &image, maps, GAPP_MAX_MAPPINGS), T_OK,
		 "SET_MAPS, as many as may be");
	maps[GAPP_MAX_MAPPINGS - 1].table = 7;
	t_expect(f_set(fd, pid, &image, maps, GAPP_MAX_MAPPINGS), -ENOENT,
		 "SET_MAPS, the last of them unknown");
	t_counters(fd, &counters);
	t_check(counters.spaces == 1, "COUNTERS tell of one address space", "%llu",
		counters.spaces);
	free(maps);
}

void spaces_fields(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_TABLE);
	struct f_table table = f_table();
	struct f_scene scene;
	struct seen *seen;
	u64 frames[F_FRAMES];
	u32 image = 0;

	f_make(&scene);
	f_frames(&scene, frames);
	seen = s_follow(&config, &scene);
	s_tell(seen, &scene);
	t_check(f_load(seen->fd, &table, sizeof(table)) == 2 && !f_drop(seen->fd, 2),
		"a table is dropped", "it is not");
	t_expect(f_set(seen->fd, seen->child.pid, &image, NULL, 0), T_OK, "the image is asked for");
	s_step(seen);
	t_check(image && image == seen->slice.image, "it is that of the records", "%u is not %u",
		image, seen->slice.image);
	members(seen->fd, seen->child.pid, image);
	for (size_t i = 0; i < ARRAY_SIZE(map_cases); i++)
		if (map_cases[i].wanted)
			t_expect(f_set(seen->fd, seen->child.pid, &image, map_cases[i].maps,
				       map_cases[i].count),
				 map_cases[i].wanted, "SET_MAPS, %s", map_cases[i].name);
	s_step(seen);
	s_expect(seen, seen->slice.path, frames, F_FRAMES, GAPP_PATH_BY_TABLE,
		 "what was refused has changed nothing");
	for (size_t i = 0; i < ARRAY_SIZE(map_cases); i++)
		if (!map_cases[i].wanted)
			t_expect(f_set(seen->fd, seen->child.pid, &image, map_cases[i].maps,
				       map_cases[i].count),
				 T_OK, "SET_MAPS, %s", map_cases[i].name);
	addresses(seen->fd, seen->child.pid, image);
	most(seen->fd, seen->child.pid, image);
	s_done(seen, &scene);
}

/* A process that may be told of before START, has then another number, and may be gone. */
void spaces_order(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_TABLE);
	struct gapp_mapping map = { .begin = PAGE, .end = 2 * PAGE };
	struct t_child target = t_fork(t_idle, NULL);
	struct t_child child = t_fork(t_idle, NULL);
	struct gapp_counters counters;
	int fd = t_open();
	u32 image = 1, later;

	t_hear(&target);
	t_hear(&child);
	t_expect(f_set(fd, target.pid, &image, NULL, 0), -ENOTCONN, "SET_MAPS before CONFIGURE");
	t_expect(t_ioctl(fd, GAPP_IOC_CONFIGURE, &config), T_OK, "CONFIGURE");
	t_expect(f_set(fd, target.pid, &image, NULL, 0), -ESRCH, "the image before ADD_TARGET");
	t_expect(f_set(fd, target.pid, &image, &map, 1), -ESRCH, "SET_MAPS before ADD_TARGET");
	t_add(fd, target.pid, 0);
	t_add(fd, child.pid, 0);
	t_expect(f_set(fd, target.pid, &later, NULL, 0), T_OK, "the image before START");
	t_check(later == GAPP_IMAGE_LATER, "it is told later", "it is %u", later);
	image = 1;
	t_expect(f_set(fd, target.pid, &image, &map, 1), -ESTALE,
		 "SET_MAPS before START, another image");
	t_expect(f_set(fd, target.pid, &later, &map, 1), T_OK, "SET_MAPS before START");
	t_expect(t_start(fd), T_OK, "START");
	t_expect(f_set(fd, target.pid, &later, &map, 1), -ESTALE, "SET_MAPS, the former image");
	t_expect(f_set(fd, target.pid, &image, NULL, 0), T_OK, "the image");
	t_expect(f_set(fd, target.pid, &image, &map, 1), T_OK, "SET_MAPS while running");
	t_counters(fd, &counters);
	t_check(counters.spaces == 1, "one address space is known", "%llu", counters.spaces);
	t_expect(f_set(fd, child.pid, &later, NULL, 0), T_OK, "the image of another process");
	t_check(later != image, "is another one", "it is %u too", later);
	t_expect(f_set(fd, child.pid, &image, &map, 1), -ESTALE, "SET_MAPS, another's image");
	t_expect(f_set(fd, child.pid, &later, &map, 1), T_OK, "SET_MAPS of the other");
	t_kill(&child);
	t_expect(f_set(fd, child.pid, &later, &map, 1), -ESRCH, "SET_MAPS of one that is gone");
	t_expect(t_stop(fd), T_OK, "STOP");
	t_expect(f_set(fd, target.pid, &image, &map, 1), -EBUSY, "SET_MAPS after STOP");
	t_expect(f_set(fd, target.pid, &image, NULL, 0), -EBUSY, "the image after STOP");
	close(fd);
	t_kill(&target);
}

/* Nothing tells of an exec before START: what was asked about is not there any more. */
void spaces_exec(void)
{
	struct gapp_mapping map = { .begin = PAGE, .end = 2 * PAGE };
	struct t_child target = t_fork(s_executes, NULL);
	struct gapp_counters counters;
	int fd = f_ready();
	u32 image = GAPP_IMAGE_LATER;

	t_hear(&target);
	t_add(fd, target.pid, 0);
	t_expect(f_set(fd, target.pid, &image, &map, 1), -ESTALE,
		 "SET_MAPS before START, nobody has asked for the image");
	t_expect(f_set(fd, target.pid, &image, NULL, 0), T_OK, "the image");
	t_tell(&target);
	t_hear(&target);
	t_expect(f_set(fd, target.pid, &image, &map, 1), -ESTALE,
		 "SET_MAPS before START, of the program before");
	t_expect(f_set(fd, target.pid, &image, NULL, 0), T_OK, "the image again");
	t_expect(f_set(fd, target.pid, &image, &map, 1), T_OK, "SET_MAPS of the new program");
	t_expect(t_start(fd), T_OK, "START");
	t_counters(fd, &counters);
	t_check(counters.spaces == 1, "one address space is known", "%llu", counters.spaces);
	close(fd);
	t_kill(&target);
}

static void spaces_become(int fd, u64 wanted, const char *name)
{
	struct gapp_counters counters;

	for (int tries = 0; tries < 500; tries++) {
		t_counters(fd, &counters);
		if (counters.spaces == wanted)
			break;
		t_sleep(10 * NSEC_PER_MSEC);
	}
	t_check(counters.spaces == wanted, name, "%llu are known, not %llu", counters.spaces,
		wanted);
}

/* Address spaces of processes that are gone are let go. */
void spaces_go(void)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_TABLE);
	struct gapp_mapping map = { .begin = PAGE, .end = 2 * PAGE };
	struct t_child target = t_fork(t_idle, NULL), children[20];
	int fd = t_session(&config);
	u32 image;

	t_hear(&target);
	t_add(fd, target.pid, 0);
	for (size_t i = 0; i < ARRAY_SIZE(children); i++) {
		children[i] = t_fork(t_idle, NULL);
		t_hear(&children[i]);
		t_add(fd, children[i].pid, 0);
	}
	t_expect(t_start(fd), T_OK, "START");
	for (size_t i = 0; i < ARRAY_SIZE(children); i++)
		if (f_set(fd, children[i].pid, &image, NULL, 0) ||
		    f_set(fd, children[i].pid, &image, &map, 1))
			t_check(false, "SET_MAPS", "of child %zu it fails", i);
	f_set(fd, target.pid, &image, NULL, 0);
	f_set(fd, target.pid, &image, &map, 1);
	spaces_become(fd, ARRAY_SIZE(children) + 1, "all are known");
	for (size_t i = 0; i < ARRAY_SIZE(children); i++)
		t_kill(&children[i]);
	/* The next that asks for room, or goes, lets the worker sweep. */
	f_set(fd, target.pid, &image, &map, 1);
	spaces_become(fd, 1, "those of the dead go");
	close(fd);
	t_kill(&target);
}
