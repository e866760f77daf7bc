// SPDX-License-Identifier: GPL-2.0
#include "cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>

#include "table_trim.h"

/* Many a user has a target of one's own. */
bool cache_is_safe(int fd, mode_t type)
{
	mode_t others = geteuid() ? 002 : 022;
	struct stat stat;

	return !fstat(fd, &stat) && (stat.st_mode & S_IFMT) == type &&
	       (stat.st_uid == geteuid() || !stat.st_uid) && !(stat.st_mode & others);
}

int cache_file_open(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0 && !cache_is_safe(fd, S_IFREG)) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool write_all(int fd, const void *data, size_t size)
{
	size_t done = 0;
	ssize_t bytes;

	for (; done < size; done += bytes) {
		bytes = write(fd, (const char *)data + done, size - done);
		if (bytes < 0 && errno == EINTR)
			bytes = 0;
		else if (bytes <= 0)
			return false;
	}
	return true;
}

int cache_file_write(int folder, const char *name, const void *head, size_t head_size,
		     const void *body, size_t body_size)
{
	char unfinished[sizeof(TABLE_UNFINISHED) + 16];
	bool written;
	u64 number;
	int fd;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -1;
	snprintf(unfinished, sizeof(unfinished), TABLE_UNFINISHED "%016llx",
		 (unsigned long long)number);
	fd = openat(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	written = write_all(fd, head, head_size) && write_all(fd, body, body_size);
	if (!close(fd) && written && !renameat(folder, unfinished, folder, name))
		return 0;
	unlinkat(folder, unfinished, 0);
	return -1;
}
