// SPDX-License-Identifier: GPL-2.0
#include "unwind_table.h"

#include <errno.h>

#include "cfi_entries.h"
#include "cfi_rows.h"
#include "cfi_rule.h"
#include "table_index.h"

/*
 * To find the rules of a function, libdw begins at its first instruction again for each of them.
 * So many bytes of instructions, if each time it took all, are allowed for a whole file: ten times
 * what the worst known program takes, and less than a minute.
 */
#define WORK_MAX (32ULL << 30)
/* What finding any rule takes, in bytes of instructions. */
#define WORK_EACH 64

/**
 * struct compiler - at work on a file
 * @entries: its descriptions
 * @arch: enum gapp_arch
 * @rows: the result
 * @work: done so far
 * @cancel: or NULL
 */
struct compiler {
	struct cfi_entries entries;
	enum gapp_arch arch;
	struct cfi_rows rows;
	u64 work;
	const volatile bool *cancel;
};

static const struct gapp_rule none = { .cfa = GAPP_CFA_NONE };
static const struct gapp_rule signal_frame = { .cfa = GAPP_CFA_SIGNAL };

/* The rule at @at, and where it ends. */
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
	    dwarf_cfi_addrframe(compiler->entries.cfi, at, &frame))
		return none;
	if (dwarf_frame_info(frame, &rule_begin, &rule_end, &is_signal) >= 0 && rule_begin <= at &&
	    at < rule_end) {
		rule = cfi_rule(frame, compiler->arch);
		if (rule_end < range->end)
			*end = rule_end;
	}
	free(frame);
	return rule;
}

/* As far as one go over it tells; not where it is not alone, for there libdw takes which it will.
 */
static int add_usual(struct compiler *compiler, u32 number, u64 *at)
{
	const struct cfi_entries *entries = &compiler->entries;
	const struct cfi_range *range = &entries->ranges[number], *next = range + 1;

	if (!range->usual || *at != range->begin || compiler->work > WORK_MAX ||
	    (number + 1 < entries->count && next->begin < range->end))
		return 0;
	compiler->work += range->program_bytes + WORK_EACH;
	return cfi_usual_rows(range->usual, range->program, range->program + range->program_bytes,
			      at, range->end, &compiler->rows);
}

static int add_range(struct compiler *compiler, u32 number)
{
	const struct cfi_range *range = &compiler->entries.ranges[number];
	u64 at = range->begin, end;

	if (cfi_cancelled(compiler->cancel)) {
		errno = ECANCELED;
		return -1;
	}
	if (compiler->rows.rule_count && compiler->rows.end > at)
		at = compiler->rows.end;
	if (range->by_code)
		return at < range->end ?
			       cfi_rows_add(&compiler->rows, at, range->end, &signal_frame) :
			       0;
	if (add_usual(compiler, number, &at))
		return -1;
	for (; at < range->end; at = end) {
		struct gapp_rule rule = find_rule(compiler, range, at, &end);

		if (cfi_cancelled(compiler->cancel)) {
			errno = ECANCELED;
			return -1;
		}
		if (cfi_rows_add(&compiler->rows, at, end, &rule))
			return -1;
	}
	return 0;
}

static int compile(struct compiler *compiler, struct cfi_file *file, struct code_table *table)
{
	if (cfi_entries_read(&compiler->entries, file, compiler->cancel))
		return -1;
	for (u32 i = 0; i < compiler->entries.count; i++) {
		if (add_range(compiler, i))
			return -1;
	}
	table->data = cfi_rows_finish(&compiler->rows, file->arch, &table->bytes);
	if (table->data || !table->bytes)
		return 0;
	table->bytes = 0;
	return -1;
}

static int compile_file(struct code_table *table, struct cfi_file *file,
			const volatile bool *cancel)
{
	struct compiler compiler = { .arch = file->arch, .cancel = cancel };
	int result = compile(&compiler, file, table);
	int error = errno;

	cfi_rows_free(&compiler.rows);
	cfi_entries_free(&compiler.entries);
	errno = error;
	return result;
}

/* The file's segments become the table's. */
static void take_segments(struct code_table *table, struct cfi_file *file)
{
	table->segments = file->segments;
	table->segment_count = file->segment_count;
	file->segments = NULL;
	file->segment_count = 0;
}

int code_table_compile(struct code_table *table, int fd, const volatile bool *cancel)
{
	_cleanup_cfi_file_ struct cfi_file file;

	*table = (struct code_table){ 0 };
	if (cfi_file_read(&file, fd, cancel) || compile_file(table, &file, cancel))
		return -1;
	take_segments(table, &file);
	return 0;
}

/* False: what is kept does not tell which table is the file's, or has not got it. */
static bool get_by_stamp(struct code_table *table, const struct table_stamp *stamp)
{
	struct table_key key;

	if (!table_index_get(stamp, &key))
		return false;
	table->data = table_cache_get(&key, &table->bytes);
	return table->data;
}

/* Unless the file was changed while it was read: its build-id was before all else, and after. */
static void keep_stamp(const struct table_stamp *stamp, int fd, const struct cfi_file *file,
		       const struct table_key *key)
{
	struct table_stamp now;

	if (table_stamp_set(&now, fd, file) &&
	    !memcmp(now.digest, stamp->digest, sizeof(now.digest)))
		table_index_put(stamp, key);
}

/* Sets @stamp if it @stamped it. */
static bool find_by_stamp(struct code_table *table, int fd, struct table_stamp *stamp,
			  bool *stamped)
{
	_cleanup_cfi_file_ struct cfi_file head;

	*stamped = !cfi_file_read_head(&head, fd) && table_stamp_set(stamp, fd, &head);
	if (!*stamped || !get_by_stamp(table, stamp))
		return false;
	take_segments(table, &head);
	return true;
}

int code_table_get(struct code_table *table, int fd, const volatile bool *cancel)
{
	_cleanup_cfi_file_ struct cfi_file file = { 0 };
	struct table_stamp stamp;
	struct table_key key;
	bool stamped;

	*table = (struct code_table){ 0 };
	if (find_by_stamp(table, fd, &stamp, &stamped))
		return 0;
	if (cfi_file_read(&file, fd, cancel))
		return -1;
	table_key_set(&key, &file);
	table->data = table_cache_get(&key, &table->bytes);
	if (!table->data) {
		if (compile_file(table, &file, cancel))
			return -1;
		if (table->data)
			table_cache_put(&key, table->data, table->bytes);
	}
	take_segments(table, &file);
	if (stamped && table->data)
		keep_stamp(&stamp, fd, &file, &key);
	return 0;
}

void code_table_free(struct code_table *table)
{
	free(table->data);
	free(table->segments);
	*table = (struct code_table){ 0 };
}

bool code_table_bias(const struct code_table *table, u64 start, u64 offset, u64 *bias)
{
	u64 page = sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < table->segment_count; i++) {
		const struct code_segment *segment = &table->segments[i];
		/* whole pages are mapped */
		u64 before = segment->offset % page;

		if (offset - (segment->offset - before) >= segment->size + before)
			continue;
		*bias = start - (segment->address + (offset - segment->offset));
		return true;
	}
	return false;
}
