// SPDX-License-Identifier: GPL-2.0
#include "start_code.h"

#include "demangle.h"

#define START_CODE_MAX 64
#define FUNCTION_BYTES_MAX 65536
/* Of the longest reference, below. */
#define REFERENCE_BYTES 7

static const char *const names[] = {
	/* programs: glibc, musl */
	"_start",
	"_start_c",
	"__libc_start_main",
	"__libc_start_main_impl",
	"__libc_start_call_main",
	"generic_start_main",
	"libc_start_main_stage2",
	"_dl_start_user",
	/* threads */
	"start_thread",
	"thread_start",
	"clone",
	"__clone",
	"clone3",
	"__clone3",
	"__clone_internal",
};

bool start_code_is_name(const char *symbol)
{
	size_t length = demangle_base_length(symbol);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) == length && !memcmp(names[i], symbol, length))
			return true;
	}
	return false;
}

/*
 * .eh_frame_hdr, in the one form that linkers write: version and three encodings, where .eh_frame
 * is, the number of rows; then, sorted, the begin of each function and of its frame description.
 * All but the number are signed, and from the begin of it all.
 */
#define EH_COUNT 8
#define EH_ROWS 12
#define EH_ROW_SIZE 8

static const u8 eh_usual[] = { 1, 0x1b, 0x03, 0x3b };

/**
 * struct range - addresses of a function
 * @begin: first
 * @end: where the next function begins
 */
struct range {
	u64 begin;
	u64 end;
};

static u64 eh_table_address(const struct symbol_file *file)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(file->module, &bias);
	GElf_Phdr segment;
	size_t count;

	if (!elf || elf_getphdrnum(elf, &count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_GNU_EH_FRAME)
			return segment.p_vaddr + bias;
	}
	return 0;
}

/* The rows of the table at @base, or NULL. */
static const u8 *eh_rows(const struct symbol_file *file, u64 base, u32 *count)
{
	const u8 *table = symbol_file_bytes(file, base, EH_ROWS);

	if (!base || !table || memcmp(table, eh_usual, sizeof(eh_usual)))
		return NULL;
	memcpy(count, table + EH_COUNT, sizeof(*count));
	table = symbol_file_bytes(file, base, EH_ROWS + (u64)*count * EH_ROW_SIZE);
	return table ? table + EH_ROWS : NULL;
}

static u64 row_begin(const u8 *rows, u64 base, size_t i)
{
	s32 distance;

	memcpy(&distance, rows + i * EH_ROW_SIZE, sizeof(distance));
	return base + distance;
}

/* The function at @address, by its frame description; the last of the file is not found. */
static bool function_range(const struct symbol_file *file, u64 address, struct range *range)
{
	u64 base = eh_table_address(file);
	size_t low = 0, high;
	const u8 *rows;
	u32 count;

	rows = eh_rows(file, base, &count);
	if (!rows)
		return false;
	for (high = count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (row_begin(rows, base, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || low == count)
		return false;
	range->begin = row_begin(rows, base, low - 1);
	range->end = row_begin(rows, base, low);
	return true;
}

/* What the code at an instruction may refer to. */
enum reference {
	REFERENCE_NONE,
	REFERENCE_CALL, /* call TARGET */
	REFERENCE_ADDRESS, /* lea TARGET(%rip), REGISTER */
};

/*
 * Taken at every byte, not only where an instruction begins: that some other bytes look like a
 * reference to the very begin of a function is next to impossible. @length: bytes of it.
 */
static enum reference reference_at(const u8 *code, size_t *length)
{
	*length = 5;
	if (code[0] == 0xe8)
		return REFERENCE_CALL;
	*length = REFERENCE_BYTES;
	if ((code[0] == 0x48 || code[0] == 0x4c) && code[1] == 0x8d && (code[2] & 0xc7) == 0x05)
		return REFERENCE_ADDRESS;
	return REFERENCE_NONE;
}

static void note(struct symbol_file *file, u64 begin)
{
	if (file->start_code_count < START_CODE_MAX)
		file->start_code[file->start_code_count++] = begin;
}

/* The function that @code, which is at @address, refers to in the way @wanted. */
static bool function_referred_to(const struct symbol_file *file, const u8 *code, u64 address,
				 enum reference wanted, struct range *range)
{
	size_t length;
	s32 distance;
	u64 target;

	if (reference_at(code, &length) != wanted)
		return false;
	memcpy(&distance, code + length - sizeof(distance), sizeof(distance));
	target = address + length + distance;
	return function_range(file, target, range) && range->begin == target;
}

/* Notes the functions that the code in a range refers to; @deeper: that of those it calls, too. */
static void note_references(struct symbol_file *file, const struct range *in, enum reference wanted,
			    bool deeper)
{
	struct range to;
	const u8 *code;
	u64 size = in->end - in->begin;

	if (in->end <= in->begin || size > FUNCTION_BYTES_MAX)
		return;
	code = symbol_file_bytes(file, in->begin, size);
	for (u64 i = 0; code && i + REFERENCE_BYTES <= size; i++) {
		if (function_referred_to(file, code + i, in->begin + i, wanted, &to))
			note(file, to.begin);
		if (deeper &&
		    function_referred_to(file, code + i, in->begin + i, REFERENCE_CALL, &to))
			note_references(file, &to, wanted, false);
	}
}

/* Likewise, of the function named @name, if there is one. */
static void note_references_of(struct symbol_file *file, const char *name, enum reference wanted,
			       bool deeper)
{
	const struct function *function = symtab_named(&file->symtab, name);
	struct range range;

	if (!function)
		return;
	range = (struct range){ function->begin, function->end };
	note_references(file, &range, wanted, deeper);
}

static void read_start_code(struct symbol_file *file)
{
	file->start_code = calloc(START_CODE_MAX, sizeof(*file->start_code));
	if (!file->start_code)
		return;
	note_references_of(file, "__libc_start_main", REFERENCE_CALL, false);
	note_references_of(file, "pthread_create", REFERENCE_ADDRESS, true);
}

bool start_code_is_at(struct symbol_file *file, u64 address)
{
	struct range range;

	if (!file->x86_64)
		return false;
	if (!file->start_code_read) {
		read_start_code(file);
		file->start_code_read = true;
	}
	if (!file->start_code_count || !function_range(file, address, &range))
		return false;
	for (size_t i = 0; i < file->start_code_count; i++) {
		if (file->start_code[i] == range.begin)
			return true;
	}
	return false;
}
