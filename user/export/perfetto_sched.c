// SPDX-License-Identifier: GPL-2.0
#include "perfetto_sched.h"

#include "trace_names.h"
#include "util/names.h"

/* prev_state of sched_switch, as the kernel has it since 4.14. */
enum {
	STATE_SLEEPS = 0x1,
	STATE_SLEEPS_DEEP = 0x2, /* no signal wakes it */
	STATE_DEAD = 0x10,
	STATE_PREEMPTED = 0x100,
	STATE_NOT_KNOWN = 0x200, /* the kernel has no such state */
};

/* common_flags of the kernel's trace: it happened in an interrupt. */
#define IN_INTERRUPT 0x08
/* Priority of a thread to which nobody gave another one; the kernel's idle thread has none. */
#define USUAL_PRIO 120

static const struct sched_task nobody;

/* Sets the CPU; NULL: Perfetto takes none with its number. Returns 0, or -1 without memory. */
static int cpu_of(struct sched *sched, u32 number, struct sched_cpu **cpu)
{
	*cpu = NULL;
	if (number >= PERFETTO_CPUS_MAX) {
		sched->left_out++;
		return 0;
	}
	if (array_grow_zeroed(&sched->cpus, &sched->room, number, sizeof(*sched->cpus)))
		return -1;
	*cpu = &sched->cpus[number];
	if ((*cpu)->events)
		return 0;
	(*cpu)->events = reallocarray(NULL, SCHED_EVENTS, sizeof(*(*cpu)->events));
	return (*cpu)->events ? 0 : -1;
}

static int by_time(const void *a, const void *b)
{
	const struct sched_event *x = a, *y = b;

	return compare_by(three_way(x->time, y->time), three_way(x->order, y->order));
}

static void put_comm(struct message *message, u32 field, const struct sched_task *task)
{
	size_t size = comm_len(task->comm);

	if (!task->tid)
		message_bytes(message, field, TRACE_NOT_RECORDED, strlen(TRACE_NOT_RECORDED));
	else if (size)
		packets_name(message, field, task->comm, size);
}

static void put_switch(struct message *message, const struct sched_event *event)
{
	put_comm(message, SWITCH_PREV_COMM, &event->from);
	message_given(message, SWITCH_PREV_PID, event->from.tid);
	message_given(message, SWITCH_PREV_PRIO, USUAL_PRIO);
	message_given(message, SWITCH_PREV_STATE, event->state);
	put_comm(message, SWITCH_NEXT_COMM, &event->to);
	message_given(message, SWITCH_NEXT_PID, event->to.tid);
	message_given(message, SWITCH_NEXT_PRIO, USUAL_PRIO);
}

static void put_waking(struct message *message, const struct sched_event *event)
{
	put_comm(message, WAKING_COMM, &event->to);
	message_given(message, WAKING_PID, event->to.tid);
	message_given(message, WAKING_PRIO, USUAL_PRIO);
}

static void put_event(struct packets *packets, const struct sched_event *event)
{
	struct message *message = &packets->inner;

	message_number(message, FTRACE_TIME, event->time);
	message_given(message, FTRACE_PID, event->from.tid);
	if (event->is_wake)
		put_waking(&packets->innermost, event);
	else
		put_switch(&packets->innermost, event);
	message_part(message, event->is_wake ? FTRACE_WAKING : FTRACE_SWITCH, &packets->innermost);
	message_number(message, FTRACE_FLAGS, event->flags);
	message_part(&packets->part, BUNDLE_EVENT, message);
}

static int flush(struct sched *sched, struct sched_cpu *cpu)
{
	struct packets *packets = sched->packets;

	if (!cpu->count)
		return 0;
	qsort(cpu->events, cpu->count, sizeof(*cpu->events), by_time);
	message_given(&packets->part, BUNDLE_CPU, cpu - sched->cpus);
	for (u32 i = 0; i < cpu->count; i++)
		put_event(packets, &cpu->events[i]);
	message_number(&packets->part, BUNDLE_LOST, cpu->lost);
	message_part(&packets->packet, PACKET_FTRACE, &packets->part);
	cpu->count = 0;
	cpu->lost = false;
	return packets_put(packets);
}

static int add(struct sched *sched, struct sched_cpu *cpu, const struct sched_event *event)
{
	cpu->events[cpu->count] = *event;
	cpu->events[cpu->count].order = cpu->count;
	cpu->count++;
	return cpu->count == SCHED_EVENTS ? flush(sched, cpu) : 0;
}

static int add_switch(struct sched *sched, struct sched_cpu *cpu, u64 time,
		      const struct sched_task *from, u16 state, const struct sched_task *to)
{
	const struct sched_event event = { .time = time, .state = state, .from = *from, .to = *to };

	return add(sched, cpu, &event);
}

static struct sched_task task_of(const struct sched *sched, u32 thread)
{
	struct sched_task task = { .tid = trace_tid(sched->stays, thread) };

	memcpy(task.comm, sched->stays->threads.rows[thread].comm, sizeof(task.comm));
	return task;
}

/* The module does not say how deep a thread sleeps; such waits of the kernel's are deep. */
static u16 state_of_wait(u32 wait)
{
	switch (wait) {
	case GAPP_WAIT_DISK:
	case GAPP_WAIT_FAULT:
	case GAPP_WAIT_MEMORY:
	case GAPP_WAIT_KERNEL_LOCK:
		return STATE_SLEEPS_DEEP;
	case GAPP_WAIT_SPIN: /* it had the CPU on */
		return STATE_NOT_KNOWN;
	default:
		return STATE_SLEEPS;
	}
}

/* What becomes of the thread behind a stay on a CPU. */
static u16 state_behind(const struct stay *stay, u32 wait)
{
	if (stay->kind == STAY_SPUN)
		return STATE_PREEMPTED;
	switch (stay->then) {
	case GAPP_THEN_WAIT:
		return state_of_wait(wait);
	case GAPP_THEN_PREEMPTED:
		return STATE_PREEMPTED;
	case GAPP_THEN_EXITED:
		return STATE_DEAD;
	default:
		return STATE_NOT_KNOWN;
	}
}

/* Switches to a thread. */
static int switch_to(struct sched *sched, struct sched_cpu *cpu, u64 time,
		     const struct sched_task *task)
{
	if (!cpu->busy)
		return add_switch(sched, cpu, time, &nobody, 0, task);
	if (cpu->until == time)
		return add_switch(sched, cpu, time, &cpu->task, cpu->state, task);
	if (add_switch(sched, cpu, cpu->until, &cpu->task, cpu->state, &nobody))
		return -1;
	return add_switch(sched, cpu, time, &nobody, 0, task);
}

int sched_take_stay(struct sched *sched, const struct stay *stay, u32 wait)
{
	struct sched_task task = task_of(sched, stay->thread);
	struct sched_cpu *cpu;
	u64 begin = stay->begin;

	if (cpu_of(sched, stay->cpu, &cpu))
		return -1;
	if (!cpu)
		return 0;
	if (cpu->busy && begin < cpu->until)
		begin = cpu->until;
	if (begin >= stay->end)
		return 0;
	if ((!cpu->busy || cpu->thread != stay->thread || cpu->until != begin) &&
	    switch_to(sched, cpu, begin, &task))
		return -1;
	cpu->busy = true;
	cpu->thread = stay->thread;
	cpu->task = task;
	cpu->until = stay->end;
	cpu->state = state_behind(stay, wait);
	cpu->goes_on = (stay->kind == STAY_RAN && stay->then == GAPP_THEN_STOPPED) ||
		       (stay->kind == STAY_SPUN && stay->end == sched->stop_ns);
	return 0;
}

/* Sets the thread that has an id, as far as it is known. */
static struct sched_task task_by_key(const struct sched *sched, s32 tid, s32 tgid)
{
	const struct stays_thread_key key = { tid, tgid };
	u32 thread = keyed_find(&sched->stays->threads, &key);

	if (thread == HASH_NONE)
		return (struct sched_task){ .tid = tid > 0 ? tid : 0 };
	return task_of(sched, thread);
}

static bool spins(const struct sched *sched, const struct gapp_record_wake *wake)
{
	const struct stays_thread_key key = { wake->tid, wake->tgid };
	u32 thread = keyed_find(&sched->stays->threads, &key);
	const struct stay *open;

	if (thread == HASH_NONE)
		return false;
	open = &sched->stays->threads.rows[thread].open;
	return open->kind == STAY_WAITED && open->reason == GAPP_WAIT_SPIN;
}

int sched_take_wake(struct sched *sched, const struct gapp_record_wake *wake)
{
	bool interrupt = wake->flags & GAPP_SLICE_WOKEN_BY_IRQ;
	bool thread = wake->flags & GAPP_SLICE_WAKER && !interrupt;
	struct sched_event event = { .time = wake->head.time_ns, .is_wake = true };
	struct sched_cpu *cpu;

	/* who spins is awake, and a thread without an id has none before its first slice */
	event.to = task_by_key(sched, wake->tid, wake->tgid);
	if (spins(sched, wake) || !event.to.tid)
		return 0;
	if (cpu_of(sched, thread || interrupt ? wake->waker_cpu : wake->head.cpu, &cpu))
		return -1;
	if (!cpu)
		return 0;
	event.flags = interrupt ? IN_INTERRUPT : 0;
	if (thread)
		event.from = task_by_key(sched, wake->waker_tid, wake->waker_tgid);
	return add(sched, cpu, &event);
}

int sched_take_lost(struct sched *sched, u32 number)
{
	struct sched_cpu *cpu;

	if (cpu_of(sched, number, &cpu))
		return -1;
	if (cpu)
		cpu->lost = true;
	return 0;
}

int sched_end(struct sched *sched)
{
	if (sched->left_out)
		complain("Perfetto takes no CPU beyond %u: %llu events on others are left out",
			 PERFETTO_CPUS_MAX - 1, (unsigned long long)sched->left_out);
	for (u32 i = 0; i < sched->room; i++) {
		struct sched_cpu *cpu = &sched->cpus[i];

		if (cpu->busy && !cpu->goes_on &&
		    add_switch(sched, cpu, cpu->until, &cpu->task, cpu->state, &nobody))
			return -1;
		if (flush(sched, cpu))
			return -1;
	}
	return 0;
}

void sched_free(struct sched *sched)
{
	for (u32 i = 0; i < sched->room; i++)
		free(sched->cpus[i].events);
	free(sched->cpus);
}
