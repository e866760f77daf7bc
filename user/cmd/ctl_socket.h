/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sockets by which `gapp-read ctl` and a gapp-read that records find each other. Each user has
 * a folder for them that no other user may enter: /run/gapp of root, $XDG_RUNTIME_DIR/gapp, or
 * /tmp/gapp-UID. A socket there is called by the process id. Both ends look who the other one is.
 */
#ifndef GAPP_READ_CTL_SOCKET_H
#define GAPP_READ_CTL_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/util.h"

/* Bytes of a message, either way. */
#define CTL_BYTES 4096

/* How an answer begins: then text follows that is printed. */
#define CTL_DONE '+'
#define CTL_REFUSED '-'

/**
 * struct ctl_place - where a socket is
 * @folder: its folder, open; -1: none
 * @name: of the socket in there
 * @path: of the socket, for messages
 * @inode: of the socket, after ctl_listen()
 */
struct ctl_place {
	int folder;
	char *name;
	char *path;
	u64 inode;
};

#define CTL_PLACE_NONE       \
	{                    \
		.folder = -1 \
	}

/*
 * Finds the place of the socket at @path, or if that is NULL of the process @pid in the folder of
 * the user, which is made if @make and it is not there. Returns 0, or -1 with a complaint made.
 */
int ctl_place_find(struct ctl_place *place, const char *path, pid_t pid, bool make);
void ctl_place_free(struct ctl_place *place);

/*
 * Makes the socket, which only its owner may use, and listens. One that a process left behind that
 * has ended is replaced. Returns its file descriptor, or -1 with a complaint made.
 */
int ctl_listen(struct ctl_place *place);
/* Removes the socket of ctl_listen(), unless another one has its name by now. */
void ctl_unlink(const struct ctl_place *place);

/*
 * Connects to a socket. Returns its file descriptor, or -1 with errno: ECONNREFUSED if nobody
 * listens; EAGAIN, without @wait, if there is one who has much to do.
 */
int ctl_connect(const struct ctl_place *place, bool wait);

/*
 * Whether the process at the other end is root's or of the same user. Root may tell every gapp-read
 * what to do.
 */
bool ctl_is_trusted(int fd);

/*
 * The processes of the user that listen, by their sockets; removes sockets that processes left
 * behind. Returns how many there are, of which up to @room are set, or -1 with a complaint made.
 */
int ctl_find(pid_t *pids, int room);

#endif /* GAPP_READ_CTL_SOCKET_H */
