// SPDX-License-Identifier: GPL-2.0
#include "command_lines.h"

#include <fcntl.h>
#include <stdio.h>

#include "util/hash_index.h"

/* Processes whose command lines are kept, and bytes of a command line. */
#define LINES_MAX 4096
#define LINE_BYTES 1024

struct command_line {
	u32 image;
	char words[];
};

struct command_lines {
	struct key_map by_pid;
};

struct command_lines *command_lines_new(void)
{
	return calloc(1, sizeof(struct command_lines));
}

void command_lines_free(struct command_lines *lines)
{
	if (!lines)
		return;
	for (u32 i = 0; i < lines->by_pid.count; i++)
		free(lines->by_pid.entries[i].value);
	key_map_free(&lines->by_pid);
	free(lines);
}

/* Reads the words with spaces between them. Returns their bytes; 0: the process has none. */
static size_t read_words(pid_t pid, char *words, size_t size)
{
	_cleanup_close_ int fd = -1;
	char path[32];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? 0 : read(fd, words, size - 1);
	while (len > 0 && !words[len - 1])
		len--;
	if (len <= 0)
		return 0;
	for (ssize_t i = 0; i < len; i++)
		if (!words[i])
			words[i] = ' ';
	words[len] = '\0';
	return len;
}

void command_lines_note(struct command_lines *lines, pid_t pid, u32 image)
{
	struct command_line *line = key_map_find(&lines->by_pid, pid);
	char words[LINE_BYTES];
	size_t len;

	if (line && line->image == image)
		return;
	if (!line && lines->by_pid.count >= LINES_MAX)
		return;
	len = read_words(pid, words, sizeof(words));
	if (line)
		free(key_map_remove(&lines->by_pid, pid));
	line = malloc(sizeof(*line) + len + 1);
	if (!line)
		return;
	line->image = image;
	memcpy(line->words, words, len);
	line->words[len] = '\0';
	if (key_map_add(&lines->by_pid, pid, line))
		free(line);
}

const char *command_lines_find(const struct command_lines *lines, pid_t pid)
{
	const struct command_line *line = lines ? key_map_find(&lines->by_pid, pid) : NULL;

	return line && *line->words ? line->words : NULL;
}
