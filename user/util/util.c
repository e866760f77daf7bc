// SPDX-License-Identifier: GPL-2.0
#include "util.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "names.h"

void complain(const char *format, ...)
{
	char message[1024], safe[NAME_SAFE_SIZE(sizeof(message))];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);

	name_safe(safe, message, strlen(message), NAME_WHOLE);
	fprintf(stderr, "gapp: %s\n", safe);
}

int out_of_memory(void)
{
	complain("out of memory");
	return -1;
}

u64 clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

bool is_cancelled(const volatile bool *cancel)
{
	if (!cancel || !__atomic_load_n(cancel, __ATOMIC_RELAXED))
		return false;
	errno = ECANCELED;
	return true;
}
