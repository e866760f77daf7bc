/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of two rankings in pairs. Rows are the same by the names of their functions, not by
 * addresses, so that a program that was compiled again has the same rows.
 */
#ifndef GAPP_READ_CHANGES_H
#define GAPP_READ_CHANGES_H

#include "report.h"

/**
 * struct change - a row of either ranking, or of both
 * @before: of the earlier one; NULL: it has none
 * @after: of the later one; NULL: it has none
 * @before_percent: critical time of @before, of its run: critical seconds a second
 * @after_percent: that of @after
 */
struct change {
	const struct ranked *before;
	const struct ranked *after;
	double before_percent;
	double after_percent;
};

static inline double change_points(const struct change *change)
{
	return change->after_percent - change->before_percent;
}

/* The row that names a change: the later one if there is one. */
static inline const struct ranked *change_row(const struct change *change)
{
	return change->after ? change->after : change->before;
}

/**
 * struct changes - the rows of two rankings
 * @rows: each row of both, in pairs where they are the same
 * @count: elements of @rows
 */
struct changes {
	struct change *rows;
	size_t count;
};

/**
 * struct two - two recordings
 * @before: the earlier one
 * @after: the later one
 */
struct two {
	const struct results *before;
	const struct results *after;
};

/* Finds the pairs of rows by @by, the largest change first. Returns 0, or -1 without memory. */
int changes_find(struct changes *changes, const struct two *two, enum by by);
void changes_free(struct changes *changes);
#define _cleanup_changes_ _cleanup_(changes_free)

/* The ranking by @by, which results have if they were asked for it. */
const struct ranking *results_ranking(const struct results *results, enum by by);

#endif /* GAPP_READ_CHANGES_H */
