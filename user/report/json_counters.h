/* SPDX-License-Identifier: GPL-2.0 */
/* What --counters asked for as JSON. */
#ifndef GAPP_READ_JSON_COUNTERS_H
#define GAPP_READ_JSON_COUNTERS_H

#include "json_write.h"
#include "report.h"

/* Adds counters, counters_by_thread and counters_by_node of a recording that has counters. */
void json_counters(struct json *json, const struct results *results, const struct options *options);

/* Adds what was counted while a place ran, of a recording that has counters. */
void json_place_counters(struct json *json, const struct results *results,
			 const struct ranked *place);

#endif /* GAPP_READ_JSON_COUNTERS_H */
