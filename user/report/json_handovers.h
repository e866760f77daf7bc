/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_JSON_HANDOVERS_H
#define GAPP_READ_JSON_HANDOVERS_H

#include "json_write.h"
#include "report.h"

/* Adds who hands the CPU to whom, if it was counted. */
void json_handovers(struct json *json, const struct results *results,
		    const struct options *options);

#endif /* GAPP_READ_JSON_HANDOVERS_H */
