// SPDX-License-Identifier: GPL-2.0
#include "trigger.h"

#include <ctype.h>
#include <string.h>

#define FOR " for "
#define FOR_MOST_NS (3600 * NSEC_PER_SEC)

/* Reads "100ms". Returns 0, or -1. */
static int parse_time(const char *text, u64 *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	double number;
	char *unit;

	if (!isdigit((unsigned char)*text) || text[strcspn(text, "xX")])
		return -1;
	number = strtod(text, &unit);
	unit += strspn(unit, " ");
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		const size_t len = strlen(units[i].name);

		if (strncmp(unit, units[i].name, len) || unit[len + strspn(unit + len, " ")] ||
		    !(number * units[i].ns <= FOR_MOST_NS))
			continue;
		*ns = number * units[i].ns + 0.5;
		return *ns < TRIGGER_STEP_LEAST_NS ? -1 : 0;
	}
	return -1;
}

/*
 * What a look at a session can tell, in a unit that does not depend on how long it takes. Critical
 * time is not in the status: it has the integral C, which is less with a threshold above one.
 */
static bool can_be_looked_at(const struct condition *condition)
{
	if (condition_is_change(condition))
		return false;
	switch (condition->figure) {
	case FIGURE_IDLE:
		return condition->unit == UNIT_PERCENT;
	case FIGURE_PARALLELISM:
	case FIGURE_THREADS:
		return true;
	default:
		return false;
	}
}

/*
 * The condition is parsed up to " for "; the text that it points to stays whole, as a message that
 * names the condition names all of it.
 */
int trigger_parse(struct trigger *trigger, const char *text)
{
	const char *at;
	char head[128];
	size_t len;

	text += strspn(text, " \t");
	at = strstr(text, FOR);
	len = at ? (size_t)(at - text) : strlen(text);
	*trigger = (struct trigger){ .text = text, .for_ns = TRIGGER_FOR_NS };
	if (len >= sizeof(head))
		return -1;
	memcpy(head, text, len);
	head[len] = '\0';
	if (condition_parse(&trigger->condition, head) || !can_be_looked_at(&trigger->condition))
		return -1;
	trigger->condition.text = text;
	trigger->condition.name = NULL;
	trigger->condition.name_len = 0;
	return at ? parse_time(at + strlen(FOR) + strspn(at + strlen(FOR), " "), &trigger->for_ns) :
		    0;
}

u64 trigger_step_ns(const struct trigger *trigger)
{
	u64 step_ns = trigger->for_ns / 10;

	if (step_ns < TRIGGER_STEP_LEAST_NS)
		return TRIGGER_STEP_LEAST_NS;
	return step_ns < TRIGGER_STEP_MOST_NS ? step_ns : TRIGGER_STEP_MOST_NS;
}

/* The figure between two looks, @span_ns apart, in the condition's unit. */
static double value_of(const struct condition *condition, const struct gapp_status *before,
		       const struct gapp_status *now, u64 span_ns)
{
	switch (condition->figure) {
	case FIGURE_IDLE:
		return 100 * (double)(now->idle_ns - before->idle_ns) / span_ns;
	case FIGURE_THREADS:
		return now->live;
	default:
		return (double)(now->s - before->s) / span_ns;
	}
}

bool trigger_look(struct trigger_state *state, const struct gapp_status *status, bool allowed)
{
	const struct condition *condition = &state->trigger->condition;
	const u64 span_ns = status->wall_ns - state->before.wall_ns;
	const struct gapp_status before = state->before;

	/* without any time nothing can have changed */
	if (!status->wall_ns || (state->begun && !span_ns))
		return false;
	state->before = *status;
	if (!state->begun) {
		state->begun = true;
		return false;
	}
	if (!condition_holds(condition, value_of(condition, &before, status, span_ns))) {
		state->held_ns = 0;
		state->fired = false;
		return false;
	}
	state->held_ns += span_ns;
	if (state->held_ns < state->trigger->for_ns || state->fired || !allowed)
		return false;
	state->fired = true;
	return true;
}
