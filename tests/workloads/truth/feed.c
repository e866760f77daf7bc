// SPDX-License-Identifier: GPL-2.0
/*
 * Writes lines to standard output, slowly: the other end of the slow pipe. No program of the suite
 * itself.
 *
 * Usage: feed [lines=200] [us between them=12000]
 */
#include "../work.h"

int main(int argc, char **argv)
{
	unsigned long lines = arg_or(argc, argv, 1, 200);
	unsigned long us = arg_or(argc, argv, 2, 12000);

	for (unsigned long i = 0; i < lines; i++) {
		sleep_us(us);
		if (write(STDOUT_FILENO, "a line\n", 7) != 7)
			die("write");
	}
	return 0;
}
