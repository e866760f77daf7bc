/* SPDX-License-Identifier: GPL-2.0 */
/* The machine that is looked at: its files, and what it says of itself. */
#ifndef GAPP_READ_SYSTEM_H
#define GAPP_READ_SYSTEM_H

#include "util/util.h"

/**
 * struct system - a machine
 * @root: its files are below this path; "": this machine's
 * @release: release of its kernel
 * @build: what the kernel says of how it was built (uname -v)
 * @machine: its machine (uname -m)
 * @reader: path of the gapp-read that runs; NULL: not known
 */
struct system {
	const char *root;
	const char *release;
	const char *build;
	const char *machine;
	const char *reader;
};

/*
 * Reads a small text file, such as one of /proc and /sys, without the newline at its end; a longer
 * one is cut. False: it cannot be read, and @text is "".
 */
bool system_read(const struct system *system, const char *path, char *text, size_t size);
/* Reads a whole text file, to be freed. NULL: it cannot be read. */
char *system_read_all(const struct system *system, const char *path);
/* Whether there is a file of any kind at a path. */
bool system_has(const struct system *system, const char *path);
/* Whether there is none: one in a folder that may not be searched could be there. */
bool system_lacks(const struct system *system, const char *path);

/* Whether it is one of those that know no watched words, and whose loops nobody finds. */
bool system_is_aarch64(const struct system *system);

/*
 * The word in brackets of a text such as "none [integrity] confidentiality", which @text becomes.
 * False: there is none.
 */
bool chosen_word(char *text);

#endif /* GAPP_READ_SYSTEM_H */
