// SPDX-License-Identifier: GPL-2.0
#include "subject.h"

#include <err.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

#define NOBODY 65534

static char folder[64];
static unsigned int files;

void subject_begin(void)
{
	snprintf(folder, sizeof(folder), "/tmp/gapp-tables-XXXXXX");
	if (!mkdtemp(folder))
		err(1, "%s", folder);
	if (!geteuid() && (chown(folder, NOBODY, NOBODY) || setresgid(NOBODY, NOBODY, NOBODY) ||
			   setresuid(NOBODY, NOBODY, NOBODY)))
		err(1, "nobody");
	setenv("XDG_CACHE_HOME", folder, 1);
	setenv("TMPDIR", folder, 1);
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
	(void)stat;
	(void)type;
	(void)walk;
	return remove(path);
}

void subject_end(void)
{
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *subject_folder(void)
{
	return folder;
}

static void path_of(char *path, size_t size, const char *suffix)
{
	snprintf(path, size, "%s/%u%s", folder, files, suffix);
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

int subject_assemble(const char *text, const char *options)
{
	char source[64], path[64], command[1024];
	FILE *file;

	files++;
	path_of(source, sizeof(source), ".s");
	path_of(path, sizeof(path), ".elf");
	file = fopen(source, "we");
	if (!file)
		err(1, "%s", source);
	fprintf(file, ".text\n%s\n.section .note.GNU-stack,\"\",@progbits\n", text);
	if (fclose(file))
		err(1, "%s", source);
	snprintf(command, sizeof(command),
		 "gcc -nostdlib -Wl,-Ttext=%#x -Wl,--build-id -o %s %s %s", SUBJECT_CODE, path,
		 source, options);
	if (system(command))
		errx(1, "failed: %s", command);
	return open_file(path);
}

int subject_copy(const void *bytes, size_t size)
{
	char path[64];
	int fd;

	files++;
	path_of(path, sizeof(path), ".copy");
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || close(fd))
		err(1, "%s", path);
	fd = open_file(path);
	unlink(path);
	return fd;
}

u8 *subject_read(int fd, size_t *size)
{
	struct stat stat;
	u8 *bytes;

	if (fstat(fd, &stat))
		err(1, "fstat");
	*size = stat.st_size;
	bytes = malloc(*size);
	if (!bytes || pread(fd, bytes, *size, 0) != stat.st_size)
		err(1, "read");
	return bytes;
}

struct unwind_table subject_table(int fd, struct gapp_table *table)
{
	struct unwind_table result;

	if (unwind_table_compile(&result, fd, NULL))
		err(1, "unwind_table_compile");
	if (!result.data || !gapp_table_open(table, result.data, result.bytes))
		errx(1, "no valid table");
	return result;
}
