// SPDX-License-Identifier: GPL-2.0
/*
 * How long a switch takes at most with eight sessions that follow processes whose stacks take as
 * long to walk as can be: by the module's own clock, and by the kernel's irqs-off tracer if that is
 * the current one. In a guest that counts instructions, where each takes a nanosecond.
 *
 * usage: longest root|user|without [DEVICE]
 * root: with call paths; user: the same, of a user without privilege; without: no call paths
 * DEVICE: address of memory that is not the kernel's
 */
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "deep.h"
#include "records.h"

#define SESSIONS 8
#define STEPS 12
#define USER 1000
#define USER_FRAMES 64
#define USER_COPY 4096
/* Eight sessions of a user have room in what the user may lock. */
#define USER_RING (128U << 10)
#define USER_PATHS 4096
#define USER_RATE_HZ 1000
/* The last target never waits: timers sample it. */
#define TARGETS (D_MEMORIES + 1)
#define TRACING "/sys/kernel/tracing/"

enum who { ROOT, AS_USER, WITHOUT };

/* What docs/safety.md promises: without call paths 5 us, and 1.1 us for each further session. */
static const unsigned int bounds_ns[] = {
	[ROOT] = 60000,
	[AS_USER] = 30000,
	[WITHOUT] = 5000 + 1100 * (SESSIONS - 1),
};

/* How a session finds call paths: each in another way, the longest there are. */
static const struct gapp_config ways[SESSIONS] = {
	{ .unwind_by = GAPP_UNWIND_BY_FP },
	{ .unwind_by = GAPP_UNWIND_BY_TABLE },
	{ .unwind_by = GAPP_UNWIND_BY_AUTO },
	{ .unwind_by = GAPP_UNWIND_BY_COPY },
	{ .unwind_by = GAPP_UNWIND_BY_TABLE, .flags = GAPP_CONFIG_VERIFY },
	{ .unwind_by = GAPP_UNWIND_BY_FP, .flags = GAPP_CONFIG_KERNEL_PATHS },
	{ .unwind_by = GAPP_UNWIND_BY_TABLE, .flags = GAPP_CONFIG_KERNEL_PATHS },
	{ .unwind_by = GAPP_UNWIND_BY_COPY, .flags = GAPP_CONFIG_KERNEL_PATHS },
};

static const char *const who_names[] = { "root", "user", "without" };

struct target {
	struct d_stack stack;
	struct t_child child;
	enum who who;
	bool busy;
	u64 paths;
	u64 too_long; /* paths with frames that are not here */
};

struct follower {
	int fd;
	struct r_reader reader;
	struct target *targets;
};

struct sums {
	u64 longest_ns;
	u64 late;
	u64 left_out;
	u64 copies;
	u64 unreadable;
	u64 samples;
	u64 bad;
};

/* The irqs-off tracer's files; -1 where another tracer is the current one. */
static struct {
	int on;
	int latency;
} tracer = { -1, -1 };

static int tracing(const char *name, int flags)
{
	char path[80];
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		t_die(path);
	return fd;
}

/* While this is root. */
static void tracer_open(void)
{
	char name[32] = "";
	int fd = tracing("current_tracer", O_RDONLY);

	if (read(fd, name, sizeof(name) - 1) < 0)
		t_die("current_tracer");
	close(fd);
	if (strcmp(name, "irqsoff\n"))
		return;
	tracer.on = tracing("tracing_on", O_WRONLY);
	tracer.latency = tracing("tracing_max_latency", O_RDWR);
}

static void put(int fd, const char *text)
{
	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		t_die("write to the tracer");
}

static unsigned long tracer_us(void)
{
	char text[32] = "";

	if (tracer.latency < 0)
		return 0;
	if (pread(tracer.latency, text, sizeof(text) - 1, 0) < 0)
		t_die("tracing_max_latency");
	return strtoul(text, NULL, 10);
}

static void become_user(void)
{
	if (setgroups(0, NULL) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		t_die("setresuid");
	if (prctl(PR_SET_DUMPABLE, 1))
		t_die("prctl");
}

static void sits(struct t_child *parent, void *arg)
{
	struct target *target = arg;
	int from = target->busy ? open("/dev/zero", O_RDONLY | O_CLOEXEC) : parent->from;

	if (from < 0)
		t_die("/dev/zero");
	d_prepare(&target->stack);
	if (target->who == AS_USER)
		become_user();
	t_tell(parent);
	d_sit(&target->stack, from);
}

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct follower *follower = arg;
	const struct gapp_path *path;

	if (record->type != GAPP_RECORD_SLICE || slice->then != GAPP_THEN_WAIT ||
	    !r_frames(&follower->reader, slice->path, &path))
		return;
	for (int i = 0; i < D_MEMORIES; i++) {
		struct target *target = &follower->targets[i];

		if (slice->tid != target->child.pid)
			continue;
		target->paths++;
		target->too_long += path->words > d_frames(&target->stack);
	}
}

static struct gapp_config config_of(enum who who, unsigned int way)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);

	config.ring_bytes = who == AS_USER ? USER_RING : GAPP_DEFAULT_RING;
	config.paths = who == AS_USER ? USER_PATHS : 0;
	config.rate_hz = who == AS_USER ? USER_RATE_HZ : GAPP_MAX_RATE_HZ;
	config.flags = GAPP_CONFIG_WAKERS;
	config.unwind_by = GAPP_UNWIND_BY_NONE;
	if (who == WITHOUT)
		return config;
	config.flags |= ways[way].flags;
	config.unwind_by = ways[way].unwind_by;
	config.max_stack = who == AS_USER ? USER_FRAMES : GAPP_MAX_STACK;
	if (config.unwind_by == GAPP_UNWIND_BY_AUTO || config.unwind_by == GAPP_UNWIND_BY_COPY ||
	    config.flags & GAPP_CONFIG_VERIFY)
		config.stack_copy_bytes = who == AS_USER ? USER_COPY : GAPP_MAX_STACK_COPY;
	return config;
}

static void follow(struct follower *follower, const struct gapp_config *config)
{
	const bool by_table = config->unwind_by == GAPP_UNWIND_BY_TABLE ||
			      config->unwind_by == GAPP_UNWIND_BY_AUTO;
	struct d_tables tables;

	follower->fd = t_session(config);
	if (by_table)
		d_load(follower->fd, &tables);
	for (int i = 0; i < TARGETS; i++) {
		const struct target *target = &follower->targets[i];

		errno = -t_add(follower->fd, target->child.pid, 0);
		if (!errno && by_table)
			errno = -d_tell(follower->fd, target->child.pid, &target->stack, &tables);
		if (errno)
			t_die("a target");
	}
	r_open(&follower->reader, follower->fd);
	follower->reader.see = see;
	follower->reader.arg = follower;
}

/*
 * All targets run and wait again, some times; the rings are read meanwhile. The tracer does not
 * look then: where the kernel gives the reader pages, interrupts are off for long without gapp.
 */
static void steps(struct follower *followers, struct target *targets)
{
	for (int step = 0; step < STEPS; step++) {
		put(tracer.on, "1");
		for (int i = 0; i < D_MEMORIES; i++)
			t_tell(&targets[i].child);
		t_sleep(5 * NSEC_PER_MSEC);
		put(tracer.on, "0");
		for (int i = 0; i < SESSIONS; i++)
			r_drain(&followers[i].reader);
	}
}

static void add_up(struct sums *sums, struct follower *follower)
{
	struct gapp_counters counters;

	t_counters(follower->fd, &counters);
	if (counters.longest_ns > sums->longest_ns)
		sums->longest_ns = counters.longest_ns;
	sums->late += counters.lost[GAPP_LOST_PATHS_OVER_BUDGET];
	sums->left_out += counters.lost[GAPP_LOST_RECORDS_OVER_BUDGET];
	sums->copies += counters.stack_copies;
	sums->unreadable += counters.lost[GAPP_LOST_UNREADABLE];
	sums->samples += counters.samples;
	sums->bad += follower->reader.tally.bad;
}

/* Eight sessions, of which another one is the first; @run: with the sessions running. */
static void one_round(struct target *targets, enum who who, int first, bool run, struct sums *sums)
{
	static struct follower followers[SESSIONS];

	for (int i = 0; i < SESSIONS; i++) {
		const struct gapp_config config = config_of(who, (first + i) % SESSIONS);

		followers[i].targets = targets;
		follow(&followers[i], &config);
		errno = run ? -t_start(followers[i].fd) : 0;
		if (errno)
			t_die("START");
	}
	steps(followers, targets);
	for (int i = 0; i < SESSIONS; i++) {
		errno = run ? -t_stop(followers[i].fd) : 0;
		if (errno)
			t_die("STOP");
		add_up(sums, &followers[i]);
		r_close(&followers[i].reader);
		close(followers[i].fd);
	}
}

static void judge_tracer(enum who who, unsigned long without_us, unsigned long with_us)
{
	const unsigned long bound_us = (bounds_ns[who] + 999) / 1000;
	const char *name = "by the irqs-off tracer interrupts are not off for longer";

	if (tracer.on < 0) {
		t_skip(name, "it is not the current tracer");
		return;
	}
	printf("# longest %s: by the irqs-off tracer %lu us, without a session running %lu us\n",
	       who_names[who], with_us, without_us);
	t_check(with_us <= without_us + bound_us, name, "%lu us, %lu us without, bound %lu",
		with_us, without_us, bound_us);
}

static void judge(struct target *targets, enum who who, const struct sums *sums)
{
	u64 paths = 0, too_long = 0;

	t_check(!sums->bad, "all records make sense", "%llu do not", sums->bad);
	t_check(sums->samples, "there are samples", "%llu", sums->samples);
	for (int i = 0; i < D_MEMORIES; i++) {
		paths += targets[i].paths;
		too_long += targets[i].too_long;
	}
	printf("# longest %s: by the module's own clock %llu ns; %llu paths were late or left out, %llu found; %llu records were left out\n",
	       who_names[who], sums->longest_ns, sums->late, paths, sums->left_out);
	t_check(sums->longest_ns <= bounds_ns[who],
		"by the module's own clock a switch takes no longer", "%llu ns, bound %u ns",
		sums->longest_ns, bounds_ns[who]);
	if (who == WITHOUT) {
		t_check(!sums->late && !paths, "no path is missed where none is asked for",
			"%llu late, %llu paths", sums->late, paths);
		return;
	}
	t_check(sums->late && sums->copies && paths, "there was more to do than time",
		"%llu late, %llu copies, %llu paths", sums->late, sums->copies, paths);
	t_check(!too_long && sums->unreadable, "nothing is read that is not here, or a device's",
		"%llu paths go on, %llu end", too_long, sums->unreadable);
}

static void begin(struct target *target, enum who who, enum d_memory memory, u64 device)
{
	target->who = who;
	d_make(&target->stack, memory, device);
	target->child = t_fork(sits, target);
	t_hear(&target->child);
}

static void make(struct target *target, enum who who, enum d_memory memory, u64 device)
{
	char name[100];

	begin(target, who, memory, device);
	t_settled(target->child.pid);
	snprintf(name, sizeof(name), "a stack in %s", d_names[memory]);
	if (target->stack.why[0])
		t_skip(name, target->stack.why);
	else
		t_check(true, name, " ");
}

int main(int argc, char **argv)
{
	static struct target targets[TARGETS] = { [D_MEMORIES].busy = true };
	struct sums sums = { 0 }, none = { 0 };
	unsigned long without_us;
	char group[32];
	enum who who;

	for (who = ROOT; argc > 1 && who <= WITHOUT; who++)
		if (!strcmp(argv[1], who_names[who]))
			break;
	if (argc < 2 || argc > 3 || who > WITHOUT) {
		fprintf(stderr, "usage: longest root|user|without [DEVICE]\n");
		return 2;
	}
	snprintf(group, sizeof(group), "longest %s: ", who_names[who]);
	t_group = group;
	for (int i = 0; i < D_MEMORIES; i++)
		make(&targets[i], who, i, argc > 2 ? strtoull(argv[2], NULL, 0) : 0);
	begin(&targets[D_MEMORIES], who, D_PLAIN, 0);
	tracer_open();
	if (who == AS_USER)
		become_user();
	put(tracer.latency, "0");
	one_round(targets, who, 0, false, &none);
	without_us = tracer_us();
	put(tracer.latency, "0");
	for (int first = 0; first < SESSIONS; first++)
		one_round(targets, who, first, true, &sums);
	judge(targets, who, &sums);
	judge_tracer(who, without_us, tracer_us());
	for (int i = 0; i < TARGETS; i++)
		t_kill(&targets[i].child);
	return t_done();
}
