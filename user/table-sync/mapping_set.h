/* SPDX-License-Identifier: GPL-2.0 */
/* The executable mappings of a process, as table sync sends them to the module. */
#ifndef GAPP_READ_MAPPING_SET_H
#define GAPP_READ_MAPPING_SET_H

#include "input/proc_maps.h"
#include "input/sideband.h"
#include "object_tables.h"

/**
 * struct sent_range - a range of a process's memory, and the file that the module has for it
 * @begin: first address
 * @end: first address behind the range
 * @dev: the file's device; 0: no file is mapped
 * @inode: the file's inode; 0: no file is mapped
 * @bias: where the file's first byte would be; 0: no file is mapped
 */
struct sent_range {
	u64 begin;
	u64 end;
	dev_t dev;
	u64 inode;
	u64 bias;
};

/**
 * struct sent - what the module was sent of one process
 * @ranges: in the order of addresses, without overlap
 * @count: ranges
 * @room: ranges that @ranges has memory for
 * @anything: the ranges were too many to remember, so @ranges lacks some
 */
struct sent {
	struct sent_range *ranges;
	u32 count;
	u32 room;
	bool anything;
};

void sent_free(struct sent *sent);
/* Adds a mapping, whose addresses are above those of all ranges. */
void sent_add(struct sent *sent, const struct proc_mapping *line);
void sent_copy(struct sent *to, const struct sent *from);

/* Whether the module may have something else where @event, an mmap, maps a file. */
bool sent_differs(const struct sent *sent, const struct sideband_event *event);

/**
 * struct mapped - what a process maps
 * @tables: its objects, each once; the process is counted among their users
 * @count: objects
 * @room: objects that @tables has memory for
 * @sent: the ranges
 */
struct mapped {
	struct object_table **tables;
	u32 count;
	u32 room;
	struct sent sent;
};

void mapped_free(struct mapped *mapped, struct object_tables *tables);
/* Returns 0, or -1 without memory: then @to is empty but for its ranges. */
int mapped_copy(struct mapped *to, const struct mapped *from, struct object_tables *tables);
/* Counts the process among the users of @table. Returns 0, or -1 without memory. */
int mapped_add(struct mapped *mapped, struct object_table *table, struct object_tables *tables);
/* Moves the objects, but not the ranges. */
void mapped_take_tables(struct mapped *to, struct mapped *from, struct object_tables *tables);
/* Whether it is decided of all objects if the module has an unwind table. */
bool mapped_is_settled(const struct mapped *mapped);
/* Whether that was decided of any object lately, or a spin table of one was loaded. */
bool mapped_has_fresh(const struct mapped *mapped);

/**
 * struct mapping_set - the mappings of the process that was read last
 * @tables: the tables of mapped objects
 * @number: number of the present reading of /proc/PID/maps
 * @pid: that process
 * @mappings: executable mappings. A mapping whose object has no table is in it without a table. One
 *	whose object's unwind table is still being made is left out, so that the module asks for it
 * @count: mappings
 * @room: mappings that @mappings has memory for
 * @end: end of the mapping that was read last
 * @mapped: all objects that the process maps
 * @starved: there was no memory
 */
struct mapping_set {
	struct object_tables *tables;
	u64 number;
	pid_t pid;
	struct gapp_mapping *mappings;
	u32 count;
	u32 room;
	u64 end;
	struct mapped mapped;
	bool starved;
};

/*
 * Reads /proc/PID/maps. Returns 0, or -1 with errno set; ESRCH: the process has exited. A caller
 * that wants to keep @mapped moves it elsewhere, because the next reading frees it.
 */
int mapping_set_read(struct mapping_set *set, pid_t pid);
void mapping_set_free(struct mapping_set *set);

#endif /* GAPP_READ_MAPPING_SET_H */
