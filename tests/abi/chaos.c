// SPDX-License-Identifier: GPL-2.0
/*
 * Many threads do anything to a few sessions, in any order, right or wrong, while their targets
 * fork, exec and exit. What the calls return is not looked at, but for what can never be: the
 * kernel must not complain, and nothing may be left.
 *
 * Usage: chaos SECONDS [seed]
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exact_loop.h"
#include "frameless.h"
#include "t.h"

#define FILES 6
#define THREADS 8
#define TARGETS 4
#define ROWS 300

/* The targets store into it. */
static volatile u64 stored;

static int files[FILES];
static struct t_child targets[TARGETS];
static volatile bool end;
static unsigned long calls, started, impossible;

static unsigned int pick(unsigned int *seed, unsigned int below)
{
	return rand_r(seed) % below;
}

static void *short_thread(void *arg)
{
	t_burn_until(t_now() + 200000);
	return arg;
}

/* Threads, processes and programs that come and go. */
static void restless(struct t_child *parent, void *arg)
{
	unsigned int seed = getpid();
	pthread_t thread;

	(void)arg;
	t_tell(parent);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		switch (pick(&seed, 4)) {
		case 0:
			if (!pthread_create(&thread, NULL, short_thread, NULL))
				pthread_detach(thread);
			break;
		case 1:
			if (!fork())
				_exit(0);
			break;
		case 2:
			if (!fork()) {
				execl("/proc/self/exe", "chaos", NULL);
				_exit(1);
			}
			break;
		default:
			stored++;
			x_look_until(&(const int){ 1 });
			prctl(PR_SET_NAME, pick(&seed, 2) ? "restless" : "r");
			t_sleep(pick(&seed, 1000) * 1000);
		}
	}
}

static pid_t some_pid(unsigned int *seed)
{
	switch (pick(seed, 6)) {
	case 0:
		return getpid();
	case 1:
		return pick(seed, 1000);
	default:
		return targets[pick(seed, TARGETS)].pid;
	}
}

static void configure(int fd, unsigned int *seed)
{
	struct gapp_config config = {
		.abi_major = GAPP_ABI_MAJOR,
		.n_min_mode = pick(seed, 4),
		.max_threads = pick(seed, 3) ? 0 : pick(seed, 40),
		.max_exited = pick(seed, 40),
		.level = pick(seed, 4),
		.flags = (pick(seed, 2) ? pick(seed, 257) : 0) |
			 (pick(seed, 4) ? 0 : GAPP_CONFIG_TALLIES),
	};

	if (config.level) {
		config.min_critical_ns = pick(seed, 3) * 10000;
		config.rate_hz = pick(seed, 3) * 1000;
		config.ring_bytes = GAPP_MIN_RING << pick(seed, 3);
		config.paths = GAPP_MIN_PATHS << pick(seed, 4);
		config.max_stack = pick(seed, GAPP_MAX_STACK + 2);
		config.criterion = pick(seed, 2);
		config.unwind_by = pick(seed, GAPP_UNWIND_BY_NONE + 1);
		config.stack_copy_bytes = pick(seed, 2) ? 0 : pick(seed, 40) * 64;
		if (config.unwind_by != GAPP_UNWIND_BY_TABLE)
			config.flags &= ~GAPP_CONFIG_VERIFY;
		if (config.flags & GAPP_CONFIG_HANDOVERS)
			config.flags |= GAPP_CONFIG_WAITS;
		if (config.rate_hz && (config.unwind_by == GAPP_UNWIND_BY_TABLE ||
				       config.unwind_by == GAPP_UNWIND_BY_AUTO))
			config.flags |= GAPP_CONFIG_SPINS;
	}

	if (config.n_min_mode == GAPP_N_MIN_FIXED)
		config.n_min = pick(seed, 4);
	t_ioctl(fd, GAPP_IOC_CONFIGURE, &config);
}

static void status(int fd)
{
	struct gapp_status status;

	if (t_ioctl(fd, GAPP_IOC_STATUS, &status))
		return;
	/* With groups there are sums of several times. */
	if ((status.n_min && status.idle_ns > status.wall_ns) || status.c > status.g ||
	    status.state > 3 || status.unexpected)
		__atomic_fetch_add(&impossible, 1, __ATOMIC_RELAXED);
}

static void page(int fd, unsigned int *seed)
{
	static const unsigned long requests[] = { GAPP_IOC_THREADS,	GAPP_IOC_PROCESSES,
						  GAPP_IOC_PARALLELISM, GAPP_IOC_TARGETS,
						  GAPP_IOC_CPU_TALLIES, GAPP_IOC_THREAD_TALLIES };
	struct gapp_thread_figures rows[ROWS];
	struct gapp_page page = { .buffer = (uintptr_t)rows, .capacity = 1 + pick(seed, ROWS) };
	unsigned long request = requests[pick(seed, ARRAY_SIZE(requests))];

	if (!pick(seed, 8))
		page.cursor = pick(seed, 2) ? ~0ULL : pick(seed, 5000);
	if (!pick(seed, 16))
		page.buffer += sizeof(rows) - pick(seed, 400) + (1ULL << 20);
	while (!t_ioctl(fd, request, &page) && page.count && pick(seed, 8))
		page.count = 0;
}

static void read_proc(unsigned int *seed)
{
	char path[64], text[4096];
	int fd;

	snprintf(path, sizeof(path), "/proc/gapp/sessions");
	if (pick(seed, 2))
		snprintf(path, sizeof(path), "/proc/gapp/session-%u/threads",
			 (unsigned int)__atomic_load_n(&started, __ATOMIC_RELAXED) - pick(seed, 6));
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return;
	while (read(fd, text, 1 + pick(seed, sizeof(text))) > 0)
		;
	close(fd);
}

/* The descriptor stays, what it stands for becomes another session. */
static void replace(int fd)
{
	int new = open(GAPP_NODE, O_RDWR | O_CLOEXEC);

	if (new < 0)
		return;
	dup3(new, fd, O_CLOEXEC);
	close(new);
	__atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
}

static void noise(int fd, unsigned int *seed)
{
	u8 bytes[256];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = pick(seed, 3) ? 0 : pick(seed, 256);
	t_ioctl(fd, _IOC(pick(seed, 4), GAPP_IOC_MAGIC, pick(seed, 21), pick(seed, 250)), bytes);
}

static void add_exe(int fd, unsigned int *seed)
{
	struct gapp_add_executable exe = { .fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
					   .flags = pick(seed, 2) };

	t_ioctl(fd, GAPP_IOC_ADD_EXECUTABLE, &exe);
	close(exe.fd);
}

/* Loads, drops and uses tables; those of a session have small numbers. */
static void use_table(int fd, unsigned int *seed)
{
	struct f_table table = f_table();
	struct gapp_mapping maps[] = {
		{ .begin = 4096, .end = 1U << 24, .table = pick(seed, 4) },
		{ .begin = 1U << 24, .end = 1ULL << 46, .table = pick(seed, 8) },
	};
	pid_t pid = some_pid(seed);
	u32 image;

	table.rules[F_RULE_INNER].cfa_offset = pick(seed, 4) * 8;
	table.rows[pick(seed, F_ROWS)].rule = pick(seed, F_RULES + 1);
	f_load(fd, &table, sizeof(table));
	if (!pick(seed, 3))
		f_drop(fd, pick(seed, 8));
	if (!f_set(fd, pid, &image, NULL, 0))
		f_set(fd, pid, &image, maps, pick(seed, ARRAY_SIZE(maps) + 1));
}

/* Watches something of whatever session it is, or nothing. */
static void watch(int fd, unsigned int *seed)
{
	struct gapp_watch watch = {
		.address = (uintptr_t)&stored + pick(seed, 4) / 3,
		.number = pick(seed, 3),
		.pid = some_pid(seed),
		.time_ns = pick(seed, GAPP_WATCH_MAX_NS),
		.stores = pick(seed, GAPP_WATCH_MAX_STORES),
		.goes_on = pick(seed, GAPP_SPIN_WHILES),
		.bytes = 1 << pick(seed, 4),
	};

	if (!pick(seed, 4))
		watch = (struct gapp_watch){ 0 };
	t_ioctl(fd, GAPP_IOC_WATCH, &watch);
}

static void add_tally(int fd, unsigned int *seed)
{
	struct gapp_add_tally tally = { .source = pick(seed, GAPP_TALLY_SOURCES) };

	t_ioctl(fd, GAPP_IOC_ADD_TALLY, &tally);
}

/* Has the loop of some process timed exactly, or none, whatever session it is. */
static void time_exactly(int fd, unsigned int *seed)
{
	const struct x_table table = x_table();
	struct gapp_mapping maps = { .begin = 4096, .end = 1U << 24, .spins = pick(seed, 4) };
	struct gapp_exact exact = { .address = (uintptr_t)t_exact_begin + pick(seed, 8),
				    .pid = some_pid(seed),
				    .passes = 1 + pick(seed, 1000) };
	u32 image;

	if (!pick(seed, 4))
		f_load(fd, &table, sizeof(table));
	if (!pick(seed, 3) && !f_set(fd, exact.pid, &image, NULL, 0))
		f_set(fd, exact.pid, &image, &maps, 1);
	if (!pick(seed, 4))
		exact = (struct gapp_exact){ 0 };
	x_exact(fd, &exact);
}

/* Has some process's stores told, or none, whatever session it is. */
static void tell_stores(int fd, unsigned int *seed)
{
	struct gapp_store_point point = { .address = (uintptr_t)t_exact_begin,
					  .pid = some_pid(seed),
					  .passes = 1 + pick(seed, 1000),
					  .base = pick(seed, 17),
					  .index = GAPP_SPIN_NO_REGISTER,
					  .bytes = 1U << pick(seed, 4),
					  .how = 1 + pick(seed, GAPP_STORE_HOWS - 1) };

	if (!pick(seed, 4))
		point = (struct gapp_store_point){ 0 };
	t_ioctl(fd, GAPP_IOC_STORE_POINT, &point);
}

/* Maps something of whatever session it is, uses it a little, and may leave the session to it. */
static void use_map(int fd, unsigned int *seed)
{
	const u64 offsets[] = { GAPP_MAP_PATHS, GAPP_MAP_READ_POSITIONS, GAPP_MAP_RING(0),
				GAPP_MAP_RING(1), GAPP_MAP_RING(pick(seed, 70)) };
	u64 offset = offsets[pick(seed, ARRAY_SIZE(offsets))], bytes;
	struct pollfd polled = { .fd = fd, .events = POLLIN };
	struct gapp_layout layout = { 0 };
	struct gapp_counters counters;
	u8 *memory;

	t_ioctl(fd, GAPP_IOC_COUNTERS, &counters);
	t_ioctl(fd, GAPP_IOC_LAYOUT, &layout);
	bytes = offset == GAPP_MAP_PATHS	  ? layout.paths_map_bytes :
		offset == GAPP_MAP_READ_POSITIONS ? layout.positions_map_bytes :
						    layout.ring_map_bytes;
	memory = mmap(NULL, bytes,
		      offset == GAPP_MAP_READ_POSITIONS ? PROT_READ | PROT_WRITE : PROT_READ,
		      MAP_SHARED, fd, offset);
	poll(&polled, 1, pick(seed, 3));
	if (memory == MAP_FAILED)
		return;
	for (u64 i = 0; i < bytes; i += 64)
		if (offset == GAPP_MAP_READ_POSITIONS)
			*(volatile u64 *)(memory + i) = rand_r(seed) - 1000ULL;
		else
			(void)*(volatile u64 *)(memory + i);
	if (!pick(seed, 4))
		t_sleep(pick(seed, 10) * NSEC_PER_MSEC);
	munmap(memory, bytes);
}

static void *worker(void *arg)
{
	unsigned int seed = (unsigned long)arg;

	while (!end) {
		int fd = files[pick(&seed, FILES)];

		switch (pick(&seed, 29)) {
		case 0:
			if (!pick(&seed, 4))
				replace(fd);
			break;
		case 1:
		case 2:
			configure(fd, &seed);
			break;
		case 3:
		case 4:
		case 5:
			t_add(fd, some_pid(&seed), pick(&seed, 2));
			break;
		case 6:
		case 7:
			t_start(fd);
			break;
		case 8:
			if (!pick(&seed, 4))
				t_stop(fd);
			break;
		case 9:
			status(fd);
			break;
		case 10:
			noise(fd, &seed);
			break;
		case 11:
			read_proc(&seed);
			break;
		case 12:
			if (!pick(&seed, 4))
				add_exe(fd, &seed);
			break;
		case 13:
		case 14:
		case 15:
			use_map(fd, &seed);
			break;
		case 16:
		case 17:
		case 18:
			use_table(fd, &seed);
			break;
		case 19:
		case 20:
			watch(fd, &seed);
			break;
		case 21:
		case 22:
			time_exactly(fd, &seed);
			break;
		case 23:
		case 24:
			add_tally(fd, &seed);
			break;
		case 25:
			tell_stores(fd, &seed);
			break;
		default:
			page(fd, &seed);
		}
		__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? atoi(argv[1]) : 0;
	unsigned long seed = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t threads[THREADS];
	char group[64];

	if (!seconds)
		return 0;
	snprintf(group, sizeof(group), "chaos %u %lu: ", seconds, seed);
	t_group = group;
	for (int i = 0; i < TARGETS; i++) {
		targets[i] = t_fork(restless, NULL);
		t_hear(&targets[i]);
	}
	for (int i = 0; i < FILES; i++)
		files[i] = t_open();
	for (unsigned long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, worker, (void *)(seed * 1000 + i)))
			t_die("pthread_create");
	t_sleep(seconds * NSEC_PER_SEC);
	end = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < TARGETS; i++)
		t_kill(&targets[i]);
	t_check(!impossible, "nothing that cannot be", "%lu times", impossible);
	t_check(calls > 100 && started > 2, "enough was done", "%lu calls, %lu sessions", calls,
		started);
	return t_done();
}
