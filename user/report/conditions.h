/* SPDX-License-Identifier: GPL-2.0 */
/* Conditions of --fail-if: "serial > 30%", "critical +10%", "place:rehash > 2s". */
#ifndef GAPP_READ_CONDITIONS_H
#define GAPP_READ_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>

struct results;

enum figure {
	FIGURE_SERIAL, /* time with one thread active */
	FIGURE_IDLE, /* time with none active */
	FIGURE_CRITICAL, /* time with few active */
	FIGURE_PLACE, /* critical time of the places of a name */
	FIGURE_FUNCTION, /* that of the functions of a name */
	FIGURE_WALL, /* run time */
	FIGURE_PARALLELISM, /* threads active on average */
	FIGURE_THREADS, /* threads that there were */
	FIGURE_COUNT,
};

enum condition_unit {
	UNIT_NONE,
	UNIT_PERCENT, /* of the run; of a change: of what it was before */
	UNIT_POINTS, /* of a change: percent of the run more */
	UNIT_NS,
};

enum compare {
	COMPARE_ABOVE,
	COMPARE_AT_LEAST,
	COMPARE_BELOW,
	COMPARE_AT_MOST,
	COMPARE_RISES, /* by more than */
	COMPARE_FALLS, /* by more than */
};

/**
 * struct condition - what is not to be
 * @text: as it was given
 * @figure: what is compared
 * @name: of FIGURE_PLACE and FIGURE_FUNCTION: in @text
 * @name_len: bytes of @name
 * @compare: how
 * @value: with what, in @unit; not negative
 * @unit: of @value
 */
struct condition {
	const char *text;
	enum figure figure;
	const char *name;
	size_t name_len;
	enum compare compare;
	double value;
	enum condition_unit unit;
};

static inline bool condition_is_change(const struct condition *condition)
{
	return condition->compare >= COMPARE_RISES;
}

/* Returns 0, or -1: it is no condition. @text must outlive it. */
int condition_parse(struct condition *condition, const char *text);

/* Whether a figure of @value, in the unit of the condition, is so. */
bool condition_holds(const struct condition *condition, double value);

/* In an error message: what a condition is. */
#define CONDITION_WANTED                                                      \
	"a figure, a comparison and a number with its unit, such as "         \
	"'serial > 30%', 'place:NAME >= 1.5s', 'parallelism < 4' or, of two " \
	"recordings, 'critical +10%'"

/*
 * Says on standard error which conditions hold. @before: what a change is to; NULL: there are no
 * changes among @conditions. Returns 0 if none holds, STATUS_CONDITION, or STATUS_FAILED with a
 * complaint made: the recording does not have the figure.
 */
int conditions_check(const struct condition *conditions, size_t count, const struct results *before,
		     const struct results *after);

#endif /* GAPP_READ_CONDITIONS_H */
