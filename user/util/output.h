/* SPDX-License-Identifier: GPL-2.0 */
/* A stream that keeps why it could first not be written to: errno is another's by then. */
#ifndef GAPP_READ_OUTPUT_H
#define GAPP_READ_OUTPUT_H

#include <stdio.h>

/**
 * struct output - a stream to a file descriptor
 * @stream: it; NULL: not open
 * @fd: the file descriptor, which stays its owner's
 * @error: error number of the first write that failed; 0: none did
 */
struct output {
	FILE *stream;
	int fd;
	int error;
};

/* Returns 0, or -1 without memory. The stream knows where it is, so it must not be copied. */
int output_open(struct output *output, int fd);
void output_close(struct output *output);

#endif /* GAPP_READ_OUTPUT_H */
