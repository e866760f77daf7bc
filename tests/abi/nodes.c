// SPDX-License-Identifier: GPL-2.0
/* On a machine with several nodes each CPU's ring lies on the node of that CPU. */
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "groups.h"
#include "records.h"
#include "t.h"

#define RING_BYTES (256U << 10)
#define MAX_PAGES 4096
#define MAX_CPUS 64

/* The node of each CPU that is online, -1 of others. Returns the number of nodes. */
static unsigned int find_nodes(int *node_of)
{
	unsigned int cpu, node, nodes = 0;
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	for (int i = 0; i < MAX_CPUS; i++) {
		node_of[i] = -1;
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			continue;
		if (syscall(SYS_getcpu, &cpu, &node, NULL))
			t_die("getcpu");
		node_of[i] = node;
		if (node >= nodes)
			nodes = node + 1;
	}
	sched_setaffinity(0, sizeof(all), &all);
	return nodes;
}

/* How many pages of a mapping do not lie on the node. */
static size_t elsewhere(const u8 *map, size_t bytes, int node)
{
	const size_t page = sysconf(_SC_PAGESIZE), count = bytes / page;
	static void *pages[MAX_PAGES];
	static int status[MAX_PAGES];
	size_t bad = 0;

	if (count > MAX_PAGES)
		t_die("MAX_PAGES");
	for (size_t i = 0; i < count; i++)
		pages[i] = (void *)(map + i * page);
	/* without nodes to move to, it tells where the pages are */
	if (syscall(SYS_move_pages, 0, count, pages, NULL, status, 0))
		t_die("move_pages");
	for (size_t i = 0; i < count; i++)
		bad += status[i] != node;
	return bad;
}

static void check_rings(const int *node_of)
{
	struct gapp_config config = t_config(GAPP_LEVEL_CRITICAL);
	struct gapp_layout layout;
	u8 *map;
	int fd;

	config.ring_bytes = RING_BYTES;
	fd = t_session(&config);
	r_layout(fd, &layout);
	for (unsigned int cpu = 0; cpu < layout.cpus && cpu < MAX_CPUS; cpu++) {
		char name[64];
		size_t bad;

		if (node_of[cpu] < 0)
			continue;
		map = mmap(NULL, layout.ring_map_bytes, PROT_READ, MAP_SHARED, fd,
			   GAPP_MAP_RING(cpu));
		if (map == MAP_FAILED)
			t_die("mmap of a ring");
		bad = elsewhere(map, layout.ring_map_bytes, node_of[cpu]);
		snprintf(name, sizeof(name), "the ring of CPU %u lies on node %d", cpu,
			 node_of[cpu]);
		t_check(!bad, name, "%zu pages do not", bad);
		munmap(map, layout.ring_map_bytes);
	}
	close(fd);
}

void nodes_rings(void)
{
	int node_of[MAX_CPUS];

	if (find_nodes(node_of) < 2) {
		t_skip("each CPU's ring lies on its node", "this machine has one node");
		return;
	}
	check_rings(node_of);
}
