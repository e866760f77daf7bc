/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the threads of processes that run already. */
#ifndef GAPP_ATTACH_H
#define GAPP_ATTACH_H

#include "threads/table.h"

/**
 * struct gapp_request - a process that was asked for
 * @tgid: its id, a reference
 * @inherit: its children are meant too
 * @mm: its memory when the reader last asked for its number before START, held by mmgrab(); or NULL
 */
struct gapp_request {
	struct pid *tgid;
	bool inherit;
	struct mm_struct *mm;
};

int gapp_attach(struct gapp_session *session, const struct gapp_request *requests, u32 count);
bool gapp_cred_may_follow(const struct cred *user, struct task_struct *process);
bool gapp_may_follow(const struct gapp_session *session, struct task_struct *process);
int gapp_recount(struct gapp_session *session, struct gapp_status *status);

#endif /* GAPP_ATTACH_H */
