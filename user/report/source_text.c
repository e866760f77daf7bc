// SPDX-License-Identifier: GPL-2.0
#include "source_text.h"

#include <ctype.h>
#include <sys/stat.h>

#include "input/object.h"

/* Bytes of the largest file that is read; code that is written by programs has fewer. */
#define FILE_BYTES_MAX (32 << 20)
/* Folders of a path that are left out, one after another. */
#define FOLDERS_MAX 64

/* Opens the file below a folder, by the longest end of its path that is there. */
static int open_below(const char *folder, const char *file)
{
	int fd = -1;

	for (unsigned int i = 0; file && fd < 0 && i < FOLDERS_MAX; i++) {
		_cleanup_free_ char *path = NULL;

		file += strspn(file, "/");
		if (asprintf(&path, "/%s", file) < 0) {
			path = NULL;
			return -1;
		}
		fd = elf_file_open_below(folder, path);
		file = strchr(file, '/');
	}
	return fd;
}

static int open_source(const struct options *options, const char *file)
{
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < options->source_path_count; i++)
		fd = open_below(options->source_paths[i], file);
	if (fd < 0 && geteuid())
		fd = elf_file_open_path(0, file);
	return fd;
}

/* Writes a line without the blanks around it; blanks within it are one space each. */
static bool take_line(char text[SOURCE_TEXT_SIZE], const char *line)
{
	size_t length = 0;

	while (isspace((unsigned char)*line))
		line++;
	for (; *line && length < SOURCE_TEXT_SIZE - 1; line++)
		text[length++] = isspace((unsigned char)*line) ? ' ' : *line;
	while (length && text[length - 1] == ' ')
		length--;
	text[length] = '\0';
	return length;
}

/* Opens a source file that is not too large; NULL: there is none. */
static FILE *open_stream(const struct options *options, const char *file)
{
	int fd = open_source(options, file);
	FILE *source = NULL;
	struct stat stat;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &stat) && stat.st_size <= FILE_BYTES_MAX)
		source = fdopen(fd, "r");
	if (!source)
		close(fd);
	return source;
}

bool source_text(char text[SOURCE_TEXT_SIZE], const struct options *options, const char *file,
		 u32 line)
{
	_cleanup_free_ char *read = NULL;
	FILE *source = open_stream(options, file);
	size_t room = 0;
	u32 at = 0;

	if (!source)
		return false;
	while (at < line && getline(&read, &room, source) > 0)
		at++;
	fclose(source);
	return at && at == line && take_line(text, read);
}

u32 source_lines(const struct options *options, const char *file, u32 first, u32 last,
		 source_line_fn take, void *context)
{
	_cleanup_free_ char *read = NULL;
	FILE *source = open_stream(options, file);
	size_t room = 0;
	ssize_t length;
	u32 taken = 0;

	if (!source)
		return 0;
	for (u32 at = 1; at <= last; at++) {
		length = getline(&read, &room, source);
		if (length <= 0)
			break;
		while (length && (read[length - 1] == '\n' || read[length - 1] == '\r'))
			length--;
		if (at < first)
			continue;
		take(context, at, read, length < SOURCE_TEXT_SIZE ? length : SOURCE_TEXT_SIZE);
		taken++;
	}
	fclose(source);
	return taken;
}
