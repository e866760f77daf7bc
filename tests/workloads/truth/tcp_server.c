// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=handle_request kind=ran waits=network cpu=below
 *
 * Clients that send a request and wait for its answer, over TCP, and one thread
 * that serves them all. Before, they compute together.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "truth.h"

#define CLIENTS (WORKERS - 1)
#define REQUESTS 25

static struct pieces warming = { 1600 };
static int server_ends[CLIENTS], client_ends[CLIENTS];

static noinline void handle_request(void)
{
	BURN(8000); /* TRUTH: first */
}

static noinline void show_answer(void)
{
	BURN(100);
}

static void connect_pair(int listener, struct sockaddr_in *address, int *client, int *server)
{
	const int on = 1;

	*client = socket(AF_INET, SOCK_STREAM, 0);
	if (*client < 0 || connect(*client, (struct sockaddr *)address, sizeof(*address)))
		die("connect");
	*server = accept(listener, NULL, NULL);
	if (*server < 0)
		die("accept");
	setsockopt(*client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(*server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static void connect_all(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listener, CLIENTS) ||
	    getsockname(listener, (struct sockaddr *)&address, &length))
		die("listen");
	for (int i = 0; i < CLIENTS; i++)
		connect_pair(listener, &address, &client_ends[i], &server_ends[i]);
	close(listener);
}

static void ask(int fd)
{
	char message[64] = { 0 };

	for (int i = 0; i < REQUESTS; i++) {
		if (send(fd, message, sizeof(message), 0) != sizeof(message) ||
		    recv(fd, message, sizeof(message), MSG_WAITALL) != sizeof(message))
			die("request");
		show_answer();
	}
	close(fd);
}

static int serve_one(int fd)
{
	char message[64];
	ssize_t got = recv(fd, message, sizeof(message), MSG_WAITALL);

	if (got < (ssize_t)sizeof(message))
		return 0;
	handle_request();
	if (send(fd, message, sizeof(message), 0) != sizeof(message))
		die("answer");
	return 1;
}

static void serve(void)
{
	struct pollfd ends[CLIENTS];
	int open_ends = CLIENTS;

	for (int i = 0; i < CLIENTS; i++)
		ends[i] = (struct pollfd){ .fd = server_ends[i], .events = POLLIN };
	while (open_ends) {
		if (poll(ends, CLIENTS, -1) < 0)
			die("poll");
		for (int i = 0; i < CLIENTS; i++) {
			if (!ends[i].revents || serve_one(ends[i].fd))
				continue;
			close(ends[i].fd);
			ends[i].fd = -1;
			open_ends--;
		}
	}
}

static void *worker(void *arg)
{
	unsigned long me = (unsigned long)arg;

	parallel_work(&warming);
	if (me)
		ask(client_ends[me - 1]);
	else
		serve();
	return NULL;
}

int main(void)
{
	truth_begin();
	connect_all();
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	truth_end();
	return 0;
}
