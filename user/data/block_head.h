/* SPDX-License-Identifier: GPL-2.0 */
/* The bytes at the begin of a file and of each block; numbers are little endian. */
#ifndef GAPP_READ_BLOCK_HEAD_H
#define GAPP_READ_BLOCK_HEAD_H

#include "core/port.h"

#define FILE_MAGIC "GAPPDATA"
#define BLOCK_MAGIC "GBLK"

/**
 * struct file_head - begin of the file
 * @magic: FILE_MAGIC
 * @major: BLOCKS_MAJOR
 * @minor: BLOCKS_MINOR
 * @checksum: CRC-32 of the members before
 */
struct file_head {
	char magic[8];
	u16 major;
	u16 minor;
	u32 checksum;
};

/**
 * struct block_head - begin of a block
 * @magic: BLOCK_MAGIC
 * @type: enum block_type
 * @first: number of the first item among those of this type
 * @items: items
 * @size: bytes of the items
 * @stored: bytes that follow; if they are less than @size, they are compressed (zstd)
 * @data_checksum: CRC-32 of these
 * @head_checksum: CRC-32 of the members before
 */
struct block_head {
	char magic[4];
	u32 type;
	u64 first;
	u32 items;
	u32 size;
	u32 stored;
	u32 data_checksum;
	u32 reserved;
	u32 head_checksum;
};

#endif /* GAPP_READ_BLOCK_HEAD_H */
