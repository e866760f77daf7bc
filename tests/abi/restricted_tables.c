// SPDX-License-Identifier: GPL-2.0
#include "restricted_tables.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "seen.h"

/* A table of this many pages with a row for each address has a quarter of what a user may have. */
#define PAGES (GAPP_MAX_TABLE_BYTES_RESTRICTED / 4 / GAPP_TABLE_PAGE / sizeof(struct gapp_row) - 1)

struct large {
	struct gapp_table_head head;
	struct gapp_rule rule;
	u32 first[PAGES + 1];
	struct gapp_row rows[PAGES * GAPP_TABLE_PAGE];
};

static struct large *make_large(void)
{
	struct large *table = calloc(1, sizeof(*table));

	if (!table)
		t_die("memory");
	table->head = (struct gapp_table_head){ .magic = GAPP_TABLE_MAGIC,
						.version = GAPP_TABLE_VERSION,
						.arch = GAPP_ARCH_X86_64,
						.rules = 1,
						.pages = PAGES,
						.rows = PAGES * GAPP_TABLE_PAGE };
	table->rule = (struct gapp_rule){ .cfa = GAPP_CFA_SP };
	for (u32 i = 0; i <= PAGES; i++)
		table->first[i] = i * GAPP_TABLE_PAGE;
	for (u32 i = 0; i < PAGES * GAPP_TABLE_PAGE; i++)
		table->rows[i].low = i;
	return table;
}

/* Nobody accounts to him for it, so it is little. */
static void limit(void)
{
	u64 bytes = offsetof(struct large, rows) + sizeof(((struct large *)0)->rows);
	struct large *table = make_large();
	struct f_table small = f_table();
	int fd = f_ready(), other = f_ready();

	for (int i = 1; i <= 4; i++) {
		table->rule.cfa_offset = i;
		t_check(f_load(fd, table, bytes) == i, "a quarter of what a user may load",
			"number %d is not loaded", i);
	}
	table->rule.cfa_offset = 5;
	t_expect(f_load(fd, table, bytes), -ENOSPC, "more than a user may load");
	t_check(f_load(fd, &small, sizeof(small)) == 5, "a small one finds room", "it does not");
	t_check(f_load(other, table, bytes) == 1, "another session of his has room", "it has not");
	close(other);
	close(fd);
	free(table);
}

#define HELD ((int)(GAPP_MAX_MAPPINGS_HELD_RESTRICTED / GAPP_MAX_MAPPINGS_RESTRICTED))

/* Mappings of processes, as many as all may have; then they are told of fewer, and others of more.
 */
static void held(void)
{
	struct gapp_mapping *maps = calloc(GAPP_MAX_MAPPINGS_RESTRICTED + 1, sizeof(*maps));
	struct t_child children[HELD + 1];
	int fd = f_ready(), ret, refused = 0;
	u32 images[HELD + 1];

	for (u64 i = 0; i <= GAPP_MAX_MAPPINGS_RESTRICTED; i++)
		maps[i] = (struct gapp_mapping){ .begin = i * 4096, .end = (i + 1) * 4096 };
	for (int i = 0; i <= HELD; i++) {
		children[i] = t_fork(t_idle, NULL);
		t_hear(&children[i]);
		t_add(fd, children[i].pid, 0);
	}
	t_start(fd);
	for (int i = 0; i <= HELD; i++)
		f_set(fd, children[i].pid, &images[i], NULL, 0);
	t_expect(f_set(fd, children[0].pid, &images[0], maps, GAPP_MAX_MAPPINGS_RESTRICTED + 1),
		 -EINVAL, "more mappings than a user may tell of");
	for (int i = 0; i < HELD; i++) {
		ret = f_set(fd, children[i].pid, &images[i], maps, GAPP_MAX_MAPPINGS_RESTRICTED);
		refused += ret != 0;
	}
	t_check(!refused, "as many of each process, and of all of them", "%d are refused", refused);
	t_expect(f_set(fd, children[HELD].pid, &images[HELD], maps, 1), -ENOSPC, "one more");
	t_expect(f_set(fd, children[0].pid, &images[0], maps, 0), T_OK, "one process has none");
	t_expect(f_set(fd, children[HELD].pid, &images[HELD], maps, GAPP_MAX_MAPPINGS_RESTRICTED),
		 T_OK, "then another may have them");
	for (int i = 0; i <= HELD; i++)
		t_kill(&children[i]);
	close(fd);
	free(maps);
}

static void bounds(void)
{
	const struct {
		const char *name;
		u32 stack_copy_bytes;
		u16 max_stack;
		int wanted;
	} bounds[] = {
		{ "tails of 4 KiB, paths of 64 frames", 4096, 64, T_OK },
		{ "larger tails", 4104, 0, -EPERM },
		{ "largest tails", GAPP_MAX_STACK_COPY, 0, -EPERM },
		{ "longer paths", 0, 65, -EPERM },
		{ "longest paths", 0, GAPP_MAX_STACK, -EPERM },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++) {
		struct gapp_config config = s_config(GAPP_UNWIND_BY_AUTO);
		int fd = t_open();

		config.stack_copy_bytes = bounds[i].stack_copy_bytes;
		config.max_stack = bounds[i].max_stack;
		t_expect(t_ioctl(fd, GAPP_IOC_CONFIGURE, &config), bounds[i].wanted, "CONFIGURE %s",
			 bounds[i].name);
		close(fd);
	}
}

/* After a walk that took long there is none for a while: on a slow machine many do. */
static void step_rested(struct seen *seen)
{
	t_sleep(NSEC_PER_SEC / 2);
	s_step(seen);
}

static void own_target(pid_t roots, pid_t others)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_AUTO);
	struct gapp_mapping map = { .begin = 4096, .end = 8192 };
	u64 frames[F_FRAMES];
	struct f_scene scene;
	struct seen *seen;
	u32 image = 1;

	f_make(&scene);
	f_frames(&scene, frames);
	seen = s_follow(&config, &scene);
	step_rested(seen);
	s_expect_tail(seen, "an own process: its stack goes along");
	s_tell(seen, &scene);
	step_rested(seen);
	s_expect(seen, seen->slice.path, frames, F_FRAMES,
		 GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE, "its path is walked by a table");
	t_expect(f_set(seen->fd, roots, &image, NULL, 0), -ESRCH, "root's process: its image");
	t_expect(f_set(seen->fd, roots, &image, &map, 1), -ESRCH, "root's process: SET_MAPS");
	t_expect(f_set(seen->fd, others, &image, &map, 1), -ESRCH, "another user's: SET_MAPS");
	t_expect(f_set(seen->fd, 1, &image, &map, 1), -ESRCH, "init: SET_MAPS");
	s_good(seen, "all records make sense");
	s_end(seen);
	f_unmake(&scene);
}

/* Once it may not be dumped, nothing of its memory goes along. */
static void hidden(enum gapp_unwind_by calls, u32 flags, const char *name)
{
	struct gapp_config config = s_config(calls);
	struct f_scene scene;
	struct seen *seen;
	u64 tails;

	f_make(&scene);
	config.flags = flags;
	seen = s_follow(&config, &scene);
	step_rested(seen);
	t_check(seen->slice.path != GAPP_PATH_NONE, "while it may be dumped it has a path", " ");
	/* It does this without end, until it is to sleep. */
	scene.stage->rdi = PR_SET_DUMPABLE;
	scene.stage->rsi = 0;
	scene.stage->number = SYS_prctl;
	t_tell(&seen->child);
	t_sleep(NSEC_PER_SEC / 2);
	scene.stage->unmap_bytes = NSEC_PER_SEC / 2;
	scene.stage->rdi = (uintptr_t)&scene.stage->unmap_at;
	scene.stage->number = SYS_nanosleep;
	s_read(seen);
	s_wait(seen);
	tails = seen->tails;
	s_wait(seen);
	t_check(seen->slice.path == GAPP_PATH_NONE && seen->tails == tails, name,
		"path %#x, %llu tails", seen->slice.path, seen->tails - tails);
	s_good(seen, "all records make sense");
	s_end(seen);
	f_unmake(&scene);
}

void restricted_tables(pid_t roots, pid_t others)
{
	bounds();
	limit();
	held();
	own_target(roots, others);
	hidden(GAPP_UNWIND_BY_AUTO, 0, "auto: a process that may not be dumped has no paths");
	hidden(GAPP_UNWIND_BY_COPY, 0, "copy: nor is its stack copied");
	hidden(GAPP_UNWIND_BY_TABLE, GAPP_CONFIG_VERIFY, "verify: nor to compare");
}
