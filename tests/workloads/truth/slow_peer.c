// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=compress_answer kind=ran waits=network cpu=below
 * truth: object=127.0.0.1:7310 waits_at=ask_peer
 *
 * A server that asks its peers over TCP, one after the other, one of which takes
 * long for each answer and is asked more often. Before, they compute together.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "truth.h"

#define PEERS (WORKERS - 1)
#define SLOW 0
#define SERVER_PORT 7300
/* Of the slow one; the others have the numbers behind it. */
#define PEER_PORT 7310
#define REQUESTS 60
#define REQUESTS_TO_OTHERS 4

static struct pieces warming = { 1600 };
static int server_ends[PEERS], peer_ends[PEERS];

static noinline void compress_answer(void)
{
	BURN(8000); /* TRUTH: first */
}

static noinline void copy_answer(void)
{
	BURN(100);
}

static struct sockaddr_in local(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return address;
}

/* A reset at its end leaves the numbers free for the next run. */
static int socket_at(int port)
{
	const struct linger reset = { .l_onoff = 1 };
	struct sockaddr_in address = local(port);
	const int on = 1;
	int end = socket(AF_INET, SOCK_STREAM, 0);

	if (end < 0 || setsockopt(end, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    setsockopt(end, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) ||
	    setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
	    bind(end, (struct sockaddr *)&address, sizeof(address)))
		die("socket");
	return end;
}

static void connect_all(void)
{
	struct sockaddr_in address = local(SERVER_PORT);
	int listener = socket_at(SERVER_PORT);

	if (listen(listener, PEERS))
		die("listen");
	for (int i = 0; i < PEERS; i++) {
		peer_ends[i] = socket_at(PEER_PORT + i);
		if (connect(peer_ends[i], (struct sockaddr *)&address, sizeof(address)))
			die("connect");
		server_ends[i] = accept(listener, NULL, NULL);
		if (server_ends[i] < 0)
			die("accept");
	}
	close(listener);
}

static noinline void ask_peer(int end)
{
	char message[64] = { 0 };

	if (send(end, message, sizeof(message), 0) != sizeof(message) ||
	    recv(end, message, sizeof(message), MSG_WAITALL) != sizeof(message))
		die("request");
}

static void serve(void)
{
	for (int i = 0; i < REQUESTS; i++)
		for (int peer = 0; peer < PEERS; peer++)
			if (peer == SLOW || i < REQUESTS_TO_OTHERS)
				ask_peer(server_ends[peer]);
}

static void answer(int peer)
{
	int requests = peer == SLOW ? REQUESTS : REQUESTS_TO_OTHERS;
	char message[64];

	for (int i = 0; i < requests; i++) {
		if (recv(peer_ends[peer], message, sizeof(message), MSG_WAITALL) != sizeof(message))
			die("request");
		if (peer == SLOW)
			compress_answer();
		else
			copy_answer();
		if (send(peer_ends[peer], message, sizeof(message), 0) != sizeof(message))
			die("answer");
	}
}

static void *worker(void *arg)
{
	unsigned long me = (unsigned long)arg;

	parallel_work(&warming);
	if (me)
		answer(me - 1);
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
