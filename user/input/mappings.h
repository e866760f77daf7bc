/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The executable mappings of one process, in the order of their addresses; none overlap. A list is
 * shared by a process and its children until one changes it. NULL is an empty list.
 */
#ifndef GAPP_READ_MAPPINGS_H
#define GAPP_READ_MAPPINGS_H

#include "object.h"

/* More than a process can have by default: vm.max_map_count is 65530. */
#define MAPPINGS_MAX 65536

/**
 * struct mapping - an executable mapping
 * @start: first address
 * @end: the address behind it
 * @offset: of @start in the file
 * @object: what is mapped, held
 */
struct mapping {
	u64 start;
	u64 end;
	u64 offset;
	struct object *object;
};

struct mappings;

struct mappings *mappings_share(struct mappings *mappings);
void mappings_release(struct mappings *mappings, struct objects *objects);
size_t mappings_count(const struct mappings *mappings);
const struct mapping *mappings_list(const struct mappings *mappings);

/* The mapping at @address, or NULL. */
const struct mapping *mappings_find(const struct mappings *mappings, u64 address);

/* Whether @mapping would give any known address another object or offset. */
bool mappings_replaces(const struct mappings *mappings, const struct mapping *mapping);

/*
 * Adds a mapping, which replaces those that it overlaps. The list takes over the caller's hold of
 * the object. Returns 0, or -1 without memory: then the object is released and the list unchanged.
 */
int mappings_put(struct mappings **mappings, struct objects *objects,
		 const struct mapping *mapping);
/* Adds only the parts of a mapping that overlap no other. Else like mappings_put(). */
int mappings_fill(struct mappings **mappings, struct objects *objects,
		  const struct mapping *mapping);

#endif /* GAPP_READ_MAPPINGS_H */
