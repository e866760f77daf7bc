// SPDX-License-Identifier: GPL-2.0
/*
 * What a CPU sends the reader where tables end: stack copies, and questions for mappings. Both are
 * rare if the reader has loaded the tables; otherwise a limit bounds their rate.
 */
#include "callpath.h"
#include "compat/plain_memory.h"
#include "compat/regs.h"
#include "compat/user_word.h"
#include "core/mix.h"

/* Most stack copies in a burst. */
#define COPY_BURST 64
/* Nanoseconds before the CPU asks for the same piece of memory again; log2 of its bytes. */
#define ASK_AGAIN_NS (100 * NSEC_PER_MSEC)
#define ASK_PAGE_BITS 16
/* Bytes below the stack pointer in which a function may keep data. */
#define RED_ZONE 128

/**
 * gapp_stack_copy_allowed() - whether budget and rate allow this CPU a stack copy now
 * @cpu: unwinder of this CPU
 *
 * Return: true, and the copy counts for the rate; or false, and it counts as lost.
 */
bool gapp_stack_copy_allowed(struct gapp_unwinder *cpu)
{
	u64 pause_ns = cpu->settings->copy_pause_ns, now = gapp_clock();

	if (!gapp_budget_allows_copy(cpu->settings, now)) {
		gapp_count(cpu->stack_copies_lost, 1);
		return false;
	}
	if (!pause_ns)
		return true;
	if (now > cpu->copy_seen_ns)
		cpu->copy_credit_ns = min_t(u64, cpu->copy_credit_ns + now - cpu->copy_seen_ns,
					    COPY_BURST * pause_ns);
	cpu->copy_seen_ns = now;
	if (cpu->copy_credit_ns < pause_ns) {
		gapp_count(cpu->stack_copies_lost, 1);
		return false;
	}
	cpu->copy_credit_ns -= pause_ns;
	return true;
}

/* Copies page by page, for the next page may not be in memory. Returns the bytes copied. */
static u32 copy_stack(struct gapp_unwinder *cpu, u64 from)
{
	u32 bytes = cpu->settings->stack_copy_bytes;
	u8 *to = cpu->stack_copy;
	u32 done = 0, part;

	if (!current->mm || from >= TASK_SIZE)
		return 0;
	bytes = min_t(u64, bytes, TASK_SIZE - from);
	while (done < bytes) {
		part = min_t(u32, bytes - done, PAGE_SIZE - offset_in_page(from + done));
		if (gapp_budget_is_late(cpu->settings->switch_ns) ||
		    !gapp_is_plain_memory(current->mm, from + done) ||
		    !gapp_copy_user(to + done, from + done, part))
			break;
		done += part;
	}
	return round_down(done, 8);
}

static u32 next_number(struct gapp_buffers *buffers)
{
	/* The last two numbers with GAPP_PATH_COPY would be GAPP_PATH_LOST and GAPP_PATH_NONE. */
	return gapp_fetch_add_u32(&buffers->copy_next, 1) % (GAPP_PATH_COPY - 2);
}

/**
 * gapp_stack_copy_send() - send the reader a stack copy
 * @lookup: whose call path; lookup->cpu->unwind.regs has the registers to send
 * @path: number of the call path found so far, whose last frame has these registers; or
 *	GAPP_PATH_NONE
 * @flags: GAPP_STACK_COPY_* bits
 *
 * Return: GAPP_PATH_COPY with the number of the stack copy; @path if the ring has no room.
 */
u32 gapp_stack_copy_send(const struct gapp_lookup *lookup, u32 path, u32 flags)
{
	struct gapp_unwinder *cpu = lookup->cpu;
	const struct gapp_settings *settings = cpu->settings;
	const struct gapp_regs *regs = &cpu->unwind.regs;
	u64 sp = regs->value[GAPP_SP_HERE], at = sp - min_t(u64, sp, RED_ZONE);
	struct gapp_record_stack_copy *record;
	u32 bytes = 0, number;

	/* The copy is worth its time only if the ring has room. */
	if (!gapp_record_may(cpu->writer, sizeof(*record) + settings->stack_copy_bytes)) {
		gapp_count(cpu->stack_copies_lost, 1);
		return path;
	}
	if (regs->valid & BIT_ULL(GAPP_SP_HERE)) {
		bytes = copy_stack(cpu, at);
		/* The page below the stack pointer may not be mapped. */
		if (bytes <= sp - at) {
			at = sp;
			bytes = copy_stack(cpu, at);
		}
	}
	record = gapp_record_try(cpu->writer, GAPP_RECORD_STACK_COPY, sizeof(*record) + bytes,
				 gapp_record_time(cpu->writer, lookup->now));
	if (!record) {
		gapp_count(cpu->stack_copies_lost, 1);
		return path;
	}
	number = next_number(cpu->writer->buffers);
	record->tid = gapp_pid_shown(settings, gapp_thread_tid(lookup->thread));
	record->tgid = gapp_pid_shown(settings, lookup->thread->tgid);
	record->image = lookup->image;
	record->copy = number;
	record->path = path;
	record->flags = flags;
	record->stack_bytes = bytes;
	record->reserved = 0;
	record->stack_at = at;
	record->valid = regs->valid;
	memcpy(record->registers, regs->value, sizeof(record->registers));
	memcpy(record + 1, cpu->stack_copy, bytes);
	gapp_record_commit(cpu->writer, sizeof(*record) + bytes);
	gapp_count(cpu->stack_copies, 1);
	return GAPP_PATH_COPY | number;
}

/* Whether this CPU has not asked for @key lately; notes the question. */
static bool is_new_question(struct gapp_unwinder *cpu, u64 key, u64 now)
{
	struct gapp_asked *asked = &cpu->asked[key % GAPP_ASKED];

	if (asked->key == key && now < asked->when_ns + ASK_AGAIN_NS)
		return false;
	asked->key = key;
	asked->when_ns = now;
	return true;
}

/**
 * gapp_stack_copy_need() - ask the reader for the mapping at an address
 * @lookup: whose call path
 * @address: an address that is in no mapping
 */
void gapp_stack_copy_need(const struct gapp_lookup *lookup, u64 address)
{
	struct gapp_unwinder *cpu = lookup->cpu;
	u64 space = gapp_hash_add(cpu->settings->seed, lookup->image);
	u64 key = gapp_hash_add(space, address >> ASK_PAGE_BITS);
	struct gapp_record_need_mapping *record;

	if (!is_new_question(cpu, key, lookup->now))
		return;
	record = gapp_record_try(cpu->writer, GAPP_RECORD_NEED_MAPPING, sizeof(*record),
				 gapp_record_time(cpu->writer, lookup->now));
	if (!record)
		return;
	record->tgid = gapp_pid_shown(cpu->settings, lookup->thread->tgid);
	record->image = lookup->image;
	record->address = address;
	gapp_record_commit(cpu->writer, sizeof(*record));
}
