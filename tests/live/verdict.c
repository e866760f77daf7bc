// SPDX-License-Identifier: GPL-2.0
#include "verdict.h"

#include <stdio.h>

#include "judge.h"

/* Differences printed in full, for each verdict of a workload. */
#define SHOWN 3
#define MAX_PRECEDENTS 512

const char *const verdict_names[VERDICTS] = {
	[VERDICT_SAME] = "same",
	[VERDICT_NO_CODE] = "a caller that is no code",
	[VERDICT_ORACLE_WRONG] = "libdwfl is wrong",
	[VERDICT_NO_CFI] = "lost in code without call frame information",
	[VERDICT_SHORTER] = "shorter",
	[VERDICT_WRONG] = "wrong",
	[VERDICT_UNKNOWN] = "not known",
};

const char *const end_names[GAPP_UNWIND_ENDS] = {
	[GAPP_UNWIND_COMPLETE] = "complete", [GAPP_UNWIND_FULL] = "full",
	[GAPP_UNWIND_NO_FRAME] = "no frame", [GAPP_UNWIND_UNREADABLE] = "unreadable",
	[GAPP_UNWIND_NO_RULE] = "no rule",   [GAPP_UNWIND_LOOP] = "loop",
	[GAPP_UNWIND_UNMAPPED] = "unmapped", [GAPP_UNWIND_LATE] = "late",
};

/**
 * struct precedent - a difference that was judged
 * @ours: the frames around it
 * @oracle: likewise
 * @verdict: what came out
 *
 * Gdb takes a second for each. Two threads that part at the same frame of the same program, and
 * go on to the same frames, are one case.
 */
struct precedent {
	u64 ours[3];
	u64 oracle[3];
	enum verdict verdict;
};

static struct precedent precedents[MAX_PRECEDENTS];
static u32 precedent_count;

bool same_path(const struct path *a, const struct path *b)
{
	return a->count == b->count && begins_path(a, b);
}

bool begins_path(const struct path *part, const struct path *path)
{
	return part->count <= path->count &&
	       !memcmp(part->frames, path->frames, part->count * sizeof(part->frames[0]));
}

static u32 first_difference(const struct path *a, const struct path *b)
{
	u32 i = 0;

	while (i < a->count && i < b->count && a->frames[i] == b->frames[i])
		i++;
	return i;
}

static void show_path(const struct space *space, const char *whose, const struct path *path,
		      u32 from)
{
	char name[1100];
	u32 i;

	printf("  |   %s: %u frames", whose, path->count);
	if (path->why[0])
		printf(" (%s)", path->why);
	printf("\n");
	for (i = from ? from - 1 : 0; i < path->count && i < from + 4; i++) {
		space_name(space, path->frames[i], name, sizeof(name));
		printf("  |     %2u %#llx %s\n", i, path->frames[i], name);
	}
}

static void show(const struct space *space, enum verdict verdict, const struct path *ours,
		 const struct path *oracle, const struct path *judge)
{
	u32 from = first_difference(ours, oracle);
	u64 last = from ? ours->frames[from - 1] : 0;
	const struct gapp_rule *rule = space_rule(space, from > 1 ? last - 1 : last);

	printf("  | %s, from frame %u on; the walk ended: %s", verdict_names[verdict], from,
	       end_names[ours->end]);
	if (rule)
		printf("; rule: cfa %u %+d, fp %u %+d, ra %u %+d, register %u", rule->cfa,
		       rule->cfa_offset, rule->fp, rule->fp_offset, rule->ra, rule->ra_offset,
		       rule->number);
	printf("\n");
	show_path(space, "table", ours, from);
	show_path(space, "libdwfl", oracle, from);
	if (judge)
		show_path(space, "gdb", judge, from);
}

/* A step before the difference was made where no file says how. */
static bool without_cfi(const struct space *space, const struct path *ours, u32 difference)
{
	u32 i;

	for (i = 0; i < difference; i++) {
		const struct gapp_rule *rule = space_rule(space, ours->frames[i] - (i > 0));

		if (!rule || rule->cfa == GAPP_CFA_GAP)
			return true;
	}
	return false;
}

/* Cut where the table's path is: gdb knows nothing of the limit of frames. */
static bool agrees(const struct path *judge, const struct path *path)
{
	return same_path(judge, path) || (path->count == LIVE_FRAMES && begins_path(path, judge));
}

static enum verdict judge_it(const struct space *space, const struct path *ours,
			     const struct path *oracle, const struct path *judge)
{
	bool gave_up = ours->end != GAPP_UNWIND_COMPLETE && ours->end != GAPP_UNWIND_FULL;

	if (judge && agrees(judge, ours))
		return VERDICT_ORACLE_WRONG;
	if (without_cfi(space, ours, first_difference(ours, oracle)))
		return VERDICT_NO_CFI;
	if (gave_up && begins_path(ours, judge ? judge : oracle))
		return VERDICT_SHORTER;
	return judge && agrees(judge, oracle) ? VERDICT_WRONG : VERDICT_UNKNOWN;
}

static void around(u64 frames[3], const struct path *path, u32 difference)
{
	u32 i, from = difference ? difference - 1 : 0;

	for (i = 0; i < 3; i++)
		frames[i] = from + i < path->count ? path->frames[from + i] : 0;
}

static struct precedent *find_precedent(const struct precedent *like)
{
	u32 i;

	for (i = 0; i < precedent_count; i++)
		if (!memcmp(precedents[i].ours, like->ours, sizeof(like->ours)) &&
		    !memcmp(precedents[i].oracle, like->oracle, sizeof(like->oracle)))
			return &precedents[i];
	return NULL;
}

/* What is not executable memory is no frame; libdwfl and gdb go on there, over whatever they find.
 */
static void cut_at_no_code(const struct space *space, struct path *path)
{
	u32 i;

	for (i = 1; i < path->count; i++)
		if (space_find(space, path->frames[i] - 1) < 0)
			path->count = i;
}

static enum verdict decide(struct counts *counts, const struct space *space,
			   const struct thread *thread, const struct path *ours,
			   const struct path *oracle)
{
	u32 difference = first_difference(ours, oracle);
	struct precedent like = { 0 }, *before;
	struct path judge;
	bool judged;

	around(like.ours, ours, difference);
	around(like.oracle, oracle, difference);
	before = find_precedent(&like);
	if (before)
		return before->verdict;
	judged = !judge_walk(space, thread, &judge);
	if (judged)
		cut_at_no_code(space, &judge);
	counts->judged += judged;
	like.verdict = judge_it(space, ours, oracle, judged ? &judge : NULL);
	if (precedent_count < MAX_PRECEDENTS)
		precedents[precedent_count++] = like;
	if (counts->verdicts[like.verdict] < SHOWN)
		show(space, like.verdict, ours, oracle, judged ? &judge : NULL);
	return like.verdict;
}

void verdict_on(struct counts *counts, const struct space *space, const struct thread *thread,
		const struct path *ours, const struct path *oracle)
{
	enum verdict verdict = VERDICT_SAME;
	bool verbose = getenv("LIVE_VERBOSE");
	struct path cut = *oracle;

	cut_at_no_code(space, &cut);
	if (!same_path(ours, &cut))
		verdict = decide(counts, space, thread, ours, &cut);
	else if (!ours->whole && without_cfi(space, ours, ours->count))
		verdict = VERDICT_NO_CFI;
	else if (cut.count < oracle->count)
		verdict = VERDICT_NO_CODE;
	if (verbose && verdict <= VERDICT_NO_CFI && !ours->whole)
		show(space, verdict, ours, oracle, NULL);
	counts->threads++;
	counts->frames += ours->count;
	counts->ends[ours->end]++;
	counts->by_fp += ours->by_fp;
	counts->verdicts[verdict]++;
}
