// SPDX-License-Identifier: GPL-2.0
/*
 * Unwinds a user stack frame by frame: by the rule that an unwind table has for
 * the frame's address, or by the frame pointer where there is no rule.
 *
 * The loops keep the instruction, stack and frame pointer in local variables;
 * unwind->regs gets the registers of the last frame at the end.
 */
#include "unwind.h"

#define WORD GAPP_WINDOW_WORD
/* A frame starts with the caller's frame pointer; the return address is the next word. */
#define FP_FRAME (2 * WORD)
/* A frame pointer is at most so many bytes above the stack pointer. */
#define FP_SPAN (16U << 20)
#define FRAME_SPAN (64U << 20) /* bytes of the largest frame that a rule may tell of */
#define LOWEST_CODE 4096 /* no process maps memory below */
/* Windows that one unwind may copy, for its caller holds a run queue's lock. */
#define MAX_FILLS 128

#define FOUND GAPP_UNWIND_ENDS /* a step found the caller, and the unwind goes on */

/**
 * struct machine - differences between machines
 * @ip: DWARF number of the instruction pointer
 * @sp: DWARF number of the stack pointer
 * @fp: DWARF number of the frame pointer
 * @registers: number of registers
 * @signal_offset: bytes from the stack pointer of a signal frame to the saved registers
 * @signal_order: numbers of the saved registers; NULL: they lie in the order of their numbers
 * @sp_behind_fp: a frame ends with the two words at its frame pointer
 */
struct machine {
	u8 ip, sp, fp;
	u8 registers;
	u16 signal_offset;
	const u8 *signal_order;
	bool sp_behind_fp;
};

/* r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip */
static const u8 x86_64_order[] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16 };

static const struct machine x86_64 = {
	.ip = GAPP_X86_64_IP,
	.sp = GAPP_X86_64_SP,
	.fp = GAPP_X86_64_FP,
	.registers = sizeof(x86_64_order),
	.signal_offset = 40,
	.signal_order = x86_64_order,
	.sp_behind_fp = true,
};

static const struct machine aarch64 = {
	.ip = GAPP_AARCH64_IP,
	.sp = GAPP_AARCH64_SP,
	.fp = GAPP_AARCH64_FP,
	.registers = GAPP_REGISTERS,
	.signal_offset = 312,
};

/**
 * struct frame - a frame
 * @ip: instruction pointer
 * @sp: stack pointer; without @has_sp a lower bound for it
 * @fp: frame pointer
 * @has_sp: @sp is known
 * @has_fp: @fp is known
 * @exact: @ip is the next instruction, not a return address, and unwind->regs has all registers
 */
struct frame {
	u64 ip, sp, fp;
	bool has_sp, has_fp;
	bool exact;
};

/**
 * struct found_path - the call path found so far
 * @frames: addresses, innermost first
 * @count: number of frames
 * @max: room in @frames
 * @end: how the unwind ended; FOUND: it goes on
 */
struct found_path {
	u64 *frames;
	u16 count;
	u16 max;
	enum gapp_unwind_end end;
};

/**
 * gapp_window_move() - copy another piece of memory
 * @window: the window
 * @address: address of the first word to copy
 *
 * Callers lie at higher addresses, so the copy begins at @address. It ends with the page, for the
 * next page may not be in memory, and then the copy of both would fail.
 *
 * Return: false if @address is not aligned, above the limit or not in memory; the window is empty.
 */
bool gapp_window_move(struct gapp_window *window, u64 address)
{
	u64 bytes = GAPP_WINDOW_PAGE - address % GAPP_WINDOW_PAGE;

	window->bytes = 0;
	if (address % GAPP_WINDOW_WORD || address >= window->limit)
		return false;
	if (bytes > GAPP_WINDOW_BYTES)
		bytes = GAPP_WINDOW_BYTES;
	if (bytes > window->limit - address)
		bytes = (window->limit - address) / GAPP_WINDOW_WORD * GAPP_WINDOW_WORD;
	if (!bytes)
		return false;
	window->fills++;
	if (!window->copy(window->context, window->data, address, bytes))
		return false;
	window->at = address;
	window->bytes = bytes;
	return true;
}

/**
 * struct lookup - the rule of an address
 * @mapping: mapping with the address, tried first for the next address; or NULL
 * @cached: cached rule; NULL: the unwind caches no rules
 * @rule: the rule; NULL: the address is in no mapping
 */
struct lookup {
	const struct gapp_unwind_mapping *mapping;
	struct gapp_cached_rule *cached;
	const struct gapp_rule *rule;
};

/**
 * gapp_mapping_find() - the mapping with an address
 * @mapping: mappings, sorted by address
 * @count: number of mappings
 * @address: the address
 *
 * Return: the mapping, or NULL.
 */
const struct gapp_unwind_mapping *gapp_mapping_find(const struct gapp_unwind_mapping *mapping,
						    u32 count, u64 address)
{
	u32 part, skip;

	if (!count)
		return NULL;
	/* Without branches, as in gapp_table_find(). */
	while (count > 3) {
		part = count / 4;
		skip = mapping[part].begin <= address ? part : 0;
		skip += mapping[2 * part].begin <= address ? part : 0;
		skip += mapping[3 * part].begin <= address ? part : 0;
		mapping += skip;
		count -= 3 * part;
	}
	while (count > 1) {
		mapping += mapping[1].begin <= address;
		count--;
	}
	return address >= mapping->begin && address < mapping->end ? mapping : NULL;
}

/* The rule for an address; NULL: it is in no mapping. Tries *@last first, and sets it. */
static const struct gapp_rule *find_rule(const struct gapp_unwind *unwind, u64 address,
					 const struct gapp_unwind_mapping **last)
{
	const struct gapp_unwind_mapping *mapping = *last;

	if (!mapping || address - mapping->begin >= mapping->end - mapping->begin)
		mapping = gapp_mapping_find(unwind->mappings, unwind->mapping_count, address);
	if (!mapping)
		return NULL;
	*last = mapping;
	if (!mapping->table || mapping->table->arch != unwind->arch)
		return &gapp_rule_undescribed;
	return gapp_table_find(mapping->table, address - mapping->bias);
}

/* Whether two words at fixed, aligned offsets from the CFA give the caller, as most rules say. */
static inline bool is_plain(const struct gapp_rule *rule)
{
	return (rule->cfa == GAPP_CFA_SP || rule->cfa == GAPP_CFA_FP) && rule->fp <= GAPP_FP_CFA &&
	       rule->ra == GAPP_RA_CFA && !((rule->fp_offset | rule->ra_offset) % GAPP_WINDOW_WORD);
}

static __always_inline bool is_for(const struct gapp_cached_rule *cached, u64 address, u64 list_id)
{
	return cached->address == address && cached->list_id == list_id;
}

/*
 * Looks a rule up in its table and caches it in place of the oldest one, so that the rules of one
 * path lie side by side. @set then has the index of the new rule, and drops the older index.
 */
static struct gapp_cached_rule *learn(struct gapp_unwind *unwind, u64 address,
				      const struct gapp_unwind_mapping **last, u16 *set)
{
	const struct gapp_window *window = &unwind->window;
	struct gapp_cached_rule *cached;
	const struct gapp_rule *rule;

	if (window->is_late && window->is_late(window->context))
		return NULL;
	rule = find_rule(unwind, address, last);
	if (!rule)
		return NULL;
	set[1] = set[0];
	set[0] = unwind->cache->added++ % GAPP_CACHED_RULES;
	cached = &unwind->cache->rules[set[0]];
	*cached = (struct gapp_cached_rule){ .address = address,
					     .list_id = unwind->list_id,
					     .plain = is_plain(rule),
					     .rule = *rule };
	if (rule->fp == GAPP_FP_SAME)
		cached->rule.fp_offset = rule->ra_offset;
	return cached;
}

/* The cached rule, or NULL. It may overwrite a rule that an earlier call returned. */
static __always_inline struct gapp_cached_rule *recall(struct gapp_unwind *unwind, u64 address,
						       const struct gapp_unwind_mapping **last)
{
	u16 *set = unwind->cache->set[(u32)address * 0x9e3779b1U >> (32 - GAPP_RULE_SET_BITS)];

	if (is_for(&unwind->cache->rules[set[0]], address, unwind->list_id))
		return &unwind->cache->rules[set[0]];
	if (is_for(&unwind->cache->rules[set[1]], address, unwind->list_id))
		return &unwind->cache->rules[set[1]];
	return learn(unwind, address, last, set);
}

/* Looks up the rule for an address, in the cache if the unwind has one. */
static __always_inline void rule_for(struct gapp_unwind *unwind, u64 address, struct lookup *found)
{
	if (!unwind->cache || !unwind->list_id || unwind->list_id >> GAPP_MAPPING_ID_BITS) {
		found->rule = find_rule(unwind, address, &found->mapping);
		return;
	}
	found->cached = recall(unwind, address, &found->mapping);
	found->rule = found->cached ? &found->cached->rule : NULL;
}

/* How an unwind ends if it cannot read a word at @address. */
static __always_inline enum gapp_unwind_end unreadable(const struct gapp_unwind *unwind,
						       u64 address)
{
	if (address % WORD || address >= unwind->window.limit)
		return GAPP_UNWIND_NO_FRAME;
	return GAPP_UNWIND_UNREADABLE;
}

/* The address to look up for a frame; for a caller, the last byte of its call instruction. */
static __always_inline u64 address_in(const struct frame *at)
{
	return at->ip - !at->exact;
}

static __always_inline bool is_gap(const struct gapp_rule *rule)
{
	return rule->cfa == GAPP_CFA_GAP && !rule->number;
}

static __always_inline enum gapp_unwind_end step_by_fp(struct gapp_unwind *unwind,
						       const struct machine *machine,
						       const struct gapp_rule *rule,
						       const struct frame *at, struct frame *caller)
{
	u64 fp = at->fp;

	if (!at->has_fp)
		return GAPP_UNWIND_NO_FRAME;
	/* A frame pointer of 0 marks the outermost frame, except in code that a table leaves out.
	 */
	if (!fp)
		return is_gap(rule) ? GAPP_UNWIND_NO_FRAME : GAPP_UNWIND_COMPLETE;
	if (fp % WORD || fp < at->sp || fp - at->sp > FP_SPAN || fp >= unwind->window.limit ||
	    unwind->window.limit - fp < FP_FRAME)
		return GAPP_UNWIND_NO_FRAME;
	if (!gapp_window_read(&unwind->window, fp, &caller->fp) ||
	    !gapp_window_read(&unwind->window, fp + WORD, &caller->ip))
		return GAPP_UNWIND_UNREADABLE;
	unwind->by_fp = true;
	caller->sp = fp + FP_FRAME;
	caller->has_sp = machine->sp_behind_fp;
	caller->has_fp = true;
	caller->exact = false;
	return FOUND;
}

/* The caller of a signal handler is the code that the signal interrupted. */
static __always_inline enum gapp_unwind_end step_by_signal(struct gapp_unwind *unwind,
							   const struct machine *machine,
							   const struct frame *at,
							   struct frame *caller)
{
	u64 from = at->sp + machine->signal_offset, value;
	u32 i;

	unwind->by_more = true;
	if (!at->has_sp)
		return GAPP_UNWIND_NO_RULE;
	for (i = 0; i < machine->registers; i++) {
		if (!gapp_window_read(&unwind->window, from + i * WORD, &value))
			return unreadable(unwind, from + i * WORD);
		unwind->saved[machine->signal_order ? machine->signal_order[i] : i] = value;
	}
	caller->ip = unwind->saved[machine->ip];
	caller->sp = unwind->saved[machine->sp];
	caller->fp = unwind->saved[machine->fp];
	caller->has_sp = true;
	caller->has_fp = true;
	caller->exact = true;
	return FOUND;
}

/* Reads a register; false: its value is not known. */
static __always_inline bool get_register(const struct gapp_unwind *unwind,
					 const struct machine *machine, const struct frame *at,
					 u8 number, u64 *value)
{
	if (at->exact) {
		*value = unwind->regs.value[number];
		return unwind->regs.valid >> number & 1;
	}
	if (number == machine->ip) {
		*value = at->ip;
		return true;
	}
	*value = number == machine->sp ? at->sp : at->fp;
	return number == machine->sp ? at->has_sp : number == machine->fp && at->has_fp;
}

/* Finds the CFA by a rule of a rare kind. */
static __always_inline enum gapp_unwind_end find_odd_cfa(struct gapp_unwind *unwind,
							 const struct machine *machine,
							 const struct gapp_rule *rule,
							 const struct frame *at, u64 *cfa)
{
	bool known = rule->cfa == GAPP_CFA_DEREF_FP ? at->has_fp : at->has_sp;
	u64 from;

	switch (rule->cfa) {
	case GAPP_CFA_PLT:
		*cfa = at->sp + WORD + ((s32)(at->ip & 15) >= rule->cfa_offset ? WORD : 0);
		break;
	case GAPP_CFA_REGISTER:
		unwind->by_more = true;
		known = get_register(unwind, machine, at, rule->number, cfa);
		*cfa += (s64)rule->cfa_offset;
		break;
	default:
		if (!known)
			break;
		from = (rule->cfa == GAPP_CFA_DEREF_FP ? at->fp : at->sp) + gapp_rule_pre(rule);
		if (!gapp_window_read(&unwind->window, from, cfa))
			return unreadable(unwind, from);
		*cfa += (s64)gapp_rule_post(rule);
	}
	return known ? FOUND : GAPP_UNWIND_NO_RULE;
}

/* Reads the caller's frame pointer and then the return address, which lies higher. */
static __always_inline enum gapp_unwind_end restore(struct gapp_unwind *unwind,
						    const struct machine *machine,
						    const struct gapp_rule *rule,
						    const struct frame *at, struct frame *caller)
{
	u64 from = caller->sp + (s64)rule->fp_offset;

	caller->fp = at->fp;
	caller->has_fp = at->has_fp && rule->fp != GAPP_FP_LOST;
	if (rule->fp == GAPP_FP_CFA || (rule->fp == GAPP_FP_DEREF_FP && at->has_fp)) {
		if (rule->fp == GAPP_FP_DEREF_FP)
			from = at->fp + (s64)rule->fp_offset;
		if (!gapp_window_read(&unwind->window, from, &caller->fp))
			return unreadable(unwind, from);
		caller->has_fp = true;
	}

	if (rule->ra == GAPP_RA_REGISTER) {
		unwind->by_more = true;
		return get_register(unwind, machine, at, rule->number, &caller->ip) ?
			       FOUND :
			       GAPP_UNWIND_NO_RULE;
	}
	from = caller->sp + (s64)rule->ra_offset;
	if (!gapp_window_read(&unwind->window, from, &caller->ip))
		return unreadable(unwind, from);
	return FOUND;
}

static __always_inline enum gapp_unwind_end
step_by_rule(struct gapp_unwind *unwind, const struct machine *machine,
	     const struct gapp_rule *rule, const struct frame *at, struct frame *caller)
{
	enum gapp_unwind_end end;
	u64 cfa;

	if (rule->cfa == GAPP_CFA_SP || rule->cfa == GAPP_CFA_FP) {
		if (!(rule->cfa == GAPP_CFA_SP ? at->has_sp : at->has_fp))
			return GAPP_UNWIND_NO_RULE;
		cfa = (rule->cfa == GAPP_CFA_SP ? at->sp : at->fp) + (s64)rule->cfa_offset;
	} else {
		end = find_odd_cfa(unwind, machine, rule, at, &cfa);
		if (end != FOUND)
			return end;
	}
	/* Only a leaf whose return address is in a register may have a frame of no bytes. */
	if (cfa == at->sp && !(at->exact && rule->ra == GAPP_RA_REGISTER))
		return GAPP_UNWIND_LOOP;
	if (cfa % WORD || cfa < at->sp || cfa - at->sp > FRAME_SPAN || cfa >= unwind->window.limit)
		return GAPP_UNWIND_LOOP;
	caller->sp = cfa;
	caller->has_sp = true;
	caller->exact = false;
	return restore(unwind, machine, rule, at, caller);
}

/*
 * On aarch64 a step by the frame pointer does not give sp, from which most rules start there. But
 * fp is the address at which the function has saved its caller's fp, with the return address behind
 * it: if the rule says where in the frame that is, sp is known again. A function that has not saved
 * fp has left it to a frame further out: to follow it would leave callers out.
 */
static enum gapp_unwind_end step_by_record(struct gapp_unwind *unwind,
					   const struct machine *machine,
					   const struct gapp_rule *rule, const struct frame *at,
					   struct frame *caller)
{
	const u64 cfa = at->fp - (s64)rule->fp_offset;

	if (rule->cfa != GAPP_CFA_SP || rule->fp != GAPP_FP_CFA || rule->ra != GAPP_RA_CFA ||
	    rule->ra_offset != rule->fp_offset + WORD || !at->has_fp)
		return GAPP_UNWIND_NO_RULE;
	if (at->fp < at->sp || cfa % WORD || cfa < at->sp || cfa - at->sp > FRAME_SPAN ||
	    cfa >= unwind->window.limit)
		return GAPP_UNWIND_LOOP;
	caller->sp = cfa;
	caller->has_sp = true;
	caller->exact = false;
	return restore(unwind, machine, rule, at, caller);
}

static __always_inline bool needs_sp(const struct gapp_rule *rule)
{
	return rule->cfa == GAPP_CFA_SP || rule->cfa == GAPP_CFA_PLT ||
	       rule->cfa == GAPP_CFA_DEREF_SP;
}

/* Finds the caller of a frame. */
static __always_inline enum gapp_unwind_end step(struct gapp_unwind *unwind,
						 const struct machine *machine,
						 const struct gapp_rule *rule,
						 const struct frame *at, struct frame *caller)
{
	if (rule->cfa > GAPP_CFA_SIGNAL && (at->has_sp || !needs_sp(rule)))
		return step_by_rule(unwind, machine, rule, at, caller);
	if (rule->cfa > GAPP_CFA_SIGNAL)
		return step_by_record(unwind, machine, rule, at, caller);
	switch (rule->cfa) {
	case GAPP_CFA_NONE:
		return GAPP_UNWIND_NO_RULE;
	case GAPP_CFA_END:
		return GAPP_UNWIND_COMPLETE;
	case GAPP_CFA_SIGNAL:
		return step_by_signal(unwind, machine, at, caller);
	default:
		return step_by_fp(unwind, machine, rule, at, caller);
	}
}

/*
 * On aarch64 the bits of a return address above all addresses of the process may hold a signature.
 * Returns the mask of the other bits.
 */
static u64 address_bits(u32 arch, u64 limit)
{
	if (arch != GAPP_ARCH_AARCH64 || limit < 2)
		return ~0ULL;
	return ~0ULL >> __builtin_clzll(limit - 1);
}

/* Gives the caller the saved registers of the last frame, which a signal interrupted. */
static void keep_saved(struct gapp_unwind *unwind, const struct machine *machine, u64 ip)
{
	unwind->regs.valid = (1ULL << machine->registers) - 1;
	memcpy(unwind->regs.value, unwind->saved, machine->registers * sizeof(unwind->saved[0]));
	unwind->regs.value[machine->ip] = ip;
}

/* Gives the caller the registers of the last frame. */
static void keep(struct gapp_unwind *unwind, const struct machine *machine, const struct frame *at)
{
	if (at->exact)
		return;
	unwind->regs.valid = 1ULL << machine->ip | (u64)at->has_sp << machine->sp |
			     (u64)at->has_fp << machine->fp;
	unwind->regs.value[machine->ip] = at->ip;
	unwind->regs.value[machine->sp] = at->sp;
	unwind->regs.value[machine->fp] = at->fp;
}

/*
 * Sets @found to the rule for the frame @at. Returns FOUND; GAPP_UNWIND_NO_FRAME if the frame's
 * address is too low or too high to be code; GAPP_UNWIND_UNMAPPED if no known mapping covers it.
 */
static __always_inline enum gapp_unwind_end enter(struct gapp_unwind *unwind,
						  const struct frame *at, struct lookup *found)
{
	if (at->ip < LOWEST_CODE || at->ip >= unwind->window.limit)
		return GAPP_UNWIND_NO_FRAME;
	rule_for(unwind, address_in(at), found);
	if (found->rule)
		return FOUND;
	unwind->unmapped = address_in(at);
	return GAPP_UNWIND_UNMAPPED;
}

/* Reads two words, the one at the lower address first; the window does not have both. */
static bool fetch_two(struct gapp_window *window, u64 first, u64 second, u64 *one, u64 *two)
{
	return window->fills < MAX_FILLS && gapp_window_read(window, first, one) &&
	       gapp_window_read(window, second, two);
}

/* Reads two words at multiples of 8. */
static __always_inline bool read_two(struct gapp_window *window, u64 first, u64 second, u64 *one,
				     u64 *two)
{
	const u64 at = window->at, bytes = window->bytes;

	if (first - at >= bytes || second - at >= bytes)
		return fetch_two(window, first, second, one, two);
	*one = gapp_window_word(window, first - at);
	*two = gapp_window_word(window, second - at);
	return true;
}

/*
 * The fast loop: it goes on as long as cached plain rules lead to the caller, with all variables in
 * registers. It ends the unwind only when @path is full; in any other case step() goes on with the
 * frame @at.
 */
static __always_inline void unwind_plain(struct gapp_unwind *unwind, struct frame *at,
					 struct lookup *found, u64 bits, struct found_path *path)
{
	const u64 limit = unwind->window.limit, list_id = unwind->list_id;
	struct gapp_cached_rule *const all = unwind->cache->rules, *cached = found->cached, *above;
	u64 ip = at->ip, sp = at->sp, fp = at->fp, cfa, for_fp, for_ip, caller_fp, caller_ip;
	const struct gapp_rule *rule = &cached->rule;
	u64 *const frames = path->frames;
	u16 count = path->count;

	while (cached->plain) {
		cfa = (rule->cfa == GAPP_CFA_FP ? fp : sp) + (s64)rule->cfa_offset;
		if (cfa % WORD || cfa - sp - 1 >= FRAME_SPAN || cfa >= limit)
			break;
		for_fp = cfa + (s64)rule->fp_offset;
		for_ip = cfa + (s64)rule->ra_offset;
		if (!read_two(&unwind->window, for_fp, for_ip, &caller_fp, &caller_ip))
			break;
		caller_fp = rule->fp == GAPP_FP_CFA ? caller_fp : fp;
		caller_ip &= bits;
		if (caller_ip - LOWEST_CODE >= limit - LOWEST_CODE)
			break;
		above = &all[cached->above];
		if (!is_for(above, caller_ip - 1, list_id)) {
			above = recall(unwind, caller_ip - 1, &found->mapping);
			if (!above)
				break;
			cached->above = above - all;
		}
		if (count == path->max) {
			path->end = GAPP_UNWIND_FULL;
			break;
		}
		cached = above;
		rule = &cached->rule;
		ip = caller_ip;
		sp = cfa;
		fp = caller_fp;
		frames[count++] = ip;
	}
	/* If no step was taken, @at stays: it may be exact, with all its registers known. */
	if (count > path->count)
		*at = (struct frame){
			.ip = ip, .sp = sp, .fp = fp, .has_sp = true, .has_fp = true
		};
	found->cached = cached;
	found->rule = &cached->rule;
	path->count = count;
}

static __always_inline void unwind_frames(struct gapp_unwind *unwind, const struct machine *machine,
					  struct frame at, struct found_path *path)
{
	const u64 bits = address_bits(unwind->arch, unwind->window.limit);
	struct lookup found = { 0 };
	struct frame caller;

	path->frames[path->count++] = at.ip;
	path->end = enter(unwind, &at, &found);
	/* Every round adds a frame or ends the unwind. */
	while (path->end == FOUND) {
		if (found.cached && at.has_sp && at.has_fp) {
			unwind_plain(unwind, &at, &found, bits, path);
			if (path->end != FOUND)
				break;
		}
		path->end = step(unwind, machine, found.rule, &at, &caller);
		if (path->end != FOUND)
			break;
		caller.ip &= bits;
		path->end = GAPP_UNWIND_COMPLETE;
		if (!caller.ip && !caller.exact)
			break;
		path->end = enter(unwind, &caller, &found);
		if (path->end != FOUND)
			break;
		path->end = GAPP_UNWIND_FULL;
		if (path->count == path->max || unwind->window.fills >= MAX_FILLS)
			break;
		path->end = FOUND;
		path->frames[path->count++] = caller.ip;
		at = caller;
		if (at.exact)
			keep_saved(unwind, machine, at.ip);
	}
	keep(unwind, machine, &at);
}

/**
 * gapp_unwind() - find the call path of a thread in user space by tables
 * @unwind: the caller sets @copy, @context and @limit of its window, @arch, @mappings,
 *	@mapping_count, @list_id, @cache and @regs, of @regs at least the instruction pointer and
 *	the stack pointer
 * @frames: the result, innermost first: the instruction pointer, then return addresses
 * @max: room in @frames
 * @end: how the unwind ended
 *
 * On aarch64 it removes the signatures of return addresses.
 *
 * Return: the number of frames, at least 1 if @max is not 0.
 */
u16 gapp_unwind(struct gapp_unwind *unwind, u64 *frames, u16 max, enum gapp_unwind_end *end)
{
	const struct machine *machine = unwind->arch == GAPP_ARCH_AARCH64 ? &aarch64 : &x86_64;
	struct found_path path = { .frames = frames, .max = max, .end = GAPP_UNWIND_FULL };
	struct frame innermost = {
		.ip = unwind->regs.value[machine->ip],
		.sp = unwind->regs.value[machine->sp],
		.fp = unwind->regs.value[machine->fp],
		.has_sp = unwind->regs.valid >> machine->sp & 1,
		.has_fp = unwind->regs.valid >> machine->fp & 1,
		.exact = true,
	};

	unwind->by_fp = false;
	unwind->by_more = false;
	unwind->unmapped = 0;
	gapp_window_begin(&unwind->window);
	if (max)
		unwind_frames(unwind, machine, innermost, &path);
	*end = path.end;
	return path.count;
}

static bool is_fp_frame(const struct gapp_window *window, u64 bp, u64 lowest, u64 sp)
{
	return bp % WORD == 0 && bp >= lowest && bp - sp <= FP_SPAN && bp < window->limit &&
	       window->limit - bp >= FP_FRAME;
}

/**
 * gapp_unwind_fp() - find the call path of a thread in user space by frame pointers
 * @arch: enum gapp_arch
 * @window: the caller sets @copy, @context and @limit
 * @ip: instruction pointer
 * @sp: stack pointer
 * @bp: frame pointer
 * @frames: the result, innermost first: @ip, then return addresses
 * @max: room in @frames
 * @end: how the unwind ended
 *
 * On aarch64 it removes the signatures of return addresses.
 *
 * Return: the number of frames, at least 1 if @max is not 0.
 */
u16 gapp_unwind_fp(u32 arch, struct gapp_window *window, u64 ip, u64 sp, u64 bp, u64 *frames,
		   u16 max, enum gapp_unwind_end *end)
{
	const u64 bits = address_bits(arch, window->limit);
	u64 lowest = sp, caller_bp, return_ip;
	u16 count = 0;

	*end = GAPP_UNWIND_FULL;
	if (!max)
		return 0;
	gapp_window_begin(window);
	frames[count++] = ip;

	/* Every round adds a frame or ends the unwind. */
	for (;;) {
		*end = GAPP_UNWIND_COMPLETE;
		if (!bp)
			return count;
		*end = GAPP_UNWIND_NO_FRAME;
		if (!is_fp_frame(window, bp, lowest, sp))
			return count;
		*end = GAPP_UNWIND_UNREADABLE;
		if (!gapp_window_read(window, bp, &caller_bp) ||
		    !gapp_window_read(window, bp + WORD, &return_ip))
			return count;
		return_ip &= bits;
		*end = GAPP_UNWIND_COMPLETE;
		if (!return_ip)
			return count;
		*end = GAPP_UNWIND_NO_FRAME;
		if (return_ip < LOWEST_CODE || return_ip >= window->limit)
			return count;
		*end = GAPP_UNWIND_FULL;
		if (count == max)
			return count;
		frames[count++] = return_ip;
		lowest = bp + FP_FRAME;
		bp = caller_bp;
	}
}
