// SPDX-License-Identifier: GPL-2.0
#include "tracees.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define OPTIONS                                                                                \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | \
	 PTRACE_O_EXITKILL)
/* A thread that does not stop waits for a child of vfork(): another one is taken meanwhile. */
#define PATIENCE_NS (20 * 1000000ULL)
#define MAX_TRACEES 8192

/**
 * struct tracee - a thread
 * @tid: thread
 * @asked: it was asked to stop
 */
struct tracee {
	pid_t tid;
	bool asked;
};

static struct tracee tracees[MAX_TRACEES];
static u32 tracee_count;
static pid_t command_pid;
static int command_status = -1;

static struct tracee *find(pid_t tid)
{
	u32 i;

	for (i = 0; i < tracee_count; i++)
		if (tracees[i].tid == tid)
			return &tracees[i];
	return NULL;
}

static struct tracee *add(pid_t tid)
{
	struct tracee *tracee = find(tid);

	if (tracee || tracee_count == MAX_TRACEES)
		return tracee;
	tracee = &tracees[tracee_count++];
	*tracee = (struct tracee){ .tid = tid };
	return tracee;
}

static void forget(pid_t tid)
{
	struct tracee *tracee = find(tid);

	if (tracee)
		*tracee = tracees[--tracee_count];
}

static void no_output(void)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (!getenv("LIVE_VERBOSE"))
		dup2(null, STDERR_FILENO);
	close(null);
}

/* Waits until it is traced, for which the parent closes the other end. */
static void run_command(char **command, int gate, const sigset_t *mask)
{
	struct rlimit no_core = { 0 };
	char byte;

	if (read(gate, &byte, 1) != 1)
		_exit(STATUS_FAILED);
	setpgid(0, 0);
	setrlimit(RLIMIT_CORE, &no_core);
	sigprocmask(SIG_SETMASK, mask, NULL);
	no_output();
	execvp(command[0], command);
	_exit(STATUS_NOT_FOUND);
}

int tracees_start(char **command)
{
	sigset_t child, before;
	int gate[2];

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	if (pipe2(gate, O_CLOEXEC))
		return -1;
	command_pid = fork();
	if (command_pid < 0)
		return -1;
	if (!command_pid) {
		close(gate[1]);
		run_command(command, gate[0], &before);
	}
	close(gate[0]);
	if (ptrace(PTRACE_SEIZE, command_pid, NULL, OPTIONS)) {
		int why = errno;

		kill(command_pid, SIGKILL);
		close(gate[1]);
		errno = why;
		return -1;
	}
	add(command_pid);
	if (write(gate[1], "", 1) != 1)
		return -1;
	close(gate[1]);
	return 0;
}

/* True: it is one that was asked to stop, and did. */
static bool handle(pid_t tid, int status)
{
	struct tracee *tracee;
	int signal;

	if (!WIFSTOPPED(status)) {
		if (tid == command_pid)
			command_status = status;
		forget(tid);
		return false;
	}
	tracee = add(tid);
	signal = WSTOPSIG(status);
	if (status >> 16) {
		if (status >> 16 == PTRACE_EVENT_STOP && signal == SIGTRAP && tracee &&
		    tracee->asked) {
			tracee->asked = false;
			return true;
		}
		signal = 0;
	}
	/* Any other stop has cancelled what was asked for. */
	if (tracee && tracee->asked)
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	ptrace(PTRACE_CONT, tid, NULL, (void *)(intptr_t)signal);
	return false;
}

/* Looks after all that happens till @until. The thread that stopped, or 0; -1: none is left. */
static pid_t look_after(u64 until)
{
	sigset_t child;
	int status;
	pid_t tid;
	u64 now;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		struct timespec rest;

		while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
			if (handle(tid, status))
				return tid;
		if (tid < 0 && errno == ECHILD)
			return -1;
		now = clock_ns();
		if (now >= until)
			return 0;
		rest.tv_sec = (until - now) / NSEC_PER_SEC;
		rest.tv_nsec = (until - now) % NSEC_PER_SEC;
		sigtimedwait(&child, NULL, &rest);
	}
}

int tracees_run(u64 ns)
{
	return look_after(clock_ns() + ns) < 0 ? -1 : 0;
}

static bool runs(pid_t tid)
{
	char path[64], text[512], *state;
	ssize_t bytes;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bytes = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (bytes <= 0)
		return false;
	text[bytes] = '\0';
	state = strrchr(text, ')');
	return state && state[1] && state[2] == 'R';
}

/* One that runs, if three tries find it: else those that wait would be nearly all. */
static struct tracee *pick(void)
{
	struct tracee *tracee = NULL;
	int tries;

	for (tries = 0; tries < 3; tries++) {
		tracee = &tracees[random() % tracee_count];
		if (runs(tracee->tid))
			break;
	}
	return tracee;
}

static pid_t process_of(pid_t tid)
{
	char path[64], line[256];
	pid_t tgid = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	status = fopen(path, "re");
	if (!status)
		return 0;
	while (!tgid && fgets(line, sizeof(line), status))
		sscanf(line, "Tgid: %d", &tgid);
	fclose(status);
	return tgid;
}

int tracees_stop_one(struct thread *thread, u64 ns)
{
	pid_t tid = look_after(clock_ns() + ns);
	struct tracee *tracee;

	if (!tid && tracee_count) {
		tracee = pick();
		tid = tracee->tid;
		if (!tracee->asked) {
			if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL)) {
				/* Gone by an exec of another thread. */
				forget(tid);
				return -1;
			}
			tracee->asked = true;
		}
		tid = look_after(clock_ns() + PATIENCE_NS);
	}
	if (tid < 0)
		return 0;
	if (!tid)
		return -1;
	thread->tid = tid;
	thread->tgid = process_of(tid);
	if (!thread->tgid || ptrace(PTRACE_GETREGS, tid, NULL, &thread->regs)) {
		ptrace(PTRACE_CONT, tid, NULL, NULL);
		return -1;
	}
	return 1;
}

void tracees_go_on(const struct thread *thread)
{
	ptrace(PTRACE_CONT, thread->tid, NULL, NULL);
}

void tracees_kill(void)
{
	u64 until = clock_ns() + 10 * NSEC_PER_SEC;
	int status;
	pid_t tid;
	u32 i;

	/* Children that come meanwhile are seen by the next round. */
	while (clock_ns() < until) {
		for (i = 0; i < tracee_count; i++)
			kill(tracees[i].tid, SIGKILL);
		while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
			if (!WIFSTOPPED(status))
				forget(tid);
			else if (add(tid))
				ptrace(PTRACE_CONT, tid, NULL, NULL);
		}
		if (tid < 0)
			break;
		usleep(1000);
	}
	tracee_count = 0;
}

int tracees_status(void)
{
	return command_status;
}
