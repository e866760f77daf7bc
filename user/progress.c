// SPDX-License-Identifier: GPL-2.0
#include "progress.h"

#define LINE_COLUMNS 70

void progress_show(void *context)
{
	struct progress *progress = context;
	struct gapp_status status;
	char line[LINE_COLUMNS + 1];

	if (progress->failed)
		return;
	if (device_status(progress->dev, &status)) {
		progress->failed = true;
		return;
	}
	snprintf(line, sizeof(line), "recording %.0f s: %u active of %u threads; Ctrl-C ends it",
		 (double)status.wall_ns / NSEC_PER_SEC, status.n, status.live);
	fprintf(stderr, "\r%-*s", LINE_COLUMNS, line);
	progress->shown = true;
}

void progress_erase(struct progress *progress)
{
	if (progress->shown)
		fprintf(stderr, "\r%*s\r", LINE_COLUMNS, "");
	progress->shown = false;
}
