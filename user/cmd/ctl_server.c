// SPDX-License-Identifier: GPL-2.0
#include "ctl_server.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/* Connections at a time; others wait in the socket's backlog until one of these is closed. */
#define CONNECTIONS_MAX 16
#define LISTENER CONNECTIONS_MAX

const char *const ctl_words[] = { [CTL_STATUS] = "status",
				  [CTL_DUMP] = "dump",
				  [CTL_START] = "start",
				  [CTL_STOP] = "stop",
				  [CTL_REQUESTS] = NULL };

/**
 * struct connection - one who asks
 * @fd: the socket; -1: there is none
 * @waits_for: the request that is to be answered later; CTL_REQUESTS: none
 */
struct connection {
	int fd;
	enum ctl_request waits_for;
};

/**
 * struct ctl_server - the listening end
 * @place: where the socket is
 * @fd: the socket
 * @poll_fd: an epoll descriptor of the socket and the connections
 * @paused: the socket is not in @poll_fd, because there is no room for one more connection
 * @connections: those who ask
 * @take: does what they ask for
 * @context: its first argument
 */
struct ctl_server {
	struct ctl_place place;
	int fd;
	int poll_fd;
	bool paused;
	struct connection connections[CONNECTIONS_MAX];
	ctl_take_fn take;
	void *context;
};

static void set(struct ctl_answer *answer, char begin, const char *format, va_list args)
{
	answer->text[0] = begin;
	vsnprintf(answer->text + 1, sizeof(answer->text) - 1, format, args);
}

void ctl_done(struct ctl_answer *answer, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set(answer, CTL_DONE, format, args);
	va_end(args);
}

void ctl_refused(struct ctl_answer *answer, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set(answer, CTL_REFUSED, format, args);
	va_end(args);
}

static int watch(const struct ctl_server *server, int fd, u32 number)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = number };

	return epoll_ctl(server->poll_fd, EPOLL_CTL_ADD, fd, &event);
}

struct ctl_server *ctl_server_new(const char *path, ctl_take_fn take, void *context)
{
	struct ctl_server *server = calloc(1, sizeof(*server));

	if (!server) {
		out_of_memory();
		return NULL;
	}
	*server = (struct ctl_server){
		.place = CTL_PLACE_NONE, .fd = -1, .poll_fd = -1, .take = take, .context = context
	};
	for (u32 i = 0; i < CONNECTIONS_MAX; i++)
		server->connections[i] = (struct connection){ -1, CTL_REQUESTS };
	if (ctl_place_find(&server->place, path, getpid(), true))
		goto failed;
	server->fd = ctl_listen(&server->place);
	if (server->fd < 0)
		goto failed;
	server->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (server->poll_fd >= 0 && !watch(server, server->fd, LISTENER))
		return server;
	complain("cannot wait for gapp-read ctl: %s", strerror(errno));
failed:
	ctl_server_free(server);
	return NULL;
}

void ctl_server_free(struct ctl_server *server)
{
	if (!server)
		return;
	ctl_unlink(&server->place);
	for (u32 i = 0; i < CONNECTIONS_MAX; i++)
		cleanup_close(&server->connections[i].fd);
	cleanup_close(&server->fd);
	cleanup_close(&server->poll_fd);
	ctl_place_free(&server->place);
	free(server);
}

const char *ctl_server_path(const struct ctl_server *server)
{
	return server->place.path;
}

int ctl_server_fd(const struct ctl_server *server)
{
	return server->poll_fd;
}

static struct connection *free_connection(struct ctl_server *server)
{
	for (u32 i = 0; i < CONNECTIONS_MAX; i++)
		if (server->connections[i].fd < 0)
			return &server->connections[i];
	return NULL;
}

static void hang_up(struct ctl_server *server, struct connection *connection)
{
	close(connection->fd);
	*connection = (struct connection){ -1, CTL_REQUESTS };
	if (server->paused && !watch(server, server->fd, LISTENER))
		server->paused = false;
}

/* A client that does not read its answer loses it: gapp-read waits for nobody. */
static void send_answer(struct ctl_server *server, struct connection *connection,
			const struct ctl_answer *answer)
{
	send(connection->fd, answer->text, strlen(answer->text), MSG_DONTWAIT | MSG_NOSIGNAL);
	hang_up(server, connection);
}

static void welcome(struct ctl_server *server)
{
	struct connection *connection = free_connection(server);
	int fd;

	if (!connection) {
		epoll_ctl(server->poll_fd, EPOLL_CTL_DEL, server->fd, NULL);
		server->paused = true;
		return;
	}
	fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return;
	connection->fd = fd;
	if (watch(server, fd, connection - server->connections))
		hang_up(server, connection);
}

/* Returns the request; CTL_REQUESTS: none that is known. */
static enum ctl_request request_of(const char *word)
{
	int i = 0;

	while (ctl_words[i] && strcmp(ctl_words[i], word))
		i++;
	return i;
}

static int serve(struct ctl_server *server, struct connection *connection)
{
	char word[CTL_BYTES];
	struct ctl_answer answer = { 0 };
	enum ctl_request request;
	ssize_t got;
	int result;

	got = recv(connection->fd, word, sizeof(word) - 1, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	/* it has gone, or says more than it was asked for */
	if (got <= 0 || connection->waits_for != CTL_REQUESTS) {
		hang_up(server, connection);
		return 0;
	}
	word[got] = '\0';
	/* after the request was read: who closes with data unread takes the answer back */
	if (!ctl_is_trusted(connection->fd)) {
		ctl_refused(&answer,
			    "it is another user's: only root and that user may tell it anything");
		send_answer(server, connection, &answer);
		return 0;
	}
	request = request_of(word);
	if (request == CTL_REQUESTS) {
		ctl_refused(&answer, "it does not know this request: is it of another version?");
		send_answer(server, connection, &answer);
		return 0;
	}
	result = server->take(server->context, request, &answer);
	if (answer.later)
		connection->waits_for = request;
	else
		send_answer(server, connection, &answer);
	return result;
}

int ctl_server_take(struct ctl_server *server)
{
	struct epoll_event events[CONNECTIONS_MAX + 1];
	int count = epoll_wait(server->poll_fd, events, ARRAY_SIZE(events), 0), result = 0;

	for (int i = 0; i < count && !result; i++) {
		const u32 number = events[i].data.u32;

		if (number == LISTENER)
			welcome(server);
		else if (server->connections[number].fd >= 0)
			result = serve(server, &server->connections[number]);
	}
	return result;
}

void ctl_server_answer(struct ctl_server *server, enum ctl_request request,
		       const struct ctl_answer *answer)
{
	for (u32 i = 0; i < CONNECTIONS_MAX; i++)
		if (server->connections[i].fd >= 0 && server->connections[i].waits_for == request)
			send_answer(server, &server->connections[i], answer);
}
