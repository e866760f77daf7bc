// SPDX-License-Identifier: GPL-2.0
#include "watched.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RATE_HZ 100
#define PATIENCE_NS (60 * NSEC_PER_SEC)
#define PAGE 4096ULL
/* Number of the instruction pointer among the registers of a stack copy. */
#define INSTRUCTION_POINTER 16

/*
 * Stores into the first 4 bytes of @word. Not cloned: the labels are there once. It leaves a frame,
 * so that the path goes on to its caller.
 */
__attribute__((noinline, noclone)) void w_put(struct w_scene *scene, u64 *word, u32 value)
{
	scene->from = (uintptr_t)__builtin_return_address(0);
	asm volatile(".globl t_put_begin, t_put_end\n"
		     "t_put_begin:\n"
		     "	movl %1, (%0)\n"
		     "t_put_end:\n"
		     :
		     : "r"(word), "r"(value)
		     : "memory");
}

void w_stay_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		t_die("sched_setaffinity");
}

void w_visit(struct w_scene *scene)
{
	w_stay_on(scene->next_cpu);
	t_sleep(NSEC_PER_MSEC);
	w_stay_on(scene->cpu);
	t_sleep(NSEC_PER_MSEC);
}

void w_store(struct w_scene *scene)
{
	scene->tid = t_gettid();
	for (u32 i = 0; i < scene->count; i++) {
		if (scene->pause_ns)
			t_sleep(scene->pause_ns);
		scene->begin_ns[i] = t_now();
		w_put(scene, &scene->word, scene->value[i]);
		scene->end_ns[i] = t_now();
	}
}

static void *stores(void *scene)
{
	w_store(scene);
	return NULL;
}

void w_store_in_thread(struct w_scene *scene)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, stores, scene);
	if (errno)
		t_die("pthread_create");
	pthread_join(thread, NULL);
}

static void acts(struct t_child *parent, void *arg)
{
	struct w_scene *scene = arg;

	w_stay_on(scene->cpu);
	t_tell(parent);
	for (;;) {
		t_hear(parent);
		scene->act(scene);
		t_tell(parent);
	}
}

u32 w_cpus(int *cpus)
{
	cpu_set_t set;
	u32 count = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		t_die("sched_getaffinity");
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[count++] = cpu;
	return count;
}

static struct w_scene *make_scene(void)
{
	struct w_scene *scene = mmap(NULL, sizeof(*scene), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static int cpus[CPU_SETSIZE];

	if (scene == MAP_FAILED)
		t_die("mmap");
	memset(scene, 0, sizeof(*scene));
	scene->next_cpu = cpus[w_cpus(cpus) - 1];
	scene->cpu = cpus[0];
	scene->count = 20;
	for (u32 i = 0; i < W_STORES; i++)
		scene->value[i] = 1000 + i;
	return scene;
}

struct gapp_config w_config(enum gapp_unwind_by by)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);

	config.flags = GAPP_CONFIG_SPINS;
	config.unwind_by = by;
	config.rate_hz = RATE_HZ;
	return config;
}

void w_map(int fd, pid_t pid)
{
	struct gapp_mapping mapping = {
		.begin = (uintptr_t)__executable_start & ~(PAGE - 1),
		.end = ((uintptr_t)etext + PAGE - 1) & ~(PAGE - 1),
	};
	struct gapp_mappings maps = { .pid = pid };

	errno = -t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &maps);
	maps.maps = (uintptr_t)&mapping;
	maps.count = 1;
	if (!errno)
		errno = -t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &maps);
	if (errno)
		t_die("SET_MAPPINGS");
}

/* A path that ends in a stack copy begins in what was unwound before, or in its registers. */
static void see_path(struct w_test *test, struct w_seen *seen)
{
	const struct gapp_path *path;
	u32 number = seen->record.path;
	const u64 *frames;

	seen->has_path = number != GAPP_PATH_NONE;
	if (seen->has_path && number & GAPP_PATH_COPY &&
	    (number & ~GAPP_PATH_COPY) == test->copy.copy) {
		number = test->copy.path;
		seen->frames[0] = test->copy.registers[INSTRUCTION_POINTER];
	}
	frames = r_frames(&test->reader, number, &path);
	for (u16 i = 0; frames && i < path->words && i < ARRAY_SIZE(seen->frames); i++)
		seen->frames[i] = frames[i];
}

static void see(const struct gapp_record *record, void *arg)
{
	struct w_test *test = arg;

	if (record->type == GAPP_RECORD_STACK_COPY)
		memcpy(&test->copy, record, sizeof(test->copy));
	if (record->type != GAPP_RECORD_STORE)
		return;
	if (test->count < W_SEEN) {
		struct w_seen *seen = &test->seen[test->count];

		memset(seen, 0, sizeof(*seen));
		memcpy(&seen->record, record, sizeof(seen->record));
		see_path(test, seen);
	}
	test->count++;
}

void w_begin(struct w_test *test, const struct gapp_config *config, u32 add_flags)
{
	memset(test, 0, sizeof(*test));
	test->scene = make_scene();
	test->child = t_fork(acts, test->scene);
	t_hear(&test->child);
	test->fd = t_session(config);
	r_open(&test->reader, test->fd);
	test->reader.see = see;
	test->reader.arg = test;
	errno = -t_add(test->fd, test->child.pid, add_flags);
	if (!errno)
		errno = -t_start(test->fd);
	if (errno)
		t_die("START");
	if (config->unwind_by == GAPP_UNWIND_BY_TABLE || config->unwind_by == GAPP_UNWIND_BY_AUTO)
		w_map(test->fd, test->child.pid);
	/* stores are seen on CPUs on which it has run */
	w_act(test, w_visit);
}

void w_end(struct w_test *test)
{
	r_drain(&test->reader);
	t_check(!test->reader.tally.bad && r_tails_came(&test->reader), "all records make sense",
		"%llu do not: %s", test->reader.tally.bad, test->reader.tally.why);
	r_close(&test->reader);
	close(test->fd);
	t_kill(&test->child);
	munmap(test->scene, sizeof(*test->scene));
}

struct gapp_watch w_usual(const struct w_test *test)
{
	return (struct gapp_watch){
		.address = (uintptr_t)&test->scene->word,
		.pid = test->child.pid,
		.time_ns = GAPP_WATCH_MAX_NS,
		.stores = GAPP_WATCH_MAX_STORES,
		.bytes = 4,
	};
}

int w_watch(int fd, const struct gapp_watch *watch)
{
	struct gapp_watch copy = *watch;

	return t_ioctl(fd, GAPP_IOC_WATCH, &copy);
}

int w_watch_nothing(int fd)
{
	const struct gapp_watch nothing = { 0 };

	return w_watch(fd, &nothing);
}

void w_act(struct w_test *test, void (*act)(struct w_scene *scene))
{
	r_drain(&test->reader);
	test->count = 0;
	test->scene->act = act;
	t_tell(&test->child);
	t_hear(&test->child);
	r_drain(&test->reader);
}

/* Whether all stores of the act came before the watch could end. */
static bool in_time(const struct w_test *test, u64 end_ns)
{
	for (u32 i = 0; i < test->scene->count; i++)
		if (!test->scene->end_ns[i] || test->scene->end_ns[i] >= end_ns)
			return false;
	return true;
}

/* The machine may have other things to do for longer than a watch lasts: then once more. */
void w_act_watched(struct w_test *test, const struct gapp_watch *watch,
		   void (*act)(struct w_scene *scene))
{
	const u64 end = t_now() + PATIENCE_NS;

	while (t_now() < end) {
		const u64 begin_ns = t_now();

		errno = -w_watch(test->fd, watch);
		if (errno)
			t_die("WATCH");
		memset(test->scene->end_ns, 0, sizeof(test->scene->end_ns));
		w_act(test, act);
		w_watch_nothing(test->fd);
		if (in_time(test, begin_ns + watch->time_ns))
			return;
	}
	errno = ETIMEDOUT;
	t_die("stores while a word is watched");
}

int w_call_watched(struct w_test *test, int (*call)(void *arg), void *arg)
{
	const struct gapp_watch watch = w_usual(test);
	const u64 end = t_now() + PATIENCE_NS;

	while (t_now() < end) {
		const u64 begin_ns = t_now();
		int ret;

		errno = -w_watch(test->fd, &watch);
		if (errno)
			t_die("WATCH");
		ret = call(arg);
		if (t_now() < begin_ns + watch.time_ns)
			return ret;
	}
	errno = ETIMEDOUT;
	t_die("a call while a word is watched");
	return 0;
}

static int breakpoint(int cpu)
{
	static u64 word;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&word,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.disabled = 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

u32 w_hold(struct w_held *held, int cpu, u32 most)
{
	u32 count = 0;

	while (count < most) {
		int fd = breakpoint(cpu);

		if (fd < 0 && errno == ENOSPC)
			break;
		if (fd < 0)
			t_die("perf_event_open");
		held->fds[held->count++] = fd;
		count++;
	}
	return count;
}

void w_let_go(struct w_held *held)
{
	while (held->count)
		close(held->fds[--held->count]);
}

u32 w_unused(int cpu)
{
	static struct w_held held;
	u32 count = w_hold(&held, cpu, W_BREAKPOINTS);

	w_let_go(&held);
	return count;
}

bool w_all_unused(void)
{
	static int cpus[CPU_SETSIZE];
	u32 count = w_cpus(cpus);

	for (u32 i = 0; i < count; i++)
		if (w_unused(cpus[i]) < W_BREAKPOINTS)
			return false;
	return true;
}

bool w_soon_unused(void)
{
	const u64 end = t_now() + PATIENCE_NS;

	while (!w_all_unused()) {
		if (t_now() > end)
			return false;
		t_sleep(NSEC_PER_MSEC);
	}
	return true;
}
