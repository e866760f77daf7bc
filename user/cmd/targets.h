/* SPDX-License-Identifier: GPL-2.0 */
/* What a session is asked to follow. */
#ifndef GAPP_READ_TARGETS_H
#define GAPP_READ_TARGETS_H

#include "capture.h"
#include "follow.h"

/* What CONFIGURE is given. */
void targets_config(const struct options *options, struct gapp_config *config);

/* One process. Its end is waited for. 0, or -1 with a complaint made. */
int targets_add(const struct options *options, struct device *dev, struct follow *follow,
		struct capture *capture, pid_t pid);

/* All that the options name but a command: processes, an executable, the whole machine. */
int targets_add_all(const struct options *options, struct device *dev, struct follow *follow,
		    struct capture *capture);

#endif /* GAPP_READ_TARGETS_H */
