// SPDX-License-Identifier: GPL-2.0
/* Times PAUSE in short and in long batches, beside other instructions. */
#include "pause.h"

#ifdef __x86_64__

#include <cpuid.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <x86intrin.h>

#include "machine.h"

/* PAUSEs of one round of the loop, and instructions of the loop besides. */
#define UNROLLED 8
#define BESIDES 2
/* Too few for a hypervisor: KVM waits for 3,000 on AMD's processors. */
#define SHORT 512
/* More than that, and than 4,096 cycles, for which KVM waits on Intel's. */
#define LONG 8192
#define BATCHES 1024
/* Most nanoseconds of all batches. */
#define BUDGET_NS (NSEC_PER_SEC / 5)
/* Longer by a hundredth of a batch, or by so many microseconds, is an interruption. */
#define LONG_PART 0.01
#define LONG_US 1
/* PAUSEs whose instructions are counted. */
#define COUNTED 65536

/**
 * struct times - times of batches, in TSC cycles
 * @brief: of short ones
 * @brief_count: elements of @brief
 * @whole: of long ones
 * @whole_count: elements of @whole
 */
struct times {
	double brief[BATCHES];
	u32 brief_count;
	double whole[BATCHES];
	u32 whole_count;
};

static void pauses(u64 count)
{
	u64 rounds = count / UNROLLED;

	asm volatile("1: pause; pause; pause; pause; pause; pause; pause; pause\n"
		     "dec %0\n"
		     "jnz 1b"
		     : "+r"(rounds)
		     :
		     : "cc");
}

/* Each instruction waits for the one before it, as PAUSEs do. */
static void multiplications(u64 count)
{
	u64 rounds = count / UNROLLED + 1, value = 3;

	asm volatile("1: imul %1, %1; imul %1, %1; imul %1, %1; imul %1, %1\n"
		     "imul %1, %1; imul %1, %1; imul %1, %1; imul %1, %1\n"
		     "dec %0\n"
		     "jnz 1b"
		     : "+r"(rounds), "+r"(value)
		     :
		     : "cc");
}

static u64 ticks(void)
{
	_mm_lfence();
	return __rdtsc();
}

static double time_of(void (*run)(u64 count), u64 count)
{
	const u64 begin = ticks();

	run(count);
	return ticks() - begin;
}

/* How often another thread had the CPU of this one. */
static long switches(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nivcsw + usage.ru_nvcsw;
}

/* Times a short batch and a long one; those in which another thread ran do not count. */
static void time_both(struct times *times, void (*run)(u64 count), u64 few, u64 many)
{
	long before = switches(), between;
	double brief, whole;

	brief = time_of(run, few);
	between = switches();
	if (between == before)
		times->brief[times->brief_count++] = brief;
	whole = time_of(run, many);
	if (switches() == between)
		times->whole[times->whole_count++] = whole;
}

/* Plain instructions that take as long as a number of PAUSEs. */
static u64 as_long_as(u64 count)
{
	double pause[9], plain[9];

	for (size_t i = 0; i < ARRAY_SIZE(pause); i++) {
		pause[i] = time_of(pauses, SHORT);
		plain[i] = time_of(multiplications, SHORT);
	}
	return count * pause_median(pause, ARRAY_SIZE(pause)) /
		       pause_median(plain, ARRAY_SIZE(plain)) +
	       1;
}

/* One PAUSE, by the difference of the short batches and one without any. */
static void time_batches(struct pause_figures *figures, struct times *pause, struct times *plain)
{
	const u64 few = as_long_as(SHORT), many = as_long_as(LONG), begin_ns = clock_ns();
	const u64 begin = ticks();
	u64 took_ns = 0;

	for (u32 i = 0; i < BATCHES && took_ns < BUDGET_NS; i++) {
		time_both(pause, pauses, SHORT, LONG);
		time_both(plain, multiplications, few, many);
		took_ns = clock_ns() - begin_ns;
	}
	figures->tsc_khz = (double)(ticks() - begin) / took_ns * 1e6;
	figures->pause_ticks = pause_median(pause->brief, pause->brief_count) / SHORT;
	figures->long_ticks = figures->pause_ticks * LONG * LONG_PART;
	if (figures->long_ticks < figures->tsc_khz * LONG_US / 1000)
		figures->long_ticks = figures->tsc_khz * LONG_US / 1000;
	pause_series_add(&figures->pause, pause->whole, pause->whole_count,
			 figures->pause_ticks * LONG, figures->long_ticks);
	pause_series_add(&figures->plain, plain->whole, plain->whole_count,
			 pause_median(plain->brief, plain->brief_count) / few * many,
			 figures->long_ticks);
}

static void count_instructions(struct pause_figures *figures)
{
	_cleanup_close_ int fd = counter_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	u64 before, after;

	if (!counter_read(fd, &before))
		return;
	pauses(COUNTED);
	figures->counted = counter_read(fd, &after);
	/* a call and a system call besides are far below a hundredth of them */
	figures->instructions = (double)(after - before) / COUNTED - (double)BESIDES / UNROLLED;
}

static void ask_processor(struct pause_figures *figures)
{
	u32 a, b, c, d, name[3];

	if (__get_cpuid(0, &a, &b, &c, &d))
		figures->intel = b == signature_INTEL_ebx;
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return;
	figures->hypervisor = c >> 31;
	if (!figures->hypervisor)
		return;
	__cpuid(0x40000000, a, name[0], name[1], name[2]);
	memcpy(figures->hypervisor_name, name, sizeof(name));
}

void pause_measure(struct pause_figures *figures)
{
	_cleanup_free_ struct times *pause = calloc(1, sizeof(*pause));
	_cleanup_free_ struct times *plain = calloc(1, sizeof(*plain));
	cpu_set_t before, one;
	int cpu = sched_getcpu();
	bool pinned;

	*figures = (struct pause_figures){ .measured = pause && plain };
	if (!figures->measured)
		return;
	CPU_ZERO(&one);
	if (cpu >= 0 && cpu < CPU_SETSIZE)
		CPU_SET(cpu, &one);
	/* with more CPUs than the set has it stays as it is */
	pinned = !sched_getaffinity(0, sizeof(before), &before) &&
		 !sched_setaffinity(0, sizeof(one), &one);
	ask_processor(figures);
	time_batches(figures, pause, plain);
	count_instructions(figures);
	if (pinned)
		sched_setaffinity(0, sizeof(before), &before);
	/* each batch was interrupted, or the clock stood still: there are no figures */
	figures->measured = pause->brief_count && plain->brief_count && figures->tsc_khz > 0;
}

#else

void pause_measure(struct pause_figures *figures)
{
	*figures = (struct pause_figures){ 0 };
}

#endif
