/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_RECORD_H
#define GAPP_READ_RECORD_H

#include "opts.h"

int record(const struct options *options);

#endif /* GAPP_READ_RECORD_H */
