/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Posts: events that could not be applied at once, because another CPU held the integrals for long,
 * or because other events of the target are still posted. A CPU takes a post of its own pool, and
 * puts it behind all others of the session. Whoever merges applies posts in that order, each at its
 * own time. An event of a thread comes after the thread's former event, so it is put behind it.
 */
#ifndef GAPP_POSTS_H
#define GAPP_POSTS_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/irq_work.h>
#include <linux/llist.h>

#include "core/slice.h"

struct gapp_acc;
struct gapp_thread;

/*
 * Posts of a CPU, a power of two: as many as its events need while whoever merges is halted for
 * some milliseconds; fewer with many CPUs, so that a session does not take too much memory.
 */
#define GAPP_POSTS_MOST 4096
#define GAPP_POSTS_LEAST 1024
#define GAPP_POSTS_ALL 131072
/* The last free posts of a CPU are for events of targets, whose lock nobody may hold for long. */
#define GAPP_POSTS_KEPT 64

/* Events of a target. */
enum gapp_post_event {
	GAPP_POST_N_MIN, /* another threshold */
	GAPP_POST_STOP, /* session time ends */
};

/* The thread's slice was open on the CPU: gapp_post.begin is its begin. */
#define GAPP_POST_OPEN BIT(0)
/* The slice has parts that were exported, and one of them was critical. */
#define GAPP_POST_CRITICAL BIT(1)
/* A sample hit the slice. */
#define GAPP_POST_SAMPLED BIT(2)

/**
 * struct gapp_post - an event to be applied later
 * @node: in gapp_posts.list
 * @acc: integrals of the target
 * @thread: the thread; NULL: the event is one of the target, see @event
 * @t: session time of the event; below 0 before START
 * @begin: see GAPP_POST_OPEN
 * @kernel_runq: at a switch-out, the kernel's account of the thread's waits for a CPU
 * @n_min: with GAPP_POST_N_MIN: the threshold
 * @event: enum gapp_event; without a thread GAPP_POST_N_MIN or GAPP_POST_STOP
 * @reason: what the thread waits for from now on, or GAPP_WAIT_NONE
 * @flags: GAPP_POST_* bits
 * @busy: it waits to be applied
 */
struct gapp_post {
	struct llist_node node;
	struct gapp_acc *acc;
	struct gapp_thread *thread;
	s64 t;
	struct gapp_since begin;
	u64 kernel_runq;
	u32 n_min;
	u8 event;
	u8 reason;
	u8 flags;
	bool busy;
};

/**
 * struct gapp_post_pool - a CPU's posts
 * @used: posts used so far
 * @waits: events that found no free post, and had to wait or were put off
 * @posts: the posts of the session
 * @merge: merges them on this CPU
 * @mask: number of posts, less 1
 * @post: used and applied in turn; the next one is number @used, modulo their number
 */
struct gapp_post_pool {
	u64 used;
	u64 waits;
	struct gapp_posts *posts;
	struct irq_work merge;
	u32 mask;
	struct gapp_post post[];
};

/**
 * struct gapp_posts - the posts of a session
 * @list: posts, the newest first
 * @batch: posts taken from @list, the oldest first; of who merges
 * @merging: a CPU merges
 * @applied: posts that were applied; of who merges
 * @pools: by CPU
 */
struct gapp_posts {
	struct llist_head list;
	struct llist_node *batch;
	atomic_t merging;
	u64 applied;
	struct gapp_post_pool **pools;
};

/* Process context. @merge: what gapp_post_pool.merge does. */
int gapp_posts_init(struct gapp_posts *posts, void (*merge)(struct irq_work *work));
void gapp_posts_destroy(struct gapp_posts *posts);
/* Waits until all posts put so far are applied. */
void gapp_posts_wait(struct gapp_posts *posts);
/* No more posts come, and none is left: waits until no CPU merges. */
void gapp_posts_quiesce(struct gapp_posts *posts);

/* Interrupts off. @kept: posts that are left for others; NULL: there are no more free ones. */
struct gapp_post *gapp_posts_get(struct gapp_posts *posts, u32 kept);
void gapp_posts_count_wait(struct gapp_posts *posts);
void gapp_posts_put(struct gapp_posts *posts, struct gapp_acc *acc, struct gapp_post *post);

/* Interrupts off: to merge. */
bool gapp_posts_begin(struct gapp_posts *posts);
struct gapp_post *gapp_posts_first(struct gapp_posts *posts);
void gapp_posts_applied(struct gapp_posts *posts, struct gapp_post *post);
void gapp_posts_end(struct gapp_posts *posts);

/* Whether there is nothing to merge. */
static inline bool gapp_posts_none(const struct gapp_posts *posts)
{
	return llist_empty(&posts->list) && !READ_ONCE(posts->batch);
}

#endif /* GAPP_POSTS_H */
