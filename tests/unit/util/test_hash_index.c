// SPDX-License-Identifier: GPL-2.0
/* The reader's hash table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/hash_index.h"

static bool same_number(const void *table, u32 id, const void *key)
{
	return ((const u32 *)table)[id] == *(const u32 *)key;
}

static void an_index_finds_all_that_was_added(void **state)
{
	struct hash_index index = { 0 };
	u32 *numbers = NULL, room = 0, absent = 1;

	(void)state;
	assert_int_equal(hash_index_find(&index, 1, same_number, numbers, &absent), HASH_NONE);
	for (u32 i = 0; i < 10000; i++) {
		assert_int_equal(array_grow(&numbers, &room, i, sizeof(*numbers)), 0);
		numbers[i] = 2 * i;
		/* three each have the same hash */
		assert_int_equal(hash_index_add(&index, gapp_mix(i / 3), i), 0);
	}
	for (u32 i = 0; i < 10000; i++)
		assert_int_equal(hash_index_find(&index, gapp_mix(i / 3), same_number, numbers,
						 &numbers[i]),
				 i);
	assert_int_equal(hash_index_find(&index, gapp_mix(0), same_number, numbers, &absent),
			 HASH_NONE);
	hash_index_free(&index);
	free(numbers);
}

/* Hashes that fill few runs, one of them around the end of the slots, while most are removed. */
static void a_removed_element_hides_no_other(void **state)
{
	enum { COUNT = 24 };
	struct hash_index index = { 0 };
	u32 numbers[COUNT];
	bool there[COUNT] = { 0 };

	(void)state;
	for (u32 seed = 1; seed <= 2000; seed++) {
		u32 i = gapp_scale(gapp_mix(seed), COUNT);
		u64 hash = i % 2 ? 62 + i % 3 : i / 8;

		numbers[i] = 100 + i;
		if (there[i])
			hash_index_renumber(&index, hash, i, HASH_NONE);
		else
			assert_int_equal(hash_index_add(&index, hash, i), 0);
		there[i] = !there[i];
		for (u32 j = 0; j < COUNT; j++) {
			u32 key = 100 + j;

			hash = j % 2 ? 62 + j % 3 : j / 8;
			assert_int_equal(hash_index_find(&index, hash, same_number, numbers, &key),
					 there[j] ? j : HASH_NONE);
		}
	}
	hash_index_free(&index);
}

static void a_map_has_what_was_added_and_not_removed(void **state)
{
	enum { KEYS = 3000 };
	struct key_map map = { 0 };
	static char values[KEYS], seen[KEYS];
	u32 left = 0;

	(void)state;
	assert_null(key_map_find(&map, 0));
	assert_null(key_map_remove(&map, 0));
	for (u64 i = 0; i < KEYS; i++)
		assert_int_equal(key_map_add(&map, i << 12, &values[i]), 0);
	/* every third, in an order that is not that of adding */
	for (u64 i = KEYS; i--;)
		if (i % 3 == 0)
			assert_ptr_equal(key_map_remove(&map, i << 12), &values[i]);
	for (u64 i = 0; i < KEYS; i++)
		assert_ptr_equal(key_map_find(&map, i << 12), i % 3 ? &values[i] : NULL);
	/* as a loop that removes: from the end */
	for (u32 at = map.count; at--;) {
		u64 i = map.entries[at].key >> 12;

		assert_ptr_equal(map.entries[at].value, &values[i]);
		assert_int_equal(seen[i]++, 0);
		left++;
		if (i % 2)
			key_map_remove(&map, i << 12);
	}
	assert_int_equal(left, KEYS / 3 * 2);
	assert_int_equal(map.count, KEYS / 3);
	key_map_free(&map);
}

static void bytes_that_differ_have_another_hash(void **state)
{
	static const char text[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";
	char other[sizeof(text)];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++) {
		memcpy(other, text, sizeof(text));
		assert_int_equal(hash_bytes(0, other, i), hash_bytes(0, text, i));
		assert_int_not_equal(hash_bytes(0, text, i), hash_bytes(0, text, i + 1));
		other[i] ^= 1;
		assert_int_equal(hash_bytes(0, other, i), hash_bytes(0, text, i));
		assert_int_not_equal(hash_bytes(0, other, i + 1), hash_bytes(0, text, i + 1));
	}
	/* zeros at the end count */
	assert_int_not_equal(hash_bytes(0, "\0\0", 1), hash_bytes(0, "\0\0", 2));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_index_finds_all_that_was_added),
		cmocka_unit_test(a_removed_element_hides_no_other),
		cmocka_unit_test(a_map_has_what_was_added_and_not_removed),
		cmocka_unit_test(bytes_that_differ_have_another_hash),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("hash_index", tests, NULL, NULL);
}
