// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of stacks, and questions about memory that nobody has told of. Both
 * are rare if all goes well, and bounded if not. Interrupts are off, possibly
 * under the run-queue lock: user memory is copied, never faulted in.
 */
#include <linux/uaccess.h>

#include "compat/regs.h"
#include "core/mix.h"
#include "stack_copy.h"

/* Copies that may come at once. */
#define COPY_BURST 64
/* Nobody is asked about the same memory sooner than that. */
#define ASK_AGAIN_NS (100 * NSEC_PER_MSEC)
#define ASK_PAGE_BITS 16
/* What lies so far below the stack pointer a signal leaves alone: functions keep things there. */
#define RED_ZONE 128

/**
 * gapp_stack_copy_allowed() - whether this CPU may send a copy now; if so, it counts
 * @cpu: this CPU's
 *
 * Return: false, and it is counted as lost, if there were too many.
 */
bool gapp_stack_copy_allowed(struct gapp_unwinder *cpu)
{
	u64 pause_ns = cpu->settings->copy_pause_ns, now;

	if (!pause_ns)
		return true;
	now = ktime_get_mono_fast_ns();
	if (now > cpu->copy_seen_ns)
		cpu->copy_credit_ns = min_t(u64, cpu->copy_credit_ns + now - cpu->copy_seen_ns,
					    COPY_BURST * pause_ns);
	cpu->copy_seen_ns = now;
	if (cpu->copy_credit_ns < pause_ns) {
		cpu->stack_copies_lost++;
		return false;
	}
	cpu->copy_credit_ns -= pause_ns;
	return true;
}

/* As much as is readable from @from on. A page is there or not, so none is crossed at once. */
static u32 copy_stack(u8 *to, u64 from, u32 bytes)
{
	u32 done = 0, part;

	if (!current->mm || from >= TASK_SIZE)
		return 0;
	bytes = min_t(u64, bytes, TASK_SIZE - from);
	while (done < bytes) {
		part = min_t(u32, bytes - done, PAGE_SIZE - offset_in_page(from + done));
		if (copy_from_user_nofault(to + done, (const void __user *)(long)(from + done),
					   part))
			break;
		done += part;
	}
	return round_down(done, 8);
}

static u32 next_number(struct gapp_buffers *buffers)
{
	/* the two last would be GAPP_PATH_LOST and GAPP_PATH_NONE */
	return gapp_fetch_add_u32(&buffers->copy_next, 1) % (GAPP_PATH_COPY - 2);
}

/**
 * gapp_stack_copy_send() - a copy of the stack goes along
 * @cpu: this CPU's
 * @thread: current's
 * @image: number of its address space
 * @now: session time
 * @path: the frames found so far, or GAPP_PATH_NONE
 * @regs: registers of the last of them
 * @flags: GAPP_STACK_COPY_* bits
 *
 * Return: what stands for the whole path in records; @path if the ring has no room.
 */
u32 gapp_stack_copy_send(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
			 u64 now, u32 path, const struct gapp_regs *regs, u32 flags)
{
	const struct gapp_settings *settings = cpu->settings;
	u64 sp = regs->value[GAPP_SP_HERE], at = sp - min_t(u64, sp, RED_ZONE);
	struct gapp_record_stack_copy *record;
	u32 bytes = 0, number;

	/* Nothing is copied for nothing. */
	if (!gapp_record_may(cpu->writer, sizeof(*record) + settings->stack_copy_bytes)) {
		cpu->stack_copies_lost++;
		return path;
	}
	if (regs->valid & BIT_ULL(GAPP_SP_HERE)) {
		bytes = copy_stack(cpu->stack_copy, at, settings->stack_copy_bytes);
		/* a stack may end right below */
		if (bytes <= sp - at) {
			at = sp;
			bytes = copy_stack(cpu->stack_copy, at, settings->stack_copy_bytes);
		}
	}
	record = gapp_record_try(cpu->writer, GAPP_RECORD_STACK_COPY, sizeof(*record) + bytes,
				 gapp_record_time(cpu->writer, now));
	if (!record) {
		cpu->stack_copies_lost++;
		return path;
	}
	number = next_number(cpu->writer->buffers);
	record->tid = gapp_pid_shown(cpu->settings, gapp_thread_tid(thread));
	record->tgid = gapp_pid_shown(cpu->settings, thread->tgid);
	record->image = image;
	record->copy = number;
	record->path = path;
	record->flags = flags;
	record->stack_bytes = bytes;
	record->reserved = 0;
	record->stack_at = at;
	record->valid = regs->valid;
	memcpy(record->registers, regs->value, sizeof(record->registers));
	memcpy(record + 1, cpu->stack_copy, bytes);
	gapp_record_commit(cpu->writer);
	cpu->stack_copies++;
	return GAPP_PATH_COPY | number;
}

/* Whether nobody was asked about this lately. */
static bool remember(struct gapp_unwinder *cpu, u64 key, u64 now)
{
	struct gapp_asked *asked = &cpu->asked[key % GAPP_ASKED];

	if (asked->key == key && now < asked->when_ns + ASK_AGAIN_NS)
		return false;
	asked->key = key;
	asked->when_ns = now;
	return true;
}

/**
 * gapp_stack_copy_need() - the reader is asked what is mapped somewhere
 * @cpu: this CPU's
 * @thread: current's
 * @image: number of its address space
 * @now: session time
 * @address: where
 */
void gapp_stack_copy_need(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
			  u64 now, u64 address)
{
	u64 key =
		gapp_hash_add(gapp_hash_add(cpu->settings->seed, image), address >> ASK_PAGE_BITS);
	struct gapp_record_need_mapping *record;

	if (!remember(cpu, key, now))
		return;
	record = gapp_record_try(cpu->writer, GAPP_RECORD_NEED_MAPPING, sizeof(*record),
				 gapp_record_time(cpu->writer, now));
	if (!record)
		return;
	record->tgid = gapp_pid_shown(cpu->settings, thread->tgid);
	record->image = image;
	record->address = address;
	gapp_record_commit(cpu->writer);
}
