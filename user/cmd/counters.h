/* SPDX-License-Identifier: GPL-2.0 */
/* Asks the module for what --counters names. */
#ifndef GAPP_READ_COUNTERS_H
#define GAPP_READ_COUNTERS_H

#include "input/device.h"

/* After CONFIGURE and before START. Complains once, of all counters that are not counted. */
void counters_ask(struct device *dev, struct tallies *tallies);

#endif /* GAPP_READ_COUNTERS_H */
