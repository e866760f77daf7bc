/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_JSON_WAITS_H
#define GAPP_READ_JSON_WAITS_H

#include "json_write.h"
#include "report.h"

/* Adds wait objects and wakers, if waits were collected. */
void json_waits(struct json *json, const struct results *results, const struct options *options);

#endif /* GAPP_READ_JSON_WAITS_H */
