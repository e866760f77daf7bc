// SPDX-License-Identifier: GPL-2.0
/* When records are taken in, and what ends that; everything around capture.c is made up here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "capture.h"
#include "rings.h"
#include "script.h"
#include "sideband.h"

#define MS(n) (1000000ULL * (n))

/**
 * struct world - what the parts around the capture do, and what they were told
 * @fill: per cent of the fullest ring
 * @records: that each drain has
 * @until: what the last drain was told
 * @drains: how many there were
 * @no_memory_after: records that can be taken in
 * @sideband_fails: the side-band has no memory
 * @bad_rings: the rings make no sense
 */
static struct world {
	unsigned int fill;
	unsigned int records;
	u64 until;
	unsigned int drains;
	unsigned int no_memory_after;
	bool sideband_fails;
	bool bad_rings;
} world;

/* What is only handed around. */
static char thing;
#define THING ((void *)&thing)

int device_layout(struct device *dev, struct gapp_layout *layout)
{
	(void)dev;
	(void)layout;
	return 0;
}

int device_status(struct device *dev, struct gapp_status *status)
{
	(void)dev;
	*status = (struct gapp_status){ .start_ns = 1 };
	return 0;
}

struct rings *rings_new(int fd, const struct gapp_layout *layout)
{
	(void)fd;
	(void)layout;
	return THING;
}

void rings_free(struct rings *rings)
{
	(void)rings;
}

unsigned int rings_fill(const struct rings *rings)
{
	(void)rings;
	return world.fill;
}

s64 rings_drain(struct rings *rings, u64 until_ns,
		int (*each)(void *context, const struct gapp_record *record), void *context)
{
	struct gapp_record record = { .type = GAPP_RECORD_WAKE, .size = sizeof(record) };

	(void)rings;
	world.until = until_ns;
	world.drains++;
	for (unsigned int i = 0; i < world.records; i++)
		if (each(context, &record))
			return -1;
	return world.bad_rings ? -1 : (s64)world.records;
}

struct objects *objects_new(void)
{
	return THING;
}

void objects_free(struct objects *objects)
{
	(void)objects;
}

struct maps *maps_new(struct objects *objects)
{
	return (struct maps *)objects;
}

void maps_free(struct maps *maps)
{
	(void)maps;
}

int maps_read(struct maps *maps, pid_t pid)
{
	(void)maps;
	(void)pid;
	return 0;
}

void maps_image(struct maps *maps, pid_t pid, u32 image)
{
	(void)maps;
	(void)pid;
	(void)image;
}

struct stacks *stacks_new(struct objects *objects, struct maps *maps, const struct rings *rings)
{
	(void)maps;
	(void)rings;
	return (struct stacks *)objects;
}

void stacks_free(struct stacks *stacks)
{
	(void)stacks;
}

struct sideband *sideband_new(const char **reason)
{
	(void)reason;
	return THING;
}

void sideband_free(struct sideband *sideband)
{
	(void)sideband;
}

int sideband_read(struct sideband *sideband)
{
	(void)sideband;
	return world.sideband_fails ? out_of_memory() : 0;
}

void sideband_apply(struct sideband *sideband, struct maps *maps, u64 time_ns)
{
	(void)sideband;
	(void)maps;
	(void)time_ns;
}

struct symbols *symbols_new(const volatile bool *cancel)
{
	(void)cancel;
	return THING;
}

void symbols_free(struct symbols *symbols)
{
	(void)symbols;
}

struct profile *profile_new(struct stacks *stacks)
{
	return (struct profile *)stacks;
}

void profile_free(struct profile *profile)
{
	(void)profile;
}

int profile_add(struct profile *profile, const struct gapp_record *record)
{
	(void)profile;
	(void)record;
	return world.no_memory_after-- ? 0 : -1;
}

int profile_rank(struct profile *profile, struct symbols *symbols,
		 const struct profile_options *options, struct ranking *ranking)
{
	(void)profile;
	(void)symbols;
	(void)options;
	(void)ranking;
	return 0;
}

void profile_sums(const struct profile *profile, struct profile_sums *sums)
{
	(void)profile;
	(void)sums;
}

int script_record(FILE *out, const struct gapp_record *record, struct stacks *stacks,
		  struct symbols *symbols, u64 start_ns)
{
	(void)record;
	(void)stacks;
	(void)symbols;
	(void)start_ns;
	fputs("a record\n", out);
	/* as looking for a symbol's file would */
	errno = ENOENT;
	return 0;
}

static const struct options report = { .level = GAPP_LEVEL_CRITICAL };
static const struct options script = { .level = GAPP_LEVEL_CRITICAL, .script = true };

static struct capture *capture;

static void begin(const struct options *options)
{
	static struct device device;

	world = (struct world){ .no_memory_after = 1000000 };
	capture = capture_new(&device, options);
	assert_non_null(capture);
}

/* How old records must be. */
static void assert_age(u64 age)
{
	u64 before = clock_ns();

	assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	assert_true(world.until >= before - age);
	assert_true(world.until <= clock_ns() - age);
}

static void records_settle(void **state)
{
	(void)state;
	begin(&report);
	assert_age(MS(100));
	world.fill = 49;
	assert_age(MS(100));
	/* from here on the module does not let anybody sleep for them */
	world.fill = 50;
	assert_age(MS(2));
	world.fill = 100;
	assert_age(MS(2));
	assert_int_equal(capture_drain(capture, true), CAPTURE_ON);
	assert_true(world.until == UINT64_MAX);
	capture_free(capture);
}

static void drains_without_records_sleep(void **state)
{
	u64 begin_ns = clock_ns();

	(void)state;
	begin(&report);
	world.fill = 100;
	for (int i = 0; i < 10; i++)
		assert_int_equal(capture_drain(capture, false), CAPTURE_ON);
	assert_true(clock_ns() - begin_ns >= 10 * MS(2));
	capture_free(capture);
}

/* Calls @function with stderr in a pipe; gives what was written there. */
static void complaints_of(void (*function)(void), char *text, size_t size)
{
	int ends[2], old = dup(STDERR_FILENO);
	ssize_t len;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	function();
	dup2(old, STDERR_FILENO);
	close(old);
	len = read(ends[0], text, size - 1);
	assert_true(len >= 0);
	text[len] = '\0';
	close(ends[0]);
}

static void run_out_of_memory(void)
{
	world.records = 5;
	world.no_memory_after = 3;
	assert_int_equal(capture_drain(capture, false), CAPTURE_FULL);
	assert_int_equal(capture_drain(capture, true), CAPTURE_FULL);
	assert_int_equal(world.drains, 1);
}

static void run_out_of_memory_in_sideband(void)
{
	world.sideband_fails = true;
	assert_int_equal(capture_drain(capture, false), CAPTURE_FULL);
	assert_int_equal(capture_drain(capture, true), CAPTURE_FULL);
	assert_int_equal(world.drains, 0);
}

/* It is said once, and what was taken in is ranked. */
static void no_memory_for_records(void **state)
{
	struct results results = { 0 };
	char text[256];

	(void)state;
	begin(&report);
	complaints_of(run_out_of_memory, text, sizeof(text));
	assert_string_equal(text, "gapp: out of memory\n");
	assert_int_equal(capture_rank(capture, NULL, &results), 0);
	assert_true(results.ranked);
	capture_free(capture);

	begin(&report);
	complaints_of(run_out_of_memory_in_sideband, text, sizeof(text));
	assert_string_equal(text, "gapp: out of memory\n");
	capture_free(capture);
}

static void rings_without_sense(void **state)
{
	(void)state;
	begin(&report);
	world.bad_rings = true;
	assert_int_equal(capture_drain(capture, false), CAPTURE_FAILED);
	assert_int_equal(capture_drain(capture, true), CAPTURE_FAILED);
	capture_free(capture);
}

static enum capture_state last;

static void drain_script(void)
{
	world.records = 10000;
	last = capture_drain(capture, false);
	assert_int_equal(capture_drain(capture, true), last);
	assert_int_equal(world.drains, 1);
}

/* With standard output there. */
static void script_to(int fd, enum capture_state expected, const char *complaint)
{
	int old = dup(STDOUT_FILENO);
	char text[256];

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	begin(&script);
	complaints_of(drain_script, text, sizeof(text));
	capture_free(capture);
	dup2(old, STDOUT_FILENO);
	close(old);
	assert_int_equal(last, expected);
	assert_string_equal(text, complaint);
}

static void output_that_nobody_reads(void **state)
{
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	script_to(ends[1], CAPTURE_UNREAD, "");
}

static void output_on_a_full_disk(void **state)
{
	(void)state;
	script_to(open("/dev/full", O_WRONLY), CAPTURE_FAILED,
		  "gapp: cannot write the records: No space left on device\n");
}

static void output_is_written_at_once(void **state)
{
	int ends[2], old = dup(STDOUT_FILENO);
	char text[64] = "";

	(void)state;
	fflush(stdout);
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
	begin(&script);
	world.records = 2;
	last = capture_drain(capture, false);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	capture_free(capture);
	dup2(old, STDOUT_FILENO);
	close(old);
	close(ends[0]);
	assert_int_equal(last, CAPTURE_ON);
	assert_string_equal(text, "a record\na record\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_settle),
		cmocka_unit_test(drains_without_records_sleep),
		cmocka_unit_test(no_memory_for_records),
		cmocka_unit_test(rings_without_sense),
		cmocka_unit_test(output_that_nobody_reads),
		cmocka_unit_test(output_on_a_full_disk),
		cmocka_unit_test(output_is_written_at_once),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
