// SPDX-License-Identifier: GPL-2.0
/*
 * Random runs: core/ against the reference, and against what must hold in any case.
 *
 *	PROPERTY_RUNS=20000 PROPERTY_SEED=7 build/unit/test_property
 *
 * A message names the seed of the run that failed.
 */
#include "rig.h"

#include "invariants.h"
#include "random.h"
#include "reference.h"
#include "slice_check.h"

#define MAX_STEPS 20000

static struct vec_step steps[MAX_STEPS + 2 * REF_THREADS + 8];
static u32 n_must[MAX_STEPS + 2 * REF_THREADS + 8];
static struct reference ref;
static struct invariants inv;
static struct slicing slicing;
static u64 random_state;

static u64 below(u64 limit)
{
	return random_below(&random_state, limit);
}

/**
 * struct mix - what kind of run
 * @name: for the message
 * @runs: of a hundred parts
 * @threads: at most
 * @steps: at most
 * @lost: of a hundred events so many are any event at all, whatever the thread's state
 * @late: of a hundred threads so many join while the session runs
 * @scale: steps of time are below 2^scale
 * @offset: the first step of time, for runs that reach the end of time
 */
struct mix {
	const char *name;
	unsigned int runs, threads, steps, lost, late, scale;
	u64 offset;
};

static const struct mix mixes[] = {
	{ "as a kernel does it", 30, 8, 300, 0, 20, 20, 0 },
	{ "many threads", 14, 64, 600, 0, 50, 24, 0 },
	{ "nanoseconds", 10, 16, 400, 2, 20, 3, 0 },
	{ "events lost and doubled", 20, 16, 400, 30, 30, 20, 0 },
	{ "nothing but noise", 10, 64, 400, 100, 50, 20, 0 },
	{ "weeks", 10, 8, 100, 5, 20, 44, 0 },
	{ "the end of time", 5, 8, 200, 5, 20, 20, GAPP_TIME_MAX - (1ULL << 21) },
	{ "long", 1, 64, MAX_STEPS, 1, 50, 16, 0 },
};

/* What comes next for a thread, as the scheduler would have it. */
static u32 likely_event(u32 state)
{
	/* clang-format off */
	static const u32 of_running[] = {
		OUT_ASLEEP, OUT_ASLEEP, OUT_ASLEEP, OUT_RUNNABLE, OUT_RUNNABLE, WAKE, WAKE_ON_CPU,
		SPIN, SPIN,
	};
	static const u32 of_spinning[] = {
		SPIN, WORK, WORK, OUT_RUNNABLE, OUT_RUNNABLE, OUT_ASLEEP, WAKE,
	};
	static const u32 of_unknown[] = {
		NEW, SEED_BLOCKED, SEED_RUNNABLE, SEED_RUNNING, IN, OUT_RUNNABLE, OUT_ASLEEP, WAKE,
	};
	/* clang-format on */

	switch (state) {
	case UNKNOWN:
		return of_unknown[below(RIG_COUNT(of_unknown))];
	case BLOCKED:
		return WAKE;
	case RUNNABLE:
		return below(8) ? IN : WAKE;
	case RUNNING:
		return below(40) ? of_running[below(RIG_COUNT(of_running))] : OUT_DEAD;
	case SPINNING:
		return below(40) ? of_spinning[below(RIG_COUNT(of_spinning))] : OUT_DEAD;
	case SPIN_READY:
		return below(8) ? IN : WAKE;
	default:
		return below(GAPP_EV_STOP);
	}
}

/* The states are asked of core/ itself, on the way: the reference only gets the steps. */
static size_t make_steps(const struct mix *mix, u64 *end)
{
	u32 threads = 1 + below(mix->threads);
	u32 count = 1 + below(mix->steps);
	bool joined[REF_THREADS] = { false };
	struct vec_step step;
	size_t made = 0;
	u64 t = 0;
	u32 i;

	invariants_init(&inv);
	for (i = 0; i < threads; i++) {
		if (below(100) < mix->late)
			continue;
		steps[made++] = (struct vec_step){ 0, i, JOIN };
		joined[i] = true;
		if (below(4))
			steps[made++] = (struct vec_step){ 0, i, SEED_BLOCKED + below(3) };
	}
	for (i = 0; i < made; i++)
		drive_step(&inv.drive, &steps[i]);
	steps[made] = (struct vec_step){ 0, 0, START };
	drive_step(&inv.drive, &steps[made++]);
	t = mix->offset;

	for (i = 0; i < count; i++) {
		if (below(4))
			t += below(1ULL << below(mix->scale + 1));
		step = (struct vec_step){ t, below(threads), JOIN };
		if (!joined[step.thread])
			joined[step.thread] = true;
		else if (!below(30))
			step = (struct vec_step){ t, 0, N_MIN, .arg = below(mix->threads + 2) };
		else if (below(100) < mix->lost)
			step.op = below(GAPP_EV_STOP);
		else
			step.op = likely_event(inv.tasks[step.thread].state);
		drive_step(&inv.drive, &step);
		steps[made++] = step;
	}
	t += below(1ULL << mix->scale);
	if (below(2))
		steps[made++] = (struct vec_step){ t, 0, STOP };
	steps[made] = (struct vec_step){ .op = END };
	*end = t + below(2);
	return made;
}

#define MUST(condition, ...)                        \
	do {                                        \
		if (!(condition))                   \
			VEC_FAIL(rig, __VA_ARGS__); \
	} while (0)

/*
 * G is rounded down once for each interval that is closed, and once more where it is read
 * within one. So a difference of two of its values may be off by as many units as intervals were
 * closed in between, and one.
 */
static void compare_share(struct rig *rig, const char *what, u32 thread, u64 is, __uint128_t must,
			  u64 slack)
{
	__uint128_t shifted = (__uint128_t)is << REF_SHIFT;
	__uint128_t off = shifted > must ? shifted - must : must - shifted;

	MUST(off <= (slack + 1) * REF_UNIT, "thread %u: %s is %llu, must be about %llu", thread,
	     what, (unsigned long long)is, (unsigned long long)(must >> REF_SHIFT));
}

static void compare_thread(struct rig *rig, u32 i, const struct gapp_at *at)
{
	const struct ref_thread *must = &ref.thread[i];
	const struct gapp_task *task = &inv.tasks[i];
	u64 life = (must->state == GONE ? must->left : ref.wall) - must->joined;
	struct gapp_thread_figures is = { 0 };

	gapp_task_figures(task, at, &is);
	MUST(is.state == must->state, "thread %u: state %u, must be %u", i, is.state, must->state);
	MUST(is.run_ns == must->run, "thread %u: run_ns", i);
	MUST(is.runq_ns == must->runq, "thread %u: runq_ns", i);
	MUST(is.blocked_ns == must->blocked, "thread %u: blocked_ns", i);
	MUST(is.run_ns + is.runq_ns + is.blocked_ns + must->unknown == life,
	     "thread %u: its times are not its life", i);
	MUST(is.slices == must->slices, "thread %u: slices", i);
	MUST(is.wakeups == must->wakeups, "thread %u: wakeups", i);
	MUST(is.blocks == must->blocks, "thread %u: blocks", i);
	MUST(is.joined_ns == must->joined, "thread %u: joined_ns", i);
	MUST(is.left_ns == must->left, "thread %u: left_ns", i);
	MUST(task->unexpected == must->unexpected, "thread %u: unexpected", i);
	compare_share(rig, "critical_run", i, is.critical_run, must->critical_run,
		      ref.pieces + must->events);
	compare_share(rig, "cm_run", i, is.cm_run, must->cm_run, ref.pieces + must->events);
	compare_share(rig, "cm_runq", i, is.cm_runq, must->cm_runq, ref.pieces + must->events);
}

static void compare_sums(struct rig *rig, const struct gapp_at *at)
{
	const struct gapp_cm *cm = &inv.drive.cm;
	u64 sum = 0, shares = 0, lost;
	struct gapp_thread_figures figures;
	u32 i;

	MUST(at->t == ref.wall, "wall is %llu", (unsigned long long)at->t);
	MUST(at->s == ref.s, "S is %llu", (unsigned long long)at->s);
	for (i = 0; i <= REF_THREADS; i++) {
		u64 ns = inv.hist[i] + (cm->n == i ? at->t - cm->t : 0);

		MUST(ns == ref.hist[i], "time with %u active", i);
		sum += ns;
	}
	MUST(sum == at->t, "the histogram's sum");

	/* G and C are only ever rounded down. */
	compare_share(rig, "G", 0, at->g, ref.g, ref.pieces);
	compare_share(rig, "C", 0, at->c, ref.c, ref.pieces);
	MUST((__uint128_t)at->g << REF_SHIFT <= ref.g + ref.pieces, "G is too large");
	MUST((__uint128_t)at->c << REF_SHIFT <= ref.c + ref.pieces, "C is too large");

	/* The invariant of the whole: shares + Z = wall, but for the rounding of each interval. */
	for (i = 0; i < REF_THREADS; i++) {
		gapp_task_figures(&inv.tasks[i], at, &figures);
		shares += figures.cm_run + figures.cm_runq;
	}
	lost = ((ref.wall - ref.hist[0]) << GAPP_SHARE_SHIFT) - shares;
	MUST(lost <= ref.loss, "shares + Z differ from wall by %lld units, %llu are allowed",
	     (long long)lost, (unsigned long long)ref.loss);
}

static void compare(struct rig *rig, size_t count, u64 end)
{
	struct gapp_at at;
	const char *wrong;
	size_t i;

	reference_run(&ref, steps, end, n_must);
	invariants_init(&inv);
	for (i = 0; i < count; i++) {
		wrong = invariants_step(&inv, &steps[i]);
		MUST(!wrong, "step %zu: %s", i, wrong);
		MUST(inv.drive.cm.n == n_must[i], "step %zu: n is %u, must be %u", i,
		     inv.drive.cm.n, n_must[i]);
	}
	gapp_cm_read(&inv.drive.cm, end, &at);
	compare_sums(rig, &at);
	for (i = 0; i < REF_THREADS; i++)
		if (ref.thread[i].joins)
			compare_thread(rig, i, &at);
	wrong = invariants_end(&inv, end);
	MUST(!wrong, "the end: %s", wrong);
}

/* The same events again, each of those that must be harmless put in twice: nothing differs. */
static void compare_doubled(struct rig *rig, size_t count, u64 end)
{
	static struct gapp_task before[INV_THREADS];
	const struct gapp_cm cm = inv.drive.cm;
	size_t i;

	memcpy(before, inv.tasks, sizeof(before));
	invariants_init(&inv);
	for (i = 0; i < count; i++) {
		drive_step(&inv.drive, &steps[i]);
		if (steps[i].op == WAKE || steps[i].op == OUT_DEAD || steps[i].op == START ||
		    steps[i].op == SPIN || steps[i].op == WORK ||
		    (steps[i].op <= SEED_RUNNING && inv.tasks[steps[i].thread].state != UNKNOWN))
			drive_step(&inv.drive, &steps[i]);
	}
	invariants_end(&inv, end);
	MUST(inv.drive.cm.g == cm.g && inv.drive.cm.c == cm.c && inv.drive.cm.n == cm.n,
	     "doubled events change the sums");
	for (i = 0; i < INV_THREADS; i++)
		MUST(!memcmp(&before[i], &inv.tasks[i], sizeof(before[i])),
		     "doubled events change thread %zu", i);
}

static void compare_slices_thread(struct rig *rig, u32 i, bool all_seen)
{
	const struct slicing_sums *sums = &slicing.threads[i].sums;
	const struct ref_thread *must = &ref.thread[i];
	const struct gapp_task sums_of_task = invariants_collected(&slicing.tasks[i]);
	const struct gapp_task *task = &sums_of_task;

	MUST(sums->waits == must->waits, "thread %u: waits", i);
	MUST(sums->stretches == must->stretches, "thread %u: stretches", i);
	compare_share(rig, "critical_runq", i, task->critical_runq, must->critical_runq,
		      ref.pieces + must->events);
	if (!all_seen)
		return;
	/* Shares of slices are differences of the same values of C as the thread's: no rounding. */
	if (slicing.rule.criterion == GAPP_CRITERION_SHARE)
		MUST(sums->told == task->critical_run, "thread %u: records have %llu of %llu", i,
		     (unsigned long long)sums->told, (unsigned long long)task->critical_run);
	MUST(sums->slices == task->slices, "thread %u: %llu slices", i,
	     (unsigned long long)sums->slices);
}

static void compare_slices_sums(struct rig *rig, bool all_seen)
{
	u64 shares = 0, slices = 0, told = 0, untold = 0, waits = 0;
	u32 i;

	for (i = 0; i < REF_THREADS; i++) {
		const struct slicing_thread *thread = &slicing.threads[i];
		const struct gapp_task task = invariants_collected(&slicing.tasks[i]);

		compare_slices_thread(rig, i, all_seen);
		shares += task.critical_run + task.critical_runq;
		slices += task.slices;
		told += thread->sums.told_slices;
		untold += thread->core.carried;
		waits += thread->sums.told_waits;
		MUST(!gapp_slice_carried(&thread->core, &slicing.rule),
		     "thread %u: a share is left", i);
	}
	MUST((ref.critical << GAPP_SHARE_SHIFT) - shares <= ref.loss,
	     "critical shares differ from the critical time by %lld units",
	     (long long)((ref.critical << GAPP_SHARE_SHIFT) - shares));
	MUST(waits + ref.idle == ref.hist[0], "waits and the last stretch are not Z");
	MUST(vec_idle(&slicing.drive.cm) == ref.idle, "the last stretch");
	if (all_seen)
		MUST(told + untold == slices, "slices told are not those there were");
}

/* At times a part straight after the sample: then samples have had all of its share. */
static const char *sample_somebody(struct rig *rig, u64 t)
{
	struct vec_step step = { t, below(SLICING_THREADS), SAMPLE };
	const struct slicing_thread *thread = &slicing.threads[step.thread];
	const char *wrong = slice_check_step(&slicing, &step);

	if (wrong || below(3) || !thread->is_open)
		return wrong;
	step.op = PART;
	wrong = slice_check_step(&slicing, &step);
	MUST(slicing.rule.criterion == GAPP_CRITERION_AVERAGE || !thread->missed,
	     "samples have not all of the share");
	return wrong;
}

/*
 * The same run with slices, with samples and parts thrown in, under a rule of any kind: what is
 * told, rests included, is all that the threads have collected. Where events are lost, a thread
 * may collect what is in no slice, for nobody saw its begin.
 */
static void compare_slices(struct rig *rig, const struct mix *mix, size_t count, u64 end)
{
	u32 criterion = below(4) ? GAPP_CRITERION_SHARE : GAPP_CRITERION_AVERAGE;
	u64 min = below(6) ? 1ULL << below(mix->scale + 2) : 0;
	const char *wrong;
	size_t i;

	slicing_init(&slicing, min, criterion, random_next(&random_state));
	for (i = 0; i < count; i++) {
		wrong = slice_check_step(&slicing, &steps[i]);
		MUST(!wrong, "slices, step %zu: %s", i, wrong);
		if (below(4))
			continue;
		wrong = sample_somebody(rig, steps[i].t);
		MUST(!wrong, "slices, after step %zu: %s", i, wrong);
	}
	wrong = slice_check_end(&slicing, end);
	MUST(!wrong, "slices, the end: %s", wrong);
	compare_slices_sums(rig, !mix->lost);
}

/* Times go to and fro by up to 2^scale: no reference, but what must hold holds. */
static void stagger(struct rig *rig, const struct mix *mix, size_t count, u64 end)
{
	const char *wrong = NULL;
	u64 back;
	size_t i;

	invariants_init(&inv);
	slicing_init(&slicing, 1ULL << below(mix->scale), GAPP_CRITERION_SHARE,
		     random_next(&random_state));
	for (i = 0; i < count && !wrong; i++) {
		back = below(1ULL << below(mix->scale));
		if (below(2))
			steps[i].t -= back < steps[i].t ? back : steps[i].t;
		wrong = invariants_step(&inv, &steps[i]);
		if (!wrong)
			wrong = slice_check_step(&slicing, &steps[i]);
	}
	MUST(!wrong, "staggered, step %zu: %s", i, wrong);
	wrong = invariants_end(&inv, end);
	if (!wrong)
		wrong = slice_check_end(&slicing, end);
	MUST(!wrong, "staggered, the end: %s", wrong);
}

static void test_mix(void **state)
{
	const struct mix *mix = *state;
	u64 runs = from_environment("PROPERTY_RUNS", 5000) * mix->runs / 100;
	u64 seed = from_environment("PROPERTY_SEED", 1) << 32 | (mix - mixes) << 24;
	struct rig rig = { 0 };
	size_t count;
	u64 i, end;

	for (i = 0; i < runs && !rig.count; i++) {
		random_state = seed + i;
		count = make_steps(mix, &end);
		compare(&rig, count, end);
		compare_doubled(&rig, count, end);
		compare_slices(&rig, mix, count, end);
		stagger(&rig, mix, count, end);
		if (rig.count)
			print_message("# in run %llu of PROPERTY_SEED=%llu\n",
				      (unsigned long long)i, (unsigned long long)(seed >> 32));
	}
	rig_done(&rig);
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(mixes); i++)
		rig_add(&group, mixes[i].name, test_mix, &mixes[i]);
	return rig_run("property", &group);
}
