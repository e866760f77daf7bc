// SPDX-License-Identifier: GPL-2.0
#include "copied.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#define TRIES 2000
#define REGISTERS 17

void copied_compile(const char *name, const char *options)
{
	run("cc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls %s -o %s blocked.c -lpthread",
	    options, name);
}

static char state_of(pid_t pid, pid_t tid)
{
	char path[64], line[512], *name_end;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	stat = fopen(path, "re");
	if (!stat || !fgets(line, sizeof(line), stat))
		line[0] = '\0';
	if (stat)
		fclose(stat);
	name_end = strrchr(line, ')');
	return name_end && name_end[1] ? name_end[2] : '?';
}

/* Sleeping; D: for its child. */
static char wait_until_it_waits(pid_t pid, pid_t tid)
{
	char state = '?';

	for (int i = 0; i < TRIES; i++) {
		state = state_of(pid, tid);
		if (state == 'S' || state == 'D')
			return state;
		usleep(1000);
	}
	fail_msg("%d/%d does not wait: %c", pid, tid, state);
	return state;
}

static void set_registers(struct gapp_record_stack_copy *record,
			  const struct user_regs_struct *regs)
{
	const u64 values[REGISTERS] = {
		regs->rax, regs->rdx, regs->rcx, regs->rbx, regs->rsi, regs->rdi,
		regs->rbp, regs->rsp, regs->r8,	 regs->r9,  regs->r10, regs->r11,
		regs->r12, regs->r13, regs->r14, regs->r15, regs->rip,
	};

	memcpy(record->registers, values, sizeof(values));
	record->valid = (1U << REGISTERS) - 1;
	record->stack_at = regs->rsp;
}

static void take_registers(struct copied *copied, pid_t tid)
{
	struct user_regs_struct regs;
	int status;

	assert_int_equal(ptrace(PTRACE_SEIZE, tid, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, tid, NULL, NULL), 0);
	assert_int_equal(waitpid(tid, &status, __WALL), tid);
	assert_int_equal(ptrace(PTRACE_GETREGS, tid, NULL, &regs), 0);
	set_registers(&copied->record, &regs);
}

/* Who waits for its child to execute something cannot be stopped; the kernel tells two registers.
 */
static void take_two_registers(struct copied *copied, pid_t tid)
{
	unsigned long long sp, ip;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*s %*s %*s %*s %*s %*s %*s %llx %llx", &sp, &ip), 2);
	fclose(file);
	copied->record.registers[7] = sp;
	copied->record.registers[16] = ip;
	copied->record.valid = 1U << 7 | 1U << 16;
	copied->record.stack_at = sp;
}

/* As far as it is mapped. */
static void take_stack(struct copied *copied)
{
	struct gapp_record_stack_copy *record = &copied->record;
	u32 bytes = 0;

	while (bytes < sizeof(copied->stack)) {
		struct iovec to = { copied->stack + bytes, 8 };
		struct iovec from = { (void *)(uintptr_t)(record->stack_at + bytes), 8 };

		if (process_vm_readv(copied->pid, &to, 1, &from, 1, 0) != 8)
			break;
		bytes += 8;
	}
	record->stack_bytes = bytes;
}

struct copied *copied_start(const char *name, const char *how, const char *argument)
{
	struct copied *copied = calloc(1, sizeof(*copied));
	char path[64];
	int pipes[2];
	pid_t tid;
	FILE *in;

	assert_non_null(copied);
	assert_int_equal(pipe(pipes), 0);
	snprintf(path, sizeof(path), "./%s", name);
	copied->pid = fork();
	assert_true(copied->pid >= 0);
	if (!copied->pid) {
		setsid();
		dup2(pipes[1], STDOUT_FILENO);
		close(pipes[0]);
		close(pipes[1]);
		execl(path, name, how, argument, NULL);
		_exit(127);
	}
	close(pipes[1]);
	in = fdopen(pipes[0], "r");
	assert_non_null(in);
	if (fscanf(in, "%d", &tid) != 1)
		fail_msg("%s %s says nothing", name, how);
	fclose(in);
	if (wait_until_it_waits(copied->pid, tid) == 'D')
		take_two_registers(copied, tid);
	else
		take_registers(copied, tid);
	take_stack(copied);
	copied->record.head = (struct gapp_record){
		.type = GAPP_RECORD_STACK_COPY,
		.size = sizeof(copied->record) + copied->record.stack_bytes,
		.time_ns = clock_ns(),
	};
	copied->record.tid = tid;
	copied->record.tgid = copied->pid;
	copied->record.image = 1;
	copied->record.path = GAPP_PATH_NONE;
	return copied;
}

void copied_cut(struct copied *copied, u32 stack_bytes)
{
	assert_true(stack_bytes <= copied->record.stack_bytes);
	copied->record.stack_bytes = stack_bytes;
	copied->record.head.size = sizeof(copied->record) + stack_bytes;
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

void copied_end(struct copied *copied)
{
	kill(-copied->pid, SIGKILL);
	/* a thread that is traced first: its process waits for that */
	if (copied->record.tid != copied->pid)
		reap(copied->record.tid);
	reap(copied->pid);
	free(copied);
}
