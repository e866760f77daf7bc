// SPDX-License-Identifier: GPL-2.0
#include "cpu_nodes.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>

#include "util/hash_index.h"

/* No kernel has CPUs or nodes with a higher number. */
#define NUMBER_MAX 0xfffffU

void cpu_nodes_free(struct cpu_nodes *nodes)
{
	free(nodes->ranges);
	*nodes = (struct cpu_nodes){ 0 };
}

static int add(struct cpu_nodes *nodes, u32 first, u32 last, u32 node)
{
	if (nodes->count >= CPU_RANGES_MAX || last > NUMBER_MAX || first > last)
		return 0;
	if (array_grow(&nodes->ranges, &nodes->room, nodes->count, sizeof(*nodes->ranges)))
		return -1;
	nodes->ranges[nodes->count++] = (struct cpu_range){ first, last - first + 1, node };
	return 0;
}

/* A number at *@at, which is set behind it. False: there is none. */
static bool take_number(const char **at, u32 *number)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)**at))
		return false;
	value = strtoul(*at, &end, 10);
	*at = end;
	*number = value;
	return value <= NUMBER_MAX;
}

/* As the kernel prints CPUs: "0-3,8,10-11". Returns 0, or -1 without memory. */
static int add_list(struct cpu_nodes *nodes, const char *list, u32 node)
{
	u32 first, last;

	while (take_number(&list, &first)) {
		last = first;
		if (*list == '-') {
			list++;
			if (!take_number(&list, &last))
				return 0;
		}
		if (add(nodes, first, last, node))
			return -1;
		list += *list == ',';
	}
	return 0;
}

static int add_node(struct cpu_nodes *nodes, const char *folder, const char *name, u32 node)
{
	_cleanup_free_ char *path = NULL, *line = NULL;
	size_t room = 0;
	FILE *file;
	int error;

	if (asprintf(&path, "%s/%s/cpulist", folder, name) < 0) {
		path = NULL;
		return -1;
	}
	file = fopen(path, "re");
	if (!file)
		return 0;
	error = getline(&line, &room, file) > 0 ? add_list(nodes, line, node) : 0;
	fclose(file);
	return error;
}

static int by_cpu(const void *a, const void *b)
{
	const struct cpu_range *x = a, *y = b;

	return compare_by(three_way(x->first, y->first), three_way(x->node, y->node));
}

int cpu_nodes_read(struct cpu_nodes *nodes, const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int error = 0;

	*nodes = (struct cpu_nodes){ 0 };
	while (dir && !error && (entry = readdir(dir))) {
		const char *at = entry->d_name + strlen("node");
		u32 node;

		if (!strncmp(entry->d_name, "node", strlen("node")) && take_number(&at, &node) &&
		    !*at)
			error = add_node(nodes, folder, entry->d_name, node);
	}
	if (dir)
		closedir(dir);
	if (nodes->count)
		qsort(nodes->ranges, nodes->count, sizeof(*nodes->ranges), by_cpu);
	return error;
}

u32 cpu_nodes_of(const struct cpu_nodes *nodes, u32 cpu)
{
	for (u32 i = 0; nodes && i < nodes->count; i++) {
		const struct cpu_range *range = &nodes->ranges[i];

		if (cpu >= range->first && cpu - range->first < range->count)
			return range->node;
	}
	return CPU_NODE_UNKNOWN;
}

void cpu_nodes_pack(const struct cpu_nodes *nodes, struct pack *pack)
{
	pack_u64(pack, nodes->count);
	for (u32 i = 0; i < nodes->count; i++) {
		pack_u64(pack, nodes->ranges[i].first);
		pack_u64(pack, nodes->ranges[i].count);
		pack_u64(pack, nodes->ranges[i].node);
	}
}

void cpu_nodes_unpack(struct cpu_nodes *nodes, struct unpack *unpack)
{
	u32 count = unpack_most(unpack, CPU_RANGES_MAX);

	for (u32 i = 0; i < count && !unpack->failed; i++) {
		u32 first = unpack_most(unpack, NUMBER_MAX);
		u32 cpus = unpack_most(unpack, NUMBER_MAX);
		u32 node = unpack_most(unpack, NUMBER_MAX);

		if (unpack->failed || !cpus || !unpack_keep(unpack, sizeof(*nodes->ranges)))
			break;
		unpack->failed = add(nodes, first, first + cpus - 1, node);
	}
}
