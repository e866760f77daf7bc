/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When the module unwound with mappings that were outdated: between the time at which a process
 * mapped something else at an address and the time at which the module got the new mappings.
 */
#ifndef GAPP_READ_OUTDATED_H
#define GAPP_READ_OUTDATED_H

#include <sys/types.h>

#include "util/util.h"

/* So many intervals are remembered, of all processes together. */
#define OUTDATED_MAX 4096
/* The module does not have the new mappings yet. */
#define OUTDATED_OPEN UINT64_MAX

struct outdated;

/* NULL: no memory. */
struct outdated *outdated_new(void);
void outdated_free(struct outdated *outdated);

/*
 * At @begin_ns process @pid mapped at @start what the module does not know. The module got the new
 * mappings at @end_ns; OUTDATED_OPEN: outdated_sent() ends the interval.
 */
void outdated_add(struct outdated *outdated, pid_t pid, u64 start, u64 length, u64 begin_ns,
		  u64 end_ns);

/* At @end_ns the module had all that the process had mapped until @begin_ns. */
void outdated_sent(struct outdated *outdated, pid_t pid, u64 begin_ns, u64 end_ns);

/*
 * Process @parent forked @pid at @time_ns: what was outdated in the parent is outdated in the child
 * until its mappings are sent. Returns whether anything was.
 */
bool outdated_fork(struct outdated *outdated, pid_t pid, pid_t parent, u64 time_ns);

/*
 * Address of the time since which nothing is outdated; OUTDATED_OPEN there: something is. Valid as
 * long as @outdated.
 */
const u64 *outdated_over(const struct outdated *outdated);

/* Whether any code of the process was outdated at any time from @begin_ns to @end_ns. */
bool outdated_any(const struct outdated *outdated, pid_t pid, u64 begin_ns, u64 end_ns);

/* Whether the code at @address was outdated at any time from @begin_ns to @end_ns. */
bool outdated_at(const struct outdated *outdated, pid_t pid, u64 address, u64 begin_ns, u64 end_ns);

#endif /* GAPP_READ_OUTDATED_H */
