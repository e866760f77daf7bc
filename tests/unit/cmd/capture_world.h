/* SPDX-License-Identifier: GPL-2.0 */
/* Everything around capture.c, made up. */
#ifndef GAPP_TESTS_CAPTURE_WORLD_H
#define GAPP_TESTS_CAPTURE_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "cmd/capture.h"
#include "input/sideband.h"
#include "table-sync/outdated.h"

/**
 * struct world - what the parts around the capture do, and what they were told
 * @fill: per cent of the fullest ring
 * @records: that each drain has
 * @until: what the last drain was told
 * @drains: how many there were
 * @no_memory_after: records that can be taken in
 * @sideband_fails: the side-band has no memory
 * @bad_rings: the rings make no sense
 * @by_tables: stacks are walked by tables
 * @ready_fd: readable when tables are ready
 * @due_ns: when there is something to teach
 * @needmaps: that the next scan finds
 * @what: what came to be taught, in that order: 'a' attaching, 'e' an event, 'n' the module asked,
 *	'r' it was told, 's' all of it
 * @with_spins: all of it was to have the loops of small files
 * @tails: copies of stacks
 * @finished: times that all of these were finished
 * @named_again: times that generated code without a name was looked up again
 * @stale: by which stacks are cut
 * @kept: records that were written to the recording's file
 * @wakes: the side-band wakes the reader
 * @ranked: how the last ranking was asked for
 * @applied: times that mappings were brought up to a time
 * @spun_for: address of a word that each record's thread spins for; 0: it does not spin
 * @loses: records are lost at the end of a drain
 * @watched: the last word that was to be watched; all zero: none
 * @times_exactly: the device times loops exactly
 * @exact: the last loop that was to be timed exactly; all zero: none
 * @exact_asked: how often the module was asked
 * @exact_error: why it refuses, or 0
 * @replays: times that records were to be added up again
 * @each: called for events of the side-band
 * @context: its first argument
 */
struct world {
	unsigned int fill;
	unsigned int records;
	u64 until;
	unsigned int drains;
	unsigned int no_memory_after;
	bool sideband_fails;
	bool bad_rings;
	bool by_tables;
	int ready_fd;
	u64 due_ns;
	unsigned int needmaps;
	char what[64];
	bool with_spins;
	unsigned int copies;
	unsigned int finished;
	unsigned int named_again;
	const struct outdated *stale;
	unsigned int kept;
	bool wakes;
	struct profile_options ranked;
	unsigned int applied;
	u64 spun_for;
	bool loses;
	struct gapp_watch watched;
	bool times_exactly;
	struct gapp_exact exact;
	unsigned int exact_asked;
	int exact_error;
	unsigned int replays;
	void (*each)(void *context, const struct sideband_event *event);
	void *context;
};

extern struct world world;

#endif /* GAPP_TESTS_CAPTURE_WORLD_H */
