/* SPDX-License-Identifier: GPL-2.0 */
/* A stream that remembers the errno of its first write that failed. */
#ifndef GAPP_READ_OUTPUT_H
#define GAPP_READ_OUTPUT_H

#include <stdio.h>

/**
 * struct output - a stream to a file descriptor
 * @stream: what to print to; NULL: not open
 * @fd: the file descriptor, which output_close() leaves open
 * @error: errno of the first write that failed; 0: none did
 */
struct output {
	FILE *stream;
	int fd;
	int error;
};

/* Returns 0, or -1 without memory. The stream has a pointer to @output, which must not move. */
int output_open(struct output *output, int fd);
void output_close(struct output *output);

#endif /* GAPP_READ_OUTPUT_H */
