// SPDX-License-Identifier: GPL-2.0
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "sudo_user.h"

/* What the child tells, and how far it has come. */
struct news {
	enum {
		NEWS_WAITING,
		NEWS_NOT_THE_USER,
		NEWS_NOT_EXECUTED,
	} what;
	int error;
};

static bool tell(int fd, int what)
{
	struct news news = { .what = what, .error = errno };

	return write(fd, &news, sizeof(news)) == sizeof(news);
}

/* False at the end of the pipe: the child has executed its command, or is dead. */
static bool hear(int fd, struct news *news)
{
	ssize_t got;

	do {
		got = read(fd, news, sizeof(*news));
	} while (got < 0 && errno == EINTR);
	return got == sizeof(*news);
}

static void child(int go_fd, int news_fd, char *const *command, const struct sudo_user *user,
		  const struct signals *signals, const struct rlimit *files)
{
	char go;

	if (sudo_user_become(user)) {
		tell(news_fd, NEWS_NOT_THE_USER);
		return;
	}
	if (!tell(news_fd, NEWS_WAITING) || read(go_fd, &go, 1) != 1)
		return;
	signals_give_back(signals);
	file_limit_give_back(files);
	execvp(command[0], command);
	tell(news_fd, NEWS_NOT_EXECUTED);
}

/**
 * launch_prepare() - a child that waits
 * @launch: LAUNCH_NONE
 * @command: what it will execute
 * @signals: what it gets back first
 * @files: likewise
 *
 * Started by sudo, the child belongs to the user who called sudo.
 *
 * Return: 0, or -1 with a complaint made.
 */
int launch_prepare(struct launch *launch, char *const *command, const struct signals *signals,
		   const struct rlimit *files)
{
	_cleanup_sudo_user_ struct sudo_user user = { 0 };
	int go[2] = { -1, -1 }, news_pipe[2] = { -1, -1 };
	struct news news;
	pid_t pid = -1;

	if (sudo_user_find(&user))
		return -1;
	if (!pipe2(go, O_CLOEXEC) && !pipe2(news_pipe, O_CLOEXEC))
		pid = fork();
	if (!pid) {
		close(go[1]);
		close(news_pipe[0]);
		child(go[0], news_pipe[1], command, &user, signals, files);
		_exit(STATUS_FAILED);
	}
	if (pid < 0)
		complain("cannot start a process for %s: %s", command[0], strerror(errno));

	launch->pid = pid > 0 ? pid : 0;
	launch->go_fd = go[1];
	launch->news_fd = news_pipe[0];
	cleanup_close(&go[0]);
	cleanup_close(&news_pipe[1]);
	if (pid < 0)
		return -1;
	if (!hear(launch->news_fd, &news)) {
		complain("cannot run %s: its process is gone", command[0]);
		return -1;
	}
	if (news.what == NEWS_NOT_THE_USER) {
		complain("cannot run %s as the user who called sudo: %s", command[0],
			 strerror(news.error));
		return -1;
	}
	return 0;
}

/**
 * launch_go() - lets the child execute its command
 * @launch: a waiting child
 * @name: the command's, for complaints
 *
 * Return: 0 once it has, or is gone; else an exit status, with a complaint made.
 */
int launch_go(struct launch *launch, const char *name)
{
	struct news news;
	const char *why;

	if (write(launch->go_fd, "", 1) < 0 && errno != EPIPE) {
		complain("cannot run %s: %s", name, strerror(errno));
		return STATUS_FAILED;
	}
	if (!hear(launch->news_fd, &news))
		return 0;
	why = strerror(news.error);
	if (news.error == ENOENT && !strchr(name, '/'))
		why = "command not found";
	complain("cannot run %s: %s", name, why);
	return news.error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

/**
 * launch_wait() - the end of the child
 * @launch: a child
 *
 * Return: its exit status as a shell has it: 128 and the signal if one killed it.
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

/* A child that still waits exits; one that has executed its command is left alone. */
void launch_cancel(struct launch *launch)
{
	cleanup_close(&launch->go_fd);
	cleanup_close(&launch->news_fd);
}
