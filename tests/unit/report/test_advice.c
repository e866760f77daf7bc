// SPDX-License-Identifier: GPL-2.0
/* What gives names to functions that have none: by the package manager of this system, too. */
#include <sys/stat.h>

#include "made_up.h"

#include "report/advice.h"

#define ROWS 4
#define WALL SECONDS(1)

/**
 * struct rig - results with a few functions
 * @results: the results
 * @rows: their functions
 * @frames: of each function
 */
struct rig {
	struct results results;
	struct ranked rows[ROWS];
	struct frame frames[ROWS];
};

/* Adds a function with @percent of the run time. */
static void add(struct rig *rig, struct frame frame, double percent)
{
	size_t i = rig->results.functions.count++;

	rig->frames[i] = frame;
	rig->rows[i] = (struct ranked){
		.critical_ns = WALL * percent / 100,
		.frames = &rig->frames[i],
		.frame_count = 1,
	};
	rig->results.functions.rows = rig->rows;
	rig->results.model.status.wall_ns = WALL;
}

static void advise(struct rig *rig, size_t lines)
{
	assert_int_equal(results_advise(&rig->results), 0);
	assert_int_equal(rig->results.advice_count, lines);
}

static void end(struct rig *rig)
{
	for (size_t i = 0; i < rig->results.advice_count; i++)
		free(rig->results.advice[i]);
}

static struct object object_of(const char *path)
{
	struct stat file = { 0 };

	stat(path, &file);
	return (struct object){
		.kind = OBJECT_FILE,
		.path = (char *)path,
		.name = strrchr(path, '/') + 1,
		.dev = file.st_dev,
		.inode = file.st_ino,
	};
}

static struct frame nameless(const struct object *object)
{
	return (struct frame){ .module = object->name, .object = object };
}

static void of_the_c_library(void **state)
{
	static const char path[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";
	struct object libc = object_of(path), own = object_of("/opt/app/libown.so");
	struct rig rig = { 0 };

	(void)state;
	if (access("/usr/bin/dpkg-query", X_OK) || access(path, R_OK))
		skip_for("no dpkg-query, or its C library is elsewhere");
	/* with the most time, of all its functions together */
	add(&rig, nameless(&own), 6);
	add(&rig, nameless(&libc), 4);
	add(&rig, nameless(&libc), 4);
	advise(&rig, 1);
	has(rig.results.advice[0], "for names of functions in libc.so.6, install libc6-dbg (");
	has(rig.results.advice[0], "(and the like for 1 more file)");
	end(&rig);
}

static void of_another_package(void **state)
{
	struct object program = object_of("/usr/bin/dpkg");
	struct rig rig = { 0 }, contained = { 0 };

	(void)state;
	if (access("/usr/bin/dpkg-query", X_OK))
		skip_for("no dpkg-query");
	add(&rig, nameless(&program), 5);
	advise(&rig, 1);
	assert_string_equal(rig.results.advice[0],
			    "for names of functions in dpkg, install dpkg-dbgsym");
	end(&rig);
	/* another file than the one that is there now: that of a container */
	program.inode++;
	add(&contained, nameless(&program), 5);
	advise(&contained, 1);
	has_not(contained.results.advice[0], "install");
	end(&contained);
}

static void of_no_package(void **state)
{
	static const char *const paths[] = { "/proc/self/exe", "/opt/[a-z]*/lib?.so", "/" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct object object = object_of(paths[i]);
		struct rig rig = { 0 };

		add(&rig, nameless(&object), 5);
		advise(&rig, 1);
		has(rig.results.advice[0], "strip");
		has_not(rig.results.advice[0], "install");
		end(&rig);
	}
}

static void only_what_is_worth_a_line(void **state)
{
	struct object file = object_of("/opt/app/libown.so"), kernel = { .kind = OBJECT_KERNEL };
	struct rig rig = { 0 };

	(void)state;
	advise(&rig, 0);
	add(&rig, nameless(&file), 2);
	add(&rig, nameless(&kernel), 20);
	add(&rig, (struct frame){ .function = "main", .object = &file }, 70);
	add(&rig, (struct frame){ .function = "JIT code of node", .advice = "--perf" }, 1);
	advise(&rig, 0);
}

/* No package has its names: that file is gone. */
static void of_a_file_that_was_replaced(void **state)
{
	struct object libc = object_of("/usr/lib/x86_64-linux-gnu/libc.so.6");
	struct rig rig = { 0 };

	(void)state;
	libc.replaced = true;
	add(&rig, nameless(&libc), 10);
	advise(&rig, 1);
	has(rig.results.advice[0],
	    "for names of functions in libc.so.6, whose file was replaced, or went with its container, record again, or give");
	has(rig.results.advice[0], "--symfs DIR");
	end(&rig);
}

/* What it calls has names, as a library's functions have that programs use. */
static void of_places(void **state)
{
	struct object program = object_of("/opt/app/stripped");
	struct frame frame = nameless(&program);
	struct ranked place = { .critical_ns = WALL * 5 / 100, .frames = &frame, .frame_count = 1 };
	struct rig rig = { 0 }, less = { 0 };

	(void)state;
	add(&rig, (struct frame){ .function = "fdatasync", .object = &program }, 5);
	rig.results.places = (struct ranking){ .rows = &place, .count = 1 };
	advise(&rig, 1);
	has(rig.results.advice[0], "for names of functions in stripped,");
	end(&rig);
	/* the same time once as a leaf's and once as a place's is not twice as much */
	place.critical_ns = WALL * 2 / 100;
	add(&less, frame, 2);
	less.results.places = (struct ranking){ .rows = &place, .count = 1 };
	advise(&less, 0);
}

static void each_advice_once(void **state)
{
	static const char node[] = "for node", java[] = "for java";
	struct rig rig = { 0 };

	(void)state;
	add(&rig, (struct frame){ .function = "JIT code of node", .advice = node }, 2);
	add(&rig, (struct frame){ .function = "JIT code of java", .advice = java }, 30);
	add(&rig, (struct frame){ .function = "JIT code of node", .advice = node }, 2);
	advise(&rig, 2);
	assert_string_equal(rig.results.advice[0], "for node");
	assert_string_equal(rig.results.advice[1], "for java");
	end(&rig);
}

/* Nearly all of its time is in what it calls. */
static void of_what_is_interpreted(void **state)
{
	struct frame interpreter = { .function = "interpret",
				     .interpreter = true,
				     .advice = "for names" };
	struct ranked place = { .critical_ns = WALL / 2, .frames = &interpreter, .frame_count = 1 };
	struct rig rig = { .results.places = { .rows = &place, .count = 1 } };

	(void)state;
	add(&rig, (struct frame){ .function = "deflate" }, 50);
	advise(&rig, 1);
	assert_string_equal(rig.results.advice[0], "for names");
	end(&rig);
}

/* Whether threads that seem active spin: not where one alone is active. */
static void of_a_decoder_that_is_missing(void **state)
{
	struct rig rig = { .results.table_sync.objects.spin_without = 1 };
	u64 times[] = { 0, WALL, 0 };

	rig.results.model.status.wall_ns = WALL;
	rig.results.model.parallelism = times;
	rig.results.model.parallelism_count = ARRAY_SIZE(times);
	advise(&rig, 0);
	times[1] = 0;
	times[2] = WALL;
	advise(&rig, 1);
	assert_string_equal(rig.results.advice[0], ADVICE_DECODER);
	rig.results.table_sync.objects.spin_without = 0;
	advise(&rig, 0);
	end(&rig);
}

static void the_report_ends_with_it(void **state)
{
	static const char advice[] = "for names of functions in libc.so.6, install libc6-dbg,";
	const struct options options = { .min_critical_ns = 0 };
	struct made made;
	char *text;

	(void)state;
	made_ranked(&made);
	text = print_report(report_text, &made.results, &options);
	has_not(text, "Names ");
	free(text);
	if (asprintf(&made.results.advice[0], "%s and more and more, and yet more of it", advice) <
	    0)
		fail();
	made.results.advice_count = 1;
	text = print_report(report_text, &made.results, &options);
	has(text, "\nNames        for names of functions in libc.so.6, install libc6-dbg");
	has(strstr(text, "Checks "), "\n             of it\n");
	fits(text, 100);
	free(text);
	free(made.results.advice[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_the_c_library),
		cmocka_unit_test(of_another_package),
		cmocka_unit_test(of_no_package),
		cmocka_unit_test(of_a_file_that_was_replaced),
		cmocka_unit_test(only_what_is_worth_a_line),
		cmocka_unit_test(of_places),
		cmocka_unit_test(of_what_is_interpreted),
		cmocka_unit_test(each_advice_once),
		cmocka_unit_test(of_a_decoder_that_is_missing),
		cmocka_unit_test(the_report_ends_with_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("advice", tests, NULL, NULL);
}
