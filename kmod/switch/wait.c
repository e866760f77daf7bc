// SPDX-License-Identifier: GPL-2.0
/* Reads a sleeping thread's system call: no tracepoint of system calls is needed. */
#include <linux/stat.h>

#include "compat/file.h"
#include "compat/regs.h"
#include "switch.h"

static enum gapp_fd_kind fd_kind(struct task_struct *task, u64 fd)
{
	umode_t mode = fd <= INT_MAX ? gapp_fd_mode(task, fd) : 0;

	switch (mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
	case S_IFBLK:
		return GAPP_FD_FILE;
	case S_IFIFO:
		return GAPP_FD_PIPE;
	case S_IFSOCK:
		return GAPP_FD_SOCKET;
	case S_IFCHR:
		return GAPP_FD_CHAR;
	default:
		return mode ? GAPP_FD_OTHER : GAPP_FD_UNKNOWN;
	}
}

/**
 * gapp_wait_read() - facts about a thread's sleep
 * @task: current, or a thread that cannot be woken during the call
 * @start: filled in
 *
 * Under rcu_read_lock().
 */
void gapp_wait_read(struct task_struct *task, struct gapp_wait_start *start)
{
	struct pt_regs *regs = gapp_user_regs(task);

	start->syscall = gapp_syscall(task, regs, start->args);
	start->fd = GAPP_FD_UNKNOWN;
	start->io_wait = task->in_iowait;
	start->user = regs && task->mm;
	if (start->syscall >= 0 && gapp_wait_wants_fd(start->syscall))
		start->fd = fd_kind(task, start->args[0]);
}

/* What is kept of a system call's number: all that there are, and one that stands for the others.
 */
s16 gapp_wait_note(s32 syscall)
{
	return min(syscall, S16_MAX);
}

/* As gapp_wait_recall() of a thread whose registers cannot be read. */
void gapp_wait_forget(s16 note, struct gapp_exported_wait *exported)
{
	exported->syscall = note == S16_MAX ? -1 : note;
	exported->args[0] = 0;
	exported->args[1] = 0;
	exported->args[2] = 0;
}

/**
 * gapp_wait_recall() - the system call that was noted, with its arguments
 * @task: the thread: current, or one that cannot run during the call
 * @note: of the system call
 * @exported: its @syscall and @args are filled in
 *
 * Return: whether the thread is still in it; if not there are no arguments.
 */
bool gapp_wait_recall(struct task_struct *task, s16 note, struct gapp_exported_wait *exported)
{
	struct pt_regs *regs = gapp_user_regs(task);
	s32 syscall = gapp_syscall(task, regs, exported->args);

	if (regs && gapp_wait_note(syscall) == note) {
		exported->syscall = syscall;
		return true;
	}
	gapp_wait_forget(note, exported);
	return false;
}
