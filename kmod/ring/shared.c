// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that a reader may map. vmalloc_user() would charge it to nobody and take it from any node.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>

#include "shared.h"

static void free_pages_of(struct page **pages, unsigned long count)
{
	while (count--)
		__free_page(pages[count]);
	kvfree(pages);
}

/**
 * gapp_shared_alloc() - make zeroed memory for remap_vmalloc_range()
 * @bytes: how many, whole pages
 * @node: node on which it should lie, or NUMA_NO_NODE
 *
 * It is charged to the memory cgroup of current. Process context.
 *
 * Return: the memory, for vfree(); NULL: there is none, or current is being killed.
 */
void *gapp_shared_alloc(u64 bytes, int node)
{
	unsigned long count = bytes >> PAGE_SHIFT, made;
	struct page **pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL);
	void *memory;

	if (!pages)
		return NULL;
	for (made = 0; made < count; made++) {
		pages[made] = fatal_signal_pending(current) ?
				      NULL :
				      alloc_pages_node(node, GFP_KERNEL_ACCOUNT | __GFP_ZERO, 0);
		if (!pages[made])
			goto free;
		cond_resched();
	}
	/* From here on vfree() frees the pages too. */
	memory = vmap(pages, count, VM_MAP | VM_USERMAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (memory)
		return memory;
free:
	free_pages_of(pages, made);
	return NULL;
}
