/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recordings' files as the contents of their blocks: of each block its type (a byte), the number of
 * its items (2), of its first item (2) and of its bytes (3), lowest byte first, then these bytes.
 */
#ifndef GAPP_TESTS_DATA_BLOCKS_H
#define GAPP_TESTS_DATA_BLOCKS_H

#include "data/blocks.h"

#define HEAD_BYTES 8

static inline u32 number_of(const u8 *bytes, u32 count)
{
	u32 number = 0;

	for (u32 i = count; i-- > 0;)
		number = number << 8 | bytes[i];
	return number;
}

/* Writes the blocks that @data describes. An END block among them is left out: one is added. */
static inline void write_blocks(int fd, const u8 *data, size_t size)
{
	struct blocks_writer writer;

	blocks_begin(&writer, fd);
	while (size >= HEAD_BYTES) {
		u32 bytes = number_of(data + 5, 3);

		blocks_section(&writer, data[0]);
		writer.first = number_of(data + 3, 2);
		if (bytes > size - HEAD_BYTES)
			bytes = size - HEAD_BYTES;
		pack_raw(blocks_item(&writer), data + HEAD_BYTES, bytes);
		writer.items = data[0] == BLOCK_END ? 0 : number_of(data + 1, 2);
		data += HEAD_BYTES + bytes;
		size -= HEAD_BYTES + bytes;
	}
	blocks_end(&writer);
	blocks_free(&writer);
}

#endif /* GAPP_TESTS_DATA_BLOCKS_H */
