// SPDX-License-Identifier: GPL-2.0
/*
 * Takes the call path of the thread on this CPU at the points of a random grid, while few threads
 * are active. A switch-in starts the timer. An expiry that meets no followed thread does not start
 * it again: that one expiry for nothing costs less than to stop the timer at every switch-out.
 */
#include "compat/hrtimer.h"
#include "compat/regs.h"
#include "core/mix.h"
#include "switch.h"

/* A slice longer than this is exported in parts, so that a live reader is not far behind. */
#define PART_NS NSEC_PER_SEC
/*
 * After an expiry the timer rests for so many times the length of the expiry: sessions that sample
 * often on a kernel full of checks would otherwise use the whole CPU.
 */
#define REST_FACTOR 8

static u64 seed_of(const struct gapp_cpu *cpu)
{
	return gapp_hash_add(cpu->session->settings.seed, cpu->number);
}

/* Returns the number of the sample. */
static u32 next_sample(struct gapp_cpu *cpu, const struct gapp_thread *thread)
{
	if (cpu->sampled != thread || !(cpu->open.marks & GAPP_OPEN_HAS_SAMPLES)) {
		cpu->sampled = thread;
		cpu->sample_count = 0;
	}
	cpu->open.marks |= GAPP_OPEN_HAS_SAMPLES;
	/* Never full: sample() exports the slice before. */
	return min(cpu->sample_count++, GAPP_SLICE_SAMPLES - 1U);
}

static void take_sample(struct gapp_cpu *cpu, struct gapp_thread *thread, u64 share,
			const struct gapp_at *at)
{
	const u32 number = next_sample(cpu, thread);
	struct gapp_sample *sample = &cpu->sample[number];

	cpu->sample_in[number] =
		gapp_interrupted_in(gapp_shows_regs(&cpu->session->settings, current));
	sample->path =
		gapp_callpath_in_time(&cpu->unwinder, thread, READ_ONCE(thread->image), at->t);
	sample->kernel_path = GAPP_PATH_NONE;
	if (!gapp_in_user_code())
		sample->kernel_path =
			gapp_callpath_kernel(&cpu->unwinder, gapp_interrupted_kernel());
	sample->critical_share = share;
	gapp_acc_waiting(&thread->target->acc, sample->waiting);
	gapp_count(cpu->samples, 1);
}

static bool is_low(const struct gapp_at *at)
{
	return at->n && at->n <= at->n_min;
}

static bool is_long(const struct gapp_session *session, const struct gapp_open_slice *slice,
		    const struct gapp_at *at)
{
	/* By the criterion of the average a part may be critical where the whole slice is not. */
	return session->settings.rule.criterion == GAPP_CRITERION_SHARE &&
	       at->t > slice->begin.t + PART_NS;
}

/* How many points the sampler's grid has had, as gapp_thread.looked keeps it. */
static u16 points_passed(const struct gapp_cpu *cpu)
{
	return gapp_grid_passed(ktime_get_mono_fast_ns(), cpu->session->settings.period_ns,
				seed_of(cpu));
}

/**
 * gapp_sampler_looked() - a thread was looked at, or slept until now
 * @cpu: this CPU
 * @thread: a thread with GAPP_THREAD_YIELDS, which runs here or is woken here
 *
 * Points of the sampler's grid until now have not missed it.
 */
void gapp_sampler_looked(const struct gapp_cpu *cpu, struct gapp_thread *thread)
{
	WRITE_ONCE(thread->looked, points_passed(cpu));
}

/*
 * A thread that yields in its loop is on a CPU for moments, which a sample seldom meets. So if one
 * of a target was met, those of which a sample has met anything are looked at when they yield.
 */
static void note_yields(struct gapp_cpu *cpu, struct gapp_thread *thread, enum gapp_spins spins)
{
	struct gapp_target *target = thread->target;

	if (spins == GAPP_SPINS_YIELDING && !READ_ONCE(target->yields))
		WRITE_ONCE(target->yields, true);
	if (likely(!READ_ONCE(target->yields)))
		return;
	gapp_sampler_looked(cpu, thread);
	if (READ_ONCE(thread->flags) & GAPP_THREAD_YIELDS)
		return;
	gapp_lock(thread);
	gapp_thread_add_flags(thread, GAPP_THREAD_YIELDS);
	gapp_unlock(thread);
}

/**
 * gapp_sampler_missed() - whether a point of the sampler's grid has missed a thread
 * @cpu: this CPU
 * @thread: a thread with GAPP_THREAD_YIELDS, which is current and switched out
 *
 * At a point at which the thread waited for a CPU the sampler met another thread, or none. The
 * thread is looked at once for all such points, after it has run: so it is found as often as one
 * that never waits for a CPU.
 *
 * Return: true if there was one since gapp_sampler_looked().
 */
bool gapp_sampler_missed(const struct gapp_cpu *cpu, const struct gapp_thread *thread)
{
	return points_passed(cpu) != READ_ONCE(thread->looked);
}

/*
 * Whether a thread that spins waits for another word than when it was found last, or for another
 * value of it, as for its next turn at a ticket lock: one wait has ended and the next one begun
 * between two looks.
 */
static bool waits_anew(struct gapp_session *session, struct gapp_thread *thread,
		       const struct gapp_spun_word *word)
{
	const struct gapp_spun_word *last;

	if (!gapp_keeps_waits(&session->settings))
		return false;
	last = gapp_thread_spun_for(thread);
	return word->address && last->address &&
	       (word->address != last->address || word->compared != last->compared ||
		word->number != last->number);
}

/*
 * Finds out whether the thread spins. Only the CPU that runs a thread changes from one to the
 * other, so the thread need not be locked.
 */
static void look_for_spin(struct gapp_session *session, struct gapp_cpu *cpu,
			  struct gapp_thread *thread)
{
	const u32 state = READ_ONCE(thread->core.state);
	const bool spun = state == GAPP_THREAD_SPINNING;
	enum gapp_spins spins = GAPP_SPINS_NOT;
	struct gapp_spun_word word = { 0 };
	struct gapp_spun_word *wanted = spun && !gapp_keeps_waits(&session->settings) ? NULL :
											&word;

	if (!gapp_state_is_on_cpu(state) ||
	    READ_ONCE(thread->target->acc.cm.phase) != GAPP_PHASE_RUNNING)
		return;
	if (gapp_shows_regs(&session->settings, current))
		spins = gapp_callpath_spins(&cpu->unwinder, true, wanted);
	if (spins == GAPP_SPINS_UNKNOWN)
		return;
	note_yields(cpu, thread, spins);
	if (spun && (!spins || waits_anew(session, thread, &word)))
		gapp_works(session, cpu, thread);
	/* another CPU may hold the integrals: then the next look will find it in its loop, too */
	if (spins && READ_ONCE(thread->core.state) == GAPP_THREAD_RUNNING)
		gapp_spins_at(session, cpu, thread, &word);
}

/* Returns whether the thread is on this CPU in a session that runs. */
static bool sample(struct gapp_cpu *cpu, struct gapp_thread *thread)
{
	struct gapp_session *session = cpu->session;
	struct gapp_export *export = &cpu->export;
	bool open, low, spins;
	struct gapp_at at;
	u64 share = 0;

	gapp_budget_begin_sample(gapp_hrtimer_interrupt(&cpu->timer), gapp_clock());
	if (session->settings.spins)
		look_for_spin(session, cpu, thread);
	gapp_export_init(export);
	gapp_lock(thread);
	if (!gapp_acc_read(&thread->target->acc, &at)) {
		gapp_unlock(thread);
		gapp_count(cpu->late, 1);
		return true;
	}
	open = at.phase == GAPP_PHASE_RUNNING && gapp_slices_open(cpu, thread);
	spins = at.phase == GAPP_PHASE_RUNNING && thread->core.state == GAPP_THREAD_SPINNING;
	low = open && is_low(&at) && session->settings.level != GAPP_LEVEL_STATS;
	if (low)
		share = gapp_slice_sample(&cpu->open, &session->settings.rule, &at);
	gapp_unlock(thread);

	if (low)
		take_sample(cpu, thread, share, &at);
	if (spins)
		return true;
	if (!open || (cpu->sample_count < GAPP_SLICE_SAMPLES && !is_long(session, &cpu->open, &at)))
		return open;

	gapp_lock(thread);
	gapp_slices_part(session, cpu, thread, GAPP_THEN_ON, &at, export);
	gapp_unlock(thread);
	if (!(export->what & GAPP_EXPORT_SLICE))
		gapp_tallies_leave_slice(cpu, thread);
	gapp_export_write(cpu, thread, export);
	return true;
}

static u64 next_expiry(struct gapp_cpu *cpu, u64 began)
{
	u64 period_ns = cpu->session->settings.period_ns, now = ktime_get_mono_fast_ns();
	u64 rest = now > began ? (now - began) * REST_FACTOR : 0;

	if (rest > period_ns)
		gapp_count(cpu->late, div64_u64(rest, period_ns));
	return gapp_grid_next(now + rest, period_ns, seed_of(cpu));
}

/* Interrupts off. */
static enum hrtimer_restart expired(struct hrtimer *timer)
{
	struct gapp_cpu *cpu = container_of(timer, struct gapp_cpu, timer);
	struct gapp_session *session = cpu->session;
	u64 now = ktime_get_mono_fast_ns(), due = ktime_to_ns(hrtimer_get_expires(timer));
	struct gapp_thread *thread;
	bool on = false;

	/* The timer's CPU has gone offline meanwhile. */
	if (smp_processor_id() != cpu->number) {
		WRITE_ONCE(cpu->armed, false);
		return HRTIMER_NORESTART;
	}
	if (gapp_grid_next(due, session->settings.period_ns, seed_of(cpu)) <= now)
		gapp_count(cpu->late, max(1ULL, div64_u64(now - due, session->settings.period_ns)));
	rcu_read_lock();
	thread = gapp_lookup(&session->threads, current);
	if (thread)
		on = sample(cpu, thread);
	rcu_read_unlock();
	if (!on) {
		cpu->armed = false;
		return HRTIMER_NORESTART;
	}
	hrtimer_set_expires(timer, ns_to_ktime(next_expiry(cpu, now)));
	return HRTIMER_RESTART;
}

void gapp_sampler_init(struct gapp_cpu *cpu)
{
	cpu->armed = !cpu->session->settings.period_ns;
	gapp_hrtimer_setup(&cpu->timer, expired);
}

/* A followed thread is on this CPU. Interrupts off. */
void gapp_sampler_arm(struct gapp_cpu *cpu)
{
	u64 next;

	if (cpu->armed)
		return;
	cpu->armed = true;
	next = gapp_grid_next(ktime_get_mono_fast_ns(), cpu->session->settings.period_ns,
			      seed_of(cpu));
	hrtimer_start(&cpu->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_PINNED_HARD);
}

/* On each CPU: a thread that runs there already may not be switched in for a long time. */
void gapp_sampler_arm_here(void *data)
{
	struct gapp_session *session = data;
	unsigned long flags;

	local_irq_save(flags);
	rcu_read_lock();
	if (gapp_lookup(&session->threads, current))
		gapp_sampler_arm(gapp_this_cpu(session));
	rcu_read_unlock();
	local_irq_restore(flags);
}
