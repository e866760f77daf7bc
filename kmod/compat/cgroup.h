/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups of version 2, which a kernel may be built without. */
#ifndef GAPP_COMPAT_CGROUP_H
#define GAPP_COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/err.h>

#include "compat.h"

#ifdef CONFIG_CGROUPS

/* A reference to the group whose folder the caller has open. EBADF: it is no such folder. */
static inline struct cgroup *gapp_cgroup_get(int fd)
{
	return cgroup_get_from_fd(fd);
}

static inline void gapp_cgroup_put(struct cgroup *group)
{
	cgroup_put(group);
}

/* Whether the task is in the group or in one below it. Under rcu_read_lock(). */
static inline bool gapp_cgroup_has(struct cgroup *group, struct task_struct *task)
{
	return cgroup_is_descendant(task_dfl_cgroup(task), group);
}

#else

static inline struct cgroup *gapp_cgroup_get(int fd)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void gapp_cgroup_put(struct cgroup *group)
{
}

static inline bool gapp_cgroup_has(struct cgroup *group, struct task_struct *task)
{
	return false;
}

#endif /* CONFIG_CGROUPS */

#endif /* GAPP_COMPAT_CGROUP_H */
