/* SPDX-License-Identifier: GPL-2.0 */
/* The name of a task. */
#ifndef GAPP_COMPAT_COMM_H
#define GAPP_COMPAT_COMM_H

#include <linux/sched.h>
#include <linux/string.h>
#include <linux/version.h>

/*
 * Copies a name of TASK_COMM_LEN bytes, in any context. Before 5.17, 06c5088aeeda, a task's name
 * may have bytes of a former name behind its end.
 */
static __always_inline void gapp_copy_comm(void *to, const char *comm)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
	memcpy(to, comm, TASK_COMM_LEN);
#else
	strscpy_pad(to, comm, TASK_COMM_LEN);
#endif
}

#endif /* GAPP_COMPAT_COMM_H */
