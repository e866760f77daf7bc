// SPDX-License-Identifier: GPL-2.0
#include "command_lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>

#include "data/blocks.h"
#include "util/hash_index.h"

/* Processes whose command lines are kept, and bytes of a command line. */
#define LINES_MAX 4096
#define LINE_BYTES 1024
/* The kernel tells of an exec a moment before the process has its new words. */
#define WORDS_TRIES 20
#define WORDS_PAUSE_NS 100000
/* In all: who waits here does not read records. */
#define PAUSES_MAX 1000

/**
 * struct command_line - a command line
 * @image: number of the process's address space
 * @told: each exec of the process is told of, so no other one has happened
 * @words: its words with spaces between them
 */
struct command_line {
	u32 image;
	bool told;
	char words[];
};

/**
 * struct command_lines - command lines
 * @by_pid: struct command_line by process id
 * @pauses: how often words were waited for
 */
struct command_lines {
	struct key_map by_pid;
	unsigned int pauses;
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

/*
 * Reads the words with spaces between them. Returns their bytes; 0: the process has none, or none
 * any more, or -1: there is no such process.
 */
static ssize_t read_words(pid_t pid, char *words, size_t size)
{
	_cleanup_close_ int fd = -1;
	char path[32];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, words, size - 1);
	while (len > 0 && !words[len - 1])
		len--;
	if (len <= 0)
		return len;
	for (ssize_t i = 0; i < len; i++)
		if (!words[i])
			words[i] = ' ';
	words[len] = '\0';
	return len;
}

/* Adds the command line of a process that has none. Returns 0, or -1 without memory. */
static int add_line(struct command_lines *lines, pid_t pid, u32 image, bool told, const char *words)
{
	size_t size = strlen(words) + 1;
	struct command_line *line = malloc(sizeof(*line) + size);

	if (!line)
		return -1;
	line->image = image;
	line->told = told;
	memcpy(line->words, words, size);
	if (!key_map_add(&lines->by_pid, pid, line))
		return 0;
	free(line);
	return -1;
}

/*
 * Reads the command line, which replaces that in @line, if any. @tries: while there are no words;
 * more than one after an exec that is told of.
 */
static void read_line(struct command_lines *lines, pid_t pid, struct command_line *line, u32 image,
		      unsigned int tries)
{
	const struct timespec pause = { .tv_nsec = WORDS_PAUSE_NS };
	const bool told = tries > 1;
	char words[LINE_BYTES];
	ssize_t len;

	if (!line && lines->by_pid.count >= LINES_MAX)
		return;
	for (;;) {
		len = read_words(pid, words, sizeof(words));
		if (len || !--tries || lines->pauses >= PAUSES_MAX)
			break;
		lines->pauses++;
		nanosleep(&pause, NULL);
	}
	if (line)
		free(key_map_remove(&lines->by_pid, pid));
	words[len > 0 ? len : 0] = '\0';
	add_line(lines, pid, image, told && len > 0, words);
}

void command_lines_note(struct command_lines *lines, pid_t pid, u32 image)
{
	struct command_line *line = key_map_find(&lines->by_pid, pid);

	if (!line || (line->image != image && !line->told))
		read_line(lines, pid, line, image, 1);
}

void command_lines_executed(struct command_lines *lines, pid_t pid)
{
	read_line(lines, pid, key_map_find(&lines->by_pid, pid), 0, WORDS_TRIES);
}

const char *command_lines_find(const struct command_lines *lines, pid_t pid)
{
	const struct command_line *line = lines ? key_map_find(&lines->by_pid, pid) : NULL;

	return line && *line->words ? line->words : NULL;
}

void command_lines_save(const struct command_lines *lines, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_COMMANDS);
	for (u32 i = 0; i < lines->by_pid.count; i++) {
		const struct key_map_entry *entry = &lines->by_pid.entries[i];
		const struct command_line *line = entry->value;
		struct pack *pack = blocks_item(writer);

		pack_s64(pack, (pid_t)entry->key);
		pack_text(pack, line->words);
		blocks_item_end(writer);
	}
}

static int take_lines(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct command_lines *lines = context;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		_cleanup_free_ char *words = NULL;
		pid_t pid = unpack_s64(unpack);

		words = unpack_text(unpack);
		if (!words || lines->by_pid.count >= LINES_MAX ||
		    !unpack_keep(unpack, strlen(words))) {
			unpack->failed = true;
			return 0;
		}
		if (!key_map_find(&lines->by_pid, pid) && add_line(lines, pid, 0, false, words))
			return -1;
	}
	return 0;
}

int command_lines_read_more(struct command_lines *lines, struct blocks *blocks)
{
	return blocks_each(blocks, BLOCK_COMMANDS, take_lines, lines);
}

struct command_lines *command_lines_read(struct blocks *blocks)
{
	struct command_lines *lines = command_lines_new();

	if (!lines || !command_lines_read_more(lines, blocks))
		return lines;
	command_lines_free(lines);
	return NULL;
}
