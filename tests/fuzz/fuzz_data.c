// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a recording's file, which is then reported in all formats, and compared with itself.
 * Checksums would refuse nearly all of them, so the bytes are the blocks' contents, as
 * data_blocks.h has them. Input that begins as a recording's file does is such a file.
 */
#include <endian.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "cmd/outputs.h"
#include "cmd/saved.h"
#include "report/diff.h"

#include "data_blocks.h"

/* Ranks the recording as it is asked for, and gives what @options came to. */
static void rank(struct saved *saved, const struct options *asked, struct options *options,
		 struct results *results)
{
	saved_options(saved, asked, options);
	if (saved_rank(saved, options, results))
		abort();
}

static void print_report(struct saved *saved, struct options asked, FILE *out)
{
	for (asked.by = BY_PLACE; asked.by <= BY_WAIT_OBJECT; asked.by++) {
		_cleanup_results_ struct results results = { 0 };
		struct options options;

		asked.no_libs = asked.by & 1;
		rank(saved, &asked, &options, &results);
		report_text(out, &results, &options);
		if (asked.by == BY_PLACE)
			report_json(out, &results, &options);
	}
}

static void print_views(struct saved *saved, struct options asked, FILE *out)
{
	for (asked.view = VIEW_WAITS; view_names[asked.view]; asked.view++) {
		_cleanup_results_ struct results results = { 0 };
		struct options options;

		rank(saved, &asked, &options, &results);
		report_text(out, &results, &options);
	}
}

/* Formats of other programs. */
static void export(struct saved *saved, struct options asked, FILE *out)
{
	_cleanup_results_ struct results results = { 0 };
	struct options options;

	asked.format = FORMAT_PPROF;
	rank(saved, &asked, &options, &results);
	for (enum format format = FORMAT_CSV; results.ranked && format <= FORMAT_SPEEDSCOPE;
	     format++)
		if (report_write(out, format, &results, &options))
			abort();
}

static void compare(struct saved *saved, const struct options *asked, FILE *out)
{
	_cleanup_diff_ struct diff diff = { .options = asked };
	_cleanup_results_ struct results then = { 0 };
	_cleanup_results_ struct results now = { 0 };
	struct options options;

	rank(saved, asked, &options, &then);
	rank(saved, asked, &options, &now);
	diff.before = (struct recorded){ "before", &then, &options };
	diff.after = (struct recorded){ "after", &now, &options };
	if (diff_make(&diff))
		abort();
	diff_text(out, &diff);
	diff_json(out, &diff);
}

static void report(const char *path, FILE *out)
{
	_cleanup_saved_ struct saved *saved = saved_open(path, NULL);
	struct options asked = {
		.action = ACTION_REPORT, .tree = true, .top = 1000, .verbose = true
	};

	if (!saved)
		return;
	print_report(saved, asked, out);
	print_views(saved, asked, out);
	export(saved, asked, out);
	compare(saved, &asked, out);
	asked.threads_only = true;
	print_report(saved, asked, out);
	asked.threads_only = false;
	asked.process_only = true;
	print_report(saved, asked, out);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	_cleanup_close_ int fd = memfd_create("recording", 0);
	static FILE *out;
	char path[32];

	if (!out)
		out = fopen("/dev/null", "w");
	if (size >= 8 && !memcmp(data, "GAPPDATA", 8)) {
		if (write(fd, data, size) != (ssize_t)size)
			abort();
	} else {
		write_blocks(fd, data, size);
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	report(path, out);
	saved_script(path, NULL, fileno(out));
	return 0;
}
