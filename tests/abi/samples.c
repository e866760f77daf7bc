// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of a thread that computes for long, alone: each says where in the kernel the thread was,
 * and for which system call or exception, and says nothing where the thread was in its own code.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "busy.h"
#include "groups.h"
#include "records.h"

#define RATE_HZ 1000
#define SAMPLES 50
#define PATIENCE_NS (10 * NSEC_PER_SEC)
/* Some interrupts find the thread elsewhere, or the guest's CPU is away: of ten so many agree. */
#define MOST_OF_TEN 8
/* Memory is given back in between, too. */
#define HALF_OF_TEN 5
#define READ_BYTES 0x100000U
/* Sessions whose timers often expire in one interrupt. */
#define SESSIONS 8
/* Enough for a path of one frame, not for a deep one as well. */
#define SHORT_US "60"

/* In memory that both processes have. */
struct orders {
	void (*stay)(const struct orders *orders);
	bool over;
};

static bool goes_on(const struct orders *orders)
{
	return !__atomic_load_n(&orders->over, __ATOMIC_RELAXED);
}

static void stay_in_own_code(const struct orders *orders)
{
	while (goes_on(orders))
		;
}

static void stay_as_ordered(void *orders)
{
	stay_in_own_code(orders);
}

static void stay_deep(const struct orders *orders)
{
	busy_deep(stay_as_ordered, (void *)orders);
}

static void stay_in_kernel(const struct orders *orders)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	void *buffer = malloc(READ_BYTES);

	while (goes_on(orders))
		if (read(zero, buffer, READ_BYTES) != READ_BYTES)
			t_die("/dev/zero");
	free(buffer);
	close(zero);
}

/* Each page is new when it is written to. */
static void stay_in_faults(const struct orders *orders)
{
	const size_t page = sysconf(_SC_PAGESIZE);

	while (goes_on(orders)) {
		char *pages = mmap(NULL, READ_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (pages == MAP_FAILED)
			t_die("pages");
		/* a kernel without huge pages refuses that */
		madvise(pages, READ_BYTES, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < READ_BYTES; i += page)
			pages[i] = 1;
		munmap(pages, READ_BYTES);
	}
}

/*
 * Stays on one CPU, where other programs do not come in between: so its slices are long. With
 * PREEMPT_RT it would keep threads of the kernel from that CPU, too, so there it is only preferred.
 */
static void stay_alone(void)
{
	const struct sched_param first = { .sched_priority = 1 };
	cpu_set_t last;

	CPU_ZERO(&last);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
	if (sched_setaffinity(0, sizeof(last), &last))
		t_die("sched_setaffinity");
	if (t_preempt_rt() ? setpriority(PRIO_PROCESS, 0, -20) :
			     sched_setscheduler(0, SCHED_FIFO, &first))
		t_die("the priority");
}

/* At a word it computes, until that is over. */
static void computes(struct t_child *parent, void *arg)
{
	const struct orders *orders = arg;

	t_tell(parent);
	t_hear(parent);
	stay_alone();
	orders->stay(orders);
	t_tell(parent);
	pause();
}

/*
 * Of samples, and of records of the slice that is open at STOP: how many, and with which paths.
 * @in_code, @in_read and @in_fault: samples that say where they hit the thread.
 */
struct where {
	u64 samples;
	u64 in_kernel;
	u64 in_code;
	u64 in_read;
	u64 in_fault;
	u64 with_path;
	u64 stopped;
	u64 stopped_in_kernel;
};

static void see(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	const struct gapp_sample *sample = (const void *)(slice + 1);
	const s32 *in = r_samples_in(slice);
	struct where *where = arg;

	if (record->type != GAPP_RECORD_SLICE)
		return;
	for (unsigned int i = 0; i < slice->sample_count; i++) {
		where->samples++;
		where->in_kernel += sample[i].kernel_path != GAPP_PATH_NONE;
		where->with_path += sample[i].path < GAPP_PATH_COPY;
		where->in_code += in[i] == GAPP_IN_USER;
		where->in_read += in[i] == SYS_read;
		where->in_fault += in[i] == GAPP_IN_FAULT;
	}
	/* without a path: it did not run just then */
	if (slice->then == GAPP_THEN_STOPPED && slice->path != GAPP_PATH_NONE) {
		where->stopped++;
		where->stopped_in_kernel += slice->kernel_path != GAPP_PATH_NONE;
	}
}

/* Until there are enough. */
static void read_samples(struct r_reader *readers, int count, u64 enough, const struct where *where)
{
	u64 end = t_now() + PATIENCE_NS;

	while (where->samples < enough && t_now() < end) {
		t_sleep(10 * NSEC_PER_MSEC);
		for (int i = 0; i < count; i++)
			r_drain(&readers[i]);
	}
}

static struct where sampled(void (*stay)(const struct orders *orders), u32 flags)
{
	struct orders *orders = mmap(NULL, sizeof(*orders), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct where where = { 0 };
	struct gapp_counters counters;
	struct r_reader reader;
	struct t_child target;
	int fd;

	config.rate_hz = RATE_HZ;
	config.flags = flags;
	orders->stay = stay;
	target = t_fork(computes, orders);
	t_hear(&target);
	fd = t_session(&config);
	r_open(&reader, fd);
	reader.see = see;
	reader.arg = &where;
	t_add(fd, target.pid, 0);
	t_expect(t_start(fd), T_OK, "START");
	t_tell(&target);
	read_samples(&reader, 1, SAMPLES, &where);
	t_expect(t_stop(fd), T_OK, "STOP while it computes");
	__atomic_store_n(&orders->over, true, __ATOMIC_RELAXED);
	t_hear(&target);
	r_drain(&reader);
	t_counters(fd, &counters);
	t_check(where.samples && !reader.tally.bad, "a thread that computes for long is sampled",
		"%llu samples, %llu bad: %s", where.samples, reader.tally.bad, reader.tally.why);
	t_check(where.with_path * 10 >= where.samples * MOST_OF_TEN,
		"samples have call paths, however long ago the slice began",
		"%llu of %llu; %llu over budget", where.with_path, where.samples,
		counters.lost[GAPP_LOST_PATHS_OVER_BUDGET]);
	r_close(&reader);
	close(fd);
	t_kill(&target);
	munmap(orders, sizeof(*orders));
	return where;
}

static void most(u64 count, u64 of_ten, const struct where *where, const char *name)
{
	t_check(where->samples && count * 10 >= where->samples * of_ten, name, "%llu of %llu",
		count, where->samples);
}

void samples_taken(void)
{
	struct where where = sampled(stay_in_own_code, GAPP_CONFIG_KERNEL_PATHS);

	t_check(where.in_kernel * 10 <= where.samples * (10 - MOST_OF_TEN),
		"no path in the kernel where the thread is in its own code",
		"%llu of %llu have one", where.in_kernel, where.samples);
	if (where.stopped)
		t_check(!where.stopped_in_kernel, "nor at STOP", "%llu of %llu have one",
			where.stopped_in_kernel, where.stopped);
	else
		t_skip("nor at STOP", "it did not run just then");
	most(where.in_code, MOST_OF_TEN, &where, "such samples say that it was in its own code");
	where = sampled(stay_in_kernel, GAPP_CONFIG_KERNEL_PATHS);
	t_check(where.in_kernel * 10 >= where.samples * MOST_OF_TEN,
		"a path in the kernel where the thread is there, however long ago the slice began",
		"%llu of %llu have one", where.in_kernel, where.samples);
	where = sampled(stay_in_kernel, 0);
	t_check(!where.in_kernel && !where.stopped_in_kernel,
		"no path in the kernel if none is asked for", "%llu of %llu samples, %llu at STOP",
		where.in_kernel, where.samples, where.stopped_in_kernel);
	most(where.in_read, MOST_OF_TEN, &where, "but samples in read() still name it");
	where = sampled(stay_in_faults, 0);
	most(where.in_fault, HALF_OF_TEN, &where, "samples in page faults say so");
}

/* A session that follows the process, and has its timer on each CPU expire as often as can be. */
static int samples_often(const struct t_child *target, enum gapp_unwind_by by)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	int fd;

	config.rate_hz = GAPP_MAX_RATE_HZ;
	config.unwind_by = by;
	config.max_stack = GAPP_MAX_STACK;
	fd = t_session(&config);
	t_add(fd, target->pid, 0);
	return fd;
}

/*
 * The samples of one interrupt share its time. The path of the first session and the last one has
 * one frame, for they have no table, and takes less than the session allows a switch: they lack
 * paths only for what others have taken before, and one of the two is behind others.
 */
static void judge_late(const int fd[static 2], const struct where *where)
{
	struct gapp_counters counters;
	u64 over = 0;

	for (int i = 0; i < 2; i++) {
		t_counters(fd[i], &counters);
		over += counters.lost[GAPP_LOST_PATHS_OVER_BUDGET];
	}
	t_check(where->samples > where->with_path, "samples of one interrupt share its time",
		"%llu, of which %llu have paths", where->samples, where->with_path);
	t_check(over >= where->samples - where->with_path, "and what is left out is counted",
		"%llu, of %llu - %llu", over, where->samples, where->with_path);
}

void samples_in_time(void)
{
	struct orders *orders = mmap(NULL, sizeof(*orders), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct r_reader reader[2];
	struct where where = { 0 };
	struct t_child target;
	int fd[SESSIONS];

	orders->stay = stay_deep;
	target = t_fork(computes, orders);
	t_hear(&target);
	for (int i = 2; i < SESSIONS; i++)
		fd[i] = samples_often(&target, GAPP_UNWIND_BY_FP);
	t_set_parameter("max_switch_us", SHORT_US);
	for (int i = 0; i < 2; i++) {
		fd[i] = samples_often(&target, GAPP_UNWIND_BY_TABLE);
		r_open(&reader[i], fd[i]);
		reader[i].see = see;
		reader[i].arg = &where;
	}
	t_set_parameter("max_switch_us", T_SWITCH_US);
	for (int i = 1; i <= SESSIONS; i++)
		t_expect(t_start(fd[i % SESSIONS]), T_OK, "START of session %d", i % SESSIONS);
	t_tell(&target);
	read_samples(reader, 2, 2 * SAMPLES, &where);
	__atomic_store_n(&orders->over, true, __ATOMIC_RELAXED);
	t_hear(&target);
	for (int i = 0; i < SESSIONS; i++)
		t_expect(t_stop(fd[i]), T_OK, "STOP of session %d", i);
	for (int i = 0; i < 2; i++)
		r_drain(&reader[i]);
	judge_late(fd, &where);
	for (int i = 0; i < 2; i++)
		r_close(&reader[i]);
	for (int i = 0; i < SESSIONS; i++)
		close(fd[i]);
	t_kill(&target);
	munmap(orders, sizeof(*orders));
}
