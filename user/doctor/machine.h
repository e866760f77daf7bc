/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel, its clock, CPUs, breakpoints and counters. */
#ifndef GAPP_READ_DOCTOR_MACHINE_H
#define GAPP_READ_DOCTOR_MACHINE_H

#include "findings.h"
#include "system.h"

/*
 * Versions of Linux that the module knows in kmod/compat/, once more: the oldest that it is for
 * (probes.mk), and the first whose breakpoints it uses with PREEMPT_RT (watch.h).
 * scripts/check-layering compares them.
 */
#define KERNEL_OLDEST_MAJOR 5
#define KERNEL_OLDEST_MINOR 10
#define KERNEL_RT_WATCH_MAJOR 6
#define KERNEL_RT_WATCH_MINOR 12

/* Whether a kernel's release is at least that version: "6.12.63+deb13-amd64" is at least 6.12. */
bool release_is_at_least(const char *release, unsigned int major, unsigned int minor);
/* How many numbers a list such as "0-3,8" has; 0: it is no list. */
u32 list_count(const char *list);
bool system_is_rt(const struct system *system);
/* CPUs online; 0: not known. */
u32 system_cpus(const struct system *system);

/* @clock_ns: what reading the kernel's clock takes; 0: not measured. */
void clock_findings(struct findings *findings, const struct system *system, double clock_ns);
/* The kernel's version, CPUs and preemption. */
void machine_findings(struct findings *findings, const struct system *system);
/* Nanoseconds that reading the clock takes, on average. */
double clock_cost(void);

/**
 * struct hardware - what the processor's breakpoints and counters answered
 * @break_error: errno of asking for a breakpoint; 0: there is one
 * @every_cpu: one was had on every CPU, as gapp needs it; else for this thread alone
 * @seen: stores that it told, of one
 * @cycles: errno of asking for the counter of cycles; 0: it counts
 * @instructions: likewise of instructions
 */
struct hardware {
	int break_error;
	bool every_cpu;
	u64 seen;
	int cycles;
	int instructions;
};

void hardware_try(struct hardware *hardware);
/* @may_profile: gapp may use breakpoints. */
void hardware_findings(struct findings *findings, const struct system *system,
		       const struct hardware *hardware, bool may_profile);

/*
 * Opens a counter of this thread in user space, PERF_TYPE_* and PERF_COUNT_*, which counts from now
 * on. Returns a descriptor, or -1 with errno set.
 */
int counter_open(u32 type, u64 config);
/* False: it has not counted, or not all the time. */
bool counter_read(int fd, u64 *value);

#endif /* GAPP_READ_DOCTOR_MACHINE_H */
