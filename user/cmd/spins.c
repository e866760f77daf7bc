// SPDX-License-Identifier: GPL-2.0
/* gapp-read spins: the busy-wait loops of files. */
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "opts.h"
#include "outputs.h"
#include "report/spins_report.h"
#include "spin-table/spin_table.h"

/**
 * struct work - what is made of the files
 * @report: their loops
 * @objects: the files, as names are looked up
 * @outputs: files that are written to
 */
struct work {
	struct spins_report report;
	struct objects *objects;
	struct outputs outputs;
};

static void work_free(struct work *work)
{
	for (u32 i = 0; i < work->report.count; i++) {
		spins_free(&work->report.files[i].spins);
		free(work->report.files[i].names);
	}
	free(work->report.files);
	if (work->report.symbols)
		symbols_free(work->report.symbols);
	if (work->objects)
		objects_free(work->objects);
	outputs_free(&work->outputs);
}

static const char *reason(int error)
{
	return error == ENOEXEC ? "it is no program or library of x86-64" : strerror(error);
}

static int name_all(struct work *work, struct spins_file *file, const char *path, int fd)
{
	struct object *object;
	struct stat stat;

	if (fstat(fd, &stat))
		return -1;
	object = objects_hold(work->objects, path, stat.st_dev, stat.st_ino, getpid());
	if (!object || spins_name(file, work->report.symbols, object))
		return out_of_memory();
	return 0;
}

/* Returns 0, or -1 with a complaint made. */
static int look_into(struct work *work, struct spins_file *file, const char *name)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];
	bool found;

	found = realpath(name, path);
	if (found)
		fd = elf_file_open_path(0, path);
	if (fd < 0) {
		complain("%s: it cannot be read%s%s", name, found ? "" : ": ",
			 found ? ", or is no regular file" : strerror(errno));
		return -1;
	}
	if (spin_table_find(&file->spins, fd)) {
		/* what decodes is missing: that was said */
		if (errno != ENOTSUP)
			complain("%s: %s", name, reason(errno));
		return -1;
	}
	work->report.count++;
	file->path = name;
	build_id_read(fd, &file->build_id);
	return name_all(work, file, path, fd);
}

static int write_spins(FILE *out, enum format format, const void *what,
		       _unused_ const struct options *options)
{
	if (format == FORMAT_JSON)
		spins_json(out, what);
	else
		spins_text(out, what);
	return 0;
}

static int write_all(struct work *work, const struct options *options)
{
	int result;

	errno = 0;
	write_spins(stdout, options->format, &work->report, options);
	result = flush_stdout(" the loops");
	return result | outputs_write_by(&work->outputs, write_spins, &work->report, options);
}

int spins(const struct options *options)
{
	_cleanup_(work_free) struct work work = { .report.verbose = options->verbose };
	const struct symbol_sources sources = { .symfs = options->symfs };
	int result = 0;

	if (outputs_open(&work.outputs, options))
		return STATUS_FAILED;
	work.report.files = calloc(options->file_count, sizeof(*work.report.files));
	work.report.symbols = symbols_new(NULL);
	work.objects = objects_new();
	if (!work.report.files || !work.report.symbols || !work.objects) {
		out_of_memory();
		return STATUS_FAILED;
	}
	symbols_set_sources(work.report.symbols, &sources);
	for (size_t i = 0; i < options->file_count; i++)
		result |=
			look_into(&work, &work.report.files[work.report.count], options->files[i]);
	if (!work.report.count)
		return STATUS_FAILED;
	return write_all(&work, options) || result ? STATUS_FAILED : 0;
}
