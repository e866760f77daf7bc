/* SPDX-License-Identifier: GPL-2.0 */
/* The end of a socket at which a gapp-read that records is told what to do. */
#ifndef GAPP_READ_CTL_SERVER_H
#define GAPP_READ_CTL_SERVER_H

#include "ctl_socket.h"

/* What can be asked for. */
enum ctl_request {
	CTL_STATUS, /* what is going on */
	CTL_DUMP, /* write what is kept */
	CTL_START, /* begin to record, of one that waits for that */
	CTL_STOP, /* end the recording */
	CTL_REQUESTS,
};

extern const char *const ctl_words[CTL_REQUESTS + 1]; /* NULL terminated */

struct ctl_server;

/**
 * struct ctl_answer - an answer that is being made
 * @text: it, with CTL_DONE or CTL_REFUSED before it
 * @later: there is none yet: ctl_server_answer() gives it
 */
struct ctl_answer {
	char text[CTL_BYTES];
	bool later;
};

/* Sets the answer, as printf() does. */
_attribute_(format(printf, 2, 3)) void ctl_done(struct ctl_answer *answer, const char *format, ...);
_attribute_(format(printf, 2, 3)) void ctl_refused(struct ctl_answer *answer, const char *format,
						   ...);

/* Does what was asked for, and sets the answer. Returns 0, above 0 to end the waiting, or -1. */
typedef int (*ctl_take_fn)(void *context, enum ctl_request request, struct ctl_answer *answer);

/* @path: of the socket; NULL: that of this process. NULL: a complaint was made. */
struct ctl_server *ctl_server_new(const char *path, ctl_take_fn take, void *context);
void ctl_server_free(struct ctl_server *server);

/* The socket's path. */
const char *ctl_server_path(const struct ctl_server *server);

/* A file descriptor to poll; when it is readable, the caller calls ctl_server_take(). */
int ctl_server_fd(const struct ctl_server *server);
/* Returns what @take returned, other than 0, of any request that came. */
int ctl_server_take(struct ctl_server *server);

/* Answers all requests of that kind whose answer was to come later. */
void ctl_server_answer(struct ctl_server *server, enum ctl_request request,
		       const struct ctl_answer *answer);

#endif /* GAPP_READ_CTL_SERVER_H */
