// SPDX-License-Identifier: GPL-2.0
/* Lists of counters, and the events of processors that have no name in the kernel's interface. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "input/tallies.h"

static struct tallies parsed(const char *list)
{
	struct tallies tallies = { 0 };

	assert_int_equal(tallies_parse(&tallies, list), 0);
	return tallies;
}

static void is_refused(const char *list, int error)
{
	struct tallies tallies = { 0 };

	assert_int_equal(tallies_parse(&tallies, list), error);
}

static void is_asked(const struct tallies *tallies, u32 index, u32 source, u32 type, u64 config)
{
	assert_true(index < tallies->asked_count);
	assert_int_equal(tallies->asked[index].source, source);
	assert_int_equal(tallies->asked[index].type, type);
	assert_int_equal(tallies->asked[index].config, config);
	assert_int_equal(tallies->asked[index].refused, 0);
}

/* Types: 0 hardware, 3 caches, 4 raw; configs: as perf_event_open(2) has them. */
static void names_are_tallies(void **state)
{
	struct tallies tallies = parsed("faults,migrations,instructions,cycles,l3-misses");

	assert_int_equal(tallies.count, 5);
	assert_string_equal(tallies.counters[3].name, "cycles");
	assert_int_equal(tallies.counters[3].plus, 3);
	assert_int_equal(tallies.counters[3].minus, TALLY_NONE);
	is_asked(&tallies, 0, 0, 0, 0);
	is_asked(&tallies, 1, 1, 0, 0);
	is_asked(&tallies, 2, 2, 0, 1);
	is_asked(&tallies, 3, 2, 0, 0);
	is_asked(&tallies, 4, 2, 0, 3);
}

static void memories_share_a_tally(void **state)
{
	struct tallies tallies = parsed("remote-memory,local-memory");

	assert_int_equal(tallies.asked_count, 2);
	is_asked(&tallies, 0, 2, 3, 0x10006);
	is_asked(&tallies, 1, 2, 3, 6);
	assert_int_equal(tallies.counters[1].plus, 1);
	assert_int_equal(tallies.counters[1].minus, 0);
	assert_int_equal(parsed("local-memory").asked_count, 2);
}

static void raw_events_are_hexadecimal(void **state)
{
	struct tallies tallies = parsed("r03F24,r3f24,rffffffffffffffff");

	assert_int_equal(tallies.count, 2);
	assert_string_equal(tallies.counters[0].name, "r3f24");
	assert_string_equal(tallies.counters[1].name, "rffffffffffffffff");
	is_asked(&tallies, 0, 2, 4, 0x3f24);
	is_asked(&tallies, 1, 2, 4, UINT64_MAX);
}

static void what_is_asked_twice_is_counted_once(void **state)
{
	struct tallies tallies = parsed("faults,cycles,faults");

	assert_int_equal(tallies.count, 2);
	assert_int_equal(tallies_parse(&tallies, "cycles,migrations"), 0);
	assert_int_equal(tallies.count, 3);
}

static void all_is_as_much_as_there_may_be(void **state)
{
	assert_int_equal(parsed("all").count, 8);
	assert_int_equal(parsed("all").asked_count, GAPP_TALLIES);
	assert_int_equal(parsed("faults,all").count, 8);
	is_refused("all,r1", TALLIES_TOO_MANY);
	is_refused("r1,r2,r3,r4,r5,r6,r7,local-memory", TALLIES_TOO_MANY);
	is_refused("r1,r2,r3,r4,r5,r6,r7,r8,r9", TALLIES_TOO_MANY);
}

static void other_lists_are_refused(void **state)
{
	const char *const lists[] = { "",   ",",     "faults,", ",faults", "fault",
				      "r",  "rx",    "r1g",	"r-1",	   "Faults",
				      "al", "alles", "faults ", "r0x1",	   "r11111111111111111" };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		is_refused(lists[i], TALLIES_UNKNOWN);
}

static void numbers_leave_out_what_is_refused(void **state)
{
	struct tallies tallies = parsed("faults,cycles,migrations,local-memory,remote-memory");

	tallies.asked[1].refused = EPERM;
	assert_int_equal(tally_number(&tallies, 0), 0);
	assert_int_equal(tally_number(&tallies, 1), TALLY_NONE);
	assert_int_equal(tally_number(&tallies, 2), 1);
	assert_int_equal(tally_number(&tallies, 4), 3);
	assert_int_equal(tally_number(&tallies, TALLY_NONE), TALLY_NONE);
	assert_int_equal(tallies_counted(&tallies, "cycles"), TALLY_NONE);
	assert_int_equal(tallies_counted(&tallies, "migrations"), 2);
	assert_int_equal(tallies_counted(&tallies, "l2-misses"), TALLY_NONE);
	/* without the misses, which are subtracted, nothing is local */
	tallies.asked[4].refused = ENOENT;
	assert_non_null(counter_why_not(&tallies, &tallies.counters[3]));
	assert_non_null(counter_why_not(&tallies, &tallies.counters[4]));
	assert_null(counter_why_not(&tallies, &tallies.counters[0]));
	assert_true(tallies_any_counted(&tallies));
	tallies.asked[0].refused = EINVAL;
	tallies.asked[2].refused = EINVAL;
	assert_false(tallies_any_counted(&tallies));
}

static char folder[32];

static void write_file(const char *name, const char *text)
{
	char path[96];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* The misses of second-level caches of a machine; refused: why not. */
static struct asked_tally found(const char *cpuinfo, const char *event)
{
	struct tallies tallies = parsed("l2-misses");
	char cpu_file[64], command[64];

	strcpy(folder, "/tmp/tallies.XXXXXX");
	assert_non_null(mkdtemp(folder));
	write_file("cpuinfo", cpuinfo);
	if (event)
		write_file("l2-cache-misses", event);
	snprintf(cpu_file, sizeof(cpu_file), "%s/cpuinfo", folder);
	tallies_find_events(&tallies, folder, cpu_file);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	return tallies.asked[0];
}

static void second_level_misses_depend_on_the_processor(void **state)
{
	const char *intel = "processor\t: 0\nvendor_id\t: GenuineIntel\n";
	const char *amd = "processor\t: 0\nvendor_id\t: AuthenticAMD\n";
	const char *other = "processor\t: 0\nvendor_id\t: CentaurHauls\n";

	assert_int_equal(parsed("l2-misses").asked[0].refused, TALLY_NO_EVENT);
	assert_int_equal(found(intel, NULL).config, 0x3f24);
	assert_int_equal(found(intel, NULL).refused, 0);
	assert_int_equal(found(amd, NULL).config, 0x964);
	assert_int_equal(found(other, NULL).refused, TALLY_NO_EVENT);
	assert_int_equal(found("", NULL).refused, TALLY_NO_EVENT);
	/* what the kernel names comes first, if it has no terms but these */
	assert_int_equal(found(other, "event=0x12,umask=0x34\n").config, 0x3412);
	assert_int_equal(found(other, "event=0x12\n").refused, 0);
	assert_int_equal(found(intel, "event=0x12,cmask=1\n").config, 0x3f24);
	assert_int_equal(found(other, "event=0x123\n").refused, TALLY_NO_EVENT);
	assert_int_equal(found(other, "umask=0x1\n").refused, TALLY_NO_EVENT);
	assert_int_equal(found(other, "").refused, TALLY_NO_EVENT);
}

static const char *why_not(const char *list, u32 refused)
{
	struct tallies tallies = parsed(list);

	tallies.asked[0].refused = refused;
	return counter_why_not(&tallies, &tallies.counters[0]) ?: "";
}

static void each_refusal_has_a_reason(void **state)
{
	const u32 all[] = { EPERM, ENOENT, EOPNOTSUPP, EINVAL, EBUSY, ENOMEM, EIO, TALLY_NO_EVENT };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		assert_true(*why_not("cycles", all[i]));
	assert_non_null(strstr(why_not("cycles", EPERM), "sudo"));
	assert_string_equal(why_not("cycles", EIO), strerror(EIO));
	assert_non_null(strstr(why_not("cycles", EOPNOTSUPP), "processor"));
	/* what the kernel counts has nothing to do with the processor */
	assert_string_equal(why_not("faults", EOPNOTSUPP), "this kernel does not tell of it");
	assert_string_equal(why_not("faults", 0), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_tallies),
		cmocka_unit_test(memories_share_a_tally),
		cmocka_unit_test(raw_events_are_hexadecimal),
		cmocka_unit_test(what_is_asked_twice_is_counted_once),
		cmocka_unit_test(all_is_as_much_as_there_may_be),
		cmocka_unit_test(other_lists_are_refused),
		cmocka_unit_test(numbers_leave_out_what_is_refused),
		cmocka_unit_test(second_level_misses_depend_on_the_processor),
		cmocka_unit_test(each_refusal_has_a_reason),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
