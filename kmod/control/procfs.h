/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/gapp: what the module is doing, to be read with cat. */
#ifndef GAPP_PROCFS_H
#define GAPP_PROCFS_H

struct gapp_session;

int gapp_procfs_init(void);
void gapp_procfs_exit(void);
int gapp_procfs_add(struct gapp_session *session);
void gapp_procfs_remove(struct gapp_session *session);

#endif /* GAPP_PROCFS_H */
