// SPDX-License-Identifier: GPL-2.0
#include "spins.h"

#include "functions.h"
#include "loop_rules.h"
#include "wait_location.h"

/* Instructions of loops that are looked at, for each instruction of the function, and at least. */
#define WORK_PER_STEP 256
#define WORK_LEAST 65536
/* To follow so many variables through a block takes as long as to look at an instruction. */
#define WORK_VARIABLES 4
/* Loops of a function, and those that wait. */
#define BODIES_MAX 20000
#define FOUND_MAX 512
/* Loops of this size are small enough to be sure of, if nothing else speaks for them. */
#define SURE_INSNS 9

/**
 * struct found - a loop that waits
 * @body: its blocks
 * @spin: what is said of it
 */
struct found {
	struct body body;
	struct spin spin;
};

/**
 * struct scan - the search in one file
 * @code: the file
 * @decoder: state of the machine's decoder
 * @callees: what functions do
 * @spins: what is found
 * @flow: the function that is looked at
 * @bodies: its loops, and what is left of those that have work in them
 * @seen: @bodies by a hash of their blocks
 * @found: those that wait
 * @work: instructions that may still be looked at
 * @loop: room for the code of a loop
 * @values: room for its values
 * @cancel: as for spins_find_until()
 */
struct scan {
	struct code_file code;
	void *decoder;
	struct callees callees;
	struct spins *spins;
	struct flow flow;
	struct body **bodies;
	u32 body_count;
	u32 body_room;
	struct key_map seen;
	struct found *found;
	u32 found_count;
	u32 found_room;
	s64 work;
	struct loop_code loop;
	struct loop_values values;
	const volatile bool *cancel;
};

static u64 body_hash(const struct body *body)
{
	return hash_bytes(gapp_mix(body->header + 1ULL), body->blocks,
			  body->count * sizeof(*body->blocks));
}

/* Adds a loop that is to be looked at. Returns 1 if that would take too long. */
static int add_body(void *context, const struct body *body)
{
	struct scan *scan = context;
	u64 hash = body_hash(body);
	struct body *copy;

	if (key_map_find(&scan->seen, hash))
		return 0;
	scan->work -= body->insns;
	if (scan->work < 0 || scan->body_count == BODIES_MAX)
		return 1;
	if (array_grow(&scan->bodies, &scan->body_room, scan->body_count, sizeof(*scan->bodies)))
		return -1;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -1;
	*copy = *body;
	scan->bodies[scan->body_count++] = copy;
	return key_map_add(&scan->seen, hash, copy);
}

static void free_bodies(struct scan *scan)
{
	for (u32 i = 0; i < scan->body_count; i++)
		free(scan->bodies[i]);
	scan->body_count = 0;
	key_map_free(&scan->seen);
	scan->seen = (struct key_map){ 0 };
}

static u32 spin_does(const struct loop_code *loop, const struct judgement *judgement)
{
	static const struct {
		int callee;
		u32 spin;
	} same[] = {
		{ CALLEE_PAUSES, SPIN_PAUSES }, { CALLEE_YIELDS, SPIN_YIELDS },
		{ CALLEE_SLEEPS, SPIN_SLEEPS }, { CALLEE_READS_CLOCK, SPIN_READS_CLOCK },
		{ CALLEE_BLOCKS, SPIN_BLOCKS },
	};
	u32 does = 0;

	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		if (loop->does & same[i].callee)
			does |= same[i].spin;
	if (judgement->is_bounded)
		does |= SPIN_BOUNDED;
	if (judgement->takes)
		does |= SPIN_TAKES;
	if (judgement->helper)
		does |= SPIN_HELPER;
	if (loop->other_call != HASH_NONE)
		does |= loop->progress ? SPIN_PROGRESS : SPIN_CALLS;
	if (loop->trusted)
		does |= SPIN_STORES;
	if (!loop->body->is_whole)
		does |= SPIN_PART;
	return does;
}

static enum spin_tier spin_tier(const struct spin *spin)
{
	if (spin->does & (SPIN_CALLS | SPIN_BLOCKS))
		return SPIN_LOW;
	if (spin->does & (SPIN_PAUSES | SPIN_YIELDS | SPIN_PROGRESS))
		return SPIN_HIGH;
	return spin->insns <= SURE_INSNS && !(spin->does & (SPIN_PART | SPIN_HELPER)) ? SPIN_HIGH :
											SPIN_LOW;
}

static bool is_same_value(const struct spin_value *one, const struct spin_value *other)
{
	if (one->kind != other->kind || one->mask != other->mask || one->at != other->at)
		return false;
	switch (one->kind) {
	case SPIN_VALUE_NUMBER:
		return one->number == other->number;
	case SPIN_VALUE_REGISTER:
		return one->reg == other->reg;
	default:
		return one->kind != SPIN_VALUE_UNKNOWN;
	}
}

/*
 * Whether the loop goes on only if a comparison holds and does not hold: where blocks were left
 * out, a way through the rest need not be one that a thread can take.
 */
static bool contradicts_itself(const struct spin *spin)
{
	for (u8 i = 0; i < spin->wait_count; i++)
		for (u8 j = 0; j < i; j++) {
			const struct spin_wait *one = &spin->waits[i], *other = &spin->waits[j];

			if (one->while_is && one->while_is != CONDITION_OTHER &&
			    other->while_is == condition_opposite(one->while_is) &&
			    is_same_value(&one->location, &other->location) &&
			    is_same_value(&one->value, &other->value))
				return true;
		}
	return false;
}

/* Whether what an exit waits for lies at an address that is computed anew in each iteration. */
static bool any_moves(const struct spin *spin)
{
	for (u8 i = 0; i < spin->wait_count; i++)
		if (spin->waits[i].location.address.moves)
			return true;
	return false;
}

/* Describes the exits. False: none is left that waits. */
static bool describe_waits(const struct scan *scan, const struct judgement *judgement,
			   struct spin *spin)
{
	for (u32 i = 0; i < judgement->exit_count && spin->wait_count < SPIN_WAITS_MAX; i++) {
		struct spin_wait *wait = &spin->waits[spin->wait_count];

		/* a loop that goes on because it got what it wanted does not wait for it */
		if (wait_describe(&scan->values, judgement->exits[i], wait))
			spin->wait_count++;
		else if (spin->does & SPIN_PART)
			return false;
	}
	if (spin->does & SPIN_PART && (contradicts_itself(spin) || any_moves(spin)))
		return false;
	return spin->wait_count;
}

static int add_found(struct scan *scan, const struct judgement *judgement)
{
	const struct loop_code *loop = &scan->loop;
	const struct flow *flow = &scan->flow;
	const struct body *body = loop->body;
	struct found *found;
	struct spin *spin;

	if (scan->found_count == FOUND_MAX)
		return 1;
	if (array_grow(&scan->found, &scan->found_room, scan->found_count, sizeof(*scan->found)))
		return -1;
	found = &scan->found[scan->found_count++];
	*found = (struct found){ .body = *body };
	spin = &found->spin;
	spin->header = flow->steps[flow->blocks[body->header].first].address;
	spin->function = scan->code.ranges[flow->function].begin;
	spin->insns = body->insns;
	spin->does = spin_does(loop, judgement);
	if (loop->other_call != HASH_NONE)
		spin->callee = loop->insns[loop->other_call].insn->address;
	spin->tier = spin_tier(spin);
	if (!describe_waits(scan, judgement, spin))
		scan->found_count--;
	return 0;
}

/* Has what is left of a loop looked at, without the blocks that work. */
static int look_at_rest(struct scan *scan, const struct body *body,
			const struct judgement *judgement)
{
	u32 left[LOOP_INSNS_MAX], count = 0;

	for (u32 i = 0; i < body->count; i++)
		if (!judgement->works[i])
			left[count++] = body->blocks[i];
	/* the search has room for all blocks of the function */
	scan->work -= scan->flow.block_count / 64;
	if (scan->work < 0)
		return 1;
	return loops_find_left(&scan->flow, body, left, count, add_body, scan);
}

/* Judges a loop in a mode. Returns 0; 1: it cannot be judged; -1: no memory. */
static int judge(struct scan *scan, const struct body *body, enum loop_mode mode,
		 struct judgement *judgement)
{
	int result = loop_code_read(&scan->loop, &scan->flow, &scan->callees, body, mode);

	judgement->verdict = LOOP_WORKS;
	if (result)
		return result;
	if (scan->loop.any_effect)
		return loop_judge(&scan->values, judgement);
	result = loop_values_find(&scan->values, &scan->loop);
	scan->work -= (s64)scan->values.rounds * (1 + scan->loop.variables / WORK_VARIABLES);
	return result ? result : loop_judge(&scan->values, judgement);
}

static int look_at(struct scan *scan, const struct body *body)
{
	struct judgement judgement, calling;
	int result;

	if (scan->work < 0)
		return 1;
	scan->spins->loops++;
	scan->values.loop = &scan->loop;
	result = judge(scan, body, MODE_PLAIN, &judgement);
	if (result)
		return result < 0 ? -1 : 0;
	if (judgement.verdict == LOOP_WAITS)
		return add_found(scan, &judgement);
	if (judgement.verdict != LOOP_HAS_WORK)
		return 0;
	if (body->is_whole && body->insns <= PROGRESS_INSNS_MAX) {
		result = judge(scan, body, MODE_CALLING, &calling);
		if (result < 0)
			return -1;
		if (!result && calling.verdict == LOOP_WAITS)
			result = add_found(scan, &calling);
		if (result == 1 && calling.verdict == LOOP_WAITS)
			return 1;
	}
	return look_at_rest(scan, body, &judgement);
}

static int compare_found(const void *a, const void *b)
{
	const struct found *one = a, *other = b;

	return compare_by(three_way(one->body.insns, other->body.insns),
			  three_way(one->spin.header, other->spin.header),
			  three_way(one->body.count, other->body.count));
}

/* Sets the code of a loop: the blocks behind one another are one range. */
static int set_ranges(struct scan *scan, const struct body *body, struct spin *spin)
{
	struct flow *flow = &scan->flow;

	spin->ranges = malloc(body->count * sizeof(*spin->ranges));
	if (!spin->ranges)
		return -1;
	for (u32 i = 0; i < body->count; i++) {
		const struct block *block = &flow->blocks[body->blocks[i]];
		const struct step *last = &flow->steps[block->last];
		u64 begin = flow->steps[block->first].address;

		/* loops may share blocks */
		for (u32 step = block->first; step <= block->last; step++) {
			scan->spins->pauses_inside += flow->steps[step].pauses;
			flow->steps[step].pauses = false;
		}
		if (!spin->range_count || spin->ranges[spin->range_count - 1].end != begin)
			spin->ranges[spin->range_count++].begin = begin;
		spin->ranges[spin->range_count - 1].end = last->address + last->bytes;
	}
	return 0;
}

/* Whether a block of the loop has a successor that has none of its blocks. */
static bool leads_out(const struct flow *flow, const struct body *body, const struct block *block)
{
	for (u32 i = 0; i < block->next_count; i++) {
		const u32 next = flow->successors[block->next + i];

		if (next == BLOCK_OUTSIDE || !body_has(body, next))
			return true;
	}
	return false;
}

/* Describes a jump. False: it is none, or has no condition that has a number. */
static bool describe_exit(const struct scan *scan, const struct step *step, struct spin_exit *exit)
{
	const u64 next = step->address + step->bytes;
	size_t size;
	const u8 *code = code_file_bytes(&scan->code, step->address, next, &size);
	const int condition = step->flow == FLOW_BRANCH && code && size == step->bytes ?
				      scan->code.machine->condition(code, size) :
				      -1;

	*exit = (struct spin_exit){ step->address, step->target, next, condition };
	return condition >= 0;
}

/* Sets the exits of a loop, or none if not all of them can be told. Returns 0, or -1. */
static int set_exits(const struct scan *scan, const struct body *body, struct spin *spin)
{
	const struct flow *flow = &scan->flow;

	spin->exits = malloc(SPIN_EXITS_MAX * sizeof(*spin->exits));
	if (!spin->exits)
		return -1;
	for (u32 i = 0; i < body->count; i++) {
		const struct block *block = &flow->blocks[body->blocks[i]];

		if (!leads_out(flow, body, block))
			continue;
		if (spin->exit_count == SPIN_EXITS_MAX ||
		    !describe_exit(scan, &flow->steps[block->last],
				   &spin->exits[spin->exit_count])) {
			spin->exit_count = 0;
			return 0;
		}
		spin->exit_count++;
	}
	return 0;
}

static void free_spin(struct spin *spin)
{
	free(spin->exits);
	free(spin->ranges);
}

/* Keeps the innermost of the loops that wait: what is around them is found by them, too. */
static int keep_innermost(struct scan *scan)
{
	struct spins *spins = scan->spins;

	if (scan->found_count)
		qsort(scan->found, scan->found_count, sizeof(*scan->found), compare_found);
	for (u32 i = 0; i < scan->found_count; i++) {
		struct found *found = &scan->found[i];
		bool inside = false;

		for (u32 j = 0; j < i && !inside; j++)
			inside = scan->found[j].spin.range_count &&
				 body_is_in(&scan->found[j].body, &found->body);
		if (inside)
			continue;
		if (array_grow(&spins->spins, &spins->room, spins->count, sizeof(*spins->spins)) ||
		    set_ranges(scan, &found->body, &found->spin) ||
		    set_exits(scan, &found->body, &found->spin)) {
			free_spin(&found->spin);
			return -1;
		}
		spins->spins[spins->count++] = found->spin;
	}
	return 0;
}

static int look_at_loops(struct scan *scan)
{
	int result = loops_find(&scan->flow, add_body, scan);

	if (result < 0)
		return -1;
	scan->spins->given_up += result > 0;
	/* the list grows by what is left of loops */
	for (u32 i = 0; i < scan->body_count; i++) {
		int one = is_cancelled(scan->cancel) ? -1 : look_at(scan, scan->bodies[i]);

		if (one < 0)
			return -1;
		if (one > 0) {
			scan->spins->given_up += !result;
			break;
		}
	}
	return keep_innermost(scan);
}

static int look_at_function(struct scan *scan, u32 function)
{
	int result = flow_make(&scan->flow, &scan->code, scan->decoder, function);

	if (result) {
		scan->spins->given_up += result > 0;
		return result < 0 ? -1 : 0;
	}
	scan->found_count = 0;
	scan->work = (s64)WORK_PER_STEP * scan->flow.step_count + WORK_LEAST;
	result = look_at_loops(scan);
	free_bodies(scan);
	flow_free(&scan->flow);
	return result;
}

static int compare_spins(const void *a, const void *b)
{
	const struct spin *one = a, *other = b;

	return compare_by(three_way(one->header, other->header),
			  three_way(one->insns, other->insns));
}

static int copy_loads(struct spins *spins, const struct code_file *code)
{
	spins->loads = calloc(code->load_count + 1, sizeof(*spins->loads));
	if (!spins->loads)
		return -1;
	for (u32 i = 0; i < code->load_count; i++)
		spins->loads[spins->load_count++] = (struct spin_load){
			.address = code->loads[i].address,
			.offset = code->loads[i].offset,
			.size = code->loads[i].size,
		};
	return 0;
}

static int look_at_all(struct scan *scan)
{
	struct spins *spins = scan->spins;
	s64 insns = functions_scan(&scan->code, scan->decoder, &spins->pauses, scan->cancel);

	if (insns < 0)
		return -1;
	spins->insns = insns;
	spins->register_names = scan->code.machine->register_names;
	spins->dwarf_numbers = scan->code.machine->dwarf_numbers;
	if (copy_loads(spins, &scan->code))
		return -1;
	for (u32 i = 0; i < scan->code.code_count; i++)
		spins->code_bytes += scan->code.code[i].size;
	for (u32 i = 0; i < scan->code.range_count; i++) {
		const struct code_range *range = &scan->code.ranges[i];

		if (is_cancelled(scan->cancel))
			return -1;
		spins->functions += range->whole == i;
		if (range->whole == i && range->loops && look_at_function(scan, i))
			return -1;
	}
	if (spins->count)
		qsort(spins->spins, spins->count, sizeof(*spins->spins), compare_spins);
	return 0;
}

static void free_scan(struct scan *scan)
{
	if (scan->decoder)
		scan->code.machine->close(scan->decoder);
	callees_free(&scan->callees);
	free_bodies(scan);
	free(scan->bodies);
	free(scan->found);
	flow_free(&scan->flow);
	code_file_free(&scan->code);
	free(scan);
}

bool spins_can_find(u16 elf, bool complains)
{
	const struct machine *machine = machine_find(elf);
	void *decoder = machine ? machine->open(complains) : NULL;

	if (!decoder)
		return false;
	machine->close(decoder);
	return true;
}

int spins_find(struct spins *spins, int fd)
{
	return spins_find_until(spins, fd, true, NULL);
}

int spins_find_until(struct spins *spins, int fd, bool complains, const volatile bool *cancel)
{
	struct scan *scan = calloc(1, sizeof(*scan));
	int error;

	*spins = (struct spins){ 0 };
	if (!scan)
		return -1;
	scan->spins = spins;
	scan->cancel = cancel;
	if (!code_file_read(&scan->code, fd)) {
		scan->decoder = scan->code.machine->open(complains);
		scan->callees.code = &scan->code;
		scan->callees.decoder = scan->decoder;
		errno = scan->decoder ? ENOMEM : ENOTSUP;
		if (scan->decoder && !look_at_all(scan)) {
			free_scan(scan);
			return 0;
		}
	}
	error = errno;
	spins_free(spins);
	free_scan(scan);
	errno = error;
	return -1;
}

void spins_free(struct spins *spins)
{
	for (u32 i = 0; i < spins->count; i++)
		free_spin(&spins->spins[i]);
	free(spins->spins);
	free(spins->loads);
	*spins = (struct spins){ 0 };
}

bool spins_offset(const struct spins *spins, u64 address, u64 *offset)
{
	for (u32 i = 0; i < spins->load_count; i++) {
		const struct spin_load *load = &spins->loads[i];

		if (address - load->address >= load->size)
			continue;
		*offset = load->offset + (address - load->address);
		return true;
	}
	return false;
}
