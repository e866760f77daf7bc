/* SPDX-License-Identifier: GPL-2.0 */
/* What all records have in common. Interrupts are off. */
#ifndef GAPP_RECORDS_H
#define GAPP_RECORDS_H

#include <linux/pid_namespace.h>

#include "switch/cpu.h"

u64 gapp_record_time(struct gapp_cpu *cpu, u64 session_time);
void *gapp_record_reserve(struct gapp_cpu *cpu, u16 type, u32 size, u64 time_ns, u64 share,
			  u64 wait_ns);
bool gapp_record_may(const struct gapp_cpu *cpu, u32 size);
void *gapp_record_try(struct gapp_cpu *cpu, u16 type, u32 size, u64 time_ns);
void gapp_record_commit(struct gapp_cpu *cpu);

/* An id as the opener sees it, and records have it. */
static __always_inline s32 gapp_pid_shown(const struct gapp_session *session, struct pid *pid)
{
	return likely(!session->ns_level) ? pid->numbers[0].nr : pid_nr_ns(pid, session->ns);
}

#endif /* GAPP_RECORDS_H */
