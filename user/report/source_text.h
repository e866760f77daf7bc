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

#endif /* GAPP_READ_SOURCE_TEXT_H */
