/* SPDX-License-Identifier: GPL-2.0 */
/* What is executable in a process, as the module is told it. */
#ifndef GAPP_READ_TEACH_LESSON_H
#define GAPP_READ_TEACH_LESSON_H

#include "sync_objects.h"
#include "sent.h"

/**
 * struct code_uses - objects that a process maps, each once
 * @codes: each counts it as a user
 * @count: how many
 * @room: for so many
 * @told: what the module was told to be where
 */
struct code_uses {
	struct code **codes;
	u32 count;
	u32 room;
	struct told told;
};

void code_uses_free(struct code_uses *uses, struct codes *codes);
/* The same for another process. 0, or -1 without memory: then there are none. */
int code_uses_copy(struct code_uses *to, const struct code_uses *from, struct codes *codes);

/**
 * struct lesson - mappings of a process; to be used again and again
 * @objects: where what is mapped is held
 * @codes: what is known of that
 * @number: of this reading
 * @pid: the process
 * @maps: executable mappings. Objects whose table is still being made are not among them, so that
 *	the module says what it misses; those that have none are, without
 * @count: how many
 * @room: for so many
 * @end: behind the last line that was read
 * @uses: objects, those without @maps too
 * @starved: there was no memory
 */
struct lesson {
	struct objects *objects;
	struct codes *codes;
	u64 number;
	pid_t pid;
	struct gapp_mapping *maps;
	u32 count;
	u32 room;
	u64 end;
	struct code_uses uses;
	bool starved;
};

/*
 * Reads /proc/PID/maps. 0, or -1 with errno set: ESRCH where the process has gone. The taker takes
 * @uses, or the next reading throws them away.
 */
int lesson_read(struct lesson *lesson, pid_t pid);
void lesson_free(struct lesson *lesson);

#endif /* GAPP_READ_TEACH_LESSON_H */
