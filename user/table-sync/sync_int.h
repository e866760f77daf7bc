/* SPDX-License-Identifier: GPL-2.0 */
/* What teach.c and teach_pupils.c share. */
#ifndef GAPP_READ_TEACH_INT_H
#define GAPP_READ_TEACH_INT_H

#include "sync.h"
#include "mapping_set.h"

#define PUPIL_BUCKETS 1024
#define PUPILS_MAX 4096

/**
 * struct pupil - a process that the module is told of
 * @next: in its bucket
 * @pid: process id
 * @dirty: something may have changed
 * @due_ns: then it is told, if @dirty
 * @rests_ns: not before then
 * @asked_ns: likewise where only the module asks
 * @taught_ns: when it was told last; 0: only its parent was
 * @lessons: without a long pause between them
 * @begin_ns: when it was begun to find out what the module knows of it now
 * @end_ns: when the module knew that; 0: only its parent was told of
 * @before: what the module was told before that
 * @before_ns: when it was begun to find that out
 * @uses: what it maps, or, after a fork, what its parent did
 */
struct pupil {
	struct pupil *next;
	pid_t pid;
	bool dirty;
	u64 due_ns;
	u64 rests_ns;
	u64 asked_ns;
	u64 taught_ns;
	u32 lessons;
	u64 begin_ns;
	u64 end_ns;
	struct told before;
	u64 before_ns;
	struct code_uses uses;
};

/**
 * struct teach - all of them
 * @dev: the session
 * @codes: what they map
 * @lesson: mappings of the one that is told of
 * @stale: where it is noted when what the module was told was wrong
 * @every_exec: whoever executes a program may be one
 * @verbose: complain about what is not told
 * @off: the module does not want to know
 * @complained: it has been said why one was not told of
 * @buckets: by process id
 * @count: how many
 * @dirty: of them
 * @hand: bucket to begin with, so that each has its turn
 * @due_ns: when the next one is due; 0: none
 * @swept_ns: when it was last looked who has exited
 * @figures: what was done, but for those of @codes
 */
struct teach {
	struct device *dev;
	struct codes *codes;
	struct lesson lesson;
	struct stale *stale;
	bool every_exec;
	bool verbose;
	bool off;
	bool complained;
	struct pupil *buckets[PUPIL_BUCKETS];
	u32 count;
	u32 dirty;
	u32 hand;
	u64 due_ns;
	u64 swept_ns;
	struct teach_figures figures;
};

/* NULL: it is none. */
struct pupil *pupil_find(struct teach *teach, pid_t pid);
/* It becomes one. NULL: no process, or no memory. May forget others. */
struct pupil *pupil_get(struct teach *teach, pid_t pid);
/* Takes the one out that @link leads to. */
void pupil_drop(struct teach *teach, struct pupil **link);
void pupil_forget(struct teach *teach, pid_t pid);
/* Lets those go that have exited. */
void pupils_sweep(struct teach *teach, u64 now);

#endif /* GAPP_READ_TEACH_INT_H */
