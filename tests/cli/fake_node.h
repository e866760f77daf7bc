/* SPDX-License-Identifier: GPL-2.0 */
/* What the linker makes of open() and ioctl() with --wrap; and what the parts of the node share. */
#ifndef GAPP_TESTS_FAKE_NODE_H
#define GAPP_TESTS_FAKE_NODE_H

#include <linux/types.h>

int __real_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
struct cpu_nodes;
int __real_cpu_nodes_read(struct cpu_nodes *nodes, const char *folder);
int __wrap_cpu_nodes_read(struct cpu_nodes *nodes, const char *folder);

/* The number of a word of GAPP_FAKE, or the other. */
__u64 fake_number(const char *key, __u64 otherwise);
/* A line of the log. */
void fake_note(const char *call, const char *detail);
/* -1, with an errno. */
int fake_refuse(int error);

#define FAKE_CPUS 2
#define FAKE_PAGE 4096
#define FAKE_PATHS 64
/* Of the process that all threads are of. */
#define FAKE_TGID 1000
/* The records that GAPP_FAKE asks for; and whether there are some that were not read. */
void fake_put_records(int node, __u64 begin_ns);
int fake_has_records(int node);
/* With "spin": a store into the word at that address, and the ends of the waits for it. */
void fake_put_store(int node, __u64 address, __u64 time_ns);

/* What is asked with LOAD_TABLE, DROP_TABLE and SET_MAPS. */
int fake_load_table(void *argument);
int fake_drop_table(void *argument);
int fake_set_maps(void *argument);

#endif /* GAPP_TESTS_FAKE_NODE_H */
