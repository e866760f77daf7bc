// SPDX-License-Identifier: GPL-2.0
/*
 * Stands in for /dev/gapp: linked into the reader with --wrap, so that everything
 * above open() and ioctl() is the reader's own. It refuses what the module refuses.
 *
 * GAPP_FAKE has words, each KEY=NUMBER:
 *
 *	open, GET_ABI, CONFIGURE, ADD_TARGET, START, STOP, STATUS, THREADS, PROCESSES,
 *	PARALLELISM, ADD_EXE, COUNTERS, GROUPS, LAYOUT, LOAD_TABLE, DROP_TABLE,
 *	SET_MAPS, WATCH, EXACT, ADD_TALLY, THREAD_TALLIES, CPU_TALLIES	fail with that errno
 *	major, minor	ABI of the "module"
 *	room		processes that can be added (1024)
 *	threads		how many there are (3); each third one left
 *	exited		rows of summed exited threads (0)
 *	hostile		1: names with escape sequences and bytes that are no UTF-8
 *	differ		threads for which the recount differs (0)
 *	lost		1: a tenth of the run time is in nobody's share
 *	off		per cent by which the kernel's accounting differs (0)
 *	hang		1: START does not return
 *	ended		1: root ends the session as soon as it runs
 *	restricted	1: the session is
 *	locked		bytes that the limit of locked memory allows (any number)
 *	memory		bytes that there are (any number)
 *	kernel_paths	1: the session records call paths of the kernel, if they are asked for
 *	no_locks	1: the kernel does not tell which of its locks a thread waits for
 *	not_followed, unexpected, marks_left_out	as in struct gapp_status
 *	denied, late	of those that are not followed
 *	records		wake-ups in the ring of CPU 0 from START on (0)
 *	needmap		a process of which it asks from START on, in the ring of CPU 1
 *	counted		1: the record of a slice says what was counted in it
 *	spin		1: a thread spins, first for a millisecond, and then until WATCH comes;
 *			a store, which WATCH sees, ends its wait and that of another thread; 2: who
 *			stored waited for a CPU before; 3: it is found spinning often
 *
 *	nodes		NUMA nodes of the machine, of two CPUs each (those that it has)
 *	refuse_perf	errno with which counters of the processor are refused
 *	refuse_config	config of the one tally that is refused with ENOENT
 *	growing		milliseconds from START in which tallies of CPUs grow to what they come to;
 *after STOP they have come to it (0: at once)
 *	uncounted	bits of tallies that lack something of thread 1 and of CPU 1
 *
 * Its file is a memory file that is large enough for all mappings.
 *
 * GAPP_FAKE_LOG names a file that gets a line for each call.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <gapp.h>

#include "fake_node.h"
#include "input/cpu_nodes.h"

#define CALLS 25 /* of the ABI */

static int node = -1;
static unsigned int state;
static unsigned int targets, exes;
static int added[GAPP_MAX_ADDED_PROCESSES];
static __u64 begin, wall;
static struct gapp_config config;
static struct gapp_add_tally tallies[GAPP_TALLIES];
static unsigned int tally_count;

__u64 fake_number(const char *key, __u64 otherwise)
{
	const char *words = getenv("GAPP_FAKE");
	size_t len = strlen(key);

	while (words && *words) {
		if (!strncmp(words, key, len) && words[len] == '=')
			return strtoull(words + len + 1, NULL, 0);
		words += strcspn(words, " ");
		words += *words == ' ';
	}
	return otherwise;
}

int fake_refuse(int error)
{
	errno = error;
	return -1;
}

void fake_note(const char *call, const char *detail)
{
	const char *path = getenv("GAPP_FAKE_LOG");
	FILE *log = path ? fopen(path, "ae") : NULL;

	if (!log)
		return;
	fprintf(log, "%s %s\n", call, detail);
	fclose(log);
}

static __u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static void zero(const void *bytes, size_t size)
{
	const char *byte = bytes;

	while (size--)
		if (*byte++)
			abort();
}

int __wrap_open(const char *path, int flags, ...)
{
	int error = fake_number("open", 0);

	if (strcmp(path, GAPP_NODE))
		return __real_open(path, flags);
	if (error)
		return fake_refuse(error);
	if (!(flags & O_CLOEXEC))
		abort();
	node = memfd_create("gapp", MFD_CLOEXEC);
	if (node < 0 || ftruncate(node, GAPP_MAP_RING(FAKE_CPUS)))
		abort();
	/* each open file is a session */
	state = GAPP_SESSION_NEW;
	targets = 0;
	tally_count = 0;
	return node;
}

static int get_abi(struct gapp_abi *abi)
{
	memset(abi, 0, sizeof(*abi));
	abi->major = fake_number("major", GAPP_ABI_MAJOR);
	abi->minor = fake_number("minor", GAPP_ABI_MINOR);
	strcpy((char *)abi->version, "9.8.7");
	return 0;
}

static int configure(const struct gapp_config *given)
{
	char detail[256];
	__u64 bytes;

	if (state != GAPP_SESSION_NEW)
		return fake_refuse(EBUSY);
	zero(&given->reserved, sizeof(given->reserved));
	if (given->level == GAPP_LEVEL_STATS &&
	    (given->min_critical_ns || given->rate_hz || given->ring_bytes || given->paths ||
	     given->max_stack || given->criterion))
		return fake_refuse(EINVAL);
	bytes = given->ring_bytes * (__u64)FAKE_CPUS +
		(given->paths ? given->paths : GAPP_DEFAULT_PATHS) * 272ULL;
	if (bytes > fake_number("locked", ~0ULL))
		return fake_refuse(ENOBUFS);
	if (bytes > fake_number("memory", ~0ULL))
		return fake_refuse(ENOMEM);
	if (given->flags & GAPP_CONFIG_KERNEL_LOCKS && fake_number("no_locks", 0))
		return fake_refuse(EOPNOTSUPP);
	config = *given;
	snprintf(
		detail, sizeof(detail),
		"abi=%u mode=%u n_min=%u threads=%u exited=%d flags=%u level=%u criterion=%u min_critical=%llu rate=%u ring=%u paths=%u stack=%u",
		config.abi_major, config.n_min_mode, config.n_min, config.max_threads,
		(int)config.max_exited, config.flags, config.level, config.criterion,
		config.min_critical_ns, config.rate_hz, config.ring_bytes, config.paths,
		config.max_stack);
	fake_note("with", detail);
	snprintf(detail, sizeof(detail), "calls=%u tail=%u", config.unwind_by,
		 config.stack_copy_bytes);
	fake_note("with", detail);
	state = GAPP_SESSION_READY;
	return 0;
}

/* The program that the first target executes now. */
static void note_program(const char *call)
{
	char path[64], program[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/exe", added[0]);
	if (readlink(path, program, sizeof(program) - 1) < 0)
		strcpy(program, "?");
	fake_note(call, program);
}

static int add_target(const struct gapp_add_process *target)
{
	char path[32], detail[64];

	if (state != GAPP_SESSION_READY && state != GAPP_SESSION_RUNNING)
		return fake_refuse(state == GAPP_SESSION_NEW ? ENOTCONN : EBUSY);
	zero(target->reserved, sizeof(target->reserved));
	if (target->pid == getpid())
		return fake_refuse(ELOOP);
	snprintf(path, sizeof(path), "/proc/%d", target->pid);
	if (access(path, F_OK))
		return fake_refuse(ESRCH);
	for (unsigned int i = 0; i < targets; i++)
		if (added[i] == target->pid)
			return fake_refuse(EEXIST);
	if (targets >= fake_number("room", GAPP_MAX_ADDED_PROCESSES))
		return fake_refuse(ENOSPC);
	snprintf(detail, sizeof(detail), "pid=%d flags=%u", target->pid, target->flags);
	fake_note("with", detail);
	added[targets++] = target->pid;
	note_program("program");
	return 0;
}

static int add_exe(const struct gapp_add_executable *exe)
{
	char path[32], detail[300], program[256] = "";

	if (state != GAPP_SESSION_READY)
		return fake_refuse(state == GAPP_SESSION_NEW ? ENOTCONN : EBUSY);
	zero(exe->reserved, sizeof(exe->reserved));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", exe->fd);
	if (readlink(path, program, sizeof(program) - 1) < 0)
		return fake_refuse(EBADF);
	snprintf(detail, sizeof(detail), "exe=%s flags=%u", program, exe->flags);
	fake_note("with", detail);
	exes++;
	return 0;
}

static int start(void)
{
	if (state != GAPP_SESSION_READY)
		return fake_refuse(state == GAPP_SESSION_NEW ? ENOTCONN : EBUSY);
	if (!targets && !exes && !(config.flags & GAPP_CONFIG_ALL))
		return fake_refuse(ENODATA);
	if (targets)
		note_program("program");
	while (fake_number("hang", 0))
		pause();
	begin = now();
	if (config.level != GAPP_LEVEL_STATS)
		fake_put_records(node, begin);
	state = GAPP_SESSION_RUNNING;
	return 0;
}

static int stop(void)
{
	if (state != GAPP_SESSION_RUNNING)
		return fake_refuse(ENOTCONN);
	state = GAPP_SESSION_STOPPED;
	return 0;
}

static unsigned int threads(void)
{
	return fake_number("threads", 3);
}

static unsigned int rows(void)
{
	return threads() + fake_number("exited", 0);
}

/* A quarter of the time nobody is active, half of it one thread, a quarter two. */
static int status(struct gapp_status *s)
{
	__u64 time = wall;

	if (state == GAPP_SESSION_RUNNING && fake_number("ended", 0))
		state = GAPP_SESSION_STOPPED;
	memset(s, 0, sizeof(*s));
	s->id = 4;
	s->state = state;
	s->cpus = 2;
	s->start_ns = begin;
	s->wall_ns = time;
	s->idle_ns = time / 4;
	s->n = 1;
	s->n_min = 1;
	s->live = threads();
	s->peak = s->live;
	s->threads = threads() + 10 * fake_number("exited", 0);
	s->processes = fake_number("exited", 0);
	s->not_followed = fake_number("not_followed", 0);
	s->not_followed_denied = fake_number("denied", 0);
	s->not_followed_late = fake_number("late", 0);
	s->unexpected = fake_number("unexpected", 0);
	s->marks_left_out = fake_number("marks_left_out", 0);
	s->tick_ns = 4000000;
	if (fake_number("restricted", 0))
		s->flags |= GAPP_STATUS_RESTRICTED;
	if (state == GAPP_SESSION_STOPPED) {
		s->flags |= GAPP_STATUS_RECOUNTED;
		s->recount_n = 1;
		s->recount_tracked_n = 1;
		s->n_at_stop = 1;
		s->recount_threads = threads();
		s->recount_tracked = threads();
		s->recount_differ = fake_number("differ", 0);
		if (!s->recount_differ)
			s->flags |= GAPP_STATUS_RECOUNT_OK;
	}
	return 0;
}

static void name(struct gapp_thread_figures *row, unsigned int i)
{
	static const char *const hostile[] = {
		"a\033[31mred", "\377\376",   "tab\there\n",	 "caf\303\251",
		"\"q\\uote",	"\302\2332J", "\342\200\256rtl", "\177",
	};

	if (fake_number("hostile", 0))
		strcpy((char *)row->comm, hostile[i % 8]);
	else
		snprintf((char *)row->comm, sizeof(row->comm), "worker-%u", i);
}

static void fill(struct gapp_thread_figures *row, unsigned int i, unsigned int sum)
{
	__u64 active = wall - wall / 4, each = active / rows();

	memset(row, 0, sizeof(*row));
	if (fake_number("lost", 0))
		active -= wall / 10;
	if (!i)
		each = active - each * (rows() - 1);
	name(row, i);
	row->tgid = FAKE_TGID;
	row->tid = sum ? 0 : FAKE_TGID + i;
	row->state = GAPP_THREAD_BLOCKED;
	row->cm_run = each << GAPP_SHARE_SHIFT;
	row->run_ns = each;
	row->blocked_ns = wall - each;
	row->slices = i + 1;
	row->threads = sum ? 10 : 1;
	if (i % 5 != 4) {
		row->flags = GAPP_FIGURES_KERNEL_SEEN;
		row->kernel_run_ns = each;
		row->kernel_seen_run_ns = each + each * fake_number("off", 0) / 100;
	}
	/* who makes marks leaves after them, and the wall may be earlier */
	if (i % 3 == 2 && fake_number("sections", 0) % 3 == 0)
		row->left_ns = fake_number("sections", 0) ? 7000000 : wall;
}

static int page_rows(struct gapp_page *page, unsigned int first, unsigned int count, int sum)
{
	struct gapp_thread_figures *row = (struct gapp_thread_figures *)(unsigned long)page->buffer;

	for (; page->count < page->capacity && page->cursor < count; page->count++)
		fill(row++, first + page->cursor++, sum);
	return 0;
}

/* Thread @i was preempted by as many threads as its number, and once by another. */
static void fill_waits(struct gapp_thread_waits *row, unsigned int i)
{
	struct gapp_thread_figures figures;

	fill(&figures, i, 0);
	memset(row, 0, sizeof(*row));
	row->tid = figures.tid;
	row->tgid = figures.tgid;
	row->life_ns = wall + (fake_number("short_life", 0) && i == 1);
	row->run_ns = figures.run_ns;
	row->runq_ns = 1000 * (i + 1);
	row->blocked_ns[GAPP_WAIT_LOCK] = (wall - figures.run_ns) / 4;
	row->blocked_ns[GAPP_WAIT_QUEUE] =
		wall - figures.run_ns - row->runq_ns - row->blocked_ns[GAPP_WAIT_LOCK];
	row->runq_stays = 2 * (i + 1);
	row->runq_max_ns = 900 * (i + 1);
	row->runq_max_at_ns = i;
	for (unsigned int j = 0; j < i && j < GAPP_PREEMPTERS; j++) {
		row->by[j].tid = j;
		row->by[j].times = j + 1;
		row->by[j].runq_ns = 100;
		name(&figures, j);
		memcpy(row->by[j].comm, figures.comm, sizeof(figures.comm));
		row->preempted += row->by[j].times;
		row->preempted_runq_ns += 100;
	}
	row->preempted++;
	row->preempted_runq_ns++;
}

static int page_waits(struct gapp_page *page)
{
	struct gapp_thread_waits *row = (struct gapp_thread_waits *)(unsigned long)page->buffer;
	unsigned int count = config.flags & GAPP_CONFIG_WAITS ? threads() : 0;

	for (; page->count < page->capacity && page->cursor < count; page->count++)
		fill_waits(row++, page->cursor++);
	return 0;
}

/* Two rows that are one, one without addresses, and what found no room. */
static int page_handovers(struct gapp_page *page)
{
	struct gapp_handover *row = (struct gapp_handover *)(unsigned long)page->buffer;
	const struct gapp_handover all[] = {
		{ 1000, 1000, 1001, 1000, 1, 1, 0x1000, 0x2000, 5, wall / 2, 0, 0 },
		{ 1000, 1000, 1001, 1000, 1, 1, 0x1000, 0x2000, 7, wall / 4, 1, 0 },
		{ 1001, 1000, 7, 1000, 1, 1, 0, 0x1000, 3, wall / 8, 1, 0 },
		{ .count = fake_number("handovers_lost", 0),
		  .cpu = 1,
		  .flags = GAPP_HANDOVER_LOST },
	};
	unsigned int count = config.flags & GAPP_CONFIG_HANDOVERS ? 3 : 0;

	count += count && all[3].count;
	for (; page->count < page->capacity && page->cursor < count; page->count++)
		*row++ = all[page->cursor++];
	return 0;
}

/* By its number and what it counts. */
static __u64 tally(unsigned int number, unsigned int who)
{
	const __u64 config = tallies[number].config;

	/* of the accesses to memory that are counted some miss the node */
	return (number + 1) * 1000 * (who + 1) / (config >> 16 ? 4 : 1) + (config & 0xf);
}

static int page_thread_tallies(struct gapp_page *page)
{
	struct gapp_thread_tallies *row = (struct gapp_thread_tallies *)(unsigned long)page->buffer;
	unsigned int count = config.flags & GAPP_CONFIG_TALLIES ? threads() : 0;

	for (; page->count < page->capacity && page->cursor < count; page->count++, row++) {
		unsigned int i = page->cursor++;

		memset(row, 0, sizeof(*row));
		row->tid = FAKE_TGID + i;
		row->tgid = FAKE_TGID;
		row->uncounted = i == 1 ? fake_number("uncounted", 0) : 0;
		for (unsigned int j = 0; j < tally_count; j++)
			row->counts[j] = tally(j, i);
	}
	return 0;
}

/* What a tally has come to by now, of what it comes to in the end. */
static __u64 so_far(__u64 whole)
{
	const __u64 length = fake_number("growing", 0) * 1000000;

	if (state != GAPP_SESSION_RUNNING || wall >= length)
		return whole;
	return whole * wall / length;
}

/* Each CPU has all that one thread has, in turn; CPU 0 has that of exited threads, too. */
static int page_cpu_tallies(struct gapp_page *page)
{
	struct gapp_cpu_tallies *row = (struct gapp_cpu_tallies *)(unsigned long)page->buffer;
	unsigned int count = config.flags & GAPP_CONFIG_TALLIES ? 4 : 0;

	for (; page->count < page->capacity && page->cursor < count; page->count++, row++) {
		memset(row, 0, sizeof(*row));
		row->cpu = page->cursor++;
		row->uncounted = row->cpu == 1 ? fake_number("uncounted", 0) : 0;
		for (unsigned int j = 0; j < tally_count; j++) {
			for (unsigned int i = row->cpu; i < threads(); i += 4)
				row->counts[j] += tally(j, i);
			if (!row->cpu)
				row->counts[j] += fake_number("exited", 0) * (j + 1);
			row->counts[j] = so_far(row->counts[j]);
		}
	}
	return 0;
}

static int page_parallelism(struct gapp_page *page)
{
	const __u64 with[] = { wall / 4, wall - 2 * (wall / 4), wall / 4, 0, 0 };
	__u64 *element = (__u64 *)(unsigned long)page->buffer;

	for (; page->count < page->capacity && page->cursor < 5; page->count++)
		*element++ = with[page->cursor++];
	return 0;
}

/* One target; with each process apart two. */
static int page_groups(struct gapp_page *page)
{
	struct gapp_target_figures *group =
		(struct gapp_target_figures *)(unsigned long)page->buffer;
	unsigned int apart = !!(config.flags & GAPP_CONFIG_PER_PROCESS);

	for (; page->count < page->capacity && page->cursor <= apart; page->count++, group++) {
		memset(group, 0, sizeof(*group));
		group->id = page->cursor++;
		group->wall_ns = wall;
		group->idle_ns = wall / 4;
		group->c = (wall / 2) << GAPP_SHARE_SHIFT;
		group->n_min = 1;
		if (!apart)
			continue;
		group->tgid = 1000 + group->id;
		snprintf((char *)group->comm, sizeof(group->comm), "target-%u", group->id);
	}
	return 0;
}

static int counters(struct gapp_counters *c)
{
	memset(c, 0, sizeof(*c));
	c->slices = 100;
	c->switches = 200;
	c->probe_calls = 2048;
	c->probe_timed = 2;
	c->probe_ns = 400;
	c->critical_run = (wall / 2) << GAPP_SHARE_SHIFT;
	if (config.flags & GAPP_CONFIG_KERNEL_PATHS && fake_number("kernel_paths", 0))
		c->flags = GAPP_COUNTERS_KERNEL_PATHS;
	c->lost[GAPP_LOST_THREADS] = fake_number("not_followed", 0);
	return 0;
}

static int layout(struct gapp_layout *l)
{
	if (state == GAPP_SESSION_NEW)
		return fake_refuse(ENOTCONN);
	memset(l, 0, sizeof(*l));
	if (config.level == GAPP_LEVEL_STATS)
		return 0;
	l->cpus = FAKE_CPUS;
	l->ring_bytes = config.ring_bytes ? config.ring_bytes : GAPP_DEFAULT_RING;
	l->ring_data = FAKE_PAGE;
	l->ring_map_bytes = FAKE_PAGE + l->ring_bytes;
	l->position_stride = 64;
	l->positions_map_bytes = FAKE_PAGE;
	l->path_slots = FAKE_PATHS;
	l->path_words_at = FAKE_PAGE;
	l->path_words = FAKE_PATHS;
	l->paths_map_bytes = 2 * FAKE_PAGE;
	return 0;
}

static int page(unsigned long request, struct gapp_page *page)
{
	if (!page->capacity || page->capacity > GAPP_PAGE_MAX || page->count)
		return fake_refuse(EINVAL);
	zero(page->reserved, sizeof(page->reserved));
	if (request == GAPP_IOC_THREADS)
		return page_rows(page, 0, threads(), 0);
	if (request == GAPP_IOC_PROCESSES)
		return page_rows(page, threads(), fake_number("exited", 0), 1);
	if (request == GAPP_IOC_TARGETS)
		return page_groups(page);
	if (request == GAPP_IOC_THREAD_WAITS)
		return page_waits(page);
	if (request == GAPP_IOC_HANDOVERS)
		return page_handovers(page);
	if (request == GAPP_IOC_THREAD_TALLIES)
		return page_thread_tallies(page);
	if (request == GAPP_IOC_CPU_TALLIES)
		return page_cpu_tallies(page);
	return page_parallelism(page);
}

static int add_selection(const struct gapp_add_selection *selection)
{
	char detail[80];

	if (state != GAPP_SESSION_READY)
		return fake_refuse(state == GAPP_SESSION_NEW ? ENOTCONN : EBUSY);
	zero(selection->reserved, sizeof(selection->reserved));
	snprintf(detail, sizeof(detail), "comm=%.31s group=%d flags=%u",
		 (const char *)selection->comm, selection->cgroup_fd >= 0, selection->flags);
	fake_note("with", detail);
	exes++;
	return 0;
}

static int add_tally(const struct gapp_add_tally *asked)
{
	const int refused = fake_number("refuse_perf", 0);
	char detail[80];

	if (state != GAPP_SESSION_READY)
		return fake_refuse(state == GAPP_SESSION_NEW ? ENOTCONN : EBUSY);
	zero(asked->reserved, sizeof(asked->reserved));
	if (!(config.flags & GAPP_CONFIG_TALLIES) || asked->source >= GAPP_TALLY_SOURCES ||
	    (asked->source != GAPP_TALLY_PERF && (asked->type || asked->config)))
		return fake_refuse(EINVAL);
	if (tally_count == GAPP_TALLIES)
		return fake_refuse(ENOSPC);
	snprintf(detail, sizeof(detail), "source=%u type=%u config=%#llx", asked->source,
		 asked->type, asked->config);
	fake_note("tally", detail);
	if (asked->source == GAPP_TALLY_PERF && refused)
		return fake_refuse(refused);
	if (asked->source == GAPP_TALLY_PERF &&
	    asked->config == fake_number("refuse_config", ~0ULL))
		return fake_refuse(ENOENT);
	tallies[tally_count++] = *asked;
	return 0;
}

int __wrap_cpu_nodes_read(struct cpu_nodes *nodes, const char *folder)
{
	const unsigned int count = fake_number("nodes", 0);

	if (!count)
		return __real_cpu_nodes_read(nodes, folder);
	*nodes = (struct cpu_nodes){ .ranges = calloc(count, sizeof(*nodes->ranges)) };
	if (!nodes->ranges)
		return -1;
	for (nodes->room = count; nodes->count < count; nodes->count++)
		nodes->ranges[nodes->count] =
			(struct cpu_range){ 2 * nodes->count, 2, nodes->count };
	return 0;
}

static int watch(const struct gapp_watch *asked)
{
	char detail[128];

	if (state != GAPP_SESSION_RUNNING)
		return fake_refuse(ENOTCONN);
	zero(&asked->reserved, sizeof(asked->reserved));
	if (!(config.flags & GAPP_CONFIG_SPINS) || !asked->bytes || asked->address % asked->bytes ||
	    !asked->time_ns || asked->time_ns > GAPP_WATCH_MAX_NS || !asked->stores ||
	    asked->stores > GAPP_WATCH_MAX_STORES)
		return fake_refuse(EINVAL);
	snprintf(detail, sizeof(detail), "pid=%d address=%#llx goes_on=%u bytes=%u number=%lld",
		 asked->pid, asked->address, asked->goes_on, asked->bytes, asked->number);
	fake_note("with", detail);
	/* in the middle of the watch, however long it takes to return from here */
	fake_put_store(node, asked->address, now() + asked->time_ns / 2);
	return 0;
}

/* A loop is timed from when it is asked for the first time, and given up when the second time. */
static int exact(const struct gapp_exact *asked)
{
	static unsigned int times;
	char detail[128];

	if (state != GAPP_SESSION_RUNNING)
		return fake_refuse(ENOTCONN);
	if (!(config.flags & GAPP_CONFIG_SPINS) || asked->pid <= 0 || !asked->passes ||
	    asked->passes > GAPP_EXACT_MAX_PASSES)
		return fake_refuse(EINVAL);
	snprintf(detail, sizeof(detail), "pid=%d address=%#llx passes=%u", asked->pid,
		 asked->address, asked->passes);
	fake_note("at", detail);
	return times++ ? fake_refuse(EDQUOT) : 0;
}

static int dispatch(unsigned long request, void *argument)
{
	if (state == GAPP_SESSION_RUNNING)
		wall = now() - begin;
	switch (request) {
	case GAPP_IOC_GET_ABI:
		return get_abi(argument);
	case GAPP_IOC_CONFIGURE:
		return configure(argument);
	case GAPP_IOC_ADD_PROCESS:
		return add_target(argument);
	case GAPP_IOC_ADD_EXECUTABLE:
		return add_exe(argument);
	case GAPP_IOC_ADD_SELECTION:
		return add_selection(argument);
	case GAPP_IOC_START:
		return start();
	case GAPP_IOC_STOP:
		return stop();
	case GAPP_IOC_STATUS:
		return status(argument);
	case GAPP_IOC_THREADS:
	case GAPP_IOC_PROCESSES:
	case GAPP_IOC_PARALLELISM:
	case GAPP_IOC_TARGETS:
	case GAPP_IOC_THREAD_WAITS:
	case GAPP_IOC_HANDOVERS:
	case GAPP_IOC_THREAD_TALLIES:
	case GAPP_IOC_CPU_TALLIES:
		return page(request, argument);
	case GAPP_IOC_ADD_TALLY:
		return add_tally(argument);
	case GAPP_IOC_COUNTERS:
		return counters(argument);
	case GAPP_IOC_LAYOUT:
		return layout(argument);
	case GAPP_IOC_LOAD_TABLE:
		return fake_load_table(argument);
	case GAPP_IOC_DROP_TABLE:
		return fake_drop_table(argument);
	case GAPP_IOC_SET_MAPPINGS:
		return fake_set_maps(argument);
	case GAPP_IOC_WATCH:
		return watch(argument);
	case GAPP_IOC_EXACT:
		return exact(argument);
	}
	return fake_refuse(ENOTTY);
}

/* In place of libc's: a file in memory always has data to read, empty rings never have. */
int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	struct timespec left = { 0 };
	nfds_t at = count;
	int ready;

	for (nfds_t i = 0; i < count; i++) {
		/* a terminal may have input, and a file always has: the reader would spin */
		if (fds[i].fd == STDOUT_FILENO && fds[i].events)
			return fake_refuse(EINVAL);
		if (fds[i].fd != node || state != GAPP_SESSION_RUNNING || fake_has_records(node))
			continue;
		at = i;
		fds[i].fd = -1;
	}
	if (timeout)
		left = *timeout;
	ready = syscall(SYS_ppoll, fds, count, timeout ? &left : NULL, mask, _NSIG / 8);
	if (at < count)
		fds[at].fd = node;
	return ready;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	static const char *const calls[CALLS] = {
		"GET_ABI",  "CONFIGURE",    "ADD_TARGET",    "START",	       "STOP",
		"STATUS",   "THREADS",	    "PROCESSES",     "PARALLELISM",    "ADD_EXE",
		"COUNTERS", "GROUPS",	    "LAYOUT",	     "LOAD_TABLE",     "DROP_TABLE",
		"SET_MAPS", "THREAD_WAITS", "ADD_SELECTION", "HANDOVERS",      "WATCH",
		"EXACT",    "MARK",	    "ADD_TALLY",     "THREAD_TALLIES", "CPU_TALLIES",
	};
	const char *call = calls[_IOC_NR(request) % CALLS];
	int error = fake_number(call, 0);
	void *argument;
	va_list args;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (fd != node)
		return __real_ioctl(fd, request, argument);
	fake_note(call, "");
	return error ? fake_refuse(error) : dispatch(request, argument);
}
