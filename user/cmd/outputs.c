// SPDX-License-Identifier: GPL-2.0
#include "outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "export/exports.h"
#include "sudo_user.h"

static int write_text(FILE *out, const struct results *results, const struct options *options)
{
	report_text(out, results, options);
	return 0;
}

static int write_json(FILE *out, const struct results *results, const struct options *options)
{
	report_json(out, results, options);
	return 0;
}

static int (*const writers[])(FILE *out, const struct results *results,
			      const struct options *options) = {
	[FORMAT_TEXT] = write_text,
	[FORMAT_JSON] = write_json,
	[FORMAT_CSV] = export_csv,
	[FORMAT_FOLDED] = export_folded,
	[FORMAT_PPROF] = export_pprof,
	[FORMAT_SPEEDSCOPE] = export_speedscope,
	[FORMAT_DOT] = export_dot,
	[FORMAT_CORES] = export_cores,
	[FORMAT_COUNTERS] = export_counters,
	[FORMAT_PERFETTO] = export_perfetto,
	[FORMAT_CHROME] = export_chrome,
	[FORMAT_HTML] = export_html,
	[FORMAT_CORES_SVG] = export_cores_svg,
	[FORMAT_PARALLELISM_SVG] = export_parallelism_svg,
};

int report_write(FILE *out, enum format format, const struct results *results,
		 const struct options *options)
{
	int error = writers[format](out, results, options);

	return error < 0 ? out_of_memory() : -error;
}

int flush_stdout(const char *what)
{
	if ((!fflush(stdout) && !ferror(stdout)) || errno == EPIPE)
		return 0;
	complain("cannot write%s: %s", what, strerror(errno));
	return -1;
}

/* A device, a pipe or a socket: it cannot be replaced. */
static bool is_special(const char *name)
{
	struct stat status;

	return !stat(name, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* An open file by its number, whatever it is. */
static bool is_open_file(const char *name)
{
	return !strcmp(name, "/dev/stdout") || !strcmp(name, "/dev/stderr") ||
	       !strncmp(name, "/dev/fd/", strlen("/dev/fd/")) ||
	       !strncmp(name, "/proc/self/fd/", strlen("/proc/self/fd/"));
}

int outputs_check(const char *name)
{
	enum format format;

	if (output_format(name, &format) || is_open_file(name) || is_special(name))
		return 0;
	complain("-o %s: its suffix must say what to write: " OUTPUT_SUFFIXES, name);
	return -1;
}

static int cannot_write(const char *name)
{
	complain("cannot write %s: %s", name, strerror(errno));
	return -1;
}

/* Opens a file that cannot be replaced. Returns a file descriptor, or -1 with errno. */
static int open_in_place(const char *name)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;

	/* a regular file behind it goes on where others have written to */
	return open(name, is_open_file(name) ? flags | O_APPEND : flags);
}

/* Gives the file the mode of the one that it will replace, or that of a new one. */
static int set_mode(const struct output_file *file)
{
	mode_t mode = umask(0);
	struct stat former;

	umask(mode);
	if (stat(file->target, &former))
		return fchmod(file->fd, 0666 & ~mode);
	return fchmod(file->fd, former.st_mode & 0777);
}

/*
 * Sets owner and mode. The file belongs to who called sudo, as the command's files do, unless its
 * file system refuses that.
 */
static int set_owner(const struct output_file *file, const struct sudo_user *user)
{
	if (user->other && fchown(file->fd, user->uid, user->gid) && errno != EPERM)
		return -1;
	return set_mode(file);
}

/* Opens a temporary file beside the path that it will have. Returns 0, or -1 with errno. */
static int open_temporary(struct output_file *file, const struct sudo_user *user)
{
	file->target = realpath(file->name, NULL);
	if (!file->target && errno == ENOENT)
		file->target = strdup(file->name);
	if (!file->target)
		return -1;
	if (!access(file->target, F_OK) && access(file->target, W_OK))
		return -1;
	if (asprintf(&file->temporary, "%s.XXXXXX", file->target) < 0) {
		file->temporary = NULL;
		errno = ENOMEM;
		return -1;
	}
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	if (file->fd >= 0)
		return set_owner(file, user);
	free(file->temporary);
	file->temporary = NULL;
	return -1;
}

static bool is_in_place(const char *name)
{
	return is_open_file(name) || is_special(name);
}

static int open_file(struct output_file *file, const struct sudo_user *user)
{
	struct stat status;

	if (is_in_place(file->name)) {
		file->fd = open_in_place(file->name);
		return file->fd < 0 ? cannot_write(file->name) : 0;
	}
	if (!stat(file->name, &status) && S_ISDIR(status.st_mode)) {
		errno = EISDIR;
		return cannot_write(file->name);
	}
	return open_temporary(file, user) ? cannot_write(file->name) : 0;
}

int outputs_open(struct outputs *outputs, const struct options *options)
{
	struct sudo_user user = { 0 };

	if (!options->output_count)
		return 0;
	if (sudo_user_find(&user))
		return -1;
	outputs->files = calloc(options->output_count, sizeof(*outputs->files));
	if (!outputs->files)
		return out_of_memory();
	for (size_t i = 0; i < options->output_count; i++) {
		struct output_file *file = &outputs->files[outputs->count++];

		*file = (struct output_file){ .name = options->outputs[i], .fd = -1 };
		if (!output_format(file->name, &file->format))
			file->format = options->format;
	}
	/* a pipe waits for its reader, and Ctrl-C meanwhile leaves no temporary file */
	for (int in_place = 1; in_place >= 0; in_place--)
		for (size_t i = 0; i < outputs->count; i++)
			if (is_in_place(outputs->files[i].name) == in_place &&
			    open_file(&outputs->files[i], &user))
				return -1;
	return 0;
}

/* Closes the stream. Returns 0 if all was written or nobody reads it, else -1 with errno. */
static int close_stream(FILE *stream)
{
	int error = fflush(stream) || ferror(stream) ? errno : 0;

	if (fclose(stream) && !error)
		error = errno;
	errno = error;
	return error && error != EPIPE ? -1 : 0;
}

static int write_file(struct output_file *file, write_function write, const void *what,
		      const struct options *options)
{
	struct options own = *options;
	FILE *stream = fdopen(file->fd, "w");

	if (!stream)
		return cannot_write(file->name);
	file->fd = -1;
	/* --color is about standard output */
	own.color = COLOR_AUTO;
	errno = 0;
	if (write(stream, file->format, what, &own)) {
		fclose(stream);
		return -1;
	}
	if (close_stream(stream) || (file->temporary && rename(file->temporary, file->target)))
		return cannot_write(file->name);
	free(file->temporary);
	file->temporary = NULL;
	return 0;
}

int outputs_write_by(struct outputs *outputs, write_function write, const void *what,
		     const struct options *options)
{
	int result = 0;

	for (size_t i = 0; i < outputs->count; i++)
		result |= write_file(&outputs->files[i], write, what, options);
	return result;
}

static int write_report(FILE *out, enum format format, const void *what,
			const struct options *options)
{
	return report_write(out, format, what, options);
}

int outputs_write(struct outputs *outputs, const struct results *results,
		  const struct options *options)
{
	int result = 0;

	for (size_t i = 0; i < outputs->count; i++) {
		struct output_file *file = &outputs->files[i];

		if (file->fd >= 0 && (results->recorded || !format_is_of_file(file->format)))
			result |= write_file(file, write_report, results, options);
	}
	return result;
}

void outputs_free(struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++) {
		struct output_file *file = &outputs->files[i];

		cleanup_close(&file->fd);
		if (file->temporary)
			unlink(file->temporary);
		free(file->temporary);
		free(file->target);
	}
	free(outputs->files);
}
