// SPDX-License-Identifier: GPL-2.0
/* Reads a sleeping thread's system call: no tracepoint of system calls is needed. */
#include <linux/stat.h>

#include "compat/file.h"
#include "compat/regs.h"
#include "sleep.h"
#include "tale.h"

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
 * gapp_sleep_read() - facts about a thread's sleep
 * @task: current, or a thread that cannot be woken during the call
 * @sleep: filled in
 *
 * Under rcu_read_lock().
 */
void gapp_sleep_read(struct task_struct *task, struct gapp_sleep *sleep)
{
	struct pt_regs *regs = gapp_user_regs(task);

	sleep->syscall = gapp_syscall(task, regs, sleep->args);
	sleep->fd = GAPP_FD_UNKNOWN;
	sleep->io_wait = task->in_iowait;
	sleep->user = regs && task->mm;
	if (sleep->syscall >= 0 && gapp_sleep_wants_fd(sleep->syscall))
		sleep->fd = fd_kind(task, sleep->args[0]);
}

/* What is kept of a system call's number: all that there are, and one that stands for the others.
 */
s16 gapp_sleep_note(s32 syscall)
{
	return min(syscall, S16_MAX);
}

/* As gapp_sleep_recall() of a thread whose registers cannot be read. */
void gapp_sleep_forget(s16 note, struct gapp_exported_wait *told)
{
	told->syscall = note == S16_MAX ? -1 : note;
	told->args[0] = 0;
	told->args[1] = 0;
	told->args[2] = 0;
}

/**
 * gapp_sleep_recall() - the system call that was noted, with its arguments
 * @task: the thread: current, or one that cannot run during the call
 * @note: of the system call
 * @told: its @syscall and @args are filled in
 *
 * Return: whether the thread is still in it; if not there are no arguments.
 */
bool gapp_sleep_recall(struct task_struct *task, s16 note, struct gapp_exported_wait *told)
{
	struct pt_regs *regs = gapp_user_regs(task);
	s32 syscall = gapp_syscall(task, regs, told->args);

	if (regs && gapp_sleep_note(syscall) == note) {
		told->syscall = syscall;
		return true;
	}
	gapp_sleep_forget(note, told);
	return false;
}
