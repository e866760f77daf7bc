// SPDX-License-Identifier: GPL-2.0
/* Posts: made by events on any CPU, without a lock, and taken by one CPU at a time. */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "acc.h"
#include "compat/irq_work.h"
#include "memory.h"
#include "posts.h"

static u32 posts_of_a_cpu(void)
{
	u32 count = GAPP_POSTS_MOST;

	while (count > GAPP_POSTS_LEAST && count * num_possible_cpus() > GAPP_POSTS_ALL)
		count /= 2;
	return count;
}

int gapp_posts_init(struct gapp_posts *posts, void (*merge)(struct irq_work *work))
{
	const u32 count = posts_of_a_cpu();
	struct gapp_post_pool *pool;
	unsigned int cpu;

	init_llist_head(&posts->list);
	posts->pools = kvcalloc(nr_cpu_ids, sizeof(*posts->pools), GAPP_GFP);
	if (!posts->pools)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		pool = kvzalloc_node(sizeof(*pool) + count * sizeof(*pool->post), GAPP_GFP,
				     cpu_to_node(cpu));
		if (!pool) {
			gapp_posts_destroy(posts);
			return -ENOMEM;
		}
		pool->posts = posts;
		pool->mask = count - 1;
		pool->merge = IRQ_WORK_INIT_HARD(merge);
		posts->pools[cpu] = pool;
	}
	return 0;
}

void gapp_posts_destroy(struct gapp_posts *posts)
{
	unsigned int cpu;

	if (!posts->pools)
		return;
	for_each_possible_cpu(cpu)
		kvfree(posts->pools[cpu]);
	kvfree(posts->pools);
	posts->pools = NULL;
}

static void merge_here(struct gapp_posts *posts)
{
	irq_work_queue(&posts->pools[get_cpu()]->merge);
	put_cpu();
}

void gapp_posts_wait(struct gapp_posts *posts)
{
	unsigned int cpu;
	u64 used = 0;

	if (!posts->pools)
		return;
	for_each_possible_cpu(cpu)
		used += READ_ONCE(posts->pools[cpu]->used);
	while (READ_ONCE(posts->applied) < used) {
		merge_here(posts);
		usleep_range(20, 100);
	}
}

void gapp_posts_quiesce(struct gapp_posts *posts)
{
	unsigned int cpu;

	gapp_posts_wait(posts);
	if (posts->pools)
		for_each_possible_cpu(cpu)
			irq_work_sync(&posts->pools[cpu]->merge);
}

struct gapp_post *gapp_posts_get(struct gapp_posts *posts, u32 kept)
{
	struct gapp_post_pool *pool = posts->pools[smp_processor_id()];
	struct gapp_post *post;

	/* Pairs with the release in gapp_posts_applied(). If this one is free, so are those before.
	 */
	if (smp_load_acquire(&pool->post[(pool->used + kept) & pool->mask].busy))
		return NULL;
	post = &pool->post[pool->used & pool->mask];
	gapp_count(pool->used, 1);
	post->busy = true;
	return post;
}

/* An event has found no free post. */
void gapp_posts_count_wait(struct gapp_posts *posts)
{
	gapp_count(posts->pools[smp_processor_id()]->waits, 1);
}

/*
 * Puts a post, filled in but for @acc and @t, behind all others. From then on, until it is
 * applied, no event of the target is applied at once. The post's thread is locked, so that its
 * posts are in the order of its events.
 */
void gapp_posts_put(struct gapp_posts *posts, struct gapp_acc *acc, struct gapp_post *post)
{
	atomic_add(GAPP_ACC_POST, &acc->word);
	/* Who sees the post's time pass sees the count. */
	smp_mb__after_atomic();
	post->acc = acc;
	post->t = gapp_acc_now(acc);
	llist_add(&post->node, &posts->list);
	irq_work_queue(&posts->pools[smp_processor_id()]->merge);
}

/* False: another CPU merges; it goes on until nothing is left. */
bool gapp_posts_begin(struct gapp_posts *posts)
{
	return !atomic_read(&posts->merging) && !atomic_xchg(&posts->merging, 1);
}

/* The oldest post; NULL: there is none. */
struct gapp_post *gapp_posts_first(struct gapp_posts *posts)
{
	if (!posts->batch)
		WRITE_ONCE(posts->batch, llist_reverse_order(llist_del_all(&posts->list)));
	return posts->batch ? llist_entry(posts->batch, struct gapp_post, node) : NULL;
}

/* The oldest post was applied, and may be used again. */
void gapp_posts_applied(struct gapp_posts *posts, struct gapp_post *post)
{
	WRITE_ONCE(posts->batch, post->node.next);
	WRITE_ONCE(posts->applied, posts->applied + 1);
	/* Pairs with the acquire in gapp_acc_try(): the post is applied. */
	atomic_fetch_sub_release(GAPP_ACC_POST, &post->acc->word);
	/* Pairs with the acquire in gapp_posts_get(). */
	smp_store_release(&post->busy, false);
}

void gapp_posts_end(struct gapp_posts *posts)
{
	atomic_set_release(&posts->merging, 0);
	/* Whoever failed in gapp_posts_begin() has put a post that the caller sees from now on. */
	smp_mb();
}
