// SPDX-License-Identifier: GPL-2.0
/* Writes the results of made_paths.h: made-export csv|folded|json|pprof|speedscope. */
#include <stdio.h>
#include <string.h>

#include "export/exports.h"
#include "made_paths.h"

static int write_json(FILE *out, const struct results *results, const struct options *options)
{
	report_json(out, results, options);
	return 0;
}

static const struct {
	const char *name;
	int (*write)(FILE *out, const struct results *results, const struct options *options);
} formats[] = {
	{ "csv", export_csv },	   { "folded", export_folded },
	{ "pprof", export_pprof }, { "speedscope", export_speedscope },
	{ "json", write_json },
};

int main(int argc, char **argv)
{
	static const struct options options;

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (argc > 1 && !strcmp(argv[1], formats[i].name))
			return formats[i].write(stdout, made_paths(), &options) || fflush(stdout);
	fputs("made-export: csv, folded, json, pprof or speedscope\n", stderr);
	return 2;
}
