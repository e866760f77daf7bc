/* SPDX-License-Identifier: GPL-2.0 */
/* Command lines of processes, which are read while the processes live. */
#ifndef GAPP_READ_COMMAND_LINES_H
#define GAPP_READ_COMMAND_LINES_H

#include "data/blocks.h"
#include "util/util.h"

struct command_lines;

struct command_lines *command_lines_new(void);
void command_lines_free(struct command_lines *lines);

/*
 * A process is worth its command line: reads it, unless it is known. @image: number of the address
 * space; after an exec the command line is another one. Without memory it stays unknown.
 */
void command_lines_note(struct command_lines *lines, pid_t pid, u32 image);

/*
 * The process has executed a program: reads its command line now, for it may have ended when its
 * first record is read. The caller tells of all that it executes from now on.
 */
void command_lines_executed(struct command_lines *lines, pid_t pid);

/* The words of a command line with spaces between them; NULL: not known. @lines may be NULL. */
const char *command_lines_find(const struct command_lines *lines, pid_t pid);

/* Writes all command lines to a recording's file. */
void command_lines_save(const struct command_lines *lines, struct blocks_writer *writer);
/* Reads them from such a file. NULL: no memory. */
struct command_lines *command_lines_read(struct blocks *blocks);
/* Adds those of other processes, of another file. Returns 0, or -1 without memory. */
int command_lines_read_more(struct command_lines *lines, struct blocks *blocks);

#endif /* GAPP_READ_COMMAND_LINES_H */
