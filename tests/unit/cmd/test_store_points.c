// SPDX-License-Identifier: GPL-2.0
/* Which instructions have their stores told, when, and what follows from what the module says. */
#include "cmd/store_points.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

#include "spin-table/store_point.h"

#define MS(n) (1000000ULL * (n))
#define IMAGE 7
#define PROCESS 5
/* How long the module takes to begin or end something. */
#define ASKING MS(3)
/* As in store_points.c. */
#define TOLD_MS 2000
#define WATCHED_MS 400
#define WORTH_ENDS 3
/* Instructions from there on are in no file, or store nothing that is known. */
#define NO_FILE 0x7000
#define NOT_OPEN 0x8000
#define NOT_KNOWN 0x9000

#define INSTRUCTIONS_MAX 16

/**
 * struct module - what the module was asked for, and what it says
 * @tells: it can tell of stores
 * @error: why it refuses what is not told, or 0
 * @error_at: why it refuses that address
 * @end_error: why it does not end what is told
 * @watch_error: why it does not end a watch
 * @asked: how often it was asked for an instruction
 * @ended: how often everything was ended
 * @unwatched: how often a watch was ended
 * @told: addresses of the instructions of which it tells
 * @told_count: how many
 * @looked: how often it was looked what an instruction stores
 * @now_ns: CLOCK_MONOTONIC
 */
static struct module {
	bool tells;
	int error;
	struct {
		u64 address;
		int error;
	} error_at;
	int end_error;
	int watch_error;
	unsigned int asked;
	unsigned int ended;
	unsigned int unwatched;
	u64 told[INSTRUCTIONS_MAX];
	u32 told_count;
	unsigned int looked;
	u64 now_ns;
} module;

static struct device device;
static struct store_points points;
static struct store_sites sites;
static struct object program = { .kind = OBJECT_FILE, .name = (char *)"prog" };
static struct object nothing = { .kind = OBJECT_FILE + 1 };
static struct object gone = { .kind = OBJECT_FILE, .name = (char *)"gone" };

/* In place of libc's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	now->tv_sec = module.now_ns / NSEC_PER_SEC;
	now->tv_nsec = module.now_ns % NSEC_PER_SEC;
	return 0;
}

/* In place of the real one. */
bool device_tells_stores(const struct device *dev)
{
	assert_ptr_equal(dev, &device);
	return module.tells;
}

static int answer(int error)
{
	module.now_ns += ASKING;
	errno = error;
	return error ? -1 : 0;
}

/* In place of the real one. */
int device_store_point(struct device *dev, const struct gapp_store_point *point)
{
	assert_ptr_equal(dev, &device);
	if (!point->pid) {
		assert_memory_equal(point, &(struct gapp_store_point){ 0 }, sizeof(*point));
		module.ended++;
		module.told_count = module.end_error ? module.told_count : 0;
		return answer(module.end_error);
	}
	module.asked++;
	assert_int_equal(point->pid, PROCESS);
	assert_in_range(point->passes, 1, GAPP_STORE_POINT_MAX_PASSES);
	if (point->address == module.error_at.address)
		return answer(module.error_at.error);
	for (u32 i = 0; i < module.told_count; i++)
		if (module.told[i] == point->address)
			return answer(module.error ? module.error : EEXIST);
	if (module.error)
		return answer(module.error);
	assert_true(module.told_count < GAPP_STORE_POINTS);
	module.told[module.told_count++] = point->address;
	return answer(0);
}

/* In place of the real one: only to end a watch. */
int device_watch(struct device *dev, const struct gapp_watch *watch)
{
	assert_memory_equal(watch, &(struct gapp_watch){ 0 }, sizeof(*watch));
	module.unwatched++;
	return answer(module.watch_error);
}

/* In place of the real one. */
struct code_address maps_find(struct maps *maps, pid_t pid, u64 address)
{
	assert_ptr_equal(maps, &program);
	assert_int_equal(pid, PROCESS);
	if (address >= NO_FILE && address < NOT_OPEN)
		return (struct code_address){ &nothing, address };
	if (address >= NOT_OPEN && address < NOT_KNOWN)
		return (struct code_address){ &gone, address };
	return (struct code_address){ &program, address - 0x100 };
}

/* In place of the real one. */
int elf_file_open(const struct object *object)
{
	assert_ptr_not_equal(object, &nothing);
	return object == &gone ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* In place of the real one. */
int store_point_find(struct found_store *found, int fd, u64 offset)
{
	assert_true(fd >= 0);
	module.looked++;
	errno = ENOENT;
	*found = (struct found_store){ .looked_at = offset, .begin = offset - 2 };
	return offset + 0x100 >= NOT_KNOWN ? -1 : 0;
}

/* In place of the real one: instructions begin two bytes before where watches find them. */
void store_point_place(struct gapp_store_point *point, const struct found_store *found, u64 address)
{
	assert_int_equal(found->looked_at, address - 0x100);
	*point = (struct gapp_store_point){ .address = address - 2, .bytes = 4 };
}

static int begin(void **state)
{
	module = (struct module){ .tells = true, .now_ns = MS(1000) };
	points = (struct store_points){ 0 };
	sites = (struct store_sites){ 0 };
	store_points_begin(&points, &device);
	return 0;
}

static int end(void **state)
{
	store_sites_free(&sites);
	return 0;
}

/* An instruction has stored so often what may end a wait. */
static struct store_site *ends(u64 address, u64 times)
{
	const u32 number = store_sites_note(&sites, IMAGE, address, PROCESS);

	assert_int_not_equal(number, HASH_NONE);
	sites.all.rows[number].stores += times;
	sites.all.rows[number].ends += times;
	sites.ends += times;
	return &sites.all.rows[number];
}

/* A drain. */
static bool next(void)
{
	return store_points_next(&points, &sites, &device, (struct maps *)&program, 0);
}

static bool next_at(u64 ms)
{
	module.now_ns = MS(ms);
	return next();
}

/* @count instructions are looked at, one in each drain, and have ended so many waits each. */
static void learn(u32 count, u64 times)
{
	for (u32 i = 0; i < count; i++)
		ends(0x1000 + 0x10 * i, times);
	for (u32 i = 0; i < count; i++)
		assert_false(next());
	assert_int_equal(module.looked, count);
	assert_int_equal(module.asked, 0);
}

static void one_instruction_is_looked_at_after_the_other(void **state)
{
	ends(0x1000, 1);
	ends(0x1010, 3);
	ends(0x1020, 2);
	assert_false(next());
	assert_int_equal(sites.all.rows[0].state, STORE_SITE_NEW);
	assert_int_equal(sites.all.rows[1].state, STORE_SITE_KNOWN);
	assert_int_equal(sites.all.rows[2].state, STORE_SITE_NEW);
	assert_false(next());
	assert_int_equal(sites.all.rows[0].state, STORE_SITE_NEW);
	assert_int_equal(sites.all.rows[2].state, STORE_SITE_KNOWN);
	assert_int_equal(sites.all.rows[1].point.address, 0x100e);
	assert_int_equal(sites.all.rows[1].point.pid, PROCESS);
	/* 2,000 in a second */
	assert_int_equal(
		sites.all.rows[1].point.passes * (NSEC_PER_SEC / GAPP_STORE_POINT_PASSES_NS), 2000);
}

static void what_is_not_known_is_refused(void **state)
{
	static const u64 addresses[] = { NO_FILE, NOT_OPEN, NOT_KNOWN };

	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		ends(addresses[i], 5);
		assert_false(next());
		assert_int_equal(sites.all.rows[i].state, STORE_SITE_REFUSED);
	}
	assert_int_equal(module.looked, 1);
	assert_false(next());
	assert_int_equal(module.asked, 0);
	assert_int_equal(module.unwatched, 0);
}

static void stores_are_told_and_words_watched_in_turns(void **state)
{
	learn(1, WORTH_ENDS);
	assert_true(next_at(2000));
	assert_int_equal(module.unwatched, 1);
	assert_int_equal(module.told_count, 1);
	assert_int_equal(sites.all.rows[0].state, STORE_SITE_TOLD);
	/* since the module has said so; it took the end of the watch, too */
	assert_int_equal(store_site_told_from(&sites.all.rows[0], MS(2000) + 2 * ASKING - 1),
			 UINT64_MAX);
	assert_int_equal(store_site_told_from(&sites.all.rows[0], MS(2000) + 2 * ASKING),
			 MS(2000) + 2 * ASKING);
	module.now_ns = MS(2000 + TOLD_MS) + 2 * ASKING - 1;
	assert_true(next());
	assert_int_equal(module.ended, 0);
	module.now_ns = MS(2000 + TOLD_MS) + 2 * ASKING;
	assert_false(next());
	assert_int_equal(module.ended, 1);
	assert_int_equal(module.told_count, 0);
	assert_int_equal(sites.all.rows[0].state, STORE_SITE_KNOWN);
	/* words are watched, and instructions end waits again */
	ends(0x1000, WORTH_ENDS);
	module.now_ns = MS(2000 + TOLD_MS + WATCHED_MS) + 3 * ASKING - 1;
	assert_false(next());
	assert_int_equal(module.told_count, 0);
	module.now_ns++;
	assert_true(next());
	assert_int_equal(module.told_count, 1);
}

/* The module may have ended it as soon as it was asked. */
static void stores_are_told_until_the_module_is_asked_to_end(void **state)
{
	learn(1, WORTH_ENDS);
	assert_true(next_at(2000));
	assert_false(next_at(5000));
	assert_int_not_equal(store_site_told_from(&sites.all.rows[0], MS(5000)), UINT64_MAX);
	assert_int_equal(store_site_told_from(&sites.all.rows[0], MS(5000) + 1), UINT64_MAX);
}

static void nothing_begins_while_a_word_is_watched(void **state)
{
	learn(1, WORTH_ENDS);
	module.now_ns = MS(2000);
	assert_false(
		store_points_next(&points, &sites, &device, (struct maps *)&program, MS(2000) + 1));
	assert_int_equal(module.unwatched, 0);
	assert_true(store_points_next(&points, &sites, &device, (struct maps *)&program, MS(2000)));
	/* nor while the module says that the watch goes on */
	end(NULL);
	begin(NULL);
	learn(1, WORTH_ENDS);
	module.watch_error = EIO;
	assert_false(next_at(2000));
	assert_int_equal(module.unwatched, 1);
	assert_int_equal(module.asked, 0);
	module.watch_error = 0;
	assert_true(next());
}

static void it_must_be_worth_it(void **state)
{
	learn(1, WORTH_ENDS - 1);
	assert_false(next_at(2000));
	ends(0x1000, 1);
	/* others have ended more than half of the waits */
	sites.ends = 2 * WORTH_ENDS + 1;
	assert_false(next_at(2010));
	assert_int_equal(module.asked, 0);
	sites.ends = 2 * WORTH_ENDS;
	assert_true(next_at(2020));
}

/* What was counted before a time when stores were told says nothing of the time behind it. */
static void it_must_be_worth_it_each_time(void **state)
{
	learn(1, 100);
	assert_true(next_at(2000));
	assert_false(next_at(5000));
	ends(0x1000, WORTH_ENDS - 1);
	assert_false(next_at(6000));
	assert_int_equal(module.told_count, 0);
	ends(0x1000, 1);
	assert_true(next_at(6010));
}

static void there_is_room_for_some(void **state)
{
	learn(GAPP_STORE_POINTS + 2, WORTH_ENDS);
	assert_true(next_at(2000));
	assert_int_equal(module.told_count, GAPP_STORE_POINTS);
	assert_int_equal(module.asked, GAPP_STORE_POINTS);
	assert_int_equal(points.told, GAPP_STORE_POINTS);
	/* each is asked for in its turn */
	for (u32 i = 0; i < GAPP_STORE_POINTS; i++)
		assert_true(next_at(2100 + i));
	assert_int_equal(module.asked, 2 * GAPP_STORE_POINTS);
	assert_int_equal(module.told_count, GAPP_STORE_POINTS);
}

static void all_are_asked_for_in_turns(void **state)
{
	learn(3, WORTH_ENDS);
	assert_true(next_at(2000));
	module.error_at.error = EDQUOT;
	for (u32 i = 0; i < 3; i++) {
		module.error_at.address = 0x1000 + 0x10 * i - 2;
		for (u32 j = 0; j < 3 - i; j++)
			assert_true(next_at(2100 + 10 * i + j));
		assert_int_equal(sites.all.rows[i].state, STORE_SITE_REFUSED);
	}
	/* all are given up: words are watched */
	assert_int_equal(module.ended, 0);
	assert_false(next_at(2200));
	assert_int_equal(module.ended, 1);
	assert_false(next_at(9000));
	assert_int_equal(module.unwatched, 1);
}

static void what_a_record_says_was_given_up_is_not_asked_for(void **state)
{
	unsigned int asked;

	learn(1, WORTH_ENDS);
	assert_true(next_at(2000));
	asked = module.asked;
	store_sites_given_up(&sites, IMAGE, 0xffe, MS(2050));
	assert_false(next_at(2100));
	assert_int_equal(module.asked, asked);
	assert_int_equal(module.ended, 1);
}

static void what_is_in_use_is_tried_again(void **state)
{
	static const int errors[] = { EBUSY, ENOSPC };

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		end(NULL);
		begin(NULL);
		learn(2, WORTH_ENDS);
		module.error = errors[i];
		assert_false(next_at(2000));
		assert_int_equal(module.asked, 2);
		assert_int_equal(sites.all.rows[0].state, STORE_SITE_KNOWN);
		module.error = 0;
		/* words are watched meanwhile */
		assert_false(next_at(2000 + WATCHED_MS));
		assert_true(next_at(2000 + WATCHED_MS + 10));
		assert_int_equal(module.told_count, 2);
	}
}

static void an_instruction_that_is_refused_is_left_out(void **state)
{
	static const int errors[] = { EDQUOT, ENOENT, ESRCH, EOPNOTSUPP, ENOMEM, EIO };

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		end(NULL);
		begin(NULL);
		learn(2, WORTH_ENDS);
		module.error_at.error = errors[i];
		module.error_at.address = 0x1000 - 2;
		assert_true(next_at(2000));
		assert_int_equal(sites.all.rows[0].state, STORE_SITE_REFUSED);
		assert_int_equal(sites.all.rows[1].state, STORE_SITE_TOLD);
		assert_int_equal(store_site_told_from(&sites.all.rows[0], MS(2010)), UINT64_MAX);
		module.error_at.error = 0;
		assert_false(next_at(6000));
		assert_int_equal(module.told_count, 0);
		ends(0x1000, WORTH_ENDS);
		ends(0x1010, WORTH_ENDS);
		assert_true(next_at(7000));
		assert_int_equal(module.told_count, 1);
	}
}

static void a_session_that_may_not_is_told_of_nothing(void **state)
{
	static const int errors[] = { EPERM, ENOTCONN };

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		end(NULL);
		begin(NULL);
		learn(2, WORTH_ENDS);
		module.error = errors[i];
		assert_false(next_at(2000));
		assert_int_equal(module.asked, 1);
		assert_false(next_at(9000));
		assert_int_equal(module.asked, 1);
		/* when some are told: the others are not any more */
		end(NULL);
		begin(NULL);
		learn(2, WORTH_ENDS);
		module.error_at.error = errors[i];
		module.error_at.address = 0x1010 - 2;
		assert_false(next_at(2000));
		assert_int_equal(module.ended, 1);
		assert_int_equal(sites.all.rows[0].state, STORE_SITE_KNOWN);
		assert_false(next_at(9000));
		/* the session has ended meanwhile */
		end(NULL);
		begin(NULL);
		learn(1, WORTH_ENDS);
		assert_true(next_at(2000));
		module.error = errors[i];
		module.end_error = errors[i];
		assert_false(next_at(2100));
		assert_int_equal(sites.all.rows[0].state, STORE_SITE_KNOWN);
		assert_false(next_at(9000));
		assert_int_equal(module.asked, 2);
	}
}

static void what_cannot_be_ended_does_not_begin_again(void **state)
{
	learn(1, WORTH_ENDS);
	assert_true(next_at(2000));
	module.end_error = ENOTCONN;
	assert_false(next_at(5000));
	assert_int_equal(sites.all.rows[0].state, STORE_SITE_KNOWN);
	ends(0x1000, WORTH_ENDS);
	assert_false(next_at(9000));
	assert_int_equal(module.asked, 1);
}

static void an_older_module_is_asked_for_nothing(void **state)
{
	module.tells = false;
	store_points_begin(&points, &device);
	ends(0x1000, WORTH_ENDS);
	for (u32 i = 0; i < 3; i++)
		assert_false(next_at(2000 + i));
	assert_int_equal(module.looked, 0);
	assert_int_equal(module.asked, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_instruction_is_looked_at_after_the_other),
		TEST(what_is_not_known_is_refused),
		TEST(stores_are_told_and_words_watched_in_turns),
		TEST(stores_are_told_until_the_module_is_asked_to_end),
		TEST(nothing_begins_while_a_word_is_watched),
		TEST(it_must_be_worth_it),
		TEST(it_must_be_worth_it_each_time),
		TEST(there_is_room_for_some),
		TEST(all_are_asked_for_in_turns),
		TEST(what_a_record_says_was_given_up_is_not_asked_for),
		TEST(what_is_in_use_is_tried_again),
		TEST(an_instruction_that_is_refused_is_left_out),
		TEST(a_session_that_may_not_is_told_of_nothing),
		TEST(what_cannot_be_ended_does_not_begin_again),
		TEST(an_older_module_is_asked_for_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("store_points", tests, NULL, NULL);
}
