/* SPDX-License-Identifier: GPL-2.0 */
/* The executable memory of a process, with the tables of what is mapped there. */
#ifndef GAPP_LIVE_SPACE_H
#define GAPP_LIVE_SPACE_H

#include "live.h"

/**
 * struct space - a process's executable memory
 * @code: as the walk wants it
 * @names: of each, the file's path
 * @count: how many
 * @room: for how many
 */
struct space {
	struct gapp_unwind_mapping *code;
	const char **names;
	u32 count;
	u32 room;
};

/* What is mapped now. Tables are compiled once for each file. -1: out of memory, or it is gone. */
int space_read(struct space *space, pid_t pid);
void space_free(struct space *space);

/* The mapping that has @address, or -1. */
int space_find(const struct space *space, u64 address);
/* The rule for an address; NULL: there is no table. */
const struct gapp_rule *space_rule(const struct space *space, u64 address);
/* "FILE+0xADDRESS", as the file gives addresses. */
void space_name(const struct space *space, u64 address, char *to, size_t size);

/* The walk of the module's core. */
void space_walk(const struct space *space, const struct thread *thread, struct path *path);

/*
 * From now on every table compiled has wrong rules where the CFA is found by the stack pointer: a
 * test of the test.
 */
void space_break_tables(void);

/* Files that have a table, and all of these tables' bytes. */
void space_tables(u32 *files, u64 *bytes);
void space_drop_tables(void);

#endif /* GAPP_LIVE_SPACE_H */
