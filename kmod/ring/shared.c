// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that a reader may map. vmalloc_user() would charge it to nobody and take it from any node.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>

#include "compat/page_flags.h"
#include "shared.h"
#include "threads/settings.h"

static void free_pages_of(struct page **pages, unsigned long count)
{
	while (count--) {
		__free_page(pages[count]);
		cond_resched();
	}
	kvfree(pages);
}

/**
 * gapp_shared_alloc() - make zeroed memory for remap_vmalloc_range()
 * @bytes: how many, whole pages
 * @node: node on which it should lie, or NUMA_NO_NODE
 *
 * It is charged to the memory cgroup of current, unless that keeps it from being mapped. Process
 * context.
 *
 * Return: the memory, for gapp_shared_free(); NULL: there is none, or current is being killed.
 */
void *gapp_shared_alloc(u64 bytes, int node)
{
	unsigned long count = bytes >> PAGE_SHIFT, made;
	struct page **pages = kvmalloc_array(count, sizeof(*pages), GAPP_GFP);
	void *memory;

	if (!pages)
		return NULL;
	for (made = 0; made < count; made++) {
		pages[made] =
			fatal_signal_pending(current) ?
				NULL :
				alloc_pages_node(node, GAPP_GFP_MAPPED(GAPP_GFP) | __GFP_ZERO, 0);
		if (!pages[made])
			goto free;
		cond_resched();
	}
	memory = vmap(pages, count, VM_MAP | VM_USERMAP, PAGE_KERNEL);
	if (memory) {
		kvfree(pages);
		return memory;
	}
free:
	free_pages_of(pages, made);
	return NULL;
}

/**
 * gapp_shared_free() - free what gapp_shared_alloc() has made
 * @memory: the memory, which nobody maps any more; or NULL
 * @bytes: how many
 *
 * With VM_MAP_PUT_PAGES vfree() would do it, but take the pages from counters to which some
 * releases of 6.1 and 6.12 have not added them.
 */
void gapp_shared_free(void *memory, u64 bytes)
{
	struct page *page, *rest = NULL;
	u64 at;

	if (!memory)
		return;
	for (at = 0; at < bytes; at += PAGE_SIZE) {
		page = vmalloc_to_page(memory + at);
		set_page_private(page, (unsigned long)rest);
		rest = page;
		cond_resched();
	}
	vunmap(memory);
	while (rest) {
		page = rest;
		rest = (struct page *)page_private(page);
		set_page_private(page, 0);
		__free_page(page);
		cond_resched();
	}
}
