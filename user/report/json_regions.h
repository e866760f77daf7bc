/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_JSON_REGIONS_H
#define GAPP_READ_JSON_REGIONS_H

#include "json_write.h"
#include "report.h"

/* Writes nothing if there are no parallel regions. */
void json_regions(struct json *json, const struct results *results, const struct options *options);

#endif /* GAPP_READ_JSON_REGIONS_H */
