// SPDX-License-Identifier: GPL-2.0
/* gapp-read diff: two recordings are read, compared and judged. */
#include "report/diff.h"

#include "opts.h"
#include "outputs.h"
#include "saved.h"

/* The recording before the last one. */
#define FORMER_FILE SAVED_FILE ".old"

/**
 * struct side - a recording that is compared
 * @saved: its file
 * @options: of the recording, and what is asked for now
 * @results: what it came to
 */
struct side {
	struct saved *saved;
	struct options options;
	struct results results;
};

static void side_free(struct side *side)
{
	results_free(&side->results);
	saved_free(side->saved);
}

static void free_outputs(struct outputs *outputs)
{
	outputs_free(outputs);
}

static int read_side(struct side *side, const struct options *asked, struct recorded *recorded,
		     const char *file)
{
	side->saved = saved_open(file, asked->symfs);
	if (!side->saved)
		return -1;
	saved_options(side->saved, asked, &side->options);
	*recorded = (struct recorded){ file, &side->results, &side->options };
	return saved_rank(side->saved, &side->options, &side->results);
}

static int write_diff(FILE *out, enum format format, const void *what,
		      const struct options *options)
{
	struct diff diff = *(const struct diff *)what;

	diff.options = options;
	if (format == FORMAT_JSON)
		diff_json(out, &diff);
	else
		diff_text(out, &diff);
	return 0;
}

static int write_all(struct outputs *outputs, const struct diff *diff)
{
	int result;

	errno = 0;
	write_diff(stdout, diff->options->format, diff, diff->options);
	result = flush_stdout(" the comparison");
	return result | outputs_write_by(outputs, write_diff, diff, diff->options);
}

static int compare(struct outputs *outputs, struct diff *diff)
{
	const struct options *asked = diff->options;

	if (diff_make(diff))
		return out_of_memory();
	if (write_all(outputs, diff))
		return STATUS_FAILED;
	return conditions_check(asked->conditions, asked->condition_count, diff->before.results,
				diff->after.results);
}

int diff(const struct options *asked)
{
	_cleanup_(free_outputs) struct outputs outputs = { 0 };
	_cleanup_(side_free) struct side then = { 0 }, now = { 0 };
	_cleanup_diff_ struct diff diff = { .options = asked };
	const char *before = asked->file_count > 0 ? asked->files[0] : FORMER_FILE;
	const char *after = asked->file_count > 1 ? asked->files[1] : SAVED_FILE;
	int status;

	if (outputs_open(&outputs, asked) || read_side(&then, asked, &diff.before, before) ||
	    read_side(&now, asked, &diff.after, after))
		return STATUS_FAILED;
	status = compare(&outputs, &diff);
	return status < 0 ? STATUS_FAILED : status;
}
