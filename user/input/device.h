/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/gapp: one open file is one session. Functions that fail make a complaint, unless noted. */
#ifndef GAPP_READ_DEVICE_H
#define GAPP_READ_DEVICE_H

#include <stdio.h>
#include <sys/types.h>

#include <gapp.h>

#include "tallies.h"
#include "util/util.h"

/**
 * struct device - a session
 * @fd: its open file; -1: none
 * @abi: the module's ABI
 * @unwind_by: how the module finds user paths, enum gapp_unwind_by; set by device_configure()
 * @waits: the module adds up what threads wait for; set by device_configure()
 * @handovers: the module counts who hands the CPU to whom; set by device_configure()
 * @spins: the module finds out which threads are in busy-wait loops; set by device_configure()
 * @wakers: records say who woke a thread; set by device_configure()
 */
struct device {
	int fd;
	struct gapp_abi abi;
	u8 unwind_by;
	bool waits;
	bool handovers;
	bool spins;
	bool wakers;
};

int device_open(struct device *dev);
/*
 * Both make no complaint: they return 0, or -1 with errno set. To look what is there, one opens the
 * node, and the other asks for @abi.
 */
int device_probe(struct device *dev);
int device_ask_abi(struct device *dev);
void device_close(struct device *dev);
void device_print_version(FILE *out);

/* Functions return 0, or one of these if they fail. */
enum {
	DEVICE_FAILED = -1,
	DEVICE_GONE = -2, /* every target has exited (START) */
};

/* Makes no complaint; device_refused_config() makes one for its errno, and fails. */
int device_configure(struct device *dev, const struct gapp_config *asked);
int device_refused_config(void);
/*
 * Between CONFIGURE with GAPP_CONFIG_TALLIES and START. Makes no complaint: sets @refused of each
 * tally that the module or the processor refuses.
 */
void device_add_tallies(struct device *dev, struct tallies *tallies);
/*
 * Follows a process, by its id or that of one of its threads; one that is named twice is followed
 * once. Makes no complaint; device_refused_process() makes one for its errno, and fails.
 */
int device_add_process(struct device *dev, pid_t pid, u32 flags);
int device_refused_process(pid_t pid);
/* From now on the module follows every process that executes the file. */
int device_add_executable(struct device *dev, const char *path, u32 flags);
int device_add_selection(struct device *dev, const char *comm, int cgroup_fd, u32 flags);
int device_start(struct device *dev);
int device_stop(struct device *dev);
int device_status(struct device *dev, struct gapp_status *status);
int device_counters(struct device *dev, struct gapp_counters *counters);
int device_layout(struct device *dev, struct gapp_layout *layout);
int device_page(struct device *dev, unsigned long request, struct gapp_page *page);

/* Whether the module can add up what threads wait for (GAPP_CONFIG_WAITS). */
bool device_knows_waits(const struct device *dev);
/* Whether the module can count handovers (GAPP_CONFIG_HANDOVERS). */
bool device_knows_handovers(const struct device *dev);
/* Whether the module can take the call paths of wakers (GAPP_CONFIG_WAKER_PATHS). */
bool device_knows_waker_paths(const struct device *dev);
/* Whether a wait for a lock in the kernel can be told (GAPP_CONFIG_KERNEL_LOCKS). */
bool device_knows_kernel_locks(const struct device *dev);
/* Whether the module records what threads say of themselves (GAPP_CONFIG_MARKS). */
bool device_knows_marks(const struct device *dev);
/* Whether the module adds up page faults, migrations and events (GAPP_CONFIG_TALLIES). */
bool device_knows_tallies(const struct device *dev);
/* Whether records of slices say what was counted in them (GAPP_CONFIG_SLICE_TALLIES). */
bool device_knows_slice_tallies(const struct device *dev);
/* Whether the module takes spin tables (GAPP_CONFIG_SPINS). */
bool device_knows_spins(const struct device *dev);
/* Whether the module can watch a word, and records say who ended waits. */
bool device_watches(const struct device *dev);
/* Whether the module can tell what instructions store. */
bool device_tells_stores(const struct device *dev);
/* Whether the module can time busy-wait loops exactly. */
bool device_times_exactly(const struct device *dev);
/* Whether records of waits can say which file they are for (GAPP_CONFIG_WAIT_FILES). */
bool device_knows_wait_files(const struct device *dev);
/* Whether the module unwinds by tables, after device_configure(). */
bool device_unwinds_by_tables(const struct device *dev);
/* These make no complaint: they return 0, or -1 with errno set as <gapp.h> says. */
int device_load_table(struct device *dev, const void *data, u64 bytes, u32 *number);
int device_watch(struct device *dev, const struct gapp_watch *watch);
int device_exact(struct device *dev, const struct gapp_exact *exact);
int device_store_point(struct device *dev, const struct gapp_store_point *point);
int device_drop_table(struct device *dev, u32 number);
/* @image: set to the number of the process's address space. */
int device_image(struct device *dev, pid_t pid, u32 *image);
int device_set_mappings(struct device *dev, pid_t pid, u32 image,
			const struct gapp_mapping *mappings, u32 count);

#endif /* GAPP_READ_DEVICE_H */
