// SPDX-License-Identifier: GPL-2.0
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

/* More than any list of modules or of a process's mappings. */
#define TEXT_MAX (16U << 20)
#define PIECE 65536

static int open_below(const struct system *system, const char *path, int flags)
{
	char whole[PATH_MAX];
	int size = snprintf(whole, sizeof(whole), "%s%s", system->root, path);

	if (size >= (int)sizeof(whole))
		return -1;
	return open(whole, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

bool system_read(const struct system *system, const char *path, char *text, size_t size)
{
	_cleanup_close_ int fd = open_below(system, path, O_RDONLY);
	ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);

	text[length > 0 ? length : 0] = '\0';
	if (length > 0 && text[length - 1] == '\n')
		text[length - 1] = '\0';
	return length >= 0;
}

char *system_read_all(const struct system *system, const char *path)
{
	_cleanup_close_ int fd = open_below(system, path, O_RDONLY);
	char *text = NULL, *larger;
	ssize_t bytes = 1;
	size_t used = 0;

	while (fd >= 0 && bytes > 0 && used < TEXT_MAX) {
		larger = realloc(text, used + PIECE + 1);
		if (!larger)
			break;
		text = larger;
		bytes = read(fd, text + used, PIECE);
		used += bytes > 0 ? bytes : 0;
	}
	if (fd < 0 || bytes < 0) {
		free(text);
		return NULL;
	}
	if (text)
		text[used] = '\0';
	return text;
}

bool system_has(const struct system *system, const char *path)
{
	_cleanup_close_ int fd = open_below(system, path, O_PATH);

	return fd >= 0;
}

bool system_lacks(const struct system *system, const char *path)
{
	errno = 0;
	return !system_has(system, path) && errno == ENOENT;
}

bool chosen_word(char *text)
{
	char *begin = strchr(text, '['), *end = begin ? strchr(begin, ']') : NULL;

	if (!end)
		return false;
	*end = '\0';
	memmove(text, begin + 1, end - begin);
	return true;
}

bool system_is_aarch64(const struct system *system)
{
	return !strcmp(system->machine, "aarch64");
}
