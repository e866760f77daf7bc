/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_SUDO_USER_H
#define GAPP_READ_SUDO_USER_H

#include <pwd.h>
#include <stdbool.h>
#include <sys/types.h>

/**
 * struct sudo_user - who called sudo, and owns the command and the files
 * @other: a user other than root called sudo; otherwise the other members are not set
 * @uid: from SUDO_UID
 * @gid: from SUDO_GID
 * @account: of getpwuid(); NULL: the user has no account
 */
struct sudo_user {
	bool other;
	uid_t uid;
	gid_t gid;
	const struct passwd *account;
};

/*
 * Finds who called sudo, in the environment that sudo makes. @user: zeroed. Returns 0, or -1 with a
 * complaint made: better no command than a command that runs as root by mistake.
 */
int sudo_user_find(struct sudo_user *user);

#endif /* GAPP_READ_SUDO_USER_H */
