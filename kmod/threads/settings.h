/* SPDX-License-Identifier: GPL-2.0 */
/* What a session is asked to record, and for whom. */
#ifndef GAPP_SETTINGS_H
#define GAPP_SETTINGS_H

#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>

#include <gapp.h>

#include "core/slice.h"
#include "memory.h"
#include "payer.h"

/**
 * struct gapp_settings - set when the session is opened and by CONFIGURE, constant afterwards
 * @rule: when a slice or a wait is exported
 * @level: enum gapp_level
 * @period_ns: period of the sampler, in nanoseconds; 0: no samples
 * @stack_copy_bytes: most bytes of stack in a stack copy
 * @max_stack: most frames of a call path
 * @unwind_by: enum gapp_unwind_by
 * @ns_level: depth of @ns; 0: ids in records are those of the kernel
 * @restricted: the opener has no privilege: only processes of @opener may be followed
 * @verify: a stack copy is sent with every call path
 * @kernel_paths: the opener may see kernel addresses, and asked for kernel call paths
 * @paths_at_first: enum gapp_paths of a wait that begins: KNOWN where no call path is ever taken
 * @special_records: no call paths are ever taken, or records have files or locks of waits
 * @special_waits: @restricted or @kernel_locks
 * @at_wake: what a wake-up exports, as gapp_export.what
 * @all: every process of the machine is followed
 * @wakers: records name who woke a thread
 * @per_process: each process is a target of its own
 * @waits: sums of what threads wait for are kept
 * @handovers: it is counted which thread gives a CPU to which
 * @waker_paths: records of how a wait ended have the waker's call path
 * @wait_files: records of waits on a descriptor say which file that is
 * @slice_tallies: with @tallies: records of slices have what was counted in them
 * @kernel_locks: locks in the kernel are a wait reason, and records of such waits name them
 * @lock_addresses: the opener may see where these locks are
 * @spins: a thread that is found in a busy-wait loop is inactive
 * @marks: what threads say of themselves is recorded
 * @tallies: what is counted of threads is added up
 * @switch_ns: nanoseconds that a switch may take for call paths
 * @record_ns: nanoseconds that it may have taken when a record is written
 * @cpu_percent: share of a CPU for call paths that it does not remember, in percent
 * @timed_calls: of so many calls of the probe of sched_switch one is timed, on each CPU
 * @copy_pause_ns: nanoseconds from one stack copy of a CPU to its next, on average; 0: no limit
 * @seed: secret of the session's draws
 * @ns: pid namespace of the opener, whose ids records have; a reference
 * @self: process of the reader, never followed; a reference
 * @opener: credentials of who opened the session; a reference
 * @payer: who pays for locked memory, a reference; NULL: the opener has the privilege to lock any
 * @max_threads: most threads in the table
 * @max_exited: most exited threads that are kept one by one
 *
 * A switch reads the members up to @all: with gapp_session.cpus they fill one cache line.
 */
struct gapp_settings {
	struct gapp_due rule;
	u32 level;
	u32 period_ns;
	u32 stack_copy_bytes;
	u16 max_stack;
	u8 unwind_by;
	u8 ns_level;
	bool restricted;
	bool verify;
	bool kernel_paths;
	u8 paths_at_first;
	bool special_records;
	bool special_waits;
	u8 at_wake;
	bool all;
	bool wakers;
	bool per_process;
	bool waits;
	bool handovers;
	bool waker_paths;
	bool wait_files;
	bool slice_tallies;
	bool kernel_locks;
	bool lock_addresses;
	bool spins;
	bool marks;
	bool tallies;
	u32 switch_ns;
	u32 record_ns;
	u32 cpu_percent;
	u16 timed_calls;
	u64 copy_pause_ns;
	u64 seed;
	struct pid_namespace *ns;
	struct pid *self;
	const struct cred *opener;
	struct gapp_payer *payer;
	u32 max_threads;
	u32 max_exited;
};

/* Whether the module needs to know what processes have mapped. */
static inline bool gapp_unwinds_by_tables(const struct gapp_settings *settings)
{
	return settings->unwind_by == GAPP_UNWIND_BY_AUTO ||
	       settings->unwind_by == GAPP_UNWIND_BY_TABLE;
}

/* Whether threads are struct gapp_waiting_thread. */
static inline bool gapp_keeps_waits(const struct gapp_settings *settings)
{
	return settings->waits || settings->waker_paths || settings->kernel_locks;
}

/* The id in the opener's pid namespace, as records have it. */
static __always_inline s32 gapp_pid_shown(const struct gapp_settings *settings, struct pid *pid)
{
	return likely(!settings->ns_level) ? pid->numbers[0].nr : pid_nr_ns(pid, settings->ns);
}

bool gapp_cred_may_follow(const struct cred *user, struct task_struct *process);
bool gapp_may_follow(const struct gapp_settings *settings, struct task_struct *process);
bool gapp_may_inherit(const struct gapp_settings *settings, struct task_struct *task);

#endif /* GAPP_SETTINGS_H */
