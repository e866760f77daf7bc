/* SPDX-License-Identifier: GPL-2.0 */
/* Debug files from the servers of DEBUGINFOD_URLS, by elfutils' libdebuginfod if it is installed.
 */
#ifndef GAPP_READ_DEBUGINFOD_H
#define GAPP_READ_DEBUGINFOD_H

#include "input/build_id.h"

#define DEBUGINFOD_LIBRARY "libdebuginfod.so.1"
/* Debian's package of it. */
#define DEBUGINFOD_PACKAGE "libdebuginfod1"

/* Files that servers are asked for at most, and the time that they have for all of them. */
#define DEBUGINFOD_FILES_MAX 32
#define DEBUGINFOD_NS (60 * NSEC_PER_SEC)

/**
 * struct debuginfod_file - a file that servers were asked for
 * @id: its build-id
 * @path: where it is now; NULL: no server has sent it
 */
struct debuginfod_file {
	struct build_id id;
	char *path;
};

/**
 * struct debuginfod - what was asked, and came
 * @cancel: as for symbols_new()
 * @quiet: without a word about what is sent
 * @library: handle of libdebuginfod; NULL: not needed yet
 * @client: its client
 * @begin_ns: when the servers were asked first; 0: not yet
 * @name: of the object that is asked for now
 * @shown: a line about it stands on the terminal
 * @over: the servers have used up their time, or there is no libdebuginfod
 */
struct debuginfod {
	const volatile bool *cancel;
	bool quiet;
	void *library;
	void *client;
	u64 begin_ns;
	const char *name;
	bool shown;
	bool over;
	struct debuginfod_file files[DEBUGINFOD_FILES_MAX];
	u32 count;
};

/* Whether the environment names servers. */
bool debuginfod_has_servers(void);

/*
 * Whether servers may be asked: they learn what runs here, so root must want it. @asked and
 * @forbidden: the user has said so.
 */
bool debuginfod_may_ask(bool asked, bool forbidden);

/*
 * Asks for the debug file of an object called @name, unless they were asked for it before. Takes as
 * long as DEBUGINFOD_NS. Returns whether a server has sent it.
 */
bool debuginfod_ask(struct debuginfod *debuginfod, const void *id, size_t size, const char *name);

/* Path of what was sent; NULL: it was not. */
const char *debuginfod_fetched(const struct debuginfod *debuginfod, const void *id, size_t size);

void debuginfod_free(struct debuginfod *debuginfod);

#endif /* GAPP_READ_DEBUGINFOD_H */
