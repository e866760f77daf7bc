// SPDX-License-Identifier: GPL-2.0
/* kmod/core/path_cache.c: which walks stay remembered. What they read is not compared here. */
#include "rig.h"

#include "path_cache.h"
#include "random.h"

#define IP 0x7f31c0a8d7e2ULL
#define TOP 0x7f31bffff000ULL
#define IMAGE 7

static struct gapp_path_cache cache;

static void clear(void)
{
	memset(&cache, 0, sizeof(cache));
	gapp_path_cache_clear(&cache);
}

static struct gapp_path_key key_at(u64 ip, u64 sp, u32 image)
{
	return (struct gapp_path_key){ .ip = ip, .sp = sp, .fp = sp + 64, .image = image };
}

/* Whether such a walk is remembered; @path: its path. */
static bool is_held(const struct gapp_path_key *key, u32 *path)
{
	const struct gapp_cached_path *cached =
		gapp_path_cache_find(&cache, gapp_path_cache_home(&cache, key), key);

	if (cached)
		*path = cached->path;
	return cached;
}

static void walk(const struct gapp_path_key *key, u32 path)
{
	gapp_path_cache_end(gapp_path_cache_begin(&cache, gapp_path_cache_home(&cache, key), key),
			    path);
}

/* True: it had to be walked. */
static bool waits(const struct gapp_path_key *key, u32 path)
{
	u32 was;

	if (is_held(key, &was)) {
		assert_int_equal(was, path);
		return false;
	}
	walk(key, path);
	return true;
}

/* Walks of @threads that take turns so often, each at the same place of a stack of its own. */
static u32 walks(u32 threads, u64 distance, u32 image_distance, u32 turns)
{
	u32 count = 0, turn, i;

	clear();
	for (turn = 0; turn < turns; turn++)
		for (i = 0; i < threads; i++) {
			struct gapp_path_key key =
				key_at(IP, TOP - i * distance, IMAGE + i * image_distance);

			count += waits(&key, i);
		}
	return count;
}

/* 16 threads whose stacks are a power of two apart, with and without a guard page: all of them. */
static void test_stacks(void **state)
{
	u64 distance;

	(void)state;
	for (distance = 1 << 12; distance <= 1 << 30; distance *= 2) {
		assert_int_equal(walks(16, distance, 0, 10), 16);
		assert_int_equal(walks(16, distance + 4096, 0, 10), 16);
	}
}

/* Of 64 few are left over. */
static void test_many_stacks(void **state)
{
	u64 distance;

	(void)state;
	for (distance = 1 << 12; distance <= 1 << 30; distance *= 2) {
		assert_in_range(walks(64, distance, 0, 101), 64, 64 + 100 * 7);
		assert_in_range(walks(64, distance + 4096, 0, 101), 64, 64 + 100 * 7);
	}
}

/* Processes that were forked have their stacks at the same addresses. */
static void test_images(void **state)
{
	(void)state;
	assert_int_equal(walks(16, 0, 1, 10), 16);
	assert_int_equal(walks(16, 0, 3, 10), 16);
}

/* As many different keys of one set as asked for. */
static void of_one_set(struct gapp_path_key *keys, u32 count)
{
	struct gapp_path_key key;
	u64 random = 5;
	u32 found = 0;

	while (found < count) {
		key = key_at(IP, random_next(&random) >> 20 << 4, IMAGE);
		if ((gapp_path_cache_home(&cache, &key) - cache.cached) / GAPP_PATH_CACHE_WAYS == 3)
			keys[found++] = key;
	}
}

/* A set is full before anything has to go. */
static void test_room_first(void **state)
{
	struct gapp_path_key keys[GAPP_PATH_CACHE_WAYS];
	u32 turn, i;

	(void)state;
	clear();
	of_one_set(keys, GAPP_PATH_CACHE_WAYS);
	for (turn = 0; turn < 10; turn++)
		for (i = 0; i < GAPP_PATH_CACHE_WAYS; i++)
			assert_int_equal(waits(&keys[i], i), turn == 0);
}

/* One thread too many does not cost all others what they have. */
static void test_one_too_many(void **state)
{
	struct gapp_path_key keys[GAPP_PATH_CACHE_WAYS + 1];
	u32 turn, i, count = 0;

	(void)state;
	clear();
	of_one_set(keys, GAPP_PATH_CACHE_WAYS + 1);
	for (turn = 0; turn < 1000; turn++)
		for (i = 0; i <= GAPP_PATH_CACHE_WAYS; i++)
			count += waits(&keys[i], i);
	assert_in_range(count, 1000, 1000 * (GAPP_PATH_CACHE_WAYS + 1) / 2);
}

/* A walk from the same place comes instead of what was found there before, and of nothing else. */
static void test_outdated(void **state)
{
	struct gapp_path_key keys[GAPP_PATH_CACHE_WAYS], other;
	u32 i, path = 0;

	(void)state;
	clear();
	of_one_set(keys, GAPP_PATH_CACHE_WAYS);
	for (i = 0; i < GAPP_PATH_CACHE_WAYS - 1; i++)
		walk(&keys[i], i);
	for (i = 0; i < 100; i++) {
		other = keys[2];
		other.fp += i;
		other.list_id = i;
		walk(&other, 1000 + i);
		assert_true(is_held(&other, &path));
		assert_int_equal(path, 1000 + i);
	}
	for (i = 0; i < GAPP_PATH_CACHE_WAYS - 1; i++)
		assert_int_equal(is_held(&keys[i], &path), i != 2);
}

/* What is being filled, was lost or read too much holds nothing; its place is the next one's. */
static void test_not_remembered(void **state)
{
	struct gapp_path_key keys[GAPP_PATH_CACHE_WAYS + 1];
	struct gapp_cached_path *cached;
	u32 i, path;

	(void)state;
	clear();
	of_one_set(keys, GAPP_PATH_CACHE_WAYS + 1);
	for (i = 0; i < GAPP_PATH_CACHE_WAYS; i++)
		walk(&keys[i], i);
	cached = gapp_path_cache_begin(&cache, gapp_path_cache_home(&cache, &keys[0]), &keys[0]);
	assert_false(is_held(&keys[0], &path));
	gapp_path_cache_end(cached, GAPP_PATH_LOST);
	assert_false(is_held(&keys[0], &path));
	cached = gapp_path_cache_begin(&cache, gapp_path_cache_home(&cache, &keys[0]), &keys[0]);
	cached->reads.count = GAPP_READ_WORDS + 1;
	gapp_path_cache_end(cached, 0);
	assert_false(is_held(&keys[0], &path));
	walk(&keys[GAPP_PATH_CACHE_WAYS], GAPP_PATH_CACHE_WAYS);
	for (i = 1; i <= GAPP_PATH_CACHE_WAYS; i++)
		assert_true(is_held(&keys[i], &path));
}

int main(void)
{
	static struct rig_group group;

	rig_add(&group, "stacks a power of two apart", test_stacks, NULL);
	rig_add(&group, "more threads than fit evenly", test_many_stacks, NULL);
	rig_add(&group, "the same stacks in other processes", test_images, NULL);
	rig_add(&group, "room is used first", test_room_first, NULL);
	rig_add(&group, "one more than there is room for", test_one_too_many, NULL);
	rig_add(&group, "what is outdated gives way", test_outdated, NULL);
	rig_add(&group, "what is not to be remembered", test_not_remembered, NULL);
	return rig_run("path_cache", &group);
}
