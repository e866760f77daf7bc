// SPDX-License-Identifier: GPL-2.0
#include "generated.h"

#include <stdio.h>
#include <sys/stat.h>

#include "jit_dump.h"

/* Bytes in memory for what the files say; when they are used up no other file is read. */
#define MAPS_BYTES_MAX (512ULL << 20)
#define NAME_BYTES 256
/* A file that grows is read again when this many times as long as reading took has passed. */
#define READ_PAUSE 20
/* Reading that took less than this may be done at once. */
#define READ_SHORT_NS (NSEC_PER_SEC / 200)
#define PYTHON_OPTION "start it with -X perf (Python 3.12 or later)"
/* Files with an interpreter of Python that are remembered. */
#define INTERPRETERS_MAX 8

/**
 * struct known_file - what a process says of its code in a file, as it was read last
 * @map: functions; none if there is no file
 * @file: the file; all 0: there is none
 */
struct known_file {
	struct perf_map map;
	struct stat file;
};

/* A process's files; what the first one names need not be in the others. */
enum { FILE_DUMP, FILE_MAP, FILES };

/**
 * struct known_map - what is known of the code of a process
 * @generator: the process
 * @files: its JIT dump, which knows lines, and its perf map
 * @left_out: code was looked up that no file names
 * @again_ns: when the files may be read again
 */
struct known_map {
	struct generator *generator;
	struct known_file files[FILES];
	bool left_out;
	u64 again_ns;
};

/**
 * struct generated - what is known of generated code
 * @texts: texts of frames
 * @maps: struct known_map by the address of its generator
 * @bytes: of what all files in @maps say
 * @too_large: a complaint said that @maps, or one of them, are too large
 * @frames: each function once
 * @index: finds elements of @frames
 * @interpreters: functions that interpret Python
 * @interpreter_count: how many there are
 * @python_named: Python named what it runs
 */
struct generated {
	struct texts *texts;
	struct key_map maps;
	u64 bytes;
	bool too_large;
	struct frame **frames;
	u32 room;
	struct hash_index index;
	struct frame *interpreters[INTERPRETERS_MAX];
	size_t interpreter_count;
	bool python_named;
};

struct generated *generated_new(struct texts *texts)
{
	struct generated *generated = calloc(1, sizeof(*generated));

	if (generated)
		generated->texts = texts;
	return generated;
}

static void free_map(struct known_map *known)
{
	for (int i = 0; i < FILES; i++)
		perf_map_free(&known->files[i].map);
	free(known);
}

void generated_free(struct generated *generated)
{
	if (!generated)
		return;
	for (u32 i = 0; i < generated->maps.count; i++)
		free_map(generated->maps.entries[i].value);
	key_map_free(&generated->maps);
	for (u32 i = 0; i < generated->index.count; i++)
		free(generated->frames[i]);
	free(generated->frames);
	hash_index_free(&generated->index);
	free(generated);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static u64 bytes_of(const struct perf_map *map)
{
	return map->bytes + (u64)map->line_room * sizeof(*map->lines) +
	       (u64)map->room * sizeof(*map->functions);
}

/*
 * Reads a file of a process, unless there is none or it was read and has not changed since.
 * Returns whether it was read, or -1 without memory.
 */
static int read_file(struct generated *generated, struct known_map *known, int number)
{
	_cleanup_close_ int fd = -1;
	struct known_file *former = &known->files[number];
	u64 others = generated->bytes - bytes_of(&former->map);
	struct known_file read;

	if (others >= MAPS_BYTES_MAX)
		return 0;
	fd = number == FILE_DUMP ? generator_open_dump(known->generator) :
				   generator_open_map(known->generator);
	if (fd < 0 || fstat(fd, &read.file) || is_same_file(&read.file, &former->file))
		return 0;
	if (number == FILE_DUMP ? jit_dump_read(&read.map, fd) : perf_map_read(&read.map, fd))
		return -1;
	perf_map_free(&former->map);
	*former = read;
	generated->bytes = others + bytes_of(&read.map);
	if ((generated->bytes >= MAPS_BYTES_MAX || read.map.cut) && !generated->too_large) {
		complain("perf maps or JIT dumps are too large: some generated code has no name");
		generated->too_large = true;
	}
	return 1;
}

/* Likewise of all files of a process. */
static int read_files(struct generated *generated, struct known_map *known)
{
	u64 begin = clock_ns(), end;
	int read = 0, result;

	for (int i = 0; i < FILES; i++) {
		result = read_file(generated, known, i);
		if (result < 0)
			return -1;
		read |= result;
	}
	end = clock_ns();
	known->again_ns = end - begin < READ_SHORT_NS ? 0 : end + READ_PAUSE * (end - begin);
	return read;
}

/* What is known of a generator, which is nothing if it has no files. NULL: no memory. */
static struct known_map *map_of(struct generated *generated, struct generator *generator)
{
	struct known_map *known = key_map_find(&generated->maps, (uintptr_t)generator);

	if (known)
		return known;
	known = calloc(1, sizeof(*known));
	if (!known)
		return NULL;
	known->generator = generator;
	if (read_files(generated, known) >= 0 &&
	    !key_map_add(&generated->maps, (uintptr_t)generator, known))
		return known;
	for (int i = 0; i < FILES; i++)
		generated->bytes -= bytes_of(&known->files[i].map);
	free_map(known);
	return NULL;
}

int generated_read_again(struct generated *generated)
{
	int read = 0, result;

	for (u32 i = 0; i < generated->maps.count; i++) {
		struct known_map *known = generated->maps.entries[i].value;

		if (!known->left_out || clock_ns() < known->again_ns)
			continue;
		result = read_files(generated, known);
		if (result < 0)
			return -1;
		if (!result)
			continue;
		known->left_out = false;
		read = 1;
	}
	return read;
}

static bool is_same(const void *frames, u32 number, const void *with)
{
	const struct frame *frame = ((struct frame *const *)frames)[number], *key = with;

	/* texts are kept once each */
	return frame->function == key->function && frame->module == key->module &&
	       frame->file == key->file && frame->line == key->line && frame->offset == key->offset;
}

/* The one frame that is like @key. NULL: no memory. */
static const struct frame *only_frame(struct generated *generated, const struct frame *key)
{
	u64 hash = gapp_hash_add((uintptr_t)key->function, (uintptr_t)key->file);
	struct frame *frame;
	u32 number;

	hash = gapp_hash_add(gapp_hash_add(hash, (uintptr_t)key->module), key->line);
	hash = gapp_hash_add(hash, key->offset);
	number = hash_index_find(&generated->index, hash, is_same, generated->frames, key);
	if (number != HASH_NONE)
		return generated->frames[number];
	number = generated->index.count;
	if (array_grow(&generated->frames, &generated->room, number, sizeof(frame)))
		return NULL;
	frame = malloc(sizeof(*frame));
	if (!frame || hash_index_add(&generated->index, hash, number)) {
		free(frame);
		return NULL;
	}
	*frame = *key;
	generated->frames[number] = frame;
	return frame;
}

static void python_is_named(struct generated *generated)
{
	generated->python_named = true;
	for (size_t i = 0; i < generated->interpreter_count; i++)
		generated->interpreters[i]->advice = NULL;
}

/* The function at an address, and in @map the file that says so; NULL: none does. */
static const struct perf_function *find(const struct known_map *known, u64 address,
					const struct perf_map **map)
{
	const struct perf_function *function = NULL;

	for (int i = 0; i < FILES && !function; i++) {
		*map = &known->files[i].map;
		function = perf_map_find(*map, address);
	}
	return function;
}

/* The one frame of a function. Lines are no part of it: each time it is compiled they differ. */
static const struct frame *named(struct generated *generated, const struct object *object,
				 const struct perf_function *function)
{
	const char *program = object->generator->name;
	struct frame key = {
		.module = texts_add(generated->texts, *program ? program : object->name),
	};
	struct generated_name made;

	generated_name(&made, function->name);
	if (!generated->python_named && !strncmp(function->name, "py::", strlen("py::")))
		python_is_named(generated);
	key.function = texts_add(generated->texts, made.function);
	if (!key.module || !key.function)
		return NULL;
	if (*made.file) {
		key.file = texts_add(generated->texts, made.file);
		if (!key.file)
			return NULL;
	}
	key.line = made.line;
	return only_frame(generated, &key);
}

static bool is_program(const char *name, const char *begin)
{
	return !strncmp(name, begin, strlen(begin));
}

/* How a program is told to name what it generates. */
static const char *how_to_name(const char *program)
{
	if (is_program(program, "node") || is_program(program, "electron"))
		return "start it with --perf-basic-prof";
	if (!strcmp(program, "java"))
		return "start it with -XX:+PreserveFramePointer, and run jcmd PID Compiler.perfmap";
	if (is_program(program, "python") || is_program(program, "pypy"))
		return PYTHON_OPTION;
	if (!strcmp(program, "dotnet"))
		return "set DOTNET_PerfMapEnabled=1";
	return "it would have to write a perf map, /tmp/perf-PID.map, or a JIT dump";
}

/* @has_map: the program names what it generates already, and this is what it leaves out. */
static const struct frame *nameless(struct generated *generated, const struct object *object,
				    bool has_map)
{
	const char *program = object->generator->name;
	struct frame key = {
		.module = texts_add(generated->texts, *program ? program : object->name),
	};
	char words[2 * NAME_BYTES];

	snprintf(words, sizeof(words), "JIT code%s%.*s", *program ? " of " : "", NAME_BYTES,
		 program);
	key.function = texts_add(generated->texts, words);
	snprintf(words, sizeof(words), "for names of the code that %.*s generates, %s", NAME_BYTES,
		 *program ? program : "a program", how_to_name(program));
	key.advice = has_map ? NULL : texts_add(generated->texts, words);
	key.offset = object->inode;
	return key.module && key.function && (has_map || key.advice) ? only_frame(generated, &key) :
								       NULL;
}

const struct frame *generated_function(struct generated *generated, const struct object *object,
				       u64 address)
{
	struct known_map *known = map_of(generated, object->generator);
	const struct perf_function *function;
	const struct perf_map *map;

	if (!known)
		return NULL;
	function = find(known, address, &map);
	if (function)
		return named(generated, object, function);
	known->left_out = true;
	return nameless(generated, object,
			known->files[FILE_DUMP].map.count || known->files[FILE_MAP].map.count);
}

int generated_line(struct generated *generated, const struct object *object, u64 address,
		   const struct frame *function, struct frame *line)
{
	const struct known_map *known = map_of(generated, object->generator);
	const struct perf_function *found;
	const struct perf_line *at;
	const struct perf_map *map;

	if (!known)
		return -1;
	found = find(known, address, &map);
	at = found ? perf_map_line(map, found, address) : NULL;
	/* since @function was found there, another one may have been put in its place */
	if (!at || named(generated, object, found) != function)
		return 0;
	*line = *function;
	line->line = at->line;
	line->file = texts_add(generated->texts, at->file);
	return line->file ? 1 : -1;
}

bool generated_is_nameless(const struct frame *function)
{
	/* named() sets no offset */
	return !function->object && function->offset;
}

void generated_add_interpreter(struct generated *generated, struct frame *function)
{
	if (generated->python_named || generated->interpreter_count >= INTERPRETERS_MAX)
		return;
	generated->interpreters[generated->interpreter_count++] = function;
	function->advice = "for names of Python's functions, " PYTHON_OPTION;
}
