/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/gapp: one open file is one session. Whatever fails has been complained about. */
#ifndef GAPP_READ_DEVICE_H
#define GAPP_READ_DEVICE_H

#include <stdio.h>
#include <sys/types.h>

#include <gapp.h>

#include "util/util.h"

/**
 * struct device - a session
 * @fd: its open file; -1: none
 * @abi: what the module speaks
 * @unwind_by: how it takes user paths: what CONFIGURE asked for, if the module knows that; enum
 *	gapp_unwind_by
 */
struct device {
	int fd;
	struct gapp_abi abi;
	u8 unwind_by;
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

/* A module that knows frame pointers only is asked for these, with a complaint. */
int device_configure(struct device *dev, const struct gapp_config *asked);
int device_add_process(struct device *dev, pid_t pid, u32 flags);
/* The same in two steps, for a process that may exit meanwhile; errno leads to the second. */
int device_try_process(struct device *dev, pid_t pid, u32 flags);
int device_refused_process(pid_t pid);
/* Follows every process that executes the file from now on. */
int device_add_executable(struct device *dev, const char *path, u32 flags);
int device_start(struct device *dev);
int device_stop(struct device *dev);
int device_status(struct device *dev, struct gapp_status *status);
int device_counters(struct device *dev, struct gapp_counters *counters);
int device_layout(struct device *dev, struct gapp_layout *layout);
int device_page(struct device *dev, unsigned long request, struct gapp_page *page);
int device_targets(struct device *dev, struct gapp_page *page);

/*
 * What the module walks stacks by, once CONFIGURE has set up a session that takes paths by tables.
 * These do not complain: they return 0, or -1 with errno set as <gapp.h> says.
 */
bool device_unwinds_by_tables(const struct device *dev);
int device_load_table(struct device *dev, const void *data, u64 bytes, u32 *number);
int device_drop_table(struct device *dev, u32 number);
/* The number of a process's address space. */
int device_image(struct device *dev, pid_t pid, u32 *image);
int device_set_mappings(struct device *dev, pid_t pid, u32 image, const struct gapp_mapping *maps,
			u32 count);

#endif /* GAPP_READ_DEVICE_H */
