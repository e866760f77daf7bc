// SPDX-License-Identifier: GPL-2.0
#include "perf_map.h"

#include <ctype.h>
#include <errno.h>
#include <sys/stat.h>

#include "util/hash_index.h"

/* Functions that are kept; each takes a line of five bytes at least. */
#define FUNCTIONS_MAX (4U << 20)
/* Functions before an address that are looked at, because a long one may cover those behind it. */
#define COVERING_MAX 4096

/* Reads a hexadecimal number, with or without 0x, and moves @text behind it and one space. */
static bool take_number(char **text, u64 *number)
{
	char *end;

	/* strtoull() would take a sign or a space */
	if (!isxdigit((unsigned char)**text))
		return false;
	errno = 0;
	*number = strtoull(*text, &end, 16);
	if (errno || *end != ' ')
		return false;
	*text = end + 1;
	return true;
}

int perf_map_add(struct perf_map *map, u64 begin, u64 size)
{
	struct perf_function function = { .begin = begin, .number = map->count };

	if (!size || __builtin_add_overflow(begin, size, &function.end))
		return 0;
	if (map->count >= FUNCTIONS_MAX) {
		map->cut = true;
		return 0;
	}
	if (array_grow(&map->functions, &map->room, map->count, sizeof(function)))
		return -1;
	map->functions[map->count++] = function;
	return 1;
}

/* Takes a line "7f3a40001000 2a name", which has no newline. Returns 0, or -1 without memory. */
static int take_line(struct perf_map *map, char *line)
{
	u64 begin, size;
	size_t length;
	int added;

	if (!take_number(&line, &begin) || !take_number(&line, &size))
		return 0;
	line += strspn(line, " ");
	length = strlen(line);
	while (length && isspace((unsigned char)line[length - 1]))
		length--;
	if (!length)
		return 0;
	added = perf_map_add(map, begin, size);
	if (added <= 0)
		return added;
	line[length < PERF_MAP_NAME_MAX ? length : PERF_MAP_NAME_MAX - 1] = '\0';
	map->functions[map->count - 1].name = line;
	return 0;
}

/* Reads @size bytes at most; the file may have become shorter meanwhile, or longer. */
static int read_text(struct perf_map *map, int fd, size_t size)
{
	ssize_t bytes = 1;

	map->text = malloc(size + 1);
	if (!map->text)
		return -1;
	while (bytes > 0 && map->bytes < size) {
		bytes = read(fd, map->text + map->bytes, size - map->bytes);
		if (bytes > 0)
			map->bytes += bytes;
	}
	map->text[map->bytes] = '\0';
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct perf_function *x = a, *y = b;

	return three_way(x->begin, y->begin) ?: three_way(x->number, y->number);
}

void perf_map_put_in_order(struct perf_map *map)
{
	u64 reach = 0;

	if (!map->count)
		return;
	qsort(map->functions, map->count, sizeof(*map->functions), compare);
	for (u32 i = 0; i < map->count; i++) {
		if (map->functions[i].end > reach)
			reach = map->functions[i].end;
		map->functions[i].reach = reach;
	}
}

int perf_map_read(struct perf_map *map, int fd)
{
	struct stat stat;
	int error = 0;
	size_t size;
	char *next;

	*map = (struct perf_map){ 0 };
	if (fstat(fd, &stat))
		return 0;
	size = stat.st_size < PERF_MAP_BYTES_MAX ? (size_t)stat.st_size : PERF_MAP_BYTES_MAX;
	if (read_text(map, fd, size))
		return -1;
	for (char *line = map->text; line && !error; line = next) {
		next = memchr(line, '\n', map->text + map->bytes - line);
		if (next)
			*next++ = '\0';
		error = take_line(map, line);
	}
	if (error)
		perf_map_free(map);
	else
		perf_map_put_in_order(map);
	return error;
}

void perf_map_free(struct perf_map *map)
{
	free(map->functions);
	free(map->lines);
	free(map->text);
	*map = (struct perf_map){ 0 };
}

const struct perf_function *perf_map_find(const struct perf_map *map, u64 address)
{
	size_t last = count_up_to(map->functions, map->count, sizeof(*map->functions), address);
	size_t least = last > COVERING_MAX ? last - COVERING_MAX : 0;
	const struct perf_function *found = NULL;

	for (size_t i = last; i > least; i--) {
		const struct perf_function *function = &map->functions[i - 1];

		if (function->reach <= address)
			break;
		if (function->end > address && (!found || function->number > found->number))
			found = function;
	}
	return found;
}

const struct perf_line *perf_map_line(const struct perf_map *map,
				      const struct perf_function *function, u64 address)
{
	const struct perf_line *lines = map->lines + function->first_line;
	size_t count =
		count_up_to(lines, function->line_count, sizeof(*lines), address - function->begin);

	return count ? &lines[count - 1] : NULL;
}
