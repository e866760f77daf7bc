/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a PAUSE costs, and whether it leaves the virtual machine. A hypervisor can have the
 * processor leave the machine at a PAUSE: at each one, or at many of them one after the other
 * (pause-loop exiting on Intel's, the pause filter on AMD's processors), so that another virtual
 * processor has the CPU. On Intel's the rule for many holds in the kernel only.
 */
#ifndef GAPP_READ_PAUSE_H
#define GAPP_READ_PAUSE_H

#include "findings.h"

/**
 * struct pause_series - long batches of one kind of instructions
 * @batches: how many were timed
 * @ticks: time of all, in TSC cycles
 * @interruptions: batches that took longer than they should, by much
 * @longest: TSC cycles that one batch took longer
 */
struct pause_series {
	u32 batches;
	double ticks;
	u32 interruptions;
	double longest;
};

/**
 * struct pause_figures - what was measured
 * @measured: something was: only on x86-64
 * @hypervisor: the processor says that there is one (CPUID)
 * @hypervisor_name: what it calls itself; "": nothing
 * @intel: the processor is Intel's
 * @tsc_khz: TSC cycles a millisecond, by the kernel's clock
 * @pause_ticks: TSC cycles of one PAUSE, the median of short batches
 * @counted: @instructions were
 * @instructions: instructions that the processor counts for a PAUSE
 * @long_ticks: so many more than expected make an interruption
 * @pause: batches of PAUSE, each longer than what a hypervisor waits for
 * @plain: batches of other instructions, which take as long
 */
struct pause_figures {
	bool measured;
	bool hypervisor;
	char hypervisor_name[13];
	bool intel;
	double tsc_khz;
	double pause_ticks;
	bool counted;
	double instructions;
	double long_ticks;
	struct pause_series pause;
	struct pause_series plain;
};

enum pause_exits {
	PAUSE_EXITS_NONE, /* there is no virtual machine */
	PAUSE_EXITS_NOT_SEEN,
	PAUSE_EXITS_UNKNOWN, /* too few batches, or too much else interrupts them */
	PAUSE_EXITS_OF_MANY, /* likely, of many one after the other */
	PAUSE_EXITS_OF_EACH, /* likely, of each PAUSE */
};

/* The median of @count numbers, which it sorts; 0 if there are none. */
double pause_median(double *numbers, u32 count);

/* Adds up batches, each of which should take @expected. */
void pause_series_add(struct pause_series *series, const double *ticks, u32 count, double expected,
		      double long_ticks);

/* What the figures say. */
enum pause_exits pause_judge(const struct pause_figures *figures);

/* Takes a fifth of a second at most, or the time of the first batches. */
void pause_measure(struct pause_figures *figures);
void pause_findings(struct findings *findings, const struct pause_figures *figures);

extern const char *const pause_exits_words[];

#endif /* GAPP_READ_PAUSE_H */
