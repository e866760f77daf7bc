/* SPDX-License-Identifier: GPL-2.0 */
/* SET_MAPS: what the reader tells of a process's memory. */
#ifndef GAPP_MAPPINGS_H
#define GAPP_MAPPINGS_H

#include "control/attach.h"

int gapp_mappings_set(struct gapp_session *session, struct pid *pid, struct gapp_request *request,
		      struct gapp_mappings *maps);

#endif /* GAPP_MAPPINGS_H */
