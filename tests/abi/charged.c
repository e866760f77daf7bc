// SPDX-License-Identifier: GPL-2.0
/* Whose memory cgroup pays for a session: the opener's, not the target's. Its limit holds. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"
#include "t.h"

#define ROOT "/tmp/gapp-cgroup"
#define OPENER ROOT "/opener"
#define STRANGER ROOT "/stranger"
#define RING_BYTES (4U << 20)
/* A thread that has exited keeps the 256 bytes that the module has made for it. */
#define THREADS 6000
#define THREADS_BYTES (THREADS * 256ULL)
/* Each process is a target, which the session keeps: a histogram of 129 words, and more. */
#define PROCESSES 600
#define PROCESSES_BYTES (PROCESSES * 129 * 8ULL)
/* Of each of these the session keeps a sum: more bytes than CPUs have of a cgroup in stock. */
#define SUMMED 4000
#define PATHS (64U << 10)
/* A slot and 32 words. */
#define PATH_BYTES (16 + 32 * 8ULL)
#define USER 1000
/* So many that what each of them left would show: a CPU has up to 64 pages of a cgroup in stock. */
#define SESSIONS 150
#define SESSIONS_BYTES (SESSIONS * 4096ULL)
/* As many before as fill the kernel's own caches. */
#define FIRST_SESSIONS 20

static bool put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	bool good = file && fputs(text, file) >= 0;

	return file && !fclose(file) && good;
}

/* Bytes charged to the opener's cgroup. */
static u64 charged(void)
{
	FILE *file = fopen(OPENER "/memory.current", "r");
	unsigned long long bytes;

	if (!file || fscanf(file, "%llu", &bytes) != 1)
		t_die(OPENER "/memory.current");
	fclose(file);
	return bytes;
}

/* Cgroups that were removed, and that something still holds. */
static u64 dying(void)
{
	FILE *file = fopen(ROOT "/cgroup.stat", "r");
	unsigned long long count = 0;
	char line[80];

	if (!file)
		t_die(ROOT "/cgroup.stat");
	while (fgets(line, sizeof(line), file) &&
	       sscanf(line, "nr_dying_descendants %llu", &count) != 1)
		;
	fclose(file);
	return count;
}

static void *nothing(void *unused)
{
	return unused;
}

/* The target: threads that come and go. */
static void many_threads(struct t_child *parent, void *unused)
{
	pthread_t thread;

	(void)unused;
	t_tell(parent);
	t_hear(parent);
	for (int i = 0; i < THREADS; i++) {
		errno = pthread_create(&thread, NULL, nothing, NULL);
		if (errno)
			t_die("pthread_create");
		pthread_join(thread, NULL);
	}
	t_tell(parent);
	pause();
}

/* The target: processes that come and go. */
static void many_processes(struct t_child *parent, void *unused)
{
	pid_t pid;

	(void)unused;
	t_tell(parent);
	t_hear(parent);
	for (int i = 0; i < PROCESSES; i++) {
		pid = fork();
		if (pid < 0)
			t_die("fork");
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	t_tell(parent);
	pause();
}

/* What the opener does, in memory that it shares with the test. */
struct opening {
	struct gapp_config config;
	pid_t target;
	uid_t user;
	int error; /* of the second session, where there is one */
	int map_error; /* of what a reader maps of the first one */
	bool second;
};

static void enter(const struct opening *opening)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	if (setrlimit(RLIMIT_MEMLOCK, &unlimited))
		t_die("setrlimit");
	if (!put(OPENER "/cgroup.procs", "0"))
		t_die(OPENER "/cgroup.procs");
	if (opening->user && setresuid(opening->user, opening->user, opening->user))
		t_die("setresuid");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static int map_and_unmap(int fd, u64 bytes, int protection, u64 offset)
{
	void *memory = mmap(NULL, bytes, protection, MAP_SHARED, fd, offset);

	if (memory == MAP_FAILED)
		return -errno;
	munmap(memory, bytes);
	return 0;
}

/* Maps what a reader does. Returns 0 or an error. */
static int map_session(int fd)
{
	struct gapp_layout layout;
	int error = r_layout(fd, &layout);

	if (!error)
		error = map_and_unmap(fd, layout.ring_map_bytes, PROT_READ, GAPP_MAP_RING(0));
	if (!error)
		error = map_and_unmap(fd, layout.positions_map_bytes, PROT_READ | PROT_WRITE,
				      GAPP_MAP_READ_POSITIONS);
	if (!error)
		error = map_and_unmap(fd, layout.paths_map_bytes, PROT_READ, GAPP_MAP_PATHS);
	return error;
}

/* The opener, in its cgroup: a session; the target joins, or a second one; both are closed. */
static void opens(struct t_child *parent, void *arg)
{
	struct opening *opening = arg;
	int fd, other = -1;

	enter(opening);
	t_tell(parent);
	t_hear(parent);
	fd = t_session(&opening->config);
	opening->map_error = map_session(fd);
	t_tell(parent);
	t_hear(parent);
	if (opening->second) {
		other = t_open();
		opening->error = t_ioctl(other, GAPP_IOC_CONFIGURE, &opening->config);
	} else if (t_add(fd, opening->target, 0) || t_start(fd)) {
		t_die("START");
	}
	t_tell(parent);
	t_hear(parent);
	close(other);
	close(fd);
	t_tell(parent);
	pause();
}

static struct opening *share_opening(struct gapp_config config)
{
	struct opening *opening = mmap(NULL, sizeof(*opening), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (opening == MAP_FAILED)
		t_die("mmap");
	*opening = (struct opening){ .config = config };
	return opening;
}

/* Whether the kernel can map pages that are charged. */
static bool maps_are_charged(void)
{
	unsigned int major, minor;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		t_die("uname");
	return major > 5 || minor > 10;
}

static void go_on(struct t_child *child)
{
	t_tell(child);
	t_hear(child);
}

/* A session, and a target that takes room in it. */
static void check_kind(struct gapp_config config, void (*target_does)(struct t_child *, void *),
		       u64 made_bytes, const char *made_name, u64 followed_bytes,
		       const char *followed_name)
{
	struct opening *opening = share_opening(config);
	struct t_child target = t_fork(target_does, NULL), opener;
	u64 before, made, followed, after;

	opening->target = target.pid;
	opener = t_fork(opens, opening);
	t_hear(&target);
	t_hear(&opener);
	before = charged();
	go_on(&opener);
	made = charged();
	t_expect(opening->map_error, 0, "a reader of that cgroup maps them");
	if (maps_are_charged())
		t_check(made >= before + made_bytes, made_name, "%llu of %llu bytes", made - before,
			made_bytes);
	else
		t_skip(made_name, "what a process can map is charged to nobody before Linux 5.11");
	go_on(&opener);
	go_on(&target);
	followed = charged();
	t_check(followed >= made + followed_bytes / 2, followed_name, "%llu of %llu bytes",
		followed - made, followed_bytes);
	go_on(&opener);
	after = charged();
	t_check(after < before + made_bytes / 4, "a closed session is charged for no more",
		"%llu bytes are left", after - before);
	t_kill(&opener);
	t_kill(&target);
	munmap(opening, sizeof(*opening));
}

static void check_charges(void)
{
	struct gapp_config rings = t_config(GAPP_LEVEL_CRITICAL);
	struct gapp_config paths = rings;

	rings.ring_bytes = RING_BYTES;
	check_kind(rings, many_threads, (u64)RING_BYTES * get_nprocs(),
		   "rings are charged to who opened", THREADS_BYTES,
		   "and so is room for the target's threads");
	paths.ring_bytes = GAPP_MIN_RING;
	paths.paths = PATHS;
	paths.flags = GAPP_CONFIG_PER_PROCESS;
	check_kind(paths, many_processes, PATHS * PATH_BYTES,
		   "the table of paths is charged to who opened", PROCESSES_BYTES,
		   "and so is each target's room");
}

/* The opener, in its cgroup: many sessions, one after the other. */
static void opens_often(struct t_child *parent, void *arg)
{
	const struct opening *opening = arg;

	enter(opening);
	for (int i = 0; i < FIRST_SESSIONS + SESSIONS; i++) {
		if (i == FIRST_SESSIONS) {
			t_tell(parent);
			t_hear(parent);
		}
		close(t_session(&opening->config));
	}
	t_tell(parent);
	pause();
}

static void check_given_back(void)
{
	struct opening *opening = share_opening(t_config(GAPP_LEVEL_CRITICAL));
	struct t_child opener;
	u64 before, after;

	opening->config.ring_bytes = GAPP_MIN_RING;
	opening->config.paths = GAPP_MIN_PATHS;
	/* so that the list of all threads is larger than a page, too */
	opening->config.max_exited = GAPP_MAX_EXITED;
	opener = t_fork(opens_often, opening);
	t_hear(&opener);
	before = charged();
	go_on(&opener);
	after = charged();
	t_check(after < before + SESSIONS_BYTES, "closed sessions leave nothing",
		"%llu bytes of %u sessions are left", after - before, SESSIONS);
	t_kill(&opener);
	munmap(opening, sizeof(*opening));
}

/* A cgroup that has room for one and a half of the user's sessions: the second one is refused. */
static void check_limit(void)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct opening *opening = share_opening(config);
	u64 before, made, room, after;
	struct t_child opener;
	char limit[32];
	int fd;

	opening->user = USER;
	opening->second = true;
	opener = t_fork(opens, opening);
	t_hear(&opener);
	before = charged();
	go_on(&opener);
	made = charged();
	room = made + (made - before) / 2;
	snprintf(limit, sizeof(limit), "%llu", (unsigned long long)room);
	if (!put(OPENER "/memory.max", limit))
		t_die(OPENER "/memory.max");
	go_on(&opener);
	t_expect(opening->error, -ENOMEM, "a session beyond its opener's memory.max");
	after = charged();
	t_check(after <= room && after < made + (made - before) / 4,
		"what it had got by then is given back", "%llu bytes more, and %llu", after - made,
		made - before);
	fd = t_session(&config);
	t_check(fd >= 0, "root opens as large a session meanwhile", "it does not");
	close(fd);
	go_on(&opener);
	t_kill(&opener);
	put(OPENER "/memory.max", "max");
	munmap(opening, sizeof(*opening));
}

/* The target: processes that do nothing. */
static void short_processes(struct t_child *parent, void *unused)
{
	(void)unused;
	t_tell(parent);
	t_hear(parent);
	for (int i = 0; i < SUMMED; i++)
		t_brief_process();
	t_tell(parent);
	pause();
}

/* What a session knows of processes that have exited. */
struct sums {
	struct opening opening;
	u64 own; /* threads in sums of their processes */
	u64 shared; /* threads in the sum of those that have none */
	u64 missed; /* not followed */
};

/* The opener, in its cgroup: a session that sums all threads that have exited. */
static void opens_for_sums(struct t_child *parent, void *arg)
{
	struct gapp_status status;
	struct sums *sums = arg;
	struct t_rows rows;
	int fd;

	enter(&sums->opening);
	fd = t_session(&sums->opening.config);
	if (t_add(fd, sums->opening.target, 0) || t_start(fd))
		t_die("START");
	t_tell(parent);
	t_hear(parent);
	if (t_stop(fd))
		t_die("STOP");
	t_status(fd, &status);
	sums->missed = status.not_followed;
	rows = t_rows(fd, GAPP_IOC_PROCESSES, GAPP_PAGE_MAX);
	for (size_t i = 0; i < rows.count; i++)
		*(rows.rows[i].tgid ? &sums->own : &sums->shared) += rows.rows[i].threads;
	t_sums(fd, "sums");
	t_tell(parent);
	pause();
}

/* How many processes the kernel has ended because the opener's cgroup had no memory. */
static u64 killed(void)
{
	FILE *file = fopen(OPENER "/memory.events", "r");
	unsigned long long count = 0;
	char line[80];

	if (!file)
		t_die(OPENER "/memory.events");
	while (fgets(line, sizeof(line), file) && sscanf(line, "oom_kill %llu", &count) != 1)
		;
	fclose(file);
	return count;
}

static void check_sums(void)
{
	struct sums *sums = mmap(NULL, sizeof(*sums), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct t_child target = t_fork(short_processes, NULL), opener;
	char limit[32];

	if (sums == MAP_FAILED)
		t_die("mmap");
	sums->opening.config = t_config(GAPP_LEVEL_STATS);
	sums->opening.config.max_exited = 0;
	sums->opening.target = target.pid;
	t_hear(&target);
	opener = t_fork(opens_for_sums, sums);
	t_hear(&opener);
	snprintf(limit, sizeof(limit), "%llu", (unsigned long long)charged());
	if (!put(OPENER "/memory.max", limit))
		t_die(OPENER "/memory.max");
	go_on(&target);
	/* the worker sums them up */
	t_sleep(NSEC_PER_SEC);
	if (!put(OPENER "/memory.max", "max"))
		t_die(OPENER "/memory.max");
	if (t_check(!killed(), "no process is ended for lack of memory for sums", "%llu processes",
		    killed())) {
		go_on(&opener);
		t_check(sums->shared > 0, "processes without memory for a sum share one",
			"none of %llu did", sums->own);
		t_check(sums->own + sums->shared + sums->missed == SUMMED,
			"all of them are in a sum, or counted as missed",
			"%llu and %llu summed, %llu missed, of %u", sums->own, sums->shared,
			sums->missed, SUMMED);
	}
	t_kill(&opener);
	t_kill(&target);
	munmap(sums, sizeof(*sums));
}

static void check_all(void)
{
	struct stat node;

	check_charges();
	if (stat(GAPP_NODE, &node) || chmod(GAPP_NODE, 0666))
		t_die("chmod " GAPP_NODE);
	if (maps_are_charged())
		check_limit();
	else
		t_skip("a session beyond its opener's memory.max", "rings are charged to nobody");
	chmod(GAPP_NODE, node.st_mode & 07777);
}

/* A process of another cgroup gets memory on each CPU. */
static void takes_stocks(struct t_child *parent, void *unused)
{
	cpu_set_t cpus;
	char *page;

	(void)unused;
	if (!put(STRANGER "/cgroup.procs", "0"))
		t_die(STRANGER "/cgroup.procs");
	for (int cpu = 0; cpu < get_nprocs(); cpu++) {
		CPU_ZERO(&cpus);
		CPU_SET(cpu, &cpus);
		if (sched_setaffinity(0, sizeof(cpus), &cpus))
			t_die("sched_setaffinity");
		page = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (page == MAP_FAILED)
			t_die("mmap");
	}
	t_tell(parent);
	pause();
}

/*
 * A CPU holds the cgroup for which it has pages in stock. If none of these are left when the cgroup
 * is removed, the kernel does not look there, and the CPU holds it until another one gets memory
 * there. So that one stays, for it is held now.
 */
static void have_stocks_taken(void)
{
	struct t_child stranger;

	if (mkdir(STRANGER, 0755) && errno != EEXIST)
		t_die(STRANGER);
	stranger = t_fork(takes_stocks, NULL);
	t_hear(&stranger);
	t_kill(&stranger);
}

/* The opener's cgroup is removed; @before: dying() when there was none. */
static void remove_opener(u64 before)
{
	u64 left;

	if (rmdir(OPENER))
		t_die(OPENER);
	/*
	 * A CPU on which the opener no longer ran may have pages of its in a list of those lately
	 * used, until other pages are used there. Compaction has the kernel empty these lists.
	 */
	if (!put("/proc/sys/vm/compact_memory", "1"))
		printf("# memory is not compacted: pages that CPUs hold may keep the cgroup\n");
	have_stocks_taken();
	for (int tries = 0; tries < 6000 && (left = dying()) > before; tries++)
		t_sleep(10 * NSEC_PER_MSEC);
	t_check(left <= before, "nothing holds the opener's cgroup when its sessions have gone",
		"%llu are dying, there were %llu", left, before);
}

/* Runs it with the opener's cgroup, if there can be one. */
static void with_cgroup(const char *name, void (*check)(void))
{
	u64 before;

	mkdir(ROOT, 0755);
	if (mount("cgroup2", ROOT, "cgroup2", 0, NULL)) {
		t_skip(name, "no cgroup2");
	} else if (!put(ROOT "/cgroup.subtree_control", "+memory") || mkdir(OPENER, 0755)) {
		t_skip(name, "no memory cgroups");
	} else {
		before = dying();
		check();
		remove_opener(before);
	}
	umount(ROOT);
	rmdir(ROOT);
}

void charged_memory(void)
{
	with_cgroup("rings are charged to who opened", check_all);
}

void charged_given_back(void)
{
	with_cgroup("closed sessions leave nothing", check_given_back);
}

void charged_sums(void)
{
	with_cgroup("processes without memory for a sum share one", check_sums);
}
