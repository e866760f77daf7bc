/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_JSON_SECTIONS_H
#define GAPP_READ_JSON_SECTIONS_H

#include "json_write.h"
#include "report.h"

/* Adds figures by section, if a thread made marks. */
void json_sections(struct json *json, const struct results *results, const struct options *options);

#endif /* GAPP_READ_JSON_SECTIONS_H */
