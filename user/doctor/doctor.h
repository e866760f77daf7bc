/* SPDX-License-Identifier: GPL-2.0 */
/* All checks of `gapp-read doctor`, and what is printed of them. */
#ifndef GAPP_READ_DOCTOR_H
#define GAPP_READ_DOCTOR_H

#include <stdio.h>

#include "findings.h"
#include "pause.h"

/**
 * struct doctor - what is to be looked at, and what was found
 * @root: the machine's files are below this path; "": this machine's
 * @programs: paths, or names in PATH
 * @program_count: elements of @programs
 * @pids: processes
 * @pid_count: elements of @pids
 * @symfs: as for symbols; or NULL
 * @findings: what was found
 * @pause: what was measured
 */
struct doctor {
	const char *root;
	const char *const *programs;
	size_t program_count;
	const pid_t *pids;
	size_t pid_count;
	const char *symfs;
	struct findings findings;
	struct pause_figures pause;
};

/* Looks at everything. Returns 0, or -1 without memory. */
int doctor_look(struct doctor *doctor);

void doctor_text(FILE *out, const struct doctor *doctor);
/* docs/schema/doctor.schema.json describes it. */
void doctor_json(FILE *out, const struct doctor *doctor);

/* Whether nothing stops gapp. */
bool doctor_is_well(const struct doctor *doctor);

#endif /* GAPP_READ_DOCTOR_H */
