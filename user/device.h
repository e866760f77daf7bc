/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/gapp: one open file is one session. Whatever fails has been complained about. */
#ifndef GAPP_READ_DEVICE_H
#define GAPP_READ_DEVICE_H

#include <stdio.h>
#include <sys/types.h>

#include <gapp.h>

#include "util.h"

struct device {
	int fd;
	struct gapp_abi abi;
};

#define DEVICE_CLOSED    \
	{                \
		.fd = -1 \
	}
#define _cleanup_device_ _cleanup_(device_close)

int device_open(struct device *dev);
void device_close(struct device *dev);
void device_print_version(FILE *out);

/* What the operations return where it is not 0. */
enum {
	DEVICE_FAILED = -1,
	DEVICE_GONE = -2, /* every target has exited (START) */
};

int device_configure(struct device *dev, const struct gapp_config *config);
int device_add_target(struct device *dev, pid_t pid, u32 flags);
/* The same in two steps, for a process that may exit meanwhile; errno leads to the second. */
int device_try_target(struct device *dev, pid_t pid, u32 flags);
int device_refused_target(pid_t pid);
/* Follows every process that executes the file from now on. */
int device_add_exe(struct device *dev, const char *path, u32 flags);
int device_start(struct device *dev);
int device_stop(struct device *dev);
int device_status(struct device *dev, struct gapp_status *status);
int device_counters(struct device *dev, struct gapp_counters *counters);
int device_layout(struct device *dev, struct gapp_layout *layout);
int device_page(struct device *dev, unsigned long request, struct gapp_page *page);
int device_groups(struct device *dev, struct gapp_page *page);

#endif /* GAPP_READ_DEVICE_H */
