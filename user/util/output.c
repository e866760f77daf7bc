// SPDX-License-Identifier: GPL-2.0
#include "output.h"

#include <errno.h>

#include "util.h"

/* For fopencookie(): returns the bytes that were written, or 0 after an error. */
static ssize_t write_out(void *context, const char *bytes, size_t size)
{
	struct output *output = context;
	size_t done = 0;

	while (!output->error && done < size) {
		ssize_t written = write(output->fd, bytes + done, size - done);

		if (written > 0)
			done += written;
		else if (written < 0 && errno != EINTR)
			output->error = errno;
	}
	return done == size ? (ssize_t)done : 0;
}

int output_open(struct output *output, int fd)
{
	*output = (struct output){ .fd = fd };
	output->stream = fopencookie(output, "w", (cookie_io_functions_t){ .write = write_out });
	return output->stream ? 0 : -1;
}

void output_close(struct output *output)
{
	if (output->stream)
		fclose(output->stream);
	output->stream = NULL;
}
