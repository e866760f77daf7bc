/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When the module walked by what it had been told of code that was no longer
 * there: between the time at which a process mapped something else in its place
 * and the time at which the module was told so.
 */
#ifndef GAPP_READ_STALE_H
#define GAPP_READ_STALE_H

#include <sys/types.h>

#include "util/util.h"

/* The last ones are remembered. */
#define STALE_MAX 4096
/* The module does not know it yet. */
#define STALE_OPEN UINT64_MAX

struct stale;

/* NULL: no memory. */
struct stale *stale_new(void);
void stale_free(struct stale *stale);

/*
 * The process mapped what the module did not know at @start, until @end_ns; STALE_OPEN: until
 * stale_told(), as well as where it still does not know something else of the process.
 */
void stale_add(struct stale *stale, pid_t pid, u64 start, u64 length, u64 begin_ns, u64 end_ns);

/* By @end_ns the module knew all that the process had mapped until @begin_ns. */
void stale_told(struct stale *stale, pid_t pid, u64 begin_ns, u64 end_ns);

/* What was stale at the fork is so in the child, until it is told of. True: there is something. */
bool stale_fork(struct stale *stale, pid_t pid, pid_t parent, u64 time_ns);

/* Where it says when all that was stale was so no longer; STALE_OPEN: something is. */
const u64 *stale_over(const struct stale *stale);

/* Quickly: false where there is nothing of the process that overlaps this time. */
bool stale_any(const struct stale *stale, pid_t pid, u64 begin_ns, u64 end_ns);

/* Whether code at @address was stale at any time from @begin_ns to @end_ns. */
bool stale_at(const struct stale *stale, pid_t pid, u64 address, u64 begin_ns, u64 end_ns);

#endif /* GAPP_READ_STALE_H */
