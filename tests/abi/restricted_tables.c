// SPDX-License-Identifier: GPL-2.0
#include "restricted_tables.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "seen.h"

/* A table of this many pages with a row for each address has a quarter of what a user may have. */
/* As many as a user may have. */
#define SAMPLES_HZ 1000
#define PAGES (GAPP_MAX_TABLE_BYTES_RESTRICTED / 4 / GAPP_TABLE_PAGE / sizeof(struct gapp_row) - 1)
/* Of all tables, as the module is loaded for this: users may have 20 MiB of it. */
#define TABLE_MIB 40

/* Nobody accounts to him for it, so it is little. */
static void limit(void)
{
	struct gapp_table_head *head;
	struct f_table small = f_table();
	int fd = f_ready(), other = f_ready();
	u64 bytes;

	head = f_large(PAGES, 1, &bytes);
	for (int i = 1; i <= 4; i++)
		t_check(f_load_marked(fd, head, bytes, i) == i, "a quarter of what a user may load",
			"number %d is not loaded", i);
	t_expect(f_load_marked(fd, head, bytes, 5), -ENOSPC, "more than a user may load");
	t_check(f_load(fd, &small, sizeof(small)) == 5, "a small one finds room", "it does not");
	t_check(f_load_marked(other, head, bytes, 5) == 1, "another session of his has room",
		"it has not");
	t_check(6 * bytes > TABLE_MIB << 19 && f_load_marked(other, head, bytes, 6) == -ENOSPC,
		"users leave others half of all there is", "%llu bytes too many are loaded", bytes);
	close(other);
	close(fd);
	free(head);
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

/* After a walk that took long there is none for a while, and no path: then this is not of interest.
 */
static void step_rested(struct seen *seen)
{
	do
		s_step(seen);
	while (seen->slice.path == GAPP_PATH_NONE);
}

static void own_target(pid_t roots, pid_t others)
{
	struct gapp_config config = s_config(GAPP_UNWIND_BY_AUTO);
	struct gapp_mapping map = { .begin = 4096, .end = 8192 };
	struct s_test test;
	struct seen *seen;
	u32 image = 1;

	s_make(&test, &config, f_start);
	seen = test.seen;
	step_rested(seen);
	s_expect_tail(seen, "an own process: its stack goes along");
	s_tell(seen, &test.scene);
	step_rested(seen);
	s_expect(seen, seen->slice.path, test.frames, F_FRAMES,
		 GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE, "its path is walked by a table");
	t_expect(f_set(seen->fd, roots, &image, NULL, 0), -ESRCH, "root's process: its image");
	t_expect(f_set(seen->fd, roots, &image, &map, 1), -ESRCH, "root's process: SET_MAPS");
	t_expect(f_set(seen->fd, others, &image, &map, 1), -ESRCH, "another user's: SET_MAPS");
	t_expect(f_set(seen->fd, 1, &image, &map, 1), -ESRCH, "init: SET_MAPS");
	s_unmake(&test);
}

/* Once it may not be dumped, nothing of its memory and registers goes along. */
static void hidden(enum gapp_unwind_by calls, u32 flags, const char *name)
{
	struct gapp_config config = s_config(calls);
	struct s_test test;
	struct f_stage *stage;
	const __u64 *args;
	struct seen *seen;
	u64 tails;

	config.flags = flags;
	config.rate_hz = SAMPLES_HZ;
	s_make(&test, &config, f_start);
	stage = test.scene.stage;
	seen = test.seen;
	step_rested(seen);
	t_check(seen->slice.path != GAPP_PATH_NONE && seen->slice.syscall >= 0,
		"while it may be dumped it has a path and a system call", "system call %d",
		seen->slice.syscall);
	/* It does this without end, until it is to sleep. */
	stage->rdi = PR_SET_DUMPABLE;
	stage->rsi = 0;
	stage->number = SYS_prctl;
	seen->in_kernel = 0;
	seen->in_call = 0;
	seen->hidden = 0;
	t_tell(&seen->child);
	t_sleep(NSEC_PER_SEC / 2);
	stage->unmap_bytes = NSEC_PER_SEC / 2;
	stage->rdi = (uintptr_t)&stage->unmap_at;
	stage->number = SYS_nanosleep;
	s_read(seen);
	s_wait(seen);
	tails = seen->tails;
	s_wait(seen);
	t_check(seen->slice.path == GAPP_PATH_NONE && seen->tails == tails, name,
		"path %#x, %llu tails", seen->slice.path, seen->tails - tails);
	args = seen->slice.args;
	t_check(seen->slice.syscall == -1 && !args[0] && !args[1] && !args[2],
		"nor is its system call told", "%d(%#llx, %#llx, %#llx)", seen->slice.syscall,
		args[0], args[1], args[2]);
	/* the first ones may hit the first call before that has forbidden it */
	t_check(seen->hidden > S_SETTLED && !seen->in_call, "nor those that samples hit",
		"%llu of %llu samples in the kernel, %llu without a call", seen->in_call,
		seen->in_kernel, seen->hidden);
	s_unmake(&test);
}

void restricted_tables(pid_t roots, pid_t others)
{
	limit();
	held();
	own_target(roots, others);
	hidden(GAPP_UNWIND_BY_AUTO, 0, "auto: a process that may not be dumped has no paths");
	hidden(GAPP_UNWIND_BY_COPY, 0, "copy: nor is its stack copied");
	hidden(GAPP_UNWIND_BY_TABLE, GAPP_CONFIG_VERIFY, "verify: nor to compare");
}
