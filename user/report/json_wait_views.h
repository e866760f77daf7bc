/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_JSON_WAIT_VIEWS_H
#define GAPP_READ_JSON_WAIT_VIEWS_H

#include "json_write.h"

struct wait_views;

/* Adds the members critical_path and graph; none where @views is NULL. */
void json_wait_views(struct json *json, const struct wait_views *views);

#endif /* GAPP_READ_JSON_WAIT_VIEWS_H */
