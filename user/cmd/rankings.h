/* SPDX-License-Identifier: GPL-2.0 */
/* The rankings of a report, from what was recorded just now or from a file. */
#ifndef GAPP_READ_RANKINGS_H
#define GAPP_READ_RANKINGS_H

#include "report/report.h"

/**
 * struct program - the file of -x
 * @path: its path; NULL: there is no -x
 * @dev: device of the file
 * @inode: inode of the file; 0: not known
 */
struct program {
	const char *path;
	dev_t dev;
	u64 inode;
};

/* Sets the rankings, the sums and the tree of @results. Returns 0, or -1 without memory. */
int rankings_make(struct profile *profile, struct symbols *symbols, const struct options *asked,
		  const struct program *program, struct results *results);

/* As rankings_make(), but only what is shown while the recording goes on. */
int rankings_make_few(struct profile *profile, struct symbols *symbols, const struct options *asked,
		      const struct program *program, struct results *results);

#endif /* GAPP_READ_RANKINGS_H */
