// SPDX-License-Identifier: GPL-2.0
/* kmod/core/unwind.c: the walk along frame pointers. */
#include "rig.h"

#include "random.h"
#include "walk_check.h"
#include "walks.h"

static void test_vector(void **state)
{
	static struct vec_stack stack;
	struct rig rig = { 0 };

	vec_walk_run(&rig, *state, &stack);
	rig_done(&rig);
}

/*
 * A call chain as a compiler makes it, through frames of any size and among other things on the
 * stack, some of which look like addresses.
 */
static void make_chain(u64 *random, struct walk_stack *stack, struct walk_found *must)
{
	u32 at = random_below(random, 600), i, next;

	memset(stack, 0, sizeof(*stack));
	for (i = 0; i < WALK_WORDS; i++)
		stack->words[i] = random_below(random, 2) ? random_next(random) :
							    0x400000 + random_below(random, 4096);
	stack->limit = VEC_LIMIT;
	stack->max = WALK_MAX;
	stack->sp = WALK_STACK + random_below(random, at + 1) * 8;
	stack->bp = WALK_STACK + at * 8;

	must->count = 0;
	must->frames[must->count++] = WALK_IP;
	must->end = GAPP_UNWIND_COMPLETE;
	while (must->count < WALK_MAX - 1) {
		next = at + 2 + random_below(random, random_below(random, 8) ? 12 : 300);
		if (next + 2 > WALK_WORDS)
			break;
		stack->words[at] = WALK_STACK + next * 8;
		stack->words[at + 1] = 0x400000 + random_below(random, 1 << 20);
		must->frames[must->count++] = stack->words[at + 1];
		at = next;
	}
	/* The outermost function has a frame pointer of 0, or no way back. */
	stack->words[at] = 0;
	stack->words[at + 1] = 0;
	if (random_below(random, 2)) {
		stack->words[at + 1] = 0x400000;
		must->frames[must->count++] = 0x400000;
	}
}

static const char *check_chain(u64 *random)
{
	static struct walk_stack stack;
	struct walk_found found, must;
	const char *wrong;

	make_chain(random, &stack, &must);
	if (random_below(random, 2) && must.count > 1) {
		stack.max = 1 + random_below(random, must.count - 1);
		must.count = stack.max;
		must.end = GAPP_UNWIND_FULL;
	}
	wrong = walk_check(&stack, &found);
	if (wrong)
		return wrong;
	if (found.count != must.count || found.end != must.end ||
	    memcmp(found.frames, must.frames, must.count * sizeof(must.frames[0])))
		return "not the frames of the chain";
	return NULL;
}

static const char *check_garbage(u64 *random)
{
	static struct walk_stack stack;
	struct walk_found found;
	u64 words[64];
	u32 i;

	for (i = 0; i < RIG_COUNT(words); i++)
		words[i] = random_next(random);
	walk_stack_decode(&stack, (const u8 *)words, random_below(random, sizeof(words) + 1));
	return walk_check(&stack, &found);
}

/* What is checked of a random stack. */
struct property {
	const char *(*check)(u64 *random);
};

static void test_random(void **state)
{
	const struct property *property = *state;
	u64 runs = from_environment("PROPERTY_RUNS", 5000) * 2;
	u64 seed = from_environment("PROPERTY_SEED", 1) << 32;
	const char *wrong = NULL;
	struct rig rig = { 0 };
	u64 i, random;

	for (i = 0; i < runs && !wrong; i++) {
		random = seed + i;
		wrong = property->check(&random);
	}
	if (wrong)
		VEC_FAIL(&rig, "seed %llu: %s", (unsigned long long)(seed + i - 1), wrong);
	rig_done(&rig);
}

int main(void)
{
	static const struct property chain = { check_chain }, garbage = { check_garbage };
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_walks); i++)
		rig_add(&group, vec_walks[i].name, test_vector, &vec_walks[i]);
	rig_add(&group, "call chains", test_random, &chain);
	rig_add(&group, "garbage", test_random, &garbage);
	return rig_run("unwind_fp", &group);
}
