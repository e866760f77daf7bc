/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_FETCH_H
#define GAPP_READ_FETCH_H

#include "device.h"
#include "model.h"

int fetch_model(struct device *dev, struct model *model);

#endif /* GAPP_READ_FETCH_H */
