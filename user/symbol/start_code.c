// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of stripped files, by their frame descriptions; and the functions of the C library that
 * begin programs and threads.
 */
#include "symbol_file.h"

/*
 * .eh_frame_hdr in the one form that linkers write: a version and three encodings, the address of
 * .eh_frame, the number of rows; then the rows, sorted: begin of a function, and its description.
 * Addresses are signed distances from the begin of .eh_frame_hdr.
 */
#define EH_COUNT 8
#define EH_ROWS 12
#define EH_ROW_SIZE 8
/* Offsets of a frame description's members, and its bytes. */
#define FDE_BEGIN 8
#define FDE_SIZE 12
#define FDE_BYTES 16

static const u8 eh_usual[] = { 1, 0x1b, 0x03, 0x3b };

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

/* The rows of the .eh_frame_hdr at @base, or NULL. */
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

/* Address of the frame description in row @i. */
static u64 row_description(const u8 *rows, u64 base, size_t i)
{
	return row_begin(rows + sizeof(s32), base, i);
}

/*
 * Bytes of the function at @begin by its description, in the one encoding that compilers use:
 * length, distance of the CIE, distance of the begin, size. 0: another encoding.
 */
static u32 described_size(const struct symbol_file *file, u64 description, u64 begin)
{
	const u8 *words = symbol_file_bytes(file, description, FDE_BYTES);
	s32 distance;
	u32 size;

	if (!words)
		return 0;
	memcpy(&distance, words + FDE_BEGIN, sizeof(distance));
	memcpy(&size, words + FDE_SIZE, sizeof(size));
	return description + FDE_BEGIN + distance == begin ? size : 0;
}

bool eh_range_find(const struct symbol_file *file, u64 address, struct eh_range *range)
{
	u64 base = eh_table_address(file);
	size_t low = 0, high;
	const u8 *rows;
	u32 count, size;

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
	if (!low)
		return false;
	range->begin = row_begin(rows, base, low - 1);
	size = described_size(file, row_description(rows, base, low - 1), range->begin);
	range->end = low < count ? row_begin(rows, base, low) : range->begin + size;
	/* code without a description may follow the function */
	return !size || address < range->begin + size;
}

#define START_CODE_MAX 64
#define FUNCTION_BYTES_MAX 65536
bool start_code_switches(const char *symbol)
{
	static const char *const names[] = { "runtime.systemstack", "runtime.asmcgocall",
					     "runtime.morestack" };
	size_t length = demangle_base_length(symbol);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t own = strlen(names[i]);

		if (length >= own && !memcmp(names[i], symbol, own) &&
		    (length == own || !strncmp(symbol + own, ".abi0", length - own)))
			return true;
	}
	return false;
}

/* Files in which a function of that name is start code. */
enum where {
	IN_LIBRARY, /* the C library */
	IN_STATIC, /* the C library, and programs that contain it */
	ANYWHERE,
};

#define NAMES_MAX 16

static const char *const names[][NAMES_MAX] = {
	[IN_LIBRARY] = { "thread_start", "clone" },
	[IN_STATIC] = {
		/* programs: glibc, musl */
		"_start_c", "__libc_start_main", "__libc_start_main_impl",
		"__libc_start_call_main", "generic_start_main", "libc_start_main_stage2",
		"_dl_start_user",
		/* threads */
		"start_thread", "__clone", "clone3", "__clone3", "__clone_internal",
	},
	[ANYWHERE] = {
		"_start",
		/* Go; its linker adds .abi0 to functions in assembler */
		"_rt0_amd64", "_rt0_amd64_linux", "runtime.rt0_go", "runtime.rt0_go.abi0",
		"runtime.goexit", "runtime.goexit.abi0", "runtime.mstart", "runtime.mstart.abi0",
		"runtime.mcall", "runtime.mcall.abi0", "runtime.clone", "runtime.clone.abi0",
	},
};

static bool begins_with(const char *name, const char *begin)
{
	return !strncmp(name, begin, strlen(begin));
}

bool start_code_is_c_library(const struct object *object)
{
	static const char *const begins[] = {
		"libc.",    "libc-2.", "libpthread.", "libpthread-2.",
		"ld-linux", "ld-musl", "ld-2.",	      "ld64.",
	};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		if (begins_with(object->name, begins[i]))
			return true;
	}
	return !strcmp(object->name, "ld.so") || begins_with(object->name, "ld.so.");
}

bool start_code_is_name(const struct symbol_file *file, const char *symbol)
{
	size_t length = demangle_base_length(symbol);
	size_t where = file->linked_statically ? IN_STATIC : ANYWHERE;

	if (start_code_is_c_library(file->object))
		where = IN_LIBRARY;
	for (; where < ARRAY_SIZE(names); where++)
		for (const char *const *name = names[where]; *name; name++)
			if (strlen(*name) == length && !memcmp(*name, symbol, length))
				return true;
	return false;
}

enum reference reference_find(const u8 *code, u64 address, u64 *target)
{
	enum reference reference = REFERENCE_NONE;
	size_t length = 5;
	s32 distance;

	if (code[0] == 0xe8)
		reference = REFERENCE_CALL;
	if (code[0] == 0xe9)
		reference = REFERENCE_JUMP;
	if ((code[0] == 0x48 || code[0] == 0x4c) && code[1] == 0x8d && (code[2] & 0xc7) == 0x05) {
		reference = REFERENCE_ADDRESS;
		length = 7;
	}
	memcpy(&distance, code + length - sizeof(distance), sizeof(distance));
	*target = address + length + distance;
	return reference;
}

/* Sets @range to the function that @code at @address refers to. False: no reference as @wanted. */
static bool function_referred_to(const struct symbol_file *file, const u8 *code, u64 address,
				 enum reference wanted, struct eh_range *range)
{
	u64 target;

	return reference_find(code, address, &target) == wanted &&
	       eh_range_find(file, target, range) && range->begin == target;
}

/* Notes the functions that a range refers to; @deeper: also those that its callees refer to. */
static void note_references(struct symbol_file *file, const struct eh_range *in,
			    enum reference wanted, bool deeper)
{
	struct eh_range to;
	const u8 *code;
	u64 size = in->end - in->begin;

	if (in->end <= in->begin || size > FUNCTION_BYTES_MAX)
		return;
	code = symbol_file_bytes(file, in->begin, size);
	for (u64 i = 0; code && i + REFERENCE_BYTES_MAX <= size; i++) {
		if (file->start_code_count < START_CODE_MAX &&
		    function_referred_to(file, code + i, in->begin + i, wanted, &to))
			file->start_code[file->start_code_count++] = to.begin;
		if (deeper &&
		    function_referred_to(file, code + i, in->begin + i, REFERENCE_CALL, &to))
			note_references(file, &to, wanted, false);
	}
}

/* Notes the functions that the function named @name refers to. */
static void note_references_of(struct symbol_file *file, const char *name, enum reference wanted,
			       bool deeper)
{
	const struct function *function = symtab_named(&file->symtab, name);
	struct eh_range range;

	if (!function)
		return;
	range = (struct eh_range){ function->begin, function->end };
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
	struct eh_range range;

	if (!file->x86_64)
		return false;
	if (!file->start_code_read) {
		read_start_code(file);
		file->start_code_read = true;
	}
	if (!eh_range_find(file, address, &range))
		return musl_start_is_at(file, address);
	for (size_t i = 0; i < file->start_code_count; i++) {
		if (file->start_code[i] == range.begin)
			return true;
	}
	return false;
}
