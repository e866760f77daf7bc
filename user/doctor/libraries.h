/* SPDX-License-Identifier: GPL-2.0 */
/* Libraries that the reader loads when it needs them, and perf's side-band. */
#ifndef GAPP_READ_DOCTOR_LIBRARIES_H
#define GAPP_READ_DOCTOR_LIBRARIES_H

#include "findings.h"
#include "system.h"

/**
 * struct helpers - what helps the reader
 * @capstone: what decodes code is there
 * @debuginfod: what asks servers for debug files is there
 * @servers: the environment names servers
 * @sideband: why perf does not tell of mappings; NULL: it does
 */
struct helpers {
	bool capstone;
	bool debuginfod;
	bool servers;
	const char *sideband;
};

void helpers_try(struct helpers *helpers);
void helpers_findings(struct findings *findings, const struct system *system,
		      const struct helpers *helpers, bool may_profile);

#endif /* GAPP_READ_DOCTOR_LIBRARIES_H */
