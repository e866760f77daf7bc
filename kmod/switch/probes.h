/* SPDX-License-Identifier: GPL-2.0 */
/* The scheduler's tracepoints. */
#ifndef GAPP_PROBES_H
#define GAPP_PROBES_H

struct gapp_session;

int gapp_probes_find(void);
int gapp_probes_register(struct gapp_session *session);
void gapp_probes_unregister(struct gapp_session *session);

#endif /* GAPP_PROBES_H */
