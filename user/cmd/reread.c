// SPDX-License-Identifier: GPL-2.0
/* What is done with a recording's file: it is reported or written in other formats. */
#include <stdio.h>

#include "opts.h"
#include "outputs.h"
#include "report/recorded.h"
#include "saved.h"

static void free_outputs(struct outputs *outputs)
{
	outputs_free(outputs);
}

static int print_report(const struct results *results, const struct options *options)
{
	errno = 0;
	if (report_write(stdout, options->format, results, options))
		return -1;
	return flush_stdout(" the report");
}

/* Returns the exit status. */
static int work(struct saved *saved, const struct options *asked, const char *path,
		struct outputs *outputs)
{
	_cleanup_results_ struct results results = { 0 };
	struct options options, without_view;

	saved_options(saved, asked, &options);
	if (saved_rank(saved, &options, &results))
		return STATUS_FAILED;
	if (!results.ranked && outputs_need_paths(&options)) {
		complain(
			"%s was recorded with --level stats, without call paths: only .txt, .json and .csv can be made of it",
			path);
		return STATUS_FAILED;
	}
	/* a view says itself what is missing */
	without_view = options;
	without_view.view = VIEW_PLACES;
	if (!results.wait_views && outputs_need_waits(&without_view)) {
		complain(
			"%s has no wait-for graph: record with --level trace and --view graph or -o FILE.dot",
			path);
		return STATUS_FAILED;
	}
	if (!results.woken.count && outputs_need_woken(&options)) {
		complain("%s has no wake-ups: record with --level trace --view wakers", path);
		return STATUS_FAILED;
	}
	if (!results.recorded->kept && results.window.end_ns && outputs_need_records(&options)) {
		complain(
			"%s is the sums of the last seconds (--keep), without the records that %s is made of: record with --level trace --records, without --keep",
			path, outputs_need_records(&options));
		return STATUS_FAILED;
	}
	if (!results.recorded->kept && outputs_need_records(&options)) {
		complain(
			"%s has no records, which %s is made of: record with --level trace --records",
			path, outputs_need_records(&options));
		return STATUS_FAILED;
	}
	if (outputs_need_records(&options) && !results.recorded->every_slice)
		complain(
			"%s%s was not recorded with --level trace: %s has only slices with few threads active%s",
			results.merged ? "a part of " : "", path, outputs_need_records(&options),
			results.merged ? " of it" : "");
	if (asked->action == ACTION_REPORT && print_report(&results, &options))
		return STATUS_FAILED;
	if (outputs_write(outputs, &results, &options))
		return STATUS_FAILED;
	return conditions_check(asked->conditions, asked->condition_count, NULL, &results);
}

int reread(const struct options *asked)
{
	_cleanup_(free_outputs) struct outputs outputs = { 0 };
	_cleanup_saved_ struct saved *saved = NULL;
	const char *path = asked->file_count ? asked->files[0] : SAVED_FILE;

	if (asked->action == ACTION_SCRIPT)
		return saved_script(path, asked->symfs, STDOUT_FILENO) ? STATUS_FAILED : 0;
	if (outputs_open(&outputs, asked))
		return STATUS_FAILED;
	saved = saved_open(path, asked->symfs);
	return saved ? work(saved, asked, path, &outputs) : STATUS_FAILED;
}
