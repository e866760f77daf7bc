/* SPDX-License-Identifier: GPL-2.0 */
/* Records as text. Callers find write errors with ferror(). */
#ifndef GAPP_READ_SCRIPT_H
#define GAPP_READ_SCRIPT_H

#include <stdio.h>

#include "callpath/saved_paths.h"
#include "symbol/symbols.h"

/**
 * struct script - state of printing records
 * @out: the stream; its opener looks for write errors
 * @stacks: the call paths of records that the module gives; or NULL
 * @saved: those of records in a file
 * @symbols: names
 * @start_ns: CLOCK_MONOTONIC from which times count
 * @tgid: process of the record that is being printed
 * @begin_ns: the module took the record's paths at this time or later
 * @time_ns: time of the record
 *
 * The owner sets the members up to @start_ns.
 */
struct script {
	FILE *out;
	struct call_paths *stacks;
	const struct saved_paths *saved;
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
/* The same for a copy that was unwound before: @path is what it gave or was compared with. */
int script_unwound_copy(struct script *script, const struct gapp_record_stack_copy *copy, u32 path,
			enum verify_verdict verdict);
void script_need_mapping(struct script *script, const struct gapp_record_need_mapping *record);
void script_mark(struct script *script, const struct gapp_record_mark *mark);

#endif /* GAPP_READ_SCRIPT_H */
