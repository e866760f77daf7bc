// SPDX-License-Identifier: GPL-2.0
/* Records that are kept in a file, and printed from it. */
#include "fake_code.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "report/kept_records.h"

/* Paths that fake_code.c can make. */
#define PATHS 64

static struct script live = { .start_ns = MS(500) };

/**
 * struct file - records in a file
 * @blocks: what is read; NULL: not yet
 */
struct file {
	int fd;
	struct blocks_writer writer;
	struct kept_records *kept;
	struct blocks *blocks;
};

static struct file file_new(void)
{
	struct file file = { .fd = memfd_create("records", 0) };

	assert_true(file.fd >= 0);
	return file;
}

static void begin(struct file *file)
{
	assert_int_equal(blocks_begin(&file->writer, file->fd), 0);
	file->kept = kept_records_new(NULL, &file->writer);
	assert_non_null(file->kept);
}

static void end(struct file *file)
{
	char path[32];

	assert_int_equal(kept_records_end(file->kept), 0);
	assert_int_equal(blocks_end(&file->writer), 0);
	blocks_free(&file->writer);
	kept_records_free(file->kept);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	file->blocks = blocks_open(path);
	assert_non_null(file->blocks);
}

static void file_free(struct file *file)
{
	blocks_close(file->blocks);
	close(file->fd);
	fake_code_reset();
}

/* What the file's records are as text. The caller frees it. */
static char *printed(struct file *file, struct recorded_count *records)
{
	struct call_path *list[PATHS] = { NULL };
	const struct saved_paths paths = { .paths = list, .count = PATHS };
	struct script script = { .saved = &paths, .start_ns = live.start_ns };
	char *text = NULL;
	size_t size;

	for (u32 i = 0; i < PATHS; i++)
		list[i] = (struct call_path *)call_paths_get(NULL, i, 0, 0, 0);
	script.out = open_memstream(&text, &size);
	assert_non_null(script.out);
	assert_int_equal(saved_records_print(file->blocks, &script, records), 0);
	assert_int_equal(fclose(script.out), 0);
	return text;
}

static void keep(struct file *file, const struct gapp_record *record)
{
	assert_int_equal(kept_records_add(file->kept, record), 0);
}

/* A slice with all that a slice can have, a wait, a lost, a wake, a copy, and one for comparison.
 */
static void each_record(void (*give)(void *context, const struct gapp_record *record),
			void *context)
{
	struct {
		struct gapp_record_stack_copy head;
		u8 stack[64];
	} copy = {
		.head = { .head = { GAPP_RECORD_STACK_COPY, sizeof(copy), 2, SECONDS(1) },
			  .tid = 11,
			  .tgid = 10,
			  .copy = path_by(PATH_BY_COPY, "wait:1 main:2", PATH_END_COPY),
			  .path = GAPP_PATH_NONE,
			  .stack_bytes = sizeof(copy.stack),
			  .stack_at = 0x7f10 },
	};
	struct gapp_record_lost lost = { .head = { GAPP_RECORD_LOST, sizeof(lost), 2, SECONDS(3) },
					 .records = 3,
					 .critical_share = SHARE(5) };
	struct gapp_record_wake wake = { .head = { GAPP_RECORD_WAKE, sizeof(wake), 2, SECONDS(1) },
					 .tid = 11,
					 .n = 4 };
	struct gapp_record_need_mapping need = {
		.head = { GAPP_RECORD_NEED_MAPPING, sizeof(need), 1, SECONDS(2) },
		.address = 0x5510,
	};
	struct gapp_record_wait wait =
		made_wait(11, 10, path_of("commit:1 main:2"), MS(7), GAPP_WAIT_DISK);
	struct made made = made_slice(11, 10, GAPP_PATH_COPY | copy.head.copy, SHARE(MS(3)) + 1);

	give(context, &copy.head.head);
	copy.head.flags = GAPP_STACK_COPY_VERIFY;
	copy.head.path = path_by(PATH_BY_TABLE, "wait:1 main:2", GAPP_UNWIND_COMPLETE);
	give(context, &copy.head.head);
	made.slice.kernel_path = path_of("schedule:1");
	made_sample(&made, cut_path_of("hash:1"), SHARE(MS(1)));
	made_sample(&made, GAPP_PATH_LOST, 0);
	made_sample(&made, 4000, 0);
	made_in(&made, (const s32[]){ SYS_read, GAPP_IN_USER, GAPP_IN_FAULT });
	give(context, &made.slice.head);
	give(context, &wait.head);
	give(context, &lost.head);
	give(context, &wake.head);
	give(context, &need.head);
}

static void print_live(void *context, const struct gapp_record *record)
{
	switch (record->type) {
	case GAPP_RECORD_SLICE:
		assert_int_equal(script_slice(&live, (const void *)record), 0);
		break;
	case GAPP_RECORD_WAIT:
		assert_int_equal(script_wait(&live, (const void *)record), 0);
		break;
	case GAPP_RECORD_LOST:
		script_lost(&live, (const void *)record);
		break;
	case GAPP_RECORD_WAKE:
		script_wake(&live, (const void *)record);
		break;
	case GAPP_RECORD_STACK_COPY:
		assert_int_equal(script_stack_copy(&live, (const void *)record), 0);
		break;
	default:
		script_need_mapping(&live, (const void *)record);
	}
}

static void give_file(void *context, const struct gapp_record *record)
{
	keep(context, record);
}

static void a_file_prints_what_would_have_been_printed(void **state)
{
	_cleanup_free_ char *expected = NULL, *text = NULL;
	struct file file = file_new();
	struct recorded_count records;
	size_t size;

	(void)state;
	live.out = open_memstream(&expected, &size);
	assert_non_null(live.out);
	each_record(print_live, NULL);
	assert_int_equal(fclose(live.out), 0);
	begin(&file);
	each_record(give_file, &file);
	end(&file);
	text = printed(&file, &records);
	assert_string_equal(text, expected);
	assert_non_null(strstr(text, "path=unknown"));
	assert_non_null(strstr(text, "bytes=64"));
	assert_true(records.kept);
	assert_int_equal(records.recorded, 7);
	assert_int_equal(records.taken, 7);
	file_free(&file);
}

static bool has_none(const void *context, u32 path)
{
	return false;
}

static bool has_first(const void *context, u32 path)
{
	return !path;
}

static int count_paths(void *context, u64 first, u64 count, struct unpack *unpack)
{
	*(u64 *)context += count;
	return 0;
}

static u64 paths_saved(kept_has_fn has)
{
	struct object_numbers numbers = { 0 };
	struct file file = file_new();
	u64 count = 0;

	begin(&file);
	each_record(give_file, &file);
	assert_int_equal(kept_records_save_paths(file.kept, has, NULL, &numbers, &file.writer), 0);
	object_numbers_free(&numbers);
	end(&file);
	assert_int_equal(blocks_each(file.blocks, BLOCK_PATHS, count_paths, &count), 0);
	file_free(&file);
	return count;
}

static void every_path_is_saved_once(void **state)
{
	(void)state;
	assert_int_equal(paths_saved(has_none), 5);
	assert_int_equal(paths_saved(has_first), 4);
}

static void a_full_disk_costs_records(void **state)
{
	struct gapp_record_wake wake = { .head = { GAPP_RECORD_WAKE, sizeof(wake), 0, 0 } };
	_cleanup_free_ char *text = NULL;
	struct file file = file_new();
	struct recorded_count records;
	u64 number = 1;

	(void)state;
	begin(&file);
	for (u32 i = 0; i < 400000; i++) {
		/* what does not become small */
		number = number * 6364136223846793005ULL + 1442695040888963407ULL;
		wake.head.time_ns = number;
		wake.waker_tid = number >> 29;
		keep(&file, &wake.head);
	}
	assert_true(file.writer.whole > 0x480000);
	file.writer.error = ENOSPC;
	keep(&file, &wake.head);
	end(&file);
	text = printed(&file, &records);
	assert_int_equal(records.recorded, 400001);
	assert_true(records.taken < 400000);
	assert_true(records.taken > 1000);
	assert_true(blocks_health(file.blocks)->ended);
	assert_int_equal(blocks_health(file.blocks)->damaged, 0);
	file_free(&file);
}

static void records_without_sense_are_damage(void **state)
{
	struct made made = made_slice(11, 10, GAPP_PATH_NONE, 0);
	struct file file = file_new();
	_cleanup_free_ char *text = NULL;
	struct recorded_count records;

	(void)state;
	begin(&file);
	keep(&file, &made.slice.head);
	made.slice.sample_count = 7;
	keep(&file, &made.slice.head);
	end(&file);
	text = printed(&file, &records);
	assert_int_equal(records.recorded, 2);
	assert_int_equal(records.taken, 1);
	assert_int_equal(blocks_health(file.blocks)->damaged, 1);
	file_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_prints_what_would_have_been_printed),
		cmocka_unit_test(every_path_is_saved_once),
		cmocka_unit_test(a_full_disk_costs_records),
		cmocka_unit_test(records_without_sense_are_damage),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
