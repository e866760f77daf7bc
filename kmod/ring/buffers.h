/* SPDX-License-Identifier: GPL-2.0 */
/* What a session shares with its reader by mmap(): rings, read positions, the table of paths. */
#ifndef GAPP_BUFFERS_H
#define GAPP_BUFFERS_H

#include <linux/irq_work.h>
#include <linux/timer.h>
#include <linux/wait.h>

#include "core/path_table.h"
#include "core/ring.h"
#include "threads/table.h"

struct file;
struct poll_table_struct;
struct vm_area_struct;

/**
 * struct gapp_writer - one CPU's way to write records; only that CPU uses it, interrupts off
 * @ring: the ring; without data if the CPU came too late to have one
 * @buffers: buffers of the session; NULL with GAPP_LEVEL_STATS
 * @threads: thread table of the session, which has the begin of session time
 * @last_ns: CLOCK_MONOTONIC of the last record
 * @half_full: the ring was half full when the writer last looked
 * @asked: gapp_record_ask() has woken the reader, which has not read much since
 */
struct gapp_writer {
	struct gapp_ring_writer ring;
	struct gapp_buffers *buffers;
	const struct gapp_thread_table *threads;
	u64 last_ns;
	bool half_full;
	bool asked;
};

/*
 * struct gapp_buffers - the shared memory, and who waits for records
 * @layout: what GAPP_IOC_LAYOUT gives the reader
 * @writers: by CPU; NULL: the CPU has no ring
 * @read_positions: how far the reader has read each ring; the reader writes it
 * @copy_next: number of the next stack copy
 * @readers: readers that wait for records
 * @half_full: irq_work that wakes @readers for a CPU that may not, as it may hold a run-queue lock
 * @tick: wakes @readers now and then while they wait
 * @ticked: @tick has expired, or a writer has asked, since poll() last reported records
 * @ended: the session has stopped
 */
struct gapp_buffers {
	struct gapp_layout layout;
	struct gapp_writer **writers;
	void *read_positions;
	void *paths;
	struct gapp_path_table table;
	u32 copy_next;
	wait_queue_head_t readers;
	struct irq_work half_full;
	struct timer_list tick;
	bool ticked;
	bool ended;
};

/* buffers.c: process context. All but gapp_buffers_add_ring() accept NULL as @buffers. */
u64 gapp_buffers_bytes(u32 ring_bytes, u32 paths);
struct gapp_buffers *gapp_buffers_create(u32 ring_bytes, u32 paths);
int gapp_buffers_add_ring(struct gapp_buffers *buffers, unsigned int cpu,
			  struct gapp_writer *writer);
void gapp_buffers_destroy(struct gapp_buffers *buffers);
void gapp_buffers_end(struct gapp_buffers *buffers);
int gapp_buffers_mmap(struct gapp_buffers *buffers, struct vm_area_struct *vma);
__poll_t gapp_buffers_poll(struct gapp_buffers *buffers, struct file *file,
			   struct poll_table_struct *table);

/* records.c: interrupts off, on the writer's CPU */
u64 gapp_record_time(struct gapp_writer *writer, u64 session_time);
void *gapp_record_reserve(struct gapp_writer *writer, u16 type, u32 size, u64 time_ns, u64 share,
			  u64 wait_ns);
bool gapp_record_may(const struct gapp_writer *writer, u32 size);
void *gapp_record_try(struct gapp_writer *writer, u16 type, u32 size, u64 time_ns);
void gapp_record_ask(struct gapp_writer *writer);
void gapp_record_commit(struct gapp_writer *writer, u32 size);

#endif /* GAPP_BUFFERS_H */
