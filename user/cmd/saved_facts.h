/* SPDX-License-Identifier: GPL-2.0 */
/* What a recording's file says of how it was recorded. */
#ifndef GAPP_READ_SAVED_FACTS_H
#define GAPP_READ_SAVED_FACTS_H

#include "data/blocks.h"
#include "input/cpu_nodes.h"
#include "rankings.h"

/**
 * struct facts - how a recording was made
 * @options: what was asked for, as far as it is about recording
 * @program: the file of -x
 * @version: version of the gapp-read that recorded
 * @kernel: release of the kernel
 * @machine: the kernel's word for the kind of processor
 * @time_s: when the recording ended, in seconds since 1970
 * @boot_id: the kernel's random name of the time since the machine started; NULL or "": not known
 * @pid_namespace: number of the pid namespace in which process ids are; 0: not known
 * @nodes: NUMA nodes of the machine's CPUs
 * @words: texts of @options and @program, allocated
 * @complete: they are whole
 */
struct facts {
	struct options options;
	struct program program;
	char *version;
	char *kernel;
	char *machine;
	u64 time_s;
	char *exe;
	char *kthreads;
	char *comm;
	char *cgroup;
	char *path;
	char *boot_id;
	u64 pid_namespace;
	char **command;
	size_t word_count;
	struct cpu_nodes nodes;
	bool complete;
};

void save_facts(const struct options *options, const struct program *program,
		const struct cpu_nodes *nodes, struct blocks_writer *writer);
/*
 * Those of recordings that were merged: @facts are the first one's, with another level and time of
 * the end; each process counts as a target of its own.
 */
void save_merged_facts(const struct facts *facts, enum gapp_level level, u64 time_s,
		       struct blocks_writer *writer);
/* Returns 0, or -1 without memory. */
int facts_read(struct facts *facts, struct blocks *blocks);
void facts_free(struct facts *facts);

#endif /* GAPP_READ_SAVED_FACTS_H */
