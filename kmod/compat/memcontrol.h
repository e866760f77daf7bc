/* SPDX-License-Identifier: GPL-2.0 */
/* Which control group pays for memory. */
#ifndef GAPP_COMPAT_MEMCONTROL_H
#define GAPP_COMPAT_MEMCONTROL_H

#include <linux/sched/mm.h>
#include <linux/version.h>

/*
 * From now on current's allocations are paid for by the group. Returns the former one. Process
 * context. v5.14, c74d40e8b5e2: the kernel exports what set_active_memcg() needs in interrupts.
 * Before 5.15 gapp itself sets the word that counts in process context.
 */
static inline struct mem_cgroup *gapp_memcg_use(struct mem_cgroup *group)
{
#if defined(CONFIG_MEMCG) && LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
	struct mem_cgroup *former = current->active_memcg;

	current->active_memcg = group;
	return former;
#else
	return set_active_memcg(group);
#endif
}

#endif /* GAPP_COMPAT_MEMCONTROL_H */
