// SPDX-License-Identifier: GPL-2.0
#include "stays.h"

#include "util/util.h"

void stays_init(struct stays *stays, u64 start_ns, bool every_slice, stay_fn take, void *context)
{
	*stays = (struct stays){
		.take = take,
		.context = context,
		.start_ns = start_ns,
		.every_slice = every_slice,
	};
}

void stays_set_spans(struct stays *stays, struct stays_span *spans, size_t count)
{
	stays->spans = spans;
	stays->span_count = count;
}

void stays_free(struct stays *stays)
{
	keyed_free(&stays->threads);
	free(stays->cpus);
	free(stays->spans);
}

/* Sets the thread's number; STAY_NOBODY: there is no room for it. Returns 0, or -1 without memory.
 */
static int thread_of(struct stays *stays, s32 tid, s32 tgid, u32 *thread)
{
	const struct stays_thread_key key = { tid, tgid };
	struct stays_thread *row;

	*thread = keyed_find(&stays->threads, &key);
	if (*thread != HASH_NONE)
		return 0;
	*thread = STAY_NOBODY;
	if (stays->threads.index.count >= STAYS_THREADS_MAX) {
		stays->without_room++;
		return 0;
	}
	*thread = keyed_add(&stays->threads, &key);
	if (*thread == HASH_NONE)
		return -1;
	row = &stays->threads.rows[*thread];
	row->known = stays->start_ns;
	row->fresh = true;
	row->open.kind = STAY_UNKNOWN;
	row->open.thread = *thread;
	return 0;
}

/* Sets the CPU; NULL: there is no room for it. Returns 0, or -1 without memory. */
static int cpu_of(struct stays *stays, u32 number, struct stays_cpu **cpu)
{
	u32 before = stays->cpu_room;

	*cpu = NULL;
	if (number >= STAYS_CPUS_MAX) {
		stays->without_room++;
		return 0;
	}
	if (array_grow(&stays->cpus, &stays->cpu_room, number, sizeof(*stays->cpus)))
		return -1;
	for (u32 i = before; i < stays->cpu_room; i++)
		stays->cpus[i] = (struct stays_cpu){ STAY_NOBODY, stays->start_ns };
	*cpu = &stays->cpus[number];
	return 0;
}

/* Whether what has no record of its own can be told by the records of the thread around it. */
static bool is_known(const struct stays *stays, u32 thread, u64 begin, u64 end)
{
	const struct stays_span *span = &stays->threads.rows[thread].span;

	for (u32 i = 0; i < stays->hole_count; i++)
		if (stays->holes[i].begin < end && stays->holes[i].end > begin)
			return false;
	return span->end ? span->every_slice : stays->every_slice;
}

static void add_hole(struct stays *stays, const struct gapp_record_lost *lost)
{
	struct stays_hole *holes = stays->holes;

	stays->lost_records += lost->records;
	if (lost->since_ns >= lost->head.time_ns)
		return;
	if (stays->hole_count == STAYS_HOLES) {
		if (holes[0].begin < holes[1].begin)
			holes[1].begin = holes[0].begin;
		if (holes[0].end > holes[1].end)
			holes[1].end = holes[0].end;
		stays->hole_count--;
		memmove(holes, holes + 1, stays->hole_count * sizeof(*holes));
	}
	holes[stays->hole_count++] = (struct stays_hole){ lost->since_ns, lost->head.time_ns };
}

/* Tells of what a thread did up to @end. */
static int tell(struct stays *stays, u32 thread, u64 end)
{
	struct stays_thread *row = &stays->threads.rows[thread];
	struct stay stay = row->open;

	stay.begin = row->known;
	stay.end = end;
	stay.first = row->fresh;
	if (end > row->known)
		row->known = end;
	if (stay.end < stay.begin || (stay.end == stay.begin && stay.kind != STAY_READY))
		return 0;
	/* before it began, or was seen, and behind its end */
	if (stay.kind == STAY_UNKNOWN && !stay.in_between)
		return 0;
	if (stay.kind != STAY_RAN && !is_known(stays, thread, stay.begin, stay.end)) {
		if (stay.begin == stay.end)
			return 0;
		stay.kind = STAY_UNKNOWN;
		stay.cpu = STAY_NO_CPU;
	}
	row->fresh = false;
	return stays->take(stays->context, &stay);
}

static void set_open(struct stays_thread *row, enum stay_kind kind)
{
	row->open = (struct stay){
		.kind = kind,
		.thread = row->open.thread,
		.in_between = true,
		.cpu = STAY_NO_CPU,
		.path = GAPP_PATH_NONE,
		.kernel_path = GAPP_PATH_NONE,
		.waker = STAY_NOBODY,
		.waker_cpu = STAY_NO_CPU,
	};
}

/* The last span of a target that begins at @time or before, else its first one; NULL: none is
 * known.
 */
static const struct stays_span *span_at(const struct stays *stays, u32 target, u64 time)
{
	size_t low = 0, high = stays->span_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct stays_span *span = &stays->spans[middle];

		if (span->target < target || (span->target == target && span->begin <= time))
			low = middle + 1;
		else
			high = middle;
	}
	if (low && stays->spans[low - 1].target == target)
		return &stays->spans[low - 1];
	return low < stays->span_count && stays->spans[low].target == target ? &stays->spans[low] :
									       NULL;
}

u64 stays_span_end(const struct stays *stays, u32 target, u64 time)
{
	const struct stays_span *span = stays->spans ? span_at(stays, target, time) : NULL;

	return span ? span->end : UINT64_MAX;
}

/* Where the thread's span ends, if that is before @end. */
static u64 end_in_span(const struct stays *stays, u32 thread, u64 end)
{
	const struct stays_thread *row = &stays->threads.rows[thread];

	return stays->spans && row->span.end && row->span.end < end ? row->span.end : end;
}

/*
 * A record of a thread: if it is in another span than what is known, tells of the time up to the
 * end of the former one, and begins anew. Returns 0, or -1 if @take did.
 */
static int enter_span(struct stays *stays, u32 thread, u32 target, u64 time)
{
	const struct stays_span *span = stays->spans ? span_at(stays, target, time) : NULL;
	struct stays_thread *row = &stays->threads.rows[thread];

	if (!span || (row->span.end && span->begin == row->span.begin))
		return 0;
	if (row->span.end) {
		if (span->begin < row->span.begin)
			return 0;
		if (row->followed && row->open.kind != STAY_RAN &&
		    tell(stays, thread, row->span.end))
			return -1;
		set_open(row, STAY_UNKNOWN);
		row->open.in_between = false;
		row->fresh = true;
	}
	row->span = *span;
	if (row->known < span->begin || row->known == stays->start_ns)
		row->known = span->begin;
	return 0;
}

/* Tells of the spinner's time on a CPU up to @end, if it still spins there. */
static int tell_spinner(struct stays *stays, u32 number, struct stays_cpu *cpu, u64 end)
{
	struct stay stay = {
		.kind = STAY_SPUN,
		.reason = GAPP_WAIT_SPIN,
		.thread = cpu->spinner,
		.cpu = number,
		.begin = cpu->since,
		.end = end,
		.path = GAPP_PATH_NONE,
		.kernel_path = GAPP_PATH_NONE,
		.waker = STAY_NOBODY,
		.waker_cpu = STAY_NO_CPU,
		.in_between = true,
	};

	if (cpu->spinner == STAY_NOBODY)
		return 0;
	stay.end = end_in_span(stays, cpu->spinner, end);
	if (stay.end <= cpu->since || !is_known(stays, cpu->spinner, cpu->since, stay.end))
		return 0;
	return stays->take(stays->context, &stay);
}

/* A thread ran on a CPU: no other one spun there at that time. */
static int ran_on(struct stays *stays, u32 number, u32 thread, u64 begin, u64 end)
{
	struct stays_cpu *cpu = &stays->cpus[number];

	if (tell_spinner(stays, number, cpu, begin))
		return -1;
	if (cpu->spinner == thread)
		cpu->spinner = STAY_NOBODY;
	cpu->since = end;
	return 0;
}

/* The CPU on which a thread spins has it no longer. */
static int spun_until(struct stays *stays, u32 number, u32 thread, u64 end)
{
	struct stays_cpu *cpu;

	if (number >= stays->cpu_room || stays->cpus[number].spinner != thread)
		return 0;
	cpu = &stays->cpus[number];
	if (tell_spinner(stays, number, cpu, end))
		return -1;
	cpu->spinner = STAY_NOBODY;
	if (end > cpu->since)
		cpu->since = end;
	return 0;
}

/* What a thread does behind a slice. */
static void open_next(struct stays *stays, u32 thread, const struct gapp_record_slice *slice)
{
	struct stays_thread *row = &stays->threads.rows[thread];

	switch (slice->then) {
	case GAPP_THEN_WAIT:
		set_open(row, STAY_WAITED);
		row->open.reason = slice->wait < GAPP_WAIT_REASONS ? slice->wait : GAPP_WAIT_OTHER;
		row->open.path = slice->path;
		row->open.kernel_path = slice->kernel_path;
		if (row->open.reason != GAPP_WAIT_SPIN)
			return;
		row->open.cpu = slice->head.cpu;
		stays->cpus[slice->head.cpu].spinner = thread;
		return;
	case GAPP_THEN_PREEMPTED:
		set_open(row, STAY_READY);
		return;
	case GAPP_THEN_ON:
		set_open(row, STAY_RAN);
		return;
	default: /* it has ended, or the recording has */
		set_open(row, STAY_UNKNOWN);
		row->open.in_between = false;
		return;
	}
}

static int take_slice(struct stays *stays, const struct gapp_record_slice *slice)
{
	u64 begin = slice->begin_ns, end = slice->head.time_ns;
	u32 thread, spun_on = STAY_NO_CPU;
	struct stays_thread *row;
	struct stays_cpu *cpu;

	/* the record is not of a slice, but of the shares of earlier ones */
	if (slice->flags & GAPP_SLICE_REST || end < stays->start_ns)
		return 0;
	if (cpu_of(stays, slice->head.cpu, &cpu) ||
	    thread_of(stays, slice->tid, slice->tgid, &thread))
		return -1;
	if (!cpu || thread == STAY_NOBODY)
		return 0;
	if (enter_span(stays, thread, slice->target, end))
		return -1;
	row = &stays->threads.rows[thread];
	row->followed = true;
	memcpy(row->comm, slice->comm, sizeof(row->comm));
	if (begin < stays->start_ns)
		begin = stays->start_ns;
	if (stays->spans && begin < row->span.begin)
		begin = row->span.begin;
	if (begin < row->known)
		begin = row->known;
	if (begin < cpu->since)
		begin = cpu->since;
	/* a record that came after a later one of the thread, or of the CPU */
	if (end < begin)
		return 0;
	if (row->open.kind == STAY_READY)
		row->open.cpu = slice->head.cpu;
	if (row->open.kind == STAY_WAITED && row->open.reason == GAPP_WAIT_SPIN)
		spun_on = row->open.cpu;
	if (row->open.kind == STAY_RAN)
		/* what lies between two parts of a slice is in neither */
		set_open(row, STAY_UNKNOWN);
	if (tell(stays, thread, begin))
		return -1;
	if (spun_on != STAY_NO_CPU && spun_until(stays, spun_on, thread, begin))
		return -1;
	if (ran_on(stays, slice->head.cpu, thread, begin, end))
		return -1;
	row = &stays->threads.rows[thread];
	set_open(row, STAY_RAN);
	row->open.cpu = slice->head.cpu;
	row->open.path = slice->path;
	row->open.kernel_path = slice->kernel_path;
	row->open.then = slice->then;
	row->open.n = slice->n;
	row->open.critical_ns = (double)slice->own_critical_share / (1 << GAPP_SHARE_SHIFT);
	if (tell(stays, thread, end))
		return -1;
	open_next(stays, thread, slice);
	return 0;
}

static int take_wake(struct stays *stays, const struct gapp_record_wake *wake)
{
	bool named = wake->flags & (GAPP_SLICE_WAKER | GAPP_SLICE_WOKEN_BY_IRQ);
	u32 thread, waker = STAY_NOBODY, spun_on = STAY_NO_CPU;
	u64 time = wake->head.time_ns;
	struct stays_thread *row;

	if (time < stays->start_ns)
		return 0;
	if (thread_of(stays, wake->tid, wake->tgid, &thread))
		return -1;
	if (thread == STAY_NOBODY)
		return 0;
	if (wake->flags & GAPP_SLICE_WAKER &&
	    thread_of(stays, wake->waker_tid, wake->waker_tgid, &waker))
		return -1;
	if (enter_span(stays, thread, wake->target, time))
		return -1;
	row = &stays->threads.rows[thread];
	if (time < row->known)
		time = row->known;
	row->followed = true;
	/* it was found asleep */
	if (row->fresh && row->open.kind == STAY_UNKNOWN && named)
		set_open(row, STAY_WAITED);
	/* the record of the slice's end is lost */
	if (row->open.kind == STAY_RAN)
		set_open(row, STAY_UNKNOWN);
	if (row->open.kind == STAY_WAITED && row->open.reason == GAPP_WAIT_SPIN)
		spun_on = row->open.cpu;
	if (tell(stays, thread, time))
		return -1;
	if (spun_on != STAY_NO_CPU && spun_until(stays, spun_on, thread, time))
		return -1;
	row->known = time;
	set_open(row, STAY_READY);
	row->open.waker = waker;
	row->open.waker_cpu = named ? wake->waker_cpu : STAY_NO_CPU;
	row->open.waker_flags = wake->flags;
	return 0;
}

int stays_record(struct stays *stays, const struct gapp_record *record)
{
	switch (record->type) {
	case GAPP_RECORD_SLICE:
		return take_slice(stays, (const struct gapp_record_slice *)record);
	case GAPP_RECORD_WAKE:
		return take_wake(stays, (const struct gapp_record_wake *)record);
	case GAPP_RECORD_LOST:
		add_hole(stays, (const struct gapp_record_lost *)record);
		return 0;
	}
	return 0;
}

int stays_end(struct stays *stays, u64 stop_ns)
{
	if (stays->without_room)
		complain(
			"%llu records are of more than %u threads, or of CPUs beyond %u: timelines are without them",
			(unsigned long long)stays->without_room, STAYS_THREADS_MAX, STAYS_CPUS_MAX);
	for (u32 i = 0; i < stays->cpu_room; i++)
		if (tell_spinner(stays, i, &stays->cpus[i], stop_ns))
			return -1;
	for (u32 i = 0; i < stays->threads.index.count; i++) {
		struct stays_thread *row = &stays->threads.rows[i];

		if (row->followed && row->open.kind != STAY_RAN &&
		    tell(stays, i, end_in_span(stays, i, stop_ns)))
			return -1;
	}
	return 0;
}
