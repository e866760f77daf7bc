// SPDX-License-Identifier: GPL-2.0
#include "sudo_user.h"

#include <stdlib.h>
#include <unistd.h>

#include "opts.h"

static bool read_id(const char *variable, u32 *id)
{
	const char *text = getenv(variable), *end;

	return text && !parse_count(text, &end, UINT32_MAX - 1, id) && !*end;
}

int sudo_user_find(struct sudo_user *user)
{
	if (geteuid() || !getenv("SUDO_UID"))
		return 0;
	if (!read_id("SUDO_UID", &user->uid) || !read_id("SUDO_GID", &user->gid)) {
		complain("SUDO_UID and SUDO_GID name no user: unset SUDO_UID to run as root");
		return -1;
	}
	if (!user->uid)
		return 0;
	user->other = true;
	user->account = getpwuid(user->uid);
	return 0;
}
