// SPDX-License-Identifier: GPL-2.0
#include "debuginfod.h"

#include <dlfcn.h>
#include <stdio.h>

#include "util/names.h"

#define LIBRARY DEBUGINFOD_LIBRARY
#define MIB (1024.0 * 1024)
/* Of the name of an object that is shown. */
#define NAME_BYTES 256
#define NAME_COLUMNS 40
/* Erases the line that the cursor is on. */
#define ERASE "\r\033[K"

typedef int (*progress_function)(void *client, long done, long all);

bool debuginfod_has_servers(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && urls[strspn(urls, " ")];
}

bool debuginfod_may_ask(bool asked, bool forbidden)
{
	return asked || (!forbidden && geteuid());
}

static void show_progress(struct debuginfod *debuginfod, long done, long all)
{
	char name[NAME_SAFE_SIZE(NAME_BYTES)];

	if (debuginfod->quiet || !isatty(STDERR_FILENO))
		return;
	name_safe(name, debuginfod->name, strnlen(debuginfod->name, NAME_BYTES), NAME_COLUMNS);
	fprintf(stderr, ERASE "debuginfod: %s", name);
	if (all > 0)
		fprintf(stderr, " %.1f of %.1f MiB", done / MIB, all / MIB);
	debuginfod->shown = true;
}

static void erase_progress(struct debuginfod *debuginfod)
{
	if (debuginfod->shown)
		fprintf(stderr, ERASE);
	debuginfod->shown = false;
}

/* libdebuginfod calls it again and again, and gives up unless it returns 0. */
static int go_on(void *client, long done, long all)
{
	void *(*get_data)(void *client);
	struct debuginfod *debuginfod;

	get_data = dlsym(RTLD_DEFAULT, "debuginfod_get_user_data");
	debuginfod = get_data ? get_data(client) : NULL;
	if (!debuginfod)
		return -1;
	show_progress(debuginfod, done, all);
	if (clock_ns() - debuginfod->begin_ns > DEBUGINFOD_NS)
		debuginfod->over = true;
	return debuginfod->over || (debuginfod->cancel && *debuginfod->cancel);
}

/* Loads the library. Its calls may not all be there in an old one. */
static bool start(struct debuginfod *debuginfod)
{
	void (*set_progress)(void *client, progress_function function);
	void (*set_data)(void *client, void *data);
	void *(*begin)(void);

	debuginfod->library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
	if (!debuginfod->library) {
		complain("DEBUGINFOD_URLS is set, but there is no " LIBRARY
			 ": install it (Debian: " DEBUGINFOD_PACKAGE "), or give --no-debuginfod");
		return false;
	}
	begin = dlsym(debuginfod->library, "debuginfod_begin");
	set_progress = dlsym(debuginfod->library, "debuginfod_set_progressfn");
	set_data = dlsym(debuginfod->library, "debuginfod_set_user_data");
	if (!begin || !set_progress || !set_data ||
	    !dlsym(debuginfod->library, "debuginfod_find_debuginfo"))
		return false;
	debuginfod->client = begin();
	if (!debuginfod->client)
		return false;
	set_data(debuginfod->client, debuginfod);
	set_progress(debuginfod->client, go_on);
	return true;
}

static struct debuginfod_file *find(const struct debuginfod *debuginfod, const void *id,
				    size_t size)
{
	for (u32 i = 0; i < debuginfod->count; i++) {
		if (build_id_is(&debuginfod->files[i].id, id, size))
			return (struct debuginfod_file *)&debuginfod->files[i];
	}
	return NULL;
}

const char *debuginfod_fetched(const struct debuginfod *debuginfod, const void *id, size_t size)
{
	const struct debuginfod_file *file = debuginfod ? find(debuginfod, id, size) : NULL;

	return file ? file->path : NULL;
}

/* Asks for a file that was not asked for before. */
static void fetch(struct debuginfod *debuginfod, struct debuginfod_file *file)
{
	int (*find_debuginfo)(void *client, const unsigned char *id, int size, char **path);
	int fd;

	find_debuginfo = dlsym(debuginfod->library, "debuginfod_find_debuginfo");
	fd = find_debuginfo(debuginfod->client, file->id.bytes, file->id.size, &file->path);
	if (fd >= 0)
		close(fd);
	else
		file->path = NULL;
}

bool debuginfod_ask(struct debuginfod *debuginfod, const void *id, size_t size, const char *name)
{
	struct debuginfod_file *file = find(debuginfod, id, size);

	if (file || debuginfod->over || debuginfod->count >= DEBUGINFOD_FILES_MAX ||
	    size > BUILD_ID_MAX || (debuginfod->cancel && *debuginfod->cancel))
		return false;
	if (!debuginfod->client && !start(debuginfod)) {
		debuginfod->over = true;
		return false;
	}
	if (!debuginfod->begin_ns)
		debuginfod->begin_ns = clock_ns();
	file = &debuginfod->files[debuginfod->count++];
	file->id.size = size;
	memcpy(file->id.bytes, id, size);
	debuginfod->name = name;
	show_progress(debuginfod, 0, 0);
	fetch(debuginfod, file);
	erase_progress(debuginfod);
	if (debuginfod->over)
		complain(
			"debuginfod: the servers took %llu s, and are not waited for any longer: what they sent is kept, --no-debuginfod asks none",
			DEBUGINFOD_NS / NSEC_PER_SEC);
	return file->path;
}

void debuginfod_free(struct debuginfod *debuginfod)
{
	void (*end)(void *client);

	for (u32 i = 0; i < debuginfod->count; i++)
		free(debuginfod->files[i].path);
	if (debuginfod->client) {
		end = dlsym(debuginfod->library, "debuginfod_end");
		if (end)
			end(debuginfod->client);
	}
	if (debuginfod->library)
		dlclose(debuginfod->library);
	*debuginfod = (struct debuginfod){ 0 };
}
