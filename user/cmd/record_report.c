// SPDX-License-Identifier: GPL-2.0
/* What a recording ends with, and each dump of --keep: a report, and a file. */
#include "fetch.h"
#include "no_kernel.h"
#include "record_private.h"
#include "report/report.h"
#include "util/signals.h"

/* Standard output has no report for a program where a command writes to it. */
static bool prints_report(const struct options *options)
{
	return options->format == FORMAT_TEXT || !options->command;
}

static int print_report(const struct recording *recording, const struct results *results)
{
	const struct options *options = recording->options;
	int result;

	errno = 0;
	if (!prints_report(options))
		return 0;
	result = report_write(stdout, options->format, results, options);
	return result | flush_stdout(" the report");
}

/* Sets what --counters asked for. Returns 0, or -1 with a complaint made. */
static int make_counted(struct recording *recording, struct results *results)
{
	if (!recording->tallies.count)
		return 0;
	if (fetch_counted(&recording->device, &recording->tallies, &results->counted))
		return -1;
	results->counted.nodes = &recording->nodes;
	return counter_watch_end(&recording->counters,
				 results->model.status.start_ns + results->model.status.wall_ns,
				 &results->counted);
}

/* Sets all of the results, of the recording or of a window. Returns 0, or -1. */
static int make_results(struct recording *recording, bool ended, u64 ended_ns,
			struct results *results)
{
	const volatile bool *cancelled;

	signals_cancel(&cancelled);
	if (recording->keep ? keep_window(recording->keep, ended, results) :
			      fetch_results(&recording->device, results))
		return -1;
	if (make_counted(recording, results))
		return -1;
	if (capture_rank(recording->capture, cancelled, results))
		return -1;
	if (recording->options->kernel && !(results->counters.flags & GAPP_COUNTERS_KERNEL_PATHS))
		results->no_kernel = why_no_kernel(&results->model.status);
	results->kthreads_without_room = recording->kthreads.most_without_room;
	take_own(&results->own, ended_ns);
	/*
	 * A signal ends the look-up of names that only the recording has, which may be long. One
	 * that came during a dump is to end the recording, too.
	 */
	if (ended)
		signals_cancel(&cancelled);
	else
		signals_cancel_again(&cancelled);
	return 0;
}

/* The path of the file that @saving has written, to be freed; NULL: none, or it is not known. */
static char *path_of_saving(const struct saving *saving, const struct options *options)
{
	const char *name = saving->name ?: options->save ?: SAVED_FILE;

	if (options->no_save || saving->failed)
		return NULL;
	return realpath(name, NULL);
}

static int write_saved(struct recording *recording, struct saved *saved)
{
	_cleanup_results_ struct results results = { 0 };
	struct options options;

	saved_options(saved, recording->options, &options);
	if (saved_rank(saved, &options, &results))
		return -1;
	return outputs_write(&recording->outputs, &results, &options);
}

/* Writes what is made of the recording's file. Returns 0, or -1 with a complaint made. */
static int write_of_file(struct recording *recording)
{
	_cleanup_saved_ struct saved *saved = NULL;

	if (!outputs_of_file(recording->options))
		return 0;
	if (recording->saving.failed) {
		complain("%s is made of the recording's file, which could not be written",
			 outputs_of_file(recording->options));
		return -1;
	}
	saved = saved_open(recording->options->save ?: SAVED_FILE, NULL);
	return saved ? write_saved(recording, saved) : -1;
}

int record_report(struct recording *recording, u64 ended_ns)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_results_ struct results results = { 0 };
	int result;

	if (make_results(recording, true, ended_ns, &results))
		return -1;
	result = print_report(recording, &results);
	result |= outputs_write(&recording->outputs, &results, recording->options);
	/* a recording that cannot be kept has still been reported, and the other way round */
	result |= save_recording(&recording->saving, recording->options, recording->capture,
				 &results);
	result |= write_of_file(recording);
	path = path_of_saving(&recording->saving, recording->options);
	record_tell(recording, path, false, true);
	/* and then it ends the wait for the command, also if it came meanwhile */
	if (recording->launched)
		signals_hold();
	return result;
}

/* The name of a dump's file: that of the recording with the number of the dump behind it. */
static char *dump_name(const struct recording *recording)
{
	const char *name = recording->options->save ?: SAVED_FILE;
	char *numbered;

	if (asprintf(&numbered, "%s.%u", name, keep_dumps(recording->keep)) < 0)
		return NULL;
	return numbered;
}

int record_dump(struct recording *recording)
{
	_cleanup_results_ struct results results = { 0 };
	struct saving saving = SAVING_NONE;
	_cleanup_free_ char *name = NULL, *path = NULL;
	int failed;

	failed = make_results(recording, false, clock_ns(), &results);
	if (!failed) {
		name = dump_name(recording);
		saving.name = name;
		saving.failed = !name;
		/* a dump that cannot be printed or written is told, and the recording goes on */
		print_report(recording, &results);
		save_recording(&saving, recording->options, recording->capture, &results);
		path = path_of_saving(&saving, recording->options);
		if (path && !recording->options->quiet)
			complain("dump %u: %s", keep_dumps(recording->keep), name);
	}
	saving_free(&saving);
	signals_go_on();
	record_tell(recording, path, failed, false);
	if (path) {
		free(recording->dumped);
		recording->dumped = name;
		recording->dumped_ns = clock_ns();
		name = NULL;
	}
	return failed;
}
