// SPDX-License-Identifier: GPL-2.0
/*
 * Ranks wait objects, and who ended the waits for them. An object without a name of its own is
 * called by the functions that wait for it most.
 */
#include "judged_waits.h"
#include "profile_private.h"
#include "ranked_waits.h"
#include "symbol/own_code.h"

#define SITE_NAME_SIZE 128
/* Of an object's waits: a second site that has so many of them is in its name. */
#define SITE_PART 0.1
/* Sites of one object that are looked at for its list. */
#define SITES_LOOKED_AT 256
/* Places of one lock's holders that are told apart; waits that ended with others are counted. */
#define HOLDERS_MAX 256

/**
 * struct wait_ranker - waits that are being ranked
 * @ranker: believes the paths of sites, and knows their rules
 * @waits: what was collected
 * @out: what it comes to
 * @judged: what the waits on each site are
 * @sites: numbers of sites, those of one object follow each other
 * @pairs: numbers of pairs, by object
 * @holds: numbers of rows of holders, by object
 */
struct wait_ranker {
	struct ranker ranker;
	struct all_waits *waits;
	struct ranked_waits *out;
	struct judged_site *judged;
	u32 *sites;
	u32 *pairs;
	u32 *holds;
};

static int compare_sites(const void *a, const void *b, void *context)
{
	const struct wait_site *sites = context;
	const struct wait_site *x = &sites[*(const u32 *)a], *y = &sites[*(const u32 *)b];
	u64 x_waits = x->sums.waits + !!x->sums.idle_ns,
	    y_waits = y->sums.waits + !!y->sums.idle_ns;
	int order = three_way(x->key.object, y->key.object) ?: three_way(y_waits, x_waits);

	return order ? order : three_way(*(const u32 *)a, *(const u32 *)b);
}

static u32 object_of(const struct all_waits *waits, const struct wait_pair *pair)
{
	return waits->sites.rows[pair->key.site].key.object;
}

static int compare_pairs(const void *a, const void *b, void *context)
{
	const struct all_waits *waits = context;
	const struct wait_pair *x = &waits->pairs.rows[*(const u32 *)a],
			       *y = &waits->pairs.rows[*(const u32 *)b];

	return three_way(object_of(waits, x), object_of(waits, y)) ?:
		       three_way(y->waited_ns, x->waited_ns)	   ?:
		       three_way(*(const u32 *)a, *(const u32 *)b);
}

static int compare_holds(const void *a, const void *b, void *context)
{
	const struct lock_hold *holds = context;
	const struct lock_hold *x = &holds[*(const u32 *)a], *y = &holds[*(const u32 *)b];

	return three_way(x->key.object, y->key.object)		   ?:
		       three_way(y->key.critical, x->key.critical) ?:
		       three_way(y->waited_ns, x->waited_ns)	   ?:
		       three_way(*(const u32 *)a, *(const u32 *)b);
}

/* Numbers from 0 on, in an order. NULL: no memory. */
static u32 *in_order(u32 count, int (*compare)(const void *, const void *, void *), void *context)
{
	u32 *numbers = calloc(count + 1, sizeof(*numbers));

	for (u32 i = 0; numbers && i < count; i++)
		numbers[i] = i;
	if (numbers)
		qsort_r(numbers, count, sizeof(*numbers), compare, context);
	return numbers;
}

/* Returns 0, or -1 without memory. */
static int believe_stack(struct ranker *ranker, u32 stack)
{
	const struct profile *profile = ranker->profile;

	if (stack >= profile->seen_room || !profile->seen[stack] || ranker->believed[stack].stack)
		return 0;
	return believe(&ranker->believed[stack], profile->seen[stack], ranker->symbols);
}

/* Believes the paths of all sites, holders and wakers. Returns 0, or -1 without memory. */
static int believe_paths(struct wait_ranker *ranker)
{
	const struct all_waits *waits = ranker->waits;

	if (believed_begin(&ranker->ranker))
		return -1;
	for (u32 i = 0; i < waits->sites.index.count; i++)
		if (believe_stack(&ranker->ranker, waits->sites.rows[i].key.stack))
			return -1;
	for (u32 i = 0; i < waits->holders.holds.index.count; i++)
		if (believe_stack(&ranker->ranker, waits->holders.holds.rows[i].key.stack))
			return -1;
	for (u32 i = 0; i < waits->pairs.index.count; i++)
		if (believe_stack(&ranker->ranker, waits->pairs.rows[i].key.from))
			return -1;
	return 0;
}

static const struct believed *believed_of(const struct ranker *ranker, u32 stack)
{
	if (stack >= ranker->profile->seen_room || !ranker->believed[stack].stack)
		return NULL;
	return &ranker->believed[stack];
}

/* The first frame from @own on, in the same object, whose function has a name; else @own. */
static u32 nearest_named(const struct believed *believed, u32 own)
{
	const char *module = believed->functions[own]->module;

	for (u32 i = own; i < believed->count; i++) {
		if (strcmp(believed->functions[i]->module, module))
			break;
		if (believed->functions[i]->function)
			return i;
	}
	return own;
}

/* A frame of a path whose number is @i, or if it has no name, its nearest caller that has one. */
static const struct frame *named_frame(const struct ranker *ranker, const struct believed *believed,
				       u32 i, const struct frame *frame)
{
	u32 named = frame->function ? i : nearest_named(believed, i);
	const struct frame *frames;

	if (named == i)
		return frame;
	return symbols_frames(ranker->symbols, believed->stack->addresses[named],
			      call_path_is_return(believed->stack, named), &frames) ?
		       frames :
		       NULL;
}

/*
 * The program's own function from frame @from on, with its line: also one that was inlined. If its
 * name is not known, the nearest caller in its object that has one, as for places. Where library
 * code alone is on the path, its innermost function. NULL: no path is known, or no memory.
 */
static const struct frame *own_frame_from(const struct ranker *ranker, u32 stack, u32 from)
{
	const struct believed *believed = believed_of(ranker, stack);
	const struct frame *frames, *own, *first = NULL;

	for (u32 i = from; i < believed->count; i++) {
		size_t count;

		if (first && (believed->functions[i]->library || believed->functions[i]->kernel))
			continue;
		count = symbols_frames(ranker->symbols, believed->stack->addresses[i],
				       call_path_is_return(believed->stack, i), &frames);
		if (!count)
			return first;
		own = own_line(frames, count);
		if (own && !own->kernel && !wait_is_library(own) && !function_runs_others(own))
			return named_frame(ranker, believed, i, own);
		if (!first)
			first = frames;
	}
	return first ? named_frame(ranker, believed, from, first) : NULL;
}

/* Where a thread held a lock, or woke another one. NULL: no path is known, or no memory. */
static const struct frame *own_frame(const struct ranker *ranker, u32 stack)
{
	const struct believed *believed = believed_of(ranker, stack);

	return believed ? own_frame_from(ranker, stack, believed->first) : NULL;
}

/* Where a thread waits: behind a program's own lock or queue, if a rule names that. */
static const struct frame *site_frame(const struct ranker *ranker, const struct wait_site *site)
{
	return believed_of(ranker, site->key.stack) ?
		       own_frame_from(ranker, site->key.stack,
				      path_wait_behind(ranker, site->key.stack, site->key.wait)) :
		       NULL;
}

static bool same_spot(const struct frame *a, const struct frame *b)
{
	return a == b || (a && b && spot_same(a, b));
}

void ranked_object_add_site(struct ranked_object *object, const struct ranked_site *more)
{
	size_t i = 0;

	while (i < object->site_count && !same_spot(object->sites[i].frame, more->frame))
		i++;
	if (i == RANKED_SITES_MAX)
		return;
	if (i == object->site_count) {
		object->site_count++;
		object->sites[i].frame = more->frame;
	}
	object->sites[i].waits += more->waits;
	object->sites[i].waited_ns += more->waited_ns;
}

/* Waits of one kind for an object. */
struct kind_sum {
	struct wait_kind kind;
	struct wait_weight weight;
};

/* Of all kinds, or with @reason of those with it, the one that counts most; the first of equals. */
static const struct kind_sum *weightiest(const struct kind_sum *sums, u32 count, u32 reason)
{
	const struct kind_sum *most = NULL;

	for (u32 i = 0; i < count; i++) {
		if (reason < GAPP_WAIT_REASONS && sums[i].kind.reason != reason)
			continue;
		if (!most || wait_weighs_more(&sums[i].weight, &most->weight))
			most = &sums[i];
	}
	return most;
}

static void add_kind(struct kind_sum *sums, u32 *count, const struct wait_kind *kind,
		     const struct wait_site *site, const struct judged_site *judged)
{
	u32 i = 0;

	while (i < *count && !wait_kind_same(&sums[i].kind, kind))
		i++;
	if (i == *count)
		sums[(*count)++] = (struct kind_sum){ .kind = *kind };
	wait_weight_add(&sums[i].weight, site, judged);
}

/* Sets wait reason and kind of an object; @first: its first site in the order. */
static void choose_kind(const struct wait_ranker *ranker, struct ranked_object *object, u32 id,
			u32 first)
{
	struct kind_sum kinds[SITES_LOOKED_AT], reasons[GAPP_WAIT_REASONS];
	const struct all_waits *waits = ranker->waits;
	const struct kind_sum *most;
	u32 kind_count = 0, reason_count = 0;

	for (u32 i = first; i < waits->sites.index.count && i < first + SITES_LOOKED_AT; i++) {
		const struct wait_site *site = &waits->sites.rows[ranker->sites[i]];
		const struct judged_site *judged = &ranker->judged[ranker->sites[i]];
		const struct wait_kind reason = { .reason = judged->kind.reason };

		if (site->key.object != id)
			break;
		add_kind(kinds, &kind_count, &judged->kind, site, judged);
		add_kind(reasons, &reason_count, &reason, site, judged);
	}
	most = weightiest(reasons, reason_count, GAPP_WAIT_REASONS);
	if (!most)
		return;
	object->reason = most->kind.reason;
	most = weightiest(kinds, kind_count, object->reason);
	object->called = most->kind.name;
	object->plain = most->kind.plain;
}

/* Sets the sites of an object; @first: its first one in the order. */
static void rank_sites(const struct wait_ranker *ranker, struct ranked_object *object, u32 id,
		       u32 first)
{
	const struct all_waits *waits = ranker->waits;

	for (u32 i = first; i < waits->sites.index.count && i < first + SITES_LOOKED_AT; i++) {
		const struct wait_site *site = &waits->sites.rows[ranker->sites[i]];

		if (site->key.object != id)
			break;
		ranked_object_add_site(object, &(struct ranked_site){
						       .frame = site_frame(&ranker->ranker, site),
						       .waits = site->sums.waits,
						       .waited_ns = site->sums.waited_ns ?:
									    site->sums.idle_ns,
					       });
	}
}

/* Sets critical time and target of an object; @first: its first site in the order. */
static void add_critical(const struct wait_ranker *ranker, struct ranked_object *object, u32 id,
			 u32 first)
{
	const struct all_waits *waits = ranker->waits;

	object->target = HASH_NONE;
	for (u32 i = first; i < waits->sites.index.count; i++) {
		u32 number = ranker->sites[i];
		const struct judged_site *judged = &ranker->judged[number];

		if (waits->sites.rows[number].key.object != id)
			break;
		if (object->target == HASH_NONE)
			object->target = judged->target;
		object->inferred |= judged->inferred;
		if (judged->inferred)
			object->critical_ns += judged->critical_ns;
	}
}

static struct ranked_ender ender_of(const struct wait_ranker *ranker, const struct wait_pair *pair)
{
	const struct all_waits *waits = ranker->waits;
	u32 waker = pair->key.waker;

	return (struct ranked_ender){
		.name = wait_name_text(waits, waker),
		.interrupt = waker_is_interrupt(waker),
		.kind = waker_interrupt_kind(waker),
		.frame = own_frame(&ranker->ranker, pair->key.from),
		.waits = pair->waits,
		.waited_ns = pair->waited_ns,
	};
}

static bool same_ender(const struct ranked_ender *a, const struct ranked_ender *b)
{
	return a->name == b->name && a->interrupt == b->interrupt && a->kind == b->kind &&
	       same_spot(a->frame, b->frame);
}

void ranked_object_add_ender(struct ranked_object *object, const struct ranked_ender *more)
{
	size_t i = 0;

	while (i < object->ender_count && !same_ender(&object->enders[i], more))
		i++;
	if (i == RANKED_SITES_MAX)
		return;
	if (i == object->ender_count) {
		object->enders[object->ender_count++] = *more;
	} else {
		object->enders[i].waits += more->waits;
		object->enders[i].waited_ns += more->waited_ns;
	}
}

bool ranked_object_is_lock(const struct ranked_object *ranked, const struct wait_object *object)
{
	return object->key.kind == WAIT_ON_FUTEX && ranked->reason == GAPP_WAIT_LOCK &&
	       (!ranked->called || !strcmp(ranked->called, "mutex") ||
		!strcmp(ranked->called, "rwlock"));
}

static void add_holder(struct ranked_waits *out, struct ranked_object *object,
		       const struct frame *frame, const struct lock_hold *hold)
{
	struct ranked_holder *row = object->holders;
	struct ranked_holder *end = row + object->holder_count;

	while (row < end &&
	       (row->critical != !!hold->key.critical || !same_spot(row->frame, frame)))
		row++;
	if (row == end && object->holder_count == HOLDERS_MAX) {
		out->without_room += hold->waits;
		return;
	}
	if (row == end) {
		*row = (struct ranked_holder){ .frame = frame, .critical = hold->key.critical };
		object->holder_count++;
	}
	row->holds += hold->holds;
	row->hold_ns += hold->own_ns;
	row->few_ns += hold->own_few_ns;
	/* readers come and go: one that did not wait may have come after others began to */
	if (!object->called || strcmp(object->called, "rwlock")) {
		row->hold_ns += hold->seen_ns;
		row->few_ns += hold->seen_few_ns;
	}
	row->waits += hold->waits;
	row->waited_ns += hold->waited_ns;
	row->critical_ns += hold->critical;
}

static int compare_holders(const void *a, const void *b)
{
	const struct ranked_holder *x = a, *y = b;

	return compare_by(three_way(y->critical, x->critical),
			  three_way(y->waited_ns, x->waited_ns), three_way(y->hold_ns, x->hold_ns),
			  three_way(y->holds, x->holds));
}

/* Sets the holders of a lock; @first: its first row in the order. 0, or -1 without memory. */
static int rank_holders(const struct wait_ranker *ranker, struct ranked_object *ranked, u32 first,
			u32 count)
{
	const struct lock_hold *holds = ranker->waits->holders.holds.rows;

	if (!count)
		return 0;
	ranked->holders =
		calloc(count < HOLDERS_MAX ? count : HOLDERS_MAX, sizeof(*ranked->holders));
	if (!ranked->holders)
		return -1;
	for (u32 i = first; i < first + count; i++) {
		const struct lock_hold *hold = &holds[ranker->holds[i]];

		add_holder(ranker->out, ranked, own_frame(&ranker->ranker, hold->key.stack), hold);
	}
	qsort(ranked->holders, ranked->holder_count, sizeof(*ranked->holders), compare_holders);
	return 0;
}

/* The function of a site, as a name for what is waited for there; made in @words. */
static const char *function_of(const struct ranked_site *site, char words[SITE_NAME_SIZE])
{
	const char *base;

	if (!site->frame || site->frame->function)
		return site->frame ? site->frame->function : NULL;
	base = strrchr(site->frame->module, '/');
	snprintf(words, SITE_NAME_SIZE, "%s+0x%llx", base ? base + 1 : site->frame->module,
		 (unsigned long long)site->frame->offset);
	return words;
}

/* What a futex is called of which no rule knows more than its reason. */
static const char *noun_of(const struct ranked_object *object)
{
	static const char *const nouns[GAPP_WAIT_REASONS] = {
		[GAPP_WAIT_LOCK] = "lock",
		[GAPP_WAIT_JOIN] = "thread",
		[GAPP_WAIT_BARRIER] = "barrier",
	};

	return object->called ?: nouns[object->reason] ?: "futex";
}

/* Library code alone is on all paths, so a runtime's own name says more than its functions. */
static bool is_of_runtime(const struct ranked_object *object)
{
	for (size_t i = 0; i < object->site_count; i++)
		if (object->sites[i].frame && !wait_is_library(object->sites[i].frame))
			return false;
	return object->called && !object->plain;
}

char *ranked_object_name_by_sites(const struct ranked_object *object)
{
	char words[2][SITE_NAME_SIZE];
	const char *first = NULL, *second = NULL;
	char *name = NULL;

	if (is_of_runtime(object))
		return strdup(object->called);

	for (size_t i = 0; i < object->site_count && !second; i++) {
		const char *function = function_of(&object->sites[i], words[!!first]);

		if (!first)
			first = function;
		else if (function && strcmp(function, first) &&
			 object->sites[i].waits >= SITE_PART * object->waits)
			second = function;
	}
	if (!first || asprintf(&name, "%s in %s%s%s", noun_of(object), first, second ? ", " : "",
			       second ?: "") < 0)
		return NULL;
	return name;
}

/* The name stays with the object, and so gets to the recording's file. */
static void find_variable(struct wait_ranker *ranker, struct wait_object *object)
{
	const char *name;

	if (object->name != HASH_NONE || object->key.kind != WAIT_ON_FUTEX || !object->below.object)
		return;
	name = symbols_variable(ranker->ranker.symbols, object->below, object->distance);
	if (name && ranker->waits->names.index.count < WAIT_NAMES_MAX)
		object->name = texts_number(&ranker->waits->names, name);
}

/* Returns 0, or -1 without memory. */
static int set_name(const struct wait_ranker *ranker, struct ranked_object *ranked,
		    const struct wait_object *object)
{
	u32 name = wait_object_name(object);

	if (name != HASH_NONE) {
		ranked->name = strdup(ranker->waits->names.texts[name]);
		return ranked->name ? 0 : -1;
	}
	if (object->key.kind == WAIT_ON_FUTEX)
		ranked->name = ranked_object_name_by_sites(ranked);
	ranked->named_by_site = object->key.kind == WAIT_ON_FUTEX;
	if (object->key.kind == WAIT_ON_DESCRIPTOR &&
	    asprintf(&ranked->name, "descriptor %llu of process %d",
		     (unsigned long long)object->key.words[0], object->tgid) < 0)
		return -1;
	return 0;
}

static int rank_objects(struct wait_ranker *ranker)
{
	struct all_waits *waits = ranker->waits;
	const typeof(waits->holders.holds) *holds = &waits->holders.holds;
	u32 site = 0, pair = 0, hold = 0, first;

	for (u32 i = 0; i < waits->objects.index.count; i++) {
		struct wait_object *object = &waits->objects.rows[i];
		struct ranked_object *ranked = &ranker->out->objects[i];

		*ranked = (struct ranked_object){
			.critical_ns = object->sums.critical,
			.idle_ns = object->sums.idle_ns,
			.waited_ns = object->sums.waited_ns,
			.waits = object->sums.waits,
			.tgid = object->tgid,
			.spins = object->spins,
		};
		ranker->out->object_count++;
		add_critical(ranker, ranked, i, site);
		choose_kind(ranker, ranked, i, site);
		rank_sites(ranker, ranked, i, site);
		while (site < waits->sites.index.count &&
		       waits->sites.rows[ranker->sites[site]].key.object == i)
			site++;
		for (; pair < waits->pairs.index.count; pair++) {
			const struct wait_pair *one = &waits->pairs.rows[ranker->pairs[pair]];
			struct ranked_ender ender = ender_of(ranker, one);

			if (object_of(waits, one) != i)
				break;
			ranked_object_add_ender(ranked, &ender);
		}
		find_variable(ranker, object);
		if (set_name(ranker, ranked, object))
			return -1;
		first = hold;
		while (hold < holds->index.count &&
		       holds->rows[ranker->holds[hold]].key.object == i)
			hold++;
		if (ranked_object_is_lock(ranked, object) &&
		    rank_holders(ranker, ranked, first, hold - first))
			return -1;
	}
	return 0;
}

static int compare_objects(const void *a, const void *b, void *context)
{
	const struct ranked_object *objects = context;
	const struct ranked_object *x = &objects[*(const u32 *)a], *y = &objects[*(const u32 *)b];

	return three_way(y->critical_ns + y->idle_ns, x->critical_ns + x->idle_ns) ?:
		       three_way(y->waited_ns, x->waited_ns)			   ?:
		       three_way(y->waits, x->waits)				   ?:
		       three_way(*(const u32 *)a, *(const u32 *)b);
}

/*
 * Sorts the objects. Sets @now, which has the row of each, to the number of that row. Returns 0,
 * or -1 without memory.
 */
static int sort_objects(struct ranked_waits *out, u32 *now)
{
	_cleanup_free_ u32 *place = calloc(out->object_count + 1, sizeof(*place));
	_cleanup_free_ u32 *order = in_order(out->object_count, compare_objects, out->objects);
	struct ranked_object *sorted = calloc(out->object_count + 1, sizeof(*sorted));

	if (!order || !sorted || !place) {
		free(sorted);
		return -1;
	}
	for (u32 i = 0; i < out->object_count; i++) {
		sorted[i] = out->objects[order[i]];
		place[order[i]] = i;
	}
	for (u32 i = 0; i < out->object_count; i++)
		now[i] = place[now[i]];
	free(out->objects);
	out->objects = sorted;
	out->all_objects = out->object_count;
	/* what was looked up for a wait that then had another object, that was lost or goes on */
	while (out->object_count && !sorted[out->object_count - 1].waits &&
	       !sorted[out->object_count - 1].idle_ns)
		out->object_count--;
	return 0;
}

static u64 median_of(const u64 *steps)
{
	u64 before = 0, all = 0;
	u32 step = 0;

	for (u32 i = 0; i < WAIT_STEPS; i++)
		all += steps[i];
	while (step + 1 < WAIT_STEPS && 2 * (before + steps[step]) < all)
		before += steps[step++];
	return step ? 1500ULL << (step - 1) : 500;
}

/* NULL comes first. */
static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !!a - !!b;
}

static int compare_frames(const struct frame *a, const struct frame *b)
{
	if (!a || !b)
		return !!a - !!b;
	return compare_texts(a->function, b->function) ?:
		       compare_texts(a->file, b->file) ?:
		       three_way(a->line, b->line)     ?:
		       (a->function ? 0 : three_way(a->offset, b->offset));
}

/* 0: what a reader could not tell apart. */
static int compare_who(const void *a, const void *b)
{
	const struct ranked_pair *x = a, *y = b;

	return three_way(x->object, y->object)				 ?:
		       three_way(x->kind.reason, y->kind.reason)	 ?:
		       compare_texts(x->kind.name, y->kind.name)	 ?:
		       compare_texts(x->waiter, y->waiter)		 ?:
		       three_way(x->waker.interrupt, y->waker.interrupt) ?:
		       compare_texts(x->waker.kind, y->waker.kind)	 ?:
		       compare_texts(x->waker.name, y->waker.name)	 ?:
		       compare_frames(x->frame, y->frame)		 ?:
		       compare_frames(x->waker.frame, y->waker.frame);
}

static int compare_ranked_pairs(const void *a, const void *b)
{
	const struct ranked_pair *x = a, *y = b;

	return three_way(y->waker.waited_ns, x->waker.waited_ns) ?:
		       three_way(y->waker.waits, x->waker.waits) ?:
								   compare_who(a, b);
}

/* Makes one pair of those whose call paths differ only below the program's own function. */
static void merge_pairs(struct ranked_waits *out)
{
	struct ranked_pair *pairs = out->pairs;
	size_t kept = 0;

	qsort(pairs, out->pair_count, sizeof(*pairs), compare_who);
	for (size_t i = 0; i < out->pair_count; i++) {
		if (!kept || compare_who(&pairs[kept - 1], &pairs[i])) {
			pairs[kept++] = pairs[i];
			continue;
		}
		pairs[kept - 1].waker.waits += pairs[i].waker.waits;
		pairs[kept - 1].waker.waited_ns += pairs[i].waker.waited_ns;
		for (u32 step = 0; step < WAIT_STEPS; step++)
			pairs[kept - 1].steps[step] += pairs[i].steps[step];
	}
	out->pair_count = kept;
	for (size_t i = 0; i < kept; i++)
		pairs[i].median_ns = median_of(pairs[i].steps);
}

static void rank_pairs(const struct wait_ranker *ranker, const u32 *now)
{
	const struct all_waits *waits = ranker->waits;
	struct ranked_waits *out = ranker->out;

	for (u32 i = 0; i < waits->pairs.index.count; i++) {
		const struct wait_pair *pair = &waits->pairs.rows[ranker->pairs[i]];
		const struct wait_site *site = &waits->sites.rows[pair->key.site];
		struct ranked_pair *ranked = &out->pairs[out->pair_count++];
		u32 waiter = pair->key.waiter;

		*ranked = (struct ranked_pair){
			.waker = ender_of(ranker, pair),
			.frame = site_frame(&ranker->ranker, site),
			.kind = ranker->judged[pair->key.site].kind,
			.object = now[site->key.object],
		};
		ranked->waiter = wait_name_text(waits, waiter);
		for (u32 step = 0; step < WAIT_STEPS; step++)
			ranked->steps[step] = pair->steps[step];
	}
	merge_pairs(out);
	qsort(out->pairs, out->pair_count, sizeof(*out->pairs), compare_ranked_pairs);
}

/* Returns 0, or -1 without memory. */
static int number_sites(struct ranked_waits *out, const struct all_waits *waits, const u32 *now)
{
	u32 count = waits->sites.index.count;

	out->object_of_site = reallocarray(NULL, count + 1, sizeof(*out->object_of_site));
	if (!out->object_of_site)
		return -1;
	for (u32 i = 0; i < count; i++)
		out->object_of_site[i] = now[waits->sites.rows[i].key.object];
	out->site_count = count;
	return 0;
}

static void free_ranker(struct wait_ranker *ranker)
{
	believed_end(&ranker->ranker);
	free(ranker->judged);
	free(ranker->sites);
	free(ranker->pairs);
	free(ranker->holds);
}

static void count_cut(struct ranked_waits *out, const struct all_waits *waits)
{
	out->cut = waits->cut;
	out->left_out = waits->left_out;
	for (u32 i = 0; waits->all && i < waits->threads.index.count; i++)
		out->cut += waits->threads.rows[i].site != HASH_NONE;
	out->without_room = waits->without_room;
	out->not_looked_up = waits->not_looked_up;
}

int profile_rank_waits(struct profile *profile, struct symbols *symbols,
		       const struct profile_options *options, const struct ranking *paths,
		       struct ranked_waits *out)
{
	_cleanup_(free_ranker) struct wait_ranker ranker = {
		.ranker = { .profile = profile, .symbols = symbols, .options = options },
		.waits = profile->waits,
		.out = out,
	};
	struct all_waits *waits = profile->waits;
	_cleanup_free_ u32 *now = NULL;

	*out = (struct ranked_waits){ 0 };
	if (!waits)
		return 0;
	if (lock_holds_finish(waits))
		return -1;
	out->collected = true;
	out->all = waits->all;
	count_cut(out, waits);
	out->objects = calloc(waits->objects.index.count + 1, sizeof(*out->objects));
	out->pairs = calloc(waits->pairs.index.count + 1, sizeof(*out->pairs));
	now = calloc(waits->objects.index.count + 1, sizeof(*now));
	ranker.sites = in_order(waits->sites.index.count, compare_sites, waits->sites.rows);
	ranker.pairs = in_order(waits->pairs.index.count, compare_pairs, waits);
	ranker.holds = in_order(waits->holders.holds.index.count, compare_holds,
				waits->holders.holds.rows);
	if (!out->objects || !out->pairs || !now || !ranker.sites || !ranker.pairs ||
	    !ranker.holds || believe_paths(&ranker))
		return -1;
	ranker.judged = sites_judge(&ranker.ranker, waits, paths);
	if (!ranker.judged || rank_objects(&ranker) || ranked_objects_join(out, waits, now) ||
	    sort_objects(out, now) || number_sites(out, waits, now))
		return -1;
	rank_pairs(&ranker, now);
	return find_main_objects(out, waits, ranker.judged, now);
}
