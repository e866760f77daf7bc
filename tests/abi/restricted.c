// SPDX-License-Identifier: GPL-2.0
/*
 * A session of a user without privilege: whose processes it takes, and which leave it. Run as root
 * in a guest; opens the node to everybody while it runs.
 *
 * Usage: restricted PATH-OF-hand
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "records.h"
#include "restricted_sessions.h"
#include "restricted_tables.h"
#include "spins.h"
#include "t.h"
#include "handovers.h"
#include "lives.h"
#include "wait_files.h"
#include "waker_paths.h"
#include "wakers.h"

#define USER 1000
#define OTHER 1001
#define USER_SESSIONS 8
#define USER_RATE_HZ 1000
#define LONGEST_START_MS 2000
#define INIT 1
#define KTHREADD 2
#define SETUID_COPY "/tmp/gapp-setuid"
#define UNREADABLE_COPY "/tmp/gapp-unreadable"

static void become(uid_t uid, gid_t gid)
{
	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		t_die("setresuid");
	/* A change of ids has made the process one that is not dumped; a new program would be. */
	if (prctl(PR_SET_DUMPABLE, 1))
		t_die("prctl");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

struct ids {
	uid_t uid;
	gid_t gid;
};

static void idle_as(struct t_child *parent, void *arg)
{
	const struct ids *ids = arg;

	become(ids->uid, ids->gid);
	t_idle(parent, NULL);
}

/* What it was allowed as root it may allow itself again. */
static void idle_with_capabilities(struct t_child *parent, void *arg)
{
	prctl(PR_SET_KEEPCAPS, 1);
	idle_as(parent, arg);
}

static void idle_not_dumpable(struct t_child *parent, void *arg)
{
	prctl(PR_SET_DUMPABLE, 0);
	t_idle(parent, arg);
}

static void *tells_alone(void *parent)
{
	/* until the leader has gone */
	t_sleep(20 * NSEC_PER_MSEC);
	t_tell(parent);
	pause();
	return NULL;
}

/* The first thread of the process exits, another one goes on. */
static void leaderless(struct t_child *parent, void *unused)
{
	pthread_t thread;

	(void)unused;
	errno = pthread_create(&thread, NULL, tells_alone, parent);
	if (errno)
		t_die("pthread_create");
	syscall(SYS_exit, 0);
}

/* Executes @program, which tells the parent when it runs. */
static void execute(struct t_child *parent, const char *program)
{
	char fd[24];

	fcntl(parent->to, F_SETFD, 0);
	snprintf(fd, sizeof(fd), "%d", parent->to);
	execl(program, "hand", "tell", fd, NULL);
	t_die(program);
}

/* At a word it executes the program. */
static void executes(struct t_child *parent, void *program)
{
	t_tell(parent);
	t_hear(parent);
	execute(parent, program);
}

static void user_executes(struct t_child *parent, void *program)
{
	become(USER, USER);
	executes(parent, program);
}

/* At a word it has a child that executes the program. */
static void child_executes(struct t_child *parent, void *program)
{
	t_tell(parent);
	t_hear(parent);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execute(parent, program);
	}
	pause();
}

struct user_test {
	const char *hand;
	int root_fd; /* opened by root */
	int root_new_fd; /* likewise, not configured */
	int root_spins_fd; /* likewise, follows @roots and may watch */
	struct t_child roots, others, group, capable, setuid;
	struct t_child executor; /* root's, executes the hand at a word */
};

static void refused_targets(int fd, const struct user_test *test)
{
	struct t_child hidden = t_fork(idle_not_dumpable, NULL);

	t_hear(&hidden);
	t_expect(t_add(fd, INIT, 0), -EPERM, "init");
	t_expect(t_add(fd, test->roots.pid, 0), -EPERM, "root's process");
	t_expect(t_add(fd, test->others.pid, 0), -EPERM, "another user's process");
	t_expect(t_add(fd, test->group.pid, 0), -EPERM, "a process with another group");
	t_expect(t_add(fd, test->capable.pid, 0), -EPERM, "an own process with capabilities");
	t_expect(t_add(fd, test->setuid.pid, 0), -EPERM, "a process of a setuid program");
	t_expect(t_add(fd, hidden.pid, 0), -EPERM, "an own process that must not be dumped");
	t_expect(t_add(fd, KTHREADD, 0), -EOPNOTSUPP, "a kernel thread");
	t_expect(t_add(fd, KTHREADD, GAPP_ADD_KTHREAD), -EPERM, "a kernel thread, as such");
	t_expect(t_add(fd, 0x7fffffff, 0), -ESRCH, "pid of nobody");
	t_kill(&hidden);
}

/* A process of which a thread is left that may be followed, though its leader has no memory. */
static void without_leader(void)
{
	struct t_child target = t_fork(leaderless, NULL);
	struct gapp_status status;
	int fd = t_ready();

	t_hear(&target);
	t_expect(t_add(fd, target.pid, 0), T_OK, "an own process whose leader has exited");
	t_expect(t_start(fd), T_OK, "START with it");
	t_status(fd, &status);
	t_check(status.live == 1, "its other thread is followed", "%u are", status.live);
	close(fd);
	t_kill(&target);
}

/* In memory that both processes have. */
struct hiding {
	u64 at_ns; /* 0: not yet */
};

/*
 * From a moment on it may not be looked into. It sleeps again and again for a short time, so
 * whoever follows it knows its state soon.
 */
static void hides(struct t_child *parent, void *arg)
{
	struct hiding *hiding = arg;
	u64 at_ns;

	t_tell(parent);
	for (;;) {
		at_ns = __atomic_load_n(&hiding->at_ns, __ATOMIC_RELAXED);
		if (at_ns && t_now() >= at_ns)
			prctl(PR_SET_DUMPABLE, 0);
		t_sleep(NSEC_PER_MSEC / 10);
	}
}

/* How a START went that began so long before another process hid. */
static struct gapp_status start_and_hide(struct hiding *hiding, pid_t other, u64 after_ns)
{
	struct t_child target;
	struct gapp_status status;
	int fd = t_ready();

	hiding->at_ns = 0;
	target = t_fork(hides, hiding);
	t_hear(&target);
	t_add(fd, other, 0);
	t_add(fd, target.pid, 0);
	__atomic_store_n(&hiding->at_ns, t_now() + after_ns, __ATOMIC_RELAXED);
	if (t_start(fd))
		t_die("START");
	t_sleep(10 * NSEC_PER_MSEC);
	t_status(fd, &status);
	close(fd);
	t_kill(&target);
	return status;
}

/*
 * START finds a process that may be followed, and then waits, for milliseconds, until all CPUs know
 * of its threads. If the process hides meanwhile, it is not followed. Nobody outside knows when
 * that time begins, so the process hides later and later, until it hides in that time.
 */
static void hidden_meanwhile(pid_t other)
{
	struct hiding *hiding = mmap(NULL, sizeof(*hiding), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct gapp_status status;
	unsigned int tries = 0;
	bool left = false;

	for (u64 after_ms = 1; !left && after_ms < LONGEST_START_MS; after_ms += 1 + after_ms / 4) {
		status = start_and_hide(hiding, other, after_ms * NSEC_PER_MSEC);
		left = status.live == 1 && status.not_followed == 1;
		tries++;
	}
	if (!left && sysconf(_SC_NPROCESSORS_ONLN) == 1)
		t_skip("an own process that hides while START finds its threads leaves",
		       "with one CPU START waits for moments only");
	else
		t_check(left, "an own process that hides while START finds its threads leaves",
			"it does not, at %u times", tries);
	munmap(hiding, sizeof(*hiding));
}

static void leaves(const char *program, void (*run)(struct t_child *parent, void *arg),
		   u32 live_after, const char *name)
{
	struct t_child target = t_fork(run, (void *)program);
	struct gapp_status before, after;
	int fd = t_ready();

	t_hear(&target);
	t_expect(t_add(fd, target.pid, 0), T_OK, "%s: followed first", name);
	t_start(fd);
	t_status(fd, &before);
	t_tell(&target);
	t_hear(&target);
	t_status(fd, &after);
	t_check(before.live == 1 && after.live == live_after &&
			after.not_followed == (live_after == 1 && run == executes ? 0 : 1) &&
			after.not_followed_denied == after.not_followed,
		name, "live %u, then %u; not followed %llu", before.live, after.live,
		after.not_followed);
	t_expect(t_stop(fd), T_OK, "%s: STOP", name);
	t_recount(fd);
	t_sums(fd, "sums afterwards");
	close(fd);
	t_kill(&target);
}

static const struct {
	const char *name;
	struct gapp_config config;
	int wanted;
} configs[] = {
	{ "all processes", { .flags = GAPP_CONFIG_ALL }, -EPERM },
	{ "all processes and more",
	  { .flags = GAPP_CONFIG_ALL | GAPP_CONFIG_PER_PROCESS },
	  -EPERM },
	{ "a ring above 1 MiB", { .ring_bytes = 2U << 20 }, -EPERM },
	{ "the largest ring", { .ring_bytes = GAPP_MAX_RING }, -EPERM },
	{ "more than 32768 paths", { .paths = 1U << 16 }, -EPERM },
	{ "most paths", { .paths = GAPP_MAX_PATHS }, -EPERM },
	{ "a ring that cannot be", { .ring_bytes = GAPP_MAX_RING * 2 }, -EINVAL },
	{ "a ring of 1 MiB, 32768 paths", { .ring_bytes = 1U << 20, .paths = 1U << 15 }, T_OK },
	{ "the defaults", { 0 }, T_OK },
	{ "kernel paths: taken, but none come", { .flags = GAPP_CONFIG_KERNEL_PATHS }, T_OK },
	{ "waits", { .flags = GAPP_CONFIG_WAITS }, T_OK },
	{ "handovers", { .flags = GAPP_CONFIG_WAITS | GAPP_CONFIG_HANDOVERS }, T_OK },
	{ "paths of wakers", { .flags = GAPP_CONFIG_WAKERS | GAPP_CONFIG_WAKER_PATHS }, T_OK },
	{ "files of waits", { .flags = GAPP_CONFIG_WAIT_FILES }, T_OK },
	{ "each process, wakers", { .flags = GAPP_CONFIG_PER_PROCESS | GAPP_CONFIG_WAKERS }, T_OK },
	{ "1000 Hz", { .rate_hz = USER_RATE_HZ }, T_OK },
	{ "1001 Hz", { .rate_hz = USER_RATE_HZ + 1 }, -EPERM },
	{ "more Hz than can be", { .rate_hz = GAPP_MAX_RATE_HZ + 1 }, -EINVAL },
	{ "tails of 4 KiB, paths of 64 frames",
	  { .stack_copy_bytes = 4096, .max_stack = 64 },
	  T_OK },
	{ "larger tails", { .stack_copy_bytes = 4104 }, -EPERM },
	{ "largest tails", { .stack_copy_bytes = GAPP_MAX_STACK_COPY }, -EPERM },
	{ "longer paths", { .max_stack = 65 }, -EPERM },
	{ "longest paths", { .max_stack = GAPP_MAX_STACK }, -EPERM },
};

static void configure(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		struct gapp_config config = configs[i].config;
		struct gapp_counters counters;
		int fd = t_open();

		config.abi_major = GAPP_ABI_MAJOR;
		config.level = GAPP_LEVEL_CRITICAL;
		config.unwind_by = GAPP_UNWIND_BY_AUTO;
		t_expect(t_ioctl(fd, GAPP_IOC_CONFIGURE, &config), configs[i].wanted,
			 "CONFIGURE %s", configs[i].name);
		t_counters(fd, &counters);
		t_check(!counters.flags, "no kernel paths", "flags %#x", counters.flags);
		close(fd);
	}
}

/* Others shall find room; root has a session open meanwhile. */
static void sessions(void)
{
	int fds[USER_SESSIONS], fd;

	for (int i = 0; i < USER_SESSIONS; i++)
		fds[i] = t_open();
	fd = open(GAPP_NODE, O_RDWR | O_CLOEXEC);
	t_check(fd < 0 && errno == EUSERS, "one more session of this user is EUSERS", "errno %d",
		errno);
	close(fds[0]);
	fds[0] = t_open();
	t_check(true, "one less, and there is room again", " ");
	for (int i = 0; i < USER_SESSIONS; i++)
		close(fds[i]);
}

struct exit_paths {
	pid_t tid;
	u32 records;
	u32 paths;
};

static void see_exit(const struct gapp_record *record, void *arg)
{
	const struct gapp_record_slice *slice = (const void *)record;
	struct exit_paths *exits = arg;

	if (record->type != GAPP_RECORD_SLICE || slice->tid != exits->tid ||
	    slice->then != GAPP_THEN_EXITED)
		return;
	exits->records++;
	exits->paths += slice->path != GAPP_PATH_NONE;
}

/* The slice in which a thread leaves ends in a program whose addresses are nobody's business. */
static void no_path_of(const char *program)
{
	struct gapp_config config = t_config(GAPP_LEVEL_TRACE);
	struct t_child target = t_fork(executes, (void *)program);
	struct exit_paths exits = { .tid = target.pid };
	struct r_reader reader;
	int fd = t_session(&config);

	t_hear(&target);
	t_expect(t_add(fd, target.pid, 0), T_OK, "one that will execute %s", program);
	t_start(fd);
	r_open(&reader, fd);
	reader.see = see_exit;
	reader.arg = &exits;
	t_tell(&target);
	t_hear(&target);
	t_stop(fd);
	r_drain(&reader);
	t_check(exits.records == 1 && !exits.paths, "its last slice is told, without a path",
		"%u such slices, %u paths", exits.records, exits.paths);
	r_close(&reader);
	close(fd);
	t_kill(&target);
}

static u32 live_after_exec(int fd, struct t_child *child)
{
	struct gapp_status status;

	t_tell(child);
	t_hear(child);
	t_status(fd, &status);
	return status.live;
}

static void add_exe(int fd, const char *path, int open_flags, int wanted, const char *name)
{
	struct gapp_add_executable exe = { .fd = open(path, open_flags | O_CLOEXEC) };

	if (exe.fd < 0)
		t_die(path);
	t_expect(t_ioctl(fd, GAPP_IOC_ADD_EXECUTABLE, &exe), wanted, "ADD_EXE of %s", name);
	close(exe.fd);
}

static void add_by_name(int fd, const char *name)
{
	struct gapp_add_selection selection = { .cgroup_fd = -1 };

	snprintf((char *)selection.comm, sizeof(selection.comm), "%s", name);
	t_expect(t_ioctl(fd, GAPP_IOC_ADD_SELECTION, &selection), T_OK, "ADD_SELECTION");
}

/* Of all who have a name, only the user's own are followed. */
static void names(struct user_test *test)
{
	struct t_child own = t_fork(executes, (void *)test->hand);
	struct t_child setuid = t_fork(executes, SETUID_COPY);
	int fd = t_ready();

	t_hear(&own);
	t_hear(&setuid);
	add_by_name(fd, "*");
	t_expect(t_start(fd), T_OK, "START with a name only");
	t_check(!live_after_exec(fd, &setuid), "a setuid program is executed: not followed",
		"it is");
	t_check(live_after_exec(fd, &own) == 1, "the user executes a program: followed",
		"it is not");
	t_expect(t_stop(fd), T_OK, "STOP");
	t_recount(fd);
	close(fd);
	t_kill(&own);
	t_kill(&setuid);
}

/* Of all who execute a file, only the user's own are followed. */
static void exes(struct user_test *test)
{
	struct t_child own = t_fork(executes, (void *)test->hand);
	struct t_child setuid = t_fork(executes, SETUID_COPY);
	int fd = t_ready();

	t_hear(&own);
	t_hear(&setuid);
	t_check(open(UNREADABLE_COPY, O_RDONLY | O_CLOEXEC) < 0, "a file that may not be read",
		"it can be opened");
	add_exe(fd, UNREADABLE_COPY, O_PATH, -EBADF, "that file, a mere path");
	add_exe(fd, SETUID_COPY, O_RDONLY, T_OK, "a setuid program");
	add_exe(fd, test->hand, O_RDONLY, T_OK, "a program");
	t_expect(t_start(fd), T_OK, "START with files only");
	t_check(!live_after_exec(fd, &test->executor), "root executes it: not followed", "it is");
	t_check(!live_after_exec(fd, &setuid), "a setuid program is executed: not followed",
		"it is");
	t_check(live_after_exec(fd, &own) == 1, "the user executes it: followed", "it is not");
	t_expect(t_stop(fd), T_OK, "STOP");
	t_recount(fd);
	close(fd);
	t_kill(&own);
	t_kill(&setuid);
}

/* The user's command: one that may be followed, and one that runs with root's rights. */
static void at_exec(struct user_test *test)
{
	struct t_child own = t_fork(executes, (void *)test->hand);
	struct t_child setuid = t_fork(executes, SETUID_COPY);
	struct t_child early = t_fork(executes, SETUID_COPY);
	struct gapp_status status;
	int fd = t_ready();

	t_hear(&own);
	t_hear(&setuid);
	t_hear(&early);
	t_expect(t_add(fd, test->roots.pid, GAPP_ADD_AT_EXEC), -EPERM, "root's, at its exec");
	t_expect(t_add(fd, own.pid, GAPP_ADD_AT_EXEC), T_OK, "an own one, at its exec");
	t_expect(t_start(fd), T_OK, "START");
	t_check(live_after_exec(fd, &own) == 1, "its exec: followed", "it is not");
	t_expect(t_stop(fd), T_OK, "STOP");
	t_recount(fd);
	t_sums(fd, "sums from its exec on");
	close(fd);

	fd = t_ready();
	t_expect(t_add(fd, setuid.pid, GAPP_ADD_AT_EXEC), T_OK, "one that executes setuid");
	t_expect(t_start(fd), T_OK, "START");
	t_check(!live_after_exec(fd, &setuid), "a setuid program: not followed", "it is");
	t_status(fd, &status);
	t_check(!status.start_ns && !status.wall_ns && status.not_followed == 1 &&
			status.not_followed_denied == 1,
		"session time does not begin, and the cause is counted",
		"start %llu, %llu not followed, %u of them denied", status.start_ns,
		status.not_followed, status.not_followed_denied);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_recount(fd);
	close(fd);

	fd = t_ready();
	t_expect(t_add(fd, early.pid, 0), T_OK, "one that executes setuid before START");
	t_tell(&early);
	t_hear(&early);
	t_expect(t_start(fd), -EPERM, "START with it alone");
	close(fd);
	t_kill(&own);
	t_kill(&setuid);
	t_kill(&early);
}

/* A session that knows of busy-wait loops and follows @pid. */
static int spins_session(pid_t pid)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	int fd;

	config.flags = GAPP_CONFIG_SPINS;
	config.unwind_by = GAPP_UNWIND_BY_TABLE;
	config.rate_hz = USER_RATE_HZ;
	fd = t_session(&config);
	t_expect(t_add(fd, pid, 0), T_OK, "a process, in a session that knows of loops");
	t_expect(t_start(fd), T_OK, "START of that");
	return fd;
}

static void watch(int fd, pid_t pid, int wanted, const char *name)
{
	struct gapp_watch word = {
		.address = 4096, .pid = pid, .time_ns = 1, .stores = 1, .bytes = 4
	};
	struct gapp_watch nothing = { 0 };
	struct gapp_exact loop = { .address = 4096, .pid = pid, .passes = 1 }, no_loop = { 0 };
	struct gapp_store_point store = { .address = 4096,
					  .pid = pid,
					  .passes = 1,
					  .bytes = 4,
					  .how = GAPP_STORE_SETS,
					  .index = GAPP_SPIN_NO_REGISTER };

	t_expect(t_ioctl(fd, GAPP_IOC_WATCH, &word), wanted, "WATCH, %s", name);
	t_expect(t_ioctl(fd, GAPP_IOC_WATCH, &nothing), wanted, "WATCH of nothing, %s", name);
	/* who may has no loop there */
	t_expect(t_ioctl(fd, GAPP_IOC_EXACT, &loop), wanted ?: -ENOENT, "EXACT, %s", name);
	t_expect(t_ioctl(fd, GAPP_IOC_EXACT, &no_loop), wanted, "EXACT of nothing, %s", name);
	t_expect(t_ioctl(fd, GAPP_IOC_STORE_POINT, &store), wanted ?: -ENOENT, "STORE_POINT, %s",
		 name);
}

/* Page faults of own threads are counted; counters of the processor are others', too. */
static void tallies(pid_t own)
{
	struct gapp_config config = t_config(GAPP_LEVEL_STATS);
	struct gapp_add_tally tally = { .source = GAPP_TALLY_PERF };
	struct gapp_thread_tallies row;
	struct gapp_page page = { .buffer = (uintptr_t)&row, .capacity = 1 };
	int fd;

	config.flags = GAPP_CONFIG_TALLIES;
	fd = t_session(&config);
	t_expect(t_ioctl(fd, GAPP_IOC_ADD_TALLY, &tally), -EPERM, "ADD_TALLY of the processor");
	tally.source = GAPP_TALLY_FAULTS;
	t_expect(t_ioctl(fd, GAPP_IOC_ADD_TALLY, &tally), T_OK, "ADD_TALLY, page faults");
	t_expect(t_add(fd, own, 0), T_OK, "an own process, in a session with tallies");
	t_expect(t_start(fd), T_OK, "START of that");
	t_expect(t_ioctl(fd, GAPP_IOC_THREAD_TALLIES, &page), T_OK, "THREAD_TALLIES");
	t_check(page.count == 1 && row.tid == own, "the own process has a row", "%u rows",
		page.count);
	close(fd);
}

/* Breakpoints of the processor are not for users, not for stores of their own processes either. */
static void watches(const struct user_test *test, pid_t own)
{
	int fd = spins_session(own);

	watch(fd, own, -EPERM, "an own process");
	close(fd);
	watch(test->root_spins_fd, test->roots.pid, -EPERM, "root's process, in root's session");
}

/* The user's part, in a process of the user's. */
static void as_user(struct t_child *parent, void *arg)
{
	struct gapp_config all = t_config(GAPP_LEVEL_STATS);
	struct user_test *test = arg;
	struct t_child own;
	struct gapp_status status;
	int fd;

	all.flags = GAPP_CONFIG_ALL;
	t_failures = 0;
	become(USER, USER);
	own = t_fork(t_idle, NULL);
	t_hear(&own);
	configure();
	sessions();
	wakers_check(false);
	waker_paths_check(false);
	wait_files_check(false);
	lives_check_preempter(false);
	handovers_check_hidden(true);
	spins_check_pointer(true);
	spins_deep();
	handovers_check_hidden(false);
	watches(test, own.pid);
	tallies(own.pid);
	names(test);
	exes(test);
	at_exec(test);
	restricted_tables(test->roots.pid, test->others.pid);

	fd = t_ready();
	t_status(fd, &status);
	t_check(status.flags == GAPP_STATUS_RESTRICTED, "the session says that it is restricted",
		"flags %#x", status.flags);
	refused_targets(fd, test);
	t_expect(t_add(fd, own.pid, 0), T_OK, "an own process");
	t_expect(t_start(fd), T_OK, "START");
	refused_targets(fd, test);
	t_expect(t_stop(fd), T_OK, "STOP");
	t_status(fd, &status);
	t_check(status.flags == (GAPP_STATUS_RESTRICTED | GAPP_STATUS_RECOUNTED |
				 GAPP_STATUS_RECOUNT_OK) &&
			status.live == 1,
		"it is followed", "flags %#x, live %u", status.flags, status.live);
	close(fd);

	without_leader();
	hidden_meanwhile(own.pid);
	leaves(test->hand, executes, 1, "an ordinary exec stays");
	leaves(SETUID_COPY, executes, 0, "an exec of a setuid program leaves");
	leaves(UNREADABLE_COPY, executes, 0, "an exec of an unreadable program leaves");
	leaves(SETUID_COPY, child_executes, 1, "a child that executes a setuid program leaves");

	no_path_of(SETUID_COPY);
	no_path_of(UNREADABLE_COPY);

	t_status(test->root_fd, &status);
	t_check(!(status.flags & GAPP_STATUS_RESTRICTED), "root's session is not restricted",
		"flags %#x", status.flags);
	refused_targets(test->root_fd, test);
	/* the session would go on to follow what it executes for another user */
	t_expect(t_add(test->root_fd, own.pid, 0), -EPERM, "an own process, in root's session");
	add_exe(test->root_fd, "/proc/self/exe", O_RDONLY, -EPERM, "a program, in root's session");
	t_expect(t_ioctl(test->root_new_fd, GAPP_IOC_CONFIGURE, &all), -EPERM,
		 "all processes, in root's session");
	t_kill(&own);
	(void)parent;
	fflush(stdout);
	_exit(t_failures ? 1 : 0);
}

/* A user's session that root has been given takes the user's processes only. */
static void user_opens(struct t_child *parent, void *arg)
{
	int *fd = arg;

	become(USER, USER);
	t_hear(parent);
	dup2(t_ready(), *fd);
	t_tell(parent);
	pause();
}

static void root_uses_users(struct t_child *roots, struct t_child *users)
{
	int fd = open("/dev/null", O_RDONLY);
	struct t_child opener = t_fork(user_opens, &fd);

	t_tell(&opener);
	t_hear(&opener);
	close(fd);
	fd = syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, opener.pid, 0), fd, 0);
	if (fd < 0) {
		t_skip("root with a user's session", "no pidfd_getfd");
	} else {
		t_expect(t_add(fd, roots->pid, 0), -EPERM, "root's process, in a user's session");
		t_expect(t_add(fd, users->pid, 0), T_OK, "the user's process, by root");
		t_expect(t_add(fd, opener.pid, 0), -ELOOP, "the opener, by root");
		close(fd);
	}
	t_kill(&opener);
}

static void copy(const char *from, const char *to, mode_t mode)
{
	char command[512];

	snprintf(command, sizeof(command), "cp '%s' %s", from, to);
	if (system(command) || chown(to, 0, 0) || chmod(to, mode))
		t_die(to);
}

/* In a pid namespace: follows who executes the hand, and waits until somebody has. */
static void follows_inside(struct t_child *parent, void *hand)
{
	struct gapp_status status;
	int fd;

	become(USER, USER);
	fd = t_ready();
	add_exe(fd, hand, O_RDONLY, T_OK, "a program, in a pid namespace");
	t_start(fd);
	t_tell(parent);
	t_hear(parent);
	t_status(fd, &status);
	t_check(!status.threads, "who executes it outside is not followed", "%llu are",
		status.threads);
	t_tell(parent);
}

static void across_namespaces(const char *hand)
{
	struct t_child outside = t_fork(user_executes, (void *)hand), inside;
	int here = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);

	t_hear(&outside);
	if (unshare(CLONE_NEWPID))
		t_die("unshare");
	inside = t_fork(follows_inside, (void *)hand);
	if (setns(here, CLONE_NEWPID))
		t_die("setns");
	t_hear(&inside);
	t_tell(&outside);
	t_hear(&outside);
	t_tell(&inside);
	t_hear(&inside);
	t_kill(&inside);
	t_kill(&outside);
	close(here);
}

int main(int argc, char **argv)
{
	struct ids user = { USER, USER }, other = { OTHER, USER }, group = { USER, OTHER };
	struct user_test test = { .hand = argv[1] };
	struct t_child users, tester;
	struct t_child *const children[] = { &test.roots,   &test.others,   &test.group, &users,
					     &test.capable, &test.executor, &test.setuid };
	/* how much memory a session may have is seen in abi_test */
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	struct stat node;
	int status;

	t_group = "restricted: ";
	if (argc != 2 || geteuid())
		t_die("root, and one argument");
	if (stat(GAPP_NODE, &node) || chmod(GAPP_NODE, 0666))
		t_die(GAPP_NODE);
	if (setrlimit(RLIMIT_MEMLOCK, &unlimited))
		t_die("setrlimit");
	copy(argv[1], SETUID_COPY, 04755);
	copy(argv[1], UNREADABLE_COPY, 0711);

	test.roots = t_fork(t_idle, NULL);
	test.others = t_fork(idle_as, &other);
	test.group = t_fork(idle_as, &group);
	test.capable = t_fork(idle_with_capabilities, &user);
	users = t_fork(idle_as, &user);
	test.setuid = t_fork(user_executes, SETUID_COPY);
	test.executor = t_fork(executes, argv[1]);
	for (size_t i = 0; i < ARRAY_SIZE(children); i++)
		t_hear(children[i]);
	t_tell(&test.setuid);
	t_hear(&test.setuid);

	restricted_sessions();
	test.root_fd = t_ready();
	test.root_new_fd = t_open();
	test.root_spins_fd = spins_session(test.roots.pid);
	tester = t_fork(as_user, &test);
	waitpid(tester.pid, &status, 0);
	t_check(!status, "the user's part ended well", "status %#x", status);
	watch(test.root_spins_fd, test.roots.pid, T_OK,
	      "root's process, in root's session, by root");
	root_uses_users(&test.roots, &users);
	across_namespaces(argv[1]);

	chmod(GAPP_NODE, node.st_mode & 07777);
	unlink(SETUID_COPY);
	unlink(UNREADABLE_COPY);
	for (size_t i = 0; i < ARRAY_SIZE(children); i++)
		t_kill(children[i]);
	return t_done();
}
