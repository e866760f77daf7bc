// SPDX-License-Identifier: GPL-2.0
/*
 * Loaded before gapp-read's libraries: takes the flags of GAPP_WITHOUT, a number, out of the
 * configuration that gapp-read gives the module. So what one flag costs can be measured, of which
 * gapp-read has no option of its own.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "gapp.h"

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int fd, unsigned long request, ...) = dlsym(RTLD_NEXT, "ioctl");
	const char *without = getenv("GAPP_WITHOUT");
	struct gapp_config *config;
	void *argument;
	va_list list;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	if (request == GAPP_IOC_CONFIGURE && without) {
		config = argument;
		config->flags &= ~strtoul(without, NULL, 0);
	}
	return next(fd, request, argument);
}
