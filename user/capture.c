// SPDX-License-Identifier: GPL-2.0
#include "capture.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <time.h>

#include "maps.h"
#include "output.h"
#include "profile.h"
#include "record_view.h"
#include "rings.h"
#include "script.h"
#include "sideband.h"

#define NSEC_PER_MSEC (NSEC_PER_SEC / 1000)

/*
 * Records, and events of the side-band, get their time before they are written down, each CPU into
 * a ring of its own. So records are taken in when they are old enough for every CPU to have written
 * down what came before: then all of them come in the order of time, and each finds the mappings as
 * they were. No CPU is behind for so long.
 */
#define SETTLE_NS (100 * NSEC_PER_MSEC)
/*
 * A ring that fills up within that time must not wait. Nothing can interrupt a CPU between the time
 * and the record, so this still is ample, unless a virtual CPU loses its real one just then. Should
 * it, the records of that CPU come late and are looked up among mappings of some milliseconds
 * later; that is less than the loss of records. The side-band is read before the records either
 * way.
 */
#define HURRIED_SETTLE_NS (2 * NSEC_PER_MSEC)
/* From here on the module does not let poll() wait. */
#define HURRY_PERCENT 50
/* There was nothing old enough; nor is there at once. */
#define NAP_NS (3 * NSEC_PER_MSEC)

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
 * @output: where to
 * @program: the file of -x without links, as mappings name it; NULL: not known
 * @program_stat: the same, by device and inode (0: not known)
 * @held: process of a command that has not been executed yet; 0: none
 * @start_ns: CLOCK_MONOTONIC at which the session began
 * @state: of taking records in
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
	struct output output;
	char *program;
	struct stat program_stat;
	s32 held;
	u64 start_ns;
	enum capture_state state;
};

/* Now, for it may be replaced or removed before the end. */
static void find_program(struct capture *capture)
{
	const char *exe = capture->options->exe;

	if (!exe)
		return;
	capture->program = realpath(exe, NULL);
	if (stat(exe, &capture->program_stat))
		capture->program_stat = (struct stat){ 0 };
}

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
	if (!capture->options->script)
		capture->profile = profile_new(capture->stacks);
	else if (!output_open(&capture->output, STDOUT_FILENO))
		capture->symbols = symbols_new(NULL);
	if (!capture->symbols && !capture->profile)
		return out_of_memory();
	find_program(capture);

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
	output_close(&capture->output);
	free(capture->program);
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

void capture_launched(struct capture *capture, pid_t pid)
{
	capture->held = pid;
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

/* Whether what has been printed is written. */
static enum capture_state check_output(struct capture *capture)
{
	int error = capture->output.error;

	if (!error || capture->state != CAPTURE_ON)
		return capture->state;
	capture->state = CAPTURE_UNREAD;
	if (error != EPIPE) {
		complain("cannot write the records: %s", strerror(error));
		capture->state = CAPTURE_FAILED;
	}
	return capture->state;
}

/* The wait of a command for its exec, which is ours: the first that is heard of its process. */
static bool was_held(struct capture *capture, const struct gapp_record *record)
{
	const struct gapp_record_slice *slice = record_slice(record);
	const struct gapp_record_wait *wait = record_wait(record);
	s32 tid = slice ? slice->tid : wait ? wait->tid : 0;

	if (!capture->held || tid != capture->held)
		return false;
	capture->held = 0;
	return wait;
}

static int take(void *context, const struct gapp_record *record)
{
	struct capture *capture = context;
	int failed;

	bring_up(capture, record);
	if (was_held(capture, record) && capture->profile)
		return capture->state;
	if (capture->profile)
		failed = profile_add(capture->profile, record);
	else
		failed = script_record(capture->output.stream, record, capture->stacks,
				       capture->symbols, capture->start_ns);
	if (failed) {
		out_of_memory();
		capture->state = CAPTURE_FULL;
	}
	return check_output(capture);
}

/* Records that are older are taken in. */
static u64 settled(const struct capture *capture)
{
	bool hurry = rings_fill(capture->rings) >= HURRY_PERCENT;

	return clock_ns() - (hurry ? HURRIED_SETTLE_NS : SETTLE_NS);
}

/* The module says that there is something to take as long as there is, however young. */
static void nap(void)
{
	struct timespec time = { .tv_nsec = NAP_NS };

	nanosleep(&time, NULL);
}

enum capture_state capture_drain(struct capture *capture, bool all)
{
	u64 until;
	s64 taken;

	if (!capture->rings || capture->state != CAPTURE_ON)
		return capture->state;
	until = all ? UINT64_MAX : settled(capture);
	if (capture->sideband && sideband_read(capture->sideband)) {
		/* which has said why */
		capture->state = CAPTURE_FULL;
		return capture->state;
	}
	taken = rings_drain(capture->rings, until, take, capture);
	if (taken < 0 && capture->state == CAPTURE_ON)
		capture->state = CAPTURE_FAILED;
	if (capture->output.stream) {
		fflush(capture->output.stream);
		check_output(capture);
	}
	if (capture->state != CAPTURE_ON)
		return capture->state;
	if (capture->sideband)
		sideband_apply(capture->sideband, capture->maps, until);
	if (!taken && !all)
		nap();
	return CAPTURE_ON;
}

int capture_rank(struct capture *capture, const volatile bool *cancel, struct results *results)
{
	const struct options *asked = capture->options;
	struct profile_options options = {
		.by = BY_PATH,
		.no_libs = asked->no_libs,
		.program = capture->program ? capture->program : asked->exe,
		.program_dev = capture->program_stat.st_dev,
		.program_inode = capture->program_stat.st_ino,
		.apart = asked->all && !asked->as_one,
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
