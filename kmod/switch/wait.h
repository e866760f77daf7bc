/* SPDX-License-Identifier: GPL-2.0 */
/* What a thread that goes to sleep is doing, from its own registers. */
#ifndef GAPP_SLEEP_H
#define GAPP_SLEEP_H

#include "core/wait_reason.h"

struct gapp_exported_wait;
struct task_struct;

void gapp_wait_read(struct task_struct *task, struct gapp_wait_start *start);
s16 gapp_wait_note(s32 syscall);
void gapp_wait_forget(s16 note, struct gapp_exported_wait *exported);
bool gapp_wait_recall(struct task_struct *task, s16 note, struct gapp_exported_wait *exported);

#endif /* GAPP_SLEEP_H */
