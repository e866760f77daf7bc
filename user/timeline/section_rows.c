// SPDX-License-Identifier: GPL-2.0
#include "section_rows.h"

/* Bounds of memory. */
#define PROCESSES_MAX 4096
#define THREADS_MAX 4096
/* Sections of a process that are open at once: as many as the profile has. */
#define OPEN_MAX 4096
/* Threads of a process that have sections beyond that. */
#define BEYOND_MAX 4096
/* The first bound; each further one is twice as much. */
#define NARROW_FIRST_NS 64

/**
 * struct begun_section - a section that is open
 * @tid: its thread
 * @name: number of its name
 * @begin: nanoseconds since the recording began
 * @last: likewise, when it ends at the latest, with the span of its target
 * @depth: open sections of the thread that began before it
 */
struct begun_section {
	s32 tid;
	u32 name;
	u64 begin;
	u64 last;
	u32 depth;
};

void section_rows_init(struct section_rows *rows, u64 start_ns, u32 limit)
{
	*rows = (struct section_rows){ .start_ns = start_ns, .limit = limit };
}

void section_rows_set_spans(struct section_rows *rows, const struct stays *spans)
{
	rows->spans = spans;
}

void section_rows_free(struct section_rows *rows)
{
	for (u32 i = 0; i < rows->processes.index.count; i++) {
		free(rows->processes.rows[i].open);
		free(rows->processes.rows[i].beyond);
	}
	for (u32 i = 0; i < rows->threads.index.count; i++)
		for (u32 j = 0; j < SECTION_DEPTHS; j++)
			free(rows->threads.rows[i].depths[j].stays);
	keyed_free(&rows->names);
	keyed_free(&rows->processes);
	keyed_free(&rows->threads);
}

static u64 length_of(const struct section_stay *stay)
{
	return stay->end - stay->begin;
}

static bool are_merged(const struct section_stay *last, const struct section_stay *stay,
		       u64 narrow_ns)
{
	return length_of(last) < narrow_ns && length_of(stay) < narrow_ns &&
	       stay->begin - last->end < narrow_ns;
}

static void extend(struct section_stay *last, const struct section_stay *stay)
{
	last->end = stay->end;
	last->ns += stay->ns;
	last->sections += stay->sections;
	if (last->name != stay->name)
		last->name = SECTION_SEVERAL;
}

static void merge_row(struct section_rows *rows, struct section_row *row)
{
	u32 kept = 0;

	if (!row->count)
		return;
	for (u32 i = 1; i < row->count; i++) {
		if (are_merged(&row->stays[kept], &row->stays[i], rows->narrow_ns))
			extend(&row->stays[kept], &row->stays[i]);
		else
			row->stays[++kept] = row->stays[i];
	}
	rows->count -= row->count - (kept + 1);
	row->count = kept + 1;
}

void section_rows_shrink(struct section_rows *rows, u32 limit)
{
	/* a row keeps one of its own, and those that hide others are to be told apart */
	if (limit < 2 * rows->used)
		limit = 2 * rows->used;
	/* no time is longer than 2^63 nanoseconds */
	while (rows->count > limit && rows->narrow_ns < 1ULL << 62) {
		rows->narrow_ns = rows->narrow_ns ? 2 * rows->narrow_ns : NARROW_FIRST_NS;
		for (u32 i = 0; i < rows->threads.index.count; i++)
			for (u32 j = 0; j < SECTION_DEPTHS; j++)
				merge_row(rows, &rows->threads.rows[i].depths[j]);
	}
}

u64 section_rows_of_thread(const struct section_thread_rows *thread)
{
	u64 sections = 0;

	for (u32 i = 0; i < SECTION_DEPTHS; i++)
		for (u32 j = 0; j < thread->depths[i].count; j++)
			sections += thread->depths[i].stays[j].sections;
	return sections;
}

u64 section_rows_merged(const struct section_rows *rows)
{
	u64 sections = 0;

	for (u32 i = 0; i < rows->threads.index.count; i++)
		sections += section_rows_of_thread(&rows->threads.rows[i]);
	return sections - rows->count;
}

/* Sets the row; NULL: there is no room for it. Returns 0, or -1 without memory. */
static int row_of(struct section_rows *rows, s32 tid, s32 tgid, u32 depth, struct section_row **row)
{
	const struct section_thread_id key = { tid, tgid };
	u32 id = keyed_find(&rows->threads, &key);

	*row = NULL;
	if (depth >= SECTION_DEPTHS ||
	    (id == HASH_NONE && rows->threads.index.count >= THREADS_MAX))
		return 0;
	if (id == HASH_NONE)
		id = keyed_add(&rows->threads, &key);
	if (id == HASH_NONE)
		return -1;
	*row = &rows->threads.rows[id].depths[depth];
	return 0;
}

static int append(struct section_rows *rows, struct section_row *row,
		  const struct section_stay *stay)
{
	struct section_stay *last = row->count ? &row->stays[row->count - 1] : NULL;

	/* a record that came after a later one */
	if (last && stay->begin < last->end) {
		rows->without_room += stay->sections;
		return 0;
	}
	if (last && are_merged(last, stay, rows->narrow_ns)) {
		extend(last, stay);
		return 0;
	}
	if (array_grow(&row->stays, &row->room, row->count, sizeof(*row->stays)))
		return -1;
	rows->used += !row->count;
	row->stays[row->count++] = *stay;
	rows->count++;
	/* so much less that the next time is far away */
	if (rows->count > rows->limit)
		section_rows_shrink(rows, rows->limit - rows->limit / 4);
	return 0;
}

static int close_section(struct section_rows *rows, s32 tgid, const struct begun_section *open,
			 u64 end)
{
	struct section_stay stay = { .begin = open->begin, .name = open->name, .sections = 1 };
	struct section_row *row;

	if (end > open->last)
		end = open->last;
	if (end <= open->begin)
		return 0;
	stay.end = end;
	stay.ns = end - open->begin;
	rows->names.rows[open->name].ns += end - open->begin;
	if (row_of(rows, open->tid, tgid, open->depth, &row))
		return -1;
	if (row)
		return append(rows, row, &stay);
	rows->without_room++;
	return 0;
}

/* Ends those from number @first on; @tid: of this thread; NULL: of all. */
static int end_from(struct section_rows *rows, struct marking_process *process, const s32 *tid,
		    u32 first, u64 end)
{
	u32 kept = first;

	for (u32 i = first; i < process->open_count; i++) {
		const struct begun_section open = process->open[i];

		if (tid && open.tid != *tid)
			process->open[kept++] = open;
		else if (close_section(rows, process->key.tgid, &open, end))
			return -1;
	}
	process->open_count = kept;
	return 0;
}

static struct sections_beyond *find_beyond(struct marking_process *process, s32 tid)
{
	for (u32 i = 0; i < process->beyond_count; i++)
		if (process->beyond[i].tid == tid)
			return &process->beyond[i];
	return NULL;
}

/* Returns 0, or -1 without memory. */
static int begin_beyond(struct section_rows *rows, struct marking_process *process, s32 tid)
{
	struct sections_beyond *thread = find_beyond(process, tid);

	rows->without_room++;
	if (!thread && process->beyond_count >= BEYOND_MAX)
		return 0;
	if (!thread) {
		if (array_grow(&process->beyond, &process->beyond_room, process->beyond_count,
			       sizeof(*thread)))
			return -1;
		thread = &process->beyond[process->beyond_count++];
		*thread = (struct sections_beyond){ .tid = tid };
	}
	thread->count++;
	return 0;
}

static void forget_beyond(struct marking_process *process, struct sections_beyond *thread)
{
	*thread = process->beyond[--process->beyond_count];
}

/* Ends all sections of a thread, or with NULL of all threads. */
static int end_all(struct section_rows *rows, struct marking_process *process, const s32 *tid,
		   u64 end)
{
	struct sections_beyond *thread = tid ? find_beyond(process, *tid) : NULL;

	if (thread)
		forget_beyond(process, thread);
	if (!tid)
		process->beyond_count = 0;
	return end_from(rows, process, tid, 0, end);
}

static u64 since_start(const struct section_rows *rows, u64 ns)
{
	return ns > rows->start_ns ? ns - rows->start_ns : 0;
}

/* Sets the number of a name, which is added if it is new. Returns 0, or -1 without memory. */
static int find_name(struct section_rows *rows, const struct mark_key *key, u32 *name)
{
	static const struct mark_key others = { "(other sections)" };

	*name = keyed_number(&rows->names, key, &others, SECTION_NAMES_MAX);
	return *name == HASH_NONE ? -1 : 0;
}

/* When what a target begins at @time has ended at the latest. */
static u64 last_of(const struct section_rows *rows, u32 target, u64 time)
{
	const u64 end = rows->spans ? stays_span_end(rows->spans, target, time) : UINT64_MAX;

	return end == UINT64_MAX ? end : since_start(rows, end);
}

static int begin_section(struct section_rows *rows, struct marking_process *process,
			 const struct gapp_record_mark *mark, const struct mark_key *key, u64 begin)
{
	const s32 tid = mark->tid;
	struct begun_section open = {
		.tid = tid,
		.begin = begin,
		.last = last_of(rows, mark->target, mark->head.time_ns),
	};

	/* what is in a section without room has none either: so ends are of the innermost first */
	if (process->open_count >= OPEN_MAX || find_beyond(process, tid))
		return begin_beyond(rows, process, tid);
	for (u32 i = 0; i < process->open_count; i++)
		open.depth += process->open[i].tid == tid;
	if (find_name(rows, key, &open.name) ||
	    array_grow(&process->open, &process->open_room, process->open_count, sizeof(open)))
		return -1;
	process->open[process->open_count++] = open;
	return 0;
}

/* A mark that ends a section which its thread has not begun says nothing. */
static int end_section(struct section_rows *rows, struct marking_process *process, s32 tid,
		       const struct mark_key *key, u64 end)
{
	struct sections_beyond *beyond = find_beyond(process, tid);
	u32 name = keyed_find(&rows->names, key);

	if (beyond) {
		if (!--beyond->count)
			forget_beyond(process, beyond);
		return 0;
	}
	if (name == HASH_NONE && rows->names.index.count == SECTION_NAMES_MAX)
		name = SECTION_NAMES_MAX - 1;
	for (u32 i = process->open_count; i--;) {
		const struct begun_section *open = &process->open[i];

		if (open->tid == tid && (!*key->text || open->name == name))
			return end_from(rows, process, &tid, i, end);
	}
	return 0;
}

static struct marking_process *find_process(const struct section_rows *rows, s32 tgid)
{
	const struct section_process_id key = { tgid };
	const u32 id = keyed_find(&rows->processes, &key);

	return id == HASH_NONE ? NULL : &rows->processes.rows[id];
}

/* Returns 0, or -1 without memory; sets NULL if there is no room. */
static int add_process(struct section_rows *rows, s32 tgid, u32 image,
		       struct marking_process **process)
{
	const struct section_process_id key = { tgid };
	u32 id;

	*process = NULL;
	if (rows->processes.index.count >= PROCESSES_MAX)
		return 0;
	id = keyed_add(&rows->processes, &key);
	if (id == HASH_NONE)
		return -1;
	*process = &rows->processes.rows[id];
	(*process)->image = image;
	return 0;
}

/* With an exec all sections end. Returns 0, or -1 without memory. */
static int pass_exec(struct section_rows *rows, struct marking_process *process, u32 image, u64 at)
{
	if (image <= process->image)
		return 0;
	process->image = image;
	return end_all(rows, process, NULL, at);
}

static int take_mark(struct section_rows *rows, const struct gapp_record_mark *mark)
{
	const struct mark_key key = mark_key_of(mark);
	struct marking_process *process = find_process(rows, mark->tgid);
	u64 at = since_start(rows, mark->head.time_ns);

	rows->marks_left_out += mark->left_out;
	if (mark->kind != GAPP_MARK_BEGIN && mark->kind != GAPP_MARK_END)
		return 0;
	if (!process && add_process(rows, mark->tgid, mark->image, &process))
		return -1;
	if (!process) {
		rows->without_room += mark->kind == GAPP_MARK_BEGIN;
		return 0;
	}
	/* of a former address space */
	if (mark->image < process->image)
		return 0;
	if (pass_exec(rows, process, mark->image, at))
		return -1;
	if (mark->kind == GAPP_MARK_END)
		return end_section(rows, process, mark->tid, &key, at);
	return begin_section(rows, process, mark, &key, at);
}

static int take_slice(struct section_rows *rows, const struct gapp_record_slice *slice)
{
	struct marking_process *process = find_process(rows, slice->tgid);

	if (!process || !(process->open_count || process->beyond_count) ||
	    slice->flags & GAPP_SLICE_REST)
		return 0;
	if (pass_exec(rows, process, slice->image, since_start(rows, slice->begin_ns)))
		return -1;
	if (slice->then != GAPP_THEN_EXITED || slice->image < process->image)
		return 0;
	return end_all(rows, process, &slice->tid, since_start(rows, slice->head.time_ns));
}

int section_rows_record(struct section_rows *rows, const struct gapp_record *record)
{
	if (record->type == GAPP_RECORD_MARK)
		return take_mark(rows, (const struct gapp_record_mark *)record);
	if (record->type == GAPP_RECORD_SLICE)
		return take_slice(rows, (const struct gapp_record_slice *)record);
	return 0;
}

int section_rows_end(struct section_rows *rows, u64 stop_ns)
{
	for (u32 i = 0; i < rows->processes.index.count; i++)
		if (end_all(rows, &rows->processes.rows[i], NULL, since_start(rows, stop_ns)))
			return -1;
	return 0;
}
