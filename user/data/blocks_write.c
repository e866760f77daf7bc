// SPDX-License-Identifier: GPL-2.0
#include "blocks.h"

#include <endian.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <zlib.h>
#include <zstd.h>

#include "block_head.h"

#define COMPRESSION 3
/* A block is written when its items have so many bytes. */
#define BLOCK_BYTES 131072
/* And one of items beside them: they come slowly, and those that wait are lost with gapp-read. */
#define ASIDE_BYTES 16384

static int failed(struct blocks_writer *writer, int error)
{
	if (!writer->error)
		writer->error = error;
	return -1;
}

/* Writes all of two buffers. */
static int write_all(struct blocks_writer *writer, const void *head, size_t head_size,
		     const void *data, size_t size)
{
	struct iovec parts[] = { { (void *)head, head_size }, { (void *)data, size } };
	size_t part = 0;

	while (part < ARRAY_SIZE(parts)) {
		ssize_t written = writev(writer->fd, parts + part, ARRAY_SIZE(parts) - part);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return failed(writer, errno);
		while (part < ARRAY_SIZE(parts) && (size_t)written >= parts[part].iov_len)
			written -= parts[part++].iov_len;
		if (part == ARRAY_SIZE(parts))
			break;
		parts[part].iov_base = (char *)parts[part].iov_base + written;
		parts[part].iov_len -= written;
	}
	writer->whole += head_size + size;
	return 0;
}

int blocks_begin(struct blocks_writer *writer, int fd)
{
	struct file_head head = {
		.major = htole16(BLOCKS_MAJOR),
		.minor = htole16(BLOCKS_MINOR),
	};

	*writer = (struct blocks_writer){ .fd = fd, .compressor = ZSTD_createCCtx() };
	if (!writer->compressor)
		return failed(writer, ENOMEM);
	memcpy(head.magic, FILE_MAGIC, sizeof(head.magic));
	head.checksum = htole32(crc32(0, (void *)&head, offsetof(struct file_head, checksum)));
	return write_all(writer, &head, sizeof(head), NULL, 0);
}

/* Writes a block of items, which are in @pack. */
static int put_block(struct blocks_writer *writer, enum block_type type, u64 first, u32 items,
		     const struct pack *pack)
{
	_cleanup_free_ void *compressed = NULL;
	struct block_head head = {
		.type = htole32(type),
		.first = htole64(first),
		.items = htole32(items),
		.size = htole32(pack->size),
	};
	size_t room = ZSTD_compressBound(pack->size), stored;
	const void *data;

	compressed = malloc(room);
	if (!compressed)
		return failed(writer, ENOMEM);
	data = compressed;
	stored = ZSTD_compressCCtx(writer->compressor, compressed, room, pack->bytes, pack->size,
				   COMPRESSION);
	if (ZSTD_isError(stored) || stored >= pack->size) {
		data = pack->bytes;
		stored = pack->size;
	}
	memcpy(head.magic, BLOCK_MAGIC, sizeof(head.magic));
	head.stored = htole32(stored);
	head.data_checksum = htole32(crc32(0, data, stored));
	head.head_checksum =
		htole32(crc32(0, (void *)&head, offsetof(struct block_head, head_checksum)));
	return write_all(writer, &head, sizeof(head), data, stored);
}

/* Writes the block that is being made, if there is one. */
static void flush(struct blocks_writer *writer)
{
	if (writer->pack.failed)
		failed(writer, ENOMEM);
	if (writer->pack.size > BLOCK_BYTES_MAX)
		failed(writer, EMSGSIZE);
	if (writer->items && !writer->error)
		put_block(writer, writer->type, writer->first, writer->items, &writer->pack);
	writer->first += writer->items;
	writer->items = 0;
	writer->pack.size = 0;
}

void blocks_aside_flush(struct blocks_writer *writer, struct blocks_aside *aside)
{
	struct pack *pack = &aside->pack;
	const bool fits = !pack->failed && pack->size <= BLOCK_BYTES_MAX;

	if (aside->items && fits && !writer->error)
		put_block(writer, aside->type, aside->first, aside->items, pack);
	aside->first += aside->items;
	aside->items = 0;
	pack->size = 0;
	pack->failed = false;
}

void blocks_aside_end(struct blocks_writer *writer, struct blocks_aside *aside)
{
	aside->items++;
	if (aside->pack.size >= ASIDE_BYTES)
		blocks_aside_flush(writer, aside);
}

void blocks_section(struct blocks_writer *writer, enum block_type type)
{
	flush(writer);
	writer->type = type;
	writer->first = 0;
}

struct pack *blocks_item(struct blocks_writer *writer)
{
	return &writer->pack;
}

void blocks_item_end(struct blocks_writer *writer)
{
	writer->items++;
	if (writer->pack.size >= BLOCK_BYTES)
		flush(writer);
}

/* Cuts what a failed write has left behind the last whole block. */
static void cut(struct blocks_writer *writer)
{
	struct stat status;

	if (!fstat(writer->fd, &status) && S_ISREG(status.st_mode) &&
	    status.st_size > writer->whole && ftruncate(writer->fd, writer->whole))
		failed(writer, errno);
}

bool blocks_full(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

/* Where the last block ends that does not reach beyond @most. 0: the heads cannot be read. */
static off_t boundary(const struct blocks_writer *writer, off_t most)
{
	off_t at = sizeof(struct file_head);

	for (;;) {
		struct block_head head;
		off_t next;

		if (at >= writer->whole)
			return at;
		if (pread(writer->fd, &head, sizeof(head), at) != sizeof(head))
			return 0;
		next = at + sizeof(head) + le32toh(head.stored);
		if (next > most)
			return at;
		at = next;
	}
}

int blocks_make_room(struct blocks_writer *writer, u64 bytes)
{
	off_t most = (u64)writer->whole > bytes ? writer->whole - bytes : 0;
	off_t at = blocks_full(writer->error) ? boundary(writer, most) : 0;

	if (!at || ftruncate(writer->fd, at) || lseek(writer->fd, at, SEEK_SET) != at)
		return -1;
	writer->whole = at;
	writer->error = 0;
	writer->items = 0;
	writer->pack.size = 0;
	return 0;
}

int blocks_end(struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_END);
	if (!writer->error) {
		pack_u64(blocks_item(writer), writer->whole);
		blocks_item_end(writer);
		flush(writer);
	}
	if (writer->error)
		cut(writer);
	return writer->error ? -1 : 0;
}

void blocks_free(struct blocks_writer *writer)
{
	pack_free(&writer->pack);
	ZSTD_freeCCtx(writer->compressor);
	writer->compressor = NULL;
}
