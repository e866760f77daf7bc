// SPDX-License-Identifier: GPL-2.0
/*
 * How many instructions a call of libgapp takes while nobody records: a child makes calls, and its
 * parent has the processor stop it behind each instruction.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gapp_mark.h>

#include "made_node.h"

/* A nanosecond has two instructions even on slow machines. */
#define MOST 40

static uint32_t sessions[1024];

/* The calls in between are counted: from one trap to the next. */
static void child(void (*make)(void))
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	make();
	raise(SIGSTOP);
	asm volatile("int3");
	make();
	asm volatile("int3");
	_exit(0);
}

static void make_mark(void)
{
	gapp_mark("a text that nobody reads");
}

static void make_section(void)
{
	gapp_section_begin("name");
	gapp_section_end("name");
}

static void make_nothing(void)
{
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static bool is_trap(pid_t pid, uint64_t *address)
{
	struct user_regs_struct registers;
	long word;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &registers))
		die("PTRACE_GETREGS");
	*address = registers.rip;
	word = ptrace(PTRACE_PEEKTEXT, pid, registers.rip, NULL);
	return (word & 0xff) == 0xcc;
}

/* Instructions between both traps, the calls of @make among them. */
static long count(void (*make)(void))
{
	long steps = 0;
	uint64_t address;
	int status;
	pid_t pid = fork();

	if (!pid)
		child(make);
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		die("the child");
	if (ptrace(PTRACE_CONT, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid ||
	    !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
		die("the first trap");
	while (!is_trap(pid, &address)) {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid ||
		    !WIFSTOPPED(status))
			die("a step");
		steps++;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return steps;
}

static int check(const char *name, long steps, long most)
{
	printf("%s - libgapp: %s takes %ld instructions, at most %ld\n",
	       steps <= most ? "ok" : "not ok", name, steps, most);
	return steps > most;
}

int main(void)
{
	long empty;
	int failed;

	made.page = sessions;
	empty = count(make_nothing);
	failed = check("a mark that nobody records", count(make_mark) - empty, MOST);
	failed |= check("a section that nobody records", count(make_section) - empty, 2 * MOST);
	made.is_there = false;
	failed |= check("a mark without the module", count(make_mark) - empty, MOST);
	return failed;
}
