// SPDX-License-Identifier: GPL-2.0
#include "table_trim.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>

#include "util/hash_index.h"

/* What is not finished by then never will be. */
#define UNFINISHED_SECONDS 3600
#define FILES_MAX 100000

/**
 * struct found - a file
 * @used: when, nanoseconds
 * @bytes: on disk
 * @name: in the folder
 */
struct found {
	s64 used;
	u64 bytes;
	char *name;
};

struct files {
	struct found *found;
	u32 count;
	u32 room;
	u64 bytes;
};

static bool is_unfinished(const char *name)
{
	return !strncmp(name, TABLE_UNFINISHED, sizeof(TABLE_UNFINISHED) - 1);
}

static void note(struct files *files, int folder, const char *name)
{
	struct stat stat;
	struct found found;

	if (fstatat(folder, name, &stat, AT_SYMLINK_NOFOLLOW) || !S_ISREG(stat.st_mode))
		return;
	if (is_unfinished(name)) {
		if (stat.st_mtim.tv_sec < time(NULL) - UNFINISHED_SECONDS)
			unlinkat(folder, name, 0);
		return;
	}
	found = (struct found){
		.used = stat.st_mtim.tv_sec * (s64)NSEC_PER_SEC + stat.st_mtim.tv_nsec,
		.bytes = stat.st_blocks * 512ULL,
	};
	/* some file systems keep small ones with the name, but not without end */
	if (found.bytes < TABLE_FILE_LEAST)
		found.bytes = TABLE_FILE_LEAST;
	if (array_grow(&files->found, &files->room, files->count, sizeof(found)))
		return;
	found.name = strdup(name);
	if (!found.name)
		return;
	files->found[files->count++] = found;
	files->bytes += found.bytes;
}

static int by_use(const void *a, const void *b)
{
	const struct found *one = a, *other = b;

	return one->used < other->used ? -1 : one->used > other->used;
}

void table_trim(int folder, u64 limit)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	struct files files = { 0 };
	struct dirent *entry;

	if (!stream) {
		if (copy >= 0)
			close(copy);
		return;
	}
	while (files.count < FILES_MAX && (entry = readdir(stream)))
		note(&files, folder, entry->d_name);
	if (files.count)
		qsort(files.found, files.count, sizeof(*files.found), by_use);
	for (u32 i = 0; i < files.count; i++) {
		if (files.bytes > limit && !unlinkat(folder, files.found[i].name, 0))
			files.bytes -= files.found[i].bytes;
		free(files.found[i].name);
	}
	free(files.found);
	closedir(stream);
}

void table_trim_written(int folder, struct table_room *room, u64 bytes)
{
	u64 before, after;

	bytes = (bytes + TABLE_FILE_LEAST - 1) & -(u64)TABLE_FILE_LEAST;
	/* to look at all files takes time: so for the first one, and then now and then */
	before = __atomic_fetch_add(&room->written, bytes, __ATOMIC_RELAXED);
	after = before + bytes;
	if (!before || before / room->every != after / room->every)
		table_trim(folder, room->bytes - room->every);
}
