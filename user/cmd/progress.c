// SPDX-License-Identifier: GPL-2.0
#include "progress.h"

#include <sys/ioctl.h>

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

/* One less than the terminal has: behind the last one the cursor may go to the next line. */
static int columns_of(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col || size.ws_col > LINE_COLUMNS)
		return LINE_COLUMNS;
	return size.ws_col - 1;
}

static void put_threads(const struct progress *progress, const struct gapp_status *status,
			char *line, size_t room)
{
	if (progress->apart)
		snprintf(line, room, "%u threads", status->live);
	else
		snprintf(line, room, "%u of %u threads active", status->n, status->live);
}

void progress_show(struct progress *progress)
{
	struct gapp_status status;
	char line[3 * LINE_COLUMNS], records[LINE_COLUMNS] = "", threads[LINE_COLUMNS];
	int columns = columns_of(STDERR_FILENO);

	if (progress->failed)
		return;
	if (device_status(progress->dev, &status) ||
	    put_records(progress, records, sizeof(records))) {
		progress->failed = true;
		return;
	}
	put_threads(progress, &status, threads, sizeof(threads));
	snprintf(line, sizeof(line), "%.0f s: %s%s; Ctrl-C ends it",
		 (double)status.wall_ns / NSEC_PER_SEC, threads, records);
	fprintf(stderr, "\r%-*.*s", columns, columns, line);
	progress->columns = columns;
	progress->shown = true;
}

void progress_erase(struct progress *progress)
{
	if (progress->shown)
		fprintf(stderr, "\r%*s\r", progress->columns, "");
	progress->shown = false;
}
