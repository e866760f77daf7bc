// SPDX-License-Identifier: GPL-2.0
#include "sudo_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>

static int parse_id(const char *text, u32 *id)
{
	unsigned long value;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return -1;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || value >= UINT32_MAX)
		return -1;
	*id = value;
	return 0;
}

/**
 * sudo_user_find() - from the environment that sudo makes
 * @user: zeroed
 *
 * Return: 0, or -1 with a complaint made: better no command than one run as root by mistake.
 */
int sudo_user_find(struct sudo_user *user)
{
	const char *uid = getenv("SUDO_UID");
	struct passwd *account;

	if (geteuid() || !uid)
		return 0;
	if (parse_id(uid, &user->uid) || parse_id(getenv("SUDO_GID"), &user->gid)) {
		complain("SUDO_UID and SUDO_GID name no user: unset SUDO_UID to run as root");
		return -1;
	}
	if (!user->uid)
		return 0;
	user->other = true;
	account = getpwuid(user->uid);
	if (!account)
		return 0;
	user->name = strdup(account->pw_name);
	user->home = strdup(account->pw_dir);
	return user->name && user->home ? 0 : out_of_memory();
}

/**
 * sudo_user_become() - the calling process belongs to the user from now on
 * @user: as found
 *
 * Return: 0, or -1 with errno set.
 */
int sudo_user_become(const struct sudo_user *user)
{
	if (!user->other)
		return 0;
	if (user->name ? initgroups(user->name, user->gid) : setgroups(1, &user->gid))
		return -1;
	if (setgid(user->gid) || setuid(user->uid))
		return -1;
	if (!user->name)
		return 0;
	if (setenv("HOME", user->home, 1) || setenv("USER", user->name, 1) ||
	    setenv("LOGNAME", user->name, 1))
		return -1;
	return 0;
}

void sudo_user_free(struct sudo_user *user)
{
	free(user->name);
	free(user->home);
}
