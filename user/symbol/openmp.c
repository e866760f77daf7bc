// SPDX-License-Identifier: GPL-2.0
#include "openmp.h"

#include <string.h>

static bool begins_with_any(const char *text, const char *const *begins, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!strncmp(text, begins[i], strlen(begins[i])))
			return true;
	}
	return false;
}

/*
 * How outlined functions are marked: main._omp_fn.0 by gcc, main.omp_outlined.2 by clang from 17 on
 * and .omp_outlined..2 before, .omp_task_entry..3 by clang for tasks, main..omp_par.1 by LLVM's
 * OpenMPIRBuilder, which flang uses.
 */
static const char *const marks[] = {
	"._omp_fn.",
	".omp_outlined",
	".omp_task_entry",
	"..omp_par",
};

/* NULL: there is none. */
static const char *find_mark(const char *name)
{
	const char *first = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *found = strstr(name, marks[i]);

		if (found && (!first || found < first))
			first = found;
	}
	return first;
}

size_t openmp_mark(const char *name, size_t length)
{
	const char *mark = find_mark(name);

	return mark && (size_t)(mark - name) < length ? (size_t)(mark - name) : length;
}

/* Of gcc's and clang's copies of arguments, reductions, and the like. */
static bool is_helper(const char *name)
{
	return strstr(name, "._omp_cpyfn.") || strstr(name, ".omp.") || strstr(name, ".omp_");
}

/* clang moves the body once more, for debuggers, into a function that the outlined one calls. */
static bool is_inner(const char *mark)
{
	static const char outlined[] = ".omp_outlined";
	const char *behind = mark + sizeof(outlined) - 1;

	if (strncmp(mark, outlined, sizeof(outlined) - 1))
		return false;
	behind += *behind == '.';
	return !strncmp(behind, "_debug__", strlen("_debug__"));
}

static bool is_runtime_module(const char *module)
{
	static const char *const modules[] = {
		"libgomp.so", "libgomp-", "libomp.so", "libomp-", "libomp5", "libiomp5",
	};

	return begins_with_any(module, modules, ARRAY_SIZE(modules));
}

/* Of a program that contains its runtime. */
static bool is_runtime_name(const char *name)
{
	static const char *const names[] = { "GOMP_", "gomp_", "__kmp" };

	return begins_with_any(name, names, ARRAY_SIZE(names));
}

enum openmp_code openmp_code_of(const struct frame *function)
{
	const char *name = function->function, *mark;

	if (function->kernel)
		return OPENMP_NONE;
	if (is_runtime_module(function->module))
		return name && !strncmp(name, "omp_", strlen("omp_")) ? OPENMP_ASKED :
									OPENMP_RUNTIME;
	if (!name)
		return OPENMP_NONE;
	mark = find_mark(name);
	if (mark)
		return is_inner(mark) ? OPENMP_INNER : OPENMP_OUTLINED;
	if (is_helper(name))
		return OPENMP_HELPER;
	return is_runtime_name(name) ? OPENMP_RUNTIME : OPENMP_NONE;
}
