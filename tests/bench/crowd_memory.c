// SPDX-License-Identifier: GPL-2.0
/* Kernel memory with and without sessions. */
#include "crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTLE_NS (200 * NSEC_PER_MSEC)

/**
 * struct memory - of the kernel, bytes
 * @unreclaimable: slabs, and blocks of pages that kmalloc() gave
 * @vmalloc: mapped one by one
 * @vmalloc_gapp: those of them that the module asked for
 * @percpu: per-CPU memory
 * @free: nobody has
 */
struct memory {
	long long unreclaimable;
	long long vmalloc;
	long long vmalloc_gapp;
	long long percpu;
	long long free;
};

static FILE *open_list(const char *path)
{
	FILE *file = fopen(path, "r");

	if (!file)
		t_die(path);
	return file;
}

static void read_meminfo(struct memory *memory)
{
	FILE *file = open_list("/proc/meminfo");
	char *line = NULL;
	size_t room = 0;
	long long kb;

	while (getline(&line, &room, file) > 0) {
		if (sscanf(line, "SUnreclaim: %lld", &kb) == 1)
			memory->unreclaimable = kb * 1024;
		else if (sscanf(line, "VmallocUsed: %lld", &kb) == 1)
			memory->vmalloc = kb * 1024;
		else if (sscanf(line, "Percpu: %lld", &kb) == 1)
			memory->percpu = kb * 1024;
		else if (sscanf(line, "MemFree: %lld", &kb) == 1)
			memory->free = kb * 1024;
	}
	fclose(file);
	free(line);
}

/*
 * Lines are: BEGIN-END BYTES CALLER+OFFSET/SIZE [MODULE] pages=... ; a guard page is in the bytes.
 * What the module maps itself, the rings, has "vmap" there, and is not in VmallocUsed.
 */
static void read_vmallocinfo(struct memory *memory)
{
	FILE *file = open_list("/proc/vmallocinfo");
	char *line = NULL, *pages;
	long long bytes;
	size_t room = 0;

	while (getline(&line, &room, file) > 0) {
		pages = strstr(line, " [gapp] pages=");
		if (pages)
			memory->vmalloc_gapp += 4096 * atoll(pages + strlen(" [gapp] pages="));
		if (!strstr(line, " [gapp] vmap") || sscanf(line, "%*s %lld", &bytes) != 1)
			continue;
		memory->vmalloc += bytes - 4096;
		memory->vmalloc_gapp += bytes - 4096;
	}
	fclose(file);
	free(line);
}

static void take(struct memory *memory)
{
	memset(memory, 0, sizeof(*memory));
	t_sleep(SETTLE_NS);
	read_meminfo(memory);
	read_vmallocinfo(memory);
}

void crowd_memory(const struct crowd *crowd)
{
	struct memory before, with, after;
	struct gapp_status status;
	struct sessions sessions;
	struct people people;

	people_make(&people, crowd);
	for (u32 i = 0; i < crowd->pairs; i++) {
		take(&before);
		sessions_open(&sessions, crowd, people.target.pid);
		sessions_start(&sessions);
		people_run(&people);
		take(&with);
		t_status(sessions.fds[0], &status);
		sessions_stop(&sessions);
		sessions_close(&sessions);
		take(&after);
		printf("{\"name\": \"%s\", \"pair\": %u, \"live\": %u, \"unreclaimable\": %lld, \"vmalloc\": %lld, \"vmalloc_gapp\": %lld, \"percpu\": %lld, \"free\": %lld, \"left\": %lld}\n",
		       crowd->name, i, status.live, with.unreclaimable - before.unreclaimable,
		       with.vmalloc - before.vmalloc, with.vmalloc_gapp - before.vmalloc_gapp,
		       with.percpu - before.percpu, before.free - with.free,
		       before.free - after.free);
		fflush(stdout);
	}
	people_kill(&people);
}
