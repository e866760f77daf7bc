// SPDX-License-Identifier: GPL-2.0
#include "blocks.h"

#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include "block_head.h"
#include "util/hash_index.h"

/* Bytes of the file that are searched at one time for the next block. */
#define SEARCH_BYTES 65536
/* Bytes that are searched in one file; what is behind them counts as damaged. */
#define SEARCH_BYTES_MAX 0x40000000ULL

/*
 * What is made of a file may take so much memory, and as much again as the file on its disk times
 * this; all blocks but records, which nobody keeps, may have as many bytes.
 */
#define MEMORY_MAX (256ULL << 20)
#define MEMORY_OF_BYTE 16

/* A block whose head is whole. */
struct found {
	u32 type;
	u32 items;
	u64 first;
	off_t data;
	u32 size;
	u32 stored;
	u32 checksum;
	bool damaged;
};

/**
 * struct blocks - a file that is read
 * @found: its blocks
 * @bytes: room for the items of a block
 * @stored: room for what the file has of them
 * @searched: bytes that were searched for blocks
 * @budget: bytes of memory that may still be kept
 * @unpackable: bytes that blocks may still have
 * @taken: the block whose items are being read
 */
struct blocks {
	int fd;
	u8 *bytes;
	u8 *stored;
	struct found *found;
	u32 count;
	u32 room;
	u64 searched;
	u64 budget;
	u64 unpackable;
	const struct found *taken;
	struct blocks_health health;
};

/* Reads up to @size bytes. Returns how many there are, or -1. */
static ssize_t read_at(int fd, void *bytes, size_t size, off_t at)
{
	size_t have = 0;

	while (have < size) {
		ssize_t got = pread(fd, (char *)bytes + have, size - have, at + have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		have += got;
	}
	return have;
}

static bool head_is_whole(const struct block_head *head)
{
	u32 checksum = crc32(0, (const void *)head, offsetof(struct block_head, head_checksum));

	return !memcmp(head->magic, BLOCK_MAGIC, sizeof(head->magic)) &&
	       le32toh(head->head_checksum) == checksum && le32toh(head->size) <= BLOCK_BYTES_MAX &&
	       le32toh(head->stored) <= le32toh(head->size);
}

/* The first whole head among some bytes; NULL: there is none. */
static const char *find_head(const char *bytes, size_t size)
{
	const char *at = bytes, *end = bytes + size;

	for (;;) {
		struct block_head head;

		at = memmem(at, end - at, BLOCK_MAGIC, strlen(BLOCK_MAGIC));
		if (!at || end - at < (ssize_t)sizeof(head))
			return NULL;
		memcpy(&head, at, sizeof(head));
		if (head_is_whole(&head))
			return at;
		at++;
	}
}

/* The next place from @at on where the file has bytes of its own: a hole has no block. */
static off_t behind_hole(int fd, off_t at, off_t end)
{
	off_t data = lseek(fd, at, SEEK_DATA);

	if (data >= at)
		return data;
	/* nothing but a hole is left, or the file system does not know */
	return errno == ENXIO ? end : at;
}

/* The next place from @at on where a block begins, or @end. */
static off_t search(struct blocks *blocks, off_t at, off_t end)
{
	char bytes[SEARCH_BYTES];

	for (;;) {
		const char *found;
		ssize_t size;

		at = behind_hole(blocks->fd, at, end);
		if (at >= end || blocks->searched >= SEARCH_BYTES_MAX)
			return end;
		size = read_at(blocks->fd, bytes, sizeof(bytes), at);
		if (size < (ssize_t)sizeof(struct block_head))
			return end;
		found = find_head(bytes, size);
		if (found)
			return at + (found - bytes);
		blocks->searched += size;
		/* a head may begin in what was read, and end behind it */
		at += size - (ssize_t)sizeof(struct block_head) + 1;
	}
}

static int note(struct blocks *blocks, const struct block_head *head, off_t data)
{
	if (array_grow(&blocks->found, &blocks->room, blocks->count, sizeof(*blocks->found)))
		return -1;
	blocks->found[blocks->count++] = (struct found){
		.type = le32toh(head->type),
		.items = le32toh(head->items),
		.first = le64toh(head->first),
		.data = data,
		.size = le32toh(head->size),
		.stored = le32toh(head->stored),
		.checksum = le32toh(head->data_checksum),
	};
	return 0;
}

/* Finds all blocks. Returns 0, or -1 without memory. */
static int find_blocks(struct blocks *blocks, off_t end)
{
	off_t at = sizeof(struct file_head);
	bool lost = false;

	while (at < end) {
		struct block_head head;
		off_t data = at + (off_t)sizeof(head);

		if (read_at(blocks->fd, &head, sizeof(head), at) == sizeof(head) &&
		    head_is_whole(&head) && le32toh(head.stored) <= end - data) {
			if (note(blocks, &head, data))
				return -1;
			at = data + le32toh(head.stored);
			lost = false;
			continue;
		}
		/* a damaged piece counts once, however long the search is */
		blocks->health.damaged += !lost;
		lost = true;
		at = search(blocks, at + 1, end);
	}
	return 0;
}

/* A hole costs whoever made the file nothing. */
static void set_budget(struct blocks *blocks, const struct stat *status)
{
	u64 bytes = (u64)status->st_blocks * 512;

	if (bytes > (u64)status->st_size)
		bytes = status->st_size;
	blocks->budget = MEMORY_MAX + MEMORY_OF_BYTE * bytes;
	blocks->unpackable = blocks->budget;
}

/* Returns the size of the file, or -1 with a complaint made. */
static off_t check_head(struct blocks *blocks, const char *path)
{
	const int fd = blocks->fd;
	struct file_head head;
	struct stat status;
	ssize_t size;

	if (fstat(fd, &status)) {
		complain("cannot read %s: %s", path, strerror(errno));
		return -1;
	}
	if (!S_ISREG(status.st_mode)) {
		complain("cannot read %s: it is no regular file", path);
		return -1;
	}
	size = read_at(fd, &head, sizeof(head), 0);
	if (size < 0) {
		complain("cannot read %s: %s", path, strerror(errno));
		return -1;
	}
	if (size < (ssize_t)sizeof(head) || memcmp(head.magic, FILE_MAGIC, sizeof(head.magic)) ||
	    le32toh(head.checksum) !=
		    crc32(0, (void *)&head, offsetof(struct file_head, checksum))) {
		complain("%s is no recording of gapp-read, or its begin is damaged", path);
		return -1;
	}
	set_budget(blocks, &status);
	if (le16toh(head.major) == BLOCKS_MAJOR)
		return status.st_size;
	complain(
		"%s has format version %u, and this gapp-read knows %u: use the version that recorded it",
		path, le16toh(head.major), BLOCKS_MAJOR);
	return -1;
}

/* The last block says where it begins: so no block before it is missing. */
static int take_end(void *context, _unused_ u64 first, _unused_ u64 count, struct unpack *unpack)
{
	struct blocks *blocks = context;
	u64 begin = unpack_u64(unpack);

	if ((u64)blocks->taken->data != begin + sizeof(struct block_head))
		unpack->failed = true;
	blocks->health.ended |= !unpack->failed;
	return 0;
}

struct blocks *blocks_open(const char *path)
{
	struct blocks *blocks = calloc(1, sizeof(*blocks));
	off_t end;

	if (!blocks) {
		out_of_memory();
		return NULL;
	}
	blocks->bytes = malloc(2 * (size_t)BLOCK_BYTES_MAX);
	if (!blocks->bytes) {
		free(blocks);
		out_of_memory();
		return NULL;
	}
	blocks->stored = blocks->bytes + BLOCK_BYTES_MAX;
	blocks->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (blocks->fd < 0)
		complain("cannot open %s: %s", path, strerror(errno));
	end = blocks->fd < 0 ? -1 : check_head(blocks, path);
	if (end >= 0 && !find_blocks(blocks, end)) {
		blocks_each(blocks, BLOCK_END, take_end, blocks);
		return blocks;
	}
	if (end >= 0)
		out_of_memory();
	blocks_close(blocks);
	return NULL;
}

void blocks_close(struct blocks *blocks)
{
	if (!blocks)
		return;
	cleanup_close(&blocks->fd);
	free(blocks->bytes);
	free(blocks->found);
	free(blocks);
}

const struct blocks_health *blocks_health(const struct blocks *blocks)
{
	return &blocks->health;
}

/* Reads the bytes of a block. False: they are damaged, or too many. */
static bool read_block(struct blocks *blocks, const struct found *found)
{
	bool compressed = found->stored < found->size;
	u8 *to = compressed ? blocks->stored : blocks->bytes;
	size_t size;

	if (found->type != BLOCK_RECORDS) {
		if (found->size > blocks->unpackable)
			return false;
		blocks->unpackable -= found->size;
	}
	if (read_at(blocks->fd, to, found->stored, found->data) != (ssize_t)found->stored ||
	    crc32(0, to, found->stored) != found->checksum)
		return false;
	if (!compressed)
		return true;
	size = ZSTD_decompress(blocks->bytes, BLOCK_BYTES_MAX, blocks->stored, found->stored);
	return !ZSTD_isError(size) && size == found->size;
}

static void damage(struct blocks *blocks, struct found *found)
{
	blocks->health.damaged += !found->damaged;
	found->damaged = true;
}

bool blocks_next(struct blocks *blocks, enum block_type type, u32 *at, struct unpack *unpack)
{
	while (*at < blocks->count) {
		struct found *found = &blocks->found[(*at)++];

		if (found->type != type || found->damaged)
			continue;
		if (!read_block(blocks, found)) {
			damage(blocks, found);
			continue;
		}
		*unpack = (struct unpack){ .at = blocks->bytes,
					   .end = blocks->bytes + found->size,
					   .budget = &blocks->budget };
		blocks->taken = found;
		return true;
	}
	return false;
}

void blocks_refuse(struct blocks *blocks, u32 at)
{
	damage(blocks, &blocks->found[at - 1]);
}

int blocks_each(struct blocks *blocks, enum block_type type, blocks_take_fn take, void *context)
{
	struct unpack unpack;
	int error = 0;
	u32 at = 0;

	while (!error && blocks_next(blocks, type, &at, &unpack)) {
		const struct found *found = blocks->taken;

		error = take(context, found->first, found->items, &unpack);
		if (unpack.failed)
			blocks_refuse(blocks, at);
	}
	return error;
}
