// SPDX-License-Identifier: GPL-2.0
/* Targets: made in process context, taken into use from any, kept until the session is closed. */
#include <linux/overflow.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/vmalloc.h"
#include "fault/fault.h"
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
	u64 *hist = __vmalloc(array_size(hist_len, sizeof(*hist)), GAPP_VMALLOC_GFP | __GFP_ZERO);

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
		gapp_table_lock(threads, &flags);
		more = threads->target_made < threads->target_max &&
		       threads->target_made - threads->target_count < count;
		if (more) {
			threads->targets[threads->target_made++] = target;
			target = NULL;
		}
		gapp_table_unlock(threads, flags);
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

/* The threshold holds from now on. False: this CPU has no post. */
static bool post_n_min(struct gapp_thread_table *threads, struct gapp_target *target, u32 n_min)
{
	struct gapp_post *post = gapp_posts_get(&threads->posts, 0);

	if (!post)
		return false;
	post->thread = NULL;
	post->event = GAPP_POST_N_MIN;
	post->n_min = n_min;
	gapp_posts_put(&threads->posts, &target->acc, post);
	return true;
}

/*
 * Sets the threshold, if it changes. Under table_lock, so a CPU without posts does not wait for
 * one: who merges may wait for that lock. Then the threshold holds from a later time on, at which
 * the worker sets it; between two such changes there is hardly a way not to have an event of a
 * thread, which leaves posts for them.
 */
void gapp_target_apply_n_min(struct gapp_thread_table *threads, struct gapp_target *target)
{
	const u32 n_min = gapp_threshold_n_min(&target->threshold);

	gapp_fault_target();
	if (n_min == target->n_min)
		return;
	if (!gapp_fault("late_n_min") &&
	    (gapp_acc_set_n_min(&target->acc, n_min) || post_n_min(threads, target, n_min))) {
		target->n_min = n_min;
		return;
	}
	gapp_posts_count_wait(&threads->posts);
	threads->n_min_late = true;
	irq_work_queue(&threads->worker->irq_work);
}

/*
 * From here on the table is locked for one target at a time: there may be thousands, and threads
 * that begin or exit wait for the lock. A target that is made meanwhile begins by the new rule and
 * in the new phase.
 */

/* The target's threshold follows the rule. */
static void follow_rule(struct gapp_thread_table *threads, struct gapp_target *target)
{
	unsigned long flags;

	gapp_table_lock(threads, &flags);
	target->threshold.cpus = threads->threshold_rule.cpus;
	gapp_target_apply_n_min(threads, target);
	gapp_table_unlock(threads, flags);
}

/* False: there is nothing to do for the targets. */
static bool raise_cpus(struct gapp_thread_table *threads, u32 cpus)
{
	unsigned long flags;
	bool more;

	gapp_table_lock(threads, &flags);
	more = cpus > threads->threshold_rule.cpus;
	if (more)
		threads->threshold_rule.cpus = cpus;
	gapp_table_unlock(threads, flags);
	return more;
}

static void all_follow_rule(struct gapp_thread_table *threads)
{
	u32 i;

	for (i = 0; i < gapp_target_count(threads); i++) {
		follow_rule(threads, threads->targets[i]);
		cond_resched();
	}
}

/* Raises the number of CPUs that the targets' threads may use to at least @cpus. May sleep. */
void gapp_targets_add_cpus(struct gapp_thread_table *threads, u32 cpus)
{
	if (raise_cpus(threads, cpus))
		all_follow_rule(threads);
}

/* gapp_targets_add_cpus() of a session with one target. Does not sleep. */
void gapp_target_add_cpus(struct gapp_thread_table *threads, u32 cpus)
{
	if (raise_cpus(threads, cpus))
		follow_rule(threads, threads->targets[0]);
}

/* Sets thresholds that could not be set when they changed. The worker. */
void gapp_targets_catch_up(struct gapp_thread_table *threads)
{
	unsigned long flags;
	bool late;

	gapp_table_lock(threads, &flags);
	late = threads->n_min_late;
	threads->n_min_late = false;
	gapp_table_unlock(threads, flags);
	if (late)
		all_follow_rule(threads);
}

/* Where CPUs together have more events than can be applied, there may always be posts. */
#define TRIES_WITHOUT_POSTS 100

/* Session time begins. Under table_lock. */
static void begin(struct gapp_thread_table *threads)
{
	WRITE_ONCE(threads->start_ns, gapp_clock());
	/* Pairs with the acquire in gapp_session_time(). */
	smp_store_release(&threads->phase, GAPP_PHASE_RUNNING);
}

/*
 * Session time begins with the first target's, while its integrals are held: an event that was
 * applied before them has read the clock before START did. Under table_lock; lets go of @acc.
 */
static void start_held(struct gapp_thread_table *threads, struct gapp_acc *acc)
{
	if (threads->phase == GAPP_PHASE_BEFORE)
		begin(threads);
	acc->start_ns = threads->start_ns;
	/* Pairs with that of gapp_acc_glance(). */
	smp_wmb();
	gapp_cm_start(&acc->cm, 0);
	gapp_acc_let_go(acc);
}

/* False: another CPU holds the integrals, or there are posts. */
static bool start(struct gapp_thread_table *threads, struct gapp_target *target)
{
	unsigned long flags;
	s64 unused;
	bool done;

	gapp_table_lock(threads, &flags);
	gapp_fault_target();
	done = gapp_acc_take(&target->acc, &unused);
	if (done)
		start_held(threads, &target->acc);
	gapp_table_unlock(threads, flags);
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

	gapp_table_lock(threads, &flags);
	gapp_fault_target();
	done = threads->phase == GAPP_PHASE_STOPPED;
	if (!done && gapp_acc_take_for_post(acc)) {
		start_held(threads, acc);
		done = true;
	}
	gapp_table_unlock(threads, flags);
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

	gapp_table_lock(threads, &flags);
	gapp_fault_target();
	done = gapp_acc_stop(&target->acc, &target->end);
	if (!done)
		post = gapp_posts_get(&threads->posts, 0);
	if (post) {
		post->thread = NULL;
		post->event = GAPP_POST_STOP;
		gapp_posts_put(&threads->posts, &target->acc, post);
	}
	gapp_table_unlock(threads, flags);
	return done || post;
}

/* Begins session time. */
void gapp_targets_start(struct gapp_thread_table *threads)
{
	unsigned long flags;
	u32 i;

	gapp_table_lock(threads, &flags);
	if (!gapp_target_count(threads))
		begin(threads);
	gapp_table_unlock(threads, flags);
	/* one that is made after the first one has started finds that session time runs */
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

	gapp_table_lock(threads, &flags);
	begins = threads->phase == GAPP_PHASE_BEFORE;
	gapp_table_unlock(threads, flags);
	while (begins && !start_anyhow(threads, &threads->targets[0]->acc))
		cpu_relax();
	return begins && READ_ONCE(threads->start_ns);
}

/* Ends session time. Returns the sum of all n. */
u32 gapp_targets_stop(struct gapp_thread_table *threads)
{
	unsigned long flags;
	u32 i, n = 0;

	gapp_table_lock(threads, &flags);
	WRITE_ONCE(threads->phase, GAPP_PHASE_STOPPED);
	gapp_table_unlock(threads, flags);
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
	u64 clock;
	s64 now;

	local_irq_save(flags);
	clock = gapp_clock();
	taken = behind ? gapp_acc_take_for_post(acc) : gapp_acc_take(acc, &now);
	if (taken) {
		if (behind)
			now = clock - acc->start_ns;
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
