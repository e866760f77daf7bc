// SPDX-License-Identifier: GPL-2.0
/*
 * Requests and answers over pairs of sockets: each client asks its server, one
 * after the other, by read() and write() and by recv() and send().
 *
 * Bottleneck by construction: the server that computes longer.
 *
 * Usage: sockets [pairs=2] [requests=60] [units an answer=700]
 */
#include <sys/socket.h>

#include "work.h"

static int ends[WORK_MAX_THREADS][2];
static unsigned long requests, units;

static void move_byte(ssize_t moved)
{
	if (moved != 1)
		die("socket");
}

static void *client(void *arg)
{
	int end = ends[(unsigned long)arg][0];
	char byte = 0;

	name_thread("client", (unsigned long)arg);
	for (unsigned long i = 0; i < requests; i++) {
		move_byte(write(end, &byte, 1));
		move_byte(read(end, &byte, 1));
		burn(units / 4);
	}
	shutdown(end, SHUT_WR);
	return NULL;
}

static void *server(void *arg)
{
	unsigned long me = (unsigned long)arg;
	char byte;

	name_thread("server", me);
	while (recv(ends[me][1], &byte, 1, 0) == 1) {
		burn(units * (me + 1));
		move_byte(send(ends[me][1], &byte, 1, 0));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t clients[WORK_MAX_THREADS], servers[WORK_MAX_THREADS];
	unsigned int pairs = threads_arg(argc, argv, 1, 2);

	requests = arg_or(argc, argv, 2, 60);
	units = arg_or(argc, argv, 3, 700);
	for (unsigned int i = 0; i < pairs; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]))
			die("socketpair");
	start_threads(servers, pairs, server);
	start_threads(clients, pairs, client);
	join_threads(clients, pairs);
	join_threads(servers, pairs);
	return 0;
}
