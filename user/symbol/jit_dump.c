// SPDX-License-Identifier: GPL-2.0
#include "jit_dump.h"

#include <elf.h>
#include <sys/stat.h>

#include "util/hash_index.h"

#define MAGIC 0x4a695444
#define VERSION 1
/* Source lines that are kept. */
#define LINES_MAX (4U << 20)
/* Bytes of what one record says of source lines; of a longer one the lines behind are not known. */
#define DEBUG_BYTES_MAX (1024 * 1024)
/* A file's name in these bytes is that of the entry before. */
#define SAME_FILE "\xff"
/*
 * V8 adds the size of an ELF header to the addresses of source lines, for it knows that perf makes
 * ELF files of the code.
 */
#define ELF_HEADER_BYTES sizeof(Elf64_Ehdr)

enum record_id {
	RECORD_LOAD = 0,
	RECORD_MOVE = 1,
	RECORD_DEBUG_INFO = 2,
};

struct head {
	u32 magic;
	u32 version;
	u32 bytes;
	u32 machine;
	u32 reserved;
	u32 pid;
	u64 time;
	u64 flags;
};

struct record {
	u32 id;
	u32 bytes;
	u64 time;
};

/* The name follows, and then the code. */
struct load {
	u32 pid;
	u32 tid;
	u64 linked;
	u64 begin;
	u64 bytes;
	u64 number;
};

struct move {
	u32 pid;
	u32 tid;
	u64 linked;
	u64 former;
	u64 begin;
	u64 bytes;
	u64 number;
};

/* Entries follow. */
struct debug_info {
	u64 code;
	u64 count;
};

/* The file's name follows. */
struct debug_entry {
	u64 address;
	u32 line;
	u32 discriminator;
};

/**
 * struct reading - a JIT dump that is being read
 * @fd: the file
 * @map: the result
 * @text_room: bytes of its @text
 * @body: room for what a record has behind its head
 * @code: begin of the function that the last lines are of
 * @first_line: of these, in @map
 * @file: the last file's name
 * @loaded: number of a function in @map, plus one, by the number that its program gave it
 * @least: the lowest offset of a line
 */
struct reading {
	int fd;
	struct perf_map *map;
	size_t text_room;
	char *body;
	u64 code;
	u32 first_line;
	const char *file;
	struct key_map loaded;
	u64 least;
};

/* Reads up to @bytes at @at. Returns how many. */
static size_t read_at(const struct reading *reading, void *to, size_t bytes, u64 at)
{
	ssize_t got = pread(reading->fd, to, bytes, at);

	return got < 0 ? 0 : got;
}

/* A copy of @text; NULL: there is no room for it. */
static const char *keep_text(struct reading *reading, const char *text)
{
	struct perf_map *map = reading->map;
	size_t bytes = strnlen(text, PERF_MAP_NAME_MAX - 1) + 1;
	char *copy = map->text + map->bytes;

	if (bytes > reading->text_room - map->bytes)
		return NULL;
	memcpy(copy, text, bytes - 1);
	copy[bytes - 1] = '\0';
	map->bytes += bytes;
	return copy;
}

/* Forgets lines that are of no function. */
static void drop_lines(struct reading *reading)
{
	reading->map->line_count = reading->first_line;
}

/* Adds a line of the function at @code. Returns 0, or -1 without memory. */
static int add_line(struct reading *reading, u64 code, const struct debug_entry *entry,
		    const char *file)
{
	struct perf_map *map = reading->map;
	struct perf_line line = { .offset = entry->address - code, .line = entry->line };

	if (strcmp(file, SAME_FILE) && (!reading->file || strcmp(file, reading->file)))
		reading->file = keep_text(reading, file);
	line.file = reading->file;
	if (!line.file || entry->address < code || map->line_count >= LINES_MAX)
		return 0;
	if (array_grow(&map->lines, &map->line_room, map->line_count, sizeof(line)))
		return -1;
	map->lines[map->line_count++] = line;
	return 0;
}

/* Takes the lines of a function that will be loaded next. Returns 0, or -1 without memory. */
static int take_debug_info(struct reading *reading, size_t bytes)
{
	const char *at = reading->body, *end = at + bytes, *file;
	struct debug_entry entry;
	struct debug_info info;

	drop_lines(reading);
	if (bytes < sizeof(info))
		return 0;
	memcpy(&info, at, sizeof(info));
	at += sizeof(info);
	reading->code = info.code;
	for (u64 i = 0; i < info.count && (size_t)(end - at) > sizeof(entry); i++) {
		memcpy(&entry, at, sizeof(entry));
		file = at + sizeof(entry);
		at = memchr(file, '\0', end - file);
		if (!at)
			break;
		at++;
		if (add_line(reading, info.code, &entry, file))
			return -1;
	}
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct perf_line *x = a, *y = b;

	return three_way(x->offset, y->offset) ?: three_way(x->line, y->line);
}

/* Gives the function that was added last the lines that were taken before. */
static void give_lines(struct reading *reading)
{
	struct perf_map *map = reading->map;
	struct perf_function *function = &map->functions[map->count - 1];
	struct perf_line *lines = map->lines + reading->first_line;
	u32 count = map->line_count - reading->first_line;

	if (!count || reading->code != function->begin) {
		drop_lines(reading);
		return;
	}
	qsort(lines, count, sizeof(*lines), by_offset);
	if (lines->offset < reading->least)
		reading->least = lines->offset;
	function->first_line = reading->first_line;
	function->line_count = count;
	reading->first_line = map->line_count;
}

/* The function that was added last has this number. Returns 0, or -1 without memory. */
static int number_function(struct reading *reading, u64 number)
{
	/* numbers can be used again */
	key_map_remove(&reading->loaded, number);
	return key_map_add(&reading->loaded, number, (void *)(uintptr_t)reading->map->count);
}

static int take_load(struct reading *reading, size_t bytes)
{
	struct perf_map *map = reading->map;
	struct load load;
	const char *name;
	int added;

	if (bytes <= sizeof(load))
		return 0;
	memcpy(&load, reading->body, sizeof(load));
	reading->body[bytes] = '\0';
	name = reading->body + sizeof(load);
	name = *name ? keep_text(reading, name) : NULL;
	added = name ? perf_map_add(map, load.begin, load.bytes) : 0;
	if (added <= 0) {
		drop_lines(reading);
		return added;
	}
	map->functions[map->count - 1].name = name;
	give_lines(reading);
	return number_function(reading, load.number);
}

static int take_move(struct reading *reading, size_t bytes)
{
	struct perf_map *map = reading->map;
	struct perf_function former, *moved;
	struct move move;
	u32 number;
	int added;

	if (bytes < sizeof(move))
		return 0;
	memcpy(&move, reading->body, sizeof(move));
	number = (uintptr_t)key_map_find(&reading->loaded, move.number);
	if (!number)
		return 0;
	former = map->functions[number - 1];
	added = perf_map_add(map, move.begin, move.bytes);
	if (added <= 0)
		return added;
	moved = &map->functions[map->count - 1];
	moved->name = former.name;
	moved->first_line = former.first_line;
	moved->line_count = former.line_count;
	return number_function(reading, move.number);
}

/* Takes the record whose head is at @at. Returns 0, or -1 without memory. */
static int take_record(struct reading *reading, const struct record *record, u64 at)
{
	size_t most = record->id == RECORD_DEBUG_INFO ? DEBUG_BYTES_MAX :
							sizeof(struct load) + PERF_MAP_NAME_MAX;
	size_t bytes = record->bytes - sizeof(*record);

	if (record->id > RECORD_DEBUG_INFO)
		return 0;
	if (bytes > most)
		bytes = most;
	/* or its end is still to be written */
	if (read_at(reading, reading->body, bytes, at + sizeof(*record)) != bytes)
		return 0;
	if (record->id == RECORD_LOAD)
		return take_load(reading, bytes);
	return record->id == RECORD_MOVE ? take_move(reading, bytes) :
					   take_debug_info(reading, bytes);
}

/* Takes all records. Returns 0, or -1 without memory. */
static int take_records(struct reading *reading, u64 at)
{
	struct record record;
	int error = 0;

	while (!error && at < JIT_DUMP_BYTES_MAX &&
	       read_at(reading, &record, sizeof(record), at) == sizeof(record) &&
	       record.bytes >= sizeof(record)) {
		error = take_record(reading, &record, at);
		at += record.bytes;
	}
	drop_lines(reading);
	return error;
}

/* Mends what V8 adds: no function has a line before that. */
static void mend_offsets(struct reading *reading)
{
	struct perf_map *map = reading->map;

	if (reading->least < ELF_HEADER_BYTES)
		return;
	for (u32 i = 0; i < map->line_count; i++)
		map->lines[i].offset -= ELF_HEADER_BYTES;
}

/* Whether the file is a JIT dump, in this machine's byte order. Sets @bytes to its head's. */
static bool take_head(const struct reading *reading, u64 *bytes)
{
	struct head head;

	if (read_at(reading, &head, sizeof(head), 0) != sizeof(head) || head.magic != MAGIC ||
	    head.version != VERSION || head.bytes < sizeof(head))
		return false;
	*bytes = head.bytes;
	return true;
}

int jit_dump_read(struct perf_map *map, int fd)
{
	struct reading reading = { .fd = fd, .map = map, .least = UINT64_MAX };
	struct stat stat;
	int error;
	u64 at;

	*map = (struct perf_map){ 0 };
	if (fstat(fd, &stat) || !take_head(&reading, &at))
		return 0;
	/* no text is longer here than in the file */
	reading.text_room = stat.st_size < PERF_MAP_BYTES_MAX ? (size_t)stat.st_size :
								PERF_MAP_BYTES_MAX;
	map->text = malloc(reading.text_room);
	reading.body = malloc(DEBUG_BYTES_MAX + 1);
	error = map->text && reading.body ? take_records(&reading, at) : -1;
	free(reading.body);
	key_map_free(&reading.loaded);
	if (error) {
		perf_map_free(map);
		return -1;
	}
	mend_offsets(&reading);
	perf_map_put_in_order(map);
	return 0;
}
