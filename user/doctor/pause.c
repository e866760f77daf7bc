// SPDX-License-Identifier: GPL-2.0
/* From what was measured to what it says. */
#include "pause.h"

#include <stdio.h>

/* A PAUSE takes 9 to some 150 cycles by itself, and a way out of the machine and back 1,000. */
#define EXIT_TICKS 1000
/* Fewer batches say nothing. */
#define BATCHES_LEAST 32
/* Counts that differ by less than so many of their standard deviations may be chance. */
#define DEVIATIONS 4
/* Fewer interruptions than so many times the others are not markedly more. */
#define FACTOR 2
#define INTEL_BUT                                                          \
	" (on Intel's processors pause-loop exits are the kernel's only, " \
	"which this cannot see)"

const char *const pause_exits_words[] = {
	[PAUSE_EXITS_NONE] = "none",	   [PAUSE_EXITS_NOT_SEEN] = "not_seen",
	[PAUSE_EXITS_UNKNOWN] = "unknown", [PAUSE_EXITS_OF_MANY] = "of_many",
	[PAUSE_EXITS_OF_EACH] = "of_each",
};

static int compare(const void *a, const void *b)
{
	return three_way(*(const double *)a, *(const double *)b);
}

double pause_median(double *numbers, u32 count)
{
	if (!count)
		return 0;
	qsort(numbers, count, sizeof(*numbers), compare);
	return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

void pause_series_add(struct pause_series *series, const double *ticks, u32 count, double expected,
		      double long_ticks)
{
	for (u32 i = 0; i < count; i++) {
		const double more = ticks[i] - expected;

		series->batches++;
		series->ticks += ticks[i];
		series->interruptions += more > long_ticks;
		if (more > series->longest)
			series->longest = more;
	}
}

/*
 * Whether PAUSE is interrupted markedly more often than other instructions in the same time: by
 * FACTOR, and by more than chance makes of two counts.
 */
static bool is_markedly_more(const struct pause_series *pause, const struct pause_series *plain)
{
	const double others = plain->interruptions * (pause->ticks / plain->ticks);
	const double more = pause->interruptions - others;

	return pause->interruptions > FACTOR * others &&
	       more * more > DEVIATIONS * DEVIATIONS * (pause->interruptions + others);
}

enum pause_exits pause_judge(const struct pause_figures *figures)
{
	if (!figures->measured)
		return PAUSE_EXITS_UNKNOWN;
	if (!figures->hypervisor)
		return PAUSE_EXITS_NONE;
	if (figures->pause_ticks >= EXIT_TICKS)
		return PAUSE_EXITS_OF_EACH;
	if (figures->pause.batches < BATCHES_LEAST || figures->plain.batches < BATCHES_LEAST)
		return PAUSE_EXITS_UNKNOWN;
	/* something else interrupts every batch: what PAUSE adds to that does not show */
	if (2 * figures->plain.interruptions > figures->plain.batches)
		return PAUSE_EXITS_UNKNOWN;
	return is_markedly_more(&figures->pause, &figures->plain) ? PAUSE_EXITS_OF_MANY :
								    PAUSE_EXITS_NOT_SEEN;
}

/* A hypervisor as people call it. */
static const char *name_of(const char *signature)
{
	static const struct {
		const char *signature;
		const char *name;
	} names[] = {
		{ "KVMKVMKVM", "KVM" },		  { "Microsoft Hv", "Hyper-V" },
		{ "VMwareVMware", "VMware" },	  { "XenVMMXenVMM", "Xen" },
		{ "TCGTCGTCGTCG", "QEMU's TCG" }, { "VBoxVBoxVBox", "VirtualBox" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(signature, names[i].signature))
			return names[i].name;
	return *signature ? signature : "a hypervisor";
}

/* "12 times in 250 ms (longest 3.4 us)" */
static void say_series(char *text, size_t size, const struct pause_series *series, double khz)
{
	int length = snprintf(text, size, "%u times in %.0f ms", series->interruptions,
			      series->ticks / khz);

	if (series->interruptions && length > 0 && (size_t)length < size)
		snprintf(text + length, size - length, " (longest %.1f us)",
			 series->longest / khz * 1000);
}

static void check_exits(struct findings *findings, const struct pause_figures *figures)
{
	const enum pause_exits exits = pause_judge(figures);
	const char *but = figures->intel ? INTEL_BUT : "";
	const char *name = name_of(figures->hypervisor_name);
	char pause[96], plain[96];

	say_series(pause, sizeof(pause), &figures->pause, figures->tsc_khz);
	say_series(plain, sizeof(plain), &figures->plain, figures->tsc_khz);
	switch (exits) {
	case PAUSE_EXITS_NONE:
		found(findings, "PAUSE exits", FINDING_OK,
		      "the processor names no hypervisor, so there is no virtual machine to leave");
		break;
	case PAUSE_EXITS_OF_EACH:
		found(findings, "PAUSE exits", FINDING_WARNING,
		      "under %s a PAUSE takes %.0f cycles, so each one likely leaves the virtual machine",
		      name, figures->pause_ticks);
		break;
	case PAUSE_EXITS_OF_MANY:
		found(findings, "PAUSE exits", FINDING_WARNING,
		      "under %s many PAUSEs likely leave the virtual machine: their runs were interrupted %s, and runs of other instructions %s",
		      name, pause, plain);
		break;
	case PAUSE_EXITS_NOT_SEEN:
		found(findings, "PAUSE exits", FINDING_OK,
		      "under %s runs of PAUSE were interrupted %s, and runs of other instructions %s: no sign that PAUSE leaves the virtual machine%s",
		      name, pause, plain, but);
		break;
	case PAUSE_EXITS_UNKNOWN:
		found(findings, "PAUSE exits", FINDING_UNKNOWN,
		      "whether PAUSE leaves the virtual machine is not known: runs of PAUSE were interrupted %s, and runs of other instructions %s",
		      pause, plain);
	}
}

void pause_findings(struct findings *findings, const struct pause_figures *figures)
{
	char counted[96] = "how many instructions it counts as is not known without a counter";

	if (!figures->measured) {
		found(findings, "PAUSE", FINDING_UNKNOWN, "its cost is measured on x86-64 only");
		return;
	}
	if (figures->counted)
		snprintf(counted, sizeof(counted), "it counts as %.2f instructions",
			 figures->instructions);
	found(findings, "PAUSE", FINDING_OK,
	      "one PAUSE takes %.1f cycles of the TSC (%.1f ns; the TSC has %.1f MHz); %s",
	      figures->pause_ticks, figures->pause_ticks / figures->tsc_khz * 1e6,
	      figures->tsc_khz / 1000, counted);
	check_exits(findings, figures);
}
