/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinds a user stack, by unwind tables or by frame pointers. Stack, tables
 * and mappings come from user space: an unwind takes bounded time and reads no
 * other memory, whatever their content.
 */
#ifndef GAPP_CORE_UNWIND_H
#define GAPP_CORE_UNWIND_H

#include <gapp_record.h>

#include "port.h"
#include "spin_table.h"
#include "table.h"

/* Bytes copied at a time. A window never goes past the end of its page. */
#define GAPP_WINDOW_BYTES 1024
#define GAPP_WINDOW_PAGE 4096

#define GAPP_WINDOW_WORD 8

/* Words that an unwind notes: 2 for each of 32 frames with frame pointers, and some more. */
#define GAPP_READ_WORDS 80

/**
 * struct gapp_read - a word of the stack that an unwind has read
 * @address: address of the word
 * @word: value of the word
 */
struct gapp_read {
	u64 address;
	u64 word;
};

/**
 * struct gapp_reads - all words of the stack that an unwind has read
 * @count: number of words; more than GAPP_READ_WORDS: some are not in @read
 * @read: the words
 */
struct gapp_reads {
	u32 count;
	struct gapp_read read[GAPP_READ_WORDS];
};

static inline void gapp_reads_add(struct gapp_reads *reads, u64 address, u64 word)
{
	const u32 count = reads->count;

	/* A rule without a frame pointer reads the return address twice in a row. */
	if (count && count <= GAPP_READ_WORDS && reads->read[count - 1].address == address)
		return;
	if (count < GAPP_READ_WORDS)
		reads->read[count] = (struct gapp_read){ .address = address, .word = word };
	reads->count = count + (count <= GAPP_READ_WORDS);
}

/**
 * struct gapp_window - a copy of a piece of the stack
 * @copy: copies @bytes at @address to @to; false: the memory is not readable now
 * @is_late: whether an unwind has no time for another copy, or to look up another rule; or NULL
 * @context: first argument of @copy and @is_late
 * @limit: user addresses are below this
 * @reads: gets every word that the unwind reads; or NULL
 * @at: address of the bytes in @data, a multiple of 8
 * @bytes: number of bytes in @data, a multiple of 8
 * @fills: number of calls of @copy
 * @data: the copy
 */
struct gapp_window {
	bool (*copy)(void *context, void *to, u64 address, u32 bytes);
	bool (*is_late)(void *context);
	void *context;
	u64 limit;
	struct gapp_reads *reads;
	u64 at;
	u32 bytes;
	u32 fills;
	u8 data[GAPP_WINDOW_BYTES];
};

/* Forgets what an earlier unwind copied. */
static inline void gapp_window_begin(struct gapp_window *window)
{
	window->bytes = 0;
	window->fills = 0;
}

bool gapp_window_move(struct gapp_window *window, u64 address);

/*
 * Reads the word at @offset of the copy, a multiple of 8 below window->bytes. Values from the stack
 * determine @offset, so the CPU must not read beyond the window by speculation either.
 */
static inline u64 gapp_window_word(const struct gapp_window *window, u64 offset)
{
	u64 word;

	memcpy(&word, window->data + array_index_nospec(offset, window->bytes), sizeof(word));
	if (window->reads)
		gapp_reads_add(window->reads, window->at + offset, word);
	return word;
}

/* Reads the word at an address; false: it is not aligned, not below the limit or not readable. */
static inline bool gapp_window_read(struct gapp_window *window, u64 address, u64 *word)
{
	u64 offset = address - window->at;

	if (offset >= window->bytes || offset % GAPP_WINDOW_WORD) {
		if (!gapp_window_move(window, address))
			return false;
		offset = 0;
	}
	*word = gapp_window_word(window, offset);
	return true;
}

/**
 * struct gapp_unwind_mapping - one range of executable memory of a process
 * @begin: address of the first byte
 * @end: address after the last byte
 * @bias: address in memory minus address in @table and @spins, in bytes
 * @table: unwind table; NULL: none, the unwind follows frame pointers
 * @spins: spin table; NULL: none
 */
struct gapp_unwind_mapping {
	u64 begin;
	u64 end;
	u64 bias;
	const struct gapp_table *table;
	const struct gapp_spin_table *spins;
};

/**
 * struct gapp_regs - registers by their DWARF numbers
 * @valid: bit N is set if value[N] is known
 * @value: values of the registers
 */
struct gapp_regs {
	u64 valid;
	u64 value[GAPP_REGISTERS];
};

#define GAPP_CACHED_RULES 2048U
/* Two rules share a set; there are so many sets that most addresses find their rule there. */
#define GAPP_RULE_SET_BITS 11
#define GAPP_RULE_SETS 2048
#define GAPP_MAPPING_ID_BITS 48

/**
 * struct gapp_cached_rule - a rule that an unwind has looked up
 * @address: address for which the rule holds
 * @list_id: number of the mapping list in which it holds; 0: the entry is empty
 * @above: index in the cache of the rule that the caller had last time; tried first
 * @plain: the offsets are whole words, and the rule is of the kind that unwind_plain() follows
 * @rule: a copy, for the table may be gone by now. Where the caller has the same frame pointer,
 *	fp_offset is ra_offset, so that a read at either is safe
 */
struct gapp_cached_rule {
	u64 address;
	u64 list_id : GAPP_MAPPING_ID_BITS;
	u64 above : 15;
	u64 plain : 1;
	struct gapp_rule rule;
};

_Static_assert(sizeof(struct gapp_cached_rule) == 32, "gapp_cached_rule");
_Static_assert(GAPP_CACHED_RULES <= 1U << 15, "gapp_cached_rule above");
_Static_assert(GAPP_RULE_SETS == 1 << GAPP_RULE_SET_BITS, "sets of rules");

/**
 * struct gapp_rule_cache - rules that the unwinds of one CPU have looked up; zero at first
 * @rules: the rules; each new one takes the place of the oldest
 * @set: indices in @rules of the last two rules whose address has this hash
 * @added: number of rules that were ever added
 */
struct gapp_rule_cache {
	struct gapp_cached_rule rules[GAPP_CACHED_RULES];
	u16 set[GAPP_RULE_SETS][2];
	u32 added;
};

/**
 * struct gapp_unwind - an unwind by tables
 * @window: the stack; the caller sets @copy, @context and @limit
 * @arch: enum gapp_arch
 * @mappings: executable memory of the process, sorted by address
 * @mapping_count: number of mappings
 * @list_id: number of this list of mappings, which no other list may ever have in unwinds with the
 *	same @cache; 0 or more than GAPP_MAPPING_ID_BITS bits: the cache is not used
 * @cache: rules of earlier unwinds, best aligned to a cache line; or NULL
 * @regs: in: registers of the innermost frame; out: registers of the last frame found, from which
 *	another unwinder can go on
 * @by_fp: out: a step followed the frame pointer
 * @by_more: out: the path depends on more than ip, sp, fp and the words that the unwind has read
 * @unmapped: out, with GAPP_UNWIND_UNMAPPED: address that is in no mapping; for a caller, the last
 *	byte of its call instruction
 * @saved: for gapp_unwind() itself: registers in the frame of a signal handler
 */
struct gapp_unwind {
	struct gapp_window window;
	u32 arch;
	const struct gapp_unwind_mapping *mappings;
	u32 mapping_count;
	u64 list_id;
	struct gapp_rule_cache *cache;
	struct gapp_regs regs;
	bool by_fp;
	bool by_more;
	u64 unmapped;
	u64 saved[GAPP_REGISTERS];
};

/* DWARF numbers of the registers that an unwind follows. */
#define GAPP_X86_64_FP 6
#define GAPP_X86_64_SP 7
#define GAPP_X86_64_IP 16
#define GAPP_AARCH64_FP 29
#define GAPP_AARCH64_LR 30
#define GAPP_AARCH64_SP 31
#define GAPP_AARCH64_IP 32

const struct gapp_unwind_mapping *gapp_mapping_find(const struct gapp_unwind_mapping *mapping,
						    u32 count, u64 address);
u16 gapp_unwind(struct gapp_unwind *unwind, u64 *frames, u16 max, enum gapp_unwind_end *end);
u16 gapp_unwind_fp(u32 arch, struct gapp_window *window, u64 ip, u64 sp, u64 bp, u64 *frames,
		   u16 max, enum gapp_unwind_end *end);

#endif /* GAPP_CORE_UNWIND_H */
