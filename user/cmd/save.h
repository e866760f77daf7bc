/* SPDX-License-Identifier: GPL-2.0 */
/* The file that every recording is written to. */
#ifndef GAPP_READ_SAVE_H
#define GAPP_READ_SAVE_H

#include "capture.h"

/**
 * struct saving - a recording's file that is being written
 * @options: what was asked for
 * @name: of the file; NULL: as @options say
 * @fd: the file; -1: it is not open
 * @temporary: its name as long as it is not whole
 * @writer: writes its blocks
 * @failed: it cannot be written, with a complaint made
 */
struct saving {
	const struct options *options;
	const char *name;
	int fd;
	char *temporary;
	struct blocks_writer writer;
	bool failed;
};

#define SAVING_NONE      \
	{                \
		.fd = -1 \
	}

/* Opens the file, so that records can be written to it. A failure is told, and not fatal. */
void save_begin(struct saving *saving, const struct options *options);
/*
 * Writes the recording, and gives the file its name. Opens it first if nobody has. Returns 0, or -1
 * if a file that -o names cannot be written; gapp.data is a gift, which is only missed.
 */
int save_recording(struct saving *saving, const struct options *options, struct capture *capture,
		   const struct results *results);
/* Writes blocks. Returns 0, or -1 without memory. */
typedef int (*save_fn)(void *context, struct blocks_writer *writer);
/*
 * Writes what is no running recording, behind save_begin(), and gives the file its name. Returns 0,
 * or -1 with a complaint made.
 */
int save_whole(struct saving *saving, save_fn write, void *context);
/* Removes a file that has not got its name. */
void saving_free(struct saving *saving);

#endif /* GAPP_READ_SAVE_H */
