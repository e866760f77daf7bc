// SPDX-License-Identifier: GPL-2.0
/* A thread of the session gives the CPU to another one: part of a context switch. */
#include "core/handovers.h"
#include "switch.h"

/* Where a task entered the kernel; 0: it may not be shown, or the task has no 64-bit user code. */
static __always_inline u64 shown_ip(const struct gapp_settings *settings, struct task_struct *task)
{
	return gapp_shows_regs(settings, task) ? instruction_pointer(task_pt_regs(task)) : 0;
}

static __always_inline u64 shown_pair(const struct gapp_settings *settings, struct pid *from,
				      struct pid *to)
{
	return gapp_handover_pair(gapp_pid_shown(settings, from), gapp_pid_shown(settings, to));
}

/* Not inlined: it is for the first handover of its kind, or for one that is not at its place. */
static noinline void add_handover(struct gapp_cpu *cpu, const struct gapp_thread *from,
				  const struct gapp_thread *to, u32 place,
				  const struct gapp_handover_key *key, u64 t)
{
	const u64 processes = shown_pair(cpu->unwinder.settings, from->tgid, to->tgid);

	gapp_handovers_add(cpu->handovers, place, key, processes, t);
}

/*
 * @out, which is @prev, has given this CPU to @in, which is @next; their events have been applied.
 * @t: session time of the switch; 0: it is not known. @next has not run yet, so its user registers
 * are those with which it left: where it goes on. Outside of session time nothing is counted.
 * Interrupts off, under RCU.
 */
GAPP_HOT void gapp_hand_over(struct gapp_session *session, struct gapp_cpu *cpu,
			     const struct gapp_thread *out, const struct gapp_thread *in,
			     struct task_struct *prev, struct task_struct *next, u64 t)
{
	const struct gapp_settings *settings = &session->settings;
	struct gapp_handover_key key;
	u32 place;

	if (unlikely(READ_ONCE(out->target->acc.cm.phase) != GAPP_PHASE_RUNNING))
		return;
	if (unlikely(!t))
		t = gapp_acc_clock(READ_ONCE(session->threads.start_ns));
	key.threads = shown_pair(settings, gapp_thread_tid(out), gapp_thread_tid(in));
	key.images = gapp_handover_pair(READ_ONCE(out->image), READ_ONCE(in->image));
	key.from_ip = shown_ip(settings, prev);
	key.to_ip = shown_ip(settings, next);
	place = gapp_handover_place(&key);
	if (unlikely(!gapp_handovers_count(cpu->handovers, place, &key, t)))
		add_handover(cpu, out, in, place, &key, t);
}
