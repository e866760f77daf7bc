// SPDX-License-Identifier: GPL-2.0
#include "machine.h"

#include <stdio.h>
#include <time.h>

#include "packages.h"

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

/* No command gives a kernel a clock that it has found to be wrong, or has never seen. */
#define NO_TSC                                                                            \
	"; the firmware or the hypervisor keeps the TSC from the kernel, and no command " \
	"here mends that: a setting or a newer version of these may, and the kernel's "   \
	"log says what it has found"

void clock_findings(struct findings *findings, const struct system *system, double clock_ns)
{
	char clock[64], others[256], cost[96] = "";
	bool known, offers;

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
	known = system_read(system, CLOCK "available_clocksource", others, sizeof(others));
	offers = has_word(others, "tsc");
	found(findings, "clock", FINDING_WARNING,
	      "the kernel's clock is %s, not the TSC: gapp reads that clock about twice a switch%s%s",
	      clock, cost, offers || !known ? "" : NO_TSC);
	if (offers)
		mend(findings, "echo tsc | sudo tee " CLOCK "current_clocksource");
	else if (known)
		mend(findings, "sudo dmesg | grep -i -e tsc -e clocksource");
}

static void old_kernel(struct findings *findings, const struct system *system)
{
	char command[PACKAGE_COMMAND];

	found(findings, "kernel", FINDING_PROBLEM,
	      "gapp needs Linux %u.%u or later, and this kernel is %s: install a later one and boot it; where the distribution has none, a later release of the distribution has",
	      KERNEL_OLDEST_MAJOR, KERNEL_OLDEST_MINOR, system->release);
	if (package_command(system, PACKAGE_KERNEL, command))
		mend(findings, "%s && sudo reboot", command);
}

static void check_kernel(struct findings *findings, const struct system *system)
{
	if (strcmp(system->machine, "x86_64") && !system_is_aarch64(system))
		found(findings, "kernel", FINDING_PROBLEM,
		      "gapp follows threads on x86-64 and aarch64, and this machine is %s: record on a machine of these kinds, whose kernel is one of 64 bits",
		      system->machine);
	else if (!release_is_at_least(system->release, KERNEL_OLDEST_MAJOR, KERNEL_OLDEST_MINOR))
		old_kernel(findings, system);
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
