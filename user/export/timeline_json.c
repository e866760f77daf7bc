// SPDX-License-Identifier: GPL-2.0
/* The data of the page's timelines: docs/design/page.md says what each member is. */
#include <inttypes.h>

#include "program_name.h"
#include "timeline.h"
#include "timeline_writing.h"
#include "util/names.h"

/* For qsort_r: processes by their ids, in each its first thread and then the others as they came.
 */
static int order_compare(const void *a, const void *b, void *context)
{
	const struct stays_thread *x = writing_thread(context, *(const u32 *)a);
	const struct stays_thread *y = writing_thread(context, *(const u32 *)b);

	return compare_by(three_way(x->key.tgid, y->key.tgid),
			  three_way(x->key.tid != x->key.tgid, y->key.tid != y->key.tgid),
			  three_way(*(const u32 *)a, *(const u32 *)b));
}

/* Returns 0, or -1 without memory. */
static int number_all(struct writing *writing)
{
	const struct rows *rows = &writing->timeline->rows;
	const struct stays *stays = &writing->timeline->stays;
	const u32 threads = stays->threads.index.count;
	u32 cpus = 0;

	writing->order = calloc(threads + 1, sizeof(u32));
	writing->number = calloc(threads + 1, sizeof(u32));
	writing->cpu_number = calloc(rows->cpu_room + 1, sizeof(u32));
	if (!writing->order || !writing->number || !writing->cpu_number)
		return -1;
	for (u32 i = 0; i < threads; i++) {
		writing->number[i] = ROW_NONE;
		if (i < rows->thread_room && rows->threads[i].count)
			writing->order[writing->count++] = i;
		else
			writing->left_out += stays->threads.rows[i].followed &&
					     i >= rows->threads_max;
	}
	qsort_r(writing->order, writing->count, sizeof(u32), order_compare, writing);
	for (u32 i = 0; i < writing->count; i++)
		writing->number[writing->order[i]] = i;
	for (u32 i = 0; i < rows->cpu_room; i++)
		writing->cpu_number[i] = rows->cpus[i].count ? cpus++ : ROW_NONE;
	return 0;
}

static int put_text(FILE *out, char *text)
{
	if (!text)
		return -1;
	name_json(out, text, strlen(text));
	free(text);
	return 0;
}

/* Programs and threads; a program is a process. Returns 0, or -1 without memory. */
static int put_threads(const struct writing *writing)
{
	FILE *out = writing->out;
	u32 programs = 0;

	fputs("\"programs\":[", out);
	for (u32 i = 0; i < writing->count; i++) {
		s32 tgid = writing_thread(writing, writing->order[i])->key.tgid;

		if (i && tgid == writing_thread(writing, writing->order[i - 1])->key.tgid)
			continue;
		fputs(programs++ ? ",\n{\"name\":" : "{\"name\":", out);
		if (put_text(out, program_name(writing->commands, &writing->timeline->stays,
					       writing->order[i])))
			return -1;
		fprintf(out, ",\"tgid\":%d}", tgid);
	}
	fputs("],\n\"threads\":[", out);
	programs = 0;
	for (u32 i = 0; i < writing->count; i++) {
		const struct stays_thread *thread = writing_thread(writing, writing->order[i]);

		if (i &&
		    thread->key.tgid != writing_thread(writing, writing->order[i - 1])->key.tgid)
			programs++;
		fprintf(out, "%s{\"tid\":%d,\"tgid\":%d,\"comm\":", i ? ",\n" : "", thread->key.tid,
			thread->key.tgid);
		name_json(out, thread->comm, comm_len(thread->comm));
		fprintf(out, ",\"program\":%u}", programs);
	}
	fputs("],\n", out);
	return 0;
}

static void put_cpus(const struct writing *writing)
{
	const struct rows *rows = &writing->timeline->rows;
	const char *comma = "";
	u32 node;

	fputs("\"cpus\":[", writing->out);
	for (u32 i = 0; i < rows->cpu_room; i++) {
		if (!rows->cpus[i].count)
			continue;
		node = cpu_nodes_of(writing->timeline->recorded->nodes, i);
		fprintf(writing->out, "%s{\"cpu\":%u,\"node\":", comma, i);
		if (node == CPU_NODE_UNKNOWN)
			fputs("null}", writing->out);
		else
			fprintf(writing->out, "%u}", node);
		comma = ",";
	}
	fputs("],\n", writing->out);
}

static void put_place(FILE *out, const struct timeline_place *place)
{
	const struct frame *frame = place->function;

	fputs("{\"function\":", out);
	if (frame && frame->function)
		name_json(out, frame->function, strlen(frame->function));
	else
		fputs("null", out);
	fputs(",\"object\":", out);
	if (frame)
		name_json(out, frame->module, strlen(frame->module));
	else
		fputs("null", out);
	if (frame && !frame->function)
		fprintf(out, ",\"offset\":\"0x%llx\"", frame->offset);
	fputs(",\"file\":", out);
	if (place->file)
		name_json(out, place->file, strlen(place->file));
	else
		fputs("null", out);
	if (place->file && place->line)
		fprintf(out, ",\"line\":%u}", place->line);
	else
		fputs(",\"line\":null}", out);
}

static void put_places(const struct writing *writing)
{
	const struct timeline *timeline = writing->timeline;

	fputs("\"places\":[", writing->out);
	for (u32 i = 0; i < timeline->place_count; i++) {
		fputs(i ? ",\n" : "", writing->out);
		put_place(writing->out, &timeline->places[i]);
	}
	fputs("],\n", writing->out);
}

/* Who a stay is of, as a number of the lists above; -1: nobody. */
static s64 who_of(const struct writing *writing, const struct row_stay *stay, bool of_cpu)
{
	const struct rows *rows = &writing->timeline->rows;
	u32 who = stay->who;

	if (who == ROW_NONE || (!of_cpu && stay->kind == STAY_WAITED))
		return who == ROW_NONE ? -1 : (s64)who;
	if (of_cpu)
		who = writing->number[who];
	else
		who = who < rows->cpu_room ? writing->cpu_number[who] : ROW_NONE;
	return who == ROW_NONE ? -1 : (s64)who;
}

static void put_row(const struct writing *writing, const struct row *row, bool of_cpu)
{
	u64 end = 0;

	putc('[', writing->out);
	for (u32 i = 0; i < row->count; i++) {
		const struct row_stay *stay = &row->stays[i];

		fprintf(writing->out, "%s%" PRIu64 ",%" PRIu64 ",%u,%" PRId64 ",%" PRId64,
			i ? "," : "", (uint64_t)(stay->begin - end),
			(uint64_t)(stay->end - stay->begin), stay->kind,
			(int64_t)who_of(writing, stay, of_cpu),
			stay->place == ROW_NONE ? (int64_t)-1 : (int64_t)stay->place);
		end = stay->end;
	}
	putc(']', writing->out);
}

static void put_rows(const struct writing *writing)
{
	const struct rows *rows = &writing->timeline->rows;
	const char *comma = "";

	fputs("\"cpu_rows\":[", writing->out);
	for (u32 i = 0; i < rows->cpu_room; i++) {
		if (!rows->cpus[i].count)
			continue;
		fputs(comma, writing->out);
		put_row(writing, &rows->cpus[i], true);
		comma = ",\n";
	}
	fputs("],\n\"thread_rows\":[", writing->out);
	for (u32 i = 0; i < writing->count; i++) {
		fputs(i ? ",\n" : "", writing->out);
		put_row(writing, &rows->threads[writing->order[i]], false);
	}
	fputs("],\n", writing->out);
}

static int wake_compare(const void *a, const void *b)
{
	const struct timeline_wake *x = a, *y = b;

	return compare_by(three_way(x->time, y->time), three_way(x->thread, y->thread));
}

/* Who woke: the number of a thread, -1 an interrupt, -2 not known or without a row. */
static s64 waker_of(const struct writing *writing, const struct timeline_wake *wake)
{
	if (wake->by_irq)
		return -1;
	if (wake->waker == STAY_NOBODY || writing->number[wake->waker] == ROW_NONE)
		return -2;
	return writing->number[wake->waker];
}

/* Returns 0, or -1 without memory. */
static int put_wakes(const struct writing *writing)
{
	_cleanup_free_ struct timeline_wake *wakes =
		calloc(writing->timeline->wake_count + 1, sizeof(*wakes));
	const struct timeline *timeline = writing->timeline;
	u64 before = 0, left_out = timeline->wakes_left_out;
	const char *comma = "";

	if (!wakes)
		return -1;
	if (timeline->wake_count)
		memcpy(wakes, timeline->wakes, timeline->wake_count * sizeof(*wakes));
	qsort(wakes, timeline->wake_count, sizeof(*wakes), wake_compare);
	fputs("\"wakes\":[", writing->out);
	for (u32 i = 0; i < timeline->wake_count; i++) {
		if (writing->number[wakes[i].thread] == ROW_NONE) {
			left_out++;
			continue;
		}
		fprintf(writing->out, "%s%" PRIu64 ",%" PRId64 ",%u", comma,
			(uint64_t)(wakes[i].time - before), (int64_t)waker_of(writing, &wakes[i]),
			writing->number[wakes[i].thread]);
		before = wakes[i].time;
		comma = ",";
	}
	fprintf(writing->out, "],\n\"wakes_left_out\":%" PRIu64 ",\n", (uint64_t)left_out);
	return 0;
}

static void put_steps(const struct writing *writing, const char *name, const double *steps)
{
	const struct parallelism *parallelism = &writing->timeline->parallelism;
	u64 left = writing->timeline->length_ns;

	fprintf(writing->out, ",\n\"%s\":[", name);
	for (u32 i = 0; i < parallelism->steps; i++) {
		u64 length = left < parallelism->step_ns ? left : parallelism->step_ns;

		fprintf(writing->out, "%s%.4g", i ? "," : "", steps[i] / length);
		left -= length;
	}
	putc(']', writing->out);
}

/* Neither several targets nor merged recordings have a common number of active threads. */
static void put_parallelism(const struct writing *writing)
{
	const struct parallelism *parallelism = &writing->timeline->parallelism;

	fprintf(writing->out, "\"parallelism\":{\"step_ns\":%" PRIu64,
		(uint64_t)parallelism->step_ns);
	if (writing->timeline->has_path && !parallelism->targets) {
		put_steps(writing, "active", parallelism->active);
		put_steps(writing, "critical", parallelism->critical);
	} else {
		fputs(",\"active\":[],\"critical\":[]", writing->out);
	}
	fputs("},\n", writing->out);
}

static void put_head(const struct writing *writing)
{
	const struct timeline *timeline = writing->timeline;

	fprintf(writing->out,
		"{\"version\":1,\n\"every_slice\":%s,\n\"length_ns\":%" PRIu64
		",\n\"merged_below_ns\":%" PRIu64 ",\n\"merged_stays\":%" PRIu64
		",\n\"threads_left_out\":%u,\n\"lost_records\":%" PRIu64 ",\n\"lost\":[",
		timeline->recorded->every_slice ? "true" : "false", (uint64_t)timeline->length_ns,
		(uint64_t)timeline->rows.narrow_ns, (uint64_t)rows_merged(&timeline->rows),
		writing->left_out, (uint64_t)timeline->stays.lost_records);
	for (u32 i = 0; i < timeline->lost_count; i++)
		fprintf(writing->out, "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
			(uint64_t)timeline->lost[i].begin, (uint64_t)timeline->lost[i].end);
	fputs("],\n\"reasons\":[", writing->out);
	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++)
		fprintf(writing->out, "%s\"%s\"", i ? "," : "", wait_name(i));
	fputs("],\n", writing->out);
}

static int put_all(const struct writing *writing)
{
	put_head(writing);
	if (put_threads(writing))
		return -1;
	put_cpus(writing);
	put_places(writing);
	put_rows(writing);
	if (put_wakes(writing))
		return -1;
	put_parallelism(writing);
	if (timeline_path_json(writing) || timeline_points_json(writing))
		return -1;
	return timeline_sections_json(writing);
}

int timeline_json(FILE *out, const struct timeline *timeline, const struct results *results)
{
	struct writing writing = {
		.out = out,
		.timeline = timeline,
		.commands = results->commands,
	};
	int error = number_all(&writing) || put_all(&writing) ? -1 : 0;

	free(writing.order);
	free(writing.number);
	free(writing.cpu_number);
	return error;
}
