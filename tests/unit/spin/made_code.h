/* SPDX-License-Identifier: GPL-2.0 */
/* An ELF file of x86-64 with made-up code, each piece a function of its own. */
#ifndef GAPP_TEST_MADE_CODE_H
#define GAPP_TEST_MADE_CODE_H

#include "util/util.h"

/* The address of the first byte of code. */
#define MADE_ADDRESS 0x401000

/**
 * struct made_function - a function
 * @name: its name
 * @code: its bytes
 * @size: bytes
 */
struct made_function {
	const char *name;
	const char *code;
	size_t size;
};

/* Makes the file of functions that lie one behind the other. The caller closes it. */
int made_code(const struct made_function *functions, size_t count);

/* Makes the bytes of such a file; the caller frees them. */
u8 *made_code_bytes(const struct made_function *functions, size_t count, size_t *size);
/* Makes a file of bytes. */
int made_file(const void *bytes, size_t size);

#endif /* GAPP_TEST_MADE_CODE_H */
