/* SPDX-License-Identifier: GPL-2.0 */
/* Text of source lines. */
#ifndef GAPP_READ_SOURCE_TEXT_H
#define GAPP_READ_SOURCE_TEXT_H

#include "report.h"

/* Bytes of a line that are kept, with the NUL. */
#define SOURCE_TEXT_SIZE 512

/*
 * Reads a line of a source file, as debug information names it, without the blanks around it. It is
 * looked up below each folder of --source-path, by as much of its path as is there, and else at its
 * own path. Root does not do the latter: whoever made the program chose that path. False: there is
 * no such file, or the line is empty.
 */
bool source_text(char text[SOURCE_TEXT_SIZE], const struct options *options, const char *file,
		 u32 line);

/* Takes a line of a source file, without its end; @length: bytes. */
typedef void (*source_line_fn)(void *context, u32 line, const char *text, size_t length);

/*
 * As source_text(), of all lines from @first to @last that the file has, as they are there. Returns
 * how many it has.
 */
u32 source_lines(const struct options *options, const char *file, u32 first, u32 last,
		 source_line_fn take, void *context);

#endif /* GAPP_READ_SOURCE_TEXT_H */
