/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks, and all that they are made of, for each test. */
#ifndef GAPP_TESTS_STACKS_RIG_H
#define GAPP_TESTS_STACKS_RIG_H

#include "fake_rings.h"
#include "callpath/call_paths.h"

/* No process has such ids: the largest one that a kernel gives is 4194304. */
#define PID 5000001
#define OTHER 5000002

struct rig {
	struct fake_rings fake;
	struct rings *rings;
	struct objects *objects;
	struct maps *maps;
	struct outdated *stale;
	struct call_paths *paths;
};

static inline int set_up(void **state)
{
	static struct rig rig;

	fake_rings_make(&rig.fake);
	rig.rings = rings_new(rig.fake.fd, &rig.fake.layout);
	rig.objects = objects_new();
	rig.maps = maps_new(rig.objects);
	rig.stale = outdated_new();
	rig.paths = call_paths_new(rig.objects, rig.maps, rig.rings);
	*state = &rig;
	return rig.paths && rig.stale ? 0 : -1;
}

static inline int tear_down(void **state)
{
	struct rig *rig = *state;

	call_paths_free(rig->paths);
	outdated_free(rig->stale);
	maps_free(rig->maps);
	objects_free(rig->objects);
	rings_free(rig->rings);
	return 0;
}

#endif /* GAPP_TESTS_STACKS_RIG_H */
