// SPDX-License-Identifier: GPL-2.0
/*
 * EXACT: breakpoints at the exits of a busy-wait loop tell when a thread waits in it, where there
 * are hardly any samples. The loop is written here, so nothing of gapp-read is needed to find it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "exact_loop.h"
#include "groups.h"
#include "records.h"

#define ROUNDS 20
#define STAY_NS (20 * NSEC_PER_MSEC)
#define PASSES 1000
/*
 * Of what the threads note themselves: so much in all, or for each stay. An emulator takes far
 * longer than a processor for a breakpoint, unless each instruction takes as long.
 */
#define MOST_PERCENT_OFF 0.5
#define MOST_NS_OFF 200000ULL
#define EMULATED 10

/**
 * struct scene - memory that the process and the test share
 * @act: what the process does at the next word of the test; NULL: nothing more
 * @rounds: of what it does
 * @flags: what the second thread waits for
 * @noted_ns: how long it has waited on a CPU, by its own clock
 * @opcode: what is at the exit in a child that the process has forked
 */
struct scene {
	void (*act)(struct scene *scene);
	u32 rounds;
	int flags[ROUNDS];
	u64 noted_ns;
	u8 opcode;
};

/* How long the thread has run: while it waits for a CPU it does not spin. */
static u64 run_ns(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts))
		t_die("CLOCK_THREAD_CPUTIME_ID");
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static void *waits(void *arg)
{
	struct scene *scene = arg;

	for (u32 i = 0; i < scene->rounds; i++) {
		u64 begin = run_ns();

		x_look_until(&scene->flags[i]);
		scene->noted_ns += run_ns() - begin;
		t_sleep(NSEC_PER_MSEC);
	}
	return NULL;
}

/* A second thread waits for this one, which sleeps, so that samples see nobody else. */
static void lets_wait(struct scene *scene)
{
	pthread_t other;

	memset(scene->flags, 0, sizeof(scene->flags));
	scene->noted_ns = 0;
	errno = pthread_create(&other, NULL, waits, scene);
	if (errno)
		t_die("pthread_create");
	for (u32 i = 0; i < scene->rounds; i++) {
		t_sleep(STAY_NS);
		__atomic_store_n(&scene->flags[i], 1, __ATOMIC_RELEASE);
	}
	pthread_join(other, NULL);
}

/* Comes to the exit, and need not wait. */
static void passes(struct scene *scene)
{
	const int set = 1;
	u64 begin = run_ns();

	for (u32 i = 0; i < scene->rounds; i++)
		x_look_until(&set);
	scene->noted_ns = run_ns() - begin;
}

/* A child of the process has its code, and no breakpoint in it once it has come to one. */
static void forks(struct scene *scene)
{
	pid_t child = fork();

	if (child < 0)
		t_die("fork");
	if (!child) {
		passes(scene);
		scene->opcode = *(const volatile u8 *)t_exact_exit;
		_exit(0);
	}
	if (waitpid(child, NULL, 0) != child)
		t_die("waitpid");
}

static void waits_forever(struct scene *scene)
{
	(void)scene;
	x_look_until(&(const int){ 0 });
}

static void executes(struct scene *scene)
{
	(void)scene;
	execl("/bin/sleep", "sleep", "1000", (char *)NULL);
	t_die("/bin/sleep");
}

static void acts(struct t_child *parent, void *arg)
{
	struct scene *scene = arg;

	t_tell(parent);
	for (;;) {
		t_hear(parent);
		scene->act(scene);
		t_tell(parent);
	}
}

/**
 * struct test - a session that follows such a process, and has been started
 * @scene: of the process
 * @child: the process
 * @fd: the session
 * @reader: its records
 */
struct test {
	struct scene *scene;
	struct t_child child;
	int fd;
	struct r_reader reader;
};

static void begin(struct test *test)
{
	const struct gapp_config config = x_config();

	memset(test, 0, sizeof(*test));
	test->scene = mmap(NULL, sizeof(*test->scene), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (test->scene == MAP_FAILED)
		t_die("mmap");
	test->child = t_fork(acts, test->scene);
	t_hear(&test->child);
	test->fd = t_session(&config);
	r_open(&test->reader, test->fd);
	t_add(test->fd, test->child.pid, 0);
	t_expect(t_start(test->fd), T_OK, "START");
	x_map_all(test->fd, test->child.pid);
}

static void end(struct test *test)
{
	r_close(&test->reader);
	close(test->fd);
	t_kill(&test->child);
	munmap(test->scene, sizeof(*test->scene));
}

/* What the process has at the exit of its loop. */
static u8 opcode(const struct test *test)
{
	u8 byte;

	if (!x_opcode(test->child.pid, (uintptr_t)t_exact_exit, &byte))
		t_die("/proc/PID/mem");
	return byte;
}

static int exact(const struct test *test, struct gapp_exact exact)
{
	return x_exact(test->fd, &exact);
}

static struct gapp_exact usual(const struct test *test)
{
	return (struct gapp_exact){ .address = (uintptr_t)t_exact_begin,
				    .pid = test->child.pid,
				    .passes = GAPP_EXACT_MAX_PASSES };
}

static void order(struct test *test, void (*act)(struct scene *scene), u32 rounds)
{
	test->scene->act = act;
	test->scene->rounds = rounds;
	t_tell(&test->child);
}

static void act(struct test *test, void (*act)(struct scene *scene), u32 rounds)
{
	order(test, act, rounds);
	t_hear(&test->child);
}

static u64 spun_ns(const struct test *test)
{
	struct gapp_target_figures target;
	struct gapp_page page = { .buffer = (uintptr_t)&target, .capacity = 1 };

	t_expect(t_ioctl(test->fd, GAPP_IOC_TARGETS, &page), T_OK, "TARGETS");
	return target.spun_ns;
}

/* By the threads' own clock; without breakpoints a sample a second sees next to nothing. */
static void check_times(u64 most_ns_off)
{
	struct test test;
	u64 spun, noted, off, most;

	begin(&test);
	t_check(opcode(&test) == X_JUMP_IF_EQUAL, "no breakpoint before", "0x%x", opcode(&test));
	t_expect(exact(&test, usual(&test)), T_OK, "EXACT");
	t_check(opcode(&test) == X_BREAKPOINT, "a breakpoint is at the exit", "0x%x",
		opcode(&test));
	act(&test, lets_wait, ROUNDS);
	t_expect(exact(&test, usual(&test)), -EEXIST, "a loop that is timed exactly");
	t_expect(t_stop(test.fd), T_OK, "STOP");
	t_check(opcode(&test) == X_JUMP_IF_EQUAL, "and none after STOP", "0x%x", opcode(&test));
	spun = spun_ns(&test);
	noted = test.scene->noted_ns;
	off = spun > noted ? spun - noted : noted - spun;
	most = noted / 100 * MOST_PERCENT_OFF;
	if (most < ROUNDS * most_ns_off)
		most = ROUNDS * most_ns_off;
	t_check(noted >= ROUNDS * STAY_NS / 4 && off <= most, "it spun as long as it says itself",
		"%llu us, noted %llu us", spun / 1000, noted / 1000);
	printf("# it spun for %llu us, and says itself %llu us\n", spun / 1000, noted / 1000);
	r_drain(&test.reader);
	t_check(!test.reader.tally.bad, "all records make sense", "%llu do not: %s",
		test.reader.tally.bad, test.reader.tally.why);
	t_sums(test.fd, "sums are exact");
	t_recount(test.fd);
	end(&test);
}

void exact_times(void)
{
	if (x_skips("times of a loop that is timed exactly"))
		return;
	check_times(EMULATED * MOST_NS_OFF);
}

/* What a breakpoint costs who comes to it, where an instruction takes a nanosecond. */
static void print_cost(void)
{
	struct test test;
	u64 with, without;

	begin(&test);
	act(&test, passes, PASSES);
	without = test.scene->noted_ns;
	t_expect(exact(&test, usual(&test)), T_OK, "EXACT");
	act(&test, passes, PASSES);
	with = test.scene->noted_ns;
	t_check(opcode(&test) == X_BREAKPOINT, "all of them came to a breakpoint", "0x%x",
		opcode(&test));
	t_check(with > without, "which costs them something", "%llu ns, without %llu ns", with,
		without);
	printf("# a pass takes %llu instructions; without its breakpoint %llu\n", with / PASSES,
	       without / PASSES);
	end(&test);
}

void exact_counted(void)
{
	check_times(MOST_NS_OFF);
	print_cost();
}

/* Loops that are passed too often are given up, and others than the process have none. */
void exact_given_up(void)
{
	struct gapp_exact few;
	struct test test;

	if (x_skips("a loop that is given up"))
		return;
	begin(&test);
	few = usual(&test);
	few.passes = 10;
	t_expect(exact(&test, few), T_OK, "EXACT of a loop that few may pass");
	act(&test, passes, PASSES);
	t_check(opcode(&test) == X_JUMP_IF_EQUAL,
		"a loop that many pass has no breakpoint any more", "0x%x", opcode(&test));
	t_expect(exact(&test, few), -EDQUOT, "a loop that was given up");
	t_expect(exact(&test, (struct gapp_exact){ 0 }), T_OK, "EXACT of nothing");
	t_expect(exact(&test, usual(&test)), T_OK, "EXACT of that loop again");
	act(&test, forks, 1);
	t_check(test.scene->opcode == X_JUMP_IF_EQUAL, "nor has a child of the process", "0x%x",
		test.scene->opcode);
	t_check(opcode(&test) == X_BREAKPOINT, "the process still has it", "0x%x", opcode(&test));
	act(&test, passes, 1);
	t_expect(exact(&test, (struct gapp_exact){ 0 }), T_OK, "EXACT of nothing, again");
	t_check(opcode(&test) == X_JUMP_IF_EQUAL, "and then not any more", "0x%x", opcode(&test));
	act(&test, passes, PASSES);
	end(&test);
}

struct refusal {
	const char *name;
	struct gapp_exact exact;
	int error;
};

void exact_refused(void)
{
	struct test test;
	struct gapp_config config = x_config();

	begin(&test);
	{
		const struct refusal refusals[] = {
			{ "no passes", { usual(&test).address, test.child.pid, 0 }, -EINVAL },
			{ "too many passes",
			  { usual(&test).address, test.child.pid, GAPP_EXACT_MAX_PASSES + 1 },
			  -EINVAL },
			{ "a negative id", { usual(&test).address, -1, 1 }, -EINVAL },
			{ "nothing, with an address", { usual(&test).address, 0, 0 }, -EINVAL },
			{ "nothing, with passes", { 0, 0, 1 }, -EINVAL },
			{ "a process that is not followed",
			  { usual(&test).address, getpid(), 1 },
			  -ESRCH },
			{ "code in front of a loop",
			  { usual(&test).address - 1, test.child.pid, 1 },
			  -ENOENT },
			{ "no mapping", { 4096, test.child.pid, 1 }, -ENOENT },
		};

		for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
			t_expect(exact(&test, refusals[i].exact), refusals[i].error, "%s",
				 refusals[i].name);
	}
	t_expect(t_stop(test.fd), T_OK, "STOP");
	t_expect(exact(&test, usual(&test)), -ENOTCONN, "after STOP");
	close(test.fd);
	config.flags = 0;
	test.fd = t_session(&config);
	t_add(test.fd, test.child.pid, 0);
	t_expect(exact(&test, usual(&test)), -ENOTCONN, "before START");
	t_expect(t_start(test.fd), T_OK, "START");
	t_expect(exact(&test, usual(&test)), -EINVAL, "a session that knows no loops");
	end(&test);
}

/* Tables whose exits make no sense. */
struct bad_exits {
	const char *name;
	struct gapp_spin_head head; /* what is not as usual, besides those that say how many */
	struct gapp_spin_exit exits[2];
	u32 count; /* of exits that the head says there are */
};

#define AT(number) ((uintptr_t)t_exact_begin + (number))
#define EXIT(number, of_loop)                                      \
	{                                                          \
		AT(number), of_loop, 4, GAPP_SPIN_STAYS_JUMPING, 0 \
	}

void exact_tables(void)
{
	const u64 beyond = (uintptr_t)t_exact_end;
	const struct bad_exits bad[] = {
		{ "an exit in front of its ranges", { 0 }, { EXIT(-1, 0), EXIT(1, 1) }, 2 },
		{ "an exit behind its ranges",
		  { 0 },
		  { EXIT(0, 0), { beyond, 1, 4, GAPP_SPIN_STAYS, 0 } },
		  2 },
		{ "an exit twice", { 0 }, { EXIT(1, 0), EXIT(1, 0) }, 2 },
		{ "exits that are not sorted", { 0 }, { EXIT(1, 0), EXIT(0, 0) }, 2 },
		{ "loops that are not sorted", { 0 }, { EXIT(0, 1), EXIT(1, 0) }, 2 },
		{ "condition 16", { 0 }, { EXIT(0, 0), { AT(1), 0, 16, GAPP_SPIN_STAYS, 0 } }, 2 },
		{ "an exit where none stays", { 0 }, { EXIT(0, 0), { AT(1), 0, 4, 0, 0 } }, 2 },
		{ "an exit of a third way", { 0 }, { EXIT(0, 0), { AT(1), 0, 4, 4, 0 } }, 2 },
		{ "an exit with something reserved",
		  { 0 },
		  { EXIT(0, 0), { AT(1), 0, 4, GAPP_SPIN_STAYS, 1 } },
		  2 },
		{ "exits of version 3", { .version = 3 }, { EXIT(0, 0), EXIT(1, 0) }, 2 },
		{ "a word that is not zero", { .zero = 1 }, { EXIT(0, 0), EXIT(1, 0) }, 2 },
		{ "an exit less", { 0 }, { EXIT(0, 0), EXIT(1, 0) }, 1 },
		{ "an exit more", { 0 }, { EXIT(0, 0), EXIT(1, 0) }, 3 },
		{ "too many exits", { 0 }, { EXIT(0, 0), EXIT(1, 0) }, GAPP_SPIN_MAX_EXITS + 1 },
	};
	const struct gapp_config config = x_config();
	struct {
		struct gapp_spin_head head;
		struct gapp_spin_range range;
		struct gapp_spin_exit exits[2];
	} table;
	struct gapp_table_load load = { .data = (uintptr_t)&table, .bytes = sizeof(table) };
	int fd = t_session(&config);

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		table.head = x_table().head;
		table.head.exits = bad[i].count;
		table.head.version = bad[i].head.version ?: GAPP_SPIN_VERSION;
		table.head.zero = bad[i].head.zero;
		table.range = x_table().range;
		memcpy(table.exits, bad[i].exits, sizeof(table.exits));
		t_expect(t_ioctl(fd, GAPP_IOC_LOAD_TABLE, &load), -EINVAL, "a spin table with %s",
			 bad[i].name);
	}
	memcpy(table.exits, bad[ARRAY_SIZE(bad) - 1].exits, sizeof(table.exits));
	table.head.exits = ARRAY_SIZE(table.exits);
	t_expect(t_ioctl(fd, GAPP_IOC_LOAD_TABLE, &load), T_OK, "a spin table with two exits");
	close(fd);
}

/* Processes and sessions end in every way while a thread waits in such a loop. */
void exact_gone(void)
{
	if (x_skips("a process that ends while its loop is timed"))
		return;
	for (u32 i = 0; i < 16; i++) {
		struct test test;

		begin(&test);
		t_expect(exact(&test, usual(&test)), T_OK, "EXACT");
		order(&test, i % 8 == 7 ? executes : waits_forever, 1);
		t_sleep(3 * NSEC_PER_MSEC);
		if (i % 2)
			kill(test.child.pid, SIGKILL);
		t_sleep(NSEC_PER_MSEC);
		if (i % 4 > 1)
			t_expect(t_stop(test.fd), T_OK, "STOP");
		end(&test);
	}
}
