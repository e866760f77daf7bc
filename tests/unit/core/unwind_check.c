// SPDX-License-Identifier: GPL-2.0
#include "unwind_check.h"

#define RULES 24
#define ROWS_OF_PAGE 24

u32 unwind_choose(struct unwind_case *thread, u32 limit)
{
	u32 number = 0, i;

	for (i = 0; i < (limit > 256 ? 2 : 1) && thread->next < thread->size; i++)
		number = number << 8 | thread->bytes[thread->next++];
	return number % limit;
}

static s32 choose_offset(struct unwind_case *thread)
{
	switch (thread->calm ? 2 : unwind_choose(thread, 64)) {
	case 0:
		return (s32)((u32)unwind_choose(thread, 65536) << 16 |
			     unwind_choose(thread, 65536));
	case 1:
		return (s32)unwind_choose(thread, 65536) - 32768;
	}
	return 8 * unwind_choose(thread, 12);
}

static u8 sp_of(u32 arch)
{
	return arch == GAPP_ARCH_X86_64 ? GAPP_X86_64_SP : GAPP_AARCH64_SP;
}

/* Mostly such as files have. */
static void choose_rule(struct unwind_case *thread, u32 arch, struct gapp_rule *rule)
{
	static const u8 cfas[] = {
		GAPP_CFA_SP,	   GAPP_CFA_SP,	      GAPP_CFA_SP,	 GAPP_CFA_SP,
		GAPP_CFA_SP,	   GAPP_CFA_SP,	      GAPP_CFA_SP,	 GAPP_CFA_SP,
		GAPP_CFA_FP,	   GAPP_CFA_PLT,      GAPP_CFA_GAP,	 GAPP_CFA_SIGNAL,
		GAPP_CFA_DEREF_SP, GAPP_CFA_DEREF_FP, GAPP_CFA_REGISTER, GAPP_CFA_REGISTER,
		GAPP_CFA_NONE,	   GAPP_CFA_END,
	};

	memset(rule, 0, sizeof(*rule));
	rule->cfa = cfas[unwind_choose(thread, thread->calm ? 12 : sizeof(cfas))];
	if (rule->cfa <= GAPP_CFA_SIGNAL)
		return;
	rule->cfa_offset = (s32)(8U + (u32)choose_offset(thread));
	if (rule->cfa == GAPP_CFA_PLT)
		rule->cfa_offset = (s32)unwind_choose(thread, 20) - 2;
	if (rule->cfa == GAPP_CFA_DEREF_SP || rule->cfa == GAPP_CFA_DEREF_FP)
		rule->cfa_offset = gapp_rule_offsets(choose_offset(thread), choose_offset(thread));
	rule->ra_offset = unwind_choose(thread, 16) ? -8 : choose_offset(thread);
	rule->fp = unwind_choose(thread, thread->calm ? GAPP_FP_LOST : GAPP_FP_KINDS);
	rule->fp_offset = unwind_choose(thread, 8) ? -16 : choose_offset(thread);
	if (rule->fp == GAPP_FP_DEREF_FP && unwind_choose(thread, 4))
		rule->fp_offset = 0;
	rule->ra = !thread->calm && !unwind_choose(thread, 8);
	if (rule->ra == GAPP_RA_REGISTER || rule->cfa == GAPP_CFA_REGISTER)
		rule->number = unwind_choose(thread, 4) ? unwind_choose(thread, 17) :
							  unwind_choose(thread, GAPP_REGISTERS);
	/* no table may say so */
	if (rule->ra == GAPP_RA_REGISTER && rule->number == sp_of(arch))
		rule->number = 0;
}

/* A valid table of one to three pages. */
static bool choose_table(struct unwind_case *thread, u32 which, u32 arch)
{
	struct gapp_table_head *head = (void *)thread->tables[which];
	struct gapp_rule *rules = (struct gapp_rule *)(head + 1);
	struct gapp_row *row;
	u32 i, page, rows, *first;

	memset(head, 0, sizeof(*head));
	head->magic = GAPP_TABLE_MAGIC;
	head->version = GAPP_TABLE_VERSION;
	head->arch = arch;
	head->rules = 1 + unwind_choose(thread, RULES);
	head->pages = 1 + unwind_choose(thread, 3);
	head->begin = unwind_choose(thread, 4) ? 0 : 0x10000ULL * unwind_choose(thread, 64);
	for (i = 0; i < head->rules; i++)
		choose_rule(thread, arch, &rules[i]);
	first = (u32 *)(rules + head->rules);
	row = (struct gapp_row *)(first + head->pages + 1);
	for (page = 0; page < head->pages; page++) {
		first[page] = head->rows;
		rows = 1 + unwind_choose(thread, ROWS_OF_PAGE);
		for (i = 0; i < rows; i++) {
			row->low = i ? i * (65536 / rows) + unwind_choose(thread, 65536 / rows) : 0;
			row->rule = unwind_choose(thread, head->rules);
			row++;
		}
		head->rows += rows;
	}
	first[page] = head->rows;
	return gapp_table_open(&thread->table[which], head, gapp_table_bytes(head));
}

static void choose_codes(struct unwind_case *thread)
{
	static const u64 apart[] = { 0, 1, 0x1000, 0x10000000 };
	struct gapp_unwind_mapping *code;
	u64 at = 0x400000;
	u32 i, of;

	thread->code_count = unwind_choose(thread, UNWIND_CODES + 1);
	for (i = 0; i < thread->code_count; i++) {
		code = &thread->code[i];
		of = unwind_choose(thread, 8);
		code->table = of == 7 ? NULL : &thread->table[of == 6];
		at += apart[unwind_choose(thread, 4)];
		code->begin = at;
		code->bias = at - (code->table ? code->table->begin : 0);
		at += code->table ? code->table->pages * GAPP_TABLE_PAGE : 0x1000;
		if (!unwind_choose(thread, 8))
			at -= unwind_choose(thread, 0xfff);
		if (!unwind_choose(thread, 16))
			code->bias += unwind_choose(thread, 65536);
		code->end = at;
	}
}

static void choose_registers(struct unwind_case *thread)
{
	const struct gapp_unwind_mapping *code;
	u32 i, ip = thread->arch == GAPP_ARCH_X86_64 ? 16 : 32;
	u32 sp = thread->arch == GAPP_ARCH_X86_64 ? 7 : 31;

	thread->regs.valid = thread->arch == GAPP_ARCH_X86_64 ? 0x1ffff : 0x1ffffffffULL;
	for (i = 0; i <= ip; i++)
		thread->regs.value[i] = UNWIND_STACK + 8 * unwind_choose(thread, 64);
	thread->regs.value[sp] = UNWIND_STACK + 8 * unwind_choose(thread, 16);
	if (!unwind_choose(thread, 32))
		thread->regs.value[sp] = (u64)unwind_choose(thread, 65536)
					 << unwind_choose(thread, 49);
	if (!unwind_choose(thread, 16))
		thread->regs.valid &= ~(1ULL << unwind_choose(thread, ip));
	thread->regs.value[ip] = unwind_choose(thread, 65536) << unwind_choose(thread, 16);
	if (!thread->code_count || !unwind_choose(thread, 32))
		return;
	code = &thread->code[unwind_choose(thread, thread->code_count)];
	thread->regs.value[ip] =
		code->begin + unwind_choose(thread, 65536) % (code->end - code->begin);
}

const char *unwind_make(struct unwind_case *thread, const u8 *bytes, size_t size)
{
	memset(thread, 0, sizeof(*thread));
	thread->bytes = bytes;
	thread->size = size;
	thread->calm = unwind_choose(thread, 2);
	thread->arch = unwind_choose(thread, 4) ? GAPP_ARCH_X86_64 : GAPP_ARCH_AARCH64;
	thread->limit = thread->arch == GAPP_ARCH_X86_64 ? 0x7ffffffff000ULL : 1ULL << 48;
	if (!unwind_choose(thread, 64))
		thread->limit = UNWIND_STACK + unwind_choose(thread, UNWIND_WORDS * 8);
	thread->max = unwind_choose(thread, 8) ? UNWIND_MAX : unwind_choose(thread, UNWIND_MAX + 1);
	if (!unwind_choose(thread, 16))
		thread->absent = unwind_choose(thread, 1 << UNWIND_PAGES);
	if (!choose_table(thread, 0, thread->arch) ||
	    !choose_table(thread, 1, unwind_choose(thread, 4) ? thread->arch : GAPP_ARCH_AARCH64))
		return "a good table is refused";
	choose_codes(thread);
	choose_registers(thread);
	return NULL;
}

static bool copy(void *context, void *to, u64 address, u32 bytes)
{
	struct unwind_case *thread = context;
	u64 offset = address - UNWIND_STACK;

	thread->copies++;
	if (!bytes || bytes > GAPP_WINDOW_BYTES || address % 8 || bytes % 8)
		thread->wrong = "a window's size";
	else if (address / 4096 != (address + bytes - 1) / 4096)
		thread->wrong = "a window crosses a page's end";
	else if (address >= thread->limit || bytes > thread->limit - address)
		thread->wrong = "a window passes the limit";
	if (thread->wrong || address < UNWIND_STACK || offset >= sizeof(thread->words) ||
	    thread->absent >> offset / 4096 & 1)
		return false;
	memcpy(to, (const u8 *)thread->words + offset, bytes);
	return true;
}

static void unwind_really(struct unwind_case *thread, struct unwind_found *found,
			  struct gapp_rule_cache *cache, u64 list_id, struct gapp_reads *reads)
{
	static struct gapp_unwind walk;

	/* The walk does not look at what an earlier one left, but for what is remembered. */
	memset(&walk.window, 0xa5, sizeof(walk.window));
	memset(walk.saved, 0xa5, sizeof(walk.saved));
	walk.by_fp = true;
	walk.by_more = true;
	walk.unmapped = 0xa5;
	walk.window.copy = copy;
	walk.window.is_late = NULL;
	walk.window.context = thread;
	walk.window.limit = thread->limit;
	walk.window.reads = reads;
	walk.arch = thread->arch;
	walk.mappings = thread->code;
	walk.mapping_count = thread->code_count;
	walk.list_id = list_id;
	walk.cache = cache;
	walk.regs = thread->regs;
	thread->copies = 0;
	memset(found->frames, 0x5a, sizeof(found->frames));
	found->count = gapp_unwind(&walk, found->frames, thread->max, &found->end);
	found->regs = walk.regs;
	found->by_fp = walk.by_fp;
	found->by_more = walk.by_more;
	found->unmapped = walk.unmapped;
}

static const char *compare(const struct unwind_case *thread, const struct unwind_found *is,
			   const struct unwind_found *must)
{
	u32 i;

	if (thread->wrong)
		return thread->wrong;
	/* Each frame reads three words at most, and a signal's is in two or three windows. */
	if (thread->copies > 128 + 4 || thread->copies > 4 * (must->count + 1))
		return "too many windows";
	for (i = is->count; i <= UNWIND_MAX; i++)
		if (is->frames[i] != 0x5a5a5a5a5a5a5a5aULL)
			return "frames behind the last";
	if (is->count <= must->count &&
	    memcmp(is->frames, must->frames, is->count * sizeof(is->frames[0])))
		return "frames";
	if (is->end == GAPP_UNWIND_FULL && is->count < thread->max)
		return thread->copies >= 128 && is->count <= must->count ? NULL : "it gave up";
	if (is->count != must->count)
		return "number of frames";
	if (is->end != must->end)
		return "how it ended";
	if (is->by_fp != must->by_fp)
		return "whether by the frame pointer";
	if (is->unmapped != must->unmapped)
		return "what is not mapped";
	if (is->regs.valid != must->regs.valid)
		return "what registers are known";
	for (i = 0; i < GAPP_REGISTERS; i++)
		if (is->regs.valid >> i & 1 && is->regs.value[i] != must->regs.value[i])
			return "a register";
	return NULL;
}

static bool is_read(const struct gapp_reads *reads, u64 address)
{
	u32 i;

	for (i = 0; i < reads->count; i++)
		if (reads->read[i].address == address)
			return true;
	return false;
}

/* Another thread, that has in common only what a walk is said to depend on. */
static void change_the_rest(struct unwind_case *thread, const struct gapp_reads *reads)
{
	const bool x86 = thread->arch != GAPP_ARCH_AARCH64;
	const u32 ip = x86 ? GAPP_X86_64_IP : GAPP_AARCH64_IP;
	const u32 sp = x86 ? GAPP_X86_64_SP : GAPP_AARCH64_SP;
	const u32 fp = x86 ? GAPP_X86_64_FP : GAPP_AARCH64_FP;
	u32 i;

	for (i = 0; i < UNWIND_WORDS; i++)
		if (!is_read(reads, UNWIND_STACK + 8 * i))
			thread->words[i] ^= 0x1008;
	for (i = 0; i < GAPP_REGISTERS; i++)
		if (i != ip && i != sp && i != fp)
			thread->regs.value[i] += 8;
}

/* What a walk says that it depends on is all that it depends on. */
static const char *check_reads(struct unwind_case *thread, const struct unwind_found *must,
			       u64 list_id)
{
	static struct gapp_rule_cache cache;
	static struct unwind_found found;
	static struct gapp_reads reads;
	u32 i;

	reads.count = 0;
	unwind_really(thread, &found, &cache, list_id, &reads);
	for (i = 0; i < reads.count && i < GAPP_READ_WORDS; i++)
		if (thread->words[(reads.read[i].address - UNWIND_STACK) / 8 % UNWIND_WORDS] !=
		    reads.read[i].word)
			return "a word that was not read";
	if (found.by_more || reads.count > GAPP_READ_WORDS || must->end > GAPP_UNWIND_FULL)
		return NULL;
	change_the_rest(thread, &reads);
	unwind_really(thread, &found, &cache, list_id, NULL);
	if (found.count != must->count || found.end != must->end || found.by_fp != must->by_fp ||
	    memcmp(found.frames, must->frames, found.count * sizeof(found.frames[0])))
		return "it depends on more than it says";
	return NULL;
}

const char *unwind_check(struct unwind_case *thread, struct unwind_found *must, const u8 *bytes,
			 size_t size)
{
	static struct gapp_rule_cache cache;
	static struct unwind_found found;
	static u64 list_id;
	const char *wrong = unwind_make(thread, bytes, size);
	u32 i;

	if (wrong)
		return wrong;
	unwind_naively(thread, must);
	list_id++;
	/* without memory, with one of other code only, and with one of this code */
	for (i = 0; i < 3 && !wrong; i++) {
		unwind_really(thread, &found, i ? &cache : NULL, list_id, NULL);
		wrong = compare(thread, &found, must);
	}
	return wrong ? wrong : check_reads(thread, &found, list_id);
}
