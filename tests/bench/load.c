// SPDX-License-Identifier: GPL-2.0
/*
 * What unwind tables cost to make, to keep and to check: load FILE... prints a line of JSON for all
 * of them together.
 */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

#include "unwind-table/unwind_table.h"
#include "core/table.h"

#define OPENINGS 21

/**
 * struct sums - of a set of files
 * @files: that have a table
 * @code: bytes of code in them
 * @rows: of all tables
 * @bytes: likewise
 * @compile_ns: CPU time it took to compile all
 * @open_ns: to check all, as the module does when one is loaded
 */
struct sums {
	u32 files;
	u64 code, rows, bytes, compile_ns, open_ns;
};

/* So that what else the machine does is not in it. */
static u64 cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The median; 0: it is not valid. */
static u64 time_opening(const struct unwind_table *compiled)
{
	u64 times[OPENINGS];
	u32 i;

	for (i = 0; i < OPENINGS; i++) {
		struct gapp_table table;
		u64 begin = cpu_ns();

		if (!gapp_table_open(&table, compiled->data, compiled->bytes))
			return 0;
		times[i] = cpu_ns() - begin;
	}
	qsort(times, OPENINGS, sizeof(times[0]), by_size);
	return times[OPENINGS / 2];
}

static int add_file(struct sums *sums, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct unwind_table compiled;
	u64 begin = cpu_ns(), opening;
	size_t i;

	if (fd < 0 || unwind_table_compile(&compiled, fd, NULL)) {
		fprintf(stderr, "load: no table of %s: %m\n", path);
		return -1;
	}
	sums->compile_ns += cpu_ns() - begin;
	if (!compiled.data) {
		unwind_table_free(&compiled);
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
	unwind_table_free(&compiled);
	return opening ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct sums sums = { 0 };
	int i, failed = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: load FILE...\n");
		return STATUS_USAGE;
	}
	for (i = 1; i < argc; i++)
		failed |= add_file(&sums, argv[i]);
	printf("{\"files\": %u, \"code\": %llu, \"rows\": %llu, \"bytes\": %llu, ", sums.files,
	       sums.code, sums.rows, sums.bytes);
	printf("\"make_ns\": %llu, \"check_ns\": %llu}\n", sums.compile_ns, sums.open_ns);
	return failed ? 1 : 0;
}
