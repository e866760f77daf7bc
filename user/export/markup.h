/* SPDX-License-Identifier: GPL-2.0 */
/* Text in HTML and XML. */
#ifndef GAPP_READ_MARKUP_H
#define GAPP_READ_MARKUP_H

#include <stdio.h>

#include "report/report.h"

/* Writes UTF-8 without controls as the content of an element, or of an attribute in quotes. */
void markup_put(FILE *out, const char *text);

/* As markup_put(), of a name of any bytes. Returns 0, or -1 without memory. */
int markup_put_name(FILE *out, const char *name);

/* "gapp: ", and the command that was recorded. Returns 0, or -1 without memory. */
int markup_put_title(FILE *out, const struct options *options);

#endif /* GAPP_READ_MARKUP_H */
