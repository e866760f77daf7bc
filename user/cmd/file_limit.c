// SPDX-License-Identifier: GPL-2.0
#include "file_limit.h"

/* Where the limit cannot be had or raised, opening files tells of it. */
void file_limit_raise(struct rlimit *before)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, before)) {
		*before = (struct rlimit){ 0 };
		return;
	}
	most = *before;
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
}

void file_limit_give_back(const struct rlimit *before)
{
	if (before->rlim_max)
		setrlimit(RLIMIT_NOFILE, before);
}
