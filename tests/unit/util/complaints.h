/* SPDX-License-Identifier: GPL-2.0 */
/* What a function writes to stderr. */
#ifndef COMPLAINTS_H
#define COMPLAINTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

/* Calls @function with stderr in a pipe; gives what was written there. */
static inline void complaints_of(void (*function)(void), char *text, size_t size)
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

#endif /* COMPLAINTS_H */
