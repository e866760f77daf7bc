/* SPDX-License-Identifier: GPL-2.0 */
/* A recording that is read from a file, such as gapp.data. */
#ifndef GAPP_READ_SAVED_H
#define GAPP_READ_SAVED_H

#include "report/report.h"

/* The file that a recording is written to, and read from if no other is named. */
#define SAVED_FILE "gapp.data"

struct saved;

/*
 * Reads a recording. @symfs: names are looked up again below this folder; NULL: they are not. NULL:
 * it cannot be used, with a complaint made; one is made of damage, too.
 */
struct saved *saved_open(const char *path, const char *symfs);
void saved_free(struct saved *saved);
static inline void cleanup_saved(struct saved **saved)
{
	saved_free(*saved);
}

#define _cleanup_saved_ _cleanup_(cleanup_saved)

/*
 * Sets @options to @asked, where what was asked for when the recording was made replaces all that
 * is about recording. Texts belong to @asked and @saved.
 */
void saved_options(const struct saved *saved, const struct options *asked, struct options *options);

/*
 * Ranks the recording by the @options that saved_options() made. The results must be freed before
 * the recording. May be called repeatedly. Returns 0, or -1 with a complaint made.
 */
int saved_rank(struct saved *saved, const struct options *options, struct results *results);

/* Prints the records of a file to @fd. Returns 0, or -1 with a complaint made. */
int saved_script(const char *path, const char *symfs, int fd);

#endif /* GAPP_READ_SAVED_H */
