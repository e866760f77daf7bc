// SPDX-License-Identifier: GPL-2.0
/*
 * ADD_TALLY, THREAD_TALLIES and CPU_TALLIES: what is counted of threads, against what the kernel
 * says of them in /proc.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"
#include "spins.h"
#include "t.h"

#define ROWS 512
#define PAGE_BYTES 4096
#define PAGES 500
#define MOVES 60
#define FAULTS 0 /* number of the tally */
#define MIGRATIONS 1

struct rows {
	struct gapp_thread_tallies rows[ROWS];
	u32 count;
};

static int add_tally(int fd, u32 source, u32 type, u64 config)
{
	struct gapp_add_tally tally = { .source = source, .type = type, .config = config };

	return t_ioctl(fd, GAPP_IOC_ADD_TALLY, &tally);
}

static int tallying_session(u32 flags, enum gapp_level level)
{
	struct gapp_config config = t_config(level);

	config.flags |= flags;
	return t_session(&config);
}

/* Faults and migrations, and threads that wait so that the session can be started. */
static int counting_session(const struct t_child *child, enum gapp_level level)
{
	int fd = tallying_session(GAPP_CONFIG_TALLIES, level);

	t_expect(add_tally(fd, GAPP_TALLY_FAULTS, 0, 0), T_OK, "ADD_TALLY, faults");
	t_expect(add_tally(fd, GAPP_TALLY_MIGRATIONS, 0, 0), T_OK, "ADD_TALLY, migrations");
	if (child)
		t_expect(t_add(fd, child->pid, 0), T_OK, "ADD_PROCESS");
	return fd;
}

static u32 read_rows(int fd, unsigned long request, void *rows, u32 room, size_t size)
{
	struct gapp_page page = { .capacity = 7 };
	u32 count = 0;

	do {
		page.buffer = (uintptr_t)rows + count * size;
		page.count = 0;
		if (t_ioctl(fd, request, &page))
			t_die("tallies");
		count += page.count;
	} while (page.count && count + page.capacity <= room);
	return count;
}

static struct rows *thread_rows(int fd)
{
	struct rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		t_die("calloc");
	rows->count =
		read_rows(fd, GAPP_IOC_THREAD_TALLIES, rows->rows, ROWS, sizeof(rows->rows[0]));
	return rows;
}

static const struct gapp_thread_tallies *row_of(const struct rows *rows, pid_t tid)
{
	static const struct gapp_thread_tallies none;

	for (u32 i = 0; i < rows->count; i++)
		if (rows->rows[i].tid == tid)
			return &rows->rows[i];
	t_check(false, "the thread has a row", "there is none of %d", tid);
	return &none;
}

/* The sum of a tally over all threads is that over all CPUs. */
static void sums_agree(int fd, const char *name)
{
	static struct gapp_cpu_tallies cpus[ROWS];
	const u32 count = read_rows(fd, GAPP_IOC_CPU_TALLIES, cpus, ROWS, sizeof(cpus[0]));
	struct rows *rows = thread_rows(fd);
	u64 of_threads[GAPP_TALLIES] = { 0 }, of_cpus[GAPP_TALLIES] = { 0 };

	for (u32 i = 0; i < rows->count; i++)
		for (u32 j = 0; j < GAPP_TALLIES; j++)
			of_threads[j] += rows->rows[i].counts[j];
	for (u32 i = 0; i < count; i++)
		for (u32 j = 0; j < GAPP_TALLIES; j++)
			of_cpus[j] += cpus[i].counts[j];
	t_check(!memcmp(of_threads, of_cpus, sizeof(of_cpus)) && of_cpus[FAULTS], name,
		"threads have %llu and %llu, %u CPUs %llu and %llu", of_threads[0], of_threads[1],
		count, of_cpus[0], of_cpus[1]);
	free(rows);
}

/* Of /proc/PID/task/PID/stat: page faults of the thread, or -1. */
static long long kernel_faults(pid_t tid)
{
	unsigned long long minor, major;
	char path[64], line[1024], *behind;
	long long faults = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", tid, tid);
	file = fopen(path, "r");
	if (!file)
		return -1;
	behind = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	if (behind &&
	    sscanf(behind + 2, "%*c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &minor, &major) == 2)
		faults = minor + major;
	fclose(file);
	return faults;
}

/* Of /proc/PID/sched, which not each kernel has: how often the thread was moved, or -1. */
static long long kernel_migrations(pid_t tid)
{
	char path[64], line[256];
	long long moved = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/sched", tid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "se.nr_migrations", strlen("se.nr_migrations")))
			moved = atoll(strchr(line, ':') + 1);
	if (file)
		fclose(file);
	return moved;
}

static void touch_pages(void)
{
	char *memory = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		t_die("mmap");
	madvise(memory, PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (int i = 0; i < PAGES; i++)
		memory[i * PAGE_BYTES] = 1;
	munmap(memory, PAGES * PAGE_BYTES);
}

static void move_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		t_die("sched_setaffinity");
}

static void touch_and_move(struct t_child *parent, void *cpus)
{
	const long count = *(long *)cpus;

	t_tell(parent);
	t_hear(parent);
	touch_pages();
	for (int i = 0; i < MOVES && count > 1; i++)
		move_to(i % 2);
	t_tell(parent);
	t_hear(parent);
}

/* What a thread that sleeps before and after has done is what the kernel says. */
static void counted_at(enum gapp_level level, const char *name)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct t_child child = t_fork(touch_and_move, &cpus);
	const struct gapp_thread_tallies *row;
	long long faults, moved;
	struct rows *rows;
	int fd;

	t_hear(&child);
	fd = counting_session(&child, level);
	t_settled(child.pid);
	faults = kernel_faults(child.pid);
	moved = kernel_migrations(child.pid);
	t_expect(t_start(fd), T_OK, "%s: START", name);
	t_tell(&child);
	t_hear(&child);
	t_settled(child.pid);
	t_expect(t_stop(fd), T_OK, "%s: STOP", name);
	faults = kernel_faults(child.pid) - faults;
	rows = thread_rows(fd);
	row = row_of(rows, child.pid);
	t_check(faults >= PAGES && row->counts[FAULTS] == (u64)faults,
		"page faults are those of the kernel's account", "%s: %llu, the kernel's %lld",
		name, row->counts[FAULTS], faults);
	if (moved < 0)
		t_skip("migrations are those of the kernel's account", "no /proc/PID/sched");
	else
		t_check(row->counts[MIGRATIONS] == (u64)(kernel_migrations(child.pid) - moved),
			"migrations are those of the kernel's account",
			"%s: %llu, the kernel's %lld", name, row->counts[MIGRATIONS],
			kernel_migrations(child.pid) - moved);
	if (cpus > 1)
		t_check(row->counts[MIGRATIONS] >= MOVES - 1, "each move is counted",
			"%s: %llu of %d", name, row->counts[MIGRATIONS], MOVES);
	t_check(!row->uncounted, "nothing is missing", "%s: tallies %x", name, row->uncounted);
	sums_agree(fd, "threads and CPUs have the same sums");
	free(rows);
	close(fd);
	t_kill(&child);
}

void tallies_counted(void)
{
	counted_at(GAPP_LEVEL_STATS, "stats");
	counted_at(GAPP_LEVEL_CRITICAL, "critical");
	counted_at(GAPP_LEVEL_TRACE, "trace");
}

static void touch_on_and_on(struct t_child *parent, void *unused)
{
	(void)unused;
	t_tell(parent);
	for (;;)
		touch_pages();
}

/* Who runs is seen without a switch: as of START, of each call, and of STOP. */
void tallies_running(void)
{
	struct t_child child = t_fork(touch_on_and_on, NULL);
	long long before, between, after;
	struct rows *rows;
	u64 first, last;
	int fd;

	t_hear(&child);
	fd = counting_session(&child, GAPP_LEVEL_STATS);
	before = kernel_faults(child.pid);
	t_expect(t_start(fd), T_OK, "START");
	t_sleep(50 * NSEC_PER_MSEC);
	rows = thread_rows(fd);
	first = row_of(rows, child.pid)->counts[FAULTS];
	free(rows);
	between = kernel_faults(child.pid) - before;
	t_check(first && first <= (u64)between, "a thread that runs is counted meanwhile",
		"%llu, the kernel's %lld", first, between);
	t_sleep(50 * NSEC_PER_MSEC);
	t_expect(t_stop(fd), T_OK, "STOP");
	after = kernel_faults(child.pid) - before;
	rows = thread_rows(fd);
	last = row_of(rows, child.pid)->counts[FAULTS];
	t_check(last > first && last <= (u64)after, "and once more when the session ends",
		"%llu after %llu, the kernel's %lld", last, first, after);
	t_check(!row_of(rows, child.pid)->uncounted, "nothing is missing", "something is");
	free(rows);
	close(fd);
	t_kill(&child);
}

static void touch_in_children(struct t_child *parent, void *unused)
{
	(void)unused;
	t_tell(parent);
	t_hear(parent);
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid) {
			touch_pages();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	t_tell(parent);
	t_hear(parent);
}

/* What exited threads have done stays, in their rows and in those of CPUs. */
void tallies_exited(void)
{
	struct t_child child = t_fork(touch_in_children, NULL);
	struct rows *rows;
	u32 whole = 0;
	int fd;

	t_hear(&child);
	fd = counting_session(&child, GAPP_LEVEL_STATS);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&child);
	t_hear(&child);
	t_expect(t_stop(fd), T_OK, "STOP");
	rows = thread_rows(fd);
	for (u32 i = 0; i < rows->count; i++)
		whole += rows->rows[i].tid != child.pid && rows->rows[i].counts[FAULTS] >= PAGES &&
			 !rows->rows[i].uncounted;
	t_check(whole == 20, "each exited process has its faults", "%u of 20 have", whole);
	sums_agree(fd, "threads and CPUs have the same sums");
	free(rows);
	close(fd);
	t_kill(&child);
}

/**
 * struct in_slices - what records of slices have counted of a thread
 * @tid: the thread
 * @counts: by number of the tally
 * @slices: its records
 * @missing: those without tallies, or with others than the session's, or with something missing
 */
struct in_slices {
	pid_t tid;
	u64 counts[GAPP_TALLIES];
	u32 slices;
	u32 missing;
};

static void see_slice(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct gapp_slice_tallies *tallies;
	struct in_slices *seen = arg;

	if (record->type != GAPP_RECORD_SLICE || slice->tid != seen->tid)
		return;
	seen->slices++;
	tallies = r_tallies(slice);
	if (!tallies || tallies->count != 2 || tallies->uncounted) {
		seen->missing++;
		return;
	}
	for (u32 i = 0; i < tallies->count; i++)
		seen->counts[i] += ((const u64 *)(tallies + 1))[i];
}

/* Where every slice has a record, what they have counted adds up to what the thread has. */
static void in_slices(u8 unwind_by, const char *name)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	struct t_child child = t_fork(touch_and_move, &cpus);
	struct in_slices seen = { .tid = child.pid };
	const struct gapp_thread_tallies *row;
	struct gapp_counters counters;
	struct r_reader reader;
	struct rows *rows;
	bool posted;
	int fd;

	config.flags |= GAPP_CONFIG_TALLIES | GAPP_CONFIG_SLICE_TALLIES;
	config.unwind_by = unwind_by;
	config.ring_bytes = GAPP_DEFAULT_RING;
	fd = t_session(&config);
	t_expect(add_tally(fd, GAPP_TALLY_FAULTS, 0, 0), T_OK, "ADD_TALLY, faults");
	t_expect(add_tally(fd, GAPP_TALLY_MIGRATIONS, 0, 0), T_OK, "ADD_TALLY, migrations");
	r_open(&reader, fd);
	reader.see = see_slice;
	reader.arg = &seen;
	t_hear(&child);
	t_expect(t_add(fd, child.pid, 0), T_OK, "ADD_PROCESS");
	t_settled(child.pid);
	t_expect(t_start(fd), T_OK, "%s: START", name);
	t_tell(&child);
	t_hear(&child);
	t_settled(child.pid);
	t_expect(t_stop(fd), T_OK, "%s: STOP", name);
	r_drain(&reader);
	t_counters(fd, &counters);
	rows = thread_rows(fd);
	row = row_of(rows, child.pid);
	/* a slice whose end is posted has no record of its own */
	posted = counters.posts && seen.counts[FAULTS] <= row->counts[FAULTS];
	t_check(!reader.tally.bad, "all records make sense", "%s: %llu do not: %s", name,
		reader.tally.bad, reader.tally.why);
	t_check(seen.slices && !seen.missing, "each slice says what was counted in it",
		"%s: %u of %u do not", name, seen.missing, seen.slices);
	t_check(seen.counts[FAULTS] == row->counts[FAULTS] || posted,
		"page faults of all slices are those of the thread", "%s: %llu, the thread's %llu",
		name, seen.counts[FAULTS], row->counts[FAULTS]);
	t_check(seen.counts[MIGRATIONS] == row->counts[MIGRATIONS] || posted, "so are migrations",
		"%s: %llu, the thread's %llu", name, seen.counts[MIGRATIONS],
		row->counts[MIGRATIONS]);
	free(rows);
	r_close(&reader);
	close(fd);
	t_kill(&child);
}

void tallies_slices(void)
{
	in_slices(GAPP_UNWIND_BY_FP, "with call paths");
	in_slices(GAPP_UNWIND_BY_NONE, "without");
}

static void check_order(void)
{
	int fd = t_open();

	t_expect(add_tally(fd, GAPP_TALLY_FAULTS, 0, 0), -ENOTCONN, "ADD_TALLY before CONFIGURE");
	close(fd);
	fd = tallying_session(0, GAPP_LEVEL_STATS);
	t_expect(add_tally(fd, GAPP_TALLY_FAULTS, 0, 0), -EINVAL, "ADD_TALLY without the flag");
	close(fd);
}

static void check_fields(int fd)
{
	struct gapp_add_tally tally = { .source = GAPP_TALLY_FAULTS, .reserved = { 0, 1 } };
	int ret;

	t_expect(t_ioctl(fd, GAPP_IOC_ADD_TALLY, &tally), -EINVAL, "ADD_TALLY, reserved");
	t_expect(add_tally(fd, GAPP_TALLY_SOURCES, 0, 0), -EINVAL, "ADD_TALLY, no such source");
	t_expect(add_tally(fd, GAPP_TALLY_FAULTS, 1, 0), -EINVAL, "ADD_TALLY, faults with a type");
	t_expect(add_tally(fd, GAPP_TALLY_FAULTS, 0, 1), -EINVAL,
		 "ADD_TALLY, faults with a config");
	t_expect(add_tally(fd, GAPP_TALLY_PERF, PERF_TYPE_SOFTWARE, 0), -EINVAL,
		 "ADD_TALLY, a counter that is not the processor's");
	t_expect(add_tally(fd, GAPP_TALLY_PERF, PERF_TYPE_TRACEPOINT, 0), -EINVAL,
		 "ADD_TALLY, a tracepoint");
	ret = add_tally(fd, GAPP_TALLY_PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	t_check(!ret || ret == -ENOENT || ret == -EOPNOTSUPP || ret == -EAGAIN,
		"instructions are counted, or the machine says that it cannot", "%d", ret);
}

void tallies_refused(void)
{
	struct t_child child = t_fork(t_idle, NULL);
	struct gapp_thread_tallies row;
	struct gapp_page page = { .buffer = (uintptr_t)&row, .capacity = 1 };
	int fd, added = 0;

	t_hear(&child);
	check_order();
	fd = tallying_session(GAPP_CONFIG_TALLIES, GAPP_LEVEL_STATS);
	check_fields(fd);
	while (added < 2 * GAPP_TALLIES && !add_tally(fd, GAPP_TALLY_MIGRATIONS, 0, 0))
		added++;
	t_check(added == GAPP_TALLIES || added == GAPP_TALLIES - 1, "a session has so many tallies",
		"%d", added);
	t_expect(add_tally(fd, GAPP_TALLY_FAULTS, 0, 0), -ENOSPC, "ADD_TALLY, one too many");
	t_expect(t_ioctl(fd, GAPP_IOC_THREAD_TALLIES, &page), T_OK, "THREAD_TALLIES before START");
	t_check(!page.count, "there are none before START", "%u", page.count);
	t_expect(t_add(fd, child.pid, 0), T_OK, "ADD_PROCESS");
	t_expect(t_start(fd), T_OK, "START");
	t_expect(add_tally(fd, GAPP_TALLY_FAULTS, 0, 0), -EBUSY, "ADD_TALLY after START");
	close(fd);

	fd = tallying_session(0, GAPP_LEVEL_STATS);
	t_expect(t_add(fd, child.pid, 0), T_OK, "ADD_PROCESS");
	t_expect(t_start(fd), T_OK, "START");
	t_expect(t_ioctl(fd, GAPP_IOC_THREAD_TALLIES, &page), T_OK, "THREAD_TALLIES of no tallies");
	t_check(!page.count, "a session without tallies has no rows of threads", "%u", page.count);
	page = (struct gapp_page){ .buffer = (uintptr_t)&row, .capacity = 1 };
	t_expect(t_ioctl(fd, GAPP_IOC_CPU_TALLIES, &page), T_OK, "CPU_TALLIES of no tallies");
	t_check(!page.count, "nor of CPUs", "%u", page.count);
	close(fd);
	t_kill(&child);
}

static void burn(struct t_child *parent, void *unused)
{
	(void)unused;
	t_tell(parent);
	t_hear(parent);
	for (int i = 0; i < 50; i++) {
		t_burn_until(t_now() + 4 * NSEC_PER_MSEC);
		t_sleep(NSEC_PER_MSEC);
	}
	t_tell(parent);
	t_hear(parent);
}

/*
 * With the module's fault count_nanoseconds a counter of the processor counts nanoseconds: then a
 * thread's count is the time for which it ran.
 */
void tallies_of_the_processor(void)
{
	struct t_child child = t_fork(burn, NULL);
	const struct gapp_thread_tallies *row;
	const struct gapp_thread_figures *figures;
	struct t_rows threads;
	struct rows *rows;
	u64 ran_ns;
	int fd;

	t_hear(&child);
	fd = tallying_session(GAPP_CONFIG_TALLIES, GAPP_LEVEL_CRITICAL);
	t_expect(add_tally(fd, GAPP_TALLY_PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
		 T_OK, "ADD_TALLY, instructions");
	t_expect(t_add(fd, child.pid, 0), T_OK, "ADD_PROCESS");
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&child);
	t_hear(&child);
	t_expect(t_stop(fd), T_OK, "STOP");
	rows = thread_rows(fd);
	threads = t_rows(fd, GAPP_IOC_THREADS, 100);
	row = row_of(rows, child.pid);
	figures = t_find(&threads, child.pid);
	ran_ns = figures ? figures->run_ns : 0;
	t_check(!row->uncounted && row->counts[0] > 150 * NSEC_PER_MSEC &&
			row->counts[0] > ran_ns / 100 * 95 && row->counts[0] < ran_ns / 100 * 105,
		"a counter of the processor is the thread's while it runs",
		"%llu counted in %llu ns on a CPU, missing: %x", row->counts[0], ran_ns,
		row->uncounted);
	free(rows);
	free(threads.rows);
	close(fd);
	t_kill(&child);
}

#define TOGETHER_NS (2300 * NSEC_PER_MSEC)
#define ALONE_NS (300 * NSEC_PER_MSEC)

static void *burn_together(void *unused)
{
	(void)unused;
	t_burn_until(t_now() + TOGETHER_NS);
	return NULL;
}

/* A switch for somebody else would begin the next slice, and its counts with it. */
static void begin_as_first(struct t_child *parent)
{
	const struct sched_param first = { .sched_priority = 1 };

	t_tell(parent);
	t_hear(parent);
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		t_die("SCHED_FIFO");
}

/* Two threads, and then one alone, which does not leave its CPU between. */
static void burn_alone_at_last(struct t_child *parent, void *unused)
{
	pthread_t thread;

	(void)unused;
	begin_as_first(parent);
	if (pthread_create(&thread, NULL, burn_together, NULL))
		t_die("pthread_create");
	t_burn_until(t_now() + TOGETHER_NS + ALONE_NS);
	pthread_join(thread, NULL);
	t_tell(parent);
	t_hear(parent);
}

/* The records of a thread in which more was counted than they have time. */
struct too_much {
	pid_t tid;
	u32 slices;
	u32 spun;
	u32 more;
	u64 most;
};

static void see_length(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct gapp_slice_tallies *tallies;
	struct too_much *seen = arg;
	u64 counted, length;

	if (record->type != GAPP_RECORD_SLICE || slice->tid != seen->tid)
		return;
	tallies = r_tallies(slice);
	counted = tallies ? *(const u64 *)(tallies + 1) : 0;
	length = record->time_ns - slice->begin_ns;
	seen->slices++;
	seen->spun += slice->then == GAPP_THEN_WAIT && slice->wait == GAPP_WAIT_SPIN;
	if (counted <= length + 20 * NSEC_PER_MSEC)
		return;
	seen->more++;
	if (counted - length > seen->most)
		seen->most = counted - length;
}

#define SPIN_ROUNDS 4
#define SPIN_NS (100 * NSEC_PER_MSEC)

/* Works while the process's first thread spins, and sleeps while that one works. */
static void *keep_waiting(void *arg)
{
	int *flags = arg;

	for (u32 i = 0; i < SPIN_ROUNDS; i++) {
		t_burn_until(t_now() + SPIN_NS);
		__atomic_store_n(&flags[i], 1, __ATOMIC_RELEASE);
		t_sleep(SPIN_NS / 2);
	}
	return NULL;
}

/* Works after each time in a loop, and does not leave its CPU between. */
static void spin_and_burn(struct t_child *parent, void *unused)
{
	int flags[SPIN_ROUNDS] = { 0 };
	pthread_t thread;

	(void)unused;
	begin_as_first(parent);
	if (pthread_create(&thread, NULL, keep_waiting, flags))
		t_die("pthread_create");
	for (u32 i = 0; i < SPIN_ROUNDS; i++) {
		spins_pause_until(&flags[i]);
		t_burn_until(t_now() + SPIN_NS / 4);
	}
	pthread_join(thread, NULL);
	t_tell(parent);
	t_hear(parent);
}

/* @spins: the session knows the loop in which the thread waits */
static void counts_fit(void (*act)(struct t_child *parent, void *unused), bool spins)
{
	struct t_child child = t_fork(act, NULL);
	struct too_much seen = { .tid = child.pid };
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct r_reader reader;
	u32 table = 0;
	int fd;

	t_hear(&child);
	config.flags |= GAPP_CONFIG_TALLIES | GAPP_CONFIG_SLICE_TALLIES;
	if (spins) {
		config.flags |= GAPP_CONFIG_SPINS;
		config.unwind_by = GAPP_UNWIND_BY_TABLE;
		config.ring_bytes = GAPP_DEFAULT_RING;
	}
	config.n_min_mode = GAPP_N_MIN_FIXED;
	config.n_min = 1;
	/* else each part has a record, with no share, too */
	config.min_critical_ns = NSEC_PER_MSEC / 10;
	config.rate_hz = 100;
	fd = t_session(&config);
	t_expect(add_tally(fd, GAPP_TALLY_PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
		 T_OK, "ADD_TALLY, instructions");
	r_open(&reader, fd);
	reader.see = see_length;
	reader.arg = &seen;
	t_expect(t_add(fd, child.pid, 0), T_OK, "ADD_PROCESS");
	if (spins)
		table = spins_load(fd);
	t_expect(t_start(fd), T_OK, "START");
	if (spins)
		t_expect(spins_set_mapping(fd, child.pid, table), T_OK, "SET_MAPPINGS");
	t_tell(&child);
	t_hear(&child);
	t_expect(t_stop(fd), T_OK, "STOP");
	r_drain(&reader);
	t_check(seen.slices && !seen.more,
		spins ? "no slice has counts of before it, while the thread spun" :
			"no slice has counts of longer than it lasted",
		"%u of %u have, of %llu ns more", seen.more, seen.slices, seen.most);
	if (spins)
		t_check(seen.spun >= SPIN_ROUNDS / 2, "the thread was seen to spin", "%u times",
			seen.spun);
	r_close(&reader);
	close(fd);
	t_kill(&child);
}

/*
 * What was counted in parts of a slice that were not critical, and while its thread spun, is in no
 * record: these have none.
 */
void tallies_of_parts(void)
{
	counts_fit(burn_alone_at_last, false);
}

void tallies_of_spinners(void)
{
	counts_fit(spin_and_burn, true);
}
