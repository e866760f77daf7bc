// SPDX-License-Identifier: GPL-2.0
/* Sections over time, in the data of the page's timelines: docs/design/page.md. */
#include <inttypes.h>

#include "timeline_writing.h"
#include "util/names.h"

static int name_compare(const void *a, const void *b, void *context)
{
	const struct section_name *names = context;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return compare_by(three_way(names[y].ns, names[x].ns), three_way(x, y));
}

/* Names of sections, those of the most time first. @number: sets the place of each there. */
static int put_section_names(const struct writing *writing, u32 *number)
{
	_cleanup_free_ u32 *order =
		calloc(writing->timeline->sections.names.index.count + 1, sizeof(*order));
	const struct section_rows *rows = &writing->timeline->sections;
	const u32 count = rows->names.index.count;

	if (!order)
		return -1;
	for (u32 i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), name_compare, rows->names.rows);
	fputs("\"names\":[", writing->out);
	for (u32 i = 0; i < count; i++) {
		const char *name = rows->names.rows[order[i]].key.text;

		number[order[i]] = i;
		fputs(i ? "," : "", writing->out);
		name_json(writing->out, name, strlen(name));
	}
	fputs("],\n", writing->out);
	return 0;
}

static void put_section_row(const struct writing *writing, const struct section_row *row, u32 depth,
			    const u32 *number, const char **comma)
{
	u64 end = 0;

	for (u32 i = 0; i < row->count; i++) {
		const struct section_stay *stay = &row->stays[i];

		fprintf(writing->out, "%s%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%u,%u,%" PRIu64,
			*comma, (uint64_t)(stay->begin - end), (uint64_t)(stay->end - stay->begin),
			stay->name == SECTION_SEVERAL ? (int64_t)-1 : (int64_t)number[stay->name],
			depth, stay->sections, (uint64_t)stay->ns);
		end = stay->end;
		*comma = ",";
	}
}

/* The number of a process among the programs; -1: none of its threads has a row. */
static s64 program_of(const struct writing *writing, s32 tgid)
{
	s64 program = -1;

	for (u32 i = 0; i < writing->count; i++) {
		s32 own = writing_thread(writing, writing->order[i])->key.tgid;

		if (!i || own != writing_thread(writing, writing->order[i - 1])->key.tgid)
			program++;
		if (own == tgid)
			return program;
	}
	return -1;
}

/* Sections by thread. Returns 0, or -1 without memory. */
int timeline_sections_json(const struct writing *writing)
{
	const struct section_rows *rows = &writing->timeline->sections;
	_cleanup_free_ u32 *number = calloc(rows->names.index.count + 1, sizeof(*number));
	u64 left_out = rows->without_room;
	const char *next = "";

	if (!number)
		return -1;
	if (!rows->names.index.count) {
		fputs("\"sections\":null}\n", writing->out);
		return 0;
	}
	fputs("\"sections\":{", writing->out);
	if (put_section_names(writing, number))
		return -1;
	fputs("\"threads\":[", writing->out);
	for (u32 i = 0; i < rows->threads.index.count; i++) {
		const struct section_thread_rows *thread = &rows->threads.rows[i];
		u32 own = writing_number(writing, thread->key.tid, thread->key.tgid);
		s64 program = program_of(writing, thread->key.tgid);
		const char *comma = "";

		if (program < 0) {
			left_out += section_rows_of_thread(thread);
			continue;
		}
		fprintf(writing->out,
			"%s{\"thread\":%" PRId64 ",\"program\":%" PRId64 ",\"stays\":[", next,
			own == ROW_NONE ? (int64_t)-1 : (int64_t)own, (int64_t)program);
		for (u32 j = 0; j < SECTION_DEPTHS; j++)
			put_section_row(writing, &thread->depths[j], j, number, &comma);
		fputs("]}", writing->out);
		next = ",\n";
	}
	fprintf(writing->out,
		"],\n\"merged_below_ns\":%" PRIu64 ",\"merged\":%" PRIu64 ",\"left_out\":%" PRIu64
		",\"marks_left_out\":%" PRIu64 "}}\n",
		(uint64_t)rows->narrow_ns, (uint64_t)section_rows_merged(rows), (uint64_t)left_out,
		(uint64_t)rows->marks_left_out);
	return 0;
}
