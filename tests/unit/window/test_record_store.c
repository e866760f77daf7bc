// SPDX-License-Identifier: GPL-2.0
/* The last records: which ones are there, in how much memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "window/record_store.h"

#define PIECES 4
#define ROOM ((u64)PIECES * STORE_PIECE_BYTES)

/* Of any size, and with its time in each word, so that a torn one is seen. */
union record {
	struct gapp_record head;
	u64 words[8192];
};

static int add(struct record_store *store, u64 time_ns, u16 size)
{
	union record record;

	for (size_t i = 0; i < size / sizeof(u64); i++)
		record.words[i] = time_ns;
	record.head =
		(struct gapp_record){ .type = GAPP_RECORD_WAKE, .size = size, .time_ns = time_ns };
	return record_store_add(store, &record.head);
}

/**
 * struct seen - records that a walk has met
 * @first: time of the first one
 * @last: time of the last one
 * @count: how many
 */
struct seen {
	u64 first;
	u64 last;
	u64 count;
};

static int see(void *context, const struct gapp_record *record)
{
	const union record *whole = (const union record *)record;
	struct seen *seen = context;

	assert_true(!seen->count || record->time_ns == seen->last + 1);
	for (size_t i = sizeof(record->time_ns) / 4; i < record->size / sizeof(u64); i++)
		assert_int_equal(whole->words[i], record->time_ns);
	if (!seen->count++)
		seen->first = record->time_ns;
	seen->last = record->time_ns;
	return 0;
}

static struct seen walk(const struct record_store *store)
{
	struct seen seen = { 0 };

	assert_int_equal(record_store_each(store, see, &seen), 0);
	assert_int_equal(record_store_count(store), seen.count);
	return seen;
}

static void an_empty_store_takes_no_memory(void **state)
{
	struct record_store *store = record_store_new(ROOM, NULL, NULL);

	(void)state;
	assert_int_equal(walk(store).count, 0);
	assert_int_equal(record_store_bytes(store), 0);
	record_store_drop_before(store, UINT64_MAX);
	record_store_free(store);
}

/* However many come: memory stays within the bound, and the last ones are whole and in order. */
static void the_oldest_go_first(void **state)
{
	static const u16 sizes[] = { 48, 184, 3512, 65528, 56, 232 };
	struct record_store *store = record_store_new(ROOM, NULL, NULL);
	const u64 many = 20000;
	struct seen seen;

	(void)state;
	for (u64 i = 1; i <= many; i++) {
		assert_int_equal(add(store, i, sizes[i % ARRAY_SIZE(sizes)]), 0);
		assert_true(record_store_bytes(store) <= ROOM);
	}
	seen = walk(store);
	assert_int_equal(seen.last, many);
	assert_true(seen.count > 40 && seen.count < 200);
	assert_int_equal(record_store_dropped_ns(store), seen.first - 1);
	record_store_free(store);
}

/* A store that is emptied as fast as it fills keeps what is asked for, and little memory. */
static void old_records_are_dropped(void **state)
{
	struct record_store *store = record_store_new(64 * ROOM, NULL, NULL);
	struct seen seen;

	(void)state;
	for (u64 i = 1; i <= 100000; i++) {
		assert_int_equal(add(store, i, 184), 0);
		record_store_drop_before(store, i > 1000 ? i - 1000 : 0);
	}
	seen = walk(store);
	assert_int_equal(seen.first, 99000);
	assert_int_equal(seen.last, 100000);
	assert_true(record_store_bytes(store) <= 3 * STORE_PIECE_BYTES);
	assert_int_equal(record_store_dropped_ns(store), 0);
	record_store_drop_before(store, UINT64_MAX);
	assert_int_equal(walk(store).count, 0);
	assert_int_equal(add(store, 7, 48), 0);
	assert_int_equal(walk(store).first, 7);
	record_store_free(store);
}

static int note_gone(void *context, const struct gapp_record *record)
{
	u64 *last = context;

	/* and the one that was not added, because of the 1000th */
	assert_true(record->time_ns == *last + 1 || (*last > 1000 && record->time_ns == *last + 2));
	*last = record->time_ns;
	return *last == 3 || *last == 1000 ? -1 : 0;
}

/* Each record that goes is shown once, for room or because it is old; want of memory is told. */
static void what_goes_is_shown(void **state)
{
	u64 gone = 0, failed = 0;
	struct record_store *store = record_store_new(ROOM, note_gone, &gone);

	(void)state;
	for (u64 i = 1; i <= 5; i++)
		assert_int_equal(add(store, i, 184), 0);
	assert_int_equal(record_store_drop_before(store, 2), 0);
	assert_int_equal(gone, 1);
	assert_int_equal(record_store_drop_before(store, 5), -1);
	assert_int_equal(gone, 4);
	for (u64 i = 6; i <= 20000; i++)
		failed += add(store, i, 184) != 0;
	assert_int_equal(failed, 1);
	assert_true(gone > 1000);
	record_store_free(store);
}

static int stop(void *context, const struct gapp_record *record)
{
	(void)record;
	return ++*(int *)context == 3 ? -1 : 0;
}

static void a_walk_can_be_ended(void **state)
{
	struct record_store *store = record_store_new(0, NULL, NULL);
	int count = 0;

	(void)state;
	for (u64 i = 1; i <= 5; i++)
		assert_int_equal(add(store, i, 48), 0);
	assert_int_equal(record_store_each(store, stop, &count), -1);
	assert_int_equal(count, 3);
	record_store_free(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_store_takes_no_memory),
		cmocka_unit_test(the_oldest_go_first),
		cmocka_unit_test(old_records_are_dropped),
		cmocka_unit_test(what_goes_is_shown),
		cmocka_unit_test(a_walk_can_be_ended),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("record_store", tests, NULL, NULL);
}
