// SPDX-License-Identifier: GPL-2.0
/* Processes and threads that sleep in system calls: pipes, sockets, polls. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static int requests[2], answers[2], talk[2];

static void *answer(void *unused)
{
	struct pollfd wait = { .fd = requests[0], .events = POLLIN };
	char text[64];
	ssize_t bytes;

	(void)unused;
	for (;;) {
		poll(&wait, 1, -1);
		bytes = read(requests[0], text, sizeof(text));
		if (bytes <= 0 || write(answers[1], text, bytes) != bytes)
			return NULL;
	}
}

static void *echo(void *unused)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(0);
	char text[64];
	ssize_t bytes;

	(void)unused;
	epoll_ctl(epoll, EPOLL_CTL_ADD, talk[1], &event);
	for (;;) {
		epoll_wait(epoll, &event, 1, -1);
		bytes = recv(talk[1], text, sizeof(text), 0);
		if (bytes <= 0 || send(talk[1], text, bytes, 0) != bytes)
			return NULL;
	}
}

int main(void)
{
	pthread_t threads[2];
	char text[64];
	int i;

	if (pipe(requests) || pipe(answers) || socketpair(AF_UNIX, SOCK_STREAM, 0, talk))
		return 1;
	pthread_create(&threads[0], NULL, answer, NULL);
	pthread_create(&threads[1], NULL, echo, NULL);
	for (i = 0;; i++) {
		int bytes = snprintf(text, sizeof(text), "%d", i);

		if (write(requests[1], text, bytes) != bytes ||
		    read(answers[0], text, sizeof(text)) != bytes ||
		    send(talk[0], text, bytes, 0) != bytes ||
		    recv(talk[0], text, sizeof(text), 0) != bytes)
			return 1;
	}
}
