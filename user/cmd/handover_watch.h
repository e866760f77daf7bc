/* SPDX-License-Identifier: GPL-2.0 */
/* Handovers of a recording that goes on: their addresses are looked up while they are mapped. */
#ifndef GAPP_READ_HANDOVER_WATCH_H
#define GAPP_READ_HANDOVER_WATCH_H

#include "input/device.h"
#include "input/maps.h"
#include "report/handovers.h"
#include "report/report.h"

/**
 * struct handover_watch - what is known of handovers
 * @rows: as the module gave them last
 * @count: elements of @rows
 * @codes: what is at their addresses
 * @paths: call paths of threads
 * @handovers: what they come to; NULL: not made yet
 */
struct handover_watch {
	struct gapp_handover *rows;
	size_t count;
	struct entry_codes codes;
	struct thread_paths paths;
	struct handovers *handovers;
};

void handover_watch_free(struct handover_watch *watch);

/* Notes where a slice ended, which the profile has been given. Returns 0, or -1 without memory. */
int handover_watch_slice(struct handover_watch *watch, struct profile *profile,
			 const struct gapp_record_slice *slice);

/*
 * Looks at all handovers so far, if the session counts them. Returns 0, or -1 with a complaint
 * made.
 */
int handover_watch_look(struct handover_watch *watch, struct device *dev, struct maps *maps);

/* After the last look, and after all rankings. Returns 0, or -1 without memory. */
int handover_watch_make(struct handover_watch *watch, struct profile *profile,
			struct symbols *symbols, const struct options *options,
			const struct model *model);

#endif /* GAPP_READ_HANDOVER_WATCH_H */
