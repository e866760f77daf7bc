// SPDX-License-Identifier: GPL-2.0
/*
 * The critical path, against one that is computed forward: of each thread and moment, what its path
 * up to then is made of, step by step.
 */
#include "made_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "waits/critical_path.h"

#define RUNS 1000
#define MANY 1000000U

/* What one step of a path is; @key has the thread's number in the run. */
struct step {
	struct path_cell_key key;
	bool is_for;
	struct path_wait_key wait;
};

struct paths {
	struct step steps[RUN_THREADS][RUN_STEPS];
	u32 longest[RUN_THREADS][RUN_STEPS + 1];
};

static u64 cell_ns(const struct critical_walk *walk, const struct path_cell_key *key)
{
	u32 id = keyed_find(&walk->cells, key);

	return id == HASH_NONE ? 0 : walk->cells.rows[id].ns;
}

static u32 number_of(const struct wait_store *store, u32 thread)
{
	const struct stored_thread_key key = { .tid = TID(thread), .tgid = TID(0) };

	return keyed_find(&store->threads, &key);
}

static u64 all_ns(const struct critical_walk *walk)
{
	u64 ns = walk->unknown_ns + walk->idle_ns;

	for (u32 i = 0; i < walk->cells.index.count; i++)
		ns += walk->cells.rows[i].ns;
	return ns;
}

static const struct made_wait *wait_that_ends(const struct made_run *run, u32 thread, u32 at)
{
	for (u32 i = 0; i < run->wait_count; i++)
		if (run->waits[i].thread == thread && run->waits[i].end == at)
			return &run->waits[i];
	return NULL;
}

static struct step waits_itself(const struct made_wait *wait, enum wait_ender by)
{
	return (struct step){ .key = { .thread = wait->thread,
				       .path = wait->path,
				       .what = PIECE_WAITED,
				       .reason = wait->reason,
				       .by = by,
				       .site = made_site(wait->path, wait->reason) } };
}

/* The path that led to the end of a wait: that of the waker, or the wait itself. */
static void explain(struct paths *paths, const struct made_wait *wait)
{
	struct step *steps = paths->steps[wait->thread];
	u32 *longest = paths->longest[wait->thread];

	for (u32 i = wait->begin; i < wait->end; i++) {
		if (wait->by < RUN_THREADS) {
			steps[i] = paths->steps[wait->by][i];
			if (!steps[i].is_for)
				steps[i].wait = (struct path_wait_key){ wait->path, wait->reason,
									made_site(wait->path,
										  wait->reason) };
			steps[i].is_for = true;
		} else {
			steps[i] = waits_itself(wait, wait->by == BY_IRQ ? ENDED_BY_INTERRUPT :
									   ENDED_BY_THREAD);
		}
	}
	longest[wait->end] = longest[wait->begin] + wait->end - wait->begin;
	if (wait->by < RUN_THREADS)
		longest[wait->end] = paths->longest[wait->by][wait->end];
	if (wait->by < RUN_THREADS && longest[wait->begin] > longest[wait->end])
		longest[wait->end] = longest[wait->begin];
}

static struct step runs_or_ready(const struct made_run *run, u32 thread, u32 at)
{
	struct step step = { .key = { .thread = thread, .what = PIECE_READY, .path = STORE_NONE } };

	if (run->states[thread][at] == MADE_RUNS) {
		step.key.what = PIECE_RAN;
		step.key.path = run->paths[thread][at];
		step.key.how = run->inferred[thread][at] ? STORED_INFERRED : STORED_HIT;
	}
	return step;
}

/* Threads that wake others at a moment have run before it, so their paths are known. */
static void find_paths(const struct made_run *run, struct paths *paths)
{
	memset(paths, 0, sizeof(*paths));
	for (u32 at = 0; at <= RUN_STEPS; at++) {
		for (u32 i = 0; i < run->threads; i++) {
			if (!at || run->states[i][at - 1] == MADE_WAITS ||
			    run->states[i][at - 1] == MADE_NOT)
				continue;
			paths->steps[i][at - 1] = runs_or_ready(run, i, at - 1);
			paths->longest[i][at] = paths->longest[i][at - 1] + 1;
		}
		for (u32 i = 0; i < run->threads; i++) {
			const struct made_wait *wait = wait_that_ends(run, i, at);

			if (at && wait)
				explain(paths, wait);
			if (at && run->made_by[i] != BY_NOBODY && run->made_at[i] == at) {
				memcpy(paths->steps[i], paths->steps[run->made_by[i]],
				       at * sizeof(**paths->steps));
				paths->longest[i][at] = paths->longest[run->made_by[i]][at];
			}
		}
	}
}

/* Nobody ran at the end, and the last thread that did waits for what never came. */
static void add_end(const struct made_run *run, struct paths *paths)
{
	if (run->open[run->last].end)
		return;
	for (u32 i = run->last_end; i < RUN_STEPS; i++)
		if (run->states[run->last][i] == MADE_WAITS)
			paths->steps[run->last][i] = waits_itself(&run->open[run->last], ENDED_NOT);
}

/* Compares what the steps of a path come to with what the walk found. */
static void compare(const struct wait_store *store, const struct step *steps,
		    const struct critical_walk *walk)
{
	struct critical_walk sums = { 0 };

	for (u32 i = 0; i < RUN_STEPS; i++) {
		const struct step *step = &steps[i];
		struct path_cell_key key = step->key;
		u32 id;

		key.thread = number_of(store, key.thread);
		id = keyed_find(&sums.cells, &key);
		if (id == HASH_NONE)
			id = keyed_add(&sums.cells, &key);
		sums.cells.rows[id].ns += STEP_NS;
		if (!step->is_for)
			continue;
		id = keyed_find(&sums.waits, &step->wait);
		if (id == HASH_NONE)
			id = keyed_add(&sums.waits, &step->wait);
		sums.waits.rows[id].ns += STEP_NS;
	}
	assert_int_equal(sums.cells.index.count, walk->cells.index.count);
	for (u32 i = 0; i < sums.cells.index.count; i++)
		assert_int_equal(sums.cells.rows[i].ns, cell_ns(walk, &sums.cells.rows[i].key));
	assert_int_equal(sums.waits.index.count, walk->waits.index.count);
	for (u32 i = 0; i < sums.waits.index.count; i++) {
		u32 id = keyed_find(&walk->waits, &sums.waits.rows[i].key);

		assert_true(id != HASH_NONE);
		assert_int_equal(sums.waits.rows[i].ns, walk->waits.rows[id].ns);
	}
	assert_int_equal(walk->idle_ns, 0);
	critical_walk_free(&sums);
}

/* Pieces as they come, against the steps of the path. */
struct pieces {
	const struct wait_store *store;
	const struct step *steps;
	u64 until;
	u64 ns;
};

static int take_piece(void *context, const struct path_cell_key *key, u64 begin, u64 end)
{
	struct pieces *pieces = context;

	assert_true(begin < end && end <= pieces->until);
	pieces->until = begin;
	pieces->ns += end - begin;
	for (u64 at = begin / STEP_NS; pieces->steps && at < end / STEP_NS; at++) {
		struct path_cell_key wanted = pieces->steps[at].key;

		wanted.thread = number_of(pieces->store, wanted.thread);
		assert_memory_equal(key, &wanted, sizeof(wanted));
	}
	return 0;
}

static int refuse_piece(void *context, const struct path_cell_key *key, u64 begin, u64 end)
{
	return -1;
}

static void it_is_the_path_that_is_computed_forward(void **state)
{
	u64 hops = 0, depth = 0;

	(void)state;
	for (u32 i = 1; i <= RUNS; i++) {
		struct critical_walk walk;
		struct wait_store store;
		struct made_run run;
		static struct paths paths;
		struct pieces pieces;

		made_seed = i;
		made_begin(&store, STORE_SLICES_MAX);
		make_run(&run, &store);
		find_paths(&run, &paths);
		/* the longest chain of all events is as long as the run up to there */
		assert_int_equal(paths.longest[run.last][run.last_end], run.last_end);
		add_end(&run, &paths);
		assert_int_equal(critical_walk(&store, RUN_STEPS * STEP_NS, &walk), 0);
		assert_int_equal(walk.unknown_ns, 0);
		assert_int_equal(all_ns(&walk), RUN_STEPS * STEP_NS);
		compare(&store, paths.steps[run.last], &walk);
		hops += walk.hops;
		depth = walk.depth > depth ? walk.depth : depth;
		critical_walk_free(&walk);
		pieces = (struct pieces){ &store, paths.steps[run.last], UINT64_MAX, 0 };
		assert_int_equal(critical_walk_each(&store, RUN_STEPS * STEP_NS, &walk, take_piece,
						    &pieces),
				 0);
		assert_int_equal(pieces.ns, RUN_STEPS * STEP_NS);
		critical_walk_free(&walk);
		assert_int_equal(critical_walk_each(&store, RUN_STEPS * STEP_NS, &walk,
						    refuse_piece, NULL),
				 -1);
		critical_walk_free(&walk);
		wait_store_free(&store);
	}
	print_message("# %llu hops, %llu waits deep\n", (unsigned long long)hops,
		      (unsigned long long)depth);
	assert_true(hops > 5 * RUNS && depth >= 3);
}

/* Of each run with a hole: the part behind it is as it was, and that in it is not known. */
static void holes_are_not_bridged(void **state)
{
	(void)state;
	for (u32 i = 1; i <= RUNS; i++) {
		struct critical_walk walk, whole;
		struct wait_store store;
		struct pieces pieces;
		struct made_run run;
		u32 begin, end;
		u64 behind;

		made_seed = i;
		made_begin(&store, STORE_SLICES_MAX);
		make_run(&run, &store);
		begin = draw(RUN_STEPS - 1);
		end = begin + 1 + draw(RUN_STEPS - begin - 1);
		assert_int_equal(critical_walk(&store, RUN_STEPS * STEP_NS, &whole), 0);
		made_lost(&store, begin, end);
		made_end(&store, RUN_STEPS);
		assert_int_equal(critical_walk(&store, RUN_STEPS * STEP_NS, &walk), 0);
		assert_int_equal(walk.unknown_ns, (end - begin) * STEP_NS);
		assert_int_equal(all_ns(&walk), RUN_STEPS * STEP_NS);
		critical_walk_free(&walk);
		pieces = (struct pieces){ &store, NULL, UINT64_MAX, 0 };
		assert_int_equal(critical_walk_each(&store, RUN_STEPS * STEP_NS, &walk, take_piece,
						    &pieces),
				 0);
		assert_int_equal(pieces.ns + walk.unknown_ns, RUN_STEPS * STEP_NS);
		critical_walk_free(&walk);
		/* all before its end is lost: no piece behind it is more than in the whole path */
		store.holes[0] = (struct stored_hole){ 0, end * STEP_NS };
		assert_int_equal(critical_walk(&store, RUN_STEPS * STEP_NS, &walk), 0);
		assert_int_equal(walk.unknown_ns, end * STEP_NS);
		behind = 0;
		for (u32 j = 0; j < walk.cells.index.count; j++) {
			const struct path_cell *cell = &walk.cells.rows[j];

			behind += cell->ns;
			assert_true(cell->ns <= cell_ns(&whole, &cell->key));
		}
		assert_int_equal(behind + walk.idle_ns, (RUN_STEPS - end) * STEP_NS);
		critical_walk_free(&walk);
		critical_walk_free(&whole);
		wait_store_free(&store);
	}
}

/* Records that are lost, too, and not only said to be. */
static void what_is_lost_adds_up(void **state)
{
	(void)state;
	for (u32 i = 1; i <= RUNS; i++) {
		struct critical_walk walk;
		struct wait_store store;
		u32 losses = 0;

		made_seed = i;
		made_begin(&store, STORE_SLICES_MAX);
		for (u32 at = 1; at < RUN_STEPS; at++) {
			u32 thread = draw(RUN_THREADS), other = draw(RUN_THREADS);

			/* in any order, as if most of them were lost */
			if (draw(2))
				made_wake(&store, thread, at, draw(BY_NOBODY + 1), other);
			else
				made_slice(&store, thread, at - draw(at), at, draw(5), draw(6), 1);
			if (!draw(20))
				made_lost(&store, at - draw(at), at), losses++;
		}
		made_end(&store, RUN_STEPS);
		assert_int_equal(critical_walk(&store, RUN_STEPS * STEP_NS, &walk), 0);
		assert_int_equal(all_ns(&walk), RUN_STEPS * STEP_NS);
		critical_walk_free(&walk);
		wait_store_free(&store);
	}
}

static void check_ns(const struct critical_walk *walk, struct path_cell_key key, u64 steps)
{
	assert_int_equal(cell_ns(walk, &key), steps * STEP_NS);
}

/*
 * Thread 0 makes thread 1 and joins it; thread 1 waits for a disk meanwhile. Waits are bounded:
 * what thread 1 did before thread 0 began to wait is not on the path.
 */
static void a_join_leads_to_the_thread_that_ended(void **state)
{
	struct critical_walk walk;
	struct wait_store store;

	(void)state;
	made_begin(&store, STORE_SLICES_MAX);
	made_wake(&store, 1, 10, BY_NOBODY, 0);
	made_slice(&store, 0, 0, 20, GAPP_THEN_WAIT, GAPP_WAIT_JOIN, 1);
	made_slice(&store, 1, 12, 30, GAPP_THEN_WAIT, GAPP_WAIT_DISK, 2);
	made_wake(&store, 1, 40, BY_IRQ, 5);
	made_slice(&store, 1, 41, 60, GAPP_THEN_EXITED, 0, 3);
	made_wake(&store, 0, 60, 1, 1);
	made_slice(&store, 0, 63, 70, GAPP_THEN_EXITED, 0, 4);
	made_end(&store, 75);
	assert_int_equal(critical_walk(&store, 75 * STEP_NS, &walk), 0);
	assert_int_equal(walk.idle_ns, 5 * STEP_NS);
	check_ns(&walk, (struct path_cell_key){ 1, 4, PIECE_RAN, 0, 0, STORED_INFERRED, 0 }, 7);
	check_ns(&walk, (struct path_cell_key){ 1, STORE_NONE, PIECE_READY, 0, 0, 0, 0 }, 3);
	check_ns(&walk, (struct path_cell_key){ 0, 3, PIECE_RAN, 0, 0, STORED_INFERRED, 0 }, 19);
	check_ns(&walk, (struct path_cell_key){ 0, STORE_NONE, PIECE_READY, 0, 0, 0, 0 }, 1);
	check_ns(&walk,
		 (struct path_cell_key){ 0, 2, PIECE_WAITED, GAPP_WAIT_DISK, ENDED_BY_INTERRUPT, 0,
					 made_site(2, GAPP_WAIT_DISK) },
		 10);
	check_ns(&walk, (struct path_cell_key){ 0, 2, PIECE_RAN, 0, 0, STORED_INFERRED, 0 }, 10);
	check_ns(&walk, (struct path_cell_key){ 1, 1, PIECE_RAN, 0, 0, STORED_INFERRED, 0 }, 20);
	assert_int_equal(walk.hops, 1);
	assert_int_equal(walk.waits.index.count, 1);
	assert_int_equal(walk.waits.rows[0].key.reason, GAPP_WAIT_JOIN);
	assert_int_equal(walk.waits.rows[0].key.site, made_site(1, GAPP_WAIT_JOIN));
	assert_int_equal(walk.waits.rows[0].ns, 40 * STEP_NS);
	critical_walk_free(&walk);
	wait_store_free(&store);
}

/* Each part of a slice with samples is of the path that the sample at its end shows. */
static void samples_divide_a_slice(void **state)
{
	struct {
		struct gapp_record_slice slice;
		struct gapp_sample samples[3];
	} made = {
		.slice = { .head = { .time_ns = RUN_BEGIN_NS + 100 * STEP_NS },
			   .tid = 1,
			   .tgid = 1,
			   .begin_ns = RUN_BEGIN_NS,
			   .own_critical_share = 100,
			   .sample_count = 3,
			   .then = GAPP_THEN_WAIT },
		.samples = { { .critical_share = 20 },
			     { .critical_share = 50 },
			     { .critical_share = 10 } },
	};
	const u32 paths[] = { 5, 6, 7 };
	struct critical_walk walk;
	struct wait_store store;

	(void)state;
	made_begin(&store, STORE_SLICES_MAX);
	assert_int_equal(wait_store_slice(&store, &made.slice, 9, STORE_NONE, paths), 0);
	made_end(&store, 100);
	assert_int_equal(critical_walk(&store, 100 * STEP_NS, &walk), 0);
	check_ns(&walk, (struct path_cell_key){ 0, 5, PIECE_RAN, 0, 0, 0, 0 }, 20);
	check_ns(&walk, (struct path_cell_key){ 0, 6, PIECE_RAN, 0, 0, 0, 0 }, 50);
	check_ns(&walk, (struct path_cell_key){ 0, 7, PIECE_RAN, 0, 0, 0, 0 }, 30);
	critical_walk_free(&walk);
	wait_store_free(&store);
}

/*
 * 60 steps with eight threads active, then 40 with two, of which two are few: the first part is of
 * no function, and the second of the path at the end.
 */
static void what_ran_with_many_threads_is_of_no_function(void **state)
{
	struct gapp_record_slice slice = {
		.head = { .time_ns = RUN_BEGIN_NS + 100 * STEP_NS },
		.tid = 1,
		.tgid = 1,
		.begin_ns = RUN_BEGIN_NS,
		.own_critical_share = 20 * STEP_NS << GAPP_SHARE_SHIFT,
		.cmetric = (STEP_NS * 60 / 8 + 20 * STEP_NS) << GAPP_SHARE_SHIFT,
		.thread_ns = 560 * STEP_NS,
		.then = GAPP_THEN_WAIT,
	};
	struct critical_walk walk;
	struct wait_store store;

	(void)state;
	made_begin(&store, STORE_SLICES_MAX);
	assert_int_equal(wait_store_slice(&store, &slice, 9, STORE_NONE, NULL), 0);
	made_end(&store, 100);
	assert_int_equal(critical_walk(&store, 100 * STEP_NS, &walk), 0);
	check_ns(&walk, (struct path_cell_key){ 0, 9, PIECE_RAN, 0, 0, STORED_MANY, 0 }, 60);
	check_ns(&walk, (struct path_cell_key){ 0, 9, PIECE_RAN, 0, 0, STORED_INFERRED, 0 }, 40);
	critical_walk_free(&walk);
	wait_store_free(&store);
}

/* The oldest half goes, and is not known then; what is left is as it was. */
static void a_full_store_drops_its_oldest_half(void **state)
{
	struct critical_walk walk;
	struct wait_store store;
	const u32 rounds = 1000;

	(void)state;
	made_begin(&store, 64);
	for (u32 i = 0; i < rounds; i++) {
		u32 at = 10 * i;

		made_slice(&store, 0, at + 6, at + 10, GAPP_THEN_WAIT, GAPP_WAIT_PIPE, 1);
		made_wake(&store, 1, at + 10, 0, 0);
		made_slice(&store, 1, at + 10, at + 16, GAPP_THEN_WAIT, GAPP_WAIT_PIPE, 2);
		made_wake(&store, 0, at + 16, 1, 1);
	}
	made_end(&store, 10 * rounds + 6);
	assert_true(store.slice_count <= 64);
	assert_true(store.dropped >= 2 * rounds - 64);
	assert_true(store.known_from > (10 * rounds - 400) * STEP_NS);
	assert_int_equal(critical_walk(&store, (10 * rounds + 6) * STEP_NS, &walk), 0);
	assert_int_equal(walk.unknown_ns, store.known_from);
	assert_int_equal(all_ns(&walk), (10 * rounds + 6) * STEP_NS);
	assert_true(walk.hops >= 15);
	assert_int_equal(walk.idle_ns, 0);
	critical_walk_free(&walk);
	wait_store_free(&store);
}

/* Thread i waits from i to 2 * count - i, for thread i + 1: as many waits lie in one another. */
static u64 steps_of_nest(u32 count)
{
	struct critical_walk walk;
	struct wait_store store;
	u64 steps;

	made_begin(&store, STORE_SLICES_MAX);
	for (u32 i = 0; i < count; i++)
		made_slice(&store, i, i ? i - 1 : 0, i + 1, GAPP_THEN_WAIT, GAPP_WAIT_LOCK, 1);
	made_slice(&store, count, count, count + 1, GAPP_THEN_WAIT, GAPP_WAIT_LOCK, 1);
	made_wake(&store, count, count + 1, BY_IRQ, 0);
	made_slice(&store, count, count + 1, count + 2, GAPP_THEN_EXITED, 0, 2);
	for (u32 i = count; i--;) {
		u32 at = 2 * count - i + 1;

		made_wake(&store, i, at, i + 1, 0);
		made_slice(&store, i, at, at + 1, GAPP_THEN_EXITED, 0, 2);
	}
	made_end(&store, 2 * count + 2);
	assert_int_equal(critical_walk(&store, (2 * count + 2) * STEP_NS, &walk), 0);
	assert_int_equal(all_ns(&walk), (2 * count + 2) * STEP_NS);
	assert_int_equal(walk.hops, count);
	assert_int_equal(walk.depth, count);
	steps = walk.steps;
	critical_walk_free(&walk);
	wait_store_free(&store);
	return steps;
}

static void a_million_waits_take_ten_times_as_many_steps(void **state)
{
	u64 few = steps_of_nest(MANY / 10), many = steps_of_nest(MANY);

	(void)state;
	print_message("# %llu steps for %u waits in one another, %llu for %u\n",
		      (unsigned long long)few, MANY / 10, (unsigned long long)many, MANY);
	assert_true(many <= 10 * few + 100);
	assert_true(many <= 8ULL * MANY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_path_that_is_computed_forward),
		cmocka_unit_test(holes_are_not_bridged),
		cmocka_unit_test(what_is_lost_adds_up),
		cmocka_unit_test(a_join_leads_to_the_thread_that_ended),
		cmocka_unit_test(samples_divide_a_slice),
		cmocka_unit_test(what_ran_with_many_threads_is_of_no_function),
		cmocka_unit_test(a_full_store_drops_its_oldest_half),
		cmocka_unit_test(a_million_waits_take_ten_times_as_many_steps),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("critical_path", tests, NULL, NULL);
}
