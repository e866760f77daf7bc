/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_PAGE_DETAILS_H
#define GAPP_READ_PAGE_DETAILS_H

#include "report/report.h"

/*
 * Writes what the page shows besides the report and the timeline, as JSON: docs/design/page.md.
 * Returns 0, or -1 without memory. Callers find write errors with ferror().
 */
int page_details(FILE *out, const struct results *results, const struct options *options);

#endif /* GAPP_READ_PAGE_DETAILS_H */
