/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_PROGRAM_NAME_H
#define GAPP_READ_PROGRAM_NAME_H

#include "input/command_lines.h"
#include "timeline/stays.h"

/*
 * The name of a thread's program: the first word of the process's command line, without folders, or
 * if that is not known the name of the process's first thread. UTF-8 to be freed; NULL: no memory.
 */
char *program_name(const struct command_lines *commands, const struct stays *stays, u32 thread);

#endif /* GAPP_READ_PROGRAM_NAME_H */
