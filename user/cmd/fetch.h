/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_FETCH_H
#define GAPP_READ_FETCH_H

#include "input/device.h"
#include "results.h"

int fetch_model(struct device *dev, struct model *model);
int fetch_results(struct device *dev, struct results *results);

#endif /* GAPP_READ_FETCH_H */
