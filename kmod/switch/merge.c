// SPDX-License-Identifier: GPL-2.0
/*
 * Posts events that cannot be applied now, and applies them later: see posts.h. The CPU that posts
 * an event asks itself for an interrupt, in which it merges what all CPUs have posted. If another
 * CPU still holds the integrals then, the worker tries again, and so does the next event.
 */
#include "fault/fault.h"
#include "switch.h"

/* Posts that are applied in one interrupt. */
#define MERGE_MOST 64
/* Posts that an event applies when its CPU has no free one. */
#define MERGE_FEW 8

/*
 * When the event came. A session that starts in spite of posts has a new clock: the time of an
 * earlier post is not after now. @now: gapp_clock(), read before the integrals are held.
 */
static s64 time_of(const struct gapp_post *post, u64 now)
{
	return min_t(s64, post->t, now - post->acc->start_ns);
}

/*
 * What the thread waits for after the event: see wait_reason() in events.c, whose part that must
 * come at the time of the event is in @post.
 */
static u8 reason_after(const struct gapp_thread *thread, const struct gapp_post *post, u32 step)
{
	const u32 to = gapp_step_to(step);

	if (gapp_state_spins(to))
		return GAPP_WAIT_SPIN;
	if (to != GAPP_THREAD_BLOCKED)
		return GAPP_WAIT_NONE;
	if (post->event == GAPP_EV_OUT_ASLEEP)
		return post->reason;
	if (post->event == GAPP_EV_SEED_BLOCKED && thread->core.state == GAPP_THREAD_UNKNOWN)
		return post->reason;
	return thread->wait_reason;
}

/*
 * Brings the comparison with the kernel's account up to date. Where it would have to begin, or to
 * leave out a wait, it waits for a switch-out that is not posted.
 */
static void account(struct gapp_thread *thread, const struct gapp_post *post,
		    const struct gapp_at *at)
{
	thread->kernel_runq = post->kernel_runq;
	if (post->event != GAPP_EV_OUT_DEAD)
		return;
	if (!(gapp_task_state_word(thread->task) & TASK_DEAD))
		gapp_thread_add_flags(thread, GAPP_THREAD_KERNEL_LATE);
	gapp_accounts_end(thread, at);
}

/* STOP was before the event: only the slice that was open then still ends. */
static void end(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread,
		const struct gapp_post *post, const struct gapp_since *begin,
		const struct gapp_at *at)
{
	gapp_accounts_end(thread, at);
	if (thread->flags & GAPP_THREAD_ENDED)
		return;
	if (begin)
		gapp_slices_carry(session, cpu, thread, post, begin, at);
	if (begin || thread->core.state == GAPP_THREAD_BLOCKED)
		gapp_thread_add_flags(thread, GAPP_THREAD_ENDED);
}

/* The thread's state and sums after the event, which was at @at. The thread is locked. */
static void take_step(struct gapp_session *session, struct gapp_cpu *cpu,
		      struct gapp_thread *thread, const struct gapp_post *post, u32 step, int dn,
		      u8 waited, const struct gapp_at *at)
{
	const struct gapp_task *task = &thread->core;
	const u32 was = task->state;
	const bool out = gapp_is_switch_out(post->event);
	const struct gapp_since begin = {
		.t = task->t,
		.g = task->g,
		.c = task->c,
		.s = gapp_thread_s_found(thread),
	};
	const bool open = out && (post->flags & GAPP_POST_OPEN || was == GAPP_THREAD_RUNNING);

	/* who preempted the thread is not known any more */
	if (session->settings.waits)
		gapp_waits_take(gapp_thread_waits(thread), task, step, thread->wait_reason,
				GAPP_OTHER_PREEMPTERS, at);
	gapp_accounts_spun(thread, at);
	gapp_task_take(&thread->core, step, at);
	if (was != GAPP_THREAD_RUNNING && task->state == GAPP_THREAD_RUNNING)
		gapp_thread_note_s_found(thread, at->s);
	if (at->phase == GAPP_PHASE_BEFORE || was == GAPP_THREAD_GONE)
		return;
	if (at->phase == GAPP_PHASE_STOPPED) {
		end(session, cpu, thread, post, open ? &begin : NULL, at);
		return;
	}
	if (out)
		account(thread, post, at);
	if (open)
		gapp_slices_carry(session, cpu, thread, post, &begin, at);
	if (dn > 0 && waited != GAPP_WAIT_NONE && at->idle)
		gapp_slice_waited(&thread->slice, &session->settings.rule, at);
}

/* A thread that is gone may be freed before the session ends: exports what it carries. */
static void leave(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread,
		  const struct gapp_at *at)
{
	bool rest;

	gapp_export_init(&cpu->export);
	gapp_lock(thread);
	rest = gapp_slices_rest(session, thread, at, &cpu->export);
	gapp_unlock(thread);
	if (rest)
		gapp_export_write(cpu, thread, &cpu->export);
	gapp_threads_retire(&session->threads, thread);
}

/* False: another CPU holds the integrals. */
static bool apply_event(struct gapp_session *session, struct gapp_cpu *cpu,
			const struct gapp_post *post)
{
	struct gapp_thread *thread = post->thread;
	struct gapp_acc *acc = post->acc;
	const u64 now = gapp_clock();
	u8 waits, waited;
	struct gapp_at at;
	bool leaves;
	u32 step;
	int dn;

	gapp_lock(thread);
	if (!gapp_acc_take_for_post(acc)) {
		gapp_unlock(thread);
		return false;
	}
	step = gapp_task_step(&thread->core, post->event);
	waits = reason_after(thread, post, step);
	waited = thread->wait_reason;
	dn = gapp_step_dn(&thread->core, step);
	leaves = thread->core.state != GAPP_THREAD_GONE && gapp_step_to(step) == GAPP_THREAD_GONE;
	gapp_acc_apply(acc, time_of(post, now), dn, waited, waits, &cpu->times, &at);
	gapp_acc_let_go(acc);
	thread->wait_reason = waits;
	take_step(session, cpu, thread, post, step, dn, waited, &at);
	gapp_unlock(thread);
	if (leaves)
		leave(session, cpu, thread, &at);
	return true;
}

/* False: another CPU holds the integrals. */
static bool apply_to_target(const struct gapp_post *post)
{
	struct gapp_acc *acc = post->acc;
	const u64 now = gapp_clock();

	if (!gapp_acc_take_for_post(acc))
		return false;
	if (post->event == GAPP_POST_STOP)
		gapp_cm_stop(&acc->cm, time_of(post, now),
			     &container_of(acc, struct gapp_target, acc)->end);
	else
		gapp_cm_set_n_min(&acc->cm, time_of(post, now), post->n_min);
	gapp_acc_let_go(acc);
	return true;
}

/*
 * Applies posts, the oldest first, and at most so many. Interrupts off, under RCU. Returns how many
 * may still be applied, or -1 if another CPU holds the integrals.
 */
static int merge(struct gapp_session *session, int most)
{
	struct gapp_posts *posts = &session->threads.posts;
	struct gapp_cpu *cpu = gapp_this_cpu(session);
	struct gapp_post *post;

	while (most > 0 && !gapp_posts_none(posts) && gapp_posts_begin(posts)) {
		gapp_fault_merges();
		while (most > 0 && (post = gapp_posts_first(posts))) {
			if (post->thread ? apply_event(session, cpu, post) :
					   apply_to_target(post)) {
				gapp_posts_applied(posts, post);
				most--;
			} else {
				most = -1;
			}
		}
		gapp_posts_end(posts);
	}
	return most;
}

/* Merges on this CPU. */
void gapp_merge_here(struct irq_work *work)
{
	struct gapp_posts *posts = container_of(work, struct gapp_post_pool, merge)->posts;
	struct gapp_session *session = container_of(posts, struct gapp_session, threads.posts);
	unsigned long flags;
	int left;

	local_irq_save(flags);
	rcu_read_lock();
	left = merge(session, MERGE_MOST);
	rcu_read_unlock();
	local_irq_restore(flags);
	if (!left)
		irq_work_queue(work);
	else if (left < 0)
		irq_work_queue(&session->worker.irq_work);
}

/*
 * A post for an event of a thread. If this CPU has used all its posts, it waits: whoever merges has
 * been away for as long as thousands of events take. The event cannot be left out, for n would be
 * wrong from then on. No lock of the module is held.
 */
static struct gapp_post *take_post(struct gapp_session *session)
{
	struct gapp_posts *posts = &session->threads.posts;
	struct gapp_post *post = gapp_posts_get(posts, GAPP_POSTS_KEPT);
	u64 begin;

	if (likely(post))
		return post;
	gapp_posts_count_wait(posts);
	begin = gapp_clock();
	do {
		gapp_fault_waits(gapp_clock() - begin);
		merge(session, MERGE_FEW);
		cpu_relax();
		post = gapp_posts_get(posts, GAPP_POSTS_KEPT);
	} while (!post);
	gapp_fault_waited(gapp_clock() - begin);
	return post;
}

/**
 * gapp_post_event() - have an event applied later
 * @session: the session
 * @cpu: this CPU
 * @thread: the thread, not locked
 * @event: the event, of which nothing was applied
 *
 * Interrupts off, under RCU.
 */
void gapp_post_event(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread,
		     enum gapp_event event)
{
	struct gapp_post *post = take_post(session);

	post->thread = thread;
	post->event = event;
	gapp_lock(thread);
	gapp_slices_post(session, cpu, thread, event, post);
	gapp_posts_put(&session->threads.posts, &thread->target->acc, post);
	gapp_unlock(thread);
	if (event == GAPP_EV_IN && session->settings.period_ns)
		gapp_sampler_arm(cpu);
}
