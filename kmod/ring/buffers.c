// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that the reader maps. The reader may write only the read positions; the module treats an
 * impossible position as a full ring.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "buffers.h"
#include "compat/mm.h"
#include "compat/timer.h"
#include "shared.h"

/* How often a reader that waits for records is woken, if there are any. */
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

/* Bytes that are shared with the reader in all. Both sizes as of gapp_buffers_create(). */
u64 gapp_buffers_bytes(u32 ring_bytes, u32 paths)
{
	struct gapp_layout layout;

	lay_out(&layout, ring_bytes, paths);
	return layout.positions_map_bytes + layout.paths_map_bytes +
	       num_present_cpus() * layout.ring_map_bytes;
}

static int make(struct gapp_buffers *buffers)
{
	const struct gapp_layout *layout = &buffers->layout;

	buffers->writers = kvcalloc(nr_cpu_ids, sizeof(*buffers->writers), GAPP_GFP);
	buffers->read_positions = gapp_shared_alloc(layout->positions_map_bytes, NUMA_NO_NODE);
	buffers->paths = gapp_shared_alloc(layout->paths_map_bytes, NUMA_NO_NODE);
	if (!buffers->writers || !buffers->read_positions || !buffers->paths)
		return -ENOMEM;
	gapp_path_table_init(&buffers->table, buffers->paths + layout->path_slots_at,
			     layout->path_slots, buffers->paths + layout->path_words_at,
			     layout->path_words, get_random_u64());
	return 0;
}

/* Both sizes are powers of two within the ABI's bounds. NULL: there is no memory. */
struct gapp_buffers *gapp_buffers_create(u32 ring_bytes, u32 paths)
{
	struct gapp_buffers *buffers = kzalloc(sizeof(*buffers), GAPP_GFP);

	if (!buffers)
		return NULL;
	init_waitqueue_head(&buffers->readers);
	init_irq_work(&buffers->half_full, wake_readers);
	timer_setup(&buffers->tick, tick, 0);
	lay_out(&buffers->layout, ring_bytes, paths);
	if (!make(buffers))
		return buffers;
	gapp_buffers_destroy(buffers);
	return NULL;
}

/**
 * gapp_buffers_add_ring() - make the ring of a CPU, on the CPU's node
 * @buffers: buffers of the session
 * @cpu: number of the CPU
 * @writer: writer of that CPU; it outlives @buffers
 *
 * Return: 0 or -ENOMEM.
 */
int gapp_buffers_add_ring(struct gapp_buffers *buffers, unsigned int cpu,
			  struct gapp_writer *writer)
{
	const struct gapp_layout *layout = &buffers->layout;
	void *map = gapp_shared_alloc(layout->ring_map_bytes, cpu_to_node(cpu));

	if (!map)
		return -ENOMEM;
	gapp_ring_init(&writer->ring, map + layout->ring_data, layout->ring_bytes, cpu, map,
		       buffers->read_positions + cpu * POSITION_STRIDE);
	buffers->writers[cpu] = writer;
	return 0;
}

/* The file is being closed, or its session was not set up: nobody has a mapping, nobody waits. */
void gapp_buffers_destroy(struct gapp_buffers *buffers)
{
	const struct gapp_layout *layout;
	unsigned int i;

	if (!buffers)
		return;
	layout = &buffers->layout;
	irq_work_sync(&buffers->half_full);
	gapp_timer_delete_sync(&buffers->tick);
	for (i = 0; buffers->writers && i < nr_cpu_ids; i++)
		if (buffers->writers[i])
			gapp_shared_free(buffers->writers[i]->ring.shared, layout->ring_map_bytes);
	kvfree(buffers->writers);
	gapp_shared_free(buffers->read_positions, layout->positions_map_bytes);
	gapp_shared_free(buffers->paths, layout->paths_map_bytes);
	kfree(buffers);
}

/* Tells the reader that no more records come. */
void gapp_buffers_end(struct gapp_buffers *buffers)
{
	if (!buffers)
		return;
	WRITE_ONCE(buffers->ended, true);
	wake_up_interruptible(&buffers->readers);
}

static void *find_map(struct gapp_buffers *buffers, u64 offset, u64 *bytes)
{
	const struct gapp_layout *layout = &buffers->layout;
	struct gapp_writer *writer;
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
	if (cpu >= layout->cpus)
		return NULL;
	writer = buffers->writers[array_index_nospec(cpu, layout->cpus)];
	return writer ? writer->ring.shared : NULL;
}

int gapp_buffers_mmap(struct gapp_buffers *buffers, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
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

/* Bytes in the fullest ring, as another CPU sees them. */
static u64 fullest(const struct gapp_buffers *buffers)
{
	const struct gapp_ring_writer *ring;
	u64 most = 0;
	unsigned int i;

	for (i = 0; i < nr_cpu_ids; i++) {
		if (!buffers->writers[i])
			continue;
		ring = &buffers->writers[i]->ring;
		most = max(most, READ_ONCE(ring->head) - READ_ONCE(*ring->read_position));
	}
	return most;
}

/*
 * No record wakes a reader by itself: a wake-up under the run-queue lock would deadlock. The reader
 * is woken when a ring is half full, and by @tick if there is any record.
 */
__poll_t gapp_buffers_poll(struct gapp_buffers *buffers, struct file *file,
			   struct poll_table_struct *table)
{
	__poll_t events = 0;
	u64 most;

	if (!buffers)
		return EPOLLERR;
	poll_wait(file, &buffers->readers, table);
	most = fullest(buffers);
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
