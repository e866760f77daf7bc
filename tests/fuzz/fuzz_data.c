// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a recording's file, which is then reported, written in all formats, or compared.
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
	_cleanup_results_ struct results results = { 0 };
	struct options options;

	rank(saved, &asked, &options, &results);
	report_text(out, &results, &options);
	report_json(out, &results, &options);
}

/* The formats of other programs, of which one is made from waits where the view is that of wakers.
 */
static void export(struct saved *saved, struct options asked, FILE *out)
{
	_cleanup_results_ struct results results = { 0 };
	struct options options;

	asked.format = asked.view == VIEW_WAKERS ? FORMAT_FOLDED : FORMAT_PPROF;
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

/* A part of @choice below @below, which is then used up. */
static u32 choose(u32 *choice, u32 below)
{
	u32 chosen = *choice % below;

	*choice /= below;
	return chosen;
}

/*
 * To make all reports of an input takes forty times as long as to make one. So @choice says which;
 * it is the end of the input, and stays while the fuzzer changes what comes before.
 */
static void report(const char *path, u32 choice, FILE *out)
{
	_cleanup_saved_ struct saved *saved = saved_open(path, NULL);
	struct options asked = {
		.action = ACTION_REPORT, .tree = true, .top = 1000, .verbose = true
	};
	u32 views = 0, which;

	if (!saved)
		return;
	while (view_names[views])
		views++;
	asked.by = choose(&choice, BY_WAIT_OBJECT + 1);
	asked.view = choose(&choice, views);
	asked.no_libs = choose(&choice, 2);
	which = choose(&choice, 3);
	asked.threads_only = which == 1;
	asked.process_only = which == 2;
	print_report(saved, asked, out);
	switch (choose(&choice, 4)) {
	case 0:
		export(saved, asked, out);
		break;
	case 1:
		compare(saved, &asked, out);
		break;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	_cleanup_close_ int fd = memfd_create("recording", 0);
	static FILE *out;
	char path[32];
	u32 choice = 0;

	if (!out)
		out = fopen("/dev/null", "w");
	if (size >= 8 && !memcmp(data, "GAPPDATA", 8)) {
		if (write(fd, data, size) != (ssize_t)size)
			abort();
	} else {
		write_blocks(fd, data, size);
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	memcpy(&choice, data + size - (size < 4 ? size : 4), size < 4 ? size : 4);
	report(path, choice, out);
	saved_script(path, NULL, fileno(out));
	return 0;
}
