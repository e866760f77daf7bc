/* SPDX-License-Identifier: GPL-2.0 */
/* The condition of --when, "parallelism < 2 for 100ms", and whether it holds as time goes on. */
#ifndef GAPP_READ_TRIGGER_H
#define GAPP_READ_TRIGGER_H

#include <gapp.h>

#include "conditions.h"
#include "util/util.h"

/* For how long a condition must hold if --when does not say it. */
#define TRIGGER_FOR_NS (NSEC_PER_SEC / 10)
/* The figure is looked at ten times in that time, but no more often and no more seldom than so. */
#define TRIGGER_STEP_LEAST_NS (NSEC_PER_SEC / 100)
#define TRIGGER_STEP_MOST_NS NSEC_PER_SEC

/**
 * struct trigger - a condition that is to hold for some time
 * @text: as it was given; NULL: there is none
 * @condition: what is compared: a figure of FIGURE_PARALLELISM, _CRITICAL, _IDLE or _THREADS
 * @for_ns: for how long it is to hold
 */
struct trigger {
	const char *text;
	struct condition condition;
	u64 for_ns;
};

/* In an error message: what a trigger is. */
#define TRIGGER_WANTED                                                          \
	"a figure (parallelism, idle or threads), a comparison, a number, and " \
	"for how long, such as 'parallelism < 2 for 100ms' or 'idle > 50% for 1s'"

/* Returns 0, or -1: it is none. @text must outlive @trigger. */
int trigger_parse(struct trigger *trigger, const char *text);

/* From one look at the figure to the next. */
u64 trigger_step_ns(const struct trigger *trigger);

/**
 * struct trigger_state - how long a condition has held
 * @trigger: the condition
 * @before: the session when it was looked at last; @begun is false: not yet
 * @held_ns: for how long it has held without a break
 * @fired: it has been said that it holds, and it has not failed since
 */
struct trigger_state {
	const struct trigger *trigger;
	struct gapp_status before;
	bool begun;
	u64 held_ns;
	bool fired;
};

/*
 * Looks at the figures of a session with one target. The figure is an average since the look
 * before. True, once until it has failed in between: it has held for long enough. @allowed: false:
 * it is not said now, but later if it still holds.
 */
bool trigger_look(struct trigger_state *state, const struct gapp_status *status, bool allowed);

/* Whether it held at the last look. */
static inline bool trigger_holds(const struct trigger_state *state)
{
	return state->held_ns;
}

#endif /* GAPP_READ_TRIGGER_H */
