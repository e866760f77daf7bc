/* SPDX-License-Identifier: GPL-2.0 */
/* SET_MAPS: what the reader tells of a process's memory. */
#ifndef GAPP_MAPS_H
#define GAPP_MAPS_H

#include "attach.h"

int gapp_maps_set(struct gapp_track *track, struct pid *pid, struct gapp_request *request,
		  struct gapp_maps *maps);

#endif /* GAPP_MAPS_H */
