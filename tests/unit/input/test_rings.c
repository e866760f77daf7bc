// SPDX-License-Identifier: GPL-2.0
/* The reader's half of the rings, over mappings that a test has filled. */
#include "fake_rings.h"

#include <errno.h>
#include <sys/syscall.h>

#define SEEN_MAX 8192

/* Bits of CPUs that have no ring. */
static u32 absent;

/* In place of libc's: the module refuses to map the ring of a CPU that is not present. */
void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	for (u32 cpu = 0; cpu < FAKE_CPUS; cpu++) {
		if (absent & 1U << cpu && (u64)offset == GAPP_MAP_RING(cpu)) {
			errno = ENXIO;
			return MAP_FAILED;
		}
	}
	return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

/**
 * struct sink - what was given
 * @times: of the records
 * @types: of the records
 * @count: how many
 * @end_at: refuse the record after so many; 0: never
 * @tail: while it is not NULL, its values are noted
 * @tail_moved: it moved between two records
 */
struct sink {
	u64 times[SEEN_MAX];
	u16 types[SEEN_MAX];
	size_t count;
	size_t end_at;
	const u64 *tail;
	bool tail_moved;
	u64 last_tail;
};

static int note(void *context, const struct gapp_record *record)
{
	struct sink *sink = context;

	assert_true(sink->count < SEEN_MAX);
	sink->times[sink->count] = record->time_ns;
	sink->types[sink->count++] = record->type;
	if (sink->tail) {
		sink->tail_moved |= sink->count > 1 && *sink->tail != sink->last_tail;
		sink->last_tail = *sink->tail;
	}
	return sink->end_at && sink->count > sink->end_at ? -1 : 0;
}

static int note_cpu(void *context, const struct gapp_record *record)
{
	u8 **next = context;

	*(*next)++ = record->cpu;
	return 0;
}

static struct rings *open_fake(struct fake_rings *fake)
{
	struct rings *rings;

	fake_rings_make(fake);
	rings = rings_new(fake->fd, &fake->layout);
	assert_non_null(rings);
	return rings;
}

static void put_wake(struct fake_rings *fake, u32 cpu, u64 time_ns)
{
	fake_put(fake, cpu, GAPP_RECORD_WAKE, sizeof(struct gapp_record_wake), time_ns);
}

static void is_in_order(const struct sink *sink, size_t count)
{
	assert_int_equal(sink->count, count);
	for (size_t i = 1; i < count; i++)
		assert_true(sink->times[i - 1] <= sink->times[i]);
}

static void merges_all_cpus_by_time(void **state)
{
	static const u32 cpus[] = { 2, 0, 0, 1, 2, 2, 1, 0, 1, 1, 0, 2 };
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };

	(void)state;
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		put_wake(&fake, cpus[i], 100 + i);
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), ARRAY_SIZE(cpus));
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		assert_int_equal(sink.times[i], 100 + i);
	for (u32 cpu = 0; cpu < FAKE_CPUS; cpu++)
		assert_int_equal(*fake_tail(&fake, cpu), fake.ring[cpu]->write_position);
	rings_free(rings);
}

/* Of one time those of the first CPU come first, all of them that are there. */
static void merges_those_of_one_time_by_cpu(void **state)
{
	static const u8 expected[] = { 0, 0, 1, 2, 2, 0, 1, 1 };
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	u8 cpus[ARRAY_SIZE(expected)] = { 0 };
	u8 *next = cpus;

	(void)state;
	put_wake(&fake, 2, 5);
	put_wake(&fake, 2, 5);
	put_wake(&fake, 1, 5);
	put_wake(&fake, 1, 6);
	put_wake(&fake, 1, 6);
	put_wake(&fake, 0, 5);
	put_wake(&fake, 0, 5);
	put_wake(&fake, 0, 6);
	assert_int_equal(rings_drain(rings, UINT64_MAX, note_cpu, &next), ARRAY_SIZE(expected));
	assert_memory_equal(cpus, expected, sizeof(expected));
	rings_free(rings);
}

static void keeps_what_ended_later(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };

	(void)state;
	put_wake(&fake, 0, 10);
	put_wake(&fake, 0, 30);
	/* behind one that stays, whatever its time */
	put_wake(&fake, 0, 15);
	put_wake(&fake, 1, 20);
	put_wake(&fake, 1, 25);
	assert_int_equal(rings_drain(rings, 25, note, &sink), 2);
	assert_int_equal(*fake_tail(&fake, 0), sizeof(struct gapp_record_wake));
	assert_int_equal(*fake_tail(&fake, 1), sizeof(struct gapp_record_wake));
	assert_int_equal(rings_fill(rings), 0);
	assert_int_equal(rings_drain(rings, 31, note, &sink), 3);
	assert_int_equal(sink.times[2], 25);
	assert_int_equal(sink.times[3], 30);
	assert_int_equal(sink.times[4], 15);
	rings_free(rings);
}

static void wraps_and_pads(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };
	u64 time = 0;

	(void)state;
	/* 160 does not divide the ring, so each lap pads another rest */
	for (int lap = 0; lap < 40; lap++) {
		for (int i = 0; i < 50; i++)
			fake_put(&fake, 1, GAPP_RECORD_WAIT, sizeof(struct gapp_record_wait),
				 ++time);
		assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), 50);
	}
	is_in_order(&sink, 2000);
	assert_int_equal(sink.times[1999], 2000);
	assert_true(fake.ring[1]->write_position > 10 * FAKE_RING);
	rings_free(rings);
}

static void passes_a_rest_of_8_bytes(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };
	u64 *rest;

	(void)state;
	/* a type of later modules, which is passed too, leaves 8 bytes to the end */
	fake_put(&fake, 0, 99, FAKE_RING - 8, 1);
	rest = (u64 *)(fake.data[0] + FAKE_RING - 8);
	*rest = UINT64_MAX;
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), 0);
	assert_int_equal(*fake_tail(&fake, 0), FAKE_RING - 8);
	put_wake(&fake, 0, 2);
	assert_int_equal(((struct gapp_record *)rest)->size, 8);
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), 1);
	assert_int_equal(sink.times[0], 2);
	assert_int_equal(*fake_tail(&fake, 0), FAKE_RING + sizeof(struct gapp_record_wake));
	rings_free(rings);
}

static void takes_a_full_ring(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };
	size_t count = FAKE_RING / 64;

	(void)state;
	for (size_t i = 0; i < count; i++)
		fake_put(&fake, 2, GAPP_RECORD_WAKE, 64, i);
	assert_int_equal(rings_fill(rings), 100);
	sink.tail = fake_tail(&fake, 2);
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), count);
	is_in_order(&sink, count);
	/* the module gets room before all is read */
	assert_true(sink.tail_moved);
	assert_int_equal(rings_fill(rings), 0);
	rings_free(rings);
}

static void ends_when_told(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { .end_at = 2 };

	(void)state;
	for (int i = 0; i < 5; i++)
		put_wake(&fake, 0, i);
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), RINGS_ENDED);
	assert_int_equal(sink.count, 3);
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), RINGS_ENDED);
	assert_int_equal(sink.times[3], 3);
	rings_free(rings);
}

static void goes_on_where_a_reader_ended(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };

	(void)state;
	put_wake(&fake, 0, 1);
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), 1);
	rings_free(rings);
	put_wake(&fake, 0, 2);
	rings = rings_new(fake.fd, &fake.layout);
	assert_non_null(rings);
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), 1);
	assert_int_equal(sink.times[1], 2);
	rings_free(rings);
}

/* It is no type of a later module's, which would be passed. */
static void marks_are_given(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };

	(void)state;
	fake_put(&fake, 0, GAPP_RECORD_MARK, sizeof(struct gapp_record_mark) + 8, 7);
	fake_put(&fake, 0, GAPP_RECORD_MARK + 1, sizeof(struct gapp_record_mark) + 8, 8);
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), 1);
	assert_int_equal(sink.types[0], GAPP_RECORD_MARK);
	assert_int_equal(sink.times[0], 7);
	rings_free(rings);
}

/* One record of a type, with a size and a number of samples or bytes of stack: is it taken? */
static bool is_taken(u16 type, u16 size, u32 samples)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };
	struct gapp_record *record = fake_put(&fake, 0, type, 1024, 1);
	s64 given;

	record->size = size;
	if (type == GAPP_RECORD_SLICE)
		((struct gapp_record_slice *)record)->sample_count = samples;
	if (type == GAPP_RECORD_STACK_COPY)
		((struct gapp_record_stack_copy *)record)->stack_bytes = samples;
	if (type == GAPP_RECORD_MARK)
		((struct gapp_record_mark *)record)->bytes = samples;
	fake.ring[0]->write_position = size && size <= 1024 ? size : 1024;
	given = rings_drain(rings, UINT64_MAX, note, &sink);
	rings_free(rings);
	assert_true(given == -1 || given == (s64)sink.count);
	return given != -1;
}

/* A lock in the kernel that a record announces has to be in it, behind all else. */
static void locks_of_waits_have_room(void **state)
{
	struct {
		struct gapp_record_slice slice;
		struct gapp_wait_file file;
		struct gapp_wait_lock lock;
	} slice = { .slice = { .head = { .type = GAPP_RECORD_SLICE },
			       .flags = GAPP_SLICE_KERNEL_LOCK } };
	struct {
		struct gapp_record_wait wait;
		struct gapp_waker_path path;
		struct gapp_wait_file file;
		struct gapp_wait_lock lock;
	} wait = { .wait = { .head = { .type = GAPP_RECORD_WAIT },
			     .flags = GAPP_SLICE_KERNEL_LOCK } };

	slice.slice.head.size = sizeof(slice.slice) + sizeof(slice.lock) - 8;
	assert_false(record_is_whole(&slice.slice.head, sizeof(slice)));
	slice.slice.head.size += 8;
	assert_true(record_is_whole(&slice.slice.head, sizeof(slice)));
	assert_ptr_equal(slice_wait_lock(&slice.slice), &slice.file);
	slice.slice.flags |= GAPP_SLICE_FILE;
	assert_false(record_is_whole(&slice.slice.head, sizeof(slice)));
	slice.slice.head.size = sizeof(slice);
	assert_true(record_is_whole(&slice.slice.head, sizeof(slice)));
	assert_ptr_equal(slice_wait_file(&slice.slice), &slice.file);
	assert_ptr_equal(slice_wait_lock(&slice.slice), &slice.lock);
	slice.slice.flags = GAPP_SLICE_FILE;
	assert_null(slice_wait_lock(&slice.slice));

	wait.wait.head.size = sizeof(wait.wait) + sizeof(wait.lock);
	assert_true(record_is_whole(&wait.wait.head, sizeof(wait)));
	assert_ptr_equal(wait_wait_lock(&wait.wait), &wait.path);
	wait.wait.flags |= GAPP_SLICE_FILE | GAPP_SLICE_WAKER_PATH;
	wait.wait.head.size = sizeof(wait) - 8;
	assert_false(record_is_whole(&wait.wait.head, sizeof(wait)));
	wait.wait.head.size = sizeof(wait);
	assert_true(record_is_whole(&wait.wait.head, sizeof(wait)));
	assert_ptr_equal(wait_wait_file(&wait.wait), &wait.file);
	assert_ptr_equal(wait_wait_lock(&wait.wait), &wait.lock);
	wait.wait.flags = 0;
	assert_null(wait_wait_lock(&wait.wait));
}

/* A file that a record announces has to be in it, behind the samples and a waker's path. */
static void files_of_waits_have_room(void **state)
{
	struct {
		struct gapp_record_slice slice;
		struct gapp_sample samples[3];
		s32 in[4];
		struct gapp_wait_file file;
	} slice = { .slice = { .head = { .type = GAPP_RECORD_SLICE }, .flags = GAPP_SLICE_FILE } };
	struct {
		struct gapp_record_wait wait;
		struct gapp_waker_path path;
		struct gapp_wait_file file;
	} wait = { .wait = { .head = { .type = GAPP_RECORD_WAIT }, .flags = GAPP_SLICE_FILE } };

	slice.slice.head.size = sizeof(slice.slice) + sizeof(slice.file) - 8;
	assert_false(record_is_whole(&slice.slice.head, sizeof(slice)));
	slice.slice.head.size += 8;
	assert_true(record_is_whole(&slice.slice.head, sizeof(slice)));
	assert_ptr_equal(slice_wait_file(&slice.slice), slice.samples);
	slice.slice.sample_count = 3;
	slice.slice.head.size = sizeof(slice) - 8;
	assert_false(record_is_whole(&slice.slice.head, sizeof(slice)));
	slice.slice.head.size = sizeof(slice);
	assert_true(record_is_whole(&slice.slice.head, sizeof(slice)));
	assert_ptr_equal(slice_wait_file(&slice.slice), &slice.file);
	assert_ptr_equal(record_samples_in(&slice.slice), slice.in);
	slice.slice.flags = 0;
	assert_null(slice_wait_file(&slice.slice));

	wait.wait.head.size = sizeof(wait.wait) + sizeof(wait.file) - 8;
	assert_false(record_is_whole(&wait.wait.head, sizeof(wait)));
	wait.wait.head.size += 8;
	assert_true(record_is_whole(&wait.wait.head, sizeof(wait)));
	assert_ptr_equal(wait_wait_file(&wait.wait), &wait.path);
	wait.wait.flags |= GAPP_SLICE_WAKER_PATH;
	assert_false(record_is_whole(&wait.wait.head, sizeof(wait)));
	wait.wait.head.size = sizeof(wait);
	assert_true(record_is_whole(&wait.wait.head, sizeof(wait)));
	assert_ptr_equal(wait_wait_file(&wait.wait), &wait.file);
	wait.wait.flags = GAPP_SLICE_WAKER_PATH;
	assert_null(wait_wait_file(&wait.wait));
}

static void refuses_sizes_that_cannot_be(void **state)
{
	(void)state;
	assert_true(is_taken(GAPP_RECORD_SLICE, sizeof(struct gapp_record_slice), 0));
	assert_false(is_taken(GAPP_RECORD_SLICE, sizeof(struct gapp_record_slice) - 8, 0));
	assert_false(is_taken(GAPP_RECORD_SLICE, sizeof(struct gapp_record_slice), 1));
	assert_true(is_taken(GAPP_RECORD_SLICE, sizeof(struct gapp_record_slice) + 48, 1));
	assert_false(is_taken(GAPP_RECORD_SLICE, sizeof(struct gapp_record_slice) + 96, 3));
	assert_false(is_taken(GAPP_RECORD_SLICE, sizeof(struct gapp_record_slice) + 48, 65535));
	assert_true(is_taken(GAPP_RECORD_WAIT, sizeof(struct gapp_record_wait), 0));
	assert_true(is_taken(GAPP_RECORD_WAIT, sizeof(struct gapp_record_wait) + 8, 0));
	assert_false(is_taken(GAPP_RECORD_WAIT, sizeof(struct gapp_record_wait) - 8, 0));
	assert_false(is_taken(GAPP_RECORD_LOST, sizeof(struct gapp_record_lost) - 8, 0));
	assert_false(is_taken(GAPP_RECORD_WAKE, sizeof(struct gapp_record_wake) - 8, 0));
	assert_true(is_taken(GAPP_RECORD_STACK_COPY, sizeof(struct gapp_record_stack_copy), 0));
	assert_true(
		is_taken(GAPP_RECORD_STACK_COPY, sizeof(struct gapp_record_stack_copy) + 64, 64));
	assert_true(
		is_taken(GAPP_RECORD_STACK_COPY, sizeof(struct gapp_record_stack_copy) + 64, 60));
	assert_false(
		is_taken(GAPP_RECORD_STACK_COPY, sizeof(struct gapp_record_stack_copy) - 8, 0));
	assert_false(is_taken(GAPP_RECORD_STACK_COPY, sizeof(struct gapp_record_stack_copy), 8));
	assert_false(
		is_taken(GAPP_RECORD_STACK_COPY, sizeof(struct gapp_record_stack_copy) + 64, 65));
	assert_false(is_taken(GAPP_RECORD_STACK_COPY, sizeof(struct gapp_record_stack_copy),
			      0xffffffff));
	assert_true(is_taken(GAPP_RECORD_NEED_MAPPING, sizeof(struct gapp_record_need_mapping), 0));
	assert_false(
		is_taken(GAPP_RECORD_NEED_MAPPING, sizeof(struct gapp_record_need_mapping) - 8, 0));
	assert_true(is_taken(GAPP_RECORD_STORE, sizeof(struct gapp_record_store), 0));
	assert_true(is_taken(GAPP_RECORD_STORE, sizeof(struct gapp_record_store) + 8, 0));
	assert_false(is_taken(GAPP_RECORD_STORE, sizeof(struct gapp_record_store) - 8, 0));
	assert_true(is_taken(GAPP_RECORD_MARK, sizeof(struct gapp_record_mark) + 8, 0));
	assert_true(is_taken(GAPP_RECORD_MARK, sizeof(struct gapp_record_mark) + 8, 7));
	assert_false(is_taken(GAPP_RECORD_MARK, sizeof(struct gapp_record_mark), 0));
	assert_false(is_taken(GAPP_RECORD_MARK, sizeof(struct gapp_record_mark) + 8, 8));
	assert_false(is_taken(GAPP_RECORD_MARK, sizeof(struct gapp_record_mark) + 64, 65535));
	assert_false(is_taken(GAPP_RECORD_WAKE, 0, 0));
	assert_false(is_taken(GAPP_RECORD_WAKE, 1032, 0));
	assert_false(is_taken(GAPP_RECORD_PAD, 0, 0));
	assert_false(is_taken(GAPP_RECORD_PAD, 65528, 0));
	assert_true(is_taken(GAPP_RECORD_PAD, 8, 0));
	assert_false(is_taken(99, 8, 0));
	assert_true(is_taken(99, 16, 0));
}

static void refuses_odd_sizes(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };
	struct gapp_record *record;

	(void)state;
	record = fake_put(&fake, 0, GAPP_RECORD_WAKE, 64, 1);
	record->size = 60;
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), -1);
	assert_int_equal(sink.count, 0);
	rings_free(rings);
}

static void refuses_records_that_wrap(void **state)
{
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	struct sink sink = { 0 };
	struct gapp_record *record;

	(void)state;
	for (size_t at = 0; at < FAKE_RING; at += 128)
		record = fake_put(&fake, 0, GAPP_RECORD_WAKE, 128, at);
	assert_int_equal(rings_drain(rings, FAKE_RING - 128, note, &sink), FAKE_RING / 128 - 1);
	put_wake(&fake, 0, FAKE_RING);
	record->size = 128 + 48;
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), -1);
	rings_free(rings);
}

static void refuses_heads_that_cannot_be(void **state)
{
	static const u64 heads[] = { FAKE_RING + 8, 4, UINT64_MAX - 7 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		struct fake_rings fake;
		struct rings *rings = open_fake(&fake);
		struct sink sink = { 0 };

		fake.ring[1]->write_position = heads[i];
		assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), -1);
		assert_true(rings_fill(rings) <= 100);
		rings_free(rings);
	}
}

#define REFUSES(change)                                                  \
	do {                                                             \
		struct gapp_layout layout = fake.layout;                 \
		layout.change;                                           \
		if (rings_new(fake.fd, &layout))                         \
			fail_msg("a layout with " #change " was taken"); \
	} while (0)

static void refuses_layouts_that_cannot_be(void **state)
{
	struct fake_rings fake;
	struct gapp_layout none = { 0 };
	struct rings *rings;

	(void)state;
	fake_rings_make(&fake);
	REFUSES(ring_bytes = 0);
	REFUSES(ring_bytes = FAKE_RING + 8);
	REFUSES(ring_bytes = FAKE_RING / 2);
	REFUSES(ring_bytes = 2 * FAKE_RING);
	REFUSES(ring_data = 0);
	REFUSES(ring_data = 36);
	REFUSES(ring_data = UINT64_MAX - 7);
	REFUSES(position_stride = 0);
	REFUSES(position_stride = 12);
	REFUSES(position_stride = 4096);
	REFUSES(cpus = 0x80000000);
	REFUSES(path_slots = 0x80000000);
	REFUSES(path_slots_at = FAKE_PATHS - 16);
	REFUSES(path_words = UINT64_MAX / 8 + 2);
	REFUSES(path_words = FAKE_WORDS + 1);
	REFUSES(paths_map_bytes = FAKE_PATHS - 8);
	REFUSES(path_words_at = UINT64_MAX - 7);
	/* mmap() itself fails */
	REFUSES(ring_map_bytes = UINT64_MAX);

	rings = rings_new(fake.fd, &none);
	assert_non_null(rings);
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, NULL), 0);
	assert_int_equal(rings_fill(rings), 0);
	rings_free(rings);
	rings_free(NULL);
}

static void cpus_without_a_ring_are_skipped(void **state)
{
	struct fake_rings fake;
	struct sink sink = { 0 };
	struct rings *rings;

	(void)state;
	fake_rings_make(&fake);
	absent = 1U << 0 | 1U << 1;
	rings = rings_new(fake.fd, &fake.layout);
	assert_non_null(rings);
	put_wake(&fake, 2, 20);
	put_wake(&fake, 2, 30);
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), 2);
	is_in_order(&sink, 2);
	assert_int_equal(*fake_tail(&fake, 2), fake.ring[2]->write_position);
	assert_int_equal(rings_fill(rings), 0);
	rings_free(rings);

	/* those behind it keep their tails */
	absent = 1U << 1;
	rings = rings_new(fake.fd, &fake.layout);
	assert_non_null(rings);
	put_wake(&fake, 0, 50);
	put_wake(&fake, 2, 40);
	assert_int_equal(rings_drain(rings, UINT64_MAX, note, &sink), 2);
	is_in_order(&sink, 4);
	assert_int_equal(*fake_tail(&fake, 0), fake.ring[0]->write_position);
	assert_int_equal(*fake_tail(&fake, 1), 0);
	assert_int_equal(*fake_tail(&fake, 2), fake.ring[2]->write_position);
	rings_free(rings);

	absent = (1U << FAKE_CPUS) - 1;
	assert_null(rings_new(fake.fd, &fake.layout));
	absent = 0;
}

static void finds_paths(void **state)
{
	static const u64 frames[] = { 0x1000, 0x2000, 0x3000 };
	struct fake_rings fake;
	struct rings *rings = open_fake(&fake);
	const u64 *found;
	u16 count, flags;

	(void)state;
	fake_path(&fake, 7, GAPP_UNWIND_FULL | GAPP_PATH_KERNEL, frames, 3);
	found = rings_path(rings, 7, &count, &flags);
	assert_non_null(found);
	assert_int_equal(count, 3);
	assert_int_equal(flags, GAPP_UNWIND_FULL | GAPP_PATH_KERNEL);
	assert_memory_equal(found, frames, sizeof(frames));

	assert_null(rings_path(rings, 6, &count, &flags));
	assert_null(rings_path(rings, FAKE_SLOTS, &count, &flags));
	assert_null(rings_path(rings, GAPP_PATH_NONE, &count, &flags));
	assert_null(rings_path(rings, GAPP_PATH_LOST, &count, &flags));
	fake.slots[7].word = FAKE_WORDS - 2;
	assert_null(rings_path(rings, 7, &count, &flags));
	fake.slots[7].word = 0xffffffff;
	assert_null(rings_path(rings, 7, &count, &flags));
	fake.slots[7] = (struct gapp_path){ .word = 1, .words = GAPP_MAX_STACK + 1 };
	assert_null(rings_path(rings, 7, &count, &flags));
	rings_free(rings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges_all_cpus_by_time),
		cmocka_unit_test(merges_those_of_one_time_by_cpu),
		cmocka_unit_test(keeps_what_ended_later),
		cmocka_unit_test(wraps_and_pads),
		cmocka_unit_test(passes_a_rest_of_8_bytes),
		cmocka_unit_test(takes_a_full_ring),
		cmocka_unit_test(ends_when_told),
		cmocka_unit_test(goes_on_where_a_reader_ended),
		cmocka_unit_test(marks_are_given),
		cmocka_unit_test(files_of_waits_have_room),
		cmocka_unit_test(locks_of_waits_have_room),
		cmocka_unit_test(refuses_sizes_that_cannot_be),
		cmocka_unit_test(refuses_odd_sizes),
		cmocka_unit_test(refuses_records_that_wrap),
		cmocka_unit_test(refuses_heads_that_cannot_be),
		cmocka_unit_test(refuses_layouts_that_cannot_be),
		cmocka_unit_test(cpus_without_a_ring_are_skipped),
		cmocka_unit_test(finds_paths),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rings", tests, NULL, NULL);
}
