// SPDX-License-Identifier: GPL-2.0
#include "progress.h"

#define LINE_COLUMNS 70

static int put_records(struct progress *progress, char *line, size_t room)
{
	struct gapp_counters counters;
	u64 lost;

	if (!progress->records)
		return 0;
	if (device_counters(progress->dev, &counters))
		return -1;
	lost = counters.lost[GAPP_LOST_RING] + counters.lost[GAPP_LOST_THREADS];
	snprintf(line, room, ", %llu critical slices, %llu lost", counters.critical_slices, lost);
	return 0;
}

void progress_show(struct progress *progress)
{
	struct gapp_status status;
	char line[LINE_COLUMNS + 1], records[LINE_COLUMNS] = "";

	if (progress->failed)
		return;
	if (device_status(progress->dev, &status) ||
	    put_records(progress, records, sizeof(records))) {
		progress->failed = true;
		return;
	}
	snprintf(line, sizeof(line), "%.0f s: %u of %u threads active%s; Ctrl-C ends it",
		 (double)status.wall_ns / NSEC_PER_SEC, status.n, status.live, records);
	fprintf(stderr, "\r%-*s", LINE_COLUMNS, line);
	progress->shown = true;
}

void progress_erase(struct progress *progress)
{
	if (progress->shown)
		fprintf(stderr, "\r%*s\r", LINE_COLUMNS, "");
	progress->shown = false;
}
