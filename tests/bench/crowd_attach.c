// SPDX-License-Identifier: GPL-2.0
/* How long it takes until a session follows all of a target's threads. */
#include "crowd.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A reader that takes longer has failed. */
#define READER_NS (60 * NSEC_PER_SEC)
#define ARGUMENTS_MAX 32

/**
 * struct steps - how long each took, nanoseconds
 * @configure: open() to ADD_TARGET
 * @start: START
 * @stop: STOP, with its recount
 * @close: close()
 * @live: threads that the session followed
 */
struct steps {
	u64 configure;
	u64 start;
	u64 stop;
	u64 close;
	u32 live;
};

static void take_steps(const struct crowd *crowd, pid_t target, struct steps *steps)
{
	struct gapp_status status;
	struct sessions sessions;
	u64 begin = t_now(), next;

	sessions_open(&sessions, crowd, target);
	next = t_now();
	steps->configure = next - begin;
	begin = next;
	sessions_start(&sessions);
	steps->start = t_now() - begin;
	t_status(sessions.fds[0], &status);
	steps->live = status.live;
	begin = t_now();
	sessions_stop(&sessions);
	next = t_now();
	steps->stop = next - begin;
	begin = next;
	sessions_close(&sessions);
	steps->close = t_now() - begin;
}

static void attach_ourselves(const struct crowd *crowd, pid_t target)
{
	struct steps steps;

	for (u32 i = 0; i < crowd->pairs; i++) {
		take_steps(crowd, target, &steps);
		printf("{\"name\": \"%s\", \"pair\": %u, \"configure\": %llu, \"start\": %llu, \"stop\": %llu, \"close\": %llu, \"live\": %u}\n",
		       crowd->name, i, steps.configure, steps.start, steps.stop, steps.close,
		       steps.live);
		fflush(stdout);
		t_sleep(50 * NSEC_PER_MSEC);
	}
}

/* Whether a session has begun. */
static bool a_session_runs(u32 *live)
{
	FILE *file = fopen("/proc/gapp/sessions", "r");
	char *line = NULL;
	size_t room = 0;
	bool runs = false;

	if (!file)
		t_die("/proc/gapp/sessions");
	while (!runs && getline(&line, &room, file) > 0)
		runs = sscanf(line, "%*u running %*d %*u %*u %u", live) == 1;
	fclose(file);
	free(line);
	return runs;
}

static pid_t start_reader(char **reader, pid_t target)
{
	char pid[16], *arguments[ARGUMENTS_MAX + 1];
	pid_t child;
	u32 i;

	snprintf(pid, sizeof(pid), "%d", target);
	for (i = 0; reader[i] && i < ARGUMENTS_MAX; i++)
		arguments[i] = strcmp(reader[i], "{pid}") ? reader[i] : pid;
	arguments[i] = NULL;
	child = fork();
	if (child < 0)
		t_die("fork");
	if (!child) {
		int null = open("/dev/null", O_WRONLY);

		if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
			_exit(126);
		execvp(arguments[0], arguments);
		_exit(127);
	}
	return child;
}

static void end_reader(pid_t reader)
{
	int status;

	kill(reader, SIGINT);
	if (waitpid(reader, &status, 0) != reader || !WIFEXITED(status) || WEXITSTATUS(status))
		t_die("the reader failed");
}

/* From its exec on; seen a millisecond late at most. */
static void attach_reader(const struct crowd *crowd, char **reader, pid_t target)
{
	for (u32 i = 0; i < crowd->pairs; i++) {
		u64 begin = t_now(), started;
		pid_t child = start_reader(reader, target);
		u32 live = 0;

		while (!a_session_runs(&live)) {
			if (t_now() - begin > READER_NS || waitpid(child, NULL, WNOHANG))
				t_die("the reader does not begin to record");
			t_sleep(NSEC_PER_MSEC);
		}
		started = t_now();
		t_sleep(20 * NSEC_PER_MSEC);
		end_reader(child);
		printf("{\"name\": \"%s\", \"pair\": %u, \"start\": %llu, \"all\": %llu, \"live\": %u}\n",
		       crowd->name, i, started - begin, t_now() - begin, live);
		fflush(stdout);
	}
}

void crowd_attach(const struct crowd *crowd, char **reader)
{
	struct people people;

	people_make(&people, crowd);
	if (reader)
		attach_reader(crowd, reader, people.target.pid);
	else
		attach_ourselves(crowd, people.target.pid);
	people_kill(&people);
}
