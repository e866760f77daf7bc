/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deliberate faults, to show that the checks of the report see them. Only in a
 * module built with GAPP_FAULTS=1: `insmod gapp.ko fault=NAME fault_after=N`.
 */
#ifndef GAPP_FAULT_H
#define GAPP_FAULT_H

#include <linux/refcount.h>
#include <linux/types.h>

#ifdef GAPP_FAULTS

/* True once: at the N+1st time the fault of this name could strike. */
bool gapp_fault(const char *name);
/* True every time, if the fault of this name is chosen. */
bool gapp_fault_always(const char *name);
/* True now and then, if the fault of this name is chosen. */
bool gapp_fault_at_random(const char *name);
/* A pause if the fault of this name is chosen; may sleep. */
void gapp_fault_pause(const char *name);
/* Fault @name: now and then stays here for 500 microseconds. Preemption off. */
void gapp_fault_hold(const char *name);
/* Fault hold_integrals_and_merge: now and then stays here for the parameter fault_us. */
void gapp_fault_merges(void);
/* An event has waited so long for other CPUs, and goes on waiting. */
void gapp_fault_waits(u64 ns);
/* It waits no longer. */
void gapp_fault_waited(u64 ns);
/* Under table_lock: it was taken; something is done for a target; it is about to be given back. */
void gapp_fault_locked(void);
void gapp_fault_target(void);
void gapp_fault_unlocks(void);
/* Fault slow_walk: makes an unwind slow, and warns if @held, unless NULL, has no reference. */
void gapp_fault_slow_walk(const refcount_t *held);

#else

static inline bool gapp_fault(const char *name)
{
	return false;
}

static inline bool gapp_fault_always(const char *name)
{
	return false;
}

static inline bool gapp_fault_at_random(const char *name)
{
	return false;
}

static inline void gapp_fault_pause(const char *name)
{
}

static inline void gapp_fault_hold(const char *name)
{
}

static inline void gapp_fault_merges(void)
{
}

static inline void gapp_fault_waits(u64 ns)
{
}

static inline void gapp_fault_waited(u64 ns)
{
}

static inline void gapp_fault_locked(void)
{
}

static inline void gapp_fault_target(void)
{
}

static inline void gapp_fault_unlocks(void)
{
}

static inline void gapp_fault_slow_walk(const refcount_t *held)
{
}

#endif

#endif /* GAPP_FAULT_H */
