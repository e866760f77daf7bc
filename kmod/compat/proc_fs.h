/* SPDX-License-Identifier: GPL-2.0 */
/* What a file of /proc was made with. */
#ifndef GAPP_COMPAT_PROC_FS_H
#define GAPP_COMPAT_PROC_FS_H

#include <linux/proc_fs.h>

/* v5.17, 359745d78351, and by backport */
static inline void *gapp_proc_data(const struct inode *inode)
{
#ifdef GAPP_HAVE_PDE_DATA
	return pde_data(inode);
#else
	return PDE_DATA(inode);
#endif
}

#endif /* GAPP_COMPAT_PROC_FS_H */
