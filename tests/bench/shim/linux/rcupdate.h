/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_RCUPDATE_H
#define GAPP_BENCH_SHIM_RCUPDATE_H

static inline void rcu_read_lock(void)
{
}

static inline void rcu_read_unlock(void)
{
}

#endif /* GAPP_BENCH_SHIM_RCUPDATE_H */
