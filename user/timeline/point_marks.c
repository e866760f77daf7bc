// SPDX-License-Identifier: GPL-2.0
#include "point_marks.h"

void point_marks_init(struct point_marks *points, u64 start_ns, u32 limit)
{
	*points = (struct point_marks){ .start_ns = start_ns, .limit = limit, .each = 1 };
}

void point_marks_free(struct point_marks *points)
{
	free(points->marks);
	keyed_free(&points->texts);
}

/* Keeps each second of those that are kept. */
static void halve(struct point_marks *points)
{
	u32 kept = 0;

	for (u32 i = 0; i < points->count; i += 2)
		points->marks[kept++] = points->marks[i];
	points->count = kept;
	points->each *= 2;
}

void point_marks_shrink(struct point_marks *points, u32 limit)
{
	while (points->count > limit && points->count > 1)
		halve(points);
}

int point_marks_record(struct point_marks *points, const struct gapp_record *record)
{
	const struct gapp_record_mark *mark = (const struct gapp_record_mark *)record;
	static const struct mark_key others = { "(other marks)" };
	struct point_mark point;
	struct mark_key key;

	if (record->type != GAPP_RECORD_MARK || mark->kind != GAPP_MARK_POINT)
		return 0;
	key = mark_key_of(mark);
	point.text = keyed_number(&points->texts, &key, &others, POINT_TEXTS_MAX);
	if (point.text == HASH_NONE)
		return -1;
	points->texts.rows[point.text].marks++;
	if (points->all++ % points->each)
		return 0;
	if (array_grow(&points->marks, &points->room, points->count, sizeof(*points->marks)))
		return -1;
	point.at = record->time_ns > points->start_ns ? record->time_ns - points->start_ns : 0;
	point.tid = mark->tid;
	point.tgid = mark->tgid;
	points->marks[points->count++] = point;
	point_marks_shrink(points, points->limit);
	return 0;
}
