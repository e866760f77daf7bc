// SPDX-License-Identifier: GPL-2.0
/*
 * truth: part=waits first=compress_answer kind=ran waits=network cpu=below
 * truth: object=127.0.0.1:7410 waits_at=ask
 *
 * A client that opens a connection for each request and closes it with the
 * answer. Every other request is to a port whose answers take long. All
 * connections have one descriptor, and nobody can look at it after the wait.
 * Before, the threads compute together.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "truth.h"

#define PORTS 2
#define SLOW 0
/* The slow one; the other has the number behind it. */
#define FIRST_PORT 7410
/* Few and long: each is a connection of its own, and the server's waits are all for two sockets. */
#define REQUESTS 12

static struct pieces warming = { 1600 };
static int listeners[PORTS];

static noinline void compress_answer(void)
{
	BURN(40000); /* TRUTH: first */
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

/* A reset at its end leaves the numbers free. */
static int new_socket(void)
{
	const struct linger reset = { .l_onoff = 1 };
	const int on = 1;
	int end = socket(AF_INET, SOCK_STREAM, 0);

	if (end < 0 || setsockopt(end, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    setsockopt(end, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) ||
	    setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		die("socket");
	return end;
}

static void listen_all(void)
{
	for (int i = 0; i < PORTS; i++) {
		struct sockaddr_in address = local(FIRST_PORT + i);

		listeners[i] = new_socket();
		if (bind(listeners[i], (struct sockaddr *)&address, sizeof(address)) ||
		    listen(listeners[i], 1))
			die("listen");
	}
}

static noinline void ask(int port)
{
	struct sockaddr_in address = local(FIRST_PORT + port);
	char message[64] = { 0 };
	int end = new_socket();

	if (connect(end, (struct sockaddr *)&address, sizeof(address)) ||
	    send(end, message, sizeof(message), 0) != sizeof(message) ||
	    recv(end, message, sizeof(message), MSG_WAITALL) != sizeof(message))
		die("request");
	close(end);
}

static void answer(int port)
{
	int end = accept(listeners[port], NULL, NULL);
	char message[64];

	if (end < 0 || recv(end, message, sizeof(message), MSG_WAITALL) != sizeof(message))
		die("accept");
	if (port == SLOW)
		compress_answer();
	else
		copy_answer();
	if (send(end, message, sizeof(message), 0) != sizeof(message))
		die("answer");
	close(end);
}

static void *worker(void *arg)
{
	unsigned long me = (unsigned long)arg;

	parallel_work(&warming);
	for (int i = 0; me < 2 && i < PORTS * REQUESTS; i++) {
		if (me)
			answer(i % PORTS);
		else
			ask(i % PORTS);
	}
	return NULL;
}

int main(void)
{
	truth_begin();
	listen_all();
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	truth_end();
	return 0;
}
