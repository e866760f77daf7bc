// SPDX-License-Identifier: GPL-2.0
/* Cohorts: made in process context, taken into use from any, kept until the session is closed. */
#include <linux/overflow.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "track.h"

static struct gapp_target *make_one_of_many(void)
{
	struct gapp_target *cohort;

	cohort = kzalloc(struct_size(cohort, hist, GAPP_TARGET_HIST), GFP_KERNEL_ACCOUNT);
	if (cohort)
		gapp_acc_init(&cohort->acc, cohort->hist, GAPP_TARGET_HIST);
	return cohort;
}

/* A little more than a power of two, which kmalloc() would make twice as much of. */
static struct gapp_target *make_the_only_one(u32 max_threads)
{
	u32 hist_len = max_threads + 1;
	struct gapp_target *cohort = kzalloc(sizeof(*cohort), GFP_KERNEL_ACCOUNT);
	u64 *hist = __vmalloc(array_size(hist_len, sizeof(*hist)), GFP_KERNEL_ACCOUNT | __GFP_ZERO);

	if (!cohort || !hist) {
		vfree(hist);
		kfree(cohort);
		return NULL;
	}
	gapp_acc_init(&cohort->acc, hist, hist_len);
	return cohort;
}

static void unmake(struct gapp_target *cohort)
{
	if (cohort && cohort->acc.cm.hist != cohort->hist)
		vfree(cohort->acc.cm.hist);
	kfree(cohort);
}

/* The session's only cohort is in use from the beginning. */
int gapp_targets_init(struct gapp_track *track)
{
	struct gapp_target *cohort;

	track->cohort_max = track->per_process ? GAPP_MAX_TARGETS : 1;
	track->cohorts = kvcalloc(track->cohort_max, sizeof(*track->cohorts), GFP_KERNEL_ACCOUNT);
	if (!track->cohorts)
		return -ENOMEM;
	if (track->per_process)
		return gapp_targets_stock(track, GAPP_STOCK_TARGETS);
	cohort = make_the_only_one(track->max_threads);
	if (!cohort)
		return -ENOMEM;
	cohort->threshold = track->crowd_rule;
	track->cohorts[0] = cohort;
	track->cohort_made = 1;
	track->cohort_count = 1;
	return 0;
}

/* No probe runs any more. */
void gapp_targets_destroy(struct gapp_track *track)
{
	while (track->cohort_made) {
		struct gapp_target *cohort = track->cohorts[--track->cohort_made];

		put_pid(cohort->tgid);
		unmake(cohort);
	}
	track->cohort_count = 0;
	kvfree(track->cohorts);
	track->cohorts = NULL;
}

/**
 * gapp_targets_stock() - see to it that processes to come find a cohort
 * @track: the session's
 * @cohorts: how many at least, as far as the bound allows
 *
 * Return: 0 or -ENOMEM. That the bound is reached is no error.
 */
int gapp_targets_stock(struct gapp_track *track, u32 cohorts)
{
	struct gapp_target *cohort = NULL;
	unsigned long flags;
	bool more = true;

	while (track->per_process && more) {
		if (!cohort)
			cohort = make_one_of_many();
		if (!cohort)
			return -ENOMEM;
		raw_spin_lock_irqsave(&track->table_lock, flags);
		more = track->cohort_made < track->cohort_max &&
		       track->cohort_made - track->cohort_count < cohorts;
		if (more) {
			track->cohorts[track->cohort_made++] = cohort;
			cohort = NULL;
		}
		raw_spin_unlock_irqrestore(&track->table_lock, flags);
	}
	unmake(cohort);
	return 0;
}

/**
 * gapp_target_new() - the cohort of a process that joins
 * @track: the session's, under table_lock
 * @task: a thread of the process
 * @tgid: the process's id
 *
 * Return: the cohort, or NULL if there is none.
 */
struct gapp_target *gapp_target_new(struct gapp_track *track, struct task_struct *task,
				    struct pid *tgid)
{
	struct gapp_target *cohort;

	if (!track->per_process)
		return track->cohorts[0];
	if (track->cohort_count >= track->cohort_made)
		return NULL;
	cohort = track->cohorts[track->cohort_count];
	cohort->id = track->cohort_count;
	cohort->tgid = get_pid(tgid);
	strscpy_pad(cohort->comm, task->group_leader->comm, sizeof(cohort->comm));
	cohort->threshold = track->crowd_rule;
	if (track->phase == GAPP_PHASE_RUNNING) {
		gapp_acc_start(&cohort->acc, track->start_ns, gapp_acc_clock(track->start_ns));
		cohort->born = cohort->acc.cm.t;
	} else if (track->phase == GAPP_PHASE_STOPPED) {
		cohort->acc.cm.phase = GAPP_PHASE_STOPPED;
	}
	/* Pairs with the acquire in gapp_target_count(): it is filled in. */
	smp_store_release(&track->cohort_count, track->cohort_count + 1);
	return cohort;
}

/* Under table_lock. */
void gapp_target_apply_n_min(struct gapp_target *cohort)
{
	u32 n_min = gapp_threshold_n_min(&cohort->threshold);

	if (n_min == cohort->n_min)
		return;
	cohort->n_min = n_min;
	gapp_acc_set_n_min(&cohort->acc, n_min);
}

/* CPUs that threads found while attaching may use. */
void gapp_targets_add_cpus(struct gapp_track *track, u32 cpus)
{
	unsigned long flags;
	u32 i;

	raw_spin_lock_irqsave(&track->table_lock, flags);
	if (cpus > track->crowd_rule.cpus) {
		track->crowd_rule.cpus = cpus;
		for (i = 0; i < track->cohort_count; i++) {
			track->cohorts[i]->threshold.cpus = cpus;
			gapp_target_apply_n_min(track->cohorts[i]);
		}
	}
	raw_spin_unlock_irqrestore(&track->table_lock, flags);
}

/* Session time begins. */
void gapp_targets_start(struct gapp_track *track)
{
	unsigned long flags;
	u32 i;

	raw_spin_lock_irqsave(&track->table_lock, flags);
	track->start_ns = ktime_get_mono_fast_ns();
	track->phase = GAPP_PHASE_RUNNING;
	for (i = 0; i < track->cohort_count; i++)
		gapp_acc_start(&track->cohorts[i]->acc, track->start_ns, 0);
	raw_spin_unlock_irqrestore(&track->table_lock, flags);
}

/* Session time ends. Returns the sum of all n. */
u32 gapp_targets_stop(struct gapp_track *track)
{
	unsigned long flags;
	u32 i, n = 0;

	raw_spin_lock_irqsave(&track->table_lock, flags);
	track->phase = GAPP_PHASE_STOPPED;
	for (i = 0; i < track->cohort_count; i++) {
		struct gapp_target *cohort = track->cohorts[i];

		gapp_acc_stop(&cohort->acc, &cohort->end);
		n += cohort->end.n;
	}
	raw_spin_unlock_irqrestore(&track->table_lock, flags);
	return n;
}

/* The accumulators now. Returns the time with no thread active, all of it. */
u64 gapp_target_read(struct gapp_target *cohort, struct gapp_at *at)
{
	struct gapp_acc *acc = &cohort->acc;
	unsigned long flags;
	u64 idle;

	raw_spin_lock_irqsave(&acc->lock, flags);
	gapp_cm_read(&acc->cm, gapp_acc_clock(acc->start_ns), at);
	idle = acc->cm.hist[0] + (at->n ? 0 : at->t - acc->cm.t);
	raw_spin_unlock_irqrestore(&acc->lock, flags);
	return idle;
}

/* 0 before the start. */
u64 gapp_session_time(struct gapp_track *track)
{
	return READ_ONCE(track->phase) == GAPP_PHASE_BEFORE ? 0 : gapp_acc_clock(track->start_ns);
}
