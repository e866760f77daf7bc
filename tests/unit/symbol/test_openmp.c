// SPDX-License-Identifier: GPL-2.0
/* What compilers and runtimes of OpenMP call their functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/openmp.h"
#include "symbol/symbol_file.h"

static const struct {
	const char *symbol;
	const char *module;
	enum openmp_code code;
	const char *name;
	const char *function; /* that has the region */
} vectors[] = {
	/* gcc */
	{ "main._omp_fn.0", "a", OPENMP_OUTLINED, "main._omp_fn.0", "main" },
	{ "main._omp_fn.12.cold", "a", OPENMP_OUTLINED, "main._omp_fn.12", "main" },
	{ "MAIN__._omp_fn.1", "a", OPENMP_OUTLINED, "MAIN__._omp_fn.1", "MAIN__" },
	{ "_ZN2ns5solveEPd._omp_fn.3", "a", OPENMP_OUTLINED, "ns::solve._omp_fn.3", "ns::solve" },
	{ "_ZN2ns5solveEPd._omp_fn.3.constprop.0", "a", OPENMP_OUTLINED, "ns::solve._omp_fn.3",
	  "ns::solve" },
	{ "main._omp_cpyfn.4", "a", OPENMP_HELPER, "main._omp_cpyfn.4", NULL },
	/* clang, before 17 and since, and its copies for debuggers */
	{ ".omp_outlined.", "a", OPENMP_OUTLINED, ".omp_outlined.", "" },
	{ ".omp_outlined..2", "a", OPENMP_OUTLINED, ".omp_outlined..2", "" },
	{ ".omp_outlined._debug__.3", "a", OPENMP_INNER, ".omp_outlined._debug__.3", "" },
	{ "main.omp_outlined", "a", OPENMP_OUTLINED, "main.omp_outlined", "main" },
	{ "main.omp_outlined.7", "a", OPENMP_OUTLINED, "main.omp_outlined.7", "main" },
	{ "main.omp_outlined_debug__", "a", OPENMP_INNER, "main.omp_outlined_debug__", "main" },
	{ "_ZN2ns5solveEPd.omp_outlined.1", "a", OPENMP_OUTLINED, "ns::solve.omp_outlined.1",
	  "ns::solve" },
	{ ".omp_task_entry..3", "a", OPENMP_OUTLINED, ".omp_task_entry..3", "" },
	{ ".omp_task_privates_map.", "a", OPENMP_HELPER, ".omp_task_privates_map.", NULL },
	{ ".omp.reduction.reduction_func", "a", OPENMP_HELPER, ".omp.reduction.reduction_func",
	  NULL },
	{ "_QQmain..omp_par.1", "a", OPENMP_OUTLINED, "_QQmain..omp_par.1", "_QQmain" },
	/* runtimes, with names and without, in a file of their own and in the program */
	{ "GOMP_parallel", "libgomp.so.1.0.0", OPENMP_RUNTIME, "GOMP_parallel", NULL },
	{ NULL, "libgomp.so.1", OPENMP_RUNTIME, NULL, NULL },
	{ NULL, "libgomp-a34b3233.so.1.0.0", OPENMP_RUNTIME, NULL, NULL },
	{ NULL, "libomp.so.5", OPENMP_RUNTIME, NULL, NULL },
	{ "__kmpc_fork_call", "libomp-14.so.5", OPENMP_RUNTIME, "__kmpc_fork_call", NULL },
	{ "gomp_thread_start", "a", OPENMP_RUNTIME, "gomp_thread_start", NULL },
	{ "omp_get_wtime", "libgomp.so.1", OPENMP_ASKED, "omp_get_wtime", NULL },
	/* the program's own, whatever it is called */
	{ "omp_get_wtime", "a", OPENMP_NONE, "omp_get_wtime", NULL },
	{ "main", "a", OPENMP_NONE, "main", NULL },
	{ "my_gomp_thread", "a", OPENMP_NONE, "my_gomp_thread", NULL },
	{ NULL, "a", OPENMP_NONE, NULL, NULL },
	{ NULL, "libompd.so", OPENMP_NONE, NULL, NULL },
};

static void names_say_what_a_function_is(void **state)
{
	_cleanup_free_ char *name = malloc(DEMANGLE_SIZE);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct frame frame = { .module = vectors[i].module };
		size_t length;

		if (vectors[i].symbol) {
			demangle(name, vectors[i].symbol);
			assert_string_equal(name, vectors[i].name);
			frame.function = name;
		}
		if (openmp_code_of(&frame) != vectors[i].code)
			fail_msg("%s of %s", vectors[i].symbol, vectors[i].module);
		if (!vectors[i].function)
			continue;
		length = openmp_mark(name, strlen(name));
		if (length != strlen(vectors[i].function) ||
		    strncmp(name, vectors[i].function, length))
			fail_msg("%s: %.*s", name, (int)length, name);
	}
}

static void the_kernel_has_no_regions(void **state)
{
	const struct frame frame = { .function = "f._omp_fn.0", .module = "a", .kernel = true };

	(void)state;
	assert_int_equal(openmp_code_of(&frame), OPENMP_NONE);
}

static void other_names_have_no_mark(void **state)
{
	(void)state;
	assert_int_equal(openmp_mark("main.cold", 9), 9);
	/* only before @length */
	assert_int_equal(openmp_mark("main.cold.omp_outlined", 9), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_say_what_a_function_is),
		cmocka_unit_test(the_kernel_has_no_regions),
		cmocka_unit_test(other_names_have_no_mark),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("openmp", tests, NULL, NULL);
}
