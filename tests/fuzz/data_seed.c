// SPDX-License-Identifier: GPL-2.0
/* Prints the blocks of a recording's file as tests/fuzz/fuzz_data.c wants them: data_seed FILE */
#include <stdio.h>

#include "data/blocks.h"

static u8 type;

static void put(u64 number, u32 bytes)
{
	for (u32 i = 0; i < bytes; i++)
		putchar(number >> (8 * i) & 0xff);
}

static int print(void *context, u64 first, u64 count, struct unpack *unpack)
{
	size_t size = unpack->end - unpack->at;

	(void)context;
	put(type, 1);
	put(count, 2);
	put(first, 2);
	put(size, 3);
	fwrite(unpack->at, 1, size, stdout);
	return 0;
}

int main(int argc, char **argv)
{
	struct blocks *blocks = argc == 2 ? blocks_open(argv[1]) : NULL;

	if (!blocks)
		return 1;
	for (type = BLOCK_END; type <= BLOCK_TYPE_MAX; type++)
		if (blocks_each(blocks, type, print, NULL))
			return 1;
	blocks_close(blocks);
	return fflush(stdout) ? 1 : 0;
}
