// SPDX-License-Identifier: GPL-2.0
#include "shared_memory.h"

#include <stdio.h>
#include <string.h>

#include "proc_maps.h"

struct search {
	u64 address;
	enum shared_memory found;
	struct shared_place *place;
};

/* Lines are in the order of addresses. */
static int look_at(void *context, const struct proc_mapping *mapping)
{
	struct search *search = context;
	const char *path = mapping->path;

	if (search->address >= mapping->end)
		return 0;
	if (search->address < mapping->start || !mapping->shared)
		return -1;
	/* memory without a file is called like this device */
	if (!strcmp(path, "/dev/zero (deleted)"))
		path = "";
	search->found = SHARED_FILE;
	search->place->dev = mapping->dev;
	search->place->inode = mapping->inode;
	search->place->offset = mapping->offset + (search->address - mapping->start);
	snprintf(search->place->path, sizeof(search->place->path), "%s",
		 strncmp(path, "/memfd:", strlen("/memfd:")) ? path : path + 1);
	return -1;
}

enum shared_memory shared_memory_find(pid_t pid, u64 address, struct shared_place *place)
{
	struct search search = { .address = address, .found = SHARED_NOT, .place = place };
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	return proc_maps_read_file(path, true, look_at, &search) > 0 ? search.found :
								       SHARED_UNKNOWN;
}
