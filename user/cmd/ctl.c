// SPDX-License-Identifier: GPL-2.0
/* gapp-read ctl: tells a gapp-read that records what to do, and prints what it answers. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "ctl_server.h"
#include "opts.h"
#include "outputs.h"
#include "util/names.h"

/* Processes that a message names. */
#define NAMED_MAX 8

static int name_one(const pid_t *pids, int count)
{
	char list[NAMED_MAX * 16] = "";

	for (int i = 0; i < count && i < NAMED_MAX; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%d", i ? ", " : "",
			 pids[i]);
	complain("several gapp-read can be told what to do: give one of %s%s", list,
		 count > NAMED_MAX ? ", ..." : "");
	return -1;
}

/* Finds the process to talk to, if none is given: the only one. Returns 0, or -1. */
static int find_only(pid_t *pid)
{
	pid_t pids[NAMED_MAX];
	int count = ctl_find(pids, NAMED_MAX);

	if (count < 0)
		return -1;
	if (count > 1)
		return name_one(pids, count);
	if (!count) {
		complain(
			"no gapp-read of %s can be told anything: start one with --keep, --wait-for-ctl or -s; %s",
			geteuid() ? "yours" : "root's",
			geteuid() ? "sudo gapp-read ctl talks to one of root's" :
				    "for one of another user's give -s SOCKET");
		return -1;
	}
	*pid = pids[0];
	return 0;
}

/* Returns the connection, or -1 with a complaint made. */
static int connect_to(const struct ctl_place *place)
{
	int fd = ctl_connect(place, true);

	if (fd < 0) {
		if (errno == ECONNREFUSED || errno == ENOENT)
			complain("no gapp-read listens at %s: has it ended?", place->path);
		else
			complain("cannot talk to gapp-read at %s: %s", place->path,
				 errno == EACCES ? "it is another user's" : strerror(errno));
		return -1;
	}
	/* root's process may be asked by all whom it answers */
	if (ctl_is_trusted(fd) || !geteuid())
		return fd;
	complain("who listens at %s is another user's process", place->path);
	close(fd);
	return -1;
}

/* Root may talk to a process of anyone's: what a terminal would obey is not printed. */
static int print_lines(FILE *out, const char *text)
{
	for (size_t length; *text; text += length + !!text[length]) {
		_cleanup_free_ char *line = NULL;

		length = strcspn(text, "\n");
		line = name_text(text, length);
		if (!line)
			return out_of_memory();
		fprintf(out, "%s\n", line);
	}
	return 0;
}

/* Returns the exit status. */
static int print_answer(char *answer, ssize_t length)
{
	if (length <= 0) {
		complain("gapp-read ended without an answer");
		return STATUS_FAILED;
	}
	if (*answer != CTL_DONE) {
		fputs("gapp: gapp-read refuses: ", stderr);
		print_lines(stderr, answer + 1);
		return STATUS_FAILED;
	}
	if (print_lines(stdout, answer + 1))
		return STATUS_FAILED;
	return flush_stdout(" the answer") ? STATUS_FAILED : 0;
}

static int ask(const struct ctl_place *place, const char *word)
{
	_cleanup_close_ int fd = connect_to(place);
	char answer[CTL_BYTES];
	ssize_t got;

	if (fd < 0)
		return STATUS_FAILED;
	if (send(fd, word, strlen(word), MSG_NOSIGNAL) < 0) {
		complain("cannot talk to gapp-read at %s: %s", place->path, strerror(errno));
		return STATUS_FAILED;
	}
	do {
		got = recv(fd, answer, sizeof(answer) - 1, 0);
	} while (got < 0 && errno == EINTR);
	answer[got > 0 ? got : 0] = '\0';
	return print_answer(answer, got);
}

int ctl(const struct options *options)
{
	struct ctl_place place = CTL_PLACE_NONE;
	pid_t pid = options->file_count > 1 ? atoi(options->files[1]) : 0;
	int status = STATUS_FAILED;

	if (!options->socket && !pid && find_only(&pid))
		return STATUS_FAILED;
	if (!ctl_place_find(&place, options->socket, pid, false))
		status = ask(&place, options->files[0]);
	ctl_place_free(&place);
	return status;
}
