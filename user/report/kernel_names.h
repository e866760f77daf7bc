/* SPDX-License-Identifier: GPL-2.0 */
/* Names of system calls, and of what else brings a thread into the kernel. */
#ifndef GAPP_READ_KERNEL_NAMES_H
#define GAPP_READ_KERNEL_NAMES_H

#include <gapp_record.h>

#include "util/util.h"

/* By number; NULL: no system call has it. scripts/syscall-names makes them when gapp-read is built.
 */
extern const char *const syscall_names[];
extern const unsigned int syscall_names_count;

#define KERNEL_NAME_SIZE 32

/*
 * Each returns the name of the system call @in, or of GAPP_IN_*: as JSON and scripts have it,
 * "openat", "page_faults", or in words, "page faults". A system call without a name, as it is newer
 * than the headers that gapp-read was built with, is "syscall_463". @buffer: of KERNEL_NAME_SIZE.
 */
const char *kernel_name(s32 in, char *buffer);
const char *kernel_words(s32 in, char *buffer);

#endif /* GAPP_READ_KERNEL_NAMES_H */
