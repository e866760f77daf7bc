/* SPDX-License-Identifier: GPL-2.0 */
/* A session: what stands behind an open file of /dev/gapp. */
#ifndef GAPP_SESSION_H
#define GAPP_SESSION_H

#include <linux/list.h>
#include <linux/mutex.h>

#include "attach.h"
#include "threads/track.h"

struct proc_dir_entry;

/**
 * struct gapp_session - one profile
 * @lock: serializes control operations; protects all members but @track's own
 * @id: number, unique while the module is loaded
 * @state: enum gapp_session_state
 * @track: what is followed; set up by CONFIGURE
 * @requests: processes asked for
 * @request_count: how many
 * @recount: result of the recount at stop
 * @all: in the list of all sessions, under that list's lock
 * @proc: its folder in /proc/gapp, kept by procfs.c
 */
struct gapp_session {
	struct mutex lock;
	u32 id;
	u32 state;
	struct gapp_track track;
	struct gapp_request *requests;
	u32 request_count;
	struct gapp_status recount;
	struct list_head all;
	struct proc_dir_entry *proc;
};

struct gapp_session *gapp_session_create(void);
void gapp_session_destroy(struct gapp_session *session);
int gapp_session_configure(struct gapp_session *session, const struct gapp_config *config);
int gapp_session_add_process(struct gapp_session *session, const struct gapp_add_process *target);
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
