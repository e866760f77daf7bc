/* SPDX-License-Identifier: GPL-2.0 */
/* One cell of a table of RFC 4180. */
#ifndef GAPP_READ_CSV_CELL_H
#define GAPP_READ_CSV_CELL_H

#include <stdio.h>

/* A cell that a spreadsheet would take for a formula begins with an apostrophe. */
void csv_put_cell(FILE *out, const char *text);

#endif /* GAPP_READ_CSV_CELL_H */
