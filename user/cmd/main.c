// SPDX-License-Identifier: GPL-2.0
/* gapp-read: reads what gapp.ko finds out. */
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>

#include "input/device.h"
#include "opts.h"
#include "outputs.h"
#include "util/signals.h"

/* Allocations of so many bytes are mappings of their own. */
#define MAPPED_BYTES 0x40000

/* Opens standard descriptors that are closed, so that no file opened later becomes stdout. */
static void open_standard_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	cleanup_close(&fd);
}

static int print(void (*what)(FILE *out))
{
	what(stdout);
	return flush_stdout("") ? STATUS_FAILED : 0;
}

int main(int argc, char **argv)
{
	_cleanup_options_ struct options options = { 0 };

	open_standard_fds();
	signals_ignore_limit();
	/* tables that have grown give their memory back; glibc would keep it for the next ones */
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	setlocale(LC_CTYPE, "");

	if (options_parse(&options, argc, argv))
		return STATUS_USAGE;
	if (options.help)
		return print(options_help);
	if (options.version)
		return print(device_print_version);
	if (options.action == ACTION_DIFF)
		return diff(&options);
	if (options.action == ACTION_MERGE)
		return merge(&options);
	if (options.action == ACTION_SPINS)
		return spins(&options);
	if (options.action == ACTION_DOCTOR)
		return doctor(&options);
	if (options.action == ACTION_CTL)
		return ctl(&options);
	return reads_recording(&options) ? reread(&options) : record(&options);
}
