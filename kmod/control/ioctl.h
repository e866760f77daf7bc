/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of /dev/gapp. */
#ifndef GAPP_IOCTL_H
#define GAPP_IOCTL_H

struct file;

long gapp_ioctl(struct file *file, unsigned int command, unsigned long argument);

#endif /* GAPP_IOCTL_H */
