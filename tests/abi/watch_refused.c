// SPDX-License-Identifier: GPL-2.0
/* What WATCH refuses: values out of range, the wrong time, others' processes, no breakpoint. */
#include <unistd.h>

#include "groups.h"
#include "watched.h"

#define KTHREAD 2
#define NOBODY 0x7fffffff
#define KERNEL_ADDRESS 0xffff888000000000ULL

struct bad_watch {
	const char *name;
	struct gapp_watch watch;
};

#define WATCH(...)                                                                            \
	{                                                                                     \
		.address = 4096, .pid = 1, .time_ns = 1, .stores = 1, .bytes = 4, __VA_ARGS__ \
	}

static const struct bad_watch bad_watches[] = {
	{ "something reserved", WATCH(.reserved = 1) },
	{ "the last bit reserved", WATCH(.reserved = 0x8000) },
	{ "no bytes", WATCH(.bytes = 0) },
	{ "3 bytes", WATCH(.bytes = 3) },
	{ "16 bytes", WATCH(.bytes = 16) },
	{ "255 bytes", WATCH(.bytes = 255) },
	{ "2 bytes at an odd address", WATCH(.address = 4097, .bytes = 2) },
	{ "4 bytes at half of their address", WATCH(.address = 4098) },
	{ "8 bytes at half of their address", WATCH(.address = 4100, .bytes = 8) },
	{ "an address in the kernel", WATCH(.address = KERNEL_ADDRESS) },
	{ "the last address", WATCH(.address = ~0ULL, .bytes = 1) },
	{ "the last word", WATCH(.address = ~7ULL, .bytes = 8) },
	{ "no time", WATCH(.time_ns = 0) },
	{ "too long a time", WATCH(.time_ns = GAPP_WATCH_MAX_NS + 1) },
	{ "the longest time", WATCH(.time_ns = ~0U) },
	{ "no stores", WATCH(.stores = 0) },
	{ "too many stores", WATCH(.stores = GAPP_WATCH_MAX_STORES + 1) },
	{ "the most stores", WATCH(.stores = ~0U) },
	{ "an unknown way to go on", WATCH(.goes_on = GAPP_SPIN_WHILES) },
	{ "the last way to go on", WATCH(.goes_on = 255) },
	{ "a number, and no way to go on", WATCH(.number = 1) },
	{ "a process below 0", WATCH(.pid = -1) },
	{ "the lowest process", WATCH(.pid = -0x7fffffff - 1) },
	{ "nothing, at an address", { .address = 8 } },
	{ "nothing, for a time", { .time_ns = 1 } },
	{ "nothing, and stores", { .stores = 1 } },
	{ "nothing, of 4 bytes", { .bytes = 4 } },
	{ "nothing, and a way to go on", { .goes_on = 1 } },
	{ "nothing, and a number", { .number = 1 } },
	{ "nothing, and something reserved", { .reserved = 1 } },
};

static void refused(int fd)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad_watches); i++)
		t_expect(w_watch(fd, &bad_watches[i].watch), -EINVAL, "%s", bad_watches[i].name);
}

/* What is as small or as large as may be. */
static void extremes(struct w_test *test)
{
	const struct {
		const char *name;
		u64 address;
		u32 time_ns, stores;
		u8 bytes, goes_on;
		s64 number;
	} cases[] = {
		{ "the shortest time", 4096, 1, 1, 1, 0, 0 },
		{ "the longest time", 4096, GAPP_WATCH_MAX_NS, 1, 2, 0, 0 },
		{ "the most stores", 4096, 1000, GAPP_WATCH_MAX_STORES, 4, 0, 0 },
		{ "8 bytes at a high address", 0x7fffffffe000, 1000, 1, 8, 0, 0 },
		{ "address 0", 0, 1000, 1, 8, GAPP_SPIN_WHILE_EQUAL, 0 },
		{ "the last way to go on", 4097, 1000, 1, 1, GAPP_SPIN_WHILES - 1,
		  (s64)(1ULL << 63) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct gapp_watch watch = {
			.address = cases[i].address,
			.number = cases[i].number,
			.pid = test->child.pid,
			.time_ns = cases[i].time_ns,
			.stores = cases[i].stores,
			.goes_on = cases[i].goes_on,
			.bytes = cases[i].bytes,
		};

		t_expect(w_watch(test->fd, &watch), T_OK, "%s", cases[i].name);
	}
}

static void of_nobody(struct w_test *test)
{
	struct t_child other = t_fork(t_idle, NULL);
	const struct {
		const char *name;
		pid_t pid;
	} cases[] = {
		{ "a process that is not followed", other.pid },
		{ "the reader itself", getpid() },
		{ "init", 1 },
		{ "a kernel thread", KTHREAD },
		{ "nobody", NOBODY },
	};
	struct gapp_watch watch = w_usual(test);

	t_hear(&other);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		watch.pid = cases[i].pid;
		t_expect(w_watch(test->fd, &watch), -ESRCH, "%s", cases[i].name);
	}
	t_kill(&other);
	watch.pid = other.pid;
	t_expect(w_watch(test->fd, &watch), -ESRCH, "a process that has exited");
}

void watch_refused(void)
{
	struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	const struct gapp_watch valid = WATCH();
	struct w_test test;
	int fd = t_open();

	t_expect(w_watch(fd, &valid), -ENOTCONN, "before CONFIGURE");
	t_expect(w_watch_nothing(fd), -ENOTCONN, "nothing, before CONFIGURE");
	refused(fd);
	close(fd);
	fd = t_session(&config);
	t_expect(w_watch(fd, &valid), -ENOTCONN, "before START");
	close(fd);

	w_begin(&test, &config, 0);
	refused(test.fd);
	of_nobody(&test);
	extremes(&test);
	t_expect(t_stop(test.fd), T_OK, "STOP");
	t_expect(w_watch(test.fd, &valid), -ENOTCONN, "after STOP");
	t_expect(w_watch_nothing(test.fd), -ENOTCONN, "nothing, after STOP");
	refused(test.fd);
	w_end(&test);

	config.flags = 0;
	w_begin(&test, &config, 0);
	t_expect(w_watch(test.fd, &valid), -EINVAL, "without GAPP_CONFIG_SPINS");
	t_expect(w_watch_nothing(test.fd), -EINVAL, "nothing, without GAPP_CONFIG_SPINS");
	w_end(&test);
	t_check(w_all_unused(), "no breakpoint is used", "one is");
}

/* Others hold all breakpoints of a CPU, the last one on which the process has run. */
void watch_full(void)
{
	const struct gapp_config config = w_config(GAPP_UNWIND_BY_TABLE);
	static struct w_held held;
	struct gapp_watch watch;
	struct w_test test;

	w_begin(&test, &config, 0);
	watch = w_usual(&test);
	t_check(w_hold(&held, test.scene->next_cpu, W_BREAKPOINTS + 1) == W_BREAKPOINTS,
		"a CPU has four breakpoints", "it has %u", held.count);
	t_expect(w_watch(test.fd, &watch), -ENOSPC, "none is left");
	if (test.scene->cpu == test.scene->next_cpu)
		t_skip("no breakpoint of another CPU is used then", "there is only one");
	else
		t_check(w_unused(test.scene->cpu) == W_BREAKPOINTS,
			"no breakpoint of another CPU is used then", "%u are not",
			w_unused(test.scene->cpu));
	w_act(&test, w_store);
	t_check(!test.count, "and no store has a record", "%u have", test.count);
	close(held.fds[--held.count]);
	t_expect(w_watch(test.fd, &watch), T_OK, "one is left");
	w_let_go(&held);
	w_act_watched(&test, &watch, w_store);
	t_check(test.count == test.scene->count, "then each store has a record", "%u of %u have",
		test.count, test.scene->count);
	w_end(&test);
}
