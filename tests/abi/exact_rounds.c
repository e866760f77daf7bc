// SPDX-License-Identifier: GPL-2.0
/*
 * Processes with a loop that is timed exactly, and readers that have it timed, end in every way, at
 * any time. No breakpoint may be left when the sessions have ended. The process has its code mapped
 * twice: a breakpoint of the file is in both.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exact_loop.h"
#include "groups.h"

/* What becomes of the process whose loop is timed. */
enum fate {
	FATE_STAYS,
	FATE_FORKS,
	FATE_EXECUTES,
	FATE_EXITS,
	FATE_UNMAPS,
	FATE_DEBUGGED,
	FATES,
};

/* How the sessions end. */
enum end {
	END_KILLED,
	END_HELD,
	END_STOP,
	END_CLOSE,
	END_EXIT,
	ENDS,
};

static const char *const fates[] = { "stays", "forks", "executes", "exits", "unmaps", "debugged" };
static const char *const ends[] = { "killed", "held by a child", "STOP", "close", "exit" };

/* So long at most does either of the two wait before it ends. */
#define MOST_US 3000
#define ROUNDS 1000
#define SESSIONS 2
#define STEPS 50

/**
 * struct code - the second mapping of the program's code
 * @begin: where the first one begins
 * @bytes: of each
 * @offset: in the file
 * @fd: the file
 * @copy: the second one
 */
struct code {
	uintptr_t begin;
	size_t bytes;
	off_t offset;
	int fd;
	u8 *copy;
};

/**
 * struct round - shared by the processes of a round
 * @fate: of the first process
 * @end: of the sessions
 * @flag: what the first process waits for
 * @target: pid of the process
 * @child: pid of its child, which never comes to the loop; 0: none
 * @holder: pid of the reader's child, which has the sessions, too
 * @begins: the process's fate begins
 * @over: the sessions are to end
 * @timed: how many loops were timed in all rounds
 */
struct round {
	enum fate fate;
	enum end end;
	int flag;
	pid_t target, child, holder;
	bool begins, over;
	u32 timed;
};

typedef void look_until(const int *flag);

static struct code code;

static u32 pick(u32 below)
{
	return rand() % below;
}

static void find_code(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long begin, end, offset;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 &&
		    (uintptr_t)t_exact_begin - begin < end - begin)
			code = (struct code){ .begin = begin,
					      .bytes = end - begin,
					      .offset = offset };
	if (maps)
		fclose(maps);
	code.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (!code.bytes || code.fd < 0)
		t_die("/proc/self/maps");
}

static void *map_copy(void *at)
{
	void *copy = mmap(at, code.bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED : 0),
			  code.fd, code.offset);

	if (copy == MAP_FAILED)
		t_die("mmap");
	return copy;
}

static uintptr_t bias(void)
{
	return (uintptr_t)code.copy - code.begin;
}

static void *sets(void *arg)
{
	struct round *round = arg;

	for (;;) {
		t_sleep(50000);
		__atomic_store_n(&round->flag, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* A child that has the breakpoints until the sessions end, since it never comes to them. */
static void have_child(struct round *round)
{
	pid_t child = fork();

	if (child < 0)
		t_die("fork");
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	__atomic_store_n(&round->child, child, __ATOMIC_RELEASE);
}

static void act(struct round *round, bool *is_mapped, u32 i)
{
	switch (round->fate) {
	case FATE_EXECUTES:
		execl("/bin/sleep", "sleep", "1000", (char *)NULL);
		t_die("/bin/sleep");
		break;
	case FATE_EXITS:
		_exit(0);
	case FATE_FORKS:
		if (!round->child)
			have_child(round);
		break;
	case FATE_UNMAPS:
		if (i % 4)
			break;
		if (*is_mapped)
			munmap(code.copy, code.bytes);
		else
			map_copy(code.copy);
		*is_mapped = !*is_mapped;
		break;
	default:
		break;
	}
}

static void waits(struct t_child *parent, void *arg)
{
	struct round *round = arg;
	look_until *const copy = (look_until *)((uintptr_t)x_look_until + bias());
	bool is_mapped = true;
	pthread_t other;

	errno = pthread_create(&other, NULL, sets, round);
	if (errno)
		t_die("pthread_create");
	t_tell(parent);
	for (u32 i = 0;; i++) {
		__atomic_store_n(&round->flag, 0, __ATOMIC_RELEASE);
		(i % 2 && is_mapped ? copy : x_look_until)(&round->flag);
		if (__atomic_load_n(&round->begins, __ATOMIC_ACQUIRE))
			act(round, &is_mapped, i);
	}
}

static int begin_session(const struct round *round)
{
	const struct gapp_config config = x_config();
	struct gapp_mapping maps[] = {
		{ .begin = code.begin, .end = code.begin + code.bytes },
		{ .begin = (uintptr_t)code.copy,
		  .end = (uintptr_t)code.copy + code.bytes,
		  .bias = bias() },
	};
	int fd = t_session(&config);

	errno = -t_add(fd, round->target, 0);
	if (!errno)
		errno = -t_start(fd);
	if (errno)
		t_die("START");
	maps[0].spins = x_load(fd);
	maps[1].spins = maps[0].spins;
	x_map(fd, round->target, maps, 2);
	return fd;
}

/* Has the loop timed in either mapping, with few passes, or many. */
static int time_it(struct round *round, int fd)
{
	const struct gapp_exact exact = {
		.address = (uintptr_t)t_exact_begin + (pick(2) ? bias() : 0),
		.pid = round->target,
		.passes = pick(4) ? GAPP_EXACT_MAX_PASSES : 1 + pick(20),
	};
	int ret = x_exact(fd, &exact);

	round->timed += !ret;
	return ret;
}

static void hold(struct round *round)
{
	pid_t child = fork();

	if (child < 0)
		t_die("fork");
	if (!child) {
		pause();
		_exit(0);
	}
	__atomic_store_n(&round->holder, child, __ATOMIC_RELEASE);
}

/* The reader: has the loop timed by two sessions again and again. */
static void times(struct t_child *parent, void *arg)
{
	static const struct gapp_exact nothing;
	struct round *round = arg;
	int fds[SESSIONS];

	srand(getpid());
	for (u32 i = 0; i < SESSIONS; i++) {
		fds[i] = begin_session(round);
		errno = -time_it(round, fds[i]);
		if (errno)
			t_die("EXACT");
	}
	if (round->end == END_HELD)
		hold(round);
	t_tell(parent);
	while (!__atomic_load_n(&round->over, __ATOMIC_ACQUIRE)) {
		int fd = fds[pick(SESSIONS)];

		t_sleep(pick(MOST_US) * 500);
		if (pick(4))
			time_it(round, fd);
		else
			x_exact(fd, &nothing);
	}
	for (u32 i = 0; i < SESSIONS; i++)
		time_it(round, fds[i]);
	if (round->end == END_EXIT)
		_exit(0);
	for (u32 i = 0; i < SESSIONS; i++) {
		if (round->end == END_STOP)
			t_stop(fds[i]);
		if (round->end == END_CLOSE)
			close(fds[i]);
	}
	t_tell(parent);
	pause();
}

/* Writes the jump where a breakpoint may be, as a debugger does. */
static void mend_code(const struct round *round)
{
	const u8 jump = X_JUMP_IF_EQUAL;
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", round->target);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || pwrite(fd, &jump, 1, (uintptr_t)t_exact_exit) != 1)
		t_die(path);
	close(fd);
}

/* A debugger goes through the loop in single steps, and reads and writes the code there. */
static void debug(const struct round *round)
{
	const pid_t pid = round->target;
	int status;
	u8 byte;

	if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0) ||
	    waitpid(pid, &status, __WALL) != pid)
		t_die("PTRACE_SEIZE");
	for (u32 i = 0; i < STEPS && WIFSTOPPED(status); i++) {
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) || waitpid(pid, &status, __WALL) != pid)
			t_die("PTRACE_SINGLESTEP");
		if (!x_opcode(pid, (uintptr_t)t_exact_exit, &byte))
			t_die("/proc/PID/mem");
		if (i == STEPS / 2 && pick(2))
			mend_code(round);
	}
	if (ptrace(PTRACE_DETACH, pid, 0, 0))
		t_die("PTRACE_DETACH");
}

static void meet_fate(struct round *round)
{
	__atomic_store_n(&round->begins, true, __ATOMIC_RELEASE);
	if (round->fate == FATE_DEBUGGED)
		debug(round);
	t_sleep(pick(MOST_US) * 1000ULL);
}

static void end_sessions(struct round *round, struct t_child *reader)
{
	if (round->end == END_KILLED || round->end == END_HELD) {
		t_kill(reader);
		if (!round->holder)
			return;
		t_sleep(pick(MOST_US) * 1000ULL);
		kill(round->holder, SIGKILL);
		if (waitpid(round->holder, NULL, 0) != round->holder)
			t_die("waitpid");
		return;
	}
	__atomic_store_n(&round->over, true, __ATOMIC_RELEASE);
	if (round->end == END_EXIT)
		waitid(P_PID, reader->pid, NULL, WEXITED | WNOWAIT);
	else
		t_hear(reader);
}

/* What is left at an exit of a process; the program's own code if nothing is. */
static u8 left_at(pid_t pid, uintptr_t address)
{
	u8 byte = X_JUMP_IF_EQUAL;

	x_opcode(pid, address, &byte);
	return byte;
}

static bool is_clean(const struct round *round)
{
	const uintptr_t exit = (uintptr_t)t_exact_exit;

	if (round->child && left_at(round->child, exit) != X_JUMP_IF_EQUAL)
		return false;
	/* the memory of another program is another; what is mapped is mapped anew at any time */
	if (round->fate == FATE_EXECUTES || round->fate == FATE_EXITS)
		return true;
	return left_at(round->target, exit) == X_JUMP_IF_EQUAL &&
	       left_at(round->target, exit + bias()) == X_JUMP_IF_EQUAL;
}

/* Whether the process still does what it did. */
static bool goes_on(const struct round *round)
{
	int status;

	return round->fate == FATE_EXITS || !waitpid(round->target, &status, WNOHANG);
}

/* Returns what is wrong, or NULL. */
static const char *play(struct round *round)
{
	struct t_child target, reader;
	const char *wrong = NULL;

	round->begins = false;
	round->over = false;
	round->child = 0;
	round->holder = 0;
	target = t_fork(waits, round);
	t_hear(&target);
	round->target = target.pid;
	reader = t_fork(times, round);
	t_hear(&reader);
	meet_fate(round);
	end_sessions(round, &reader);
	if (!is_clean(round))
		wrong = "a breakpoint is left";
	else if (!goes_on(round))
		wrong = "the process has died";
	t_kill(&target);
	if (round->end != END_KILLED && round->end != END_HELD)
		t_kill(&reader);
	return wrong;
}

/* Code that is in no file can have no breakpoint. */
static void in_no_file(void)
{
	struct round round = { .fate = FATE_STAYS };
	u8 *copy = code.copy;
	struct t_child target;
	int fd;

	code.copy = mmap(NULL, code.bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code.copy == MAP_FAILED)
		t_die("mmap");
	memcpy(code.copy, (const void *)code.begin, code.bytes);
	target = t_fork(t_idle, NULL);
	t_hear(&target);
	round.target = target.pid;
	fd = begin_session(&round);
	t_expect(x_exact(fd,
			 &(struct gapp_exact){ (uintptr_t)t_exact_begin + bias(), target.pid, 1 }),
		 -ENOENT, "code that is in no file");
	close(fd);
	t_kill(&target);
	munmap(code.copy, code.bytes);
	code.copy = copy;
}

void exact_gone_often(void)
{
	struct round *round = mmap(NULL, sizeof(*round), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char name[100], last[120] = "";
	u32 wrong = 0;

	if (round == MAP_FAILED)
		t_die("mmap");
	find_code();
	code.copy = map_copy(NULL);
	in_no_file();
	/* whom a killed reader leaves is waited for here */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	srand(ROUNDS);
	for (u32 i = 0; i < ROUNDS; i++) {
		const char *why;

		round->fate = i % FATES;
		round->end = i / FATES % ENDS;
		why = play(round);
		if ((i + 1) % (FATES * ENDS) == 0) {
			printf("# %u rounds, a loop was timed %u times\n", i + 1, round->timed);
			fflush(stdout);
		}
		if (!why)
			continue;
		snprintf(last, sizeof(last), "in round %u: %s, %s: %s", i, fates[round->fate],
			 ends[round->end], why);
		wrong++;
	}
	snprintf(name, sizeof(name), "no breakpoint is left in %u rounds", ROUNDS);
	t_check(!wrong, name, "in %u something is wrong, last %s", wrong, last);
	t_check(round->timed > ROUNDS * SESSIONS, "they are timed again and again", "%u times",
		round->timed);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	munmap(code.copy, code.bytes);
	close(code.fd);
	munmap(round, sizeof(*round));
}
