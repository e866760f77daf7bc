// SPDX-License-Identifier: GPL-2.0
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "observe.h"

#define LOOK_NS (10 * NSEC_PER_MSEC)

static void become(char *const *arguments, const char *out, pid_t parent)
{
	int fd = open(out, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* A shell's background job ignores it, and so would what is to be stopped by it. */
	signal(SIGINT, SIG_DFL);
	if (fd < 0)
		complain("cannot open %s: %m", out);
	else if (dup2(fd, STDOUT_FILENO) >= 0 && execvp(arguments[0], arguments))
		complain("cannot execute %s: %m", arguments[0]);
	_exit(127);
}

static bool empty(const char *out)
{
	/* A device stays what it is. */
	if (!truncate(out, 0) || errno == ENOENT || errno == EINVAL)
		return true;
	complain("cannot empty %s: %m", out);
	return false;
}

static bool text_is_there(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	char line[4096];
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, text);
	fclose(file);
	return found;
}

static bool is_ready(const struct command *command)
{
	if (!strncmp(command->ready, "text:", 5))
		return text_is_there(command->out, command->ready + 5);
	for (unsigned int i = 0; i < command->count; i++)
		if (!gapp_is_recording(command->pids[i]))
			return false;
	return true;
}

/* As the shell has it. */
static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Before it was told to: it has failed. */
static bool has_ended(struct command *command)
{
	int status;

	for (unsigned int i = 0; i < command->count; i++) {
		if (waitpid(command->pids[i], &status, WNOHANG) != command->pids[i])
			continue;
		complain("%s ended by itself with status %d", command->arguments[i][0],
			 status_of(status));
		command->pids[i] = 0;
		return true;
	}
	return false;
}

static bool wait_until_ready(struct command *command)
{
	uint64_t deadline = clock_ns() + command->limit * NSEC_PER_SEC;
	char *end;
	double seconds = strtod(command->ready, &end);

	if (end != command->ready && !*end) {
		sleep_ns(seconds * NSEC_PER_SEC);
		return !has_ended(command);
	}
	while (!is_ready(command)) {
		if (has_ended(command))
			return false;
		if (clock_ns() > deadline) {
			complain("%s does not record after %u s", command->arguments[0][0],
				 command->limit);
			return false;
		}
		sleep_ns(LOOK_NS);
	}
	return true;
}

static bool run_by_shell(const char *line)
{
	int status = line ? system(line) : 0;

	if (!status)
		return true;
	complain("'%s' ended with status %d", line, status == -1 ? -1 : status_of(status));
	return false;
}

bool command_start(struct command *command)
{
	pid_t parent = getpid();

	if (!run_by_shell(command->start) || !empty(command->out))
		return false;
	for (unsigned int i = 0; i < command->count; i++) {
		command->pids[i] = fork();
		if (command->pids[i] < 0) {
			complain("fork: %m");
			command->pids[i] = 0;
			return false;
		}
		if (!command->pids[i])
			become(command->arguments[i], command->out, parent);
	}
	return !command->count || wait_until_ready(command);
}

/* Zero, and what a program ends with that passes the signal on. */
static bool is_good(int status)
{
	return !status || status == 128 + SIGINT;
}

static bool end(const char *name, pid_t pid, unsigned int limit)
{
	uint64_t deadline = clock_ns() + limit * NSEC_PER_SEC;
	pid_t ended;
	int status;

	while (!(ended = waitpid(pid, &status, WNOHANG)) && clock_ns() < deadline)
		sleep_ns(LOOK_NS);
	if (!ended) {
		complain("%s did not end within %u s of SIGINT", name, limit);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return false;
	}
	if (ended != pid || !is_good(status_of(status))) {
		complain("%s ended with status %d", name, ended == pid ? status_of(status) : -1);
		return false;
	}
	return true;
}

bool command_stop(struct command *command)
{
	bool good = true;

	for (unsigned int i = 0; i < command->count; i++)
		kill(command->pids[i], SIGINT);
	for (unsigned int i = 0; i < command->count; i++) {
		good &= end(command->arguments[i][0], command->pids[i], command->limit);
		command->pids[i] = 0;
	}
	return run_by_shell(command->stop) && good;
}

uint64_t command_cpu_ns(const struct command *command)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < command->count; i++)
		sum += cpu_ns_of(command->pids[i]);
	for (unsigned int i = 0; i < command->reader_count; i++)
		sum += cpu_ns_of_name(command->readers[i]);
	return sum;
}

void command_kill(struct command *command)
{
	for (unsigned int i = 0; i < command->count; i++) {
		if (command->pids[i] <= 0)
			continue;
		kill(command->pids[i], SIGKILL);
		waitpid(command->pids[i], NULL, 0);
		command->pids[i] = 0;
	}
}
