/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stand-in for /dev/gapp that feeds gapp-read (fed_node.c, in its process) and the program that
 * writes the records (reader.c, its command): what they share is in a file in memory, laid out as
 * the module would, which the command inherits.
 */
#ifndef GAPP_TESTS_BENCH_FED_H
#define GAPP_TESTS_BENCH_FED_H

#include <poll.h>
#include <signal.h>

#include <gapp.h>
#include <gapp_record.h>

#define FED_CPUS 4
#define FED_PAGE 4096
#define FED_TAIL_STRIDE 64
#define FED_SLOTS GAPP_DEFAULT_PATHS
#define FED_WORDS (FED_SLOTS * 32ULL)
#define FED_WORDS_AT (FED_SLOTS * sizeof(struct gapp_path))
#define FED_PATHS_BYTES (FED_WORDS_AT + FED_WORDS * sizeof(__u64))
#define FED_RING GAPP_DEFAULT_RING
#define FED_BYTES GAPP_MAP_RING(FED_CPUS)

/* In the environment: numbers of two files, the memory and an eventfd that wakes the reader. */
#define FED_MEMORY "GAPP_FED_MEMORY"
#define FED_WAKE "GAPP_FED_WAKE"

/* What the linker makes of these with --wrap. */
int __real_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		 const sigset_t *mask);

#endif /* GAPP_TESTS_BENCH_FED_H */
