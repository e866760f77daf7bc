/* SPDX-License-Identifier: GPL-2.0 */
/* Records as text, one by one: what `gapp-read script` prints. */
#ifndef GAPP_READ_SCRIPT_H
#define GAPP_READ_SCRIPT_H

#include <stdio.h>

#include <gapp_record.h>

#include "callpath/call_paths.h"
#include "symbol/symbols.h"

/**
 * script_record() - prints a record
 * @out: where to
 * @record: any; what is not known, or too short for its type, is one line that says so
 * @stacks: where its paths are
 * @symbols: names
 * @start_ns: CLOCK_MONOTONIC from which times count
 *
 * A head line: seconds, CPU, name, tid/tgid, type, and the fields as name=value; times in
 * nanoseconds. Under a slice or a wait, indented once, the path at its end, the kernel's frames
 * first, innermost first; under a slice its samples, "sample" with their fields and, indented
 * once more, their paths.
 *
 * Return: 0, or -1 without memory. Errors of @out are its own.
 */
int script_record(FILE *out, const struct gapp_record *record, struct call_paths *stacks,
		  struct symbols *symbols, u64 start_ns);

#endif /* GAPP_READ_SCRIPT_H */
