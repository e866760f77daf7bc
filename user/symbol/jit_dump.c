// SPDX-License-Identifier: GPL-2.0
#include "jit_dump.h"

#include <elf.h>
#include <sys/stat.h>

#include "util/hash_index.h"

#define MAGIC 0x4a695444
#define VERSION 1
/* Source lines that are kept, and records that are looked at. */
#define LINES_MAX (4U << 20)
#define RECORDS_MAX (8U << 20)
/* Names of source files that are compared with the next one. */
#define FILES_KEPT 32
/* Bytes of what one record says of source lines; of a longer one the lines behind are not known. */
#define DEBUG_BYTES_MAX (1024 * 1024)
/* A file's name in these bytes is that of the entry before. */
#define SAME_FILE "\xff"
/*
 * V8 and LLVM add the size of an ELF header to the addresses of source lines, because perf makes
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
 * struct numbered - a function, and what its program calls it
 * @code: the program's number
 * @function: number in the map
 * @moved: it is the last function of that number, in another place
 */
struct numbered {
	u64 code;
	u32 function;
	bool moved;
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
 * @files: the last ones that were kept; the oldest is replaced
 * @file_count: how many were kept, in all
 * @numbered: each function of @map
 * @numbered_room: elements that it has memory for
 * @moves: a function was moved
 * @with_lines: functions with lines
 * @behind_header: of these, such whose first line is behind an ELF header
 */
struct reading {
	int fd;
	struct perf_map *map;
	size_t text_room;
	char *body;
	u64 code;
	u32 first_line;
	const char *file;
	const char *files[FILES_KEPT];
	u32 file_count;
	struct numbered *numbered;
	u32 numbered_room;
	bool moves;
	u32 with_lines;
	u32 behind_header;
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

	if (bytes > reading->text_room - map->bytes) {
		map->cut = true;
		return NULL;
	}
	memcpy(copy, text, bytes - 1);
	copy[bytes - 1] = '\0';
	map->bytes += bytes;
	return copy;
}

/* The one copy of a file's name, if it is among the last ones; NULL: there is no room for it. */
static const char *keep_file(struct reading *reading, const char *name)
{
	const char *copy;

	if (!strcmp(name, SAME_FILE) || (reading->file && !strcmp(name, reading->file)))
		return reading->file;
	for (u32 i = 0; i < FILES_KEPT && i < reading->file_count; i++)
		if (!strcmp(name, reading->files[i]))
			return reading->files[i];
	copy = keep_text(reading, name);
	if (copy)
		reading->files[reading->file_count++ % FILES_KEPT] = copy;
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
	struct perf_line line = {
		.offset = entry->address - code,
		.line = entry->line,
		.number = map->line_count,
	};

	reading->file = keep_file(reading, file);
	line.file = reading->file;
	if (!line.file || entry->address < code)
		return 0;
	if (map->line_count >= LINES_MAX) {
		map->cut = true;
		return 0;
	}
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

	return three_way(x->offset, y->offset) ?: three_way(x->number, y->number);
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
	reading->with_lines++;
	reading->behind_header += lines->offset == ELF_HEADER_BYTES;
	function->first_line = reading->first_line;
	function->line_count = count;
	reading->first_line = map->line_count;
}

/* Notes the number of the function that was added last. Returns 0, or -1 without memory. */
static int number_function(struct reading *reading, u64 code, bool moved)
{
	u32 last = reading->map->count - 1;

	if (array_grow(&reading->numbered, &reading->numbered_room, last,
		       sizeof(*reading->numbered)))
		return -1;
	reading->numbered[last] = (struct numbered){ code, last, moved };
	reading->moves |= moved;
	return 0;
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
	return number_function(reading, load.number, false);
}

static int take_move(struct reading *reading, size_t bytes)
{
	struct move move;
	int added;

	if (bytes < sizeof(move))
		return 0;
	memcpy(&move, reading->body, sizeof(move));
	added = perf_map_add(reading->map, move.begin, move.bytes);
	return added <= 0 ? added : number_function(reading, move.number, true);
}

static int by_code(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return three_way(x->code, y->code) ?: three_way(x->function, y->function);
}

/* Gives functions that were moved what they were before. Those of unknown numbers go. */
static void name_moved(struct reading *reading)
{
	struct perf_function *functions = reading->map->functions;
	struct perf_map *map = reading->map;
	u32 kept = 0;

	if (!reading->moves)
		return;
	qsort(reading->numbered, map->count, sizeof(*reading->numbered), by_code);
	for (u32 i = 1; i < map->count; i++) {
		const struct numbered *at = &reading->numbered[i];
		const struct perf_function *former = &functions[at[-1].function];

		if (!at->moved || at[-1].code != at->code)
			continue;
		functions[at->function].name = former->name;
		functions[at->function].first_line = former->first_line;
		functions[at->function].line_count = former->line_count;
	}
	for (u32 i = 0; i < map->count; i++)
		if (functions[i].name)
			functions[kept++] = functions[i];
	map->count = kept;
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
	/* the record's end may not be written yet */
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
	u32 records;

	for (records = 0; !error && records < RECORDS_MAX; records++) {
		if (read_at(reading, &record, sizeof(record), at) != sizeof(record) ||
		    record.bytes < sizeof(record))
			break;
		error = take_record(reading, &record, at);
		at += record.bytes;
	}
	reading->map->cut |= records == RECORDS_MAX;
	drop_lines(reading);
	return error;
}

/* Mends what V8 and LLVM add: most functions have a line at their begin, but not all. */
static void mend_offsets(struct reading *reading)
{
	struct perf_line *lines = reading->map->lines;

	if (!reading->behind_header || 2ULL * reading->behind_header < reading->with_lines)
		return;
	for (u32 i = 0; i < reading->map->line_count; i++)
		lines[i].offset -= lines[i].offset < ELF_HEADER_BYTES ? lines[i].offset :
									ELF_HEADER_BYTES;
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
	struct reading reading = { .fd = fd, .map = map };
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
	if (!error)
		name_moved(&reading);
	free(reading.body);
	free(reading.numbered);
	if (error) {
		perf_map_free(map);
		return -1;
	}
	mend_offsets(&reading);
	perf_map_put_in_order(map);
	return 0;
}
