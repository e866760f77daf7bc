/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds and opens the files that processes map, and those that belong to them.
 * All of it is under the control of whoever owns the processes, so only
 * regular files are ever opened (to open a device or a pipe is an act of its
 * own), and links of a process's root lead nowhere but below it.
 */
#ifndef GAPP_READ_ELF_FILE_H
#define GAPP_READ_ELF_FILE_H

#include "object.h"

/*
 * Opens the file of an OBJECT_FILE or OBJECT_VDSO: below the root of its process, at its path, or
 * through the process's mappings if it was deleted. -1: it is not to be had, or is another file by
 * now.
 */
int elf_file_open(const struct object *object);

/* Opens any regular file by its absolute path; below the root of @pid, or ours if @pid is 0. */
int elf_file_open_path(pid_t pid, const char *path);

/*
 * Opens a copy of the vDSO, the code that the kernel maps into every process. All processes of the
 * same width have the same. -1: there is none.
 */
int vdso_open(void);

#endif /* GAPP_READ_ELF_FILE_H */
