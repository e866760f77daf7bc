// SPDX-License-Identifier: GPL-2.0
/*
 * Processes whose words are watched, and readers that watch them, end in every way, at any time.
 * Nothing may be left of a watch when its session has ended.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watched.h"

/* What becomes of the process whose stores are watched. */
enum fate {
	FATE_STAYS,
	FATE_FORKS,
	FATE_EXECUTES,
	FATE_EXITS,
	FATE_DEBUGGED, /* last: not where debuggers are left out */
	FATES,
};

/* How the session ends. */
enum end {
	END_KILLED,
	END_STOP,
	END_CLOSE,
	END_EXIT,
	ENDS,
};

static const char *const fates[] = { "stays", "forks", "executes", "exits", "debugged" };
static const char *const ends[] = { "killed", "STOP", "close", "exit" };

/* So long at most does either of the two wait before it ends. */
#define MOST_US 3000
#define LONGEST_WATCH_NS (20 * NSEC_PER_MSEC)
/* So many memories are left if each round leaves one; some fewer the kernel keeps for itself. */
#define MEMORIES_MOST 1000
#define KMEMLEAK "/sys/kernel/debug/kmemleak"

/**
 * struct round - shared by the processes of a round
 * @scene: what the first process stores into
 * @fate: of it
 * @end: of the session
 * @target: pid of the process
 * @begins: its fate begins
 * @over: the session is to end
 * @watches: how many watches have begun in all rounds
 */
struct round {
	struct w_scene scene;
	enum fate fate;
	enum end end;
	pid_t target;
	bool begins, over;
	u32 watches;
};

static u32 pick(u32 below)
{
	return rand() % below;
}

static void execute(struct t_child *parent)
{
	char fd[16];

	fcntl(parent->to, F_SETFD, 0);
	snprintf(fd, sizeof(fd), "%d", parent->to);
	execl("/proc/self/exe", "abi_test", "--tell", fd, NULL);
	t_die("exec");
}

/* A few stores of a child. */
static void have_child(struct round *round)
{
	if (fork())
		return;
	for (u32 i = 0; i < 5; i++)
		w_put(&round->scene, &round->scene.word, i);
	_exit(0);
}

static void stores_on(struct t_child *parent, void *arg)
{
	struct round *round = arg;

	signal(SIGCHLD, SIG_IGN);
	t_tell(parent);
	for (u32 i = 0;; i++) {
		w_put(&round->scene, &round->scene.word, i);
		if (i % 8 == 0)
			t_sleep(100000);
		if (!__atomic_load_n(&round->begins, __ATOMIC_ACQUIRE))
			continue;
		if (round->fate == FATE_EXECUTES)
			execute(parent);
		if (round->fate == FATE_EXITS)
			_exit(0);
		if (round->fate == FATE_FORKS && i % 16 == 0)
			have_child(round);
	}
}

static int watch(struct round *round, int fd)
{
	struct gapp_watch watch = {
		.address = (uintptr_t)&round->scene.word,
		.pid = round->target,
		.time_ns = 1 + pick(LONGEST_WATCH_NS),
		.stores = 1 + pick(GAPP_WATCH_MAX_STORES),
		.bytes = 1 << pick(4),
	};
	int ret = w_watch(fd, &watch);

	round->watches += !ret;
	return ret;
}

/* A session that has seen the process run. */
static int follow(struct round *round)
{
	struct gapp_config config = w_config(pick(2) ? GAPP_UNWIND_BY_TABLE : GAPP_UNWIND_BY_AUTO);
	struct gapp_counters counters;
	int fd;

	config.ring_bytes = GAPP_MIN_RING;
	config.paths = GAPP_MIN_PATHS;
	fd = t_session(&config);
	errno = -t_add(fd, round->target, 0);
	if (!errno)
		errno = -t_start(fd);
	if (errno)
		t_die("START");
	do {
		t_counters(fd, &counters);
	} while (!counters.slices);
	return fd;
}

/* The reader: watches again and again. */
static void watches(struct t_child *parent, void *arg)
{
	struct round *round = arg;
	int fd;

	srand(getpid());
	fd = follow(round);
	errno = -watch(round, fd);
	if (errno)
		t_die("WATCH");
	t_tell(parent);
	while (!__atomic_load_n(&round->over, __ATOMIC_ACQUIRE)) {
		t_sleep(pick(MOST_US) * 500);
		if (pick(4))
			watch(round, fd);
		else
			w_watch_nothing(fd);
	}
	watch(round, fd);
	if (round->end == END_EXIT)
		_exit(0);
	if (round->end == END_STOP)
		t_stop(fd);
	if (round->end == END_CLOSE)
		close(fd);
	t_tell(parent);
	pause();
}

/* A debugger watches a word next to the one that the session watches. */
static void debug(struct round *round)
{
	const pid_t pid = round->target;
	const u64 until = t_now() + pick(MOST_US) * 1000ULL;
	int status;

	if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0) ||
	    waitpid(pid, &status, __WALL) != pid)
		t_die("PTRACE_SEIZE");
	if (ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[0]),
		   pick(2) ? &round->scene.word : &round->scene.other) ||
	    ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[7]), 0xd0001UL) ||
	    ptrace(PTRACE_CONT, pid, 0, 0))
		t_die("PTRACE_POKEUSER");
	do {
		if (waitpid(pid, &status, __WALL | WNOHANG) == pid)
			ptrace(PTRACE_CONT, pid, 0, 0);
	} while (t_now() < until);
}

/* t_kill(), of a process that may have stopped for its debugger. */
static void kill_debugged(struct t_child *child)
{
	int status;

	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, &status, __WALL) == child->pid && WIFSTOPPED(status))
		;
	close(child->to);
	close(child->from);
}

static void meet_fate(struct round *round, struct t_child *target)
{
	__atomic_store_n(&round->begins, true, __ATOMIC_RELEASE);
	if (round->fate == FATE_DEBUGGED)
		debug(round);
	if (round->fate == FATE_EXECUTES && pick(2))
		t_hear(target);
	t_sleep(pick(MOST_US) * 1000ULL);
}

static void end_session(struct round *round, struct t_child *reader)
{
	if (round->end == END_KILLED)
		return;
	__atomic_store_n(&round->over, true, __ATOMIC_RELEASE);
	if (round->end == END_EXIT)
		waitid(P_PID, reader->pid, NULL, WEXITED | WNOWAIT);
	else
		t_hear(reader);
}

/* Returns whether nothing was left. */
static bool play(struct round *round)
{
	struct t_child target, reader;
	bool unused;

	round->begins = false;
	round->over = false;
	target = t_fork(stores_on, round);
	t_hear(&target);
	round->target = target.pid;
	reader = t_fork(watches, round);
	t_hear(&reader);
	meet_fate(round, &target);
	/* what a debugger has set ends with the process */
	if (round->fate == FATE_DEBUGGED)
		kill_debugged(&target);
	end_session(round, &reader);
	if (round->end == END_KILLED)
		t_kill(&reader);
	unused = w_all_unused();
	if (round->fate != FATE_DEBUGGED)
		t_kill(&target);
	if (round->end != END_KILLED)
		t_kill(&reader);
	return unused;
}

/* How many memories of processes the kernel has; 0: it does not say. */
static unsigned long memories(void)
{
	FILE *file = fopen("/proc/slabinfo", "re");
	unsigned long count = 0;
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "mm_struct %lu", &count) == 1)
			break;
	if (file)
		fclose(file);
	return count;
}

void w_rounds(u32 rounds, bool debuggers)
{
	struct round *round = mmap(NULL, sizeof(*round), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const unsigned long before = memories();
	unsigned long after;
	const u32 of_fates = debuggers ? FATES : FATE_DEBUGGED;
	char name[100], last[100] = "";
	u32 left = 0;

	if (round == MAP_FAILED)
		t_die("mmap");
	srand(rounds);
	for (u32 i = 0; i < rounds; i++) {
		round->fate = i % of_fates;
		round->end = i / of_fates % ENDS;
		if (play(round))
			continue;
		snprintf(last, sizeof(last), "in round %u: %s, %s", i, fates[round->fate],
			 ends[round->end]);
		left++;
		if (!w_soon_unused())
			break;
	}
	snprintf(name, sizeof(name), "no breakpoint is left used in %u rounds", rounds);
	t_check(!left, name, "in %u one is, last %s", left, last);
	t_check(round->watches > rounds, "they watch again and again", "%u times", round->watches);
	munmap(round, sizeof(*round));
	if (rounds < MEMORIES_MOST)
		return;
	after = memories();
	/* a kernel that looks for leaks itself keeps what was freed, too, for KASAN */
	if (!access(KMEMLEAK, F_OK))
		t_skip("nor is memory of processes that have gone", "kmemleak looks for that");
	else if (before)
		t_check(after < before + MEMORIES_MOST / 2,
			"nor is memory of processes that have gone",
			"of %lu processes, before of %lu", after, before);
	else
		t_skip("nor is memory of processes that have gone", "this kernel does not say");
}
