// SPDX-License-Identifier: GPL-2.0
#include "sections.h"

#include <string.h>

/* Changes of a process's current section that are remembered, to divide slices. */
#define CHANGES 256
/* Bounds of memory: what comes beyond is added where it can be, and counts as divided. */
#define THREADS_MAX 65536
#define PATHS_MAX 131072
#define EVENTS_MAX 262144
/* In place of a section's number: the process is in none. */
#define OUTSIDE HASH_NONE

struct open_section {
	s32 tid;
	u32 section;
};

/* From @ns on, CLOCK_MONOTONIC, the current section is @section. */
struct section_change {
	u64 ns;
	u32 section;
};

enum event_kind {
	EVENT_BEGIN, /* of a section of a thread */
	EVENT_END, /* of the one that the thread began last, with what is in it */
	EVENT_THREAD, /* all of a thread end */
	EVENT_ALL, /* all of the process end */
};

/**
 * struct section_event - what changed the open sections of a process
 * @ns: CLOCK_MONOTONIC
 * @thread_ns: S of the target then
 * @process: number of the process
 * @measured: @thread_ns is known
 */
struct section_event {
	u64 ns;
	u64 thread_ns;
	u32 process;
	s32 tid;
	u32 section;
	u8 kind;
	bool measured;
};

/* The number of a section, which is added if it is new. Returns 0, or -1 without memory. */
static int find_section(struct sections *sections, const struct mark_key *key, u32 *section)
{
	static const struct mark_key others = { "(other sections)" };

	*section = keyed_number(&sections->sums, key, &others, SECTIONS_MAX);
	return *section == HASH_NONE ? -1 : 0;
}

static u32 current_section(const struct section_process *process)
{
	return process->open_count ? process->open[process->open_count - 1].section : OUTSIDE;
}

/* NULL: no memory, or with *@full no room. */
static struct section_process *add_process(struct sections *sections, s32 tgid, u32 image,
					   bool *full)
{
	const struct section_id key = { tgid };
	struct section_process *process;
	u32 id;

	*full = sections->processes.index.count >= SECTION_PROCESSES_MAX;
	if (*full)
		return NULL;
	id = keyed_add(&sections->processes, &key);
	if (id == HASH_NONE)
		return NULL;
	process = &sections->processes.rows[id];
	process->changes = calloc(CHANGES, sizeof(*process->changes));
	if (!process->changes)
		return NULL;
	process->changes[0].section = OUTSIDE;
	process->change_count = 1;
	process->image = image;
	return process;
}

static struct section_process *find_process(const struct sections *sections, s32 tgid)
{
	const struct section_id key = { tgid };
	const u32 id = keyed_find(&sections->processes, &key);

	return id == HASH_NONE || !sections->processes.rows[id].changes ?
		       NULL :
		       &sections->processes.rows[id];
}

/* Adds the time since the last change to the current section. */
static void settle(struct sections *sections, struct section_process *process, u64 ns,
		   u64 thread_ns, bool measured)
{
	const u32 section = current_section(process);
	struct section_sum *sum;

	if (section != OUTSIDE && ns > process->since_ns) {
		sum = &sections->sums.rows[section];
		sum->ns += ns - process->since_ns;
		if (measured && process->measured) {
			sum->measured_ns += ns - process->since_ns;
			sum->thread_ns += thread_ns - process->thread_ns;
		}
	}
	process->since_ns = ns > process->since_ns ? ns : process->since_ns;
	process->thread_ns = thread_ns;
	process->measured = measured;
}

/* After the sections that are open have changed. */
static void note_change(struct section_process *process, u64 ns)
{
	process->changes[process->change_count++ % CHANGES] =
		(struct section_change){ ns, current_section(process) };
}

/* Keeps what happens now, for sections_end_threads(). Returns 0, or -1 without memory. */
static int note_event(struct sections *sections, const struct section_process *process,
		      enum event_kind kind, s32 tid, u32 section)
{
	if (sections->event_count >= EVENTS_MAX) {
		sections->events_lost = true;
		return 0;
	}
	if (array_grow(&sections->events, &sections->event_room, sections->event_count,
		       sizeof(*sections->events)))
		return -1;
	sections->events[sections->event_count++] = (struct section_event){
		.ns = process->since_ns,
		.thread_ns = process->thread_ns,
		.process = process - sections->processes.rows,
		.tid = tid,
		.section = section,
		.kind = kind,
		.measured = process->measured,
	};
	return 0;
}

/* NULL: it is not known. */
static struct section_thread *find_thread(const struct sections *sections, s32 tid)
{
	const struct section_id key = { tid };
	const u32 id = keyed_find(&sections->threads, &key);

	return id == HASH_NONE ? NULL : &sections->threads.rows[id];
}

/* Sets @thread, which is added if it is new; NULL: there is no room. Returns 0, or -1. */
static int make_thread(struct sections *sections, s32 tid, struct section_thread **thread)
{
	const struct section_id key = { tid };
	u32 id;

	*thread = find_thread(sections, tid);
	if (*thread || sections->threads.index.count >= THREADS_MAX)
		return 0;
	id = keyed_add(&sections->threads, &key);
	if (id == HASH_NONE)
		return -1;
	*thread = &sections->threads.rows[id];
	return 0;
}

/* The thread, if it is in sections that had no room; else NULL. */
static struct section_thread *find_beyond(const struct sections *sections,
					  const struct section_process *process, s32 tid)
{
	struct section_thread *thread = find_thread(sections, tid);

	return thread && thread->beyond && thread->image == process->image ? thread : NULL;
}

/* A section that has no room; its end is to be known as that. Returns 0, or -1 without memory. */
static int begin_beyond(struct sections *sections, const struct section_process *process, s32 tid)
{
	struct section_thread *thread;

	sections->without_room++;
	if (make_thread(sections, tid, &thread))
		return -1;
	if (!thread)
		return 0;
	if (thread->image != process->image)
		thread->beyond = 0;
	thread->image = process->image;
	thread->beyond++;
	return 0;
}

static int begin_section(struct sections *sections, struct section_process *process, s32 tid,
			 const struct mark_key *name)
{
	u32 section;

	/* what is in a section without room has none either: so ends are of the innermost first */
	if (process->open_count >= SECTIONS_OPEN_MAX || find_beyond(sections, process, tid))
		return begin_beyond(sections, process, tid);
	if (find_section(sections, name, &section) ||
	    array_grow(&process->open, &process->open_room, process->open_count,
		       sizeof(*process->open)))
		return -1;
	sections->sums.rows[section].begins++;
	process->open[process->open_count++] = (struct open_section){ tid, section };
	return note_event(sections, process, EVENT_BEGIN, tid, section);
}

/* Which open section a mark ends; OUTSIDE: none. */
static u32 find_open(const struct sections *sections, const struct section_process *process,
		     s32 tid, const struct mark_key *name)
{
	u32 section = keyed_find(&sections->sums, name);

	if (section == HASH_NONE && sections->sums.index.count == SECTIONS_MAX)
		section = SECTIONS_MAX - 1;
	for (u32 i = process->open_count; i--;) {
		const struct open_section *open = &process->open[i];

		if (open->tid == tid && (!*name->text || open->section == section))
			return i;
	}
	return OUTSIDE;
}

/* Ends those of a thread from number @first on. */
static void end_from(struct section_process *process, s32 tid, u32 first)
{
	u32 kept = first;

	for (u32 i = first; i < process->open_count; i++)
		if (process->open[i].tid != tid)
			process->open[kept++] = process->open[i];
	process->open_count = kept;
}

/* Returns 0, or -1 without memory. */
static int end_section(struct sections *sections, struct section_process *process, s32 tid,
		       const struct mark_key *name)
{
	struct section_thread *beyond = find_beyond(sections, process, tid);
	const u32 first = find_open(sections, process, tid, name);

	if (beyond) {
		beyond->beyond--;
		return 0;
	}
	if (first == OUTSIDE) {
		sections->unpaired++;
		return 0;
	}
	if (note_event(sections, process, EVENT_END, tid, process->open[first].section))
		return -1;
	end_from(process, tid, first);
	return 0;
}

/* All that is open ends at @ns. */
void sections_end(struct sections *sections, struct section_process *process, u64 ns)
{
	if (!process->open_count)
		return;
	settle(sections, process, ns, 0, false);
	process->open_count = 0;
	note_change(process, process->since_ns);
}

/*
 * Ends what is open in a former address space; sets whether the record is of this one. Returns 0,
 * or -1 without memory.
 */
static int pass_image(struct sections *sections, struct section_process *process, u32 image, u64 ns,
		      bool *is_of_it)
{
	*is_of_it = image >= process->image;
	if (image <= process->image)
		return 0;
	process->image = image;
	if (!process->open_count)
		return 0;
	sections_end(sections, process, ns);
	return note_event(sections, process, EVENT_ALL, 0, OUTSIDE);
}

int sections_mark(struct sections *sections, const struct gapp_record_mark *mark)
{
	const struct mark_key name = mark_key_of(mark);
	struct section_process *process = find_process(sections, mark->tgid);
	bool full = false, is_of_it;

	if (mark->kind != GAPP_MARK_BEGIN && mark->kind != GAPP_MARK_END)
		return 0;
	if (!process)
		process = add_process(sections, mark->tgid, mark->image, &full);
	if (!process) {
		sections->without_room += full && mark->kind == GAPP_MARK_BEGIN;
		return full ? 0 : -1;
	}
	if (pass_image(sections, process, mark->image, mark->head.time_ns, &is_of_it))
		return -1;
	if (!is_of_it)
		return 0;
	settle(sections, process, mark->head.time_ns, mark->thread_ns,
	       mark->flags & GAPP_MARK_INTEGRALS);
	if (mark->kind == GAPP_MARK_END ? end_section(sections, process, mark->tid, &name) :
					  begin_section(sections, process, mark->tid, &name))
		return -1;
	note_change(process, process->since_ns);
	return 0;
}

/* When the thread's record before was; 0: not known. Sets it to @ns. Returns 0, or -1. */
static int pass_thread(struct sections *sections, s32 tid, u64 ns, u64 *before)
{
	struct section_thread *thread;

	*before = 0;
	if (make_thread(sections, tid, &thread))
		return -1;
	if (!thread)
		return 0;
	*before = thread->last_ns;
	thread->last_ns = ns;
	return 0;
}

static int add_path(struct sections *sections, const struct section_path_key *asked, double share)
{
	const struct section_path_key key = *asked;
	u32 id = keyed_find(&sections->paths, &key);

	/* the sections have the share, and their functions do not */
	if (id == HASH_NONE && sections->paths.index.count >= PATHS_MAX)
		return 0;
	if (id == HASH_NONE)
		id = keyed_add(&sections->paths, &key);
	if (id == HASH_NONE)
		return -1;
	sections->paths.rows[id].critical_share += share;
	return 0;
}

/* @path: without its section. */
static int add_share(struct sections *sections, u32 section, struct section_path_key path,
		     double share, bool divided)
{
	if (section == OUTSIDE || share <= 0)
		return 0;
	path.section = section;
	sections->sums.rows[section].critical_share += share;
	if (divided)
		sections->sums.rows[section].divided_share += share;
	return add_path(sections, &path, share);
}

/* Divides @share, of the time from @begin to @end, by what was the current section. */
static int divide(struct sections *sections, const struct section_process *process, u64 begin,
		  u64 end, double share, struct section_path_key path, bool surely)
{
	const u64 first = process->change_count > CHANGES ? process->change_count - CHANGES : 0;
	const double length = end > begin ? end - begin : 0;
	u64 until = end;

	for (u64 i = process->change_count; i-- > first;) {
		const struct section_change *change = &process->changes[i % CHANGES];
		const bool oldest = i == first || change->ns <= begin;
		const u64 from = oldest ? begin : change->ns;

		if (change->ns > end && !oldest)
			continue;
		if (until > from || (oldest && !length)) {
			const double part = length ? (until - from) / length : 1;

			if (add_share(sections, change->section, path, share * part,
				      part < 1 || !surely || change->ns > begin))
				return -1;
		}
		if (oldest)
			break;
		if (from < until)
			until = from;
	}
	return 0;
}

/* The slice's own share: to where samples hit it, or else to the path at its end. */
static int add_own(struct sections *sections, const struct section_process *process,
		   const struct gapp_record_slice *slice, u32 path, const u32 *sampled)
{
	const struct gapp_sample *samples = (const struct gapp_sample *)(slice + 1);
	const double own = slice->own_critical_share;
	double sum = 0;

	for (u32 i = 0; i < slice->sample_count; i++)
		sum += samples[i].critical_share;
	if (sum <= 0) {
		const struct section_path_key at_end = { .path = path };

		return divide(sections, process, slice->begin_ns, slice->head.time_ns, own, at_end,
			      true);
	}
	for (u32 i = 0; i < slice->sample_count; i++) {
		const struct section_path_key hit = { .path = sampled[i], .sampled = 1 };

		if (divide(sections, process, slice->begin_ns, slice->head.time_ns,
			   own * (samples[i].critical_share / sum), hit, true))
			return -1;
	}
	return 0;
}

/* With a thread its sections end. Returns 0, or -1 without memory. */
static int end_thread(struct sections *sections, struct section_process *process, s32 tid, u64 ns)
{
	struct section_thread *beyond = find_beyond(sections, process, tid);

	if (beyond)
		beyond->beyond = 0;
	for (u32 i = 0; i < process->open_count; i++) {
		if (process->open[i].tid != tid)
			continue;
		settle(sections, process, ns, 0, false);
		end_from(process, tid, i);
		note_change(process, process->since_ns);
		return note_event(sections, process, EVENT_THREAD, tid, OUTSIDE);
	}
	return 0;
}

int sections_slice(struct sections *sections, const struct gapp_record_slice *slice, u32 path,
		   const u32 *sampled)
{
	struct section_process *process = find_process(sections, slice->tgid);
	const u64 end = slice->head.time_ns;
	const double earlier = slice->critical_share - slice->own_critical_share;
	const struct section_path_key at_end = { .path = path };
	bool is_of_it;
	u64 before;

	if (!process)
		return 0;
	if (pass_image(sections, process, slice->image, slice->begin_ns, &is_of_it))
		return -1;
	if (!is_of_it)
		return 0;
	if (pass_thread(sections, slice->tid, end, &before))
		return -1;
	/* earlier slices were in the time since the record before, nobody knows when */
	if (before > slice->begin_ns)
		before = slice->begin_ns;
	if (add_own(sections, process, slice, path, sampled) ||
	    divide(sections, process, before ?: slice->begin_ns, slice->begin_ns, earlier, at_end,
		   before))
		return -1;
	return slice->then == GAPP_THEN_EXITED ? end_thread(sections, process, slice->tid, end) : 0;
}

int sections_gone(struct sections *sections, const struct gapp_record_slice *slice)
{
	struct section_process *process = find_process(sections, slice->tgid);
	bool is_of_it;

	if (!process)
		return 0;
	if (pass_image(sections, process, slice->image, slice->begin_ns, &is_of_it))
		return -1;
	if (!is_of_it || slice->then != GAPP_THEN_EXITED)
		return 0;
	return end_thread(sections, process, slice->tid, slice->head.time_ns);
}

/* Threads that are in sections without room are so further on. Returns 0, or -1 without memory. */
static int go_on_beyond(struct sections *sections, const struct sections *before)
{
	for (u32 i = 0; i < before->threads.index.count; i++) {
		const struct section_thread *old = &before->threads.rows[i];
		struct section_thread *thread;

		if (!old->beyond)
			continue;
		if (make_thread(sections, old->key.id, &thread))
			return -1;
		if (!thread)
			continue;
		thread->image = old->image;
		thread->beyond = old->beyond;
	}
	return 0;
}

/* Returns 0, or -1 without memory. */
static int go_on(struct sections *sections, struct section_process *process,
		 const struct section_process *before, const struct section_sum *names)
{
	for (u32 i = 0; i < before->open_count; i++) {
		const struct mark_key name = names[before->open[i].section].key;

		if (begin_section(sections, process, before->open[i].tid, &name))
			return -1;
	}
	return 0;
}

int sections_go_on(struct sections *sections, const struct sections *before, u64 ns)
{
	for (u32 i = 0; i < before->processes.index.count; i++) {
		const struct section_process *old = &before->processes.rows[i];
		struct section_process *process;
		bool full;

		if (!old->open_count)
			continue;
		process = add_process(sections, old->key.id, old->image, &full);
		if (!process)
			return -1;
		process->since_ns = ns;
		if (go_on(sections, process, old, before->sums.rows))
			return -1;
		note_change(process, ns);
	}
	for (u32 i = 0; i < sections->sums.index.count; i++)
		sections->sums.rows[i].begins = 0;
	return go_on_beyond(sections, before);
}

/* Removes sections of @tid, those that began last, up to one of @section; OUTSIDE: all. */
static u32 close_again(struct section_process *process, s32 tid, u32 section)
{
	const u32 before = process->open_count;

	for (u32 i = process->open_count; i--;) {
		const struct open_section open = process->open[i];

		if (open.tid != tid)
			continue;
		memmove(&process->open[i], &process->open[i + 1],
			(--process->open_count - i) * sizeof(open));
		if (open.section == section)
			break;
	}
	return before - process->open_count;
}

static int play_event(struct sections *sections, const struct section_event *event)
{
	struct section_process *process = &sections->processes.rows[event->process];

	settle(sections, process, event->ns, event->thread_ns, event->measured);
	switch (event->kind) {
	case EVENT_BEGIN:
		if (array_grow(&process->open, &process->open_room, process->open_count,
			       sizeof(*process->open)))
			return -1;
		process->open[process->open_count++] =
			(struct open_section){ event->tid, event->section };
		break;
	case EVENT_END:
	case EVENT_THREAD:
		close_again(process, event->tid, event->section);
		break;
	case EVENT_ALL:
		process->open_count = 0;
		break;
	}
	return 0;
}

static void play_end(struct sections *sections, const struct section_thread_end *end)
{
	struct section_process *process = find_process(sections, end->tgid);
	u32 closed;

	if (!process || !process->open_count)
		return;
	/* S is not known then, so time is divided only where the current section changes */
	if (process->open[process->open_count - 1].tid == end->tid)
		settle(sections, process, end->ns, 0, false);
	closed = close_again(process, end->tid, OUTSIDE);
	if (end->goes_on)
		sections->ended_unseen += closed;
}

/* Of sections that stay open until their process ends. */
static void count_end(struct sections *sections, const struct section_thread_end *end)
{
	const struct section_process *process = find_process(sections, end->tgid);

	for (u32 i = 0; process && end->goes_on && i < process->open_count; i++)
		sections->ended_unseen += process->open[i].tid == end->tid;
}

static void forget_times(struct sections *sections)
{
	for (u32 i = 0; i < sections->sums.index.count; i++) {
		struct section_sum *sum = &sections->sums.rows[i];

		sum->ns = 0;
		sum->measured_ns = 0;
		sum->thread_ns = 0;
	}
	for (u32 i = 0; i < sections->processes.index.count; i++) {
		struct section_process *process = &sections->processes.rows[i];

		process->open_count = 0;
		process->since_ns = 0;
		process->measured = false;
	}
}

int sections_end_threads(struct sections *sections, const struct section_thread_end *ends,
			 u32 count)
{
	u32 ended = 0;

	sections->ended_unseen = 0;
	if (!count)
		return 0;
	if (sections->events_lost) {
		while (ended < count)
			count_end(sections, &ends[ended++]);
		return 0;
	}
	forget_times(sections);
	for (u32 i = 0; i < sections->event_count; i++) {
		while (ended < count && ends[ended].ns < sections->events[i].ns)
			play_end(sections, &ends[ended++]);
		if (play_event(sections, &sections->events[i]))
			return -1;
	}
	while (ended < count)
		play_end(sections, &ends[ended++]);
	return 0;
}

void sections_free(struct sections *sections)
{
	free(sections->events);
	for (u32 i = 0; i < sections->processes.index.count; i++) {
		free(sections->processes.rows[i].open);
		free(sections->processes.rows[i].changes);
	}
	keyed_free(&sections->processes);
	keyed_free(&sections->paths);
	keyed_free(&sections->threads);
	keyed_free(&sections->sums);
}
