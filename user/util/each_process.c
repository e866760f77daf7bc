// SPDX-License-Identifier: GPL-2.0
#include "each_process.h"

#include <ctype.h>
#include <dirent.h>

#include "util.h"

int each_process(int (*each)(void *context, pid_t pid), void *context)
{
	struct dirent *entry;
	int result = 0;
	DIR *proc = opendir("/proc");

	if (!proc) {
		complain("cannot look through /proc: %s", strerror(errno));
		return -1;
	}
	while (!result && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			result = each(context, atoi(entry->d_name));
	closedir(proc);
	return result;
}
