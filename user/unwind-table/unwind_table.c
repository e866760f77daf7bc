// SPDX-License-Identifier: GPL-2.0
/* Compiles the unwind table of a file, or takes it from the cache. */
#include "unwind_table.h"

#include <errno.h>

#include "cfi.h"
#include "core/table.h"
#include "table_cache.h"

/* A gap between two descriptions with fewer bytes than this keeps the rule before it. */
#define HOLE_MIN 16
/* No process has code from this address on. */
#define ADDRESS_MAX 0x4000000000000000ULL
/* Each page still needs a row of its own, even if no rule can be added any more. */
#define ROWS_MAX (GAPP_TABLE_MAX_ROWS - GAPP_TABLE_MAX_PAGES)

/* The first rules of every table. */
enum { RULE_GAP, RULE_NONE };

static const struct gapp_rule none = { .cfa = GAPP_CFA_NONE };
static const struct gapp_rule signal_frame = { .cfa = GAPP_CFA_SIGNAL };

static bool is_same_rule(const void *table, u32 id, const void *key)
{
	return !memcmp((const struct gapp_rule *)table + id, key, sizeof(struct gapp_rule));
}

/* Sets @number to the rule's number; adds a new rule. RULE_NONE: there is no room for more. */
static int number_of(struct cfi_rows *rows, const struct gapp_rule *rule, u32 *number)
{
	u32 words[sizeof(*rule) / sizeof(u32)];
	u64 hash;

	memcpy(words, rule, sizeof(words));
	hash = hash_words(0, words, ARRAY_SIZE(words));
	*number = hash_index_find(&rows->index, hash, is_same_rule, rows->rules, rule);
	if (*number != HASH_NONE)
		return 0;
	*number = RULE_NONE;
	if (rows->rule_count == GAPP_TABLE_MAX_RULES)
		return 0;
	if (array_grow(&rows->rules, &rows->rule_room, rows->rule_count, sizeof(*rule)) ||
	    hash_index_add(&rows->index, hash, rows->rule_count))
		return -1;
	*number = rows->rule_count;
	rows->rules[rows->rule_count++] = *rule;
	return 0;
}

static int begin_table(struct cfi_rows *rows, u64 address)
{
	u32 number;

	if (number_of(rows, &gapp_rule_gap, &number) || number_of(rows, &none, &number))
		return -1;
	rows->begin = address - address % GAPP_TABLE_PAGE;
	rows->end = rows->begin;
	rows->last = RULE_GAP;
	return 0;
}

static int put_row(struct cfi_rows *rows, u16 low, u32 rule)
{
	if (array_grow(&rows->rows, &rows->row_room, rows->row_count, sizeof(*rows->rows)))
		return -1;
	rows->rows[rows->row_count++] = (struct gapp_row){ .low = low, .rule = rule };
	return 0;
}

/* Begins all pages up to that of @address; each has a first row with the rule that holds there. */
static int reach_page(struct cfi_rows *rows, u64 address)
{
	u32 page = (address - rows->begin) / GAPP_TABLE_PAGE;

	while (rows->pages <= page) {
		if (array_grow(&rows->first, &rows->page_room, rows->pages, sizeof(u32)) ||
		    put_row(rows, 0, rows->last))
			return -1;
		rows->first[rows->pages++] = rows->row_count - 1;
	}
	return 0;
}

/* From @address on rule number @rule holds. Returns 0, or -1 without memory. */
static int change(struct cfi_rows *rows, u64 address, u32 rule)
{
	u16 low = address % GAPP_TABLE_PAGE;

	if (rows->row_count >= ROWS_MAX)
		rule = RULE_NONE;
	if (reach_page(rows, address))
		return -1;
	if (rule == rows->last)
		return 0;
	rows->last = rule;
	if (low)
		return put_row(rows, low, rule);
	rows->rows[rows->row_count - 1].rule = rule;
	return 0;
}

int cfi_rows_add(struct cfi_rows *rows, u64 begin, u64 end, const struct gapp_rule *rule)
{
	u32 number;
	u64 limit;

	if (begin >= ADDRESS_MAX)
		return 0;
	if (!rows->rule_count && begin_table(rows, begin))
		return -1;
	limit = rows->begin + (u64)GAPP_TABLE_MAX_PAGES * GAPP_TABLE_PAGE;
	if (end > limit)
		end = limit;
	if (begin >= end)
		return 0;
	if (number_of(rows, rule, &number))
		return -1;
	if (begin - rows->end >= HOLE_MIN && change(rows, rows->end, RULE_GAP))
		return -1;
	if (change(rows, begin, number) || reach_page(rows, end - 1))
		return -1;
	rows->end = end;
	return 0;
}

/* Makes the table, unless no rule was added. Returns 0, or -1 without memory. */
static int finish_rows(struct cfi_rows *rows, enum gapp_arch arch, struct unwind_table *table)
{
	struct gapp_table_head head = { .magic = GAPP_TABLE_MAGIC,
					.version = GAPP_TABLE_VERSION,
					.arch = arch,
					.rules = rows->rule_count,
					.pages = rows->pages,
					.begin = rows->begin };
	struct gapp_rule *rules;
	size_t bytes;
	u32 *first;

	if (!rows->row_count)
		return 0;
	/* code behind the last rule has no rule; no page is added to say so */
	if (rows->end % GAPP_TABLE_PAGE && change(rows, rows->end, RULE_GAP))
		return -1;
	head.rows = rows->row_count;
	bytes = gapp_table_bytes(&head);
	table->data = bytes ? malloc(bytes) : NULL;
	if (!table->data)
		return -1;
	table->bytes = bytes;
	*table->data = head;
	rules = (struct gapp_rule *)(table->data + 1);
	memcpy(rules, rows->rules, head.rules * sizeof(*rules));
	first = (u32 *)(rules + head.rules);
	memcpy(first, rows->first, head.pages * sizeof(*first));
	first[head.pages] = head.rows;
	memcpy(first + head.pages + 1, rows->rows, head.rows * sizeof(*rows->rows));
	return 0;
}

/*
 * Bytes of instructions that libdw may carry out for one file, where each rule counts as all
 * instructions of its function. The worst known program takes a tenth, and all take less than a
 * minute.
 */
#define WORK_MAX (32ULL << 30)
/* For WORK_MAX, to find one rule counts as this many bytes of instructions. */
#define WORK_EACH 64

/**
 * struct compiler - what compiles one file
 * @file: the file
 * @image: an ELF file that has nothing but the checked frames of @file
 * @elf: libelf's handle of @image
 * @dwarf: libdw's handle of @image, if the frames are of .debug_frame
 * @cfi: libdw's handle of the frames
 * @rows: the result
 * @work: work done so far, see WORK_MAX
 * @cancel: as for unwind_table_compile()
 */
struct compiler {
	struct cfi_file *file;
	u8 *image;
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_CFI *cfi;
	struct cfi_rows rows;
	u64 work;
	const volatile bool *cancel;
};

/* The rule at @at by libdw; sets @end to the address behind the code that has it. */
static struct gapp_rule find_rule(struct compiler *compiler, const struct cfi_range *range, u64 at,
				  u64 *end)
{
	Dwarf_Frame *frame = NULL;
	struct gapp_rule rule = none;
	Dwarf_Addr rule_begin, rule_end;
	bool is_signal;

	*end = range->end;
	compiler->work += range->program_bytes + WORK_EACH;
	if (range->refused || compiler->work > WORK_MAX ||
	    dwarf_cfi_addrframe(compiler->cfi, at, &frame))
		return none;
	if (dwarf_frame_info(frame, &rule_begin, &rule_end, &is_signal) >= 0 && rule_begin <= at &&
	    at < rule_end) {
		rule = cfi_rule(frame, compiler->file->arch);
		if (rule_end < range->end)
			*end = rule_end;
	}
	free(frame);
	return rule;
}

/*
 * Adds rules by one pass, and sets *@at to behind them. Where ranges overlap it adds none, because
 * libdw alone knows which one it takes.
 */
static int add_usual(struct compiler *compiler, u32 number, u64 *at)
{
	const struct cfi_range *range = &compiler->file->ranges[number], *next = range + 1;

	if (!range->usual || *at != range->begin || compiler->work > WORK_MAX ||
	    (number + 1 < compiler->file->range_count && next->begin < range->end))
		return 0;
	compiler->work += range->program_bytes + WORK_EACH;
	return cfi_usual_rows(range->usual, range->program, range->program + range->program_bytes,
			      at, range->end, &compiler->rows);
}

static int add_range(struct compiler *compiler, u32 number)
{
	const struct cfi_range *range = &compiler->file->ranges[number];
	u64 at = range->begin, end;

	if (is_cancelled(compiler->cancel))
		return -1;
	if (compiler->rows.rule_count && compiler->rows.end > at)
		at = compiler->rows.end;
	if (range->by_code)
		return cfi_rows_add(&compiler->rows, at, range->end, &signal_frame);
	if (add_usual(compiler, number, &at))
		return -1;
	for (; at < range->end; at = end) {
		struct gapp_rule rule = find_rule(compiler, range, at, &end);

		if (is_cancelled(compiler->cancel) || cfi_rows_add(&compiler->rows, at, end, &rule))
			return -1;
	}
	return 0;
}

/*
 * libdw finds call frame information in ELF files only, so it gets one in memory. That has no
 * .eh_frame_hdr: the file's own could lead libdw to entries that were not checked.
 */
static int open_image(struct compiler *compiler)
{
	size_t bytes;

	compiler->image = cfi_image_make(compiler->file, 1, false, &bytes);
	if (!compiler->image)
		return -1;
	elf_version(EV_CURRENT);
	compiler->elf = elf_memory((char *)compiler->image, bytes);
	if (compiler->elf && compiler->file->is_eh) {
		compiler->cfi = dwarf_getcfi_elf(compiler->elf);
	} else if (compiler->elf) {
		compiler->dwarf = dwarf_begin_elf(compiler->elf, DWARF_C_READ, NULL);
		compiler->cfi = compiler->dwarf ? dwarf_getcfi(compiler->dwarf) : NULL;
	}
	if (compiler->cfi)
		return 0;
	errno = ENOMEM;
	return -1;
}

static int compile(struct compiler *compiler, struct unwind_table *table)
{
	struct cfi_file *file = compiler->file;

	if (cfi_entries_read(file, compiler->cancel) || (file->described && open_image(compiler)))
		return -1;
	for (u32 i = 0; i < file->range_count; i++) {
		if (add_range(compiler, i))
			return -1;
	}
	return finish_rows(&compiler->rows, file->arch, table);
}

static int compile_file(struct unwind_table *table, struct cfi_file *file,
			const volatile bool *cancel)
{
	struct compiler compiler = { .file = file, .cancel = cancel };
	int result = compile(&compiler, table);
	int error = errno;

	free(compiler.rows.rules);
	free(compiler.rows.rows);
	free(compiler.rows.first);
	hash_index_free(&compiler.rows.index);
	/* dwarf_end() frees a cfi of .debug_frame */
	if (compiler.dwarf)
		dwarf_end(compiler.dwarf);
	else if (compiler.cfi)
		dwarf_cfi_end(compiler.cfi);
	if (compiler.elf)
		elf_end(compiler.elf);
	free(compiler.image);
	errno = error;
	return result;
}

/* Moves the file's segments to the table. */
static void take_segments(struct unwind_table *table, struct cfi_file *file)
{
	table->segments = file->segments;
	table->segment_count = file->segment_count;
	file->segments = NULL;
	file->segment_count = 0;
}

int unwind_table_compile(struct unwind_table *table, int fd, const volatile bool *cancel)
{
	_cleanup_cfi_file_ struct cfi_file file;

	*table = (struct unwind_table){ 0 };
	if (cfi_file_read(&file, fd, CFI_ALL, cancel) || compile_file(table, &file, cancel))
		return -1;
	take_segments(table, &file);
	return 0;
}

/*
 * Takes the table from the cache without reading the whole file. Sets @stamped if the file has a
 * stamp, which then is in @stamp. False: the cache does not have the table.
 */
static bool get_by_stamp(struct unwind_table *table, int folder, int fd, struct table_key *stamp,
			 bool *stamped)
{
	_cleanup_cfi_file_ struct cfi_file head;
	struct table_key key;

	*stamped = !cfi_file_read(&head, fd, CFI_BUILD_ID, NULL) &&
		   table_stamp_set(stamp, &unwind_table_kind, fd, &head);
	if (*stamped && table_index_get(folder, stamp, &key))
		table_cache_get(folder, &key, table);
	if (table->data)
		take_segments(table, &head);
	return table->data;
}

int unwind_table_get(struct unwind_table *table, int fd, const volatile bool *cancel)
{
	_cleanup_close_ int folder = table_cache_open();
	_cleanup_cfi_file_ struct cfi_file file = { 0 };
	struct table_key stamp, key;
	bool stamped;

	*table = (struct unwind_table){ 0 };
	if (get_by_stamp(table, folder, fd, &stamp, &stamped))
		return 0;
	if (cfi_file_read(&file, fd, CFI_ALL, cancel))
		return -1;
	table_key_set(&key, &file);
	if (!table_cache_get(folder, &key, table)) {
		if (compile_file(table, &file, cancel))
			return -1;
		if (table->data)
			gapp_table_parts(&table->parts, table->data, table->bytes);
		if (table->data)
			table_cache_put(folder, &key, table->data, table->bytes);
	}
	take_segments(table, &file);
	if (stamped && table->data && table_stamp_holds(&stamp, &unwind_table_kind, fd, &file))
		table_cache_put(folder, &stamp, &key, sizeof(key));
	return 0;
}

void unwind_table_free_data(struct unwind_table *table)
{
	if (table->cached)
		table_cache_unmap(table->data, table->bytes);
	else
		free(table->data);
	table->data = NULL;
	table->cached = false;
}

void unwind_table_free(struct unwind_table *table)
{
	unwind_table_free_data(table);
	free(table->segments);
	*table = (struct unwind_table){ 0 };
}

bool unwind_table_bias(const struct unwind_table *table, u64 start, u64 offset, u64 *bias)
{
	u64 page = sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < table->segment_count; i++) {
		const struct code_segment *segment = &table->segments[i];
		/* the kernel maps whole pages */
		u64 before = segment->offset % page;

		if (offset - (segment->offset - before) >= segment->size + before)
			continue;
		*bias = start - (segment->address + (offset - segment->offset));
		return true;
	}
	return false;
}
