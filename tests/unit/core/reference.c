// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "reference.h"

/* A thread was in this state for this long. */
struct span {
	u64 from, to;
	u32 state;
};

struct diary {
	struct span *spans;
	size_t count;
	u64 since; /* begin of the span that is not written down yet */
};

struct threshold {
	u64 from;
	u32 n_min;
};

/* All that is known once the steps have been gone through. */
struct run {
	struct reference *ref;
	struct diary diary[REF_THREADS];
	struct threshold *thresholds;
	size_t threshold_count;
	u64 *cuts;
	size_t cut_count;
	u64 idle_since;
	bool started, stopped;
};

static bool is_active(u32 state)
{
	return state == RUNNING || state == RUNNABLE;
}

static bool spins(u32 state)
{
	return state == SPINNING || state == SPIN_READY;
}

static void write_down(struct run *run, u32 i, u32 as, u64 t)
{
	struct diary *diary = &run->diary[i];

	diary->spans[diary->count++] = (struct span){ diary->since, t, as };
	diary->since = t;
	run->cuts[run->cut_count++] = t;
}

/* What the thread does next, told in sentences rather than by a table. */
static u32 next_state(u32 state, u32 event)
{
	switch (event) {
	case SEED_BLOCKED:
	case NEW:
		return state == UNKNOWN ? BLOCKED : state;
	case SEED_RUNNABLE:
		return state == UNKNOWN ? RUNNABLE : state;
	case SEED_RUNNING:
		return state == UNKNOWN ? RUNNING : state;
	case WAKE:
		return is_active(state) || spins(state) ? state : RUNNABLE;
	case IN:
	case WAKE_ON_CPU:
		return spins(state) ? SPINNING : RUNNING;
	case OUT_RUNNABLE:
		return spins(state) ? SPIN_READY : RUNNABLE;
	case SPIN:
		return state == RUNNING ? SPINNING : state;
	case WORK:
		return state == SPINNING ? RUNNING : state;
	case OUT_ASLEEP:
		return BLOCKED;
	case OUT_DEAD:
		return GONE;
	default:
		return state;
	}
}

static void happens(struct run *run, u32 i, u32 event, u64 t)
{
	struct ref_thread *thread = &run->ref->thread[i];
	bool leaves = event == OUT_RUNNABLE || event == OUT_ASLEEP || event == OUT_DEAD;
	bool on_cpu = leaves || event == WAKE_ON_CPU;
	u32 old = thread->state;

	if (old == GONE)
		return;
	thread->events++;

	/* On a CPU by the event, not by what was known: then it has been there all the time. */
	write_down(run, i, on_cpu && old == RUNNABLE ? RUNNING : old, t);
	thread->state = next_state(old, event);
	if (event == OUT_DEAD)
		thread->left = t;

	/* A CPU is left, or used, only by those that are on it; and entered by those waiting. */
	if (on_cpu && (old == RUNNABLE || old == BLOCKED || old == SPIN_READY))
		thread->unexpected++;
	if (event == IN && (old == RUNNING || old == BLOCKED || old == SPINNING))
		thread->unexpected++;

	if (!run->started)
		return;
	if (leaves && is_active(old))
		thread->slices++;
	if ((event == STOP_ONE || event == SPIN) && old == RUNNING)
		thread->slices++;
	if ((leaves || event == SPIN) && is_active(old) && !is_active(thread->state))
		thread->blocks++;
	if (event == WAKE && !is_active(old) && !spins(old))
		thread->wakeups++;
	if (event == WORK && old == SPINNING)
		thread->wakeups++;
}

static void threshold_is(struct run *run, u64 t, u32 n_min)
{
	run->thresholds[run->threshold_count++] = (struct threshold){ t, n_min };
	run->cuts[run->cut_count++] = t;
}

static void step(struct run *run, const struct vec_step *step, u64 t)
{
	struct ref_thread *thread = &run->ref->thread[step->thread];
	u32 i;

	if (run->stopped)
		return;
	switch (step->op) {
	case START:
		run->started = true;
		break;
	case STOP:
		for (i = 0; i < REF_THREADS; i++)
			if (run->ref->thread[i].joins)
				happens(run, i, STOP_ONE, t);
		run->ref->wall = t;
		run->stopped = true;
		break;
	case N_MIN:
		threshold_is(run, t, step->arg);
		break;
	case JOIN:
		thread->joins = true;
		thread->joined = t;
		run->diary[step->thread].since = t;
		break;
	default:
		happens(run, step->thread, step->op, t);
		break;
	}
}

static u64 session_time(const struct run *run, u64 t)
{
	if (!run->started)
		return 0;
	return t < GAPP_TIME_MAX ? t : GAPP_TIME_MAX;
}

static u32 count_active(const struct reference *ref)
{
	u32 i, n = 0;

	for (i = 0; i < REF_THREADS; i++)
		n += ref->thread[i].joins && is_active(ref->thread[i].state);
	return n;
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static u32 state_at(const struct diary *diary, size_t *span, u64 t)
{
	while (*span < diary->count && diary->spans[*span].to <= t)
		++*span;
	if (*span == diary->count || diary->spans[*span].from > t)
		return UNKNOWN;
	return diary->spans[*span].state;
}

static void piece(struct run *run, u64 from, u64 to, size_t *span, u32 n_min)
{
	struct reference *ref = run->ref;
	u32 state[REF_THREADS];
	u64 dt = to - from;
	u32 i, n = 0;
	__uint128_t share = 0, crit = 0;

	for (i = 0; i < REF_THREADS; i++) {
		state[i] = state_at(&run->diary[i], &span[i], from);
		n += is_active(state[i]);
	}
	ref->pieces++;
	ref->hist[n] += dt;
	ref->s += dt * n;
	if (n) {
		share = ((__uint128_t)dt << (GAPP_SHARE_SHIFT + REF_SHIFT)) / n;
		ref->g += share;
		ref->loss += n - 1;
	}
	if (n && n <= n_min) {
		crit = share;
		ref->c += share;
		ref->critical += dt;
	}
	for (i = 0; i < REF_THREADS; i++) {
		if (state[i] == RUNNING) {
			ref->thread[i].cm_run += share;
			ref->thread[i].critical_run += crit;
			ref->thread[i].run += dt;
		} else if (state[i] == RUNNABLE) {
			ref->thread[i].cm_runq += share;
			ref->thread[i].critical_runq += crit;
			ref->thread[i].runq += dt;
		} else if (state[i] == SPIN_READY) {
			ref->thread[i].runq += dt;
		} else if (state[i] == BLOCKED || state[i] == SPINNING) {
			ref->thread[i].blocked += dt;
		}
	}
}

static void evaluate(struct run *run)
{
	size_t span[REF_THREADS] = { 0 };
	struct ref_thread *thread;
	size_t i, k = 0;

	for (i = 0; i < REF_THREADS; i++)
		if (run->ref->thread[i].joins)
			write_down(run, i, run->ref->thread[i].state, run->ref->wall);
	qsort(run->cuts, run->cut_count, sizeof(*run->cuts), compare);
	for (i = 1; i < run->cut_count; i++) {
		if (run->cuts[i - 1] == run->cuts[i])
			continue;
		while (k + 1 < run->threshold_count &&
		       run->thresholds[k + 1].from <= run->cuts[i - 1])
			k++;
		piece(run, run->cuts[i - 1], run->cuts[i], span, run->thresholds[k].n_min);
	}
	for (i = 0; i < REF_THREADS; i++) {
		thread = &run->ref->thread[i];
		if (thread->joins)
			thread->unknown = (thread->state == GONE ? thread->left : run->ref->wall) -
					  thread->joined - thread->run - thread->runq -
					  thread->blocked;
	}
}

/* Who ends a time with nobody active is charged with it. */
static void look_for_waits(struct run *run, u32 i, u32 before, u32 after, u64 t)
{
	struct ref_thread *thread = &run->ref->thread[i];

	if (!before && after && t > run->idle_since) {
		thread->waits += t - run->idle_since;
		thread->stretches++;
	}
	if (before && !after)
		run->idle_since = t;
}

void reference_run(struct reference *ref, const struct vec_step *steps, u64 end, u32 *n)
{
	struct run run = { .ref = ref };
	size_t i, count = 0;
	u32 before = 0;
	u64 t;

	while (steps[count].op != END)
		count++;
	memset(ref, 0, sizeof(*ref));
	/* Each thread may write down each step, a stop, and the end. */
	for (i = 0; i < REF_THREADS; i++)
		run.diary[i].spans = malloc((count + 2) * sizeof(struct span));
	run.thresholds = malloc((count + 1) * sizeof(*run.thresholds));
	run.cuts = malloc((count + 2 + 2 * REF_THREADS) * sizeof(*run.cuts));

	threshold_is(&run, 0, 1);
	for (i = 0; i < count; i++) {
		t = session_time(&run, steps[i].t);
		step(&run, &steps[i], t);
		n[i] = count_active(ref);
		look_for_waits(&run, steps[i].thread, before, n[i], t);
		before = n[i];
	}
	if (!run.stopped)
		ref->wall = session_time(&run, end);
	ref->idle = before ? 0 : ref->wall - run.idle_since;
	run.cuts[run.cut_count++] = ref->wall;
	evaluate(&run);

	for (i = 0; i < REF_THREADS; i++)
		free(run.diary[i].spans);
	free(run.thresholds);
	free(run.cuts);
}
