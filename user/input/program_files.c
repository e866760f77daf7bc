// SPDX-License-Identifier: GPL-2.0
#include "program_files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "elf_needs.h"
#include "library_cache.h"
#include "object.h"

#define CACHE_PATH "/etc/ld.so.cache"
/*
 * Where ld.so looks last: what distributions have built into theirs. Folders that are missing, and
 * libraries of another machine, are passed over.
 */
#define LAST_FOLDERS                                         \
	"/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"   \
	"/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:" \
	"/lib64:/usr/lib64:/lib:/usr/lib"
#define ORIGIN "$ORIGIN"

/**
 * struct program_file - a file that the program maps
 * @dev: device
 * @inode: inode
 * @page: where this process has mapped the file, to learn how the kernel names it
 */
struct program_file {
	dev_t dev;
	ino_t inode;
	void *page;
};

/**
 * struct program - a program whose files are being found
 * @machine: of all its files; 0: none was found yet
 * @cache: of libraries
 * @files: what was found
 * @file_count: files
 * @each: who is told
 * @context: its first argument
 */
struct program {
	u16 machine;
	struct library_cache cache;
	struct program_file files[PROGRAM_FILES_MAX];
	u32 file_count;
	proc_mapping_fn each;
	void *context;
};

static bool is_known(const struct program *program, const struct stat *stat)
{
	for (u32 i = 0; i < program->file_count; i++)
		if (program->files[i].dev == stat->st_dev &&
		    program->files[i].inode == stat->st_ino)
			return true;
	return false;
}

static void add_needs(struct program *program, const struct elf_needs *needs, const char *path);

/* Adds the file and all that it needs. False: it is not there, or of another machine. */
static bool add_file(struct program *program, const char *path)
{
	_cleanup_(elf_needs_free) struct elf_needs needs = { 0 };
	_cleanup_close_ int fd = elf_file_open_path(0, path);
	struct stat stat;
	void *page;

	if (fd < 0 || fstat(fd, &stat) || elf_needs_read(&needs, fd) ||
	    (program->machine && needs.machine != program->machine))
		return false;
	if (is_known(program, &stat) || program->file_count == PROGRAM_FILES_MAX)
		return true;
	page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	if (page == MAP_FAILED)
		return true;
	program->machine = needs.machine;
	program->files[program->file_count++] =
		(struct program_file){ .dev = stat.st_dev, .inode = stat.st_ino, .page = page };
	add_needs(program, &needs, path);
	return true;
}

/* Adds FOLDER/NAME. @folder may begin with $ORIGIN, the folder of the file @origin. */
static bool add_in_folder(struct program *program, const char *folder, int length,
			  const char *origin, const char *name)
{
	const char *slash = strrchr(origin, '/');
	char path[PATH_MAX];
	int origin_length = 0, size;

	if (!strncmp(folder, ORIGIN, strlen(ORIGIN)) && slash) {
		origin_length = slash - origin;
		folder += strlen(ORIGIN);
		length -= strlen(ORIGIN);
	}
	size = snprintf(path, sizeof(path), "%.*s%.*s/%s", origin_length, origin, length, folder,
			name);
	return path[0] == '/' && size < (int)sizeof(path) && add_file(program, path);
}

/* Looks in a list of folders with colons between them. */
static bool add_in_folders(struct program *program, const char *folders, const char *origin,
			   const char *name)
{
	while (folders && *folders) {
		size_t length = strcspn(folders, ":");

		if (length < PATH_MAX && add_in_folder(program, folders, length, origin, name))
			return true;
		folders += length + (folders[length] == ':');
	}
	return false;
}

static bool add_from_cache(struct program *program, const char *name)
{
	const char *path = NULL;

	while ((path = library_cache_next(&program->cache, name, path)))
		if (add_file(program, path))
			return true;
	return false;
}

/* @path: the file that needs the library. */
static void add_library(struct program *program, const struct elf_needs *needs, const char *path,
			const char *name)
{
	if (strchr(name, '/')) {
		add_file(program, name);
		return;
	}
	(void)(add_in_folders(program, needs->folders, path, name) ||
	       add_in_folders(program, getenv("LD_LIBRARY_PATH"), "", name) ||
	       add_from_cache(program, name) || add_in_folders(program, LAST_FOLDERS, "", name));
}

static void add_needs(struct program *program, const struct elf_needs *needs, const char *path)
{
	if (needs->interpreter[0])
		add_file(program, needs->interpreter);
	for (u32 i = 0; i < needs->library_count; i++)
		add_library(program, needs, path, needs->libraries[i]);
}

static bool is_executable(const char *path)
{
	struct stat stat_of;

	return !stat(path, &stat_of) && S_ISREG(stat_of.st_mode) && !access(path, X_OK);
}

bool program_find(const char *command, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	char found[PATH_MAX];

	if (strchr(command, '/'))
		return is_executable(command) && realpath(command, path);
	if (!folders)
		folders = "/bin:/usr/bin";
	for (;;) {
		int length = strcspn(folders, ":");

		/* an empty name is the present folder */
		snprintf(found, sizeof(found), "%.*s%s%s", length, folders, length ? "/" : "./",
			 command);
		if (is_executable(found))
			return realpath(found, path);
		if (!folders[length])
			return false;
		folders += length + 1;
	}
}

bool program_find_interpreter(char path[PATH_MAX])
{
	_cleanup_close_ int fd = elf_file_open_path(0, path);
	char line[PATH_MAX];
	ssize_t bytes = fd < 0 ? -1 : pread(fd, line, sizeof(line) - 1, 0);
	const char *name = line + 2;

	if (bytes < 2 || memcmp(line, "#!", 2))
		return false;
	line[bytes] = '\0';
	name += strspn(name, " \t");
	snprintf(path, PATH_MAX, "%.*s", (int)strcspn(name, " \t\n"), name);
	return true;
}

/* Tells of a mapping of this process if it is of a file that was found, or the vDSO. */
static int tell(void *context, const struct proc_mapping *line)
{
	const struct program *program = context;
	bool wanted = !strcmp(line->path, "[vdso]");

	for (u32 i = 0; i < program->file_count && !wanted; i++)
		wanted = line->start == (uintptr_t)program->files[i].page;
	return wanted ? program->each(program->context, line) : 0;
}

void program_files(const char *command, proc_mapping_fn each, void *context)
{
	struct program program = { .each = each, .context = context };
	char path[PATH_MAX];

	if (!program_find(command, path))
		return;
	program_find_interpreter(path);
	library_cache_read(&program.cache, CACHE_PATH);
	add_file(&program, path);
	if (program.file_count)
		proc_maps_read_file("/proc/self/maps", true, tell, &program);
	for (u32 i = 0; i < program.file_count; i++)
		munmap(program.files[i].page, 1);
	library_cache_free(&program.cache);
}
