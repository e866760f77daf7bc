/* SPDX-License-Identifier: GPL-2.0 */
/* What a session shares with its reader by mmap(): rings, read positions, the table of paths. */
#ifndef GAPP_BUFFERS_H
#define GAPP_BUFFERS_H

#include <linux/irq_work.h>
#include <linux/timer.h>
#include <linux/wait.h>

#include "core/path_table.h"
#include "threads/table.h"

struct file;
struct poll_table_struct;
struct vm_area_struct;

/**
 * struct gapp_buffers - the memory, and who waits for records
 * @layout: as the reader is told
 * @rings: each CPU's ring, or NULL; memory for mmap()
 * @read_positions: how far the reader has read each ring; memory for mmap()
 * @paths: slots and words of @table; likewise
 * @table: the table of paths
 * @copy_next: number of the next copy of a stack
 * @readers: who waits for records
 * @half_full: wakes them from a context that may not
 * @tick: wakes them now and then while they wait
 * @ticked: it has, and no reader was told since
 * @ended: the session has stopped
 */
struct gapp_buffers {
	struct gapp_layout layout;
	void **rings;
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

int gapp_buffers_init(struct gapp_session *session, u32 ring_bytes, u32 paths);
void gapp_buffers_destroy(struct gapp_session *session);
void gapp_buffers_end(struct gapp_session *session);
int gapp_buffers_mmap(struct gapp_session *session, struct vm_area_struct *vma);
__poll_t gapp_buffers_poll(struct gapp_session *session, struct file *file,
			   struct poll_table_struct *table);

#endif /* GAPP_BUFFERS_H */
