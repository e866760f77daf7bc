/* SPDX-License-Identifier: GPL-2.0 */
/* What a file of /proc was made with. */
#ifndef GAPP_COMPAT_PROC_FS_H
#define GAPP_COMPAT_PROC_FS_H

#include <linux/proc_fs.h>
#include <linux/version.h>

/* v5.17, 359745d78351 */
static inline void *gapp_proc_data(const struct inode *inode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
	return pde_data(inode);
#else
	return PDE_DATA(inode);
#endif
}

#endif /* GAPP_COMPAT_PROC_FS_H */
