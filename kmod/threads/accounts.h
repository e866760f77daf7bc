/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own account of a thread beside ours, over the same span: it owes nothing to the
 * events. The two are read at the same moment, in which neither can grow; at context switches
 * there is nothing to do. The thread is locked in all of this.
 */
#ifndef GAPP_ACCOUNTS_H
#define GAPP_ACCOUNTS_H

#include "table.h"

void gapp_accounts_begin(struct gapp_thread *thread, u64 run, bool in_wait);
void gapp_accounts_go_astray(struct gapp_thread *thread);
void gapp_accounts_come_back(struct gapp_thread *thread);
void gapp_accounts_end(struct gapp_thread *thread, const struct gapp_at *at);
void gapp_accounts_show(const struct gapp_thread *thread, const struct gapp_at *at,
			struct gapp_thread_figures *figures);

#endif /* GAPP_ACCOUNTS_H */
