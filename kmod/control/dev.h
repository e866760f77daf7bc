/* SPDX-License-Identifier: GPL-2.0 */
/* The node /dev/gapp. */
#ifndef GAPP_DEV_H
#define GAPP_DEV_H

int gapp_dev_register(void);
void gapp_dev_unregister(void);

#endif /* GAPP_DEV_H */
