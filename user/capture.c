// SPDX-License-Identifier: GPL-2.0
#include "capture.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>

#include "maps.h"
#include "profile.h"
#include "record_view.h"
#include "rings.h"
#include "script.h"
#include "sideband.h"

/* Records are taken in when they are this old: no CPU is so far behind with writing one down. */
#define SETTLE_NS (NSEC_PER_SEC / 10)

/**
 * struct capture - where records come from, what is known of their addresses, where they go
 * @dev: the session
 * @options: what was asked for
 * @rings: records and paths
 * @objects: what code is in
 * @maps: what processes have mapped
 * @sideband: what they map; NULL where it is not to be had
 * @stacks: paths as places
 * @profile: what records amount to; NULL if they are printed
 * @symbols: names for printing; NULL without
 * @start_ns: CLOCK_MONOTONIC at which the session began
 */
struct capture {
	struct device *dev;
	const struct options *options;
	struct rings *rings;
	struct objects *objects;
	struct maps *maps;
	struct sideband *sideband;
	struct stacks *stacks;
	struct profile *profile;
	struct symbols *symbols;
	u64 start_ns;
};

static int build(struct capture *capture)
{
	struct gapp_layout layout;
	const char *reason;

	if (device_layout(capture->dev, &layout))
		return -1;
	capture->rings = rings_new(capture->dev->fd, &layout);
	if (!capture->rings)
		return -1;
	capture->objects = objects_new();
	capture->maps = capture->objects ? maps_new(capture->objects) : NULL;
	if (!capture->maps)
		return out_of_memory();
	capture->stacks = stacks_new(capture->objects, capture->maps, capture->rings);
	if (!capture->stacks)
		return out_of_memory();
	if (capture->options->script)
		capture->symbols = symbols_new(NULL);
	else
		capture->profile = profile_new(capture->stacks);
	if (!capture->symbols && !capture->profile)
		return out_of_memory();

	capture->sideband = sideband_new(&reason);
	if (!capture->sideband && capture->options->verbose)
		complain("mappings are read from /proc alone: %s", reason);
	return 0;
}

struct capture *capture_new(struct device *dev, const struct options *options)
{
	struct capture *capture = calloc(1, sizeof(*capture));

	if (!capture) {
		out_of_memory();
		return NULL;
	}
	capture->dev = dev;
	capture->options = options;
	if (options->level != GAPP_LEVEL_STATS && build(capture)) {
		capture_free(capture);
		return NULL;
	}
	return capture;
}

void capture_free(struct capture *capture)
{
	if (!capture)
		return;
	symbols_free(capture->symbols);
	profile_free(capture->profile);
	stacks_free(capture->stacks);
	sideband_free(capture->sideband);
	maps_free(capture->maps);
	objects_free(capture->objects);
	rings_free(capture->rings);
	free(capture);
}

void capture_attach(struct capture *capture, pid_t pid)
{
	struct dirent *entry;
	DIR *proc;

	if (!capture->maps)
		return;
	if (pid >= 0) {
		maps_read(capture->maps, pid);
		return;
	}
	proc = opendir("/proc");
	if (!proc)
		return;
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			maps_read(capture->maps, atoi(entry->d_name));
	closedir(proc);
}

int capture_started(struct capture *capture)
{
	struct gapp_status status;

	if (device_status(capture->dev, &status))
		return -1;
	capture->start_ns = status.start_ns;
	return 0;
}

/* Mappings are brought up to the time of each record before its addresses are looked up. */
static void bring_up(struct capture *capture, const struct gapp_record *record)
{
	const struct gapp_record_slice *slice = record_slice(record);
	const struct gapp_record_wait *wait = record_wait(record);

	if (capture->sideband)
		sideband_apply(capture->sideband, capture->maps, record->time_ns);
	else if (slice)
		maps_image(capture->maps, slice->tgid, slice->image);
	else if (wait)
		maps_image(capture->maps, wait->tgid, wait->image);
}

static int take(void *context, const struct gapp_record *record)
{
	struct capture *capture = context;

	bring_up(capture, record);
	if (capture->profile)
		return profile_add(capture->profile, record);
	return script_record(stdout, record, capture->stacks, capture->symbols, capture->start_ns);
}

int capture_drain(struct capture *capture, bool all)
{
	u64 until = all ? UINT64_MAX : clock_ns() - SETTLE_NS;

	if (!capture->rings)
		return 0;
	if (capture->sideband && sideband_read(capture->sideband))
		return -1;
	if (rings_drain(capture->rings, until, take, capture) < 0)
		return -1;
	if (capture->sideband)
		sideband_apply(capture->sideband, capture->maps, until);
	return 0;
}

int capture_rank(struct capture *capture, const volatile bool *cancel, struct results *results)
{
	const struct options *asked = capture->options;
	struct profile_options options = {
		.by = BY_PATH,
		.no_libs = asked->no_libs,
		.program = asked->exe,
		.threads_only = asked->threads_only,
		.process_only = asked->process_only,
	};
	int failed;

	if (!capture->profile)
		return 0;
	capture->symbols = symbols_new(cancel);
	if (!capture->symbols)
		return out_of_memory();
	failed = profile_rank(capture->profile, capture->symbols, &options, &results->paths);
	profile_sums(capture->profile, &results->sums);
	if (!failed && asked->by != BY_PATH) {
		options.by = asked->by;
		failed = profile_rank(capture->profile, capture->symbols, &options, &results->by);
	}
	options.by = BY_FUNCTION;
	failed = failed ||
		 profile_rank(capture->profile, capture->symbols, &options, &results->functions);
	options.by = BY_LINE;
	failed = failed ||
		 profile_rank(capture->profile, capture->symbols, &options, &results->lines);
	results->ranked = !failed;
	return failed ? out_of_memory() : 0;
}
