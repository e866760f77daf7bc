// SPDX-License-Identifier: GPL-2.0
/*
 * HANDOVERS: two threads on one CPU that give it to each other, against the kernel's own trace of
 * sched_switch in an instance of the tracer.
 */
#include "handovers.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "groups.h"
#include "t.h"

#define TRACING "/sys/kernel/tracing"
#define INSTANCE TRACING "/instances/gapp_handovers"
#define ROUNDS 1000
#define ROWS 8192
#define THREADS 2
/* More than the rows of a table. */
#define ROOM 3000
/* Where others have the CPU in between, not each yield hands it over. */
#define PLACES (3 * ROOM)

struct rows {
	struct gapp_handover *rows;
	size_t count;
};

static struct rows read_rows(int fd)
{
	struct rows all = { .rows = calloc(ROWS, sizeof(*all.rows)) };
	struct gapp_page page = { .capacity = 100 };

	if (!all.rows)
		t_die("calloc");
	do {
		page.buffer = (uintptr_t)&all.rows[all.count];
		page.count = 0;
		if (t_ioctl(fd, GAPP_IOC_HANDOVERS, &page))
			t_die("HANDOVERS");
		all.count += page.count;
	} while (page.count && all.count + page.capacity <= ROWS);
	return all;
}

static void put(const char *file, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), INSTANCE "/%s", file);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		t_die(path);
	close(fd);
}

static void trace_begins(void)
{
	mkdir(TRACING, 0700);
	mount("tracefs", TRACING, "tracefs", 0, NULL);
	if (mkdir(INSTANCE, 0700))
		t_die(INSTANCE);
	put("buffer_size_kb", "4096");
	put("events/sched/sched_switch/enable", "1");
}

/* Switches from a thread of a pair to one of it, by the kernel's trace. */
struct seen {
	u64 count[THREADS][THREADS];
};

/* Reads switches from @tids to each other. */
static struct seen trace_ends(const pid_t *tids)
{
	struct seen seen = { 0 };
	char line[512], *at;
	FILE *file;

	put("events/sched/sched_switch/enable", "0");
	file = fopen(INSTANCE "/trace", "r");
	if (!file)
		t_die("trace");
	while (fgets(line, sizeof(line), file)) {
		int prev, next;

		at = strstr(line, "prev_pid=");
		prev = at ? atoi(at + strlen("prev_pid=")) : -1;
		at = strstr(line, "next_pid=");
		next = at ? atoi(at + strlen("next_pid=")) : -1;
		for (int i = 0; i < THREADS; i++)
			for (int j = 0; j < THREADS; j++)
				seen.count[i][j] += prev == tids[i] && next == tids[j];
	}
	fclose(file);
	rmdir(INSTANCE);
	return seen;
}

/**
 * struct pair - two threads, in memory that this process shares
 * @turn: whose turn it is
 * @rounds: how often each gives the CPU to the other
 * @tids: the threads
 * @work: what each does, with its number
 * @begun: threads that are ready
 * @go: they may begin
 */
struct pair {
	u32 turn;
	u32 rounds;
	pid_t tids[THREADS];
	void (*work)(struct pair *pair, u32 number);
	u32 begun;
	u32 go;
};

static struct pair *pair;

#ifdef __x86_64__
extern const char ping_place[], pong_place[];

/* Each calls futex() at a place of its own, to which the system call returns. */
#define CALLS(name)                                                                             \
	static __attribute__((noinline)) void name##_calls(u32 *word, int operation, u32 value) \
	{                                                                                       \
		register long timeout __asm__("r10") = 0;                                       \
		long result = SYS_futex;                                                        \
		__asm__ volatile("syscall\n"                                                    \
				 ".globl " #name "_place\n" #name "_place:\n"                   \
				 : "+a"(result)                                                 \
				 : "D"(word), "S"(operation), "d"(value), "r"(timeout)          \
				 : "rcx", "r11", "memory");                                     \
	}

CALLS(ping)
CALLS(pong)

static void call(u32 number, u32 *word, int operation, u32 value)
{
	number ? pong_calls(word, operation, value) : ping_calls(word, operation, value);
}
#else
static void call(u32 number, u32 *word, int operation, u32 value)
{
	(void)number;
	syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}
#endif

/* Gives the CPU to the other thread @rounds times, and waits for it as often. */
static void plays(struct pair *both, u32 number)
{
	for (u32 i = 0; i < both->rounds; i++) {
		while (__atomic_load_n(&both->turn, __ATOMIC_SEQ_CST) != number)
			call(number, &both->turn, FUTEX_WAIT, !number);
		__atomic_store_n(&both->turn, !number, __ATOMIC_SEQ_CST);
		call(number, &both->turn, FUTEX_WAKE, 1);
	}
}

#ifdef __x86_64__
static u8 *places;

/* A function for each place: it yields the CPU. */
static void make_places(void)
{
	static const u8 code[16] = { 0xb8, SYS_sched_yield, 0, 0, 0, 0x0f, 0x05, 0xc3 };

	places = mmap(NULL, PLACES * sizeof(code), PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (places == MAP_FAILED)
		t_die("mmap");
	for (size_t i = 0; i < PLACES; i++)
		memcpy(places + i * sizeof(code), code, sizeof(code));
}

static void yields(struct pair *both, u32 number)
{
	(void)both;
	(void)number;
	for (size_t i = 0; i < PLACES; i++) {
		long result;

		__asm__ volatile("call *%1"
				 : "=a"(result)
				 : "r"(places + i * 16)
				 : "rcx", "r11", "memory");
	}
}
#endif

static void *thread(void *arg)
{
	const u32 number = (uintptr_t)arg;

	pair->tids[number] = t_gettid();
	prctl(PR_SET_NAME, number ? "pong" : "ping");
	__atomic_add_fetch(&pair->begun, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&pair->go, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &pair->go, FUTEX_WAIT, 0, NULL, NULL, 0);
	pair->work(pair, number);
	return NULL;
}

static void on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		t_die("sched_setaffinity");
}

static void two_threads(struct t_child *parent, void *arg)
{
	const bool *hidden = arg;
	pthread_t threads[THREADS];

#ifdef __x86_64__
	make_places();
#endif
	on_one_cpu();
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, (void *)i);
	while (__atomic_load_n(&pair->begun, __ATOMIC_SEQ_CST) < THREADS)
		t_sleep(NSEC_PER_MSEC);
	t_tell(parent);
	t_hear(parent);
	if (hidden && *hidden)
		prctl(PR_SET_DUMPABLE, 0);
	pair->go = 1;
	syscall(SYS_futex, &pair->go, FUTEX_WAKE, THREADS, NULL, NULL, 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	t_tell(parent);
	pause();
}

static int handovers_session(enum gapp_level level, u8 unwind_by)
{
	struct gapp_config config = t_config(level);

	config.flags = GAPP_CONFIG_WAITS | GAPP_CONFIG_HANDOVERS;
	config.unwind_by = unwind_by;
	return t_session(&config);
}

/**
 * struct sums - what rows say of a pair of threads
 * @count: from one to the other
 * @at_place: of @count[0][1], those in which both were at their places
 * @lost: those that found no room, of all threads
 * @all: of all threads
 * @odd: a row makes no sense
 */
struct sums {
	u64 count[THREADS][THREADS];
	u64 at_place;
	u64 lost;
	u64 all;
	bool odd;
};

static struct sums add_up(const struct rows *rows, const struct gapp_status *status)
{
	struct sums sums = { 0 };

	for (size_t n = 0; n < rows->count; n++) {
		const struct gapp_handover *row = &rows->rows[n];
		const bool lost = row->flags & GAPP_HANDOVER_LOST;

		sums.all += row->count;
		sums.odd |= !row->count || row->last_ns > status->wall_ns || row->cpu;
		sums.odd |= lost ? row->from_tid || row->to_tid :
				   row->from_tgid != row->to_tgid || !row->from_image ||
					    row->from_image != row->to_image || !row->from_ip ||
					    !row->to_ip;
		if (lost)
			sums.lost += row->count;
		for (int i = 0; i < THREADS; i++)
			for (int j = 0; j < THREADS; j++)
				if (row->from_tid == pair->tids[i] && row->to_tid == pair->tids[j])
					sums.count[i][j] += row->count;
#ifdef __x86_64__
		if (row->from_ip == (uintptr_t)ping_place && row->to_ip == (uintptr_t)pong_place)
			sums.at_place += row->count;
#endif
	}
	return sums;
}

/* Has two threads do @work in a session, and sets what the session and the kernel say. */
static void run(int fd, void (*work)(struct pair *pair, u32 number), struct sums *sums,
		struct seen *seen)
{
	struct gapp_status status;
	struct t_child child;
	struct rows rows;

	*pair = (struct pair){ .work = work, .rounds = ROUNDS };
	child = t_fork(two_threads, NULL);
	t_hear(&child);
	t_settled(child.pid);
	t_add(fd, child.pid, 0);
	trace_begins();
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&child);
	t_hear(&child);
	t_settled(child.pid);
	*seen = trace_ends(pair->tids);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_status(fd, &status);
	rows = read_rows(fd);
	*sums = add_up(&rows, &status);
	t_check(rows.count && !sums->odd, "rows make sense", "%zu rows", rows.count);
	free(rows.rows);
	t_kill(&child);
}

static void known(enum gapp_level level, u8 unwind_by)
{
	const int fd = handovers_session(level, unwind_by);
	struct gapp_page nowhere = { .capacity = 8 };
	struct gapp_counters counters;
	struct sums sums;
	struct seen seen;

	run(fd, plays, &sums, &seen);
	for (int i = 0; i < THREADS; i++)
		t_check(sums.count[i][!i] == seen.count[i][!i],
			i ? "from pong to ping as often as by the kernel" :
			    "from ping to pong as often as by the kernel",
			"%llu, by the kernel %llu", sums.count[i][!i], seen.count[i][!i]);
	t_check(!sums.count[0][0] && !sums.count[1][1], "none to itself", "%llu, %llu",
		sums.count[0][0], sums.count[1][1]);
	t_check(sums.count[0][1] >= ROUNDS / 2 && sums.count[0][1] <= 2 * ROUNDS + 100,
		"as often as the threads did it", "%llu of %u", sums.count[0][1], ROUNDS);
	t_check(!sums.lost, "none is lost", "%llu", sums.lost);
#ifdef __x86_64__
	t_check(sums.at_place >= ROUNDS / 2, "from where one calls to where the other one does",
		"%llu of %llu", sums.at_place, sums.count[0][1]);
#endif
	t_counters(fd, &counters);
	t_check(sums.all <= counters.switches, "they are switches", "%llu of %llu", sums.all,
		counters.switches);
	t_check(t_ioctl(fd, GAPP_IOC_HANDOVERS, &nowhere) == -EFAULT && !nowhere.count,
		"no buffer: EFAULT, and the page as it was", "count %u", nowhere.count);
	t_sums(fd, "sums");
	close(fd);
}

static void overflows(void)
{
#ifdef __x86_64__
	const int fd = handovers_session(GAPP_LEVEL_CRITICAL, GAPP_UNWIND_BY_FP);
	struct sums sums;
	struct seen seen;
	u64 by_kernel;

	run(fd, yields, &sums, &seen);
	by_kernel = seen.count[0][1] + seen.count[1][0];
	t_check(by_kernel > ROOM && sums.lost, "more places than there is room for",
		"%llu handovers, %llu lost", by_kernel, sums.lost);
	t_check(sums.count[0][1] + sums.count[1][0] <= by_kernel &&
			sums.count[0][1] + sums.count[1][0] + sums.lost >= by_kernel,
		"with those that are lost, as many as by the kernel", "%llu and %llu of %llu",
		sums.count[0][1] + sums.count[1][0], sums.lost, by_kernel);
	close(fd);
#else
	t_skip("more places than there is room for", "this test makes code for x86-64");
#endif
}

/* A session that asks for waits alone has none. */
static void none_unasked(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct t_child child = t_fork(t_idle, NULL);
	struct rows rows;
	int fd;

	config.flags = GAPP_CONFIG_WAITS;
	fd = t_session(&config);
	t_hear(&child);
	t_add(fd, child.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	rows = read_rows(fd);
	t_check(!rows.count, "no handovers where none are asked for", "%zu rows", rows.count);
	free(rows.rows);
	close(fd);
	t_kill(&child);
}

static void share_pair(void)
{
	pair = mmap(NULL, sizeof(*pair), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pair == MAP_FAILED)
		t_die("mmap");
}

void handovers_counted(void)
{
	share_pair();
	known(GAPP_LEVEL_CRITICAL, GAPP_UNWIND_BY_FP);
	known(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_FP);
	known(GAPP_LEVEL_TRACE, GAPP_UNWIND_BY_NONE);
	overflows();
	none_unasked();
	munmap(pair, sizeof(*pair));
}

void handovers_check_hidden(bool hidden)
{
	const int fd = handovers_session(GAPP_LEVEL_CRITICAL, GAPP_UNWIND_BY_FP);
	struct t_child child;
	struct rows rows;
	size_t shown = 0;

	share_pair();
	*pair = (struct pair){ .work = plays, .rounds = ROUNDS };
	child = t_fork(two_threads, &hidden);
	t_hear(&child);
	t_add(fd, child.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&child);
	t_hear(&child);
	t_expect(t_stop(fd), T_OK, "STOP");
	rows = read_rows(fd);
	for (size_t i = 0; i < rows.count; i++)
		shown += rows.rows[i].from_ip || rows.rows[i].to_ip;
	t_check(rows.count && (hidden ? !shown : shown),
		hidden ? "no addresses of a process that may not be dumped" :
			 "addresses of a process that may be dumped",
		"%zu of %zu", shown, rows.count);
	free(rows.rows);
	close(fd);
	t_kill(&child);
	munmap(pair, sizeof(*pair));
}
