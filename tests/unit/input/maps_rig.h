/* SPDX-License-Identifier: GPL-2.0 */
/* Maps for each test, and what it asks of them. */
#ifndef GAPP_TESTS_MAPS_RIG_H
#define GAPP_TESTS_MAPS_RIG_H

#include <sys/sysmacros.h>
#include <unistd.h>

#include "made_up.h"
#include "input/maps.h"

/* No process has such ids: the largest one that a kernel gives is 4194304. */
#define PID 5000001
#define OTHER 5000002

#define DISK makedev(8, 1)

struct rig {
	struct objects *objects;
	struct maps *maps;
};

static inline int set_up(void **state)
{
	static struct rig rig;

	rig.objects = objects_new();
	rig.maps = rig.objects ? maps_new(rig.objects) : NULL;
	*state = &rig;
	return rig.maps ? 0 : -1;
}

static inline int tear_down(void **state)
{
	struct rig *rig = *state;

	maps_free(rig->maps);
	objects_free(rig->objects);
	return 0;
}

static inline struct maps *maps_of(void **state)
{
	return ((struct rig *)*state)->maps;
}

static inline void map(struct maps *maps, pid_t pid, u64 start, u64 length, u64 offset,
		       const char *path)
{
	maps_mmap(maps, pid, start, length, offset, DISK, 7, path);
}

/* "name+offset", name "-" if nothing is known */
static inline void is_at(struct maps *maps, pid_t pid, u64 address, const char *name, u64 offset)
{
	struct code_address place = maps_find(maps, pid, address);
	const char *found = place.object->kind == OBJECT_UNKNOWN ? "-" : place.object->name;

	if (strcmp(found, name) || place.offset != offset)
		fail_msg("%#llx is at %s+%#llx, not %s+%#llx", (unsigned long long)address, found,
			 (unsigned long long)place.offset, name, (unsigned long long)offset);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif /* GAPP_TESTS_MAPS_RIG_H */
