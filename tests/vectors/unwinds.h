/* SPDX-License-Identifier: GPL-2.0 */
/* Threads to be walked by tables: their rules, registers and stacks, and the frames there are. */
#ifndef GAPP_VEC_UNWINDS_H
#define GAPP_VEC_UNWINDS_H

#include "same.h"
#include "stack.h"
#include "unwind.h"

/*
 * Function i has the i-th of a vector's rules and lies at VEC_FUNCTION(i, 0), in a table whose
 * addresses begin elsewhere. Behind it is memory without a table, and then some with one of the
 * other machine.
 */
#define VEC_CODE 0x400000ULL
#define VEC_FUNCTION(i, offset) (VEC_CODE + 0x100ULL * (i) + (offset))
#define VEC_JIT 0x500000ULL
#define VEC_OTHER 0x600000ULL
#define VEC_CODE_BEGIN 0x20000ULL
#define VEC_RULES 8

#define VEC_UNWIND_FRAMES 6

/**
 * struct vec_word - a word on the stack
 * @at: where, from the stack's lowest address on
 * @value: what
 */
struct vec_word {
	u32 at;
	u64 value;
};

/**
 * struct vec_unwind - one thread
 * @name: what it shows
 * @rules: the program's; the one behind the last is GAPP_CFA_KINDS
 * @words: on the stack, the rest of which is zero; up to VEC_LAST
 * @absent: pages of the stack that are not there, a bit each
 * @aarch64: it is on that machine
 * @ip: instruction pointer
 * @sp: stack pointer
 * @fp: frame pointer
 * @number: of another register, or 0
 * @value: what is in it
 * @unknown: registers that are not known, a bit each
 * @max: if not VEC_UNWIND_FRAMES: room for frames; -1: none
 * @limit: if not VEC_LIMIT
 * @end: how the walk must end
 * @count: how many frames it must find
 * @frames: those after the first
 * @by_fp: as in struct gapp_unwind
 * @unmapped: likewise
 * @last_sp: stack pointer of the last frame; 0: not known
 * @last_fp: its frame pointer
 * @lost_fp: that is not known
 * @saved: all registers of the last frame are known
 */
struct vec_unwind {
	const char *name;
	const struct gapp_rule *rules;
	const struct vec_word *words;
	u32 absent;
	bool aarch64;
	u64 ip, sp, fp;
	u8 number;
	u64 value;
	u64 unknown;
	s32 max;
	u64 limit;
	enum gapp_unwind_end end;
	u16 count;
	u64 frames[VEC_UNWIND_FRAMES - 1];
	bool by_fp;
	u64 unmapped;
	u64 last_sp, last_fp;
	bool lost_fp;
	bool saved;
};

#include "unwinds_list.h"

/**
 * struct vec_unwind_room - what a vector needs
 * @stack: its stack
 * @head: of its table, and what is behind it
 * @other: a table of another machine
 * @code: its code
 * @cache: rules that were looked up
 * @walk: the walk
 */
struct vec_unwind_room {
	struct vec_stack stack;
	struct {
		struct gapp_table_head head;
		struct gapp_rule rules[VEC_RULES];
		u32 first[2];
		struct gapp_row rows[VEC_RULES];
	} table, other;
	struct gapp_table parts, other_parts;
	struct gapp_unwind_mapping code[3];
	struct gapp_rule_cache cache;
	struct gapp_unwind walk;
};

static inline bool vec_unwind_tables(const struct vec_unwind *vec, struct vec_unwind_room *room)
{
	struct gapp_table_head *head = &room->table.head;
	u32 i;

	memset(&room->table, 0, sizeof(room->table));
	head->magic = GAPP_TABLE_MAGIC;
	head->version = GAPP_TABLE_VERSION;
	head->arch = vec->aarch64 ? GAPP_ARCH_AARCH64 : GAPP_ARCH_X86_64;
	head->rules = VEC_RULES;
	head->pages = 1;
	head->rows = VEC_RULES;
	head->begin = VEC_CODE_BEGIN;
	for (i = 0; i < VEC_RULES && vec->rules[i].cfa != GAPP_CFA_KINDS; i++)
		room->table.rules[i] = vec->rules[i];
	for (i = 0; i < VEC_RULES; i++) {
		room->table.rows[i].low = i * 0x100;
		room->table.rows[i].rule = i;
	}
	room->table.first[1] = VEC_RULES;
	room->other = room->table;
	room->other.head.arch = vec->aarch64 ? GAPP_ARCH_X86_64 : GAPP_ARCH_AARCH64;

	room->code[0] = (struct gapp_unwind_mapping){ VEC_CODE, VEC_CODE + 0x10000,
						      VEC_CODE - VEC_CODE_BEGIN, &room->parts };
	room->code[1] = (struct gapp_unwind_mapping){ VEC_JIT, VEC_JIT + 0x1000, 0, NULL };
	room->code[2] = (struct gapp_unwind_mapping){ VEC_OTHER, VEC_OTHER + 0x1000,
						      VEC_OTHER - VEC_CODE_BEGIN,
						      &room->other_parts };
	return gapp_table_open(&room->parts, &room->table, gapp_table_bytes(head)) &&
	       gapp_table_open(&room->other_parts, &room->other, gapp_table_bytes(head));
}

/* The registers and the stack as the vector has them; of an earlier walk only what it remembers. */
static inline void vec_unwind_thread(const struct vec_unwind *vec, struct vec_unwind_room *room)
{
	struct gapp_unwind *walk = &room->walk;
	struct vec_stack *stack = &room->stack;
	const struct vec_word *word;
	u32 i;

	memset(stack, 0, sizeof(*stack));
	stack->absent = vec->absent;
	stack->limit = vec->limit ? vec->limit : VEC_LIMIT;
	for (word = vec->words; word->at != 0xffffffff; word++)
		stack->words[word->at / 8] = word->value;

	memset(&walk->window, 0xa5, sizeof(walk->window));
	memset(walk->saved, 0xa5, sizeof(walk->saved));
	walk->by_fp = true;
	walk->unmapped = 0xa5;
	walk->window.at = VEC_STACK;
	walk->window.bytes = GAPP_WINDOW_BYTES;
	walk->window.copy = vec_stack_copy;
	walk->window.is_late = NULL;
	walk->window.context = stack;
	walk->window.limit = stack->limit;
	walk->window.reads = NULL;
	walk->arch = room->table.head.arch;
	walk->mappings = room->code;
	walk->mapping_count = 3;
	walk->cache = NULL;
	for (i = 0; i < GAPP_REGISTERS; i++)
		walk->regs.value[i] = 0xbad0000 + i;
	walk->regs.value[vec->aarch64 ? 32 : 16] = vec->ip;
	walk->regs.value[vec->aarch64 ? 31 : 7] = vec->sp;
	walk->regs.value[vec->aarch64 ? 29 : 6] = vec->fp;
	if (vec->number)
		walk->regs.value[vec->number] = vec->value;
	walk->regs.valid = (vec->aarch64 ? 0x1ffffffffULL : 0x1ffffULL) & ~vec->unknown;
}

/* The registers with which the walk could go on. */
static inline void vec_unwind_left(struct vec_place *p, const struct vec_unwind *vec,
				   const struct gapp_regs *regs, const struct gapp_regs *before,
				   const u64 *frames)
{
	u32 ip = vec->aarch64 ? 32 : 16, sp = vec->aarch64 ? 31 : 7, fp = vec->aarch64 ? 29 : 6;
	u64 valid = 1ULL << ip;

	if (vec->last_sp)
		valid |= 1ULL << sp;
	if (!vec->lost_fp)
		valid |= 1ULL << fp;
	if (vec->count < 2) {
		vec_same(p, "registers changed", memcmp(regs, before, sizeof(*regs)) != 0, 0);
		return;
	}
	if (vec->saved)
		valid = vec->aarch64 ? 0x1ffffffffULL : 0x1ffffULL;
	vec_same(p, "known registers", regs->valid, valid);
	vec_same(p, "last ip", regs->value[ip], frames[vec->count - 1]);
	if (vec->last_sp)
		vec_same(p, "last sp", regs->value[sp], vec->last_sp);
	if (!vec->lost_fp)
		vec_same(p, "last fp", regs->value[fp], vec->last_fp);
}

static inline void vec_unwind_once(void *rig, const struct vec_unwind *vec,
				   struct vec_unwind_room *room, bool cached)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "frame" };
	u16 max = vec->max ? vec->max < 0 ? 0 : vec->max : VEC_UNWIND_FRAMES;
	struct gapp_unwind *walk = &room->walk;
	enum gapp_unwind_end end = GAPP_UNWIND_ENDS;
	u64 frames[VEC_UNWIND_FRAMES] = { 0 };
	struct gapp_regs before;
	u16 count, i;

	vec_unwind_thread(vec, room);
	walk->cache = cached ? &room->cache : NULL;
	walk->list_id = 1;
	before = walk->regs;
	count = gapp_unwind(walk, frames, max, &end);

	vec_same(&p, "count", count, vec->count);
	vec_same(&p, "end", end, vec->end);
	vec_same(&p, "by fp", walk->by_fp, vec->by_fp);
	vec_same(&p, "unmapped", walk->unmapped, vec->unmapped);
	if (room->stack.wrong)
		VEC_FAIL(rig, "%s: %s", vec->name, room->stack.wrong);
	if (vec->count)
		vec_same(&p, "ip", frames[0], vec->ip);
	for (i = 1; i < vec->count; i++) {
		p.index = i;
		vec_same(&p, "address", frames[i], vec->frames[i - 1]);
	}
	for (i = vec->count; i < VEC_UNWIND_FRAMES; i++)
		vec_same(&p, "address behind the last", frames[i], 0);
	if (count == vec->count)
		vec_unwind_left(&p, vec, &walk->regs, &before, frames);
}

/* Rules are looked up, looked up and remembered, and remembered. */
static inline void vec_unwind_run(void *rig, const struct vec_unwind *vec,
				  struct vec_unwind_room *room)
{
	u32 i;

	memset(&room->cache, 0, sizeof(room->cache));
	if (!vec_unwind_tables(vec, room)) {
		VEC_FAIL(rig, "%s: the table is refused", vec->name);
		return;
	}
	for (i = 0; i < 3; i++)
		vec_unwind_once(rig, vec, room, i);
}

#endif /* GAPP_VEC_UNWINDS_H */
