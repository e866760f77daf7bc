// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a recording's file, which is then reported as text and JSON. Checksums would refuse
 * nearly all of them, so the bytes are the blocks' contents: of each block its type (a byte), the
 * number of its items (2), of its first item (2) and of its bytes (3), lowest byte first, then
 * these bytes. Input that begins as a recording's file does is such a file.
 */
#include <endian.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "cmd/saved.h"
#include "data/blocks.h"

#define HEAD_BYTES 8

static u32 number(const u8 *bytes, u32 count)
{
	u32 number = 0;

	for (u32 i = count; i-- > 0;)
		number = number << 8 | bytes[i];
	return number;
}

/* Writes the blocks that @data describes. */
static void write_blocks(int fd, const u8 *data, size_t size)
{
	struct blocks_writer writer;

	blocks_begin(&writer, fd);
	while (size >= HEAD_BYTES) {
		u32 bytes = number(data + 5, 3);

		blocks_section(&writer, data[0]);
		writer.first = number(data + 3, 2);
		if (bytes > size - HEAD_BYTES)
			bytes = size - HEAD_BYTES;
		pack_raw(blocks_item(&writer), data + HEAD_BYTES, bytes);
		writer.items = number(data + 1, 2);
		data += HEAD_BYTES + bytes;
		size -= HEAD_BYTES + bytes;
	}
	blocks_end(&writer);
	blocks_free(&writer);
}

static void report(const char *path, FILE *out)
{
	_cleanup_saved_ struct saved *saved = saved_open(path, NULL);
	struct options asked = {
		.action = ACTION_REPORT, .tree = true, .top = 1000, .verbose = true
	};
	struct options options;

	if (!saved)
		return;
	for (asked.by = BY_PLACE; asked.by <= BY_PROCESS; asked.by++) {
		_cleanup_results_ struct results results = { 0 };

		asked.no_libs = asked.by & 1;
		saved_options(saved, &asked, &options);
		if (saved_rank(saved, &options, &results))
			abort();
		report_text(out, &results, &options);
		if (asked.by == BY_PLACE)
			report_json(out, &results, &options);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	_cleanup_close_ int fd = memfd_create("recording", 0);
	static FILE *out;
	char path[32];

	if (!out)
		out = fopen("/dev/null", "w");
	if (size >= 8 && !memcmp(data, "GAPPDATA", 8)) {
		if (write(fd, data, size) != (ssize_t)size)
			abort();
	} else {
		write_blocks(fd, data, size);
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	report(path, out);
	saved_script(path, NULL, fileno(out));
	return 0;
}
