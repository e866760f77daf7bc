// SPDX-License-Identifier: GPL-2.0
/*
 * A thread gives up to spin in the switch in which it goes to sleep, so a spin in vain is a spin
 * behind which a slice ends almost at once in a wait for the same object.
 *
 * The record of a slice says at its end when the thread got its CPU. So where a thread ends the
 * wait of another one, it may be open for how long it has had its CPU until its slice ends: such
 * waits are kept until then.
 */
#include "input/cpu_nodes.h"
#include "profile_private.h"
#include "spin_ends.h"

/* From the end of a spin to the switch-out, nanoseconds. */
#define AT_ONCE_NS 100000ULL
/* A thread that goes on later than that has been away, microseconds. */
#define DELAY_MAX_US 1000000ULL

static void add_delays(struct spin_delays *delays, const struct spin_delays *more)
{
	delays->ends += more->ends;
	delays->sum_ns += more->sum_ns;
	delays->squares_us += more->squares_us;
}

void spin_sums_add(struct spin_sums *sums, const struct spin_sums *more)
{
	add_delays(&sums->near, &more->near);
	add_delays(&sums->far, &more->far);
	sums->spins += more->spins;
	sums->spun_ns += more->spun_ns;
	sums->vain += more->vain;
	sums->vain_ns += more->vain_ns;
	sums->slept_ns += more->slept_ns;
	sums->seen_ns += more->seen_ns;
	sums->starved_ns += more->starved_ns;
}

void spin_thread_init(struct spin_thread *thread)
{
	*thread = (struct spin_thread){ .object = HASH_NONE, .vain_for = HASH_NONE };
}

static u64 overlap(u64 a_from, u64 a_to, u64 b_from, u64 b_to)
{
	const u64 from = a_from > b_from ? a_from : b_from, to = a_to < b_to ? a_to : b_to;

	return to > from ? to - from : 0;
}

static void add_seen(struct all_waits *waits, const struct open_spin *spin, u64 starved_ns)
{
	struct spin_sums *sums = &waits->objects.rows[spin->object].spins;
	const u64 seen_ns = spin->to_ns - spin->from_ns;

	starved_ns += spin->starved_ns;
	sums->seen_ns += seen_ns;
	sums->starved_ns += starved_ns < seen_ns ? starved_ns : seen_ns;
}

/* It has its CPU since the end of @stay; NULL: that is not known, nor what its open spins are. */
static void close_spins(struct all_waits *waits, struct wait_thread *thread,
			const struct spin_stay *stay)
{
	const u32 id = thread - waits->threads.rows;
	struct open_spins *open = &waits->open_spins;
	u32 kept = 0;

	if (!thread->spin.open)
		return;
	for (u32 i = 0; i < open->count; i++) {
		const struct open_spin spin = open->rows[i];

		if (spin.ender != id)
			open->rows[kept++] = spin;
		else if (stay)
			add_seen(waits, &spin,
				 overlap(spin.from_ns, spin.to_ns, stay->from_ns, stay->to_ns));
	}
	open->count = kept;
	thread->spin.open = 0;
}

static void set_state(struct all_waits *waits, struct spin_thread *thread,
		      enum spin_thread_state state, u64 time_ns)
{
	thread->state = state;
	thread->losses = waits->losses;
	thread->ready_ns = time_ns;
	thread->runs_ns = UINT64_MAX;
}

static enum spin_thread_state state_of(const struct all_waits *waits,
				       const struct spin_thread *thread)
{
	return thread->losses == waits->losses ? thread->state : SPIN_THREAD_UNKNOWN;
}

/* The thread has had a CPU since @begin_ns: its stay in the run queue is known. */
static void end_stay(struct all_waits *waits, struct wait_thread *thread,
		     const struct gapp_record_slice *slice)
{
	struct spin_thread *spin = &thread->spin;
	struct spin_stay stay = { spin->ready_ns, slice->begin_ns };

	if (state_of(waits, spin) != SPIN_THREAD_READY || slice->slices > 1) {
		close_spins(waits, thread, NULL);
		return;
	}
	if (stay.to_ns < stay.from_ns)
		stay.to_ns = stay.from_ns;
	close_spins(waits, thread, &stay);
	if (stay.to_ns > stay.from_ns)
		spin->stays[spin->stay_count++ % SPIN_STAYS] = stay;
}

/* The thread sleeps: if it has just spun for the object, that was in vain. */
static void note_vain(struct all_waits *waits, struct spin_thread *thread, u64 time_ns, u32 object)
{
	struct spin_sums *sums;

	if (thread->object != HASH_NONE && thread->object == object &&
	    time_ns - thread->ended_ns <= AT_ONCE_NS) {
		sums = &waits->objects.rows[object].spins;
		sums->vain++;
		sums->vain_ns += thread->took_ns;
		thread->vain_for = object;
		thread->slept_at_ns = time_ns;
	}
	thread->object = HASH_NONE;
}

void spin_slice_ends(struct all_waits *waits, struct wait_thread *thread,
		     const struct gapp_record_slice *slice, u32 object)
{
	if (slice->flags & GAPP_SLICE_REST)
		return;
	thread->spin.vain_for = HASH_NONE;
	end_stay(waits, thread, slice);
	switch (slice->then) {
	case GAPP_THEN_PREEMPTED:
		set_state(waits, &thread->spin, SPIN_THREAD_READY, slice->head.time_ns);
		return;
	case GAPP_THEN_ON:
		set_state(waits, &thread->spin, SPIN_THREAD_RUNS, 0);
		return;
	case GAPP_THEN_WAIT:
		note_vain(waits, &thread->spin, slice->head.time_ns,
			  slice->wait == GAPP_WAIT_SPIN ? HASH_NONE : object);
	}
	set_state(waits, &thread->spin, SPIN_THREAD_ASLEEP, 0);
}

void spin_thread_woken(struct all_waits *waits, struct wait_thread *thread, u64 time_ns)
{
	struct spin_thread *spin = &thread->spin;

	if (spin->vain_for != HASH_NONE && state_of(waits, spin) == SPIN_THREAD_ASLEEP &&
	    time_ns > spin->slept_at_ns)
		waits->objects.rows[spin->vain_for].spins.slept_ns += time_ns - spin->slept_at_ns;
	spin->vain_for = HASH_NONE;
	close_spins(waits, thread, NULL);
	set_state(waits, spin, SPIN_THREAD_READY, time_ns);
}

/* How much of the wait the thread that ended it waited for a CPU, as far as that is over. */
static u64 known_stays(const struct spin_thread *thread, const struct open_spin *spin)
{
	u64 ns = 0;

	for (u32 i = 0; i < SPIN_STAYS && i < thread->stay_count; i++)
		ns += overlap(spin->from_ns, spin->to_ns, thread->stays[i].from_ns,
			      thread->stays[i].to_ns);
	return ns;
}

/*
 * The ender had a CPU when it stored, and so at each later moment up to the end of that slice: what
 * came behind its first store in a slice is known at once. It may also have lost its CPU since it
 * stored, or gone to sleep: then that slice and all stays before it are known.
 */
static int add_end(struct all_waits *waits, struct wait_thread *ender, struct open_spin *spin)
{
	struct spin_thread *thread = &ender->spin;
	struct open_spins *open = &waits->open_spins;
	const enum spin_thread_state state = state_of(waits, thread);

	if (state == SPIN_THREAD_UNKNOWN)
		return 0;
	spin->starved_ns = known_stays(thread, spin);
	if (state == SPIN_THREAD_READY && spin->to_ns > thread->ready_ns &&
	    spin->to_ns < thread->runs_ns)
		thread->runs_ns = spin->to_ns;
	if (state != SPIN_THREAD_READY || spin->to_ns <= thread->ready_ns ||
	    spin->from_ns >= thread->runs_ns) {
		add_seen(waits, spin, 0);
		return 0;
	}
	if (open->count >= OPEN_SPINS_MAX)
		return 0;
	if (array_grow(&open->rows, &open->room, open->count, sizeof(*open->rows)))
		return -1;
	open->rows[open->count++] = *spin;
	thread->open++;
	return 0;
}

/* The thread, whose wake-up this is on its CPU, went on so long after the store. */
static void note_delay(const struct all_waits *waits, struct spin_sums *sums,
		       const struct gapp_record_wake *wake, u64 stored_ns)
{
	const struct cpu_nodes *nodes = waits->sources.nodes;
	const u32 from = nodes ? cpu_nodes_of(nodes, wake->waker_cpu) : CPU_NODE_UNKNOWN;
	const u32 to = nodes ? cpu_nodes_of(nodes, wake->head.cpu) : CPU_NODE_UNKNOWN;
	const u64 ns = wake->head.time_ns - stored_ns, us = ns / 1000;

	if (from == CPU_NODE_UNKNOWN || to == CPU_NODE_UNKNOWN || us > DELAY_MAX_US)
		return;
	add_delays(from == to ? &sums->near : &sums->far,
		   &(struct spin_delays){ .ends = 1, .sum_ns = ns, .squares_us = us * us });
}

int spin_wait_ends(struct all_waits *waits, struct wait_thread *thread, u32 object, u64 begin_ns,
		   const struct gapp_record_wake *wake, u64 stored_ns)
{
	const struct wait_thread_key key = { wake->waker_tid, wake->waker_tgid };
	struct open_spin spin = { .object = object, .from_ns = begin_ns, .to_ns = stored_ns };
	struct spin_sums *sums = &waits->objects.rows[object].spins;

	thread->spin.object = object;
	thread->spin.ended_ns = wake->head.time_ns;
	thread->spin.took_ns = wake->head.time_ns - begin_ns;
	sums->spins++;
	sums->spun_ns += thread->spin.took_ns;
	if (!stored_ns || !(wake->flags & GAPP_SLICE_WAKER))
		return 0;
	note_delay(waits, sums, wake, stored_ns);
	if (stored_ns <= begin_ns)
		return 0;
	spin.ender = keyed_find(&waits->threads, &key);
	return spin.ender == HASH_NONE ? 0 :
					 add_end(waits, &waits->threads.rows[spin.ender], &spin);
}

void spins_lost(struct all_waits *waits)
{
	struct open_spins *open = &waits->open_spins;

	for (u32 i = 0; i < open->count; i++)
		waits->threads.rows[open->rows[i].ender].spin.open = 0;
	open->count = 0;
}
