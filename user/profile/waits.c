// SPDX-License-Identifier: GPL-2.0
/*
 * Puts waits together of records, and adds them up by object, call path and waker. At
 * GAPP_LEVEL_TRACE a sweep over the records knows at each moment how many threads are active and
 * how many wait: time with few threads active goes in equal parts to the waits that go on. For that
 * each target keeps the integral of 1 / waits, and each wait what it was at its begin.
 */
#include "profile_private.h"
#include "symbol/kernel_data.h"

static bool find_kernel_data(u64 address, char *name)
{
	return kernel_data_name("/proc/kallsyms", address, name);
}

int profile_collect_waits(struct profile *profile, const struct wait_sources *sources, bool all)
{
	static const struct wait_sources usual = {
		.look = wait_file_look,
		.name = wait_file_name,
		.thread_name = wait_thread_name,
		.shared = shared_memory_find,
		.kernel_data = find_kernel_data,
	};
	struct all_waits *waits = calloc(1, sizeof(*waits));

	if (!waits)
		return -1;
	waits->all = all;
	waits->sources = usual;
	if (sources->look)
		waits->sources = *sources;
	waits->sources.maps = sources->maps;
	waits->sources.nodes = sources->nodes;
	waits->look_ups = WAIT_LOOK_UPS;
	waits->spin_look_ups = SPIN_LOOK_UPS;
	waits->pipe_look_ups = WAIT_PIPE_LOOK_UPS;
	profile->waits = waits;
	return 0;
}

void profile_waits_have_ends(struct profile *profile)
{
	profile->waits->ends = true;
}

void profile_waits_drain(struct profile *profile, u32 n_min)
{
	if (!profile->waits)
		return;
	profile->waits->look_ups = WAIT_LOOK_UPS;
	profile->waits->spin_look_ups = SPIN_LOOK_UPS;
	profile->waits->n_min = n_min;
}

void waits_free(struct all_waits *waits)
{
	if (!waits)
		return;
	texts_free(&waits->names);
	keyed_free(&waits->objects);
	keyed_free(&waits->sites);
	keyed_free(&waits->pairs);
	keyed_free(&waits->threads);
	keyed_free(&waits->targets);
	keyed_free(&waits->descriptors);
	keyed_free(&waits->words);
	keyed_free(&waits->memories);
	keyed_free(&waits->holders.locks);
	keyed_free(&waits->holders.holds);
	free(waits->open_spins.rows);
	free(waits);
}

/* The thread with that id; NULL: no memory, or no room. */
static struct wait_thread *find_thread(struct all_waits *waits, s32 tid, s32 tgid)
{
	const struct wait_thread_key key = { tid, tgid };
	u32 id = keyed_find(&waits->threads, &key);

	if (id == HASH_NONE && waits->threads.index.count < WAIT_THREADS_MAX) {
		id = keyed_add(&waits->threads, &key);
		if (id != HASH_NONE) {
			waits->threads.rows[id].site = HASH_NONE;
			waits->threads.rows[id].name = HASH_NONE;
			waits->threads.rows[id].spun_stack = HASH_NONE;
			lock_thread_init(&waits->threads.rows[id].lock);
			spin_thread_init(&waits->threads.rows[id].spin);
		}
	}
	return id == HASH_NONE ? NULL : &waits->threads.rows[id];
}

static struct wait_target *find_target(struct all_waits *waits, u32 target)
{
	const struct wait_target_key key = { target };
	u32 id = keyed_find(&waits->targets, &key);

	if (id == HASH_NONE && waits->targets.index.count < GAPP_MAX_PROCESSES)
		id = keyed_add(&waits->targets, &key);
	return id == HASH_NONE ? NULL : &waits->targets.rows[id];
}

/* Few threads are active, or none. */
static bool is_few(const struct all_waits *waits, const struct wait_target *target)
{
	return target && target->until_ns && target->losses == waits->losses &&
	       target->n <= waits->n_min;
}

/* Brings the integral up to a time; after it @n threads are active. */
static void target_advance(struct all_waits *waits, struct wait_target *target, u64 time_ns, u32 n)
{
	if (target->losses != waits->losses) {
		target->losses = waits->losses;
		target->waiting = 0;
	} else if (target->n <= waits->n_min && time_ns > target->until_ns) {
		if (target->n && target->waiting)
			target->area += (double)(time_ns - target->until_ns) / target->waiting;
		if (target->until_ns)
			target->few_ns += time_ns - target->until_ns;
	}
	target->until_ns = time_ns;
	target->n = n;
}

static int find_site(struct all_waits *waits, const struct wait_site_key *key, u32 *site)
{
	*site = keyed_find(&waits->sites, key);
	if (*site != HASH_NONE)
		return 0;
	if (key->object == HASH_NONE || waits->sites.index.count >= WAIT_SITES_MAX) {
		waits->without_room++;
		return 0;
	}
	*site = keyed_add(&waits->sites, key);
	return *site == HASH_NONE ? -1 : 0;
}

static void add_sums(struct all_waits *waits, u32 site, const struct wait_sums *more)
{
	u32 object = waits->sites.rows[site].key.object;
	struct wait_sums *const sums[] = { &waits->sites.rows[site].sums,
					   &waits->objects.rows[object].sums };

	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		sums[i]->critical += more->critical;
		sums[i]->idle_ns += more->idle_ns;
		sums[i]->waited_ns += more->waited_ns;
		sums[i]->waits += more->waits;
	}
}

static u32 step_of(u64 ns)
{
	u64 us = ns / 1000;
	u32 step = us ? 64 - __builtin_clzll(us) : 0;

	return step < WAIT_STEPS ? step : WAIT_STEPS - 1;
}

static u32 interrupt_of(u32 flags)
{
	if (flags & GAPP_SLICE_IRQ_NETWORK)
		return WAKER_NETWORK;
	if (flags & GAPP_SLICE_IRQ_DISK)
		return WAKER_DISK;
	return flags & GAPP_SLICE_IRQ_TIMER ? WAKER_TIMER : WAKER_INTERRUPT;
}

/* The name of who woke a thread; an interrupt has none. */
static u32 find_waker(struct all_waits *waits, u32 flags, s32 tid, s32 tgid)
{
	const struct wait_thread_key key = { tid, tgid };
	char comm[GAPP_COMM_LEN + 1] = "";
	struct wait_thread *thread;
	u32 id;

	if (flags & GAPP_SLICE_WOKEN_BY_IRQ)
		return interrupt_of(flags);
	if (!(flags & GAPP_SLICE_WAKER) || !tid)
		return WAKER_UNKNOWN;
	id = keyed_find(&waits->threads, &key);
	if (id != HASH_NONE && waits->threads.rows[id].name != HASH_NONE)
		return waits->threads.rows[id].name;
	if (!waits->look_ups) {
		waits->not_looked_up++;
		return WAKER_UNKNOWN;
	}
	waits->look_ups--;
	if (!waits->sources.thread_name(tid, comm))
		return WAKER_UNKNOWN;
	thread = find_thread(waits, tid, tgid);
	id = wait_name_number(waits, (const u8 *)comm);
	if (thread)
		thread->name = id;
	return id == HASH_NONE ? WAKER_UNKNOWN : id;
}

/* Adds who ended waits of @ns in all. Returns 0, or -1 without memory. */
static int add_pair(struct all_waits *waits, const struct wait_pair_key *key, u64 ns, u64 count)
{
	u32 id = keyed_find(&waits->pairs, key);
	struct wait_pair *pair;

	if (id == HASH_NONE) {
		if (waits->pairs.index.count >= WAIT_PAIRS_MAX) {
			waits->without_room++;
			return 0;
		}
		id = keyed_add(&waits->pairs, key);
		if (id == HASH_NONE)
			return -1;
	}
	pair = &waits->pairs.rows[id];
	pair->waits += count;
	pair->waited_ns += ns;
	pair->steps[step_of(count ? ns / count : ns)] += count;
	return 0;
}

/*
 * Sets @from to the id of the waker's call path; STACK_NONE: there is none. It was taken from
 * @begin_ns on. Returns 0, or -1 without memory.
 */
static int find_from(struct profile *profile, const struct gapp_waker_path *path, s32 tgid,
		     u64 begin_ns, u64 time_ns, u32 *from)
{
	*from = STACK_NONE;
	if (!path)
		return 0;
	if (path->path == GAPP_PATH_NONE) {
		profile->waits->left_out++;
		return 0;
	}
	if (profile_stack(profile, path->path, GAPP_PATH_NONE, tgid, begin_ns, time_ns, from))
		return -1;
	if (*from >= STACK_LOST)
		*from = STACK_NONE;
	return 0;
}

/* A thread's name may change: that of its last record counts. */
static void note_name(struct all_waits *waits, struct wait_thread *thread, const u8 *comm)
{
	char now[GAPP_COMM_LEN + 1];

	snprintf(now, sizeof(now), "%.*s", GAPP_COMM_LEN, (const char *)comm);
	if (thread->name == HASH_NONE || strcmp(waits->names.texts[thread->name], now))
		thread->name = wait_name_number(waits, comm);
}

/* A thread that is in a wait runs again, though no wake-up was recorded. */
static void drop_wait(struct all_waits *waits, struct wait_thread *thread,
		      struct wait_target *target)
{
	if (thread->site == HASH_NONE)
		return;
	if (target && thread->losses == waits->losses)
		lock_wait_dropped(waits, waits->sites.rows[thread->site].key.object);
	thread->site = HASH_NONE;
	waits->cut++;
	if (!target)
		return;
	lock_doubt(target);
	if (thread->losses == waits->losses && target->waiting)
		target->waiting--;
}

static void begin_wait(struct all_waits *waits, struct wait_thread *thread,
		       struct wait_target *target, u32 site, u64 time_ns)
{
	thread->site = site;
	thread->begin_ns = time_ns;
	thread->losses = waits->losses;
	if (!target)
		return;
	thread->area = target->area;
	target->waiting++;
	lock_wait_begins(waits, target, &thread->lock, waits->sites.rows[site].key.object);
}

/* The record of the wait, if there will be one, may not say for which word. */
static void note_spun_for(struct all_waits *waits, const struct gapp_record_slice *slice,
			  const struct wait_site_key *site)
{
	struct wait_thread *thread = find_thread(waits, slice->tid, slice->tgid);

	if (!thread)
		return;
	thread->spun_stack = site->stack;
	thread->spun_for = site->object;
}

/* The site of a slice that ended in a wait on @stack. Returns 0, or -1 without memory. */
static int site_of_slice(struct profile *profile, const struct gapp_record_slice *slice, u32 stack,
			 u32 *site)
{
	const struct wait_call call = {
		.tgid = slice->tgid,
		.image = slice->image,
		.wait = record_wait_reason(slice->wait),
		.syscall = slice->syscall,
		.args = slice->args,
		.file = slice_wait_file(slice),
		.lock = slice_wait_lock(slice),
		.comm = slice->comm,
		.time_ns = slice->head.time_ns,
	};
	struct wait_site_key key = { .stack = stack, .wait = call.wait };

	if (wait_object_find(profile->waits, &call, &key.object))
		return -1;
	if (call.wait == GAPP_WAIT_SPIN && call.args[0])
		note_spun_for(profile->waits, slice, &key);
	return find_site(profile->waits, &key, site);
}

/*
 * Not every wait is recorded, but how those end whose begin is: notes that the record of the end is
 * to come.
 */
static void expect_end(struct all_waits *waits, const struct gapp_record_slice *slice, u32 site)
{
	struct wait_thread *thread = find_thread(waits, slice->tid, slice->tgid);

	if (!thread)
		return;
	note_name(waits, thread, slice->comm);
	begin_wait(waits, thread, NULL, site, slice->head.time_ns);
}

/* Ends it. Sets @sums, and @waiter to the thread's name. Returns its site, or HASH_NONE. */
static u32 end_expected(struct all_waits *waits, const struct gapp_record_wake *wake,
			struct wait_sums *sums, u32 *waiter)
{
	const struct wait_thread_key key = { wake->tid, wake->tgid };
	u32 id = keyed_find(&waits->threads, &key), site;
	struct wait_thread *thread;

	if (id == HASH_NONE)
		return HASH_NONE;
	thread = &waits->threads.rows[id];
	site = thread->site;
	thread->site = HASH_NONE;
	if (thread->losses != waits->losses || wake->head.time_ns < thread->begin_ns)
		return HASH_NONE;
	*waiter = thread->name;
	/* the wait was counted when it began */
	*sums = (struct wait_sums){ .waited_ns = wake->head.time_ns - thread->begin_ns };
	return site;
}

int profile_wait_begins(struct profile *profile, const struct gapp_record_slice *slice, u32 *site)
{
	struct all_waits *waits = profile->waits;
	struct wait_target *target;
	struct wait_thread *thread;
	u32 stack;

	*site = HASH_NONE;
	if (!waits || (!waits->all && slice->then != GAPP_THEN_WAIT))
		return 0;
	if (profile_stack(profile, slice->path, slice->kernel_path, slice->tgid,
			  slice->head.time_ns, slice->head.time_ns, &stack) ||
	    (slice->then == GAPP_THEN_WAIT && site_of_slice(profile, slice, stack, site)))
		return -1;
	if (!waits->all) {
		if (*site != HASH_NONE)
			add_sums(waits, *site, &(struct wait_sums){ .waits = 1 });
		if (waits->ends)
			expect_end(waits, slice, *site);
		return 0;
	}
	thread = find_thread(waits, slice->tid, slice->tgid);
	target = find_target(waits, slice->target);
	if (target)
		target_advance(waits, target, slice->head.time_ns, slice->n);
	if (!thread) {
		waits->without_room++;
		return 0;
	}
	note_name(waits, thread, slice->comm);
	thread->target = slice->target;
	if (!(slice->flags & GAPP_SLICE_REST) &&
	    lock_slice_ends(waits, &thread->lock, slice, stack))
		return -1;
	spin_slice_ends(waits, thread, slice,
			*site == HASH_NONE ? HASH_NONE : waits->sites.rows[*site].key.object);
	drop_wait(waits, thread, target);
	if (*site != HASH_NONE)
		begin_wait(waits, thread, target, *site, slice->head.time_ns);
	return 0;
}

static int find_wake_from(struct profile *profile, const struct gapp_record_wake *wake, u32 *from)
{
	return find_from(profile, wake_waker_path(wake), wake->waker_tgid, wake->head.time_ns,
			 wake->head.time_ns, from);
}

/*
 * As end_expected(), where every wait is recorded: sets all of @key but the waker. A lock that the
 * thread waited for was given to it. Returns 0, or -1 without memory.
 */
static int end_wait(struct profile *profile, const struct gapp_record_wake *wake,
		    struct wait_sums *sums, struct wait_pair_key *key)
{
	struct all_waits *waits = profile->waits;
	struct wait_target *target = find_target(waits, wake->target);
	struct lock_end end = { .was_few = is_few(waits, target) };
	const u64 stored_ns = waits->stored_ns;
	const struct wait_site_key *site;
	struct wait_thread *thread;

	waits->stored_ns = 0;
	key->site = HASH_NONE;
	if (target)
		target_advance(waits, target, wake->head.time_ns, wake->n);
	thread = find_thread(waits, wake->tid, wake->tgid);
	if (thread)
		spin_thread_woken(waits, thread, wake->head.time_ns);
	if (!thread || thread->site == HASH_NONE) {
		/* nobody is said to have woken a new thread, which waited for nothing */
		if (target && wake->flags & (GAPP_SLICE_WAKER | GAPP_SLICE_WOKEN_BY_IRQ))
			lock_doubt(target);
		return 0;
	}
	if (thread->losses != waits->losses || wake->head.time_ns < thread->begin_ns) {
		drop_wait(waits, thread, target);
		return 0;
	}
	key->site = thread->site;
	thread->site = HASH_NONE;
	key->waiter = thread->name;
	site = &waits->sites.rows[key->site].key;
	if (site->wait == GAPP_WAIT_SPIN &&
	    spin_wait_ends(waits, thread, site->object, thread->begin_ns, wake, stored_ns))
		return -1;
	*sums = (struct wait_sums){
		.critical = target ? target->area - thread->area : 0,
		.waited_ns = wake->head.time_ns - thread->begin_ns,
		.waits = 1,
	};
	if (target && target->waiting)
		target->waiting--;
	end.row.waits = 1;
	end.row.waited_ns = sums->waited_ns;
	end.row.critical = sums->critical;
	if (find_wake_from(profile, wake, &key->from))
		return -1;
	end.from = key->from;
	return target ? lock_wait_ends(waits, target, thread, key->site, wake, end) : 0;
}

void profile_wait_stored(struct profile *profile, u64 stored_ns)
{
	if (profile->waits)
		profile->waits->stored_ns = stored_ns;
}

int profile_wait_ends(struct profile *profile, const struct gapp_record_wake *wake)
{
	struct all_waits *waits = profile->waits;
	struct wait_pair_key key = { 0 };
	struct wait_sums sums;

	if (!waits)
		return 0;
	if (!waits->all && !waits->ends)
		return 0;
	if (!waits->all)
		key.site = end_expected(waits, wake, &sums, &key.waiter);
	else if (end_wait(profile, wake, &sums, &key))
		return -1;
	if (key.site == HASH_NONE)
		return 0;
	add_sums(waits, key.site, &sums);
	key.waker = find_waker(waits, wake->flags, wake->waker_tid, wake->waker_tgid);
	if (!waits->all && find_wake_from(profile, wake, &key.from))
		return -1;
	return add_pair(waits, &key, sums.waited_ns, 1);
}

/* Whether a record of the wait's end is to come besides, which has its whole length. */
static bool is_expected(const struct all_waits *waits, const struct gapp_record_wait *wait)
{
	const struct wait_thread_key key = { wait->tid, wait->tgid };
	u32 id = waits->ends ? keyed_find(&waits->threads, &key) : HASH_NONE;

	return id != HASH_NONE && waits->threads.rows[id].site != HASH_NONE &&
	       waits->threads.rows[id].losses == waits->losses && wait->stretches;
}

/* Sets the object of a site of which all else is known. Returns 0, or -1 without memory. */
static int find_alone(struct all_waits *waits, const struct gapp_record_wait *wait,
		      const struct wait_call *call, struct wait_site_key *site)
{
	const struct wait_thread_key key = { wait->tid, wait->tgid };
	u32 id = call->wait == GAPP_WAIT_SPIN ? keyed_find(&waits->threads, &key) : HASH_NONE;

	if (id == HASH_NONE || waits->threads.rows[id].spun_stack != site->stack || call->args[0])
		return wait_object_find(waits, call, &site->object);
	site->object = waits->threads.rows[id].spun_for;
	return 0;
}

int profile_wait_alone(struct profile *profile, const struct gapp_record_wait *wait)
{
	const struct wait_call call = {
		.tgid = wait->tgid,
		.image = wait->image,
		.wait = record_wait_reason(wait->wait),
		.syscall = wait->syscall,
		.args = wait->args,
		.file = wait_wait_file(wait),
		.lock = wait_wait_lock(wait),
		.comm = wait->comm,
		.time_ns = wait->head.time_ns,
	};
	struct wait_site_key key = { .wait = call.wait };
	struct all_waits *waits = profile->waits;
	struct wait_sums sums = { .idle_ns = wait->wait_ns };
	struct wait_pair_key pair = { 0 };
	bool expected;
	u32 site;

	if (!waits)
		return 0;
	if (profile_stack(profile, wait->path, wait->kernel_path, wait->tgid, wait->begin_ns,
			  wait->head.time_ns, &key.stack) ||
	    find_alone(waits, wait, &call, &key) || find_site(waits, &key, &site))
		return -1;
	if (site == HASH_NONE)
		return 0;
	expected = is_expected(waits, wait);
	if (!waits->all) {
		sums.waits = wait->stretches - expected;
		sums.waited_ns = expected ? 0 : wait->wait_ns;
	}
	add_sums(waits, site, &sums);
	/* who woke threads is known where it was asked for, or the next record says it */
	if (waits->all || expected || !(wait->flags & (GAPP_SLICE_WAKER | GAPP_SLICE_WOKEN_BY_IRQ)))
		return 0;
	pair.site = site;
	pair.waiter = wait_name_number(waits, wait->comm);
	pair.waker = find_waker(waits, wait->flags, wait->waker_tid, wait->waker_tgid);
	if (find_from(profile, wait_waker_path(wait), wait->waker_tgid, wait->begin_ns,
		      wait->head.time_ns, &pair.from))
		return -1;
	return add_pair(waits, &pair, wait->wait_ns, wait->stretches);
}

void profile_waits_lost(struct profile *profile)
{
	if (!profile->waits)
		return;
	profile->waits->losses++;
	spins_lost(profile->waits);
}
