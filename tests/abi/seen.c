// SPDX-License-Identifier: GPL-2.0
#include "seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "busy.h"

#define PATIENCE_NS (20 * NSEC_PER_SEC)
/* A process that goes on instead of sleeping again is not waited for any longer. */
#define SETTLES_NS (500 * NSEC_PER_MSEC)
/* A host that takes the CPU away in a walk or copy uses up the time for the next ones. */
#define RESTS_NS (20 * NSEC_PER_MSEC)
#define MOST_AGAIN 5

/* Rings are read CPU by CPU, so records of a thread that changed its CPU do not come in order. */
static void see_samples(struct seen *seen, const struct gapp_record_slice *slice)
{
	const s32 *in = r_samples_in(slice);
	bool hides = seen->hidden && slice->begin_ns >= seen->hidden_ns;

	for (unsigned int i = 0; i < slice->sample_count; i++) {
		seen->in_kernel += in[i] != GAPP_IN_USER;
		seen->in_call += in[i] >= 0 && hides;
		if (in[i] != GAPP_IN_UNKNOWN)
			continue;
		if (!seen->hidden++ || slice->head.time_ns < seen->hidden_ns)
			seen->hidden_ns = slice->head.time_ns;
		hides = true;
	}
}

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct gapp_record_stack_copy *tail = (const void *)record;
	const struct gapp_record_need_mapping *need = (const void *)record;
	struct seen *seen = arg;

	switch (record->type) {
	case GAPP_RECORD_SLICE:
		if (seen->tid && slice->tid != seen->tid)
			break;
		see_samples(seen, slice);
		if (slice->then != GAPP_THEN_WAIT)
			break;
		seen->slice = *slice;
		seen->slices++;
		break;
	case GAPP_RECORD_STACK_COPY:
		if (seen->tid && tail->tid != seen->tid)
			break;
		seen->tail = *tail;
		memcpy(seen->stack, tail + 1, tail->stack_bytes);
		seen->tails++;
		break;
	case GAPP_RECORD_NEED_MAPPING:
		if (seen->tid && need->tgid != seen->tid)
			break;
		seen->need = *need;
		seen->needmaps++;
		seen->awaited_came |= need->address == seen->awaited;
		break;
	}
}

struct gapp_config s_config(enum gapp_unwind_by calls)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);

	config.unwind_by = calls;
	return config;
}

struct seen *s_follow_body(const struct gapp_config *config,
			   void (*run)(struct t_child *parent, void *arg), void *arg)
{
	struct seen *seen = calloc(1, sizeof(*seen));

	if (!seen)
		t_die("memory");
	seen->child = t_fork(run, arg);
	seen->tid = seen->child.pid;
	t_hear(&seen->child);
	if (run != busy_storm) /* it never is */
		t_settled(seen->child.pid);
	seen->fd = t_session(config);
	r_open(&seen->reader, seen->fd);
	seen->reader.see = see;
	seen->reader.arg = seen;
	errno = -t_add(seen->fd, seen->child.pid, 0);
	if (!errno)
		errno = -t_start(seen->fd);
	if (errno)
		t_die("START");
	return seen;
}

struct seen *s_follow(const struct gapp_config *config, struct f_scene *scene)
{
	return s_follow_body(config, f_sits, scene);
}

void s_executes(struct t_child *parent, void *unused)
{
	/* takes a while to be put into the new memory, before the exec is told of */
	static char *environment[20001];
	char fd[16];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(environment) - 1; i++)
		environment[i] = "";
	t_tell(parent);
	t_hear(parent);
	snprintf(fd, sizeof(fd), "%d", dup(parent->to));
	execle("/proc/self/exe", "abi_test", "--tell", fd, NULL, environment);
	_exit(1);
}

void s_end(struct seen *seen)
{
	t_kill(&seen->child);
	r_close(&seen->reader);
	close(seen->fd);
	free(seen);
}

u32 s_tell(struct seen *seen, const struct f_scene *scene)
{
	struct f_table table = f_table();
	int number = f_load(seen->fd, &table, sizeof(table));

	errno = number < 0 ? -number : -f_tell(seen->fd, seen->child.pid, scene, number);
	if (errno)
		t_die("a table for the functions");
	return number;
}

void s_read(struct seen *seen)
{
	r_drain(&seen->reader);
}

void s_wait(struct seen *seen)
{
	u64 before = seen->slices, end = t_now() + PATIENCE_NS;

	for (;;) {
		s_read(seen);
		if (seen->slices != before)
			return;
		if (t_now() > end)
			break;
		t_sleep(NSEC_PER_MSEC / 4);
	}
	errno = ETIMEDOUT;
	t_die("no slice comes");
}

/*
 * With PREEMPT_RT a thread that is woken may first sleep for a lock of who woke it, which is a
 * slice too: the one that is meant is the last one, when the process has read the word and sleeps
 * again.
 */
static void settle(struct seen *seen)
{
	const u64 end = t_now() + SETTLES_NS;
	int unread = 0;

	while (t_now() < end &&
	       (ioctl(seen->child.to, FIONREAD, &unread) || unread || !t_switched_out(seen->tid)))
		t_sleep(NSEC_PER_MSEC / 4);
	s_read(seen);
}

void s_step_once(struct seen *seen)
{
	s_read(seen);
	t_tell(&seen->child);
	s_wait(seen);
	settle(seen);
}

/* Paths and copies that were cut or left out. */
static u64 left_out(const struct seen *seen)
{
	struct gapp_counters counters;

	t_counters(seen->fd, &counters);
	return counters.lost[GAPP_LOST_PATHS_OVER_BUDGET] + counters.lost[GAPP_LOST_STACK_COPIES];
}

/* How many sessions ended, and in how many of them a step was done again. */
static u32 sessions, sessions_again;

void s_check_steps(void)
{
	if (sessions >= 10)
		t_check(sessions_again * 2 <= sessions, "steps are done again in few sessions only",
			"in %u of %u", sessions_again, sessions);
}

/* Few steps of a session are done again: losses that come again and again are seen. */
void s_step(struct seen *seen)
{
	for (;; seen->again++) {
		u64 before = left_out(seen);

		s_step_once(seen);
		if (left_out(seen) == before || seen->again == MOST_AGAIN)
			return;
		t_sleep(RESTS_NS);
	}
}

u64 s_step_to_tail(struct seen *seen)
{
	u64 before = seen->tails;

	for (int i = 0; i < MOST_AGAIN && seen->tails == before; i++) {
		t_sleep(RESTS_NS);
		s_step_once(seen);
	}
	return before;
}

static void print_frames(char *to, size_t room, const u64 *frames, u16 count)
{
	size_t length = 0;

	to[0] = '\0';
	for (u16 i = 0; i < count && length < room; i++)
		length += snprintf(to + length, room - length, " %llx", frames[i]);
}

void s_expect(struct seen *seen, u32 number, const u64 *frames, u16 count, u16 flags,
	      const char *name)
{
	const struct gapp_path *path = NULL;
	const u64 *found = r_frames(&seen->reader, number, &path);
	char is[200] = "", wanted[200];
	bool good = false;

	print_frames(wanted, sizeof(wanted), frames, count);
	if (found) {
		print_frames(is, sizeof(is), found, path->words);
		good = path->words == count && !memcmp(found, frames, count * sizeof(*frames)) &&
		       (path->flags & S_PATH_FLAGS) == flags;
	}
	t_check(good, name, "path %#x, flags %#x, not %#x:%s; not%s", number,
		found ? path->flags : 0, flags, is, wanted);
}

void s_expect_tail(struct seen *seen, const char *name)
{
	t_check(seen->tails && seen->slice.path == (GAPP_PATH_COPY | seen->tail.copy) &&
			seen->tail.head.time_ns <= seen->slice.head.time_ns &&
			seen->tail.image == seen->slice.image &&
			seen->tail.tgid == seen->slice.tgid && !seen->tail.flags,
		name, "path %#x; %llu tails, the last one %u, flags %#x, %lld ns before",
		seen->slice.path, seen->tails, seen->tail.copy, seen->tail.flags,
		seen->slice.head.time_ns - seen->tail.head.time_ns);
}

void s_good(struct seen *seen, const char *name)
{
	s_read(seen);
	t_check(!seen->reader.tally.bad && r_tails_came(&seen->reader), name,
		"%llu bad: %s; %u tails did not come", seen->reader.tally.bad,
		seen->reader.tally.why, seen->reader.tails_read.open_count);
}

void s_done(struct seen *seen, struct f_scene *scene)
{
	s_good(seen, "all records make sense");
	sessions++;
	sessions_again += !!seen->again;
	s_end(seen);
	f_unmake(scene);
}

void s_make(struct s_test *test, const struct gapp_config *config, const u8 *start)
{
	f_make(&test->scene);
	f_frames(&test->scene, test->frames);
	test->scene.start = start;
	test->seen = s_follow(config, &test->scene);
}

void s_unmake(struct s_test *test)
{
	s_done(test->seen, &test->scene);
}
