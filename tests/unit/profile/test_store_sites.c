// SPDX-License-Identifier: GPL-2.0
/* Instructions that store into words, and when all their stores are told. */
#include "profile/store_sites.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define IMAGE 7
#define SITES_MAX 1024

static struct store_sites sites;

static int begin(void **state)
{
	sites = (struct store_sites){ 0 };
	return 0;
}

static int end(void **state)
{
	store_sites_free(&sites);
	return 0;
}

/* The instruction that begins two bytes before @address, which is in it. */
static struct store_site *note(u64 address)
{
	const u32 number = store_sites_note(&sites, IMAGE, address, 1);
	struct store_site *site;

	assert_int_not_equal(number, HASH_NONE);
	site = &sites.all.rows[number];
	site->state = STORE_SITE_KNOWN;
	site->point.address = address - 2;
	return site;
}

static void each_instruction_has_a_number(void **state)
{
	assert_int_equal(store_sites_note(&sites, IMAGE, 0x1000, 1), 0);
	assert_int_equal(store_sites_note(&sites, IMAGE, 0x1001, 1), 1);
	assert_int_equal(store_sites_note(&sites, IMAGE + 1, 0x1000, 2), 2);
	assert_int_equal(store_sites_note(&sites, IMAGE, 0x1000, 3), 0);
	assert_int_equal(sites.all.rows[0].tgid, 1);
	assert_int_equal(sites.all.rows[2].tgid, 2);
	assert_int_equal(sites.all.rows[0].state, STORE_SITE_NEW);
}

static void there_is_room_for_some(void **state)
{
	for (u32 i = 0; i < SITES_MAX; i++)
		assert_int_equal(store_sites_note(&sites, IMAGE, i, 1), i);
	assert_int_equal(store_sites_note(&sites, IMAGE, SITES_MAX, 1), HASH_NONE);
	assert_int_equal(store_sites_note(&sites, IMAGE, SITES_MAX - 1, 1), SITES_MAX - 1);
	assert_int_equal(sites.all.index.count, SITES_MAX);
}

static void becomes(u8 bytes, s64 number, u64 seen, u64 wanted)
{
	const struct store_site site = {
		.point = { .how = GAPP_STORE_SETS, .bytes = bytes, .number = number }
	};

	assert_int_equal(store_site_value(&site, seen), wanted);
}

static void a_number_is_truer_than_what_was_seen(void **state)
{
	becomes(1, 0x1234, 0x77, 0x34);
	becomes(2, -1, 0x7777, 0xffff);
	becomes(4, -1, 0x77777777, 0xffffffff);
	becomes(8, -1, 0x77, UINT64_MAX);
	becomes(8, 0, UINT64_MAX, 0);
}

/* It stores into a part of the word. */
static void bytes_behind_the_store_are_as_seen(void **state)
{
	becomes(1, 0, 0x100, 0x100);
	becomes(1, 5, 0x1ff, 0x105);
	becomes(4, 0, 0x1122334455667788, 0x1122334400000000);
}

static void what_depends_on_more_is_as_seen(void **state)
{
	struct store_site site = { .point = { .bytes = 4, .number = 9 } };

	/* nothing is known of it */
	assert_int_equal(store_site_value(&site, 5), 5);
	for (u8 how = GAPP_STORE_ADDS; how < GAPP_STORE_HOWS; how++) {
		site.point.how = how;
		assert_int_equal(store_site_value(&site, 5), 5);
	}
	site.point.how = GAPP_STORE_SETS;
	assert_int_equal(store_site_value(&site, 5), 9);
	/* register 0 */
	site.point.with = 1;
	assert_int_equal(store_site_value(&site, 5), 5);
}

static void all_stores_are_told_for_some_time(void **state)
{
	struct store_site *site = note(0x1002);

	assert_int_equal(store_site_told_from(site, 0), UINT64_MAX);
	assert_int_equal(store_site_told_from(site, 100), UINT64_MAX);
	store_site_told(site, 100);
	assert_int_equal(site->state, STORE_SITE_TOLD);
	assert_int_equal(store_site_told_from(site, 99), UINT64_MAX);
	assert_int_equal(store_site_told_from(site, 100), 100);
	assert_int_equal(store_site_told_from(site, UINT64_MAX - 1), 100);
	store_site_ended(site, STORE_SITE_KNOWN, 200);
	assert_int_equal(site->state, STORE_SITE_KNOWN);
	assert_int_equal(store_site_told_from(site, 99), UINT64_MAX);
	assert_int_equal(store_site_told_from(site, 200), 100);
	assert_int_equal(store_site_told_from(site, 201), UINT64_MAX);
	/* only the first end counts */
	store_site_ended(site, STORE_SITE_REFUSED, 300);
	assert_int_equal(store_site_told_from(site, 201), UINT64_MAX);
	store_site_ended(site, STORE_SITE_REFUSED, 150);
	assert_int_equal(store_site_told_from(site, 151), UINT64_MAX);
	/* once more */
	store_site_told(site, 400);
	assert_int_equal(store_site_told_from(site, 399), UINT64_MAX);
	assert_int_equal(store_site_told_from(site, 500), 400);
}

/* Records are read some time after they were made. */
static void the_end_of_all_counts_what_ended_anew(void **state)
{
	struct store_site *told, *refused;

	note(0x1002);
	note(0x2002);
	told = &sites.all.rows[0];
	refused = &sites.all.rows[1];
	store_site_told(told, 100);
	store_site_ended(refused, STORE_SITE_REFUSED, 50);
	sites.ends = 7;
	told->ends = 3;
	refused->ends = 4;
	store_sites_ended(&sites, 200);
	assert_int_equal(sites.ends, 0);
	assert_int_equal(told->ends, 0);
	assert_int_equal(refused->ends, 0);
	assert_int_equal(told->state, STORE_SITE_KNOWN);
	assert_int_equal(refused->state, STORE_SITE_REFUSED);
	assert_int_equal(store_site_told_from(told, 200), 100);
	assert_int_equal(store_site_told_from(told, 201), UINT64_MAX);
	assert_int_equal(store_site_told_from(refused, 0), UINT64_MAX);
}

static void what_is_told_is_found_by_its_begin(void **state)
{
	note(0x1002);
	note(0x2002);
	assert_int_equal(store_sites_told_at(&sites, IMAGE, 0x1000), HASH_NONE);
	store_site_told(&sites.all.rows[1], 100);
	assert_int_equal(store_sites_told_at(&sites, IMAGE, 0x1000), HASH_NONE);
	assert_int_equal(store_sites_told_at(&sites, IMAGE, 0x2000), 1);
	assert_int_equal(store_sites_told_at(&sites, IMAGE, 0x2002), HASH_NONE);
	assert_int_equal(store_sites_told_at(&sites, IMAGE + 1, 0x2000), HASH_NONE);
}

static void what_is_given_up_is_told_no_more(void **state)
{
	struct store_site *site = note(0x1002);

	store_site_told(site, 100);
	store_sites_given_up(&sites, IMAGE + 1, 0x1000, 150);
	store_sites_given_up(&sites, IMAGE, 0x1002, 150);
	assert_int_equal(site->state, STORE_SITE_TOLD);
	store_sites_given_up(&sites, IMAGE, 0x1000, 150);
	assert_int_equal(site->state, STORE_SITE_REFUSED);
	assert_int_equal(store_site_told_from(site, 150), 100);
	assert_int_equal(store_site_told_from(site, 151), UINT64_MAX);
}

/* The record of it is read after the module was asked, or after the end of all. */
static void what_was_given_up_is_read_late(void **state)
{
	struct store_site *asked, *ended;

	note(0x1002);
	note(0x2002);
	asked = &sites.all.rows[0];
	ended = &sites.all.rows[1];
	store_site_told(asked, 100);
	store_site_told(ended, 100);
	store_site_ended(asked, STORE_SITE_REFUSED, 180);
	store_sites_given_up(&sites, IMAGE, 0x1000, 150);
	assert_int_equal(store_site_told_from(asked, 150), 100);
	assert_int_equal(store_site_told_from(asked, 151), UINT64_MAX);
	store_sites_ended(&sites, 200);
	store_sites_given_up(&sites, IMAGE, 0x2000, 190);
	assert_int_equal(store_site_told_from(ended, 190), 100);
	assert_int_equal(store_site_told_from(ended, 191), UINT64_MAX);
	/* since then it is told again */
	store_site_told(ended, 300);
	store_sites_given_up(&sites, IMAGE, 0x2000, 190);
	assert_int_equal(ended->state, STORE_SITE_TOLD);
	assert_int_equal(store_site_told_from(ended, 400), 300);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_instruction_has_a_number),
		TEST(there_is_room_for_some),
		TEST(a_number_is_truer_than_what_was_seen),
		TEST(bytes_behind_the_store_are_as_seen),
		TEST(what_depends_on_more_is_as_seen),
		TEST(all_stores_are_told_for_some_time),
		TEST(the_end_of_all_counts_what_ended_anew),
		TEST(what_is_told_is_found_by_its_begin),
		TEST(what_is_given_up_is_told_no_more),
		TEST(what_was_given_up_is_read_late),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("store_sites", tests, NULL, NULL);
}
