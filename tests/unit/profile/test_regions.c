// SPDX-License-Identifier: GPL-2.0
/* Parallel regions of OpenMP by made-up call paths, as both compilers and runtimes make them. */
#include "fake_code.h"

#include "profile/profile_private.h"
#include "profile/regions.h"

#define TGID 10

static struct regions regions;

static void take_of(s32 tgid, const char *path, u64 ns)
{
	struct made made = made_slice(tgid + 1, tgid, path_of(path), SHARE(ns));

	fold(profile, &made);
}

static void take(const char *path, u64 ns)
{
	take_of(TGID, path, ns);
}

static void make(void)
{
	regions_free(&regions);
	assert_int_equal(profile_regions(profile, NULL, &regions), 0);
}

static const struct region_row *row(const char *outlined)
{
	for (size_t i = 0; i < regions.count; i++) {
		const char *name = regions.rows[i].outlined->function;

		if (name ? outlined && !strcmp(name, outlined) : !outlined)
			return &regions.rows[i];
	}
	fail_msg("no region %s", outlined ?: "without a name");
	return NULL;
}

static void has(const struct region_row *row, const char *function, u64 ns)
{
	if (function)
		assert_string_equal(row->function, function);
	else
		assert_null(row->function);
	near(row->critical_ns, ns);
}

/* All time is in one row. */
static void adds_up(u64 ns)
{
	double sum = 0;

	for (size_t i = 0; i < regions.count; i++)
		sum += regions.rows[i].critical_ns;
	for (size_t i = 0; i < OUTSIDE_REGIONS; i++)
		sum += regions.outside[i].critical_ns;
	near(sum, ns);
}

static void regions_of_gcc(void **state)
{
	(void)state;
	take("burn:1 solve._omp_fn.0:1 GOMP_parallel:1 solve:1 main:1 _start:1", MS(8));
	take("burn:2 solve._omp_fn.0:2 ?gomp:1 _thread:1", MS(4));
	take("solve._omp_fn.1:2 ?gomp:1 _thread:1", MS(2));
	take("futex_wait:1 GOMP_barrier:1 solve._omp_fn.1:2 ?gomp:1 _thread:1", MS(1));
	/* in the runtime, but in no region */
	take("?gomp:2 _thread:1", MS(16));
	take("?gomp:3 GOMP_parallel:1 solve:1 main:1 _start:1", MS(32));
	take("pthread_create:1 GOMP_parallel:1 solve:1 main:1 _start:1", MS(64));
	take("main:3 _start:1", MS(128));
	take("omp_get_wtime:1 main:4 _start:1", MS(256));
	make();
	assert_int_equal(regions.count, 2);
	has(&regions.rows[0], "solve", MS(12));
	assert_string_equal(regions.rows[0].file, "code.c");
	assert_int_equal(regions.rows[0].line, regions.rows[0].outlined->offset + 2);
	assert_int_equal(regions.rows[0].function_count, 1);
	assert_string_equal(regions.rows[0].functions[0].frame->function, "burn");
	near(regions.rows[0].functions[0].critical_ns, MS(12));
	has(row("solve._omp_fn.1"), "solve", MS(3));
	near(regions.outside[OUTSIDE_RUNTIME].critical_ns, MS(112));
	near(regions.outside[OUTSIDE_SEQUENTIAL].critical_ns, MS(384));
	near(regions.outside[OUTSIDE_OTHERS].critical_ns, 0);
	adds_up(MS(511));
}

static void regions_of_clang(void **state)
{
	(void)state;
	/* before clang 17 a region's function is named where the path has it */
	take(".omp_outlined..2:1 ?kmp:1 ?kmp:2 _thread:1", MS(8));
	take("burn:1 .omp_outlined..2:2 __kmp_invoke:1 __kmpc_fork_call:1 solve:1 main:1 _start:1",
	     MS(4));
	take(".omp_outlined.:1 ?kmp:1 _thread:1", MS(32));
	/* since then its name says it */
	take("relax.omp_outlined:1 ?kmp:1 _thread:1", MS(64));
	take("relax.omp_outlined.3:1 ?kmp:1 _thread:1", MS(128));
	/* without optimization the body has a function of its own */
	take(".omp_outlined._debug__.5:1 .omp_outlined..6:1 ?kmp:1 _thread:1", MS(256));
	take("grow.omp_outlined_debug__:1 grow.omp_outlined:1 ?kmp:1 _thread:1", MS(512));
	take("?kmp:3 _thread:1", MS(1024));
	/* the function that adds threads' results up is the region's, if a region called it */
	take(".omp.reduction.reduction_func:1 __kmpc_reduce:1 relax.omp_outlined:2 ?kmp:1 _thread:1",
	     MS(2048));
	take(".omp.reduction.reduction_func:1 ?kmp:4 _thread:1", MS(4096));
	make();
	assert_int_equal(regions.count, 6);
	has(row(".omp_outlined..2"), "solve", MS(12));
	has(row(".omp_outlined."), NULL, MS(32));
	has(row("relax.omp_outlined"), "relax", MS(64 + 2048));
	has(row("relax.omp_outlined.3"), "relax", MS(128));
	has(row(".omp_outlined..6"), NULL, MS(256));
	has(row("grow.omp_outlined"), "grow", MS(512));
	near(regions.outside[OUTSIDE_RUNTIME].critical_ns, MS(1024 + 4096));
	adds_up(MS(8172));
}

static void the_innermost_region_has_the_time(void **state)
{
	(void)state;
	take("inner._omp_fn.0:1 GOMP_parallel:1 inner:1 outer._omp_fn.0:1 GOMP_parallel:1 outer:1 main:1 _start:1",
	     MS(4));
	take("inner:2 outer._omp_fn.0:1 GOMP_parallel:1 outer:1 main:1 _start:1", MS(2));
	/* a clause of if() that is false: no runtime is between them */
	take(".omp_outlined..1:1 .omp_outlined.:1 ?kmp:1 _thread:1", MS(1));
	make();
	has(row("inner._omp_fn.0"), "inner", MS(4));
	has(row("outer._omp_fn.0"), "outer", MS(2));
	has(row(".omp_outlined..1"), NULL, MS(1));
	adds_up(MS(7));
}

static void who_is_called_by_the_runtime_is_outlined(void **state)
{
	(void)state;
	/* stripped, or made by another compiler, or jumped to at the end of one */
	take("burn:1 ?stripped:1 ?gomp:1 _thread:1", MS(4));
	take("?stripped:2 GOMP_parallel:1 solve:1 main:1 _start:1", MS(2));
	take("L_main_12__par_loop0:1 ?kmp:1 _thread:1", MS(1));
	/* of a program that has its runtime in itself */
	take("tail:1 gomp_thread_start:1 _thread:1", MS(8));
	take("do_wait:1 gomp_barrier_wait:1 gomp_thread_start:1 _thread:1", MS(16));
	take("helper:1 gomp_init:1 main:1 _start:1", MS(32));
	make();
	assert_int_equal(regions.count, 3);
	/* others may jump there, too, so who called it once says nothing */
	has(row(NULL), NULL, MS(6));
	assert_null(row(NULL)->file);
	has(row("L_main_12__par_loop0"), "L_main_12__par_loop0", MS(1));
	has(row("tail"), "tail", MS(8));
	near(regions.outside[OUTSIDE_RUNTIME].critical_ns, MS(48));
	adds_up(MS(63));
}

static void what_is_not_known_is_in_no_region(void **state)
{
	struct made made;

	(void)state;
	take("solve._omp_fn.0:1 ?gomp:1 _thread:1", MS(1));
	made = made_slice(TGID, TGID, cut_path_of("burn:1"), SHARE(MS(2)));
	fold(profile, &made);
	/* a part of a path that has the region is enough */
	made = made_slice(TGID, TGID, cut_path_of("burn:1 solve._omp_fn.0:1"), SHARE(MS(4)));
	fold(profile, &made);
	made = made_slice(TGID, TGID, GAPP_PATH_NONE, SHARE(MS(8)));
	fold(profile, &made);
	make();
	has(&regions.rows[0], "solve", MS(5));
	near(regions.outside[OUTSIDE_UNKNOWN].critical_ns, MS(2));
	adds_up(MS(7));
}

static void programs_without_regions_are_apart(void **state)
{
	struct gapp_record_wait wait =
		made_wait(11, TGID, path_of("nanosleep:1 solve._omp_fn.0:1 ?gomp:1 _thread:1"),
			  MS(3), GAPP_WAIT_SLEEP);

	(void)state;
	take_of(20, "main:1 _start:1", MS(1));
	make();
	assert_int_equal(regions.count, 0);
	take("solve._omp_fn.0:1 ?gomp:1 _thread:1", MS(2));
	take("main:2 _start:1", MS(4));
	fold_wait(profile, &wait);
	make();
	assert_int_equal(regions.count, 1);
	near(regions.rows[0].idle_ns, MS(3));
	near(regions.rows[0].running, 2);
	near(regions.outside[OUTSIDE_OTHERS].critical_ns, MS(1));
	near(regions.outside[OUTSIDE_SEQUENTIAL].critical_ns, MS(4));
	adds_up(MS(7));
}

/* Samples say where a slice ran, and where slices did that have none. */
static void samples_decide(void **state)
{
	u32 end = path_of("?gomp:1 _thread:1"),
	    region = path_of("solve._omp_fn.0:1 ?gomp:1 _thread:1");

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct made made = made_slice(11, TGID, end, SHARE(MS(2)));

		made_sample(&made, region, SHARE(MS(2)));
		fold(profile, &made);
	}
	take("?gomp:1 _thread:1", MS(1));
	make();
	has(&regions.rows[0], "solve", MS(11));
	near(regions.outside[OUTSIDE_RUNTIME].critical_ns, 0);
	adds_up(MS(11));
}

static int end(void **state)
{
	regions_free(&regions);
	return profile_end(state);
}

#define REGIONS(function) cmocka_unit_test_setup_teardown(function, profile_begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		REGIONS(regions_of_gcc),
		REGIONS(regions_of_clang),
		REGIONS(the_innermost_region_has_the_time),
		REGIONS(who_is_called_by_the_runtime_is_outlined),
		REGIONS(what_is_not_known_is_in_no_region),
		REGIONS(programs_without_regions_are_apart),
		REGIONS(samples_decide),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("regions", tests, NULL, NULL);
}
