/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each CPU has of its own in a session. It is only touched by that CPU
 * with interrupts off, so nothing here has a lock; counters are read by others
 * as they stand.
 */
#ifndef GAPP_CPU_H
#define GAPP_CPU_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/smp.h>

#include "core/ring.h"
#include "core/unwind.h"
#include "callpath/path_cache.h"
#include "export.h"
#include "threads/table.h"

/* Samples of one record; a slice that gets more is told in parts. */
#define GAPP_SLICE_SAMPLES 64
/* Room for the probe's own frames besides. */
#define GAPP_KERNEL_FRAMES (GAPP_MAX_STACK + 16)

/* Memory that a CPU remembers to have asked about. */
#define GAPP_ASKED 16

/**
 * struct gapp_asked - memory that was asked about
 * @key: which
 * @when_ns: session time
 */
struct gapp_asked {
	u64 key;
	u64 when_ns;
};

/**
 * struct gapp_cpu - one CPU's part of a session
 * @session: the session
 * @number: of the CPU
 * @armed: @timer is running
 * @times: times by n that ended here, where the session has one target; written with its acc
 * @slices: slices that ended
 * @critical_slices: critical ones of them
 * @unsampled_slices: those of them that no sample hit
 * @switches: switches from or to followed threads
 * @samples: samples taken
 * @late: points in time that the sampler missed
 * @unreadable: paths cut because the stack was not in memory
 * @critical_run: critical share of the slices that ended, as the criterion has it
 * @open_of: whose slice @open is, or NULL: it was switched in here
 * @open: the slice that is open
 * @moment: of the events under way
 * @export: what they have to tell: here, for it is too large to be made anew at each of them
 * @probe_timed: how many were timed
 * @probe_ns: time that those took
 * @ring: records to the reader; without data if the CPU came too late to have one
 * @half_full: it was, when last looked at
 * @last_ns: time of the last record
 * @timer: the sampler
 * @path_work: takes the path of the thread that has just been switched in
 * @sampled: whose open slice @sample is about, or NULL
 * @sample_count: how many
 * @sample: samples of the open slice
 * @stack_copies: copies of stacks that went along
 * @stack_copies_lost: those that were too many, or found no room
 * @copy_credit_ns: time for which no copy was sent, up to a limit
 * @copy_seen_ns: when that was last brought up to date
 * @stack_copy: room for a copy, of the session's stack_copy_bytes, or NULL
 * @asked: memory that was asked about, by a hash
 * @walk_rests_ns: CLOCK_MONOTONIC until which no stack is walked
 * @path_cache: walks that were made
 * @unwind: for walks of user stacks
 * @frames: what they find
 * @kernel_frames: for kernel stacks
 */
struct gapp_cpu {
	struct gapp_session *session;
	unsigned int number;
	bool armed;
	struct gapp_times times;
	u64 slices;
	u64 critical_slices;
	u64 unsampled_slices;
	u64 switches;
	u64 samples;
	u64 late;
	u64 unreadable;
	u64 critical_run;
	struct gapp_thread *open_of;
	struct gapp_open_slice open;
	struct gapp_moment moment;
	struct gapp_export export;
	u64 probe_timed;
	u64 probe_ns;
	struct gapp_ring_writer ring;
	bool half_full;
	u64 last_ns;
	struct hrtimer timer;
	struct irq_work path_work;
	const struct gapp_thread *sampled;
	u32 sample_count;
	struct gapp_sample sample[GAPP_SLICE_SAMPLES];
	u64 stack_copies;
	u64 stack_copies_lost;
	u64 copy_credit_ns;
	u64 copy_seen_ns;
	void *stack_copy;
	struct gapp_asked asked[GAPP_ASKED];
	u64 walk_rests_ns;
	struct gapp_path_cache *path_cache;
	struct gapp_unwind unwind;
	u64 frames[GAPP_MAX_STACK];
	unsigned long kernel_frames[GAPP_KERNEL_FRAMES];
};

/* Interrupts off. */
static inline struct gapp_cpu *gapp_this_cpu(const struct gapp_session *session)
{
	return session->cpus[smp_processor_id()];
}

static inline void gapp_cpu_drop_samples(struct gapp_cpu *cpu)
{
	cpu->sampled = NULL;
	cpu->sample_count = 0;
}

int gapp_cpus_init(struct gapp_session *session);
void gapp_cpus_destroy(struct gapp_session *session);
void gapp_cpus_quiesce(struct gapp_session *session);
u64 gapp_cpus_time(const struct gapp_session *session, u64 n);
void gapp_cpus_counters(struct gapp_session *session, struct gapp_counters *counters);

#endif /* GAPP_CPU_H */
