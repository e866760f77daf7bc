// SPDX-License-Identifier: GPL-2.0
/*
 * What unwind tables cost to make, to keep and to check: load [--markdown] NAME FILE... [-- NAME
 * FILE...]... prints a line for each set of files.
 */
#include <fcntl.h>
#include <stdio.h>

#include "code_table.h"
#include "core/table.h"

#define OPENINGS 21

/**
 * struct sums - of a set of files
 * @files: that have a table
 * @code: bytes of code in them
 * @rows: of all tables
 * @bytes: likewise
 * @compile_ns: it took to compile all
 * @open_ns: to check all, as the module does when one is loaded
 */
struct sums {
	u32 files;
	u64 code, rows, bytes, compile_ns, open_ns;
};

static int by_size(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The median; 0: it is not valid. */
static u64 time_opening(const struct code_table *compiled)
{
	u64 times[OPENINGS];
	u32 i;

	for (i = 0; i < OPENINGS; i++) {
		struct gapp_table table;
		u64 begin = clock_ns();

		if (!gapp_table_open(&table, compiled->data, compiled->bytes))
			return 0;
		times[i] = clock_ns() - begin;
	}
	qsort(times, OPENINGS, sizeof(times[0]), by_size);
	return times[OPENINGS / 2];
}

static int add_file(struct sums *sums, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct code_table compiled;
	u64 begin = clock_ns(), opening;
	size_t i;

	if (fd < 0 || code_table_compile(&compiled, fd, NULL)) {
		fprintf(stderr, "load: no table of %s: %m\n", path);
		return -1;
	}
	sums->compile_ns += clock_ns() - begin;
	if (!compiled.data) {
		code_table_free(&compiled);
		return 0;
	}
	opening = time_opening(&compiled);
	if (!opening)
		fprintf(stderr, "load: the table of %s is not valid\n", path);
	sums->files++;
	for (i = 0; i < compiled.segment_count; i++)
		sums->code += compiled.segments[i].size;
	sums->rows += compiled.data->rows;
	sums->bytes += compiled.bytes;
	sums->open_ns += opening;
	code_table_free(&compiled);
	return opening ? 0 : -1;
}

static void print_head(bool markdown)
{
	if (markdown)
		printf("| tables of | files | code, MB | rows | tables, KB | compiled, ms | checked, us |\n|---|---|---|---|---|---|---|\n");
	else
		printf("%-28s %5s %8s %8s %10s %11s %10s\n", "tables of", "files", "code MB",
		       "rows", "tables KB", "compile ms", "check us");
}

static void print_sums(bool markdown, const char *name, const struct sums *sums)
{
	printf(markdown ? "| %s | %u | %.1f | %llu | %llu | %.0f | %.0f |\n" :
			  "%-28s %5u %8.1f %8llu %10llu %11.0f %10.0f\n",
	       name, sums->files, sums->code / 1e6, sums->rows, (sums->bytes + 512) / 1024,
	       sums->compile_ns / 1e6, sums->open_ns / 1e3);
}

int main(int argc, char **argv)
{
	bool markdown = argc > 1 && !strcmp(argv[1], "--markdown");
	int i = markdown ? 2 : 1, failed = 0;

	if (i >= argc) {
		fprintf(stderr, "usage: load [--markdown] NAME FILE... [-- NAME FILE...]...\n");
		return STATUS_USAGE;
	}
	print_head(markdown);
	for (; i < argc; i++) {
		const char *name = argv[i++];
		struct sums sums = { 0 };

		for (; i < argc && strcmp(argv[i], "--"); i++)
			failed |= add_file(&sums, argv[i]);
		print_sums(markdown, name, &sums);
	}
	return failed ? 1 : 0;
}
