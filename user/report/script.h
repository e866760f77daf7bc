/* SPDX-License-Identifier: GPL-2.0 */
/* Records as text, one by one: what `gapp-read script` prints. */
#ifndef GAPP_READ_SCRIPT_H
#define GAPP_READ_SCRIPT_H

#include <stdio.h>

#include <gapp_record.h>

#include "callpath/call_paths.h"
#include "symbol/symbols.h"

/**
 * struct script - what printing needs
 * @out: where to. Whoever opened it looks for errors
 * @stacks: where paths are
 * @symbols: names
 * @start_ns: CLOCK_MONOTONIC from which times count
 * @tgid: process of the record that is being printed
 * @begin_ns: that record's paths were taken not before then
 * @time_ns: time of that record
 *
 * The owner sets the members up to @start_ns.
 */
struct script {
	FILE *out;
	struct call_paths *stacks;
	struct symbols *symbols;
	u64 start_ns;
	s32 tgid;
	u64 begin_ns;
	u64 time_ns;
};

/*
 * Each prints a record of one type: a head line with seconds, CPU, name, tid/tgid and type, and the
 * fields as name=value; times are nanoseconds. Under a slice or a wait follows, indented once, the
 * path at its end, innermost first, the kernel's frames before the user's; under a slice its
 * samples, "sample" with their fields and, indented once more, their paths.
 *
 * Those that look up paths return 0, or -1 without memory.
 */
int script_slice(struct script *script, const struct gapp_record_slice *slice);
int script_wait(struct script *script, const struct gapp_record_wait *wait);
void script_lost(struct script *script, const struct gapp_record_lost *lost);
void script_wake(struct script *script, const struct gapp_record_wake *wake);
/* Prints the path that the copy finished, or what came of comparing it. */
int script_stack_copy(struct script *script, const struct gapp_record_stack_copy *copy);
void script_need_mapping(struct script *script, const struct gapp_record_need_mapping *record);

#endif /* GAPP_READ_SCRIPT_H */
