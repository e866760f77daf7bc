// SPDX-License-Identifier: GPL-2.0
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>

#include "sudo_user.h"

void file_limit_raise(struct rlimit *before)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, before)) {
		*before = (struct rlimit){ 0 };
		return;
	}
	most = *before;
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
}

static void file_limit_restore(const struct rlimit *before)
{
	if (before->rlim_max)
		setrlimit(RLIMIT_NOFILE, before);
}

/* Sets the calling process's ids and environment to the user's. Returns 0, or -1 with errno. */
static int become_sudo_user(const struct sudo_user *user)
{
	const struct passwd *account = user->account;

	if (!user->other)
		return 0;
	if (account ? initgroups(account->pw_name, user->gid) : setgroups(1, &user->gid))
		return -1;
	if (setgid(user->gid) || setuid(user->uid))
		return -1;
	if (account && (setenv("HOME", account->pw_dir, 1) || setenv("USER", account->pw_name, 1) ||
			setenv("LOGNAME", account->pw_name, 1)))
		return -1;
	return 0;
}

/* How far the child has come, which it writes to a pipe. */
struct child_state {
	enum {
		CHILD_WAITING,
		CHILD_NOT_THE_USER,
		CHILD_NOT_EXECUTED,
	} step;
	int error;
};

static bool tell(int fd, int step)
{
	struct child_state state = { .step = step, .error = errno };

	return write(fd, &state, sizeof(state)) == sizeof(state);
}

/* Reads the child's state. False at the end of the pipe: the child has called exec, or is dead. */
static bool hear(int fd, struct child_state *state)
{
	ssize_t got;

	do {
		got = read(fd, state, sizeof(*state));
	} while (got < 0 && errno == EINTR);
	return got == sizeof(*state);
}

/* A screen that is drawn again and again has no room for what others write. */
static void leave_terminal(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		if (isatty(fd))
			dup2(null, fd);
}

static void child(int go_fd, int state_fd, char *const *command, const struct sudo_user *user,
		  const struct signals *signals, const struct rlimit *files)
{
	char go;

	if (become_sudo_user(user)) {
		tell(state_fd, CHILD_NOT_THE_USER);
		return;
	}
	if (!tell(state_fd, CHILD_WAITING) || read(go_fd, &go, 1) != 1)
		return;
	signals_give_back(signals);
	file_limit_restore(files);
	execvp(command[0], command);
	tell(state_fd, CHILD_NOT_EXECUTED);
}

/**
 * launch_prepare() - makes a child that waits for launch_go()
 * @launch: LAUNCH_NONE
 * @command: what the child will execute
 * @signals: what the child restores before its exec
 * @files: the limit that the child restores before its exec
 *
 * Under sudo the child belongs to the user who called sudo.
 *
 * Return: 0, or -1 with a complaint made.
 */
int launch_prepare(struct launch *launch, char *const *command, const struct signals *signals,
		   const struct rlimit *files)
{
	struct sudo_user user = { 0 };
	int go[2] = { -1, -1 }, state_pipe[2] = { -1, -1 };
	struct child_state state;
	pid_t pid = -1;

	if (sudo_user_find(&user))
		return -1;
	if (!pipe2(go, O_CLOEXEC) && !pipe2(state_pipe, O_CLOEXEC))
		pid = fork();
	if (!pid) {
		close(go[1]);
		close(state_pipe[0]);
		if (launch->no_terminal)
			leave_terminal();
		child(go[0], state_pipe[1], command, &user, signals, files);
		_exit(STATUS_FAILED);
	}
	if (pid < 0)
		complain("cannot start a process for %s: %s", command[0], strerror(errno));

	launch->pid = pid > 0 ? pid : 0;
	launch->go_fd = go[1];
	launch->state_fd = state_pipe[0];
	cleanup_close(&go[0]);
	cleanup_close(&state_pipe[1]);
	if (pid < 0)
		return -1;
	if (!hear(launch->state_fd, &state)) {
		complain("cannot run %s: its process is gone", command[0]);
		return -1;
	}
	if (state.step == CHILD_NOT_THE_USER) {
		complain("cannot run %s as the user who called sudo: %s", command[0],
			 strerror(state.error));
		return -1;
	}
	return 0;
}

/**
 * launch_go() - lets the child execute its command
 * @launch: a waiting child
 * @name: the command's name, for complaints
 *
 * Return: 0 when the child has executed its command or is gone; else an exit status, with a
 * complaint made.
 */
int launch_go(struct launch *launch, const char *name)
{
	struct child_state state;
	const char *why;

	if (write(launch->go_fd, "", 1) < 0 && errno != EPIPE) {
		complain("cannot run %s: %s", name, strerror(errno));
		return STATUS_FAILED;
	}
	if (!hear(launch->state_fd, &state))
		return 0;
	why = strerror(state.error);
	if (state.error == ENOENT && !strchr(name, '/'))
		why = "command not found";
	complain("cannot run %s: %s", name, why);
	return state.error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

/**
 * launch_wait() - waits for the end of the child
 * @launch: a child
 *
 * Return: the exit status as a shell gives it: 128 plus the signal that killed the child.
 */
int launch_wait(struct launch *launch)
{
	int status = 0;
	pid_t pid;

	do {
		pid = waitpid(launch->pid, &status, 0);
	} while (pid < 0 && errno == EINTR);
	launch->pid = 0;
	if (pid < 0)
		return STATUS_FAILED;
	return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Makes a child exit that still waits. A child that has executed its command goes on. */
void launch_cancel(struct launch *launch)
{
	cleanup_close(&launch->go_fd);
	cleanup_close(&launch->state_fd);
}
