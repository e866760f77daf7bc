/* SPDX-License-Identifier: GPL-2.0 */
/* What a thread that goes to sleep is doing, from its own registers. */
#ifndef GAPP_SLEEP_H
#define GAPP_SLEEP_H

#include "core/waitclass.h"

struct task_struct;

void gapp_sleep_read(struct task_struct *task, struct gapp_sleep *sleep);

#endif /* GAPP_SLEEP_H */
