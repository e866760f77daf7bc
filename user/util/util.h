/* SPDX-License-Identifier: GPL-2.0 */
/* What every part of the reader uses: scope guards, messages, exit statuses, the clock. */
#ifndef GAPP_READ_UTIL_H
#define GAPP_READ_UTIL_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/port.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define NSEC_PER_SEC 1000000000ULL
/* For qsort: below, at or above 0, as @a is less than, equal to or greater than @b. */
#define three_way(a, b) (((a) > (b)) - ((a) < (b)))
/* The first argument that is not 0: compares by several members, the most important one first. */
#define compare_by(...)                             \
	first_nonzero((const int[]){ __VA_ARGS__ }, \
		      sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

#define _attribute_(...) __attribute__((__VA_ARGS__))
#define _cleanup_(function) _attribute_(__cleanup__(function))
#define _unused_ _attribute_(__unused__)
#define _cleanup_free_ _cleanup_(cleanup_free)
#define _cleanup_close_ _cleanup_(cleanup_close)

static inline void cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

/* Keeps errno. */
static inline void cleanup_close(int *fd)
{
	int error = errno;

	if (*fd >= 0)
		close(*fd);
	errno = error;
}

static inline int first_nonzero(const int *results, size_t count)
{
	size_t i = 0;

	while (i < count - 1 && !results[i])
		i++;
	return results[i];
}

/* Exit statuses besides 0 and those of the command; the last three are those of a shell. */
enum {
	STATUS_NOT_WELL = 1, /* doctor has found what stops gapp */
	STATUS_USAGE = 2,
	STATUS_CONDITION = 3, /* a condition of --fail-if holds */
	STATUS_FAILED = 125,
	STATUS_NOT_EXECUTABLE = 126,
	STATUS_NOT_FOUND = 127,
	STATUS_SIGNAL = 128,
};

/* Prints a line "gapp: ..." on stderr. Controls in it are escaped. */
_attribute_(format(printf, 1, 2)) void complain(const char *format, ...);
/* Complains and returns -1. */
int out_of_memory(void);

u64 clock_ns(void);

/* True, with errno set to ECANCELED, once another thread has set @cancel, which may be NULL. */
bool is_cancelled(const volatile bool *cancel);

#endif /* GAPP_READ_UTIL_H */
