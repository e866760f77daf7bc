/* SPDX-License-Identifier: GPL-2.0 */
/* A session: what stands behind an open file of /dev/gapp. */
#ifndef GAPP_SESSION_H
#define GAPP_SESSION_H

#include <linux/list.h>
#include <linux/mutex.h>

#include "attach.h"
#include "threads/table.h"

struct gapp_session *gapp_session_create(void);
void gapp_session_destroy(struct gapp_session *session);
int gapp_session_configure(struct gapp_session *session, const struct gapp_config *config);
int gapp_session_add_process(struct gapp_session *session, const struct gapp_add_process *process);
int gapp_session_add_executable(struct gapp_session *session,
				const struct gapp_add_executable *exe);
int gapp_session_load_table(struct gapp_session *session, struct gapp_table_load *load);
int gapp_session_drop_table(struct gapp_session *session, const struct gapp_table_drop *drop);
int gapp_session_set_mappings(struct gapp_session *session, struct gapp_mappings *maps);
int gapp_session_start(struct gapp_session *session);
int gapp_session_stop(struct gapp_session *session);
bool gapp_session_status(struct gapp_session *session, struct gapp_status *status, bool wait);
void gapp_session_counters(struct gapp_session *session, struct gapp_counters *counters);
int gapp_session_layout(struct gapp_session *session, struct gapp_layout *layout);
void gapp_session_for_each(void (*show)(struct gapp_session *session, void *data), void *data);

#endif /* GAPP_SESSION_H */
