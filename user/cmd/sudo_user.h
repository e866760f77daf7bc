/* SPDX-License-Identifier: GPL-2.0 */
/* Under sudo, the command and its files belong to the user who called sudo. */
#ifndef GAPP_READ_SUDO_USER_H
#define GAPP_READ_SUDO_USER_H

#include <sys/types.h>

#include "util/util.h"

/**
 * struct sudo_user - who called sudo
 * @other: someone did who is not root; else the rest is not set
 * @uid: from SUDO_UID
 * @gid: from SUDO_GID
 * @name: login name, or NULL if there is no such account
 * @home: home folder, likewise
 */
struct sudo_user {
	bool other;
	uid_t uid;
	gid_t gid;
	char *name;
	char *home;
};

int sudo_user_find(struct sudo_user *user);
int sudo_user_become(const struct sudo_user *user);
void sudo_user_free(struct sudo_user *user);
#define _cleanup_sudo_user_ _cleanup_(sudo_user_free)

#endif /* GAPP_READ_SUDO_USER_H */
