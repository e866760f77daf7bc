/* SPDX-License-Identifier: GPL-2.0 */
/* Which NUMA node each CPU of a machine belongs to. */
#ifndef GAPP_READ_CPU_NODES_H
#define GAPP_READ_CPU_NODES_H

#include "data/pack.h"

/* Where the kernel tells it; a kernel without NUMA has no such folder. */
#define CPU_NODES_FOLDER "/sys/devices/system/node"
/* The node is not known. */
#define CPU_NODE_UNKNOWN 0xffffffffU
#define CPU_RANGES_MAX 8192U

/* CPUs of one node, one behind the other. */
struct cpu_range {
	u32 first;
	u32 count;
	u32 node;
};

/* In the order of CPUs; all zero: nothing is known. */
struct cpu_nodes {
	struct cpu_range *ranges;
	u32 count;
	u32 room;
};

/* @folder: CPU_NODES_FOLDER. Returns 0, or -1 without memory; that it is not told is no error. */
int cpu_nodes_read(struct cpu_nodes *nodes, const char *folder);
void cpu_nodes_free(struct cpu_nodes *nodes);

/* The node of a CPU, or CPU_NODE_UNKNOWN. */
u32 cpu_nodes_of(const struct cpu_nodes *nodes, u32 cpu);

void cpu_nodes_pack(const struct cpu_nodes *nodes, struct pack *pack);
/* What makes no sense, or finds no memory, sets @unpack->failed. */
void cpu_nodes_unpack(struct cpu_nodes *nodes, struct unpack *unpack);

#endif /* GAPP_READ_CPU_NODES_H */
