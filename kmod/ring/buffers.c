// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that the reader maps. Only the read positions may be written by it, and what
 * it writes there is believed no further than it makes sense.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "buffers.h"
#include "compat/mm.h"
#include "switch/cpu.h"

/* A reader that waits for records looks so often. */
#define TICK_JIFFIES max(1UL, (unsigned long)HZ / 20)
#define POSITION_STRIDE 64
/* Words of the table for each slot: paths are this long on average, or the words run out first. */
#define WORDS_PER_PATH 32

static void wake_readers(struct irq_work *work)
{
	struct gapp_buffers *buffers = container_of(work, struct gapp_buffers, half_full);

	wake_up_interruptible(&buffers->readers);
}

static void tick(struct timer_list *timer)
{
	struct gapp_buffers *buffers = container_of(timer, struct gapp_buffers, tick);

	WRITE_ONCE(buffers->ticked, true);
	wake_up_interruptible(&buffers->readers);
}

static void lay_out(struct gapp_layout *layout, u32 ring_bytes, u32 paths)
{
	layout->cpus = nr_cpu_ids;
	layout->ring_bytes = ring_bytes;
	layout->ring_data = PAGE_SIZE;
	layout->ring_map_bytes = PAGE_SIZE + PAGE_ALIGN(ring_bytes);
	layout->position_stride = POSITION_STRIDE;
	layout->positions_map_bytes = PAGE_ALIGN(nr_cpu_ids * POSITION_STRIDE);
	layout->path_slots = paths;
	layout->path_words = (u64)paths * WORDS_PER_PATH;
	layout->path_slots_at = 0;
	layout->path_words_at = PAGE_ALIGN(paths * sizeof(struct gapp_path));
	layout->paths_map_bytes =
		layout->path_words_at + PAGE_ALIGN(layout->path_words * sizeof(u64));
}

/* CPUs that are present may come online later; others get none, and what they tell is lost. */
static int make_rings(struct gapp_session *session, struct gapp_buffers *buffers)
{
	const struct gapp_layout *layout = &buffers->layout;
	unsigned int i;
	void *ring;

	for_each_present_cpu(i) {
		ring = vmalloc_user(layout->ring_map_bytes);
		if (!ring)
			return -ENOMEM;
		buffers->rings[i] = ring;
		gapp_ring_init(&session->cpus[i]->ring, ring + layout->ring_data,
			       layout->ring_bytes, i, ring,
			       buffers->read_positions + i * POSITION_STRIDE);
		cond_resched();
	}
	return 0;
}

static int make(struct gapp_session *session, struct gapp_buffers *buffers)
{
	const struct gapp_layout *layout = &buffers->layout;

	buffers->rings = kvcalloc(nr_cpu_ids, sizeof(*buffers->rings), GFP_KERNEL_ACCOUNT);
	buffers->read_positions = vmalloc_user(layout->positions_map_bytes);
	buffers->paths = vmalloc_user(layout->paths_map_bytes);
	if (!buffers->rings || !buffers->read_positions || !buffers->paths)
		return -ENOMEM;
	gapp_path_table_init(&buffers->table, buffers->paths + layout->path_slots_at,
			     layout->path_slots, buffers->paths + layout->path_words_at,
			     layout->path_words, get_random_u64());
	return make_rings(session, buffers);
}

/* After gapp_cpus_init(). Both sizes are powers of two within the ABI's bounds. */
int gapp_buffers_init(struct gapp_session *session, u32 ring_bytes, u32 paths)
{
	struct gapp_buffers *buffers = kzalloc(sizeof(*buffers), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!buffers)
		return -ENOMEM;
	init_waitqueue_head(&buffers->readers);
	init_irq_work(&buffers->half_full, wake_readers);
	timer_setup(&buffers->tick, tick, 0);
	lay_out(&buffers->layout, ring_bytes, paths);
	session->buffers = buffers;
	ret = make(session, buffers);
	if (ret)
		gapp_buffers_destroy(session);
	return ret;
}

/* The file is being closed, or its session was not set up: nobody has a mapping, nobody waits. */
void gapp_buffers_destroy(struct gapp_session *session)
{
	struct gapp_buffers *buffers = session->buffers;
	unsigned int i;

	if (!buffers)
		return;
	irq_work_sync(&buffers->half_full);
	timer_delete_sync(&buffers->tick);
	if (buffers->rings)
		for_each_possible_cpu(i)
			vfree(buffers->rings[i]);
	kvfree(buffers->rings);
	vfree(buffers->read_positions);
	vfree(buffers->paths);
	kfree(buffers);
	session->buffers = NULL;
}

/* No record comes any more. */
void gapp_buffers_end(struct gapp_session *session)
{
	if (!session->buffers)
		return;
	WRITE_ONCE(session->buffers->ended, true);
	wake_up_interruptible(&session->buffers->readers);
}

static void *find_map(struct gapp_buffers *buffers, u64 offset, u64 *bytes)
{
	const struct gapp_layout *layout = &buffers->layout;
	u64 cpu;

	if (offset == GAPP_MAP_PATHS) {
		*bytes = layout->paths_map_bytes;
		return buffers->paths;
	}
	if (offset == GAPP_MAP_READ_POSITIONS) {
		*bytes = layout->positions_map_bytes;
		return buffers->read_positions;
	}
	if (offset < GAPP_MAP_RING(0) || offset & U32_MAX)
		return NULL;
	cpu = (offset - GAPP_MAP_RING(0)) >> 32;
	*bytes = layout->ring_map_bytes;
	return cpu < layout->cpus ? buffers->rings[array_index_nospec(cpu, layout->cpus)] : NULL;
}

int gapp_buffers_mmap(struct gapp_session *session, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	struct gapp_buffers *buffers = session->buffers;
	u64 bytes;
	void *map;

	if (!buffers)
		return -ENODATA;
	map = find_map(buffers, offset, &bytes);
	if (!map)
		return -ENXIO;
	if (vma->vm_end - vma->vm_start != bytes || !(vma->vm_flags & VM_SHARED) ||
	    vma->vm_flags & VM_EXEC)
		return -EINVAL;
	if (map != buffers->read_positions) {
		if (vma->vm_flags & VM_WRITE)
			return -EACCES;
		gapp_vm_flags(vma, 0, VM_MAYWRITE);
	}
	gapp_vm_flags(vma, VM_DONTCOPY, VM_MAYEXEC);
	return remap_vmalloc_range(vma, map, 0);
}

/* Bytes in the fullest ring, as far as can be told from outside. */
static u64 fullest(struct gapp_session *session)
{
	u64 most = 0;
	unsigned int i;

	for_each_possible_cpu(i) {
		const struct gapp_ring_writer *ring = &session->cpus[i]->ring;

		if (ring->data)
			most = max(most, READ_ONCE(ring->head) - READ_ONCE(*ring->read_position));
	}
	return most;
}

/*
 * Nothing wakes a reader for a record: that must not be done under the run-queue lock. It is woken
 * when a ring is half full, and now and then if there is anything.
 */
__poll_t gapp_buffers_poll(struct gapp_session *session, struct file *file,
			   struct poll_table_struct *table)
{
	struct gapp_buffers *buffers = session->buffers;
	__poll_t events = 0;
	u64 most;

	if (!buffers)
		return EPOLLERR;
	poll_wait(file, &buffers->readers, table);
	most = fullest(session);
	if (most >= buffers->layout.ring_bytes / 2 || (most && READ_ONCE(buffers->ticked))) {
		WRITE_ONCE(buffers->ticked, false);
		events |= EPOLLIN | EPOLLRDNORM;
	}
	if (READ_ONCE(buffers->ended))
		events |= EPOLLHUP;
	if (!events && !timer_pending(&buffers->tick))
		mod_timer(&buffers->tick, jiffies + TICK_JIFFIES);
	return events;
}
