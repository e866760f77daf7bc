// SPDX-License-Identifier: GPL-2.0
/* Breakpoints and counters of the processor, by perf events. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "machine.h"

/* Numbers of CPUs that are tried at most. */
#define CPUS_MAX 8192
/* Additions whose instructions are counted. */
#define ROUNDS 10000

static volatile u64 watched;

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	attr->size = sizeof(*attr);
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	return syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int counter_open(u32 type, u64 config)
{
	struct perf_event_attr attr = { .type = type,
					.config = config,
					.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
						       PERF_FORMAT_TOTAL_TIME_RUNNING };

	return open_event(&attr, 0, -1);
}

bool counter_read(int fd, u64 *value)
{
	u64 values[3];

	if (fd < 0 || read(fd, values, sizeof(values)) != sizeof(values))
		return false;
	*value = values[0];
	/* time of another counter in its place would be missing */
	return values[0] && values[1] == values[2];
}

static int open_break(pid_t pid, int cpu)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.bp_type = HW_BREAKPOINT_W,
					.bp_addr = (uintptr_t)&watched,
					.bp_len = sizeof(watched) };

	return open_event(&attr, pid, cpu);
}

/* Stores into a word that is watched for this thread. */
static void try_own(struct hardware *hardware)
{
	_cleanup_close_ int fd = open_break(0, -1);

	hardware->break_error = fd < 0 ? errno : 0;
	if (fd < 0)
		return;
	watched++;
	if (read(fd, &hardware->seen, sizeof(hardware->seen)) != sizeof(hardware->seen))
		hardware->seen = 0;
}

/* Whether each CPU has a breakpoint to give; errno says why not. */
static bool try_every_cpu(void)
{
	bool any = false;

	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		_cleanup_close_ int fd = open_break(-1, cpu);

		any |= fd >= 0;
		if (fd >= 0 || errno == ENODEV)
			continue;
		/* behind the last CPU that can exist */
		return errno == EINVAL && any;
	}
	return any;
}

/* An errno, or 0: it counts. */
static int try_counter(u64 config)
{
	_cleanup_close_ int fd = counter_open(PERF_TYPE_HARDWARE, config);
	u64 value;

	if (fd < 0)
		return errno;
	for (u32 i = 0; i < ROUNDS; i++)
		watched++;
	/* a counter that stands still is none */
	return counter_read(fd, &value) ? 0 : ENOENT;
}

void hardware_try(struct hardware *hardware)
{
	*hardware = (struct hardware){ 0 };
	try_own(hardware);
	if (!hardware->break_error) {
		hardware->every_cpu = try_every_cpu();
		if (!hardware->every_cpu && errno == ENOSPC)
			hardware->break_error = ENOSPC;
	}
	hardware->cycles = try_counter(PERF_COUNT_HW_CPU_CYCLES);
	hardware->instructions = try_counter(PERF_COUNT_HW_INSTRUCTIONS);
}

static bool is_forbidden(int error)
{
	return error == EACCES || error == EPERM;
}

static void check_breakpoints(struct findings *findings, const struct system *system,
			      const struct hardware *hardware, bool may_profile)
{
	if (system_is_aarch64(system))
		found(findings, "breakpoints", FINDING_WARNING,
		      "on aarch64 gapp watches no words: who ended waits in busy-wait loops is not known");
	else if (system_is_rt(system) &&
		 !release_is_at_least(system->release, KERNEL_RT_WATCH_MAJOR,
				      KERNEL_RT_WATCH_MINOR))
		found(findings, "breakpoints", FINDING_WARNING,
		      "with PREEMPT_RT before Linux %u.%u gapp uses no breakpoints: who ended waits in busy-wait loops is not known",
		      KERNEL_RT_WATCH_MAJOR, KERNEL_RT_WATCH_MINOR);
	else if (is_forbidden(hardware->break_error)) {
		found(findings, "breakpoints", FINDING_UNKNOWN,
		      "whether the processor's breakpoints can be had is not known, as perf events are forbidden to you");
		mend(findings, "sudo gapp-read doctor");
	} else if (hardware->break_error == ENOSPC)
		found(findings, "breakpoints", FINDING_WARNING,
		      "a debugger uses the processor's breakpoints: end it, or who ended waits in busy-wait loops is not seen");
	else if (hardware->break_error)
		found(findings, "breakpoints", FINDING_WARNING,
		      "the processor's breakpoints cannot be had (%s): who ended waits in busy-wait loops is not known",
		      strerror(hardware->break_error));
	else if (hardware->seen != 1)
		found(findings, "breakpoints", FINDING_WARNING,
		      "of one store into a watched word %llu were told: who ended waits in busy-wait loops is not known",
		      (unsigned long long)hardware->seen);
	else if (hardware->every_cpu)
		found(findings, "breakpoints", FINDING_OK,
		      "each CPU tells who stores into a word, so who ended waits in busy-wait loops is seen");
	else
		found(findings, "breakpoints", FINDING_OK,
		      may_profile ?
			      "the processor tells stores into a word; not asked on each CPU" :
			      "the processor tells stores into a word; gapp uses that with CAP_PERFMON only");
}

static void check_counters(struct findings *findings, const struct hardware *hardware)
{
	const char *one = NULL;

	if (is_forbidden(hardware->cycles) || is_forbidden(hardware->instructions)) {
		found(findings, "counters", FINDING_UNKNOWN,
		      "whether there are hardware counters is not known, as perf events are forbidden to you; gapp needs none");
		return;
	}
	if (hardware->cycles && hardware->instructions) {
		found(findings, "counters", FINDING_OK,
		      "hardware counters of cycles and instructions are not there, as in many virtual machines; gapp needs none");
		return;
	}
	if (hardware->cycles || hardware->instructions)
		one = hardware->cycles ? "instructions is there, and none of cycles" :
					 "cycles is there, and none of instructions";
	found(findings, "counters", FINDING_OK, "%s%s; gapp needs none",
	      one ? "a hardware counter of " :
		    "hardware counters of cycles and instructions are there",
	      one ? one : "");
}

void hardware_findings(struct findings *findings, const struct system *system,
		       const struct hardware *hardware, bool may_profile)
{
	check_breakpoints(findings, system, hardware, may_profile);
	check_counters(findings, hardware);
}
