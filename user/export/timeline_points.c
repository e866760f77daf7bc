// SPDX-License-Identifier: GPL-2.0
/* Marks over time, in the data of the page's timelines: docs/design/page.md. */
#include <inttypes.h>

#include "timeline_writing.h"
#include "util/names.h"

static void put_texts(const struct writing *writing)
{
	const struct point_marks *points = &writing->timeline->points;

	fputs("\"texts\":[", writing->out);
	for (u32 i = 0; i < points->texts.index.count; i++) {
		const char *text = points->texts.rows[i].key.text;

		fputs(i ? "," : "", writing->out);
		name_json(writing->out, text, strlen(text));
	}
	fputs("],\n\"counts\":[", writing->out);
	for (u32 i = 0; i < points->texts.index.count; i++)
		fprintf(writing->out, "%s%" PRIu64, i ? "," : "",
			(uint64_t)points->texts.rows[i].marks);
	fputs("],\n", writing->out);
}

/* Marks of threads that have a row. */
int timeline_points_json(const struct writing *writing)
{
	const struct point_marks *points = &writing->timeline->points;
	const char *comma = "";
	u64 at = 0, put = 0;

	if (!points->count) {
		fputs("\"marks\":null,\n", writing->out);
		return 0;
	}
	fputs("\"marks\":{", writing->out);
	put_texts(writing);
	fputs("\"points\":[", writing->out);
	for (u32 i = 0; i < points->count; i++) {
		const struct point_mark *point = &points->marks[i];
		u32 thread = writing_number(writing, point->tid, point->tgid);

		if (thread == ROW_NONE || point->at < at)
			continue;
		fprintf(writing->out, "%s%" PRIu64 ",%u,%u", comma, (uint64_t)(point->at - at),
			thread, point->text);
		at = point->at;
		comma = ",";
		put++;
	}
	fprintf(writing->out, "],\n\"left_out\":%" PRIu64 "},\n", (uint64_t)(points->all - put));
	return 0;
}
