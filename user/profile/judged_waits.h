/* SPDX-License-Identifier: GPL-2.0 */
/* What the waits on each site are, whose they are, and the critical time that they have. */
#ifndef GAPP_READ_JUDGED_WAITS_H
#define GAPP_READ_JUDGED_WAITS_H

#include "profile.h"
#include "waits.h"

struct ranker;

/**
 * struct judged_site - the waits on a site
 * @kind: what they are, by their call path
 * @target: whose they are; HASH_NONE: several targets have such waits, or none is known to
 * @critical_ns: as in struct wait_sums; where not every wait was recorded, their part of what the
 *	others in @target waited for the reason of @kind
 * @inferred: @critical_ns is such a part
 */
struct judged_site {
	struct wait_kind kind;
	u32 target;
	double critical_ns;
	bool inferred;
};

/*
 * Judges all sites by number. @ranker has believed their paths; @paths: the ranking by path. To be
 * freed. NULL: no memory.
 */
struct judged_site *sites_judge(const struct ranker *ranker, const struct all_waits *waits,
				const struct ranking *paths);

/**
 * struct wait_weight - how much waits count: by their critical time, if they have any; else by how
 *	long they took, if that is known; else by their number
 * @ns: their critical time, with no thread active, too
 */
struct wait_weight {
	double ns;
	u64 waited_ns;
	u64 waits;
};

void wait_weight_add(struct wait_weight *weight, const struct wait_site *site,
		     const struct judged_site *judged);
bool wait_weighs_more(const struct wait_weight *a, const struct wait_weight *b);

struct ranked_waits;

/*
 * Sets @main of @out. @judged: all sites; @now: by object of @waits, the number in @out. Returns 0,
 * or -1 without memory.
 */
int find_main_objects(struct ranked_waits *out, const struct all_waits *waits,
		      const struct judged_site *judged, const u32 *now);

#endif /* GAPP_READ_JUDGED_WAITS_H */
