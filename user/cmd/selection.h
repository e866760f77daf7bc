/* SPDX-License-Identifier: GPL-2.0 */
/* Processes of a name and of a control group: --comm and --cgroup. */
#ifndef GAPP_SELECTION_H
#define GAPP_SELECTION_H

#include "input/device.h"

/**
 * struct selection - which processes are meant, and what adds them
 * @comm: pattern of names, or NULL: any
 * @cgroup: path of a control group, in the file system or below where groups are, or NULL: any
 * @add: adds a process that is there; returns 0, or something else to end
 * @context: for @add
 */
struct selection {
	const char *comm;
	const char *cgroup;
	int (*add)(void *context, pid_t pid);
	void *context;
};

/**
 * selection_add() - follow the processes that are there, and later ones from their exec on
 * @selection: which
 * @dev: the session
 * @flags: GAPP_ADD_* bits
 *
 * Return: 0, or -1 with a complaint made.
 */
int selection_add(const struct selection *selection, struct device *dev, u32 flags);

#endif /* GAPP_SELECTION_H */
