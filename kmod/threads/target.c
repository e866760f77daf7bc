// SPDX-License-Identifier: GPL-2.0
/* Targets: made in process context, taken into use from any, kept until the session is closed. */
#include <linux/overflow.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "table.h"

static struct gapp_target *make_one_of_many(void)
{
	struct gapp_target *target;

	target = kzalloc(struct_size(target, hist, GAPP_TARGET_HIST), GAPP_GFP);
	if (target)
		gapp_acc_init(&target->acc, target->hist, GAPP_TARGET_HIST);
	return target;
}

/* vmalloc() for hist: its size is a bit over a power of two, which kmalloc() would double. */
static struct gapp_target *make_the_only_one(u32 max_threads)
{
	u32 hist_len = max_threads + 1;
	struct gapp_target *target = kzalloc(sizeof(*target), GAPP_GFP);
	u64 *hist = __vmalloc(array_size(hist_len, sizeof(*hist)), GAPP_GFP | __GFP_ZERO);

	if (!target || !hist) {
		vfree(hist);
		kfree(target);
		return NULL;
	}
	gapp_acc_init(&target->acc, hist, hist_len);
	return target;
}

static void unmake(struct gapp_target *target)
{
	if (target && target->acc.cm.hist != target->hist)
		vfree(target->acc.cm.hist);
	kfree(target);
}

/* The session's only target is in use from the beginning. */
int gapp_targets_init(struct gapp_thread_table *threads)
{
	struct gapp_target *target;

	threads->target_max = threads->settings->per_process ? GAPP_MAX_TARGETS : 1;
	threads->targets = kvcalloc(threads->target_max, sizeof(*threads->targets), GAPP_GFP);
	if (!threads->targets)
		return -ENOMEM;
	if (threads->settings->per_process)
		return gapp_targets_stock(threads, GAPP_STOCK_TARGETS);
	target = make_the_only_one(threads->settings->max_threads);
	if (!target)
		return -ENOMEM;
	target->threshold = threads->threshold_rule;
	threads->targets[0] = target;
	threads->target_made = 1;
	threads->target_count = 1;
	return 0;
}

/* No probe runs any more. */
void gapp_targets_destroy(struct gapp_thread_table *threads)
{
	while (threads->target_made) {
		struct gapp_target *target = threads->targets[--threads->target_made];

		put_pid(target->tgid);
		unmake(target);
		cond_resched();
	}
	threads->target_count = 0;
	kvfree(threads->targets);
	threads->targets = NULL;
}

/**
 * gapp_targets_stock() - make free targets for processes to come
 * @threads: the table
 * @count: how many at least, as far as the bound allows
 *
 * Return: 0 or -ENOMEM; 0 too if target_max targets are made.
 */
int gapp_targets_stock(struct gapp_thread_table *threads, u32 count)
{
	struct gapp_target *target = NULL;
	unsigned long flags;
	bool more = true;

	while (threads->settings->per_process && more) {
		if (!target)
			target = make_one_of_many();
		if (!target)
			return -ENOMEM;
		raw_spin_lock_irqsave(&threads->table_lock, flags);
		more = threads->target_made < threads->target_max &&
		       threads->target_made - threads->target_count < count;
		if (more) {
			threads->targets[threads->target_made++] = target;
			target = NULL;
		}
		raw_spin_unlock_irqrestore(&threads->table_lock, flags);
	}
	unmake(target);
	return 0;
}

/**
 * gapp_target_new() - the target of a process that joins
 * @threads: the table, under table_lock
 * @task: a thread of the process
 * @tgid: the process's id
 *
 * Return: the target, or NULL if there is none.
 */
struct gapp_target *gapp_target_new(struct gapp_thread_table *threads, struct task_struct *task,
				    struct pid *tgid)
{
	struct gapp_target *target;

	if (!threads->settings->per_process)
		return threads->targets[0];
	if (threads->target_count >= threads->target_made)
		return NULL;
	target = threads->targets[threads->target_count];
	target->id = threads->target_count;
	target->tgid = get_pid(tgid);
	strscpy_pad(target->comm, task->group_leader->comm, sizeof(target->comm));
	target->threshold = threads->threshold_rule;
	if (threads->phase == GAPP_PHASE_RUNNING) {
		/* no event knows the target yet */
		gapp_acc_start(&target->acc, threads->start_ns, gapp_acc_clock(threads->start_ns));
		target->born = target->acc.cm.t;
	} else if (threads->phase == GAPP_PHASE_STOPPED) {
		target->acc.cm.phase = GAPP_PHASE_STOPPED;
	}
	/* Pairs with the acquire in gapp_target_count(): it is filled in. */
	smp_store_release(&threads->target_count, threads->target_count + 1);
	return target;
}

/*
 * The threshold holds from now on. A CPU without posts does not wait: who merges may wait for
 * table_lock.
 */
static void post_n_min(struct gapp_thread_table *threads, struct gapp_target *target)
{
	struct gapp_post *post = gapp_posts_get(&threads->posts);

	if (post) {
		post->thread = NULL;
		post->event = GAPP_POST_N_MIN;
		post->n_min = target->n_min;
		gapp_posts_put(&threads->posts, &target->acc, post);
		return;
	}
	while (!gapp_acc_take_for_post(&target->acc))
		cpu_relax();
	gapp_cm_set_n_min(&target->acc.cm, gapp_acc_now(&target->acc), target->n_min);
	gapp_acc_let_go(&target->acc);
}

/* Under table_lock. */
void gapp_target_apply_n_min(struct gapp_thread_table *threads, struct gapp_target *target)
{
	u32 n_min = gapp_threshold_n_min(&target->threshold);

	if (n_min == target->n_min)
		return;
	target->n_min = n_min;
	if (!gapp_acc_set_n_min(&target->acc, n_min))
		post_n_min(threads, target);
}

/* Raises the number of CPUs that the targets' threads may use to at least @cpus. */
void gapp_targets_add_cpus(struct gapp_thread_table *threads, u32 cpus)
{
	unsigned long flags;
	u32 i;

	raw_spin_lock_irqsave(&threads->table_lock, flags);
	if (cpus > threads->threshold_rule.cpus) {
		threads->threshold_rule.cpus = cpus;
		for (i = 0; i < threads->target_count; i++) {
			threads->targets[i]->threshold.cpus = cpus;
			gapp_target_apply_n_min(threads, threads->targets[i]);
		}
	}
	raw_spin_unlock_irqrestore(&threads->table_lock, flags);
}

/*
 * The table is locked for one target at a time: there may be thousands, and threads that begin or
 * exit wait for the lock with a run queue locked. A target that is made after the phase has changed
 * begins in the new phase.
 */

/* Where CPUs together have more events than can be applied, there may always be posts. */
#define TRIES_WITHOUT_POSTS 100

/* Session time begins. Under table_lock. */
static void begin(struct gapp_thread_table *threads)
{
	WRITE_ONCE(threads->start_ns, gapp_clock());
	/* Pairs with the acquire in gapp_session_time(). */
	smp_store_release(&threads->phase, GAPP_PHASE_RUNNING);
}

static bool start(struct gapp_thread_table *threads, struct gapp_target *target)
{
	unsigned long flags;
	bool done;

	raw_spin_lock_irqsave(&threads->table_lock, flags);
	done = gapp_acc_start(&target->acc, threads->start_ns, 0);
	raw_spin_unlock_irqrestore(&threads->table_lock, flags);
	return done;
}

/*
 * Starts with posts of before: whoever applies them takes care that no time is after now. After
 * STOP nothing is left to be done.
 */
static bool start_anyhow(struct gapp_thread_table *threads, struct gapp_acc *acc)
{
	unsigned long flags;
	bool done;

	raw_spin_lock_irqsave(&threads->table_lock, flags);
	done = threads->phase != GAPP_PHASE_RUNNING;
	if (!done && gapp_acc_take_for_post(acc)) {
		acc->start_ns = threads->start_ns;
		gapp_cm_start(&acc->cm, 0);
		gapp_acc_let_go(acc);
		done = true;
	}
	raw_spin_unlock_irqrestore(&threads->table_lock, flags);
	return done;
}

static void start_patiently(struct gapp_thread_table *threads, struct gapp_target *target)
{
	unsigned int i;

	for (i = 0; i < TRIES_WITHOUT_POSTS; i++) {
		if (start(threads, target))
			return;
		gapp_posts_wait(&threads->posts);
	}
	while (!start_anyhow(threads, &target->acc))
		cond_resched();
}

/* Stops the target now, or posts that. False: this CPU has no post. */
static bool stop(struct gapp_thread_table *threads, struct gapp_target *target)
{
	struct gapp_post *post = NULL;
	unsigned long flags;
	bool done;

	raw_spin_lock_irqsave(&threads->table_lock, flags);
	done = gapp_acc_stop(&target->acc, &target->end);
	if (!done)
		post = gapp_posts_get(&threads->posts);
	if (post) {
		post->thread = NULL;
		post->event = GAPP_POST_STOP;
		gapp_posts_put(&threads->posts, &target->acc, post);
	}
	raw_spin_unlock_irqrestore(&threads->table_lock, flags);
	return done || post;
}

/* Begins session time. */
void gapp_targets_start(struct gapp_thread_table *threads)
{
	unsigned long flags;
	u32 i;

	raw_spin_lock_irqsave(&threads->table_lock, flags);
	begin(threads);
	raw_spin_unlock_irqrestore(&threads->table_lock, flags);
	for (i = 0; i < gapp_target_count(threads); i++) {
		start_patiently(threads, threads->targets[i]);
		cond_resched();
	}
}

/**
 * gapp_target_start() - begin session time at an event
 * @threads: the table, of a session with one target
 *
 * Process context; does not sleep. Waits for a CPU that holds the integrals, but holds table_lock
 * itself no longer than for one try. STOP may have come before: then nothing begins.
 *
 * Return: true if session time has begun now.
 */
bool gapp_target_start(struct gapp_thread_table *threads)
{
	unsigned long flags;
	bool begins;

	raw_spin_lock_irqsave(&threads->table_lock, flags);
	begins = threads->phase == GAPP_PHASE_BEFORE;
	if (begins)
		begin(threads);
	raw_spin_unlock_irqrestore(&threads->table_lock, flags);
	while (begins && !start_anyhow(threads, &threads->targets[0]->acc))
		cpu_relax();
	return begins;
}

/* Ends session time. Returns the sum of all n. */
u32 gapp_targets_stop(struct gapp_thread_table *threads)
{
	unsigned long flags;
	u32 i, n = 0;

	raw_spin_lock_irqsave(&threads->table_lock, flags);
	WRITE_ONCE(threads->phase, GAPP_PHASE_STOPPED);
	raw_spin_unlock_irqrestore(&threads->table_lock, flags);
	for (i = 0; i < gapp_target_count(threads); i++) {
		while (!stop(threads, threads->targets[i]))
			gapp_posts_wait(&threads->posts);
		cond_resched();
	}
	gapp_posts_wait(&threads->posts);
	for (i = 0; i < gapp_target_count(threads); i++)
		n += threads->targets[i]->end.n;
	return n;
}

static bool read(struct gapp_acc *acc, bool behind, struct gapp_target_sums *sums)
{
	struct gapp_at *at = &sums->at;
	unsigned long flags;
	bool taken;
	s64 now;

	local_irq_save(flags);
	taken = behind ? gapp_acc_take_for_post(acc) : gapp_acc_take(acc, &now);
	if (taken) {
		if (behind)
			now = gapp_acc_now(acc);
		gapp_cm_read(&acc->cm, now, at);
		sums->idle = acc->cm.hist[0] + (at->n ? 0 : at->t - acc->cm.t);
		sums->n_min_most = acc->cm.n_min_most;
		sums->n_min_least = acc->cm.n_min_least;
		sums->n_min_most_ns = gapp_cm_n_min_most_ns(&acc->cm, at->t);
		gapp_acc_let_go(acc);
	}
	local_irq_restore(flags);
	return taken;
}

/* Reads what the target has added up until now. May sleep. */
void gapp_target_read(struct gapp_thread_table *threads, struct gapp_target *target,
		      struct gapp_target_sums *sums)
{
	unsigned int tries = 0;

	while (!read(&target->acc, tries > TRIES_WITHOUT_POSTS, sums)) {
		gapp_posts_wait(&threads->posts);
		tries++;
	}
}

/* Nanoseconds since session time began; 0 before. */
u64 gapp_session_time(struct gapp_thread_table *threads)
{
	/* Pairs with the release in begin(): start_ns is set. */
	return smp_load_acquire(&threads->phase) == GAPP_PHASE_BEFORE ?
		       0 :
		       gapp_acc_clock(threads->start_ns);
}
