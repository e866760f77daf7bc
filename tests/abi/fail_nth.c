// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation and every user copy of every call fails once: the kernel's fault injection fails
 * the nth of them in the task that writes n to /proc/self/fail-nth. A call that fails says so, and
 * then succeeds.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exact_loop.h"
#include "frameless.h"
#include "groups.h"
#include "inject.h"
#include "t.h"

/* More allocations than any call makes with the settings of small(). */
#define MAX_NTH 2000

/* A kernel thread that every machine has, kthreadd. */
#define KTHREAD 2

/* What a call works on: made anew for each n. */
struct stage {
	int fd; /* of the session, or -1 */
	u32 id; /* of the session, where its files in /proc are used */
	pid_t target;
	pid_t more; /* a process that is no target yet */
	struct gapp_layout layout;
	int result_fd; /* what open() gave, or -1 */
	void *map;
	u64 map_bytes;
	u32 table;
	u32 spins;
	u32 image;
};

/*
 * @prepare brings a session into the state that the call needs. @call makes the call, and returns 0
 * or a negative error number. Where a call that failed may have had its effect all the same, a
 * second try may return @other; else @other is 0.
 */
struct nth_call {
	const char *name;
	void (*prepare)(struct stage *stage);
	int (*call)(struct stage *stage);
	int other;
};

static struct gapp_config small(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);

	config.max_threads = 64;
	config.max_exited = 64;
	config.unwind_by = GAPP_UNWIND_BY_AUTO;
	config.ring_bytes = GAPP_MIN_RING;
	config.paths = GAPP_MIN_PATHS;
	config.rate_hz = 100;
	config.flags = GAPP_CONFIG_WAKERS | GAPP_CONFIG_WAITS | GAPP_CONFIG_HANDOVERS |
		       GAPP_CONFIG_SPINS | GAPP_CONFIG_TALLIES;
	return config;
}

static void must(int error, const char *what)
{
	errno = -error;
	if (errno)
		t_die(what);
}

static void is_closed(struct stage *stage)
{
	(void)stage;
}

static void is_new(struct stage *stage)
{
	stage->fd = t_open();
}

static void is_ready(struct stage *stage)
{
	struct gapp_config config = small();

	stage->fd = t_session(&config);
	must(t_ioctl(stage->fd, GAPP_IOC_LAYOUT, &stage->layout), "LAYOUT");
}

static void has_target(struct stage *stage)
{
	is_ready(stage);
	must(t_add(stage->fd, stage->target, 0), "ADD_PROCESS");
}

static void awaits_target(struct stage *stage)
{
	is_ready(stage);
	must(t_add(stage->fd, stage->target, GAPP_ADD_AT_EXEC), "ADD_PROCESS at exec");
}

static void has_own_targets(struct stage *stage)
{
	struct gapp_config config = small();

	config.flags |= GAPP_CONFIG_PER_PROCESS;
	stage->fd = t_session(&config);
	must(t_add(stage->fd, stage->target, 0), "ADD_PROCESS");
}

static void runs(struct stage *stage)
{
	has_target(stage);
	must(t_start(stage->fd), "START");
}

static void runs_with_files(struct stage *stage)
{
	struct gapp_status status;

	runs(stage);
	t_status(stage->fd, &status);
	stage->id = status.id;
}

static const struct {
	struct gapp_spin_head head;
	struct gapp_spin_range range;
	struct gapp_spin_location location;
} spin_table = {
	.head = { .magic = GAPP_SPIN_MAGIC,
		  .version = GAPP_SPIN_VERSION,
		  .arch = GAPP_ARCH_X86_64,
		  .ranges = 1,
		  .locations = 1 },
	.range = { .begin = 4096, .bytes = 64, .location = 1 },
	.location = { .terms = 1, .term = { { .base = 7, .index = GAPP_SPIN_NO_REGISTER } } },
};

static int call_watch(struct stage *stage)
{
	struct gapp_watch watch = {
		.address = (uintptr_t)stage,
		.pid = stage->target,
		.time_ns = GAPP_WATCH_MAX_NS,
		.stores = GAPP_WATCH_MAX_STORES,
		.bytes = 8,
	};

	return t_ioctl(stage->fd, GAPP_IOC_WATCH, &watch);
}

/* A word is watched on the CPUs on which the target has run: this has it run. */
static void has_run(struct stage *stage)
{
	struct gapp_counters counters;

	runs(stage);
	if (kill(stage->target, SIGUSR1))
		t_die("kill");
	do {
		t_sleep(NSEC_PER_MSEC / 10);
		t_counters(stage->fd, &counters);
	} while (!counters.slices);
}

static void watches(struct stage *stage)
{
	has_run(stage);
	must(call_watch(stage), "WATCH");
}

static void has_table(struct stage *stage)
{
	struct f_table table = f_table();

	runs(stage);
	stage->table = f_load(stage->fd, &table, sizeof(table));
	stage->spins = f_load(stage->fd, &spin_table, sizeof(spin_table));
}

static void has_image(struct stage *stage)
{
	has_table(stage);
	must(f_set(stage->fd, stage->target, &stage->image, NULL, 0), "SET_MAPPINGS");
}

static void is_stopped(struct stage *stage)
{
	runs(stage);
	must(t_stop(stage->fd), "STOP");
}

static int call_open(struct stage *stage)
{
	stage->result_fd = open(GAPP_NODE, O_RDWR | O_CLOEXEC);
	return stage->result_fd < 0 ? -errno : 0;
}

static int call_close(struct stage *stage)
{
	int error = close(stage->fd) ? -errno : 0;

	stage->fd = -1;
	return error;
}

static int call_abi(struct stage *stage)
{
	struct gapp_abi abi;

	return t_ioctl(stage->fd, GAPP_IOC_GET_ABI, &abi);
}

static int configure(struct stage *stage, u32 flags)
{
	struct gapp_config config = small();

	config.flags |= flags;
	return t_ioctl(stage->fd, GAPP_IOC_CONFIGURE, &config);
}

static int call_configure(struct stage *stage)
{
	return configure(stage, 0);
}

static int call_configure_targets(struct stage *stage)
{
	return configure(stage, GAPP_CONFIG_PER_PROCESS);
}

static int call_add_process(struct stage *stage)
{
	return t_add(stage->fd, stage->more, 0);
}

static int call_add_at_exec(struct stage *stage)
{
	return t_add(stage->fd, stage->more, GAPP_ADD_AT_EXEC);
}

static int call_add_kthread(struct stage *stage)
{
	return t_add(stage->fd, KTHREAD, GAPP_ADD_KTHREAD);
}

static int call_add_executable(struct stage *stage)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct gapp_add_executable exe = { .fd = file };
	int error = file < 0 ? -errno : t_ioctl(stage->fd, GAPP_IOC_ADD_EXECUTABLE, &exe);

	close(file);
	return error;
}

static int call_add_selection(struct stage *stage)
{
	struct gapp_add_selection selection = { .comm = "a", .cgroup_fd = -1 };

	return t_ioctl(stage->fd, GAPP_IOC_ADD_SELECTION, &selection);
}

static int call_load_table(struct stage *stage)
{
	struct f_table table = f_table();
	int number = f_load(stage->fd, &table, sizeof(table));

	return number < 0 ? number : 0;
}

static int call_load_spins(struct stage *stage)
{
	int number = f_load(stage->fd, &spin_table, sizeof(spin_table));

	return number < 0 ? number : 0;
}

static int call_drop_table(struct stage *stage)
{
	return f_drop(stage->fd, stage->table);
}

static int call_ask_image(struct stage *stage)
{
	return f_set(stage->fd, stage->target, &stage->image, NULL, 0);
}

static int call_set_mappings(struct stage *stage)
{
	struct gapp_mapping maps[200];

	for (u64 i = 0; i < ARRAY_SIZE(maps); i++)
		maps[i] = (struct gapp_mapping){ .begin = (i + 1) * 4096,
						 .end = (i + 2) * 4096,
						 .table = i % 2 ? stage->table : 0,
						 .spins = i % 3 ? stage->spins : 0 };
	return f_set(stage->fd, stage->target, &stage->image, maps, ARRAY_SIZE(maps));
}

static int call_layout(struct stage *stage)
{
	return t_ioctl(stage->fd, GAPP_IOC_LAYOUT, &stage->layout);
}

static int map(struct stage *stage, u64 bytes, int prot, u64 offset)
{
	stage->map = mmap(NULL, bytes, prot, MAP_SHARED, stage->fd, offset);
	if (stage->map == MAP_FAILED) {
		stage->map = NULL;
		return -errno;
	}
	stage->map_bytes = bytes;
	return 0;
}

static int call_map_paths(struct stage *stage)
{
	return map(stage, stage->layout.paths_map_bytes, PROT_READ, GAPP_MAP_PATHS);
}

static int call_map_ring(struct stage *stage)
{
	return map(stage, stage->layout.ring_map_bytes, PROT_READ, GAPP_MAP_RING(0));
}

static int call_map_positions(struct stage *stage)
{
	return map(stage, stage->layout.positions_map_bytes, PROT_READ | PROT_WRITE,
		   GAPP_MAP_READ_POSITIONS);
}

static int call_start(struct stage *stage)
{
	return t_start(stage->fd);
}

static int call_poll(struct stage *stage)
{
	struct pollfd poll_fd = { .fd = stage->fd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) < 0 ? -errno : 0;
}

static int call_stop(struct stage *stage)
{
	return t_stop(stage->fd);
}

static int call_status(struct stage *stage)
{
	struct gapp_status status;

	return t_ioctl(stage->fd, GAPP_IOC_STATUS, &status);
}

static int call_counters(struct stage *stage)
{
	struct gapp_counters counters;

	return t_ioctl(stage->fd, GAPP_IOC_COUNTERS, &counters);
}

static int page(struct stage *stage, unsigned long request)
{
	static u8 rows[64 << 10];
	struct gapp_page page = { .buffer = (uintptr_t)rows, .capacity = 64 };

	return t_ioctl(stage->fd, request, &page);
}

static int call_threads(struct stage *stage)
{
	return page(stage, GAPP_IOC_THREADS);
}

static int call_processes(struct stage *stage)
{
	return page(stage, GAPP_IOC_PROCESSES);
}

static int call_parallelism(struct stage *stage)
{
	return page(stage, GAPP_IOC_PARALLELISM);
}

static int call_targets(struct stage *stage)
{
	return page(stage, GAPP_IOC_TARGETS);
}

static int call_waits(struct stage *stage)
{
	return page(stage, GAPP_IOC_THREAD_WAITS);
}

static int call_handovers(struct stage *stage)
{
	return page(stage, GAPP_IOC_HANDOVERS);
}

static int read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;
	char text[4096];

	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text)) < 0)
		error = -errno;
	close(fd);
	return error;
}

static int call_proc_sessions(struct stage *stage)
{
	(void)stage;
	return read_file("/proc/gapp/sessions");
}

static int call_proc_tables(struct stage *stage)
{
	(void)stage;
	return read_file("/proc/gapp/tables");
}

static void name_file(char *path, size_t size, const struct stage *stage, const char *file)
{
	snprintf(path, size, "/proc/gapp/session-%u/%s", stage->id, file);
}

static int call_proc_threads(struct stage *stage)
{
	char path[64];

	name_file(path, sizeof(path), stage, "threads");
	return read_file(path);
}

static int call_proc_end(struct stage *stage)
{
	char path[64];
	int fd, error;

	name_file(path, sizeof(path), stage, "end");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = write(fd, "1", 1) < 0 ? -errno : 0;
	close(fd);
	return error;
}

static void knows_loop(struct stage *stage)
{
	runs(stage);
	x_map_all(stage->fd, stage->target);
}

static int call_exact(struct stage *stage)
{
	struct gapp_exact exact = {
		.address = (uintptr_t)t_exact_begin,
		.pid = stage->target,
		.passes = 1,
	};

	return t_ioctl(stage->fd, GAPP_IOC_EXACT, &exact);
}

static void times_exactly(struct stage *stage)
{
	knows_loop(stage);
	must(call_exact(stage), "EXACT");
}

static int call_exact_nothing(struct stage *stage)
{
	struct gapp_exact nothing = { 0 };

	return t_ioctl(stage->fd, GAPP_IOC_EXACT, &nothing);
}

static int call_store_point(struct stage *stage)
{
	struct gapp_store_point point = {
		.address = (uintptr_t)t_exact_begin,
		.pid = stage->target,
		.passes = 1,
		.index = GAPP_SPIN_NO_REGISTER,
		.bytes = 4,
		.how = GAPP_STORE_SETS,
	};

	return t_ioctl(stage->fd, GAPP_IOC_STORE_POINT, &point);
}

static void tells_stores(struct stage *stage)
{
	knows_loop(stage);
	must(call_store_point(stage), "STORE_POINT");
}

static int call_store_point_nothing(struct stage *stage)
{
	struct gapp_store_point nothing = { 0 };

	return t_ioctl(stage->fd, GAPP_IOC_STORE_POINT, &nothing);
}

static int call_watch_nothing(struct stage *stage)
{
	struct gapp_watch nothing = { 0 };

	return t_ioctl(stage->fd, GAPP_IOC_WATCH, &nothing);
}

static int add_tally(struct stage *stage, u32 source)
{
	struct gapp_add_tally tally = { .source = source };
	int ret = t_ioctl(stage->fd, GAPP_IOC_ADD_TALLY, &tally);

	/* the guest's processor counts nothing */
	return ret == -ENOENT || ret == -EOPNOTSUPP ? 0 : ret;
}

static int call_add_tally(struct stage *stage)
{
	return add_tally(stage, GAPP_TALLY_FAULTS);
}

static int call_add_counter(struct stage *stage)
{
	return add_tally(stage, GAPP_TALLY_PERF);
}

static int call_tallies(struct stage *stage)
{
	return page(stage, GAPP_IOC_THREAD_TALLIES);
}

static int call_cpu_tallies(struct stage *stage)
{
	return page(stage, GAPP_IOC_CPU_TALLIES);
}

static const struct nth_call calls[] = {
	{ "open", is_closed, call_open, 0 },
	{ "GET_ABI", is_new, call_abi, 0 },
	{ "CONFIGURE", is_new, call_configure, 0 },
	{ "CONFIGURE, a target a process", is_new, call_configure_targets, 0 },
	{ "ADD_PROCESS", is_ready, call_add_process, 0 },
	{ "ADD_PROCESS, running", runs, call_add_process, -EEXIST },
	{ "ADD_PROCESS at exec", is_ready, call_add_at_exec, 0 },
	{ "ADD_PROCESS of a kernel thread", is_ready, call_add_kthread, 0 },
	{ "ADD_PROCESS of a kernel thread, running", runs, call_add_kthread, -EEXIST },
	{ "ADD_EXECUTABLE", is_ready, call_add_executable, 0 },
	{ "ADD_SELECTION", is_ready, call_add_selection, 0 },
	{ "ADD_TALLY", is_ready, call_add_tally, 0 },
	{ "ADD_TALLY of the processor", is_ready, call_add_counter, 0 },
	{ "LOAD_TABLE", is_ready, call_load_table, 0 },
	{ "LOAD_TABLE, running", runs, call_load_table, 0 },
	{ "LOAD_TABLE of loops", is_ready, call_load_spins, 0 },
	{ "DROP_TABLE", has_table, call_drop_table, -EINVAL },
	{ "SET_MAPPINGS, asking", has_table, call_ask_image, 0 },
	{ "SET_MAPPINGS", has_image, call_set_mappings, 0 },
	{ "LAYOUT", is_ready, call_layout, 0 },
	{ "mmap of paths", is_ready, call_map_paths, 0 },
	{ "mmap of a ring", is_ready, call_map_ring, 0 },
	{ "mmap of read positions", is_ready, call_map_positions, 0 },
	{ "START", has_target, call_start, -EBUSY },
	{ "START, at exec", awaits_target, call_start, -EBUSY },
	{ "START, a target a process", has_own_targets, call_start, -EBUSY },
	{ "poll", runs, call_poll, 0 },
	{ "STATUS", runs, call_status, 0 },
	{ "COUNTERS", runs, call_counters, 0 },
	{ "THREADS", runs, call_threads, 0 },
	{ "PROCESSES", runs, call_processes, 0 },
	{ "PARALLELISM", runs, call_parallelism, 0 },
	{ "TARGETS", runs, call_targets, 0 },
	{ "THREAD_WAITS", runs, call_waits, 0 },
	{ "HANDOVERS", runs, call_handovers, 0 },
	{ "THREAD_TALLIES", runs, call_tallies, 0 },
	{ "CPU_TALLIES", runs, call_cpu_tallies, 0 },
	{ "WATCH", has_run, call_watch, 0 },
	{ "WATCH, again", watches, call_watch, 0 },
	{ "WATCH of nothing", watches, call_watch_nothing, 0 },
	{ "STOP", runs, call_stop, 0 },
	{ "EXACT", knows_loop, call_exact, 0 },
	{ "EXACT of nothing", times_exactly, call_exact_nothing, 0 },
	{ "STORE_POINT", knows_loop, call_store_point, 0 },
	{ "STORE_POINT of nothing", tells_stores, call_store_point_nothing, 0 },
	{ "STOP, told of stores", tells_stores, call_stop, 0 },
	{ "STOP, watching", watches, call_stop, 0 },
	{ "STOP, timing exactly", times_exactly, call_stop, 0 },
	{ "THREADS, stopped", is_stopped, call_threads, 0 },
	{ "reading sessions in /proc", runs, call_proc_sessions, 0 },
	{ "reading tables in /proc", has_table, call_proc_tables, 0 },
	{ "reading threads in /proc", runs_with_files, call_proc_threads, 0 },
	{ "ending a session in /proc", runs_with_files, call_proc_end, 0 },
	{ "close of a session that is set up", has_target, call_close, 0 },
	{ "close of a session that runs", has_image, call_close, 0 },
	{ "close of a session that watches", watches, call_close, 0 },
};

static void clear(struct stage *stage)
{
	if (stage->map)
		munmap(stage->map, stage->map_bytes);
	if (stage->result_fd >= 0)
		close(stage->result_fd);
	if (stage->fd >= 0)
		close(stage->fd);
	stage->map = NULL;
	stage->result_fd = -1;
	stage->fd = -1;
}

/* How the calls of one kind went. */
struct tally {
	u32 injected;
	u32 failed;
	u32 odd; /* failed with another error */
	u32 stuck; /* did not succeed afterwards */
	int last_odd;
	int last_stuck;
};

/* Returns whether a fault was injected: if not, the call has fewer than @nth points to fail at. */
static bool fail_once(const struct nth_call *call, struct stage *stage, u32 nth,
		      struct tally *tally)
{
	bool injected;
	int error;

	stage->image = 0;
	call->prepare(stage);
	i_arm(nth);
	error = call->call(stage);
	injected = i_disarm();
	tally->injected += injected;
	if (error) {
		tally->failed++;
		if (!injected || (error != -ENOMEM && error != -EFAULT)) {
			tally->odd++;
			tally->last_odd = error;
		}
		error = call->call(stage);
		if (error && error != call->other) {
			tally->stuck++;
			tally->last_stuck = error;
		}
	}
	clear(stage);
	return injected;
}

static void fail_each(const struct nth_call *call, struct stage *stage)
{
	struct tally tally = { 0 };
	char name[128];
	u32 nth = 1;

	/* Once without: what the kernel and the program make at the first call is there then. */
	fail_once(call, stage, 0, &tally);
	while (nth < MAX_NTH && fail_once(call, stage, nth, &tally))
		nth++;
	snprintf(name, sizeof(name), "%s: %u of %u faults refuse it, and then it succeeds",
		 call->name, tally.failed, tally.injected);
	t_check(nth < MAX_NTH && !tally.odd && !tally.stuck, name,
		"%u fail otherwise (%s), %u are stuck (%s)%s", tally.odd,
		tally.last_odd ? strerrorname_np(-tally.last_odd) : "-", tally.stuck,
		tally.last_stuck ? strerrorname_np(-tally.last_stuck) : "-",
		nth < MAX_NTH ? "" : ", there is no end of faults");
	if (!strcmp(call->name, "CONFIGURE"))
		t_check(tally.failed > 10, "faults are injected into CONFIGURE", "%u are",
			tally.failed);
}

static void nothing(int number)
{
	(void)number;
}

/* It only waits, but for a moment at each signal. */
static void wakes_up(struct t_child *parent, void *unused)
{
	signal(SIGUSR1, nothing);
	t_idle(parent, unused);
}

void nth_each(void)
{
	struct stage stage = { .fd = -1, .result_fd = -1 };
	struct t_child target, more;

	if (!i_nth_begin()) {
		t_skip("every allocation fails once", "this kernel does not inject faults");
		return;
	}
	/* so that each START registers its probes */
	t_set_parameter("keep_probes_s", "0");
	target = t_fork(wakes_up, NULL);
	more = t_fork(t_idle, NULL);
	t_hear(&target);
	t_hear(&more);
	stage.target = target.pid;
	stage.more = more.pid;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		fail_each(&calls[i], &stage);
	i_nth_end();
	t_set_parameter("keep_probes_s", T_KEEP_PROBES_S);
	t_kill(&target);
	t_kill(&more);
}
