// SPDX-License-Identifier: GPL-2.0
#include "machine.h"

#include <stdio.h>
#include <time.h>

#define CLOCK "/sys/devices/system/clocksource/clocksource0/"
#define READINGS 20000

bool release_is_at_least(const char *release, unsigned int major, unsigned int minor)
{
	unsigned int is_major, is_minor;

	if (sscanf(release, "%u.%u", &is_major, &is_minor) != 2)
		return false;
	return is_major > major || (is_major == major && is_minor >= minor);
}

u32 list_count(const char *list)
{
	unsigned int first, last;
	u32 count = 0;
	int used;

	while (*list) {
		if (sscanf(list, "%u%n", &first, &used) != 1)
			return 0;
		list += used;
		last = first;
		if (*list == '-') {
			if (sscanf(list, "-%u%n", &last, &used) != 1 || last < first)
				return 0;
			list += used;
		}
		count += last - first + 1;
		if (*list && *list++ != ',')
			return 0;
	}
	return count;
}

bool system_is_rt(const struct system *system)
{
	char text[16];

	if (system_read(system, "/sys/kernel/realtime", text, sizeof(text)))
		return *text == '1';
	return strstr(system->build, "PREEMPT_RT");
}

u32 system_cpus(const struct system *system)
{
	char list[1024];

	if (!system_read(system, "/sys/devices/system/cpu/online", list, sizeof(list)))
		return 0;
	return list_count(list);
}

double clock_cost(void)
{
	u64 begin = clock_ns();

	for (u32 i = 0; i < READINGS; i++)
		clock_ns();
	return (double)(clock_ns() - begin) / (READINGS + 1);
}

/* Whether a list with spaces between has a word. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; *list; list += strspn(list, " ")) {
		size_t size = strcspn(list, " ");

		if (size == length && !strncmp(list, word, length))
			return true;
		list += size;
	}
	return false;
}

void clock_findings(struct findings *findings, const struct system *system, double clock_ns)
{
	char clock[64], others[256], cost[96] = "";

	if (!system_read(system, CLOCK "current_clocksource", clock, sizeof(clock)) || !*clock) {
		found(findings, "clock", FINDING_UNKNOWN,
		      "the kernel's clock source is not known: " CLOCK " cannot be read");
		return;
	}
	if (!strcmp(clock, "tsc")) {
		found(findings, "clock", FINDING_OK,
		      "the kernel's clock is the TSC, which gapp reads itself");
		return;
	}
	if (clock_ns)
		snprintf(cost, sizeof(cost), ", which takes about %.0f ns a reading here",
			 clock_ns);
	if (system_is_aarch64(system)) {
		found(findings, "clock", FINDING_OK,
		      "the kernel's clock is %s: gapp reads that clock about twice a switch%s",
		      clock, cost);
		return;
	}
	found(findings, "clock", FINDING_WARNING,
	      "the kernel's clock is %s, not the TSC: gapp reads that clock about twice a switch%s",
	      clock, cost);
	if (!system_read(system, CLOCK "available_clocksource", others, sizeof(others)))
		return;
	if (has_word(others, "tsc"))
		mend(findings, "echo tsc | sudo tee " CLOCK "current_clocksource");
	else
		mend(findings, "sudo dmesg | grep -i -e tsc -e clocksource");
}

static void check_kernel(struct findings *findings, const struct system *system)
{
	if (strcmp(system->machine, "x86_64") && !system_is_aarch64(system))
		found(findings, "kernel", FINDING_PROBLEM,
		      "gapp follows threads on x86-64 and aarch64, and this machine is %s",
		      system->machine);
	else if (!release_is_at_least(system->release, 5, 10))
		found(findings, "kernel", FINDING_PROBLEM,
		      "gapp needs Linux 5.10 or later, and this kernel is %s", system->release);
	else
		found(findings, "kernel", FINDING_OK, "Linux %s on %s", system->release,
		      system_is_aarch64(system) ? "aarch64" : "x86-64");
}

static void check_cpus(struct findings *findings, const struct system *system)
{
	u32 cpus = system_cpus(system);

	if (!cpus)
		found(findings, "CPUs", FINDING_UNKNOWN,
		      "how many CPUs are online is not known: /sys/devices/system/cpu/online cannot be read");
	else if (cpus == 1)
		found(findings, "CPUs", FINDING_WARNING,
		      "one CPU is online: no two threads run at the same time here");
	else
		found(findings, "CPUs", FINDING_OK, "%u CPUs are online", cpus);
}

void machine_findings(struct findings *findings, const struct system *system)
{
	const bool is_rt = system_is_rt(system);

	check_kernel(findings, system);
	check_cpus(findings, system);
	found(findings, "preemption", FINDING_OK,
	      is_rt ? "the kernel has PREEMPT_RT, which gapp works with" :
		      "the kernel is without PREEMPT_RT");
}
