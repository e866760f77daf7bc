// SPDX-License-Identifier: GPL-2.0
/* Which format a file of -o has. */
#include <string.h>

#include "outputs.h"

/* What can be written, by the end of the file's name. */
static const struct {
	const char *suffix;
	enum format format;
} kinds[] = {
	{ ".speedscope.json", FORMAT_SPEEDSCOPE }, /* before .json, which it ends with */
	{ ".trace.json", FORMAT_CHROME },
	{ ".json", FORMAT_JSON },
	{ ".txt", FORMAT_TEXT },
	{ ".cores.csv", FORMAT_CORES }, /* before .csv */
	{ ".counters.csv", FORMAT_COUNTERS }, /* before .csv, too */
	{ ".csv", FORMAT_CSV },
	{ ".folded", FORMAT_FOLDED },
	{ ".pb.gz", FORMAT_PPROF },
	{ ".dot", FORMAT_DOT },
	{ ".pftrace", FORMAT_PERFETTO },
	{ ".html", FORMAT_HTML },
	{ ".cores.svg", FORMAT_CORES_SVG },
	{ ".parallelism.svg", FORMAT_PARALLELISM_SVG },
};

bool output_format(const char *name, enum format *format)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t suffix = strlen(kinds[i].suffix);

		if (len <= suffix || strcmp(name + len - suffix, kinds[i].suffix))
			continue;
		*format = kinds[i].format;
		return true;
	}
	return false;
}

static bool needs_paths(enum format format)
{
	return format == FORMAT_FOLDED || format == FORMAT_PPROF || format == FORMAT_SPEEDSCOPE ||
	       format == FORMAT_HTML;
}

bool outputs_need_paths(const struct options *options)
{
	bool need = needs_paths(options->format);

	for (size_t i = 0; i < options->output_count; i++) {
		enum format format;

		need |= output_format(options->outputs[i], &format) && needs_paths(format);
	}
	return need;
}

bool outputs_need_woken(const struct options *options)
{
	bool need = options->format == FORMAT_FOLDED;

	for (size_t i = 0; i < options->output_count; i++) {
		enum format format;

		need |= output_format(options->outputs[i], &format) && format == FORMAT_FOLDED;
	}
	return need && options->view == VIEW_WAKERS;
}

/* Formats that are made of a recording's file: 1, and 2 if the file must have records. */
static const u8 of_files[FORMATS] = {
	[FORMAT_HTML] = 1,	[FORMAT_CORES] = 2,
	[FORMAT_CORES_SVG] = 2, [FORMAT_PARALLELISM_SVG] = 2,
	[FORMAT_PERFETTO] = 2,	[FORMAT_CHROME] = 2,
	[FORMAT_COUNTERS] = 1,
};

bool format_is_of_file(enum format format)
{
	return of_files[format] > 0;
}

/* The first output whose format asks for a file of at least @least; NULL: none. */
static const char *first_of_file(const struct options *options, u8 least)
{
	for (size_t i = 0; i < options->output_count; i++) {
		enum format format;

		if (output_format(options->outputs[i], &format) && of_files[format] >= least)
			return options->outputs[i];
	}
	return NULL;
}

const char *outputs_of_file(const struct options *options)
{
	return first_of_file(options, 1);
}

const char *outputs_need_records(const struct options *options)
{
	return first_of_file(options, 2);
}

const char *outputs_need_counters(const struct options *options)
{
	for (size_t i = 0; i < options->output_count; i++) {
		enum format format;

		if (output_format(options->outputs[i], &format) && format == FORMAT_COUNTERS)
			return options->outputs[i];
	}
	return NULL;
}

bool outputs_show_wakers(const struct options *options)
{
	for (size_t i = 0; i < options->output_count; i++) {
		enum format format;

		if (output_format(options->outputs[i], &format) &&
		    (format == FORMAT_PERFETTO || format == FORMAT_CHROME ||
		     (format == FORMAT_HTML && options->level == GAPP_LEVEL_TRACE)))
			return true;
	}
	return false;
}

static bool is_of_waits(const char *name)
{
	enum format format;

	return output_format(name, &format) && format == FORMAT_DOT;
}

const char *outputs_need_waits(const struct options *options)
{
	if (options->view == VIEW_CRITICAL_PATH)
		return "--view critical-path";
	if (options->view == VIEW_GRAPH)
		return "--view graph";
	for (size_t i = 0; i < options->output_count; i++)
		if (is_of_waits(options->outputs[i]))
			return "-o FILE.dot";
	return NULL;
}
