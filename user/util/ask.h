/* SPDX-License-Identifier: GPL-2.0 */
/* Asks a command of the system, which must answer soon. */
#ifndef GAPP_READ_ASK_H
#define GAPP_READ_ASK_H

#include "util.h"

/*
 * Runs a program with its arguments, NULL terminated, and with none of our environment, and sets
 * @line to the first line that it prints, without the newline. It is killed after @most_ns. False:
 * it does not exist, printed nothing, or took too long.
 */
bool ask(const char *const *command, u64 most_ns, char *line, size_t size);

#endif /* GAPP_READ_ASK_H */
