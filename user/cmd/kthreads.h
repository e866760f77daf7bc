/* SPDX-License-Identifier: GPL-2.0 */
/* Threads of the kernel that are followed, by their names. */
#ifndef GAPP_READ_KTHREADS_H
#define GAPP_READ_KTHREADS_H

#include "input/device.h"

/**
 * struct kthreads - the search for threads of the kernel
 * @dev: the session that follows them
 * @glob: their names, as ps(1) shows them
 * @no_room: threads that the last search has found, and the session has no room for
 * @most_without_room: @no_room of the search that has most
 */
struct kthreads {
	struct device *dev;
	const char *glob;
	u32 no_room;
	u32 most_without_room;
};

/* Adds those that there are before START. Returns 0, or -1 with a complaint made. */
int kthreads_add(struct kthreads *kthreads);

/* Adds those that have begun since, while the session runs. */
void kthreads_add_later(struct kthreads *kthreads);

#endif /* GAPP_READ_KTHREADS_H */
