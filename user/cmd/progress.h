/* SPDX-License-Identifier: GPL-2.0 */
/* The line on a terminal that shows that a recording is going on. */
#ifndef GAPP_READ_PROGRESS_H
#define GAPP_READ_PROGRESS_H

#include "input/device.h"

/**
 * struct progress - what is on the terminal
 * @dev: running session
 * @records: it has records
 * @apart: each process is a target of its own, so there is no one number of active threads
 * @shown: the line is there
 * @failed: its figures could not be had; not tried again
 * @columns: that it takes
 */
struct progress {
	struct device *dev;
	bool records;
	bool apart;
	bool shown;
	bool failed;
	int columns;
};

void progress_show(struct progress *progress);
void progress_erase(struct progress *progress);

#endif /* GAPP_READ_PROGRESS_H */
