/* SPDX-License-Identifier: GPL-2.0 */
/* Commands that install what is missing, with the names that the machine's distribution has. */
#ifndef GAPP_READ_PACKAGES_H
#define GAPP_READ_PACKAGES_H

#include "system.h"

/* Bytes of a command. */
#define PACKAGE_COMMAND 256
#define PACKAGE_BEFORE (PACKAGE_COMMAND + 4)

enum package {
	PACKAGE_HEADERS, /* of the running kernel */
	PACKAGE_CAPSTONE,
	PACKAGE_DEBUGINFOD,
	PACKAGE_MOKUTIL,
	PACKAGE_OPENSSL,
	PACKAGE_KERNEL, /* the newest that the distribution has */
	PACKAGE_MODULE, /* gapp-dkms of this reader's version, in the folder that has its file */
};

#define PACKAGE_COUNT (PACKAGE_MODULE + 1)

/*
 * False: the machine has no package manager, or no such package, that is known here, and @command
 * is "".
 */
bool package_command(const struct system *system, enum package package,
		     char command[PACKAGE_COMMAND]);
/* The command that installs a program of that package, and " && "; "" if the program is there. */
void package_before(const struct system *system, const char *program, enum package package,
		    char before[PACKAGE_BEFORE]);

/*
 * Whether the gapp-read that runs is that of the package gapp: where it is installed, there are no
 * sources of gapp to call make in.
 */
bool reader_is_packaged(const struct system *system);

#endif /* GAPP_READ_PACKAGES_H */
