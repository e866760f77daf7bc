// SPDX-License-Identifier: GPL-2.0
/*
 * The JSON of Chrome's tracing, which many viewers open: a slice for each stay, arrows from wakers,
 * counters. Times are microseconds since the recording began, with nanoseconds behind the point.
 */
#include "chrome_frames.h"
#include "exports.h"
#include "profile/profile.h"
#include "report/counter_steps.h"
#include "trace_names.h"
#include "util/names.h"
#include "spans.h"

/* Above it viewers take long and much memory. */
#define EVENTS_MAX 1000000
/* The process that stands for the CPUs, which are its threads. */
#define CPUS_PID 0

struct chrome_target {
	struct {
		u32 target;
	} key;
	s32 pid; /* that its counters stand at */
	double critical_ns;
};

struct chrome_process {
	struct {
		s32 tgid;
	} key;
};

/* What was last written of a thread. */
struct chrome_thread {
	bool known;
	u8 comm[GAPP_COMM_LEN];
};

/**
 * struct chrome - the file that is being written
 * @out: the stream
 * @recorded: the recording
 * @commands: command lines of processes, or NULL
 * @asked: what --counters asked for
 * @stays: makes stays of records
 * @frames: call paths
 * @targets: targets that were met
 * @processes: processes that have a name
 * @threads: threads by number
 * @thread_room: elements of @threads
 * @cpus: whether a CPU has a name, by number
 * @cpu_room: elements of @cpus
 * @count: events that were written
 * @flows: arrows that were written
 */
struct chrome {
	FILE *out;
	const struct recorded *recorded;
	const struct command_lines *commands;
	const struct tallies *asked;
	struct stays stays;
	struct chrome_frames frames;

	KEYED(chrome_target) targets;
	KEYED(chrome_process) processes;
	struct chrome_thread *threads;
	u32 thread_room;
	bool *cpus;
	u32 cpu_room;
	u64 count;
	u64 flows;
};

static void put_us(FILE *out, const char *name, u64 ns)
{
	fprintf(out, ",\"%s\":%llu.%03llu", name, ns / 1000, ns % 1000);
}

/* Begins an event. Returns 0, or -1 if there are too many or nothing can be written. */
static int begin(struct chrome *chrome, const char *phase, s64 pid, s64 tid)
{
	if (ferror(chrome->out) || chrome->count >= EVENTS_MAX) {
		chrome->count++;
		return -1;
	}
	fprintf(chrome->out, "%s{\"ph\":\"%s\",\"pid\":%lld,\"tid\":%lld",
		chrome->count ? ",\n" : "\n", phase, pid, tid);
	chrome->count++;
	return 0;
}

static u64 since_start(const struct chrome *chrome, u64 time)
{
	return time > chrome->recorded->start_ns ? time - chrome->recorded->start_ns : 0;
}

static void put_time(struct chrome *chrome, u64 time)
{
	put_us(chrome->out, "ts", since_start(chrome, time));
}

static void put_name(struct chrome *chrome, const char *name, size_t size)
{
	fputs(",\"name\":", chrome->out);
	name_json(chrome->out, name, size);
}

static int put_meta(struct chrome *chrome, const char *what, s64 pid, s64 tid, const void *name,
		    size_t size)
{
	if (begin(chrome, "M", pid, tid))
		return -1;
	fprintf(chrome->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	name_json(chrome->out, name, size);
	fputs("}}", chrome->out);
	return 0;
}

/* Writes the name of a thread's process, unless it was. */
static int know_process(struct chrome *chrome, u32 thread)
{
	const struct stays_thread *row = &chrome->stays.threads.rows[thread];
	struct chrome_process process = { .key = { trace_tgid(&chrome->stays, thread) } };
	const char *command = command_lines_find(chrome->commands, row->key.tgid);

	if (keyed_find(&chrome->processes, &process.key) != HASH_NONE)
		return 0;
	if (keyed_add(&chrome->processes, &process.key) == HASH_NONE)
		return -1;
	return command ? put_meta(chrome, "process_name", process.key.tgid, process.key.tgid,
				  command, strlen(command)) :
			 0;
}

/* Writes what is new of a thread. */
static int know_thread(struct chrome *chrome, u32 thread)
{
	const struct stays_thread *row = &chrome->stays.threads.rows[thread];
	struct chrome_thread *known;

	if (array_grow_zeroed(&chrome->threads, &chrome->thread_room, thread,
			      sizeof(*chrome->threads)))
		return -1;
	known = &chrome->threads[thread];
	if (known->known && !memcmp(known->comm, row->comm, GAPP_COMM_LEN))
		return 0;
	if (know_process(chrome, thread))
		return -1;
	known->known = true;
	memcpy(known->comm, row->comm, GAPP_COMM_LEN);
	return put_meta(chrome, "thread_name", trace_tgid(&chrome->stays, thread),
			trace_tid(&chrome->stays, thread), row->comm, comm_len(row->comm));
}

static int know_cpu(struct chrome *chrome, u32 cpu)
{
	char name[32];

	if (array_grow_zeroed(&chrome->cpus, &chrome->cpu_room, cpu, sizeof(*chrome->cpus)))
		return -1;
	if (chrome->cpus[cpu])
		return 0;
	chrome->cpus[cpu] = true;
	snprintf(name, sizeof(name), "CPU %u", cpu);
	return put_meta(chrome, "thread_name", CPUS_PID, cpu, name, strlen(name));
}

static int begin_slice(struct chrome *chrome, const struct stay *stay, s64 pid, s64 tid)
{
	if (begin(chrome, "X", pid, tid))
		return -1;
	put_time(chrome, stay->begin);
	put_us(chrome->out, "dur", stay->end - stay->begin);
	return 0;
}

/* Writes a thread's stay at the CPU that it had. */
static int put_on_cpu(struct chrome *chrome, const struct stay *stay)
{
	const struct stays_thread *row = &chrome->stays.threads.rows[stay->thread];

	if (know_cpu(chrome, stay->cpu) || begin_slice(chrome, stay, CPUS_PID, stay->cpu))
		return -1;
	put_name(chrome, (const char *)row->comm, comm_len(row->comm));
	fprintf(chrome->out, ",\"cat\":\"%s\",\"args\":{\"tid\":%d,\"pid\":%d}}",
		stay->kind == STAY_SPUN ? "spun" : "ran", trace_tid(&chrome->stays, stay->thread),
		trace_tgid(&chrome->stays, stay->thread));
	return 0;
}

static void put_ran(struct chrome *chrome, const struct stay *stay)
{
	fprintf(chrome->out, ",\"cat\":\"%s\",\"args\":{\"cpu\":%u,\"active threads\":%u",
		stay->critical_ns > 0 ? "ran,critical" : "ran", stay->cpu, stay->n);
	if (stay->critical_ns > 0)
		put_us(chrome->out, "critical us", stay->critical_ns);
	putc('}', chrome->out);
}

/* Writes who woke the thread, if that is known. */
static void put_waker(struct chrome *chrome, const struct stay *stay)
{
	if (stay->waker_flags & GAPP_SLICE_WOKEN_BY_IRQ)
		fputs(",\"args\":{\"woken by\":\"an interrupt\"}", chrome->out);
	else if (stay->waker != STAY_NOBODY)
		fprintf(chrome->out, ",\"args\":{\"woken by\":%d,\"on cpu\":%u}",
			trace_tid(&chrome->stays, stay->waker), stay->waker_cpu);
}

static const char *category_of(const struct stay *stay)
{
	switch (stay->kind) {
	case STAY_WAITED:
		return "wait";
	case STAY_READY:
		return "ready";
	default:
		return "lost";
	}
}

/* Sets the name of a stay but one of a thread that ran. */
static void name_stay(const struct stay *stay, char *name, size_t size)
{
	switch (stay->kind) {
	case STAY_WAITED:
		snprintf(name, size, "waits: %s", wait_name(stay->reason));
		return;
	case STAY_READY:
		snprintf(name, size, "ready");
		return;
	default:
		snprintf(name, size, "not known");
	}
}

/* Writes a thread's stay at the thread. */
static int put_of_thread(struct chrome *chrome, const struct stay *stay)
{
	struct chrome_path path = { .frame = CHROME_NO_FRAME };
	char name[64];

	if (stay->kind != STAY_UNKNOWN && stay->kind != STAY_READY &&
	    chrome_frames_find(&chrome->frames, stay, &path))
		return -1;
	if (begin_slice(chrome, stay, trace_tgid(&chrome->stays, stay->thread),
			trace_tid(&chrome->stays, stay->thread)))
		return -1;
	if (stay->kind == STAY_RAN) {
		put_name(chrome, path.place ?: "ran", strlen(path.place ?: "ran"));
		put_ran(chrome, stay);
	} else {
		name_stay(stay, name, sizeof(name));
		put_name(chrome, name, strlen(name));
		fprintf(chrome->out, ",\"cat\":\"%s\"", category_of(stay));
		put_waker(chrome, stay);
	}
	if (path.frame != CHROME_NO_FRAME)
		/* it is that at the end of what ran, and at the begin of a wait */
		fprintf(chrome->out, ",\"%s\":\"%u\"", stay->kind == STAY_RAN ? "esf" : "sf",
			path.frame);
	putc('}', chrome->out);
	return 0;
}

static int put_flow_end(struct chrome *chrome, const char *phase, u32 thread, u64 time)
{
	if (begin(chrome, phase, trace_tgid(&chrome->stays, thread),
		  trace_tid(&chrome->stays, thread)))
		return -1;
	put_time(chrome, time);
	fprintf(chrome->out, ",\"id\":%llu,\"cat\":\"wake\",\"name\":\"wakes\",\"bp\":\"e\"}",
		chrome->flows);
	return 0;
}

/* Writes the arrow from who woke a thread to where it ran next. */
static int put_flow(struct chrome *chrome, const struct stay *stay)
{
	if (stay->kind != STAY_READY || stay->waker == STAY_NOBODY || stay->cpu == STAY_NO_CPU ||
	    stay->waker_flags & GAPP_SLICE_WOKEN_BY_IRQ ||
	    !chrome->stays.threads.rows[stay->waker].followed)
		return 0;
	chrome->flows++;
	return put_flow_end(chrome, "s", stay->waker, stay->begin) ||
			       put_flow_end(chrome, "f", stay->thread, stay->end) ?
		       -1 :
		       0;
}

static int take_stay(void *context, const struct stay *stay)
{
	struct chrome *chrome = context;

	if (know_thread(chrome, stay->thread) || put_flow(chrome, stay))
		return -1;
	if ((stay->kind == STAY_RAN || stay->kind == STAY_SPUN) && put_on_cpu(chrome, stay))
		return -1;
	if (stay->kind == STAY_SPUN || stay->begin == stay->end)
		return 0;
	return put_of_thread(chrome, stay);
}

static int put_counter(struct chrome *chrome, const struct chrome_target *target, u64 time,
		       const char *name, double value)
{
	if (begin(chrome, "C", target->pid, target->pid))
		return -1;
	put_time(chrome, time);
	fprintf(chrome->out, ",\"name\":\"%s\",\"id\":%u,\"args\":{\"%s\":%.12g}}", name,
		target->key.target, name, value);
	return 0;
}

/* The target of a record; NULL: no memory. */
static struct chrome_target *target_of(struct chrome *chrome, u32 number, s32 tgid)
{
	struct chrome_target target = { .key = { number } };
	u32 found = keyed_find(&chrome->targets, &target.key);

	if (found == HASH_NONE) {
		found = keyed_add(&chrome->targets, &target.key);
		if (found == HASH_NONE)
			return NULL;
		chrome->targets.rows[found].pid = tgid > 0 ? tgid : CPUS_PID;
	}
	return &chrome->targets.rows[found];
}

static int count_slice(struct chrome *chrome, const struct gapp_record_slice *slice)
{
	struct chrome_target *target = target_of(chrome, slice->target, slice->tgid);
	u64 time = slice->head.time_ns;

	if (!target)
		return -1;
	if (slice->critical_share) {
		target->critical_ns += (double)slice->critical_share / (1 << GAPP_SHARE_SHIFT);
		if (put_counter(chrome, target, time, "critical time so far, us",
				target->critical_ns / 1000))
			return -1;
	}
	return slice->flags & GAPP_SLICE_REST ?
		       0 :
		       put_counter(chrome, target, time, "active threads", slice->n);
}

static int count_wake(struct chrome *chrome, const struct gapp_record_wake *wake)
{
	struct chrome_target *target = target_of(chrome, wake->target, wake->tgid);

	return target ? put_counter(chrome, target, wake->head.time_ns, "active threads", wake->n) :
			-1;
}

static int put_lost(struct chrome *chrome, const struct gapp_record_lost *lost)
{
	if (begin(chrome, "i", CPUS_PID, lost->head.cpu))
		return -1;
	put_time(chrome, lost->head.time_ns);
	fprintf(chrome->out,
		",\"s\":\"g\",\"cat\":\"lost\",\"name\":\"records are lost\",\"args\":{\"records\":%llu",
		(unsigned long long)lost->records);
	put_us(chrome->out, "since us", since_start(chrome, lost->since_ns));
	fputs("}}", chrome->out);
	return 0;
}

static int take_record(void *context, const struct gapp_record *record, _unused_ u32 verdict)
{
	struct chrome *chrome = context;

	if (stays_record(&chrome->stays, record))
		return -1;
	if (record->time_ns < chrome->recorded->start_ns)
		return 0;
	switch (record->type) {
	case GAPP_RECORD_SLICE:
		return count_slice(chrome, (const struct gapp_record_slice *)record);
	case GAPP_RECORD_WAKE:
		return count_wake(chrome, (const struct gapp_record_wake *)record);
	case GAPP_RECORD_LOST:
		return put_lost(chrome, (const struct gapp_record_lost *)record);
	}
	return 0;
}

/* Writes a counter's rate, of all nodes beside each other. */
static int put_rate(struct chrome *chrome, const struct counter_step *step, u32 counter)
{
	const char *name = chrome->asked->counters[counter].name;

	if (begin(chrome, "C", CPUS_PID, CPUS_PID))
		return -1;
	put_time(chrome, step->begin_ns);
	fprintf(chrome->out, ",\"name\":\"%s a second\",\"args\":{", name);
	if (!step->node_count)
		fprintf(chrome->out, "\"all CPUs\":%.12g", counter_rate(step, &step->all, counter));
	for (u32 i = 0; i < step->node_count; i++) {
		const struct counter_row *row = &step->nodes[i];

		fputs(i ? "," : "", chrome->out);
		if (row->node == CPU_NODE_UNKNOWN)
			fputs("\"of an unknown node\"", chrome->out);
		else
			fprintf(chrome->out, "\"node %u\"", row->node);
		fprintf(chrome->out, ":%.12g", counter_rate(step, row, counter));
	}
	fputs("}}", chrome->out);
	return 0;
}

/* Parts of different nodes do not add up, so each has a track. */
static int put_local(struct chrome *chrome, const struct counter_step *step,
		     const struct counter_row *row, const char *of)
{
	if (!row->local_known)
		return 0;
	if (begin(chrome, "C", CPUS_PID, CPUS_PID))
		return -1;
	put_time(chrome, step->begin_ns);
	fprintf(chrome->out, ",\"name\":\"local memory %%, %s\",\"args\":{\"%%\":%.12g}}", of,
		row->local_percent);
	return 0;
}

static int put_step(void *context, const struct counter_step *step)
{
	struct chrome *chrome = context;
	char of[32];

	for (u32 i = 0; i < chrome->asked->count; i++)
		if (!counter_why_not(chrome->asked, &chrome->asked->counters[i]) &&
		    put_rate(chrome, step, i))
			return -1;
	for (u32 i = 0; i < step->node_count; i++) {
		snprintf(of, sizeof(of), "node %u", step->nodes[i].node);
		if (put_local(chrome, step, &step->nodes[i],
			      step->nodes[i].node == CPU_NODE_UNKNOWN ? "of an unknown node" : of))
			return -1;
	}
	return put_local(chrome, step, &step->all, "all CPUs");
}

static int put_events(struct chrome *chrome, const struct results *results)
{
	struct recorded_count count;

	if (put_meta(chrome, "process_name", CPUS_PID, CPUS_PID, "CPUs", strlen("CPUs")) ||
	    (counter_steps_any(results) &&
	     counter_steps_of_file(results, chrome->recorded->blocks, put_step, chrome)) ||
	    recorded_each(chrome->recorded->blocks, take_record, chrome, &count))
		return -1;
	return stays_end(&chrome->stays, chrome->recorded->stop_ns);
}

/* Counters that have no track, and why; names of counters need no escapes. */
static void put_uncounted(FILE *out, const struct tallies *asked)
{
	for (u32 i = 0; i < asked->count; i++) {
		const char *why = counter_why_not(asked, &asked->counters[i]);

		if (!why)
			continue;
		fprintf(out, ",\n\"not counted: %s\":", asked->counters[i].name);
		name_json(out, why, strlen(why));
	}
}

static void put_notes(FILE *out)
{
	for (const struct trace_note *note = trace_notes; note->name; note++) {
		fputs(note == trace_notes ? "" : ",\n", out);
		name_json(out, note->name, strlen(note->name));
		putc(':', out);
		name_json(out, note->text, strlen(note->text));
	}
}

static int put_file(struct chrome *chrome, const struct results *results)
{
	fputs("{\"displayTimeUnit\":\"ns\",\n\"otherData\":{", chrome->out);
	put_notes(chrome->out);
	put_uncounted(chrome->out, chrome->asked);
	fputs("},\n\"traceEvents\":[", chrome->out);
	if (put_events(chrome, results))
		return -1;
	fputs("],\n\"stackFrames\":{", chrome->out);
	chrome_frames_put(&chrome->frames, chrome->out);
	fputs("}}\n", chrome->out);
	return 0;
}

int export_chrome(FILE *out, const struct results *results, _unused_ const struct options *options)
{
	struct chrome *chrome = calloc(1, sizeof(*chrome));
	int error;

	if (!chrome)
		return -1;
	chrome->out = out;
	chrome->recorded = results->recorded;
	chrome->commands = results->commands;
	chrome->asked = &results->counted.asked;
	chrome->frames.recorded = results->recorded;
	stays_init(&chrome->stays, chrome->recorded->start_ns, chrome->recorded->every_slice,
		   take_stay, chrome);
	error = export_spans(&chrome->stays, results);
	if (!error)
		error = put_file(chrome, results);
	if (error && ferror(out)) {
		/* found by the caller */
		error = 0;
	} else if (chrome->count > EVENTS_MAX) {
		complain(
			"a .trace.json of this recording would have more than %d events, too many for its viewers: write a .pftrace",
			EVENTS_MAX);
		error = 1;
	}
	chrome_frames_free(&chrome->frames);
	stays_free(&chrome->stays);
	keyed_free(&chrome->targets);
	keyed_free(&chrome->processes);
	free(chrome->threads);
	free(chrome->cpus);
	free(chrome);
	return error;
}
