/* SPDX-License-Identifier: GPL-2.0 */
/* Compares a path that the module walked with what libdwfl says of a copy of the same stack. */
#ifndef GAPP_READ_VERIFY_H
#define GAPP_READ_VERIFY_H

#include <gapp.h>
#include <gapp_record.h>

#include "input/object.h"
#include "unwinder.h"

enum verify_verdict {
	VERIFY_EQUAL, /* from the innermost frame to the outermost */
	VERIFY_DIFFERS, /* in a frame, or the module's goes on where libdwfl's is whole */
	VERIFY_SHORTER, /* the module's has ended early, and says so; it is equal as far as it goes
			 */
	VERIFY_BEYOND, /* equal as far as the copy goes */
	VERIFY_GAVE_UP, /* equal as far as libdwfl goes, which finds no rule */
	VERIFY_UNCHECKED, /* one of the two has no path at all */
	VERIFY_VERDICTS,
};

/**
 * struct verify_path - one of two paths
 * @frames: addresses, innermost first
 * @count: how many
 */
struct verify_path {
	const u64 *frames;
	u16 count;
};

/*
 * @end: how the module's walk ended; @libdwfl_end: how libdwfl's did. @equal is set to the number
 * of frames, from the innermost on, that are.
 */
enum verify_verdict verify_compare(struct verify_path module, enum gapp_unwind_end end,
				   struct verify_path libdwfl, enum unwind_end libdwfl_end,
				   u16 *equal);

const char *verify_name(enum verify_verdict verdict);

/* Paths that did not agree, of which a few are kept: one for each place where they part. */
#define VERIFY_KEPT 8

/**
 * struct verify_case - two paths of one stack
 * @verdict: VERIFY_DIFFERS or VERIFY_SHORTER
 * @tgid: process
 * @end: enum gapp_unwind_end
 * @libdwfl_end: enum unwind_end
 * @equal: frames before they part
 * @count: frames of the module's path
 * @libdwfl_count: frames of libdwfl's
 * @times: so often they parted there
 * @places: the module's
 * @libdwfl_places: libdwfl's
 */
struct verify_case {
	enum verify_verdict verdict;
	pid_t tgid;
	u8 end;
	u8 libdwfl_end;
	u16 equal;
	u16 count;
	u16 libdwfl_count;
	u64 times;
	struct place places[GAPP_MAX_STACK];
	struct place libdwfl_places[GAPP_MAX_STACK];
};

/**
 * struct verify - what was compared
 * @verdicts: how many, by enum verify_verdict
 * @cases: of those that did not agree
 * @case_count: how many are kept
 */
struct verify {
	u64 verdicts[VERIFY_VERDICTS];
	struct verify_case *cases;
	size_t case_count;
};

void verify_free(struct verify *verify);

/* Counts, and keeps it if it should be. Returns 0, or -1 without memory. */
int verify_note(struct verify *verify, const struct verify_case *one);

#endif /* GAPP_READ_VERIFY_H */
