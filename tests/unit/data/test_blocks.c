// SPDX-License-Identifier: GPL-2.0
/* Files of blocks: whole, cut, damaged, and on a full disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <zlib.h>

#include "data/blocks.h"

#define ITEMS 60000

static u32 item_value(u64 number)
{
	return (u32)number * 2654435761U % 1000003;
}

struct file {
	int fd;
	char path[32];
};

static struct file file_new(void)
{
	struct file file = { .fd = memfd_create("blocks", 0) };

	assert_true(file.fd >= 0);
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	return file;
}

/* Two sections; the items of the second one need several blocks. */
static int put_all(struct blocks_writer *writer, u32 items)
{
	blocks_section(writer, BLOCK_FACTS);
	pack_text(blocks_item(writer), "fact");
	blocks_item_end(writer);
	blocks_section(writer, BLOCK_CELLS);
	for (u32 i = 0; i < items; i++) {
		pack_u64(blocks_item(writer), i);
		pack_u64(blocks_item(writer), item_value(i));
		blocks_item_end(writer);
	}
	return blocks_end(writer);
}

static struct file written(u32 items)
{
	struct file file = file_new();
	struct blocks_writer writer;

	assert_int_equal(blocks_begin(&writer, file.fd), 0);
	assert_int_equal(put_all(&writer, items), 0);
	blocks_free(&writer);
	return file;
}

/* What take() found: every item is one that was written, in its place. */
struct taken {
	u64 items;
	u64 blocks;
};

static int take(void *context, u64 first, u64 count, struct unpack *unpack)
{
	struct taken *taken = context;

	for (u64 i = first; i < first + count; i++) {
		assert_int_equal(unpack_u64(unpack), i);
		assert_int_equal(unpack_u64(unpack), item_value(i));
	}
	assert_false(unpack->failed);
	assert_false(unpack_more(unpack));
	taken->items += count;
	taken->blocks++;
	return 0;
}

static int take_fact(void *context, u64 first, u64 count, struct unpack *unpack)
{
	_cleanup_free_ char *fact = unpack_text(unpack);

	assert_int_equal(first + count, 1);
	assert_string_equal(fact, "fact");
	++*(u32 *)context;
	return 0;
}

static void what_was_written_is_read(void **state)
{
	struct file file = written(ITEMS);
	struct blocks *blocks = blocks_open(file.path);
	struct taken taken = { 0 };
	u32 facts = 0;

	(void)state;
	assert_non_null(blocks);
	assert_int_equal(blocks_each(blocks, BLOCK_CELLS, take, &taken), 0);
	assert_int_equal(blocks_each(blocks, BLOCK_FACTS, take_fact, &facts), 0);
	assert_int_equal(taken.items, ITEMS);
	assert_true(taken.blocks > 1);
	assert_int_equal(facts, 1);
	assert_true(blocks_health(blocks)->ended);
	assert_int_equal(blocks_health(blocks)->damaged, 0);
	blocks_close(blocks);
	close(file.fd);
}

/* What comes beside others is in blocks of its own, and numbered on its own. */
static void items_aside_stand_between_others(void **state)
{
	struct blocks_aside aside = { .type = BLOCK_NODE_TALLIES };
	struct file file = file_new();
	struct taken taken = { 0 }, beside = { 0 };
	struct blocks_writer writer;
	struct blocks *blocks;

	(void)state;
	assert_int_equal(blocks_begin(&writer, file.fd), 0);
	blocks_section(&writer, BLOCK_CELLS);
	for (u32 i = 0; i < ITEMS; i++) {
		pack_u64(blocks_item(&writer), i);
		pack_u64(blocks_item(&writer), item_value(i));
		blocks_item_end(&writer);
		if (i % 3)
			continue;
		pack_u64(&aside.pack, i / 3);
		pack_u64(&aside.pack, item_value(i / 3));
		blocks_aside_end(&writer, &aside);
	}
	blocks_aside_flush(&writer, &aside);
	/* there is nothing any more */
	blocks_aside_flush(&writer, &aside);
	assert_int_equal(blocks_end(&writer), 0);
	blocks_free(&writer);
	pack_free(&aside.pack);
	blocks = blocks_open(file.path);
	assert_non_null(blocks);
	assert_int_equal(blocks_each(blocks, BLOCK_CELLS, take, &taken), 0);
	assert_int_equal(blocks_each(blocks, BLOCK_NODE_TALLIES, take, &beside), 0);
	assert_int_equal(taken.items, ITEMS);
	assert_int_equal(beside.items, ITEMS / 3);
	assert_true(beside.blocks > 3);
	assert_int_equal(blocks_health(blocks)->damaged, 0);
	assert_true(blocks_health(blocks)->ended);
	blocks_close(blocks);
	close(file.fd);
}

static void a_cut_file_has_its_whole_blocks(void **state)
{
	struct file file = written(ITEMS);
	struct stat status;
	u64 last = ITEMS;

	(void)state;
	assert_int_equal(fstat(file.fd, &status), 0);
	for (off_t size = status.st_size - 1; size >= 0; size -= 997) {
		struct taken taken = { 0 };
		struct blocks *blocks;

		assert_int_equal(ftruncate(file.fd, size), 0);
		blocks = blocks_open(file.path);
		if (!blocks) {
			assert_true(size < 16);
			continue;
		}
		assert_int_equal(blocks_each(blocks, BLOCK_CELLS, take, &taken), 0);
		assert_true(taken.items <= last);
		last = taken.items;
		assert_false(blocks_health(blocks)->ended);
		blocks_close(blocks);
	}
	assert_int_equal(last, 0);
	close(file.fd);
}

static void a_damaged_byte_costs_one_block(void **state)
{
	struct file file = written(ITEMS);
	struct stat status;

	(void)state;
	assert_int_equal(fstat(file.fd, &status), 0);
	for (off_t at = 16; at < status.st_size; at += 101) {
		struct taken taken = { 0 };
		struct blocks *blocks;
		u32 facts = 0;
		u8 byte;

		assert_int_equal(pread(file.fd, &byte, 1, at), 1);
		byte ^= 0x10;
		assert_int_equal(pwrite(file.fd, &byte, 1, at), 1);
		blocks = blocks_open(file.path);
		assert_non_null(blocks);
		assert_int_equal(blocks_each(blocks, BLOCK_CELLS, take, &taken), 0);
		blocks_each(blocks, BLOCK_FACTS, take_fact, &facts);
		assert_true(blocks_health(blocks)->damaged);
		assert_true(taken.items >= ITEMS / 4);
		blocks_close(blocks);
		byte ^= 0x10;
		assert_int_equal(pwrite(file.fd, &byte, 1, at), 1);
	}
	close(file.fd);
}

static void a_full_disk_leaves_whole_blocks(void **state)
{
	struct rlimit former, limit;
	struct file file = { .fd = -1 };
	struct file whole = written(ITEMS);
	FILE *temporary = tmpfile();
	struct blocks_writer writer;
	struct taken taken = { 0 };
	struct blocks *blocks;
	struct stat status;

	(void)state;
	assert_non_null(temporary);
	assert_int_equal(fstat(whole.fd, &status), 0);
	close(whole.fd);
	file.fd = fileno(temporary);
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &former), 0);
	limit = former;
	limit.rlim_cur = status.st_size * 3 / 5;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(blocks_begin(&writer, file.fd), 0);
	assert_int_equal(put_all(&writer, ITEMS), -1);
	assert_int_equal(writer.error, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &former), 0);
	blocks_free(&writer);

	blocks = blocks_open(file.path);
	assert_non_null(blocks);
	assert_int_equal(blocks_each(blocks, BLOCK_CELLS, take, &taken), 0);
	assert_true(taken.items && taken.items < ITEMS);
	assert_int_equal(blocks_health(blocks)->damaged, 0);
	assert_false(blocks_health(blocks)->ended);
	blocks_close(blocks);
	fclose(temporary);
}

/* Gives the file another version, with the right checksum. */
static void set_version(const struct file *file, u16 major, u16 minor)
{
	u8 head[16] = "GAPPDATA";
	u32 checksum;

	head[8] = major;
	head[10] = minor;
	checksum = crc32(0, head, 12);
	for (u32 i = 0; i < 4; i++)
		head[12 + i] = checksum >> (8 * i);
	assert_int_equal(pwrite(file->fd, head, sizeof(head), 0), sizeof(head));
}

/* One with more types of blocks is of the same major version. */
static void later_versions(void **state)
{
	struct file file = file_new();
	struct blocks_writer writer;
	struct taken taken = { 0 };
	struct blocks *blocks;

	(void)state;
	assert_int_equal(blocks_begin(&writer, file.fd), 0);
	blocks_section(&writer, (enum block_type)1000);
	pack_text(blocks_item(&writer), "of a later version");
	blocks_item_end(&writer);
	assert_int_equal(put_all(&writer, 10), 0);
	blocks_free(&writer);
	set_version(&file, 1, 9);
	blocks = blocks_open(file.path);
	assert_non_null(blocks);
	assert_int_equal(blocks_each(blocks, BLOCK_CELLS, take, &taken), 0);
	assert_int_equal(taken.items, 10);
	assert_true(blocks_health(blocks)->ended);
	assert_int_equal(blocks_health(blocks)->damaged, 0);
	blocks_close(blocks);

	set_version(&file, 2, 0);
	assert_null(blocks_open(file.path));
	set_version(&file, 0, 9);
	assert_null(blocks_open(file.path));
	close(file.fd);
}

static int refuse(void *context, u64 first, u64 count, struct unpack *unpack)
{
	(void)first;
	(void)count;
	++*(u32 *)context;
	unpack->failed = true;
	return 0;
}

static void blocks_that_make_no_sense_are_damaged(void **state)
{
	struct file file = written(10);
	struct blocks *blocks = blocks_open(file.path);
	u32 calls = 0;

	(void)state;
	assert_non_null(blocks);
	assert_int_equal(blocks_each(blocks, BLOCK_CELLS, refuse, &calls), 0);
	assert_int_equal(blocks_each(blocks, BLOCK_CELLS, refuse, &calls), 0);
	assert_int_equal(calls, 1);
	assert_int_equal(blocks_health(blocks)->damaged, 1);
	blocks_close(blocks);
	close(file.fd);
}

static void other_files_are_no_recordings(void **state)
{
	struct file file = file_new();

	(void)state;
	assert_null(blocks_open(file.path));
	assert_int_equal(pwrite(file.fd, "GAPPDATA is not enough", 22, 0), 22);
	assert_null(blocks_open(file.path));
	assert_null(blocks_open("/proc/self/fd"));
	assert_null(blocks_open("/nonexistent"));
	assert_null(blocks_open("/dev/null"));
	close(file.fd);
}

static void packed_numbers_are_unpacked(void **state)
{
	static const s64 numbers[] = { 0,   1,	 -1,	    63,	       -64,	 64,
				       127, 128, INT32_MIN, INT64_MAX, INT64_MIN };
	struct pack pack = { 0 };
	struct unpack unpack;
	char *text;
	u64 sized;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		pack_s64(&pack, numbers[i]);
		pack_u64(&pack, numbers[i]);
	}
	pack_double(&pack, 0.1);
	pack_text(&pack, NULL);
	pack_text(&pack, "");
	pack_text(&pack, "name");
	pack_sized(&pack, "abc", 3);
	pack_double(&pack, -1);
	assert_false(pack.failed);

	unpack = (struct unpack){ .at = pack.bytes, .end = pack.bytes + pack.size };
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		assert_int_equal(unpack_s64(&unpack), numbers[i]);
		assert_int_equal(unpack_u64(&unpack), (u64)numbers[i]);
	}
	assert_true(unpack_double(&unpack) == 0.1);
	assert_null(unpack_text(&unpack));
	text = unpack_text(&unpack);
	assert_string_equal(text, "");
	free(text);
	text = unpack_text(&unpack);
	assert_string_equal(text, "name");
	free(text);
	/* a later version of a structure may be longer */
	unpack_sized(&unpack, &sized, sizeof(sized));
	assert_memory_equal(&sized, "abc\0\0\0\0\0", sizeof(sized));
	assert_false(unpack.failed);
	assert_true(unpack_double(&unpack) == 0);
	assert_true(unpack.failed);
	pack_free(&pack);
}

static void what_ends_early_is_refused(void **state)
{
	static const u8 endless[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				      0xff, 0xff, 0xff, 0xff, 0xff };
	static const u8 long_text[] = { 10, 'a' };
	struct unpack unpack = { .at = endless, .end = endless + sizeof(endless) };

	(void)state;
	unpack_u64(&unpack);
	assert_true(unpack.failed);
	assert_false(unpack_more(&unpack));
	unpack = (struct unpack){ .at = long_text, .end = long_text + sizeof(long_text) };
	assert_null(unpack_text(&unpack));
	assert_true(unpack.failed);
	unpack = (struct unpack){ .at = long_text, .end = long_text + sizeof(long_text) };
	assert_int_equal(unpack_most(&unpack, 9), 0);
	assert_true(unpack.failed);
}

/* Bytes that are read from the file, however the reader does that. */
static u64 bytes_read;

ssize_t pread(int fd, void *bytes, size_t size, off_t at)
{
	ssize_t got = syscall(SYS_pread64, fd, bytes, size, at);

	if (got > 0)
		bytes_read += got;
	return got;
}

/* A file with @size bytes between its head and its blocks. */
static struct file with_gap(off_t size)
{
	struct file whole = written(10), file = file_new();
	u8 bytes[4096];
	ssize_t have = pread(whole.fd, bytes, sizeof(bytes), 0);

	assert_true(have > 16);
	assert_int_equal(pwrite(file.fd, bytes, 16, 0), 16);
	assert_int_equal(pwrite(file.fd, bytes + 16, have - 16, 16 + size), have - 16);
	close(whole.fd);
	return file;
}

static void has_items_behind_gap(const struct file *file)
{
	struct blocks *blocks = blocks_open(file->path);
	struct taken taken = { 0 };

	assert_non_null(blocks);
	assert_int_equal(blocks_each(blocks, BLOCK_CELLS, take, &taken), 0);
	assert_int_equal(taken.items, 10);
	/* the gap, and the END block, which is not where it says */
	assert_int_equal(blocks_health(blocks)->damaged, 2);
	blocks_close(blocks);
}

/* They may begin at any place of the pieces that are searched. */
static void blocks_are_found_behind_any_gap(void **state)
{
	(void)state;
	for (off_t size = 65536 - 120; size < 65536 + 8; size++) {
		struct file file = with_gap(size);

		assert_int_equal(pwrite(file.fd, "GBLK", 4, 20), 4);
		has_items_behind_gap(&file);
		close(file.fd);
	}
}

static void what_only_looks_like_a_block_is_read_once(void **state)
{
	struct file file = with_gap(256 << 10);

	(void)state;
	for (off_t at = 16; at < 256 << 10; at += 4)
		assert_int_equal(pwrite(file.fd, "GBLK", 4, at), 4);
	bytes_read = 0;
	has_items_behind_gap(&file);
	assert_true(bytes_read < 1 << 20);
	close(file.fd);
}

static void holes_are_not_read(void **state)
{
	struct file file = with_gap(1LL << 40);

	(void)state;
	bytes_read = 0;
	has_items_behind_gap(&file);
	assert_true(bytes_read < 1 << 20);
	close(file.fd);
}

/* Each that lies is damaged; the reader looks at each but once. */
static void many_ends_are_no_end(void **state)
{
	struct file file = file_new();
	struct blocks_writer writer;
	struct blocks *blocks;
	const u32 count = 300000;

	(void)state;
	assert_int_equal(blocks_begin(&writer, file.fd), 0);
	for (u32 i = 0; i < count; i++) {
		blocks_section(&writer, BLOCK_END);
		pack_u64(blocks_item(&writer), 1);
		blocks_item_end(&writer);
	}
	blocks_section(&writer, BLOCK_END);
	blocks_free(&writer);
	/* of a reader that compares each with each other one */
	alarm(60);
	blocks = blocks_open(file.path);
	alarm(0);
	assert_non_null(blocks);
	assert_false(blocks_health(blocks)->ended);
	assert_int_equal(blocks_health(blocks)->damaged, count);
	blocks_close(blocks);
	close(file.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(items_aside_stand_between_others),
		cmocka_unit_test(a_cut_file_has_its_whole_blocks),
		cmocka_unit_test(a_damaged_byte_costs_one_block),
		cmocka_unit_test(a_full_disk_leaves_whole_blocks),
		cmocka_unit_test(later_versions),
		cmocka_unit_test(blocks_that_make_no_sense_are_damaged),
		cmocka_unit_test(other_files_are_no_recordings),
		cmocka_unit_test(packed_numbers_are_unpacked),
		cmocka_unit_test(what_ends_early_is_refused),
		cmocka_unit_test(blocks_are_found_behind_any_gap),
		cmocka_unit_test(what_only_looks_like_a_block_is_read_once),
		cmocka_unit_test(holes_are_not_read),
		cmocka_unit_test(many_ends_are_no_end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
