// SPDX-License-Identifier: GPL-2.0
/*
 * Judges the sites of waits. Records of waits do not say their target: a site's is that of the
 * process, or where processes share what is waited for, that of the call path. Merged recordings,
 * and sessions with many targets, have waits of each, and what others waited for in one target says
 * nothing of another.
 */
#include "judged_waits.h"

#include "profile_private.h"

struct process_target_key {
	s32 tgid;
};

/* @target: HASH_NONE: threads of several targets had that id. */
struct process_target {
	struct process_target_key key;
	u32 target;
};

struct target_sums_key {
	u32 target;
};

/**
 * struct target_sums - the waits of a target
 * @others_ns: what others waited for each reason
 * @waits: recorded waits for each reason
 * @measured: every wait was recorded: then critical time is known
 */
struct target_sums {
	struct target_sums_key key;
	double others_ns[GAPP_WAIT_REASONS];
	u64 waits[GAPP_WAIT_REASONS];
	bool measured;
};

/**
 * struct judge - what is known of targets
 * @stacks: target by id of a call path, and one more; 0: not known; HASH_NONE: several
 * @processes: the target of each process
 * @sums: what is known of each target's waits
 */
struct judge {
	const struct ranker *ranker;
	u32 *stacks;

	KEYED(process_target) processes;
	KEYED(target_sums) sums;
};

static void judge_free(struct judge *judge)
{
	keyed_free(&judge->processes);
	keyed_free(&judge->sums);
	free(judge->stacks);
}

static void note_stack(struct judge *judge, u32 stack, u32 target)
{
	u32 *one_more;

	if (stack >= judge->ranker->profile->seen_room)
		return;
	one_more = &judge->stacks[stack];
	*one_more = !*one_more || *one_more == target + 1 ? target + 1 : HASH_NONE;
}

static int note_process(struct judge *judge, s32 tgid, u32 target)
{
	const struct process_target_key key = { tgid };
	u32 id = keyed_find(&judge->processes, &key);

	if (id == HASH_NONE) {
		id = keyed_add(&judge->processes, &key);
		if (id == HASH_NONE)
			return -1;
		judge->processes.rows[id].target = target;
	} else if (judge->processes.rows[id].target != target) {
		judge->processes.rows[id].target = HASH_NONE;
	}
	return 0;
}

/* Finds out which target processes and call paths are of. Returns 0, or -1 without memory. */
static int note_targets(struct judge *judge)
{
	const struct profile *profile = judge->ranker->profile;

	judge->stacks = calloc(profile->seen_room + 1, sizeof(*judge->stacks));
	if (!judge->stacks)
		return -1;
	for (u32 i = 0; i < profile->cells.index.count; i++)
		note_stack(judge, profile->cells.rows[i].key.end,
			   profile->cells.rows[i].key.target);
	for (u32 i = 0; i < profile->sets.index.count; i++)
		note_stack(judge, profile->sets.rows[i].key.end, profile->sets.rows[i].key.target);
	for (u32 i = 0; i < profile->entries.index.count; i++) {
		const struct entry_key *key = &profile->entries.rows[i].key;

		if (key->tgid && note_process(judge, key->tgid, key->target))
			return -1;
	}
	return 0;
}

static u32 target_of_stack(const struct judge *judge, u32 stack)
{
	u32 one_more = stack < judge->ranker->profile->seen_room ? judge->stacks[stack] : 0;

	return one_more && one_more != HASH_NONE ? one_more - 1 : HASH_NONE;
}

static u32 target_of_process(const struct judge *judge, s32 tgid)
{
	const struct process_target_key key = { tgid };
	u32 id = keyed_find(&judge->processes, &key);

	return id == HASH_NONE ? HASH_NONE : judge->processes.rows[id].target;
}

static u32 target_of_site(const struct judge *judge, const struct wait_object *object, u32 stack)
{
	const struct profile *profile = judge->ranker->profile;
	u32 by_process, by_stack;

	if (!profile->several_targets)
		return profile->first_target;
	by_process = target_of_process(judge, object->tgid);
	by_stack = target_of_stack(judge, stack);
	/* what belongs to no address space is waited for by other processes than the first, too */
	if (by_process == HASH_NONE || (!object->key.image && by_stack != HASH_NONE))
		return by_stack;
	return by_process;
}

/* NULL: no memory. */
static struct target_sums *sums_of(struct judge *judge, u32 target)
{
	const struct target_sums_key key = { target };
	u32 id = keyed_find(&judge->sums, &key);

	if (id == HASH_NONE)
		id = keyed_add(&judge->sums, &key);
	return id == HASH_NONE ? NULL : &judge->sums.rows[id];
}

static struct wait_kind kind_of(const struct ranker *ranker, const struct wait_site_key *key)
{
	u32 wait = record_wait_reason(key->wait), stack = key->stack;
	bool known = stack < ranker->profile->seen_room && ranker->believed[stack].stack;

	return known ? path_wait(ranker, stack, wait) : wait_by_call(wait);
}

/* Returns 0, or -1 without memory. */
static int add_others(struct judge *judge, const struct ranking *paths)
{
	for (size_t i = 0; i < paths->count; i++) {
		const struct ranked *row = &paths->rows[i];
		struct target_sums *sums;

		if (row->kind != PATH_RAN)
			continue;
		sums = sums_of(judge, row->target);
		if (!sums)
			return -1;
		for (u32 wait = 0; wait < GAPP_WAIT_REASONS; wait++)
			sums->others_ns[wait] += row->waiting_ns[wait];
	}
	return 0;
}

/* Divides what others waited for each reason among the sites whose waits were recorded. */
static int infer_critical(struct judge *judge, const struct all_waits *waits,
			  const struct ranking *paths, struct judged_site *judged)
{
	if (add_others(judge, paths))
		return -1;
	for (u32 i = 0; i < waits->sites.index.count; i++) {
		const struct wait_sums *own = &waits->sites.rows[i].sums;
		struct target_sums *sums = sums_of(judge, judged[i].target);

		if (!sums)
			return -1;
		sums->waits[judged[i].kind.reason] += own->waits;
		/* merged with a recording that has not every wait, these are as they were */
		sums->measured |= own->critical > 0;
	}
	for (u32 i = 0; i < waits->sites.index.count; i++) {
		const struct target_sums *sums = sums_of(judge, judged[i].target);
		u32 reason = judged[i].kind.reason;

		if (sums->measured)
			continue;
		judged[i].inferred = true;
		if (sums->waits[reason])
			judged[i].critical_ns = sums->others_ns[reason] *
						waits->sites.rows[i].sums.waits /
						sums->waits[reason];
	}
	return 0;
}

struct judged_site *sites_judge(const struct ranker *ranker, const struct all_waits *waits,
				const struct ranking *paths)
{
	_cleanup_(judge_free) struct judge judge = { .ranker = ranker };
	struct judged_site *judged = calloc(waits->sites.index.count + 1, sizeof(*judged));

	if (!judged || note_targets(&judge)) {
		free(judged);
		return NULL;
	}
	for (u32 i = 0; i < waits->sites.index.count; i++) {
		const struct wait_site *site = &waits->sites.rows[i];

		judged[i].kind = kind_of(ranker, &site->key);
		judged[i].target = target_of_site(&judge, &waits->objects.rows[site->key.object],
						  site->key.stack);
		judged[i].critical_ns = site->sums.critical;
	}
	if (!waits->all && infer_critical(&judge, waits, paths, judged)) {
		free(judged);
		return NULL;
	}
	return judged;
}

void wait_weight_add(struct wait_weight *weight, const struct wait_site *site,
		     const struct judged_site *judged)
{
	weight->ns += judged->critical_ns + site->sums.idle_ns;
	weight->waited_ns += site->sums.waited_ns;
	weight->waits += site->sums.waits;
}

bool wait_weighs_more(const struct wait_weight *a, const struct wait_weight *b)
{
	if (a->ns != b->ns)
		return a->ns > b->ns;
	if (a->waited_ns != b->waited_ns)
		return a->waited_ns > b->waited_ns;
	return a->waits > b->waits;
}
