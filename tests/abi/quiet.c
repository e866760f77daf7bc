// SPDX-License-Identifier: GPL-2.0
/*
 * What sessions must not have the kernel do: patch its code at each of them, and queue the worker
 * for each thread that cannot join. Functions of the kernel count how often they are called, by the
 * kernel's own probes. Root, where tracefs is mounted.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "groups.h"
#include "t.h"

#define TRACING "/sys/kernel/tracing/"
#define ROUNDS 3
/* In pairs, so that more seats are vacant than there are kinds. */
#define PAIR 2
/* Both bounds need as many: those of threads and targets. */
#define MAX_TARGETS 16384
#define MORE 1000
/* The worker may have something to do now and then. */
#define FEW (MORE / 20)

/* Without stdio: it would look for the end of the file, which a file of tracefs does not have. */
static bool tell(const char *file, const char *format, const char *name)
{
	int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
	bool good = fd >= 0 && dprintf(fd, format, name, name) > 0;

	close(fd);
	return good;
}

/* A probe of the function counts its calls from now on. False: this kernel has no such probes. */
static bool count_calls(const char *function)
{
	char enable[128];

	snprintf(enable, sizeof(enable), TRACING "events/gapp_quiet/%s/enable", function);
	return tell(TRACING "kprobe_events", "p:gapp_quiet/%s %s\n", function) &&
	       tell(enable, "1\n", "");
}

static void count_no_more(const char *function)
{
	char enable[128];

	snprintf(enable, sizeof(enable), TRACING "events/gapp_quiet/%s/enable", function);
	tell(enable, "0\n", "");
	tell(TRACING "kprobe_events", "-:gapp_quiet/%s\n", function);
}

/* How often the function was called, or its probe was missed. */
static u64 calls_of(const char *function)
{
	FILE *file = fopen(TRACING "kprobe_profile", "r");
	unsigned long long hits, missed;
	char line[256], name[64];

	if (!file)
		t_die(TRACING "kprobe_profile");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %llu %llu", name, &hits, &missed) == 3 &&
		    !strcmp(name, function)) {
			fclose(file);
			return hits + missed;
		}
	}
	t_die(function);
	return 0;
}

/* What changes a static call, and the key of a tracepoint. */
static const char *const patching[] = { "arch_static_call_transform",
					"arch_jump_label_transform_queue" };

static u64 patches(void)
{
	u64 count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(patching); i++)
		count += calls_of(patching[i]);
	return count;
}

/* A session of each kind that has probes of its own. */
static const struct kind {
	enum gapp_level level;
	bool pathless;
	u32 flags;
} kinds[] = {
	{ GAPP_LEVEL_STATS, false, 0 },
	{ GAPP_LEVEL_CRITICAL, false, 0 },
	{ GAPP_LEVEL_TRACE, false, 0 },
	{ GAPP_LEVEL_TRACE, true, 0 },
	{ GAPP_LEVEL_CRITICAL, false, GAPP_CONFIG_WAKERS },
	{ GAPP_LEVEL_TRACE, false, GAPP_CONFIG_WAKERS },
	{ GAPP_LEVEL_TRACE, true, GAPP_CONFIG_WAKERS },
};

static int begin_one(const struct kind *kind, pid_t target)
{
	struct gapp_config config = t_config(kind->level);
	int fd;

	config.flags = kind->flags;
	if (kind->pathless)
		config.unwind_by = GAPP_UNWIND_BY_NONE;
	if (kind->level != GAPP_LEVEL_STATS)
		config.ring_bytes = GAPP_MIN_RING;
	fd = t_session(&config);
	if (t_add(fd, target, 0) || t_start(fd))
		t_die("START");
	return fd;
}

/* @at_once sessions of a kind, from their beginning to their end. */
static void run_some(const struct kind *kind, pid_t target, int at_once)
{
	int fds[PAIR];

	for (int i = 0; i < at_once; i++)
		fds[i] = begin_one(kind, target);
	for (int i = 0; i < at_once; i++)
		close(fds[i]);
}

/* Patches while sessions of all kinds come and go, @ROUNDS times. */
static u64 patches_of_rounds(pid_t target)
{
	u64 before;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		run_some(&kinds[i], target, PAIR);
	before = patches();
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
			run_some(&kinds[i], target, 1);
	return patches() - before;
}

static void check_patches(pid_t target)
{
	u64 count;

	/* longer than the test takes */
	t_set_parameter("keep_probes_s", "600");
	count = patches_of_rounds(target);
	t_check(!count, "sessions of all kinds by turns do not patch the kernel",
		"%llu patches by %zu sessions", count, ROUNDS * ARRAY_SIZE(kinds));
	/* or nothing was counted */
	count = patches();
	t_set_parameter("keep_probes_s", "0");
	for (int tries = 0; tries < 500 && patches() == count; tries++)
		t_sleep(10 * NSEC_PER_MSEC);
	t_check(patches() > count, "the end of their probes does", "no patch was seen");
	t_set_parameter("keep_probes_s", T_KEEP_PROBES_S);
}

void quiet_patches(void)
{
	struct t_child target;
	bool counts = true;

	for (size_t i = 0; i < ARRAY_SIZE(patching); i++)
		counts = counts && count_calls(patching[i]);
	if (counts) {
		target = t_fork(t_idle, NULL);
		t_hear(&target);
		check_patches(target.pid);
		t_kill(&target);
	} else {
		t_skip("sessions of all kinds by turns do not patch the kernel",
		       "this kernel cannot count its functions' calls");
	}
	for (size_t i = 0; i < ARRAY_SIZE(patching); i++)
		count_no_more(patching[i]);
}

/* The target: at each word so many processes, one after the other, that do nothing. */
static void begets(struct t_child *parent, void *arg)
{
	const volatile u32 *count = arg;

	t_tell(parent);
	for (;;) {
		t_hear(parent);
		for (u32 i = 0; i < *count; i++)
			t_brief_process();
		t_tell(parent);
	}
}

/* The function that queues the session's worker. */
static const char worker[] = "kick_worker";

/* Of MORE processes none can join: @first ones have filled the session before. */
static void check_bound(const struct gapp_config *config, u32 first, const char *name)
{
	u32 *count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			  -1, 0);
	struct gapp_status before, after;
	int fd = t_session(config), tries;
	struct t_child target;
	u64 kicks;

	if (count == MAP_FAILED)
		t_die("mmap");
	target = t_fork(begets, count);
	t_hear(&target);
	if (t_add(fd, target.pid, 0) || t_start(fd))
		t_die("START");
	/* some may come too early for the worker, and take no room */
	for (*count = first, tries = 0; tries < 100; *count = MORE / 10, tries++) {
		t_tell(&target);
		t_hear(&target);
		t_sleep(10 * NSEC_PER_MSEC);
		t_status(fd, &before);
		if (before.not_followed > before.not_followed_late)
			break;
	}
	kicks = calls_of(worker);
	*count = MORE;
	t_tell(&target);
	t_hear(&target);
	t_status(fd, &after);
	kicks = calls_of(worker) - kicks;
	t_check(after.not_followed == before.not_followed + MORE &&
			after.not_followed_late == before.not_followed_late,
		"the bound is reached", "%llu of %u are not followed, %u late",
		after.not_followed - before.not_followed, MORE,
		after.not_followed_late - before.not_followed_late);
	t_check(kicks < FEW, name, "it was queued %llu times for %u", kicks, MORE);
	close(fd);
	t_kill(&target);
	munmap(count, sizeof(*count));
}

void quiet_bounds(void)
{
	struct gapp_config threads = t_config(GAPP_LEVEL_STATS), targets = threads;

	if (!count_calls(worker)) {
		t_skip("at a bound no thread that cannot join queues the worker",
		       "this kernel cannot count its functions' calls");
		return;
	}
	threads.max_threads = 1;
	threads.max_exited = 0;
	check_bound(&threads, 10, "beyond max_threads nothing queues the worker");
	targets.flags = GAPP_CONFIG_PER_PROCESS;
	targets.max_exited = 0;
	check_bound(&targets, MAX_TARGETS, "beyond all targets nothing queues the worker");
	count_no_more(worker);
}
