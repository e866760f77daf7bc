/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording's file: a head, and then blocks, each with its type, its sizes and two checksums, so
 * that what is whole in a cut or damaged file can be told from what is not. docs/data-format.md
 * describes it.
 */
#ifndef GAPP_READ_BLOCKS_H
#define GAPP_READ_BLOCKS_H

#include "pack.h"

/* Readers refuse a file of another major version, and pass over blocks of types they do not know.
 */
#define BLOCKS_MAJOR 1
#define BLOCKS_MINOR 14

/* Types of blocks: the numbers are part of the format. */
enum block_type {
	BLOCK_END = 1,
	BLOCK_FACTS = 2,
	BLOCK_FIGURES = 3,
	BLOCK_THREADS = 4,
	BLOCK_PROCESSES = 5,
	BLOCK_TARGETS = 6,
	BLOCK_PARALLELISM = 7,
	BLOCK_COMMANDS = 8,
	BLOCK_OBJECTS = 9,
	BLOCK_PATHS = 10,
	BLOCK_FRAMES = 11,
	BLOCK_ANSWERS = 12,
	BLOCK_SUMS = 13,
	BLOCK_CELLS = 14,
	BLOCK_ENTRIES = 15,
	BLOCK_TALLIES = 16,
	BLOCK_SETS = 17,
	BLOCK_BUILD_IDS = 18,
	BLOCK_RECORDS = 19,
	BLOCK_RECORD_COUNT = 20,
	BLOCK_SURE_PATHS = 21,
	BLOCK_SPANS = 22,
	BLOCK_WAIT_COUNTS = 23,
	BLOCK_WAIT_OBJECTS = 24,
	BLOCK_WAIT_SITES = 25,
	BLOCK_WAKERS = 26,
	BLOCK_CRITICAL_PATH = 27,
	BLOCK_GRAPH_NODES = 28,
	BLOCK_GRAPH_EDGES = 29,
	BLOCK_THREAD_WAITS = 30,
	BLOCK_HOLDERS = 31,
	BLOCK_PATH_OBJECTS = 32,
	BLOCK_WAKER_PATHS = 33,
	BLOCK_HANDOVERS = 34,
	BLOCK_SPINS = 35,
	BLOCK_SECTIONS = 36,
	BLOCK_EXACT_LOOPS = 37,
	BLOCK_MERGED = 38,
	BLOCK_SPIN_DELAYS = 39,
	BLOCK_COUNTERS = 40,
	BLOCK_THREAD_TALLIES = 41,
	BLOCK_CPU_TALLIES = 42,
	BLOCK_NODE_TALLIES = 43,
	BLOCK_COUNTED = 44,
	BLOCK_SECTION_COUNTS = 45,
};

#define BLOCK_TYPE_MAX BLOCK_SECTION_COUNTS

/* Bytes that a block holds at most, before it is compressed. */
#define BLOCK_BYTES_MAX 0x100000U

/**
 * struct blocks_writer - a file that is being written
 * @fd: the file
 * @error: errno of the first write that failed; nothing is written after it
 * @whole: bytes of the file up to the end of the last whole block
 * @pack: items of the block that is being made
 * @type: type of that block
 * @items: items in it
 * @first: number of its first item
 */
struct blocks_writer {
	int fd;
	int error;
	off_t whole;
	struct pack pack;
	enum block_type type;
	u32 items;
	u64 first;
	void *compressor;
};

/* Whether a write failed with @error because there is no room for the file. */
bool blocks_full(int error);
/* Writes the head. @fd stays the caller's. Returns 0, or -1 with @writer->error. */
int blocks_begin(struct blocks_writer *writer, int fd);
/* The next items are of this type; the first one has number 0. */
void blocks_section(struct blocks_writer *writer, enum block_type type);
/* Where the caller packs an item; blocks_item_end() may write a block. */
struct pack *blocks_item(struct blocks_writer *writer);
void blocks_item_end(struct blocks_writer *writer);
/*
 * After a full disk: drops the last blocks, at least @bytes of them or all, so that others can be
 * written instead, and forgets the error. Returns 0, or -1: the error is another one, or stays.
 */
int blocks_make_room(struct blocks_writer *writer, u64 bytes);
/*
 * Writes the last block, and the block that says that the file is whole. After a full disk the file
 * ends with its last whole block. Returns 0, or -1 with @writer->error.
 */
int blocks_end(struct blocks_writer *writer);
void blocks_free(struct blocks_writer *writer);

/**
 * struct blocks_aside - items of a type that are written between the blocks of other types
 * @type: of its blocks
 * @pack: items of the block that is being made
 * @items: items in it
 * @first: number of its first item
 */
struct blocks_aside {
	enum block_type type;
	struct pack pack;
	u32 items;
	u64 first;
};

/* After an item was packed into @aside->pack; may write a block. */
void blocks_aside_end(struct blocks_writer *writer, struct blocks_aside *aside);
/* Writes the block that is being made, if there is one. What cannot be written is missing. */
void blocks_aside_flush(struct blocks_writer *writer, struct blocks_aside *aside);

struct blocks;

/**
 * struct blocks_health - what is wrong with a file
 * @ended: the writer came to its end
 * @damaged: blocks, or pieces of the file between blocks, that are damaged
 */
struct blocks_health {
	bool ended;
	u64 damaged;
};

/* Opens a file and looks at each block. NULL: it is no recording, with a complaint made. */
struct blocks *blocks_open(const char *path);
void blocks_close(struct blocks *blocks);
const struct blocks_health *blocks_health(const struct blocks *blocks);

/*
 * Calls @take for each whole block of a type, with the number of its first item, how many there
 * are, and their bytes. It returns 0, or -1 without memory, which ends the loop. Items that make no
 * sense are @take's to refuse: it sets @unpack->failed, and the block counts as damaged. Returns
 * what @take returned last.
 */
typedef int (*blocks_take_fn)(void *context, u64 first, u64 count, struct unpack *unpack);
int blocks_each(struct blocks *blocks, enum block_type type, blocks_take_fn take, void *context);

/*
 * As blocks_each(), a block a call: sets @unpack to the bytes of the next whole block of a type,
 * which stay valid until another block of the file is read. @at: 0 at first; the block is number
 * @at - 1 then. False: there are no more.
 */
bool blocks_next(struct blocks *blocks, enum block_type type, u32 *at, struct unpack *unpack);
/* The items of the block that blocks_next() gave make no sense. */
void blocks_refuse(struct blocks *blocks, u32 at);

#endif /* GAPP_READ_BLOCKS_H */
