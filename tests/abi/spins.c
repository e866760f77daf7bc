// SPDX-License-Identifier: GPL-2.0
/*
 * GAPP_CONFIG_SPINS: a thread of a process waits in a loop whose code the session knows, while
 * another one works. The loop is written here, so nothing of gapp-read is needed to find it.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"
#include "spins.h"

#define RATE_HZ 1000
#define SELDOM_HZ 100
#define WORK_NS (150 * NSEC_PER_MSEC)
#define ROUNDS 8

/*
 * Waits until @flag is set, by nothing but looking. Its address is in rbx, and in memory to which
 * rcx points.
 */
__attribute__((noinline)) void spins_pause_until(const int *flag)
{
	const int *const where = flag;

	asm volatile(".globl t_pause_begin, t_pause_end\n"
		     "t_pause_begin:\n"
		     "1:	pause\n"
		     "	cmpl $0, (%%rbx)\n"
		     "	je 1b\n"
		     "t_pause_end:\n"
		     :
		     : "b"(flag), "c"(&where)
		     : "memory", "cc");
}

/* The same with r12, and lets others run meanwhile: the samples hit the kernel. */
static __attribute__((noinline)) void yield_until(const int *flag)
{
	register const int *at asm("r12") = flag;

	asm volatile(".globl t_yield_begin\nt_yield_begin:" : "+r"(at) : : "memory");
	while (!*(volatile const int *)at) {
		sched_yield();
		asm volatile("" : "+r"(at));
	}
	asm volatile(".globl t_yield_end\nt_yield_end:" : : : "memory");
}

/**
 * struct play - what the followed process does
 * @wait: how the second thread waits
 * @one_cpu: both threads share a CPU
 * @sleeps: the second thread sleeps after each wait
 * @idles: the first thread sleeps for the first half of the rounds
 * @seldom: there are few samples, which hardly meet a thread that is on a CPU for moments
 * @rounds: how often the second thread waits for the first one
 * @forever: the first thread never comes
 */
struct play {
	void (*wait)(const int *flag);
	bool one_cpu;
	bool sleeps;
	bool idles;
	bool seldom;
	u32 rounds;
	bool forever;
};

static const struct play *play;
static int turns[ROUNDS];

static void *waits(void *unused)
{
	(void)unused;
	for (u32 i = 0; i < play->rounds; i++) {
		play->wait(&turns[i]);
		if (play->sleeps)
			t_sleep(2 * NSEC_PER_MSEC);
	}
	return NULL;
}

static void acts(struct t_child *parent, void *arg)
{
	pthread_t other;

	play = arg;
	if (play->one_cpu)
		t_stay_on_one_cpu();
	t_tell(parent);
	t_hear(parent);
	errno = pthread_create(&other, NULL, waits, NULL);
	if (errno)
		t_die("pthread_create");
	for (u32 i = 0; i < play->rounds; i++) {
		if (play->idles && i < play->rounds / 2)
			t_sleep(WORK_NS / play->rounds);
		else
			t_burn_until(t_now() + WORK_NS / play->rounds);
		__atomic_store_n(&turns[i], !play->forever, __ATOMIC_RELEASE);
	}
	if (!play->forever)
		pthread_join(other, NULL);
	t_tell(parent);
	t_hear(parent);
}

/*
 * What parks_and_computes() does, on one CPU: the second thread is found in a loop that yields
 * once, and then sleeps, yields for a moment and computes, again and again. The first one works for
 * that moment only. So nearly nothing of the second part is spinning, and samples seldom meet it.
 */
#define PARKS 20
#define SLEEPS_NS (8 * NSEC_PER_MSEC)
#define YIELDS_NS (NSEC_PER_MSEC / 5)
#define COMPUTES_NS (5 * NSEC_PER_MSEC)
#define FOUND_NS (75 * NSEC_PER_MSEC)

static int found, parked[PARKS], let_go[PARKS];
/* How long it yielded, by its own clock; the test reads it, too. */
static u64 *yielded_ns;

static void yield_and_note(const int *flag)
{
	u64 begin = t_now();

	yield_until(flag);
	*yielded_ns += t_now() - begin;
}

static void *parks(void *unused)
{
	(void)unused;
	yield_and_note(&found);
	for (u32 i = 0; i < PARKS; i++) {
		t_sleep(SLEEPS_NS);
		__atomic_store_n(&parked[i], 1, __ATOMIC_RELEASE);
		yield_and_note(&let_go[i]);
		t_burn_until(t_now() + COMPUTES_NS);
	}
	return NULL;
}

static void parks_and_computes(struct t_child *parent, void *unused)
{
	pthread_t other;

	(void)unused;
	t_stay_on_one_cpu();
	t_tell(parent);
	t_hear(parent);
	errno = pthread_create(&other, NULL, parks, NULL);
	if (errno)
		t_die("pthread_create");
	t_sleep(FOUND_NS);
	__atomic_store_n(&found, 1, __ATOMIC_RELEASE);
	for (u32 i = 0; i < PARKS; i++) {
		while (!__atomic_load_n(&parked[i], __ATOMIC_ACQUIRE))
			;
		t_burn_until(t_now() + YIELDS_NS);
		__atomic_store_n(&let_go[i], 1, __ATOMIC_RELEASE);
		t_sleep(COMPUTES_NS + NSEC_PER_MSEC);
	}
	pthread_join(other, NULL);
	t_tell(parent);
	t_hear(parent);
}

/* A spin table of the two loops, whose addresses are those in memory: the bias is 0. */
struct loops {
	struct gapp_spin_head head;
	struct gapp_spin_range ranges[2];
	struct gapp_spin_location locations[2];
};

/* What a register points to, by its DWARF number; and how 4 bytes of that are compared. */
#define LOCATION(register, ...)                                                                 \
	{                                                                                       \
		.terms = 1, .term = { { .base = (register), .index = GAPP_SPIN_NO_REGISTER } }, \
		.goes_on = GAPP_SPIN_WHILE_EQUAL, .bytes = 4, __VA_ARGS__                       \
	}
/* The loops go on while it is 0. */
#define POINTED_TO_BY(register) LOCATION(register, .number = 0)

static u32 sort_two(struct gapp_spin_range *ranges)
{
	const struct gapp_spin_range first = ranges[0];

	if (ranges[0].begin < ranges[1].begin)
		return 2;
	ranges[0] = ranges[1];
	ranges[1] = first;
	return 2;
}

static struct loops loops(void)
{
	struct loops loops = {
		.head = { .magic = GAPP_SPIN_MAGIC,
			  .version = GAPP_SPIN_VERSION,
			  .arch = GAPP_ARCH_X86_64,
			  .locations = 2 },
		.ranges = { { .begin = (uintptr_t)t_pause_begin,
			      .bytes = t_pause_end - t_pause_begin,
			      .location = 1 },
			    { .begin = (uintptr_t)t_yield_begin,
			      .bytes = t_yield_end - t_yield_begin,
			      .flags = GAPP_SPIN_CALLS,
			      .location = 2 } },
		.locations = { POINTED_TO_BY(3), POINTED_TO_BY(12) },
	};

	loops.head.ranges = sort_two(loops.ranges);
	return loops;
}

static int load(int fd, const void *data, u64 bytes, u32 *number)
{
	struct gapp_table_load load = { .data = (uintptr_t)data, .bytes = bytes };
	int ret = t_ioctl(fd, GAPP_IOC_LOAD_TABLE, &load);

	*number = load.table;
	return ret;
}

/* Names the loops in the memory of this program's code. */
int spins_set_mapping(int fd, pid_t pid, u32 spins)
{
	struct gapp_mapping mapping = {
		.begin = (uintptr_t)t_pause_begin & ~0xfffffULL,
		.end = ((uintptr_t)t_pause_begin | 0xfffffULL) + 1,
		.spins = spins,
	};
	struct gapp_mappings maps = { .pid = pid };
	int ret = t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &maps);

	if (ret)
		return ret;
	maps.maps = (uintptr_t)&mapping;
	maps.count = 1;
	return t_ioctl(fd, GAPP_IOC_SET_MAPPINGS, &maps);
}

u32 spins_load(int fd)
{
	const struct loops table = loops();
	u32 number = 0;

	t_expect(load(fd, &table, sizeof(table), &number), T_OK, "a spin table");
	return number;
}

/**
 * struct seen - what records say
 * @reader: with the call paths
 * @location: what the session knows of the word; NULL: no loop
 * @spins: slices that ended in a spin
 * @elsewhere: of these, those whose path does not begin in or below a loop
 * @astray: of these, those that do not say for which word they wait
 * @nowhere: of those, which say that it is not known, and nothing else
 * @compared: of @spins, which say how the word is compared, as the session knows it
 * @waits: times with nobody active in which a thread spun
 * @waits_astray: of these, those that do not say for which word, and how it is compared
 * @others: slices that ended in another wait
 * @wakes: of the thread that waits
 */
struct seen {
	struct r_reader reader;
	const struct gapp_spin_location *location;
	u32 spins, elsewhere, astray, nowhere, compared, waits, waits_astray, others, wakes;
};

static bool in_loop(u64 address)
{
	return (address >= (uintptr_t)t_pause_begin && address <= (uintptr_t)t_pause_end) ||
	       (address >= (uintptr_t)t_yield_begin && address <= (uintptr_t)t_yield_end);
}

/* Whether a record says how the word is compared: with a number, or the register with its address.
 */
static bool is_compared(const struct gapp_spin_location *location, const __u64 *args)
{
	return location && args[1] == location->goes_on + 256ULL * location->bytes &&
	       args[2] == (location->with ? args[0] : (u64)(s64)location->number);
}

/* It says what the record of the slice has said, if the session keeps waits. */
static void see_wait(const struct gapp_record_wait *wait, struct seen *seen)
{
	if (wait->wait != GAPP_WAIT_SPIN)
		return;
	seen->waits++;
	seen->waits_astray += wait->args[0] < (uintptr_t)turns ||
			      wait->args[0] >= (uintptr_t)&turns[ROUNDS] ||
			      !is_compared(seen->location, wait->args);
}

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct gapp_path *path;
	struct seen *seen = arg;
	const u64 *frames;

	if (record->type == GAPP_RECORD_WAIT)
		see_wait((const void *)record, seen);
	if (record->type != GAPP_RECORD_SLICE || slice->then != GAPP_THEN_WAIT)
		return;
	if (slice->wait != GAPP_WAIT_SPIN) {
		seen->others++;
		return;
	}
	seen->spins++;
	seen->nowhere += !slice->args[0] && !slice->args[1] && !slice->args[2];
	if (slice->args[0] < (uintptr_t)turns || slice->args[0] >= (uintptr_t)&turns[ROUNDS] ||
	    slice->args[0] % sizeof(*turns))
		seen->astray++;
	seen->compared += is_compared(seen->location, slice->args);
	frames = slice->path < GAPP_PATH_COPY ? r_frames(&seen->reader, slice->path, &path) : NULL;
	if (!frames || !(in_loop(frames[0]) || (path->words > 1 && in_loop(frames[1]))))
		seen->elsewhere++;
}

/**
 * struct told - what figures say, after STOP
 * @spun_ns: of the target
 * @by_thread_ns: sum of the threads' waits for GAPP_WAIT_SPIN
 * @lives_differ: threads whose parts are not their life
 * @kernel_off_ns: most by which the kernel's account of a thread's time on CPUs is more, or less
 * @idle_ns: time with nobody active
 * @wall_ns: session time
 * @by_n: session time with 0, 1 and 2 active threads
 * @yields: the thread waits in sched_yield()
 */
struct told {
	u64 spun_ns, by_thread_ns, idle_ns, wall_ns;
	s64 kernel_off_ns;
	u64 by_n[3];
	u32 lives_differ;
	bool yields;
};

static void add_waits(int fd, struct told *told)
{
	struct gapp_thread_waits rows[8];
	struct gapp_page page = { .buffer = (uintptr_t)rows, .capacity = ARRAY_SIZE(rows) };

	t_expect(t_ioctl(fd, GAPP_IOC_THREAD_WAITS, &page), T_OK, "THREAD_WAITS");
	for (u32 i = 0; i < page.count; i++) {
		u64 sum = rows[i].run_ns + rows[i].runq_ns + rows[i].unknown_ns;

		for (u32 reason = 0; reason < GAPP_WAIT_REASONS; reason++)
			sum += rows[i].blocked_ns[reason];
		told->lives_differ += sum != rows[i].life_ns;
		told->by_thread_ns += rows[i].blocked_ns[GAPP_WAIT_SPIN];
	}
}

static void add_threads(int fd, struct told *told)
{
	struct t_rows threads = t_rows(fd, GAPP_IOC_THREADS, GAPP_PAGE_MAX);

	for (size_t i = 0; i < threads.count; i++) {
		const struct gapp_thread_figures *row = &threads.rows[i];
		s64 off = row->kernel_seen_run_ns - row->kernel_run_ns;

		if (row->flags & GAPP_FIGURES_KERNEL_SEEN &&
		    llabs(off) > llabs(told->kernel_off_ns))
			told->kernel_off_ns = off;
	}
	free(threads.rows);
}

static struct told tell(int fd)
{
	struct gapp_target_figures target;
	struct gapp_page page = { .buffer = (uintptr_t)&target, .capacity = 1 };
	struct gapp_status status;
	struct told told = { 0 };

	t_expect(t_ioctl(fd, GAPP_IOC_TARGETS, &page), T_OK, "TARGETS");
	t_status(fd, &status);
	told.spun_ns = target.spun_ns;
	told.idle_ns = status.idle_ns;
	told.wall_ns = status.wall_ns;
	t_parallelism(fd, told.by_n, ARRAY_SIZE(told.by_n));
	add_waits(fd, &told);
	add_threads(fd, &told);
	return told;
}

static struct gapp_config config_of(enum gapp_level level)
{
	struct gapp_config config = t_config(level);

	config.flags = GAPP_CONFIG_SPINS | GAPP_CONFIG_WAITS;
	config.unwind_by = GAPP_UNWIND_BY_TABLE;
	config.rate_hz = RATE_HZ;
	config.n_min_mode = GAPP_N_MIN_FIXED;
	config.n_min = 1;
	config.ring_bytes = GAPP_DEFAULT_RING;
	return config;
}

/* Follows a child that was forked and waits. @known: what the session knows; NULL: no loop. */
static struct told follow_child(struct t_child child, u32 rate_hz, enum gapp_level level,
				const struct loops *known, struct seen *seen)
{
	struct gapp_config config = config_of(level);
	struct told told;
	u32 number = 0;
	int fd;

	config.rate_hz = rate_hz;
	fd = t_session(&config);
	t_hear(&child);
	memset(seen, 0, sizeof(*seen));
	seen->location = known ? &known->locations[0] : NULL;
	r_open(&seen->reader, fd);
	seen->reader.see = see;
	seen->reader.arg = seen;
	t_add(fd, child.pid, GAPP_ADD_NO_INHERIT);
	if (known)
		t_expect(load(fd, known, sizeof(*known), &number), T_OK, "a spin table");
	t_expect(t_start(fd), T_OK, "START");
	t_expect(spins_set_mapping(fd, child.pid, number), T_OK, "SET_MAPPINGS");
	t_tell(&child);
	t_hear(&child);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&seen->reader);
	t_check(!seen->reader.tally.bad, "all records make sense", "%llu do not: %s",
		seen->reader.tally.bad, seen->reader.tally.why);
	t_sums(fd, "sums are exact");
	t_recount(fd);
	told = tell(fd);
	r_close(&seen->reader);
	close(fd);
	t_kill(&child);
	return told;
}

static struct told follow(const struct play *plays, enum gapp_level level, bool known,
			  struct seen *seen)
{
	const struct loops table = loops();
	struct told told = follow_child(t_fork(acts, (void *)(uintptr_t)plays),
					plays->seldom ? SELDOM_HZ : RATE_HZ, level,
					known ? &table : NULL, seen);

	told.yields = plays->wait == yield_until;
	return told;
}

static void check_spun(const struct told *told, const struct seen *seen, const char *how)
{
	char name[100];

	snprintf(name, sizeof(name), "a thread in such a loop waits, %s", how);
	if (told->yields && sysconf(_SC_NPROCESSORS_ONLN) == 1)
		t_skip(name, "there is one CPU, and who yields is on it for moments");
	else
		t_check(seen->spins && told->spun_ns > WORK_NS / 4, name,
			"%u spins, %llu us of %llu", seen->spins, told->spun_ns / 1000,
			(u64)WORK_NS / 1000);
	/* of a thread that yields the path begins in the C library, which was not told of */
	snprintf(name, sizeof(name), "its call path is in the loop, %s", how);
	t_check(!seen->elsewhere || told->yields, name, "%u of %u are not", seen->elsewhere,
		seen->spins);
	snprintf(name, sizeof(name), "it says for which word, %s", how);
	t_check(!seen->astray, name, "%u of %u do not", seen->astray, seen->spins);
	snprintf(name, sizeof(name), "and how it is compared, %s", how);
	t_check(seen->compared == seen->spins, name, "%u of %u do", seen->compared, seen->spins);
	snprintf(name, sizeof(name), "parts of each thread's life add up, %s", how);
	t_check(!told->lives_differ && told->by_thread_ns == told->spun_ns, name,
		"%u lives differ; %llu ns of threads, %llu of the target", told->lives_differ,
		told->by_thread_ns, told->spun_ns);
	snprintf(name, sizeof(name), "the kernel's account agrees, %s", how);
	t_check((u64)llabs(told->kernel_off_ns) < 20 * NSEC_PER_MSEC + told->wall_ns / 20, name,
		"it is %lld us off, in %llu", told->kernel_off_ns / 1000, told->wall_ns / 1000);
}

/* A table of version 2, whose locations do not compare; and one that compares with a register. */
static void other_tables(void)
{
	static const struct play pauses = { .wait = spins_pause_until, .rounds = 1 };
	struct loops table = loops();
	struct seen seen;

	table.locations[0].with = 3 + 1;
	follow_child(t_fork(acts, (void *)(uintptr_t)&pauses), RATE_HZ, GAPP_LEVEL_CRITICAL, &table,
		     &seen);
	t_check(seen.spins && seen.compared == seen.spins, "the value of a register",
		"%u of %u spins have it", seen.compared, seen.spins);
	table.head.version = 2;
	for (u32 i = 0; i < ARRAY_SIZE(table.locations); i++) {
		table.locations[i].goes_on = GAPP_SPIN_WHILE_UNKNOWN;
		table.locations[i].bytes = 0;
		table.locations[i].with = 0;
	}
	follow_child(t_fork(acts, (void *)(uintptr_t)&pauses), RATE_HZ, GAPP_LEVEL_CRITICAL, &table,
		     &seen);
	t_check(seen.spins && !seen.astray && seen.compared == seen.spins,
		"with a table of version 2 it says for which word, and nothing else",
		"%u of %u spins do not, %u say more", seen.astray, seen.spins,
		seen.spins - seen.compared);
}

void spins_wait(void)
{
	const struct play pauses = { .wait = spins_pause_until, .rounds = 1 };
	const struct play yields = { .wait = yield_until, .rounds = 1 };
	const struct play on_one = { .wait = spins_pause_until, .rounds = 2, .one_cpu = true };
	const struct play yields_on_one = { .wait = yield_until,
					    .rounds = 2,
					    .one_cpu = true,
					    .idles = true,
					    .sleeps = true,
					    .seldom = true };
	const struct play sleeps = { .wait = spins_pause_until, .rounds = ROUNDS, .sleeps = true };
	struct seen seen;
	struct told told;

	told = follow(&pauses, GAPP_LEVEL_CRITICAL, true, &seen);
	check_spun(&told, &seen, "pausing");
	told = follow(&pauses, GAPP_LEVEL_TRACE, true, &seen);
	check_spun(&told, &seen, "pausing, traced");
	/* On a slow kernel samples meet the thread late. */
	for (int i = 0; i < 3 && (!i || told.spun_ns <= WORK_NS / 4); i++)
		told = follow(&yields, GAPP_LEVEL_CRITICAL, true, &seen);
	check_spun(&told, &seen, "yielding");
	told = follow(&sleeps, GAPP_LEVEL_TRACE, true, &seen);
	check_spun(&told, &seen, "and sleeps afterwards");
	t_check(seen.others >= ROUNDS, "and the sleeps are sleeps", "%u other waits", seen.others);
	told = follow(&on_one, GAPP_LEVEL_TRACE, true, &seen);
	t_check(seen.spins && told.by_thread_ns == told.spun_ns && !told.lives_differ,
		"two threads on one CPU, pausing", "%u spins, %llu and %llu ns, %u lives differ",
		seen.spins, told.by_thread_ns, told.spun_ns, told.lives_differ);
	for (int i = 0;
	     i < 3 && (!i || told.by_n[0] <= WORK_NS / 4 || told.by_n[2] >= told.by_n[0] / 2); i++)
		told = follow(&yields_on_one, GAPP_LEVEL_TRACE, true, &seen);
	t_check(seen.spins && told.by_thread_ns == told.spun_ns && !told.lives_differ,
		"two threads on one CPU, yielding", "%u spins, %llu and %llu ns, %u lives differ",
		seen.spins, told.by_thread_ns, told.spun_ns, told.lives_differ);
	t_check(!seen.astray && told.by_n[0] > WORK_NS / 4 && told.by_n[1] > WORK_NS / 4 &&
			told.by_n[2] < told.by_n[0] / 2,
		"and is found where it yields",
		"%llu, %llu, %llu us with 0, 1, 2 threads; %u of %u astray", told.by_n[0] / 1000,
		told.by_n[1] / 1000, told.by_n[2] / 1000, seen.astray, seen.spins);
	told = follow(&pauses, GAPP_LEVEL_TRACE, false, &seen);
	t_check(!seen.spins && !told.spun_ns, "a loop that is not known is work",
		"%u spins, %llu ns", seen.spins, told.spun_ns);
	spins_check_pointer(false);
	other_tables();
}

/* Points of the sampler's grid at which a thread slept say nothing of what it does afterwards. */
void spins_parks(void)
{
	const struct loops table = loops();
	struct seen seen;
	struct told told;

	yielded_ns = mmap(NULL, sizeof(*yielded_ns), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (yielded_ns == MAP_FAILED)
		t_die("mmap");
	told = follow_child(t_fork(parks_and_computes, NULL), SELDOM_HZ, GAPP_LEVEL_CRITICAL,
			    &table, &seen);
	t_check(told.spun_ns > FOUND_NS / 4, "a thread that parks is found once", "%llu us",
		told.spun_ns / 1000);
	t_check(told.spun_ns < *yielded_ns + PARKS * COMPUTES_NS / 3,
		"and what it computes afterwards is no spinning", "%llu us, it yielded for %llu",
		told.spun_ns / 1000, *yielded_ns / 1000);
	munmap(yielded_ns, sizeof(*yielded_ns));
}

/*
 * A location may lead through any word of the process, which the reader chooses: without privilege
 * it is not gone.
 */
void spins_check_pointer(bool restricted)
{
	static const struct play pauses = { .wait = spins_pause_until, .rounds = 1 };
	struct loops table = loops();
	struct seen seen;

	table.locations[0] = (struct gapp_spin_location){
		.terms = 2,
		.goes_on = GAPP_SPIN_WHILE_NOT_GREATER,
		.bytes = 8,
		.number = -5,
		.term = { { .base = 2, .index = GAPP_SPIN_NO_REGISTER },
			  { .base = GAPP_SPIN_NO_REGISTER, .index = GAPP_SPIN_NO_REGISTER } },
	};
	follow_child(t_fork(acts, (void *)(uintptr_t)&pauses), RATE_HZ, GAPP_LEVEL_CRITICAL, &table,
		     &seen);
	t_check(seen.spins && seen.nowhere == (restricted ? seen.spins : 0) &&
			seen.astray == seen.nowhere,
		restricted ? "no word is read on the way to a location, without privilege" :
			     "a location to which a word leads",
		"%u of %u spins say nothing, %u not that word", seen.nowhere, seen.spins,
		seen.astray);
	t_check(seen.compared == (restricted ? 0 : seen.spins),
		restricted ? "nor is it said how it is compared" : "and how it is compared",
		"%u of %u spins say that", seen.compared, seen.spins);
}

/* STOP while a thread spins, for nobody will end it. */
void spins_stopped(void)
{
	const struct play forever = { .wait = spins_pause_until, .rounds = 1, .forever = true };
	struct seen seen;
	struct told told = follow(&forever, GAPP_LEVEL_CRITICAL, true, &seen);

	/* it is brought up to date at ticks, and an emulated CPU may have none for long */
	told.kernel_off_ns = told.kernel_off_ns < 0 ? 0 : told.kernel_off_ns;
	check_spun(&told, &seen, "until STOP");
	t_check(told.spun_ns < told.wall_ns && told.by_thread_ns == told.spun_ns,
		"what it has spun until STOP counts", "%llu of %llu ns", told.spun_ns,
		told.wall_ns);
}

/* n, while a thread spins and another one works. */
void spins_n(void)
{
	const struct play forever = { .wait = spins_pause_until, .rounds = 1, .forever = true };
	struct t_child child = t_fork(acts, (void *)(uintptr_t)&forever);
	struct gapp_config config = config_of(GAPP_LEVEL_CRITICAL);
	u64 until = t_now() + 10 * NSEC_PER_SEC;
	u32 number, spinning = 0, n = ~0U;
	int fd = t_session(&config);

	t_hear(&child);
	t_add(fd, child.pid, GAPP_ADD_NO_INHERIT);
	number = spins_load(fd);
	t_expect(t_start(fd), T_OK, "START");
	t_expect(spins_set_mapping(fd, child.pid, number), T_OK, "SET_MAPPINGS");
	t_tell(&child);
	/* the first thread waits for this process in the end, and the other one spins on */
	t_hear(&child);
	while (!(spinning && !n) && t_now() < until) {
		struct t_rows rows = t_rows(fd, GAPP_IOC_THREADS, GAPP_PAGE_MAX);
		struct gapp_status status;

		t_status(fd, &status);
		n = status.n;
		spinning = 0;
		for (size_t i = 0; i < rows.count; i++)
			spinning += rows.rows[i].state == GAPP_THREAD_SPINNING ||
				    rows.rows[i].state == GAPP_THREAD_SPIN_READY;
		free(rows.rows);
	}
	t_check(spinning == 1 && !n, "who spins is not active", "%u spin, n = %u", spinning, n);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_recount(fd);
	close(fd);
	t_kill(&child);
}

/* Plays in an endless row, while sessions come and go; a part of them ends with the process. */
void spins_ends(void)
{
	static const struct play forever = { .wait = spins_pause_until,
					     .rounds = 1,
					     .forever = true };
	for (u32 i = 0; i < 10; i++) {
		struct t_child child = t_fork(acts, (void *)(uintptr_t)&forever);
		struct gapp_config config =
			config_of(i % 2 ? GAPP_LEVEL_TRACE : GAPP_LEVEL_CRITICAL);
		int fd = t_session(&config);
		u32 number;

		t_hear(&child);
		t_add(fd, child.pid, 0);
		number = spins_load(fd);
		t_expect(t_start(fd), T_OK, "START");
		t_expect(spins_set_mapping(fd, child.pid, number), T_OK, "SET_MAPPINGS");
		t_tell(&child);
		t_sleep(20 * NSEC_PER_MSEC);
		if (i % 3)
			t_kill(&child);
		if (i % 4) {
			t_expect(t_stop(fd), T_OK, "STOP");
			t_sums(fd, "sums are exact");
		}
		close(fd);
		if (!(i % 3))
			t_kill(&child);
	}
}

struct bad_table {
	const char *name;
	struct loops table;
	u64 bytes; /* 0: all */
};

#define HEAD(...)                                                                                 \
	{                                                                                         \
		.magic = GAPP_SPIN_MAGIC, .version = GAPP_SPIN_VERSION, .arch = GAPP_ARCH_X86_64, \
		.ranges = 2, .locations = 2, __VA_ARGS__                                          \
	}

#define POINTERS                                    \
	{                                           \
		POINTED_TO_BY(3), POINTED_TO_BY(12) \
	}
#define TWO                        \
	{                          \
		{ 1, 1, 0, 1 },    \
		{                  \
			2, 1, 0, 2 \
		}                  \
	}

static const struct bad_table bad_tables[] = {
	{ "another version", { HEAD(.version = 5), TWO, POINTERS }, 0 },
	{ "exits that are not there", { HEAD(.exits = 1), TWO, POINTERS }, 0 },
	{ "exits of an earlier version", { HEAD(.version = 3, .exits = 1), TWO, POINTERS }, 0 },
	{ "the word that is zero", { HEAD(.zero = 1), TWO, POINTERS }, 0 },
	{ "version 0", { HEAD(.version = 0), TWO, POINTERS }, 0 },
	{ "locations of the first version", { HEAD(.version = 1), TWO, POINTERS }, 0 },
	{ "another machine", { HEAD(.arch = 9), TWO, POINTERS }, 0 },
	{ "something reserved", { HEAD(.reserved = { [4] = 1 }), TWO, POINTERS }, 0 },
	{ "no ranges", { HEAD(.ranges = 0), { { 0 } }, { { 0 } } }, sizeof(struct gapp_spin_head) },
	{ "a range less", { HEAD(.ranges = 1), TWO, POINTERS }, 0 },
	{ "too many ranges", { HEAD(.ranges = ~0U), TWO, POINTERS }, 0 },
	{ "an empty range", { HEAD(), { { 1, 0, 0, 0 }, { 2, 1, 0, 0 } }, POINTERS }, 0 },
	{ "unknown flags", { HEAD(), { { 1, 1, 4, 0 }, { 2, 1, 0, 0 } }, POINTERS }, 0 },
	{ "not sorted", { HEAD(), { { 5, 1, 0, 0 }, { 2, 1, 0, 0 } }, POINTERS }, 0 },
	{ "overlapping", { HEAD(), { { 1, 2, 0, 0 }, { 2, 1, 0, 0 } }, POINTERS }, 0 },
	{ "beyond all addresses", { HEAD(), { { 1, 1, 0, 0 }, { ~0ULL, 2, 0, 0 } }, POINTERS }, 0 },
	{ "a location less", { HEAD(.locations = 1), TWO, POINTERS }, 0 },
	{ "too many locations", { HEAD(.locations = ~0U), TWO, POINTERS }, 0 },
	{ "a location that is not there",
	  { HEAD(), { { 1, 1, 0, 0 }, { 2, 1, 0, 3 } }, POINTERS },
	  0 },
	{ "a location of no steps", { HEAD(), TWO, { POINTED_TO_BY(3), { 0 } } }, 0 },
	{ "a register that no machine has",
	  { HEAD(), TWO, { POINTED_TO_BY(3), POINTED_TO_BY(33) } },
	  0 },
	{ "an unknown way to go on",
	  { HEAD(), TWO, { POINTED_TO_BY(3), LOCATION(12, .goes_on = GAPP_SPIN_WHILES) } },
	  0 },
	{ "a byte less", { HEAD(), TWO, POINTERS }, sizeof(struct loops) - 1 },
	{ "a head only", { HEAD(), { { 0 } }, { { 0 } } }, sizeof(struct gapp_spin_head) },
	{ "half a head", { HEAD(), { { 0 } }, { { 0 } } }, sizeof(struct gapp_spin_head) / 2 },
};

void spins_refused(void)
{
	struct gapp_config config = config_of(GAPP_LEVEL_CRITICAL);
	struct t_child child = t_fork(t_idle, NULL);
	u32 number;
	int fd;

	config.rate_hz = 0;
	fd = t_open();
	t_expect(t_ioctl(fd, GAPP_IOC_CONFIGURE, &config), -EINVAL, "spins without samples");
	config = config_of(GAPP_LEVEL_CRITICAL);
	config.unwind_by = GAPP_UNWIND_BY_FP;
	t_expect(t_ioctl(fd, GAPP_IOC_CONFIGURE, &config), -EINVAL, "spins without mappings");
	config = t_config(GAPP_LEVEL_STATS);
	config.flags = GAPP_CONFIG_SPINS;
	t_expect(t_ioctl(fd, GAPP_IOC_CONFIGURE, &config), -EINVAL, "spins without records");
	close(fd);

	config = config_of(GAPP_LEVEL_CRITICAL);
	fd = t_session(&config);
	t_add(fd, child.pid, 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad_tables); i++) {
		const struct bad_table *bad = &bad_tables[i];

		t_expect(load(fd, &bad->table, bad->bytes ?: sizeof(bad->table), &number), -EINVAL,
			 "a spin table with %s", bad->name);
	}
	number = spins_load(fd);
	t_expect(t_start(fd), T_OK, "START");
	t_expect(spins_set_mapping(fd, child.pid, number + 1), -ENOENT,
		 "a table that is not there");
	t_expect(spins_set_mapping(fd, child.pid, number), T_OK, "SET_MAPPINGS");
	close(fd);

	config.flags &= ~GAPP_CONFIG_SPINS;
	fd = t_session(&config);
	t_add(fd, child.pid, 0);
	number = spins_load(fd);
	t_expect(t_start(fd), T_OK, "START");
	t_expect(spins_set_mapping(fd, child.pid, number), -EINVAL, "spins that nobody asked for");
	close(fd);
	t_kill(&child);
}
