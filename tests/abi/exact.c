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

#include "exact.h"
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
/* The opcode of the exit, and what a breakpoint puts there. */
#define JUMP_IF_EQUAL 0x74
#define BREAKPOINT 0xcc

/* Waits until @flag is set, by nothing but looking. */
static __attribute__((noinline)) void look_until(const int *flag)
{
	asm volatile(".globl t_exact_begin, t_exact_exit, t_exact_end\n"
		     "t_exact_begin:\n"
		     "1:	pause\n"
		     "	cmpl $0, (%%rbx)\n"
		     "t_exact_exit:\n"
		     "	je 1b\n"
		     "t_exact_end:\n"
		     :
		     : "b"(flag)
		     : "memory", "cc");
}

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

		look_until(&scene->flags[i]);
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

	for (u32 i = 0; i < scene->rounds; i++)
		look_until(&set);
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
	look_until(&(const int){ 0 });
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

/* A spin table of the loop, whose address is that in memory: the bias is 0. */
struct loop {
	struct gapp_spin_head head;
	struct gapp_spin_range range;
	struct gapp_spin_exit exit;
};

static struct loop loop(void)
{
	return (struct loop){
		.head = { .magic = GAPP_SPIN_MAGIC,
			  .version = GAPP_SPIN_VERSION,
			  .arch = GAPP_ARCH_X86_64,
			  .ranges = 1,
			  .exits = 1 },
		.range = { .begin = (uintptr_t)t_exact_begin,
			   .bytes = t_exact_end - t_exact_begin },
		.exit = { .address = (uintptr_t)t_exact_exit,
			  .condition = JUMP_IF_EQUAL & 0xf,
			  .stays = GAPP_SPIN_STAYS_JUMPING },
	};
}

void exact_map(int fd, pid_t pid)
{
	const struct loop table = loop();
	struct gapp_table_load load = { .data = (uintptr_t)&table, .bytes = sizeof(table) };
	struct gapp_mapping mapping = {
		.begin = (uintptr_t)t_exact_begin & ~0xfffffULL,
		.end = ((uintptr_t)t_exact_begin | 0xfffffULL) + 1,
	};
	struct gapp_mappings maps = { .pid = pid };

	if (t_ioctl(fd, GAPP_IOC_LOAD_TABLE, &load))
		t_die("a spin table with exits");
	mapping.spins = load.table;
	if (t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &maps))
		t_die("SET_MAPPINGS, first");
	maps.maps = (uintptr_t)&mapping;
	maps.count = 1;
	if (t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &maps))
		t_die("SET_MAPPINGS");
}

static struct gapp_config config_of(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);

	config.flags = GAPP_CONFIG_SPINS | GAPP_CONFIG_WAITS;
	config.unwind_by = GAPP_UNWIND_BY_TABLE;
	config.rate_hz = 1;
	config.ring_bytes = GAPP_DEFAULT_RING;
	return config;
}

static void begin(struct test *test)
{
	const struct gapp_config config = config_of();

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
	exact_map(test->fd, test->child.pid);
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
	u8 byte = 0;
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", test->child.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &byte, 1, (uintptr_t)t_exact_exit) != 1)
		t_die(path);
	close(fd);
	return byte;
}

static int exact(const struct test *test, struct gapp_exact exact)
{
	return t_ioctl(test->fd, GAPP_IOC_EXACT, &exact);
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
	t_check(opcode(&test) == JUMP_IF_EQUAL, "no breakpoint before", "0x%x", opcode(&test));
	t_expect(exact(&test, usual(&test)), T_OK, "EXACT");
	t_check(opcode(&test) == BREAKPOINT, "a breakpoint is at the exit", "0x%x", opcode(&test));
	act(&test, lets_wait, ROUNDS);
	t_expect(exact(&test, usual(&test)), -EEXIST, "a loop that is timed exactly");
	t_expect(t_stop(test.fd), T_OK, "STOP");
	t_check(opcode(&test) == JUMP_IF_EQUAL, "and none after STOP", "0x%x", opcode(&test));
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
	check_times(EMULATED * MOST_NS_OFF);
}

void exact_counted(void)
{
	check_times(MOST_NS_OFF);
}

/* Loops that are passed too often are given up, and others than the process have none. */
void exact_given_up(void)
{
	struct gapp_exact few;
	struct test test;

	begin(&test);
	few = usual(&test);
	few.passes = 10;
	t_expect(exact(&test, few), T_OK, "EXACT of a loop that few may pass");
	act(&test, passes, PASSES);
	t_check(opcode(&test) == JUMP_IF_EQUAL, "a loop that many pass has no breakpoint any more",
		"0x%x", opcode(&test));
	t_expect(exact(&test, few), -EDQUOT, "a loop that was given up");
	t_expect(exact(&test, (struct gapp_exact){ 0 }), T_OK, "EXACT of nothing");
	t_expect(exact(&test, usual(&test)), T_OK, "EXACT of that loop again");
	act(&test, forks, 1);
	t_check(test.scene->opcode == JUMP_IF_EQUAL, "nor has a child of the process", "0x%x",
		test.scene->opcode);
	t_check(opcode(&test) == BREAKPOINT, "the process still has it", "0x%x", opcode(&test));
	act(&test, passes, 1);
	t_expect(exact(&test, (struct gapp_exact){ 0 }), T_OK, "EXACT of nothing, again");
	t_check(opcode(&test) == JUMP_IF_EQUAL, "and then not any more", "0x%x", opcode(&test));
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
	struct gapp_config config = config_of();

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

/* Processes and sessions end in every way while a thread waits in such a loop. */
void exact_gone(void)
{
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
