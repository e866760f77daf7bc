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

bool source_text(char text[SOURCE_TEXT_SIZE], const struct options *options, const char *file,
		 u32 line)
{
	_cleanup_free_ char *read = NULL;
	int fd = open_source(options, file);
	struct stat stat;
	size_t room = 0;
	FILE *source;
	u32 at = 0;

	if (fd < 0)
		return false;
	source = fstat(fd, &stat) || stat.st_size > FILE_BYTES_MAX ? NULL : fdopen(fd, "r");
	if (!source) {
		close(fd);
		return false;
	}
	while (at < line && getline(&read, &room, source) > 0)
		at++;
	fclose(source);
	return at && at == line && take_line(text, read);
}
