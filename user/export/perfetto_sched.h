/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scheduling as the kernel's trace has it: switches and wake-ups by CPU, in the order of time
 * within a bundle. A CPU that no recorded thread has runs thread 0.
 */
#ifndef GAPP_READ_PERFETTO_SCHED_H
#define GAPP_READ_PERFETTO_SCHED_H

#include "perfetto_packets.h"
#include "timeline/stays.h"

/* CPUs that Perfetto takes; it refuses a file with others. */
#define PERFETTO_CPUS_MAX 1024

/* A thread as a switch has it. */
struct sched_task {
	s32 tid;
	u8 comm[GAPP_COMM_LEN];
};

/**
 * struct sched_event - a switch, or with @is_wake a wake-up
 * @time: CLOCK_MONOTONIC, nanoseconds
 * @order: events at one time are in the order in which they were added
 * @is_wake: @from woke @to
 * @flags: of a wake-up: flags of the kernel's trace
 * @state: of a switch: what becomes of @from, in the kernel's bits
 */
struct sched_event {
	u64 time;
	u32 order;
	bool is_wake;
	u8 flags;
	u16 state;
	struct sched_task from;
	struct sched_task to;
};

/* Events of a CPU that are kept until they are written. */
#define SCHED_EVENTS 1024

/**
 * struct sched_cpu - a CPU
 * @events: not written yet
 * @count: of @events
 * @lost: records were lost since the last bundle
 * @busy: a recorded thread has it, or had it last
 * @thread: number of that thread
 * @task: that thread
 * @until: it is known to have had the CPU until then
 * @state: what became of it then
 * @goes_on: it still had the CPU when the recording ended
 */
struct sched_cpu {
	struct sched_event *events;
	u32 count;
	bool lost;
	bool busy;
	u32 thread;
	struct sched_task task;
	u64 until;
	u16 state;
	bool goes_on;
};

/**
 * struct sched - the scheduling of a recording
 * @packets: where to
 * @stays: threads
 * @stop_ns: CLOCK_MONOTONIC at which the recording ended
 * @cpus: CPUs by number
 * @room: elements of @cpus
 * @left_out: stays and wake-ups on CPUs that Perfetto does not take
 */
struct sched {
	struct packets *packets;
	const struct stays *stays;
	u64 stop_ns;
	struct sched_cpu *cpus;
	u32 room;
	u64 left_out;
};

/*
 * Each returns 0, or -1 without memory or if nothing can be written. @wait: what the thread waits
 * for behind the stay, if it does: enum gapp_wait_reason.
 */
int sched_take_stay(struct sched *sched, const struct stay *stay, u32 wait);
/* Before the record has become a stay. */
int sched_take_wake(struct sched *sched, const struct gapp_record_wake *wake);
int sched_take_lost(struct sched *sched, u32 cpu);
/* Writes what is left. */
int sched_end(struct sched *sched);
void sched_free(struct sched *sched);

#endif /* GAPP_READ_PERFETTO_SCHED_H */
