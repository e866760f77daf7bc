/* SPDX-License-Identifier: GPL-2.0 */
/* Which files a command will map when it is executed, found before that. */
#ifndef GAPP_READ_PROGRAM_FILES_H
#define GAPP_READ_PROGRAM_FILES_H

#include <limits.h>

#include "proc_maps.h"

/* Files of one program that are found at most. */
#define PROGRAM_FILES_MAX 128

/*
 * Calls @each for each file that execvp() of @command and then ld.so will map: the program or its
 * interpreter, ld.so, libraries, and for the vDSO. @each gets device, inode and path as they will
 * stand in /proc/PID/maps; addresses are without meaning. What is not found where ld.so looks as a
 * rule is left out, so the caller must do without.
 */
void program_files(const char *command, proc_mapping_fn each, void *context);

/* Finds the command as execvp() does, and resolves links. False: it is not found. */
bool program_find(const char *command, char path[PATH_MAX]);
/* If the file is a script, sets @path to the program in its first line, and returns true. */
bool program_find_interpreter(char path[PATH_MAX]);

#endif /* GAPP_READ_PROGRAM_FILES_H */
