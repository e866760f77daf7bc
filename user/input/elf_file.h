/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds and opens the files that processes map, and their debug files. The owner of a process
 * controls its files, links and root folder. So only regular files are opened, because opening a
 * device or a pipe can have effects; and links below a process's root are resolved below that root.
 */
#ifndef GAPP_READ_ELF_FILE_H
#define GAPP_READ_ELF_FILE_H

#include "object.h"

/*
 * Opens the file of an OBJECT_FILE or OBJECT_VDSO: below the root of its process, at its path, or
 * through the process's mappings if it was deleted. -1: it cannot be opened, or its path leads to
 * another file by now.
 */
int elf_file_open(const struct object *object);

/* Opens any regular file by its absolute path; below the root of @pid, or ours if @pid is 0. */
int elf_file_open_path(pid_t pid, const char *path);

/*
 * Opens a copy of the vDSO, the code that the kernel maps into every process. All processes of one
 * word size have the same vDSO. -1: the reader has no vDSO.
 */
int vdso_open(void);

#endif /* GAPP_READ_ELF_FILE_H */
