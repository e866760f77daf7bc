// SPDX-License-Identifier: GPL-2.0
/* The layout of what is mapped: records, and the table of paths. */
#include <gapp_record.h>

#include "layout.h"

static void structures(void)
{
	STRUCT(gapp_ring);
	MEMBER(gapp_ring, write_position);
	MEMBER(gapp_ring, lost);
	MEMBER(gapp_ring, lost_critical_share);
	MEMBER(gapp_ring, lost_wait_ns);

	STRUCT(gapp_record);
	MEMBER(gapp_record, type);
	MEMBER(gapp_record, size);
	MEMBER(gapp_record, cpu);
	MEMBER(gapp_record, time_ns);

	STRUCT(gapp_sample);
	MEMBER(gapp_sample, path);
	MEMBER(gapp_sample, kernel_path);
	MEMBER(gapp_sample, critical_share);
	MEMBER(gapp_sample, waiting);

	STRUCT(gapp_waker_path);
	MEMBER(gapp_waker_path, path);
	MEMBER(gapp_waker_path, image);

	STRUCT(gapp_wait_file);
	MEMBER(gapp_wait_file, inode);
	MEMBER(gapp_wait_file, device);
	MEMBER(gapp_wait_file, kind);
	MEMBER(gapp_wait_file, reserved);
	MEMBER(gapp_wait_file, family);
	MEMBER(gapp_wait_file, protocol);
	MEMBER(gapp_wait_file, local_port);
	MEMBER(gapp_wait_file, peer_port);
	MEMBER(gapp_wait_file, reserved2);
	MEMBER(gapp_wait_file, peer);
	STRUCT(gapp_slice_tallies);
	MEMBER(gapp_slice_tallies, uncounted);
	MEMBER(gapp_slice_tallies, count);
	STRUCT(gapp_wait_lock);
	MEMBER(gapp_wait_lock, address);
	MEMBER(gapp_wait_lock, kind);
	MEMBER(gapp_wait_lock, reserved);

	STRUCT(gapp_record_slice);
	MEMBER(gapp_record_slice, head);
	MEMBER(gapp_record_slice, tid);
	MEMBER(gapp_record_slice, tgid);
	MEMBER(gapp_record_slice, image);
	MEMBER(gapp_record_slice, target);
	MEMBER(gapp_record_slice, comm);
	MEMBER(gapp_record_slice, begin_ns);
	MEMBER(gapp_record_slice, critical_share);
	MEMBER(gapp_record_slice, own_critical_share);
	MEMBER(gapp_record_slice, cmetric);
	MEMBER(gapp_record_slice, thread_ns);
	MEMBER(gapp_record_slice, slices);
	MEMBER(gapp_record_slice, n);
	MEMBER(gapp_record_slice, flags);
	MEMBER(gapp_record_slice, then);
	MEMBER(gapp_record_slice, wait);
	MEMBER(gapp_record_slice, sample_count);
	MEMBER(gapp_record_slice, path);
	MEMBER(gapp_record_slice, kernel_path);
	MEMBER(gapp_record_slice, syscall);
	MEMBER(gapp_record_slice, waker_cpu);
	MEMBER(gapp_record_slice, waker_tid);
	MEMBER(gapp_record_slice, waker_tgid);
	MEMBER(gapp_record_slice, args);
	MEMBER(gapp_record_slice, waiting);

	STRUCT(gapp_record_wait);
	MEMBER(gapp_record_wait, head);
	MEMBER(gapp_record_wait, tid);
	MEMBER(gapp_record_wait, tgid);
	MEMBER(gapp_record_wait, image);
	MEMBER(gapp_record_wait, target);
	MEMBER(gapp_record_wait, comm);
	MEMBER(gapp_record_wait, begin_ns);
	MEMBER(gapp_record_wait, wait_ns);
	MEMBER(gapp_record_wait, stretches);
	MEMBER(gapp_record_wait, flags);
	MEMBER(gapp_record_wait, wait);
	MEMBER(gapp_record_wait, path);
	MEMBER(gapp_record_wait, kernel_path);
	MEMBER(gapp_record_wait, syscall);
	MEMBER(gapp_record_wait, waker_cpu);
	MEMBER(gapp_record_wait, waker_tid);
	MEMBER(gapp_record_wait, waker_tgid);
	MEMBER(gapp_record_wait, reserved);
	MEMBER(gapp_record_wait, args);
	MEMBER(gapp_record_wait, waiting);

	STRUCT(gapp_record_lost);
	MEMBER(gapp_record_lost, head);
	MEMBER(gapp_record_lost, records);
	MEMBER(gapp_record_lost, critical_share);
	MEMBER(gapp_record_lost, wait_ns);
	MEMBER(gapp_record_lost, since_ns);

	STRUCT(gapp_record_wake);
	MEMBER(gapp_record_wake, head);
	MEMBER(gapp_record_wake, tid);
	MEMBER(gapp_record_wake, tgid);
	MEMBER(gapp_record_wake, target);
	MEMBER(gapp_record_wake, n);
	MEMBER(gapp_record_wake, flags);
	MEMBER(gapp_record_wake, waker_cpu);
	MEMBER(gapp_record_wake, waker_tid);
	MEMBER(gapp_record_wake, waker_tgid);

	STRUCT(gapp_record_stack_copy);
	MEMBER(gapp_record_stack_copy, head);
	MEMBER(gapp_record_stack_copy, tid);
	MEMBER(gapp_record_stack_copy, tgid);
	MEMBER(gapp_record_stack_copy, image);
	MEMBER(gapp_record_stack_copy, copy);
	MEMBER(gapp_record_stack_copy, path);
	MEMBER(gapp_record_stack_copy, flags);
	MEMBER(gapp_record_stack_copy, stack_bytes);
	MEMBER(gapp_record_stack_copy, reserved);
	MEMBER(gapp_record_stack_copy, stack_at);
	MEMBER(gapp_record_stack_copy, valid);
	MEMBER(gapp_record_stack_copy, registers);

	STRUCT(gapp_record_need_mapping);
	MEMBER(gapp_record_need_mapping, head);
	MEMBER(gapp_record_need_mapping, tgid);
	MEMBER(gapp_record_need_mapping, image);
	MEMBER(gapp_record_need_mapping, address);

	STRUCT(gapp_record_store);
	MEMBER(gapp_record_store, head);
	MEMBER(gapp_record_store, tid);
	MEMBER(gapp_record_store, tgid);
	MEMBER(gapp_record_store, target);
	MEMBER(gapp_record_store, image);
	MEMBER(gapp_record_store, address);
	MEMBER(gapp_record_store, value);
	MEMBER(gapp_record_store, path);
	MEMBER(gapp_record_store, flags);

	STRUCT(gapp_record_mark);
	MEMBER(gapp_record_mark, head);
	MEMBER(gapp_record_mark, tid);
	MEMBER(gapp_record_mark, tgid);
	MEMBER(gapp_record_mark, image);
	MEMBER(gapp_record_mark, target);
	MEMBER(gapp_record_mark, comm);
	MEMBER(gapp_record_mark, thread_ns);
	MEMBER(gapp_record_mark, n);
	MEMBER(gapp_record_mark, flags);
	MEMBER(gapp_record_mark, kind);
	MEMBER(gapp_record_mark, bytes);
	MEMBER(gapp_record_mark, left_out);

	STRUCT(gapp_path);
	MEMBER(gapp_path, hash);
	MEMBER(gapp_path, word);
	MEMBER(gapp_path, words);
	MEMBER(gapp_path, flags);
}

static void numbers(void)
{
	NUMBER(GAPP_RECORD_PAD);
	NUMBER(GAPP_RECORD_SLICE);
	NUMBER(GAPP_RECORD_WAIT);
	NUMBER(GAPP_RECORD_LOST);
	NUMBER(GAPP_RECORD_WAKE);
	NUMBER(GAPP_RECORD_STACK_COPY);
	NUMBER(GAPP_RECORD_NEED_MAPPING);
	NUMBER(GAPP_RECORD_STORE);
	NUMBER(GAPP_RECORD_MARK);
	NUMBER(GAPP_MARK_POINT);
	NUMBER(GAPP_MARK_BEGIN);
	NUMBER(GAPP_MARK_END);
	NUMBER(GAPP_MARK_KINDS);
	NUMBER(GAPP_MARK_TEXT);
	NUMBER(GAPP_MARK_INTEGRALS);
	NUMBER(GAPP_WAIT_OTHER);
	NUMBER(GAPP_WAIT_LOCK);
	NUMBER(GAPP_WAIT_QUEUE);
	NUMBER(GAPP_WAIT_JOIN);
	NUMBER(GAPP_WAIT_BARRIER);
	NUMBER(GAPP_WAIT_DISK);
	NUMBER(GAPP_WAIT_NETWORK);
	NUMBER(GAPP_WAIT_PIPE);
	NUMBER(GAPP_WAIT_SLEEP);
	NUMBER(GAPP_WAIT_FAULT);
	NUMBER(GAPP_WAIT_MEMORY);
	NUMBER(GAPP_WAIT_EVENT);
	NUMBER(GAPP_WAIT_SIGNAL);
	NUMBER(GAPP_WAIT_FUTEX);
	NUMBER(GAPP_WAIT_KERNEL_LOCK);
	NUMBER(GAPP_WAIT_SPIN);
	NUMBER(GAPP_WAIT_REASONS);
	NUMBER(GAPP_THEN_WAIT);
	NUMBER(GAPP_THEN_PREEMPTED);
	NUMBER(GAPP_THEN_EXITED);
	NUMBER(GAPP_THEN_ON);
	NUMBER(GAPP_THEN_STOPPED);
	NUMBER(GAPP_PATH_NONE);
	NUMBER(GAPP_PATH_LOST);
	NUMBER(GAPP_PATH_COPY);
	NUMBER(GAPP_REGISTERS);
	NUMBER(GAPP_STACK_COPY_VERIFY);
	NUMBER(GAPP_STORE_IN_KERNEL);
	NUMBER(GAPP_STORE_LAST);
	NUMBER(GAPP_STORE_AT_POINT);
	NUMBER(GAPP_STORE_UNTOLD);
	printf("GAPP_SPIN_COMPARED: %d, %d the next way, %d the next byte\n",
	       GAPP_SPIN_COMPARED(0, 0), GAPP_SPIN_COMPARED(1, 0), GAPP_SPIN_COMPARED(0, 1));
	NUMBER(GAPP_SLICE_LEADER);
	NUMBER(GAPP_SLICE_REST);
	NUMBER(GAPP_SLICE_WOKEN_BY_IRQ);
	NUMBER(GAPP_SLICE_WAKER);
	NUMBER(GAPP_SLICE_IRQ_NETWORK);
	NUMBER(GAPP_SLICE_IRQ_DISK);
	NUMBER(GAPP_SLICE_IRQ_TIMER);
	NUMBER(GAPP_SLICE_WAKER_PATH);
	NUMBER(GAPP_SLICE_FILE);
	NUMBER(GAPP_SLICE_KERNEL_LOCK);
	NUMBER(GAPP_SLICE_TALLIES);
	NUMBER(GAPP_LOCK_OTHER);
	NUMBER(GAPP_LOCK_MUTEX);
	NUMBER(GAPP_LOCK_READ);
	NUMBER(GAPP_LOCK_WRITE);
	NUMBER(GAPP_LOCK_PERCPU);
	NUMBER(GAPP_LOCK_RT);
	NUMBER(GAPP_IN_USER);
	NUMBER(GAPP_IN_FAULT);
	NUMBER(GAPP_IN_INTERRUPT);
	NUMBER(GAPP_IN_UNKNOWN);
	NUMBER(GAPP_IN_KTHREAD);
	NUMBER(GAPP_UNWIND_COMPLETE);
	NUMBER(GAPP_UNWIND_FULL);
	NUMBER(GAPP_UNWIND_NO_FRAME);
	NUMBER(GAPP_UNWIND_UNREADABLE);
	NUMBER(GAPP_UNWIND_NO_RULE);
	NUMBER(GAPP_UNWIND_LOOP);
	NUMBER(GAPP_UNWIND_UNMAPPED);
	NUMBER(GAPP_UNWIND_LATE);
	NUMBER(GAPP_UNWIND_ENDS);
	NUMBER(GAPP_PATH_KERNEL);
	NUMBER(GAPP_PATH_BY_TABLE);
	NUMBER(GAPP_PATH_BY_FP);
	NUMBER(GAPP_PATH_END_MASK);
}

void layout_records(void)
{
	structures();
	numbers();
}
