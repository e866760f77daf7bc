// SPDX-License-Identifier: GPL-2.0
#include "start_code.h"

#include "demangle.h"
#include "eh_range.h"

#define START_CODE_MAX 64
#define FUNCTION_BYTES_MAX 65536
/* Of the longest reference, below. */
#define REFERENCE_BYTES 7

/* Where a name tells what a function is. */
enum where {
	IN_LIBRARY, /* in the C library alone */
	IN_STATIC, /* in a program that has the library in it, too */
	ANYWHERE,
};

static const struct {
	const char *name;
	enum where where;
} names[] = {
	/* programs: glibc, musl */
	{ "_start", ANYWHERE },
	{ "_start_c", IN_STATIC },
	{ "__libc_start_main", IN_STATIC },
	{ "__libc_start_main_impl", IN_STATIC },
	{ "__libc_start_call_main", IN_STATIC },
	{ "generic_start_main", IN_STATIC },
	{ "libc_start_main_stage2", IN_STATIC },
	{ "_dl_start_user", IN_STATIC },
	/* threads */
	{ "start_thread", IN_STATIC },
	{ "thread_start", IN_LIBRARY },
	{ "clone", IN_LIBRARY },
	{ "__clone", IN_STATIC },
	{ "clone3", IN_STATIC },
	{ "__clone3", IN_STATIC },
	{ "__clone_internal", IN_STATIC },
};

static bool begins_with(const char *name, const char *begin)
{
	return !strncmp(name, begin, strlen(begin));
}

static bool is_c_library(const struct object *object)
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
	enum where most = ANYWHERE;

	if (is_c_library(file->object))
		most = IN_LIBRARY;
	else if (file->linked_statically)
		most = IN_STATIC;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].where >= most && strlen(names[i].name) == length &&
		    !memcmp(names[i].name, symbol, length))
			return true;
	}
	return false;
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
				 enum reference wanted, struct eh_range *range)
{
	size_t length;
	s32 distance;
	u64 target;

	if (reference_at(code, &length) != wanted)
		return false;
	memcpy(&distance, code + length - sizeof(distance), sizeof(distance));
	target = address + length + distance;
	return eh_range_find(file, target, range) && range->begin == target;
}

/* Notes the functions that the code in a range refers to; @deeper: that of those it calls, too. */
static void note_references(struct symbol_file *file, const struct eh_range *in,
			    enum reference wanted, bool deeper)
{
	struct eh_range to;
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
	if (!file->start_code_count || !eh_range_find(file, address, &range))
		return false;
	for (size_t i = 0; i < file->start_code_count; i++) {
		if (file->start_code[i] == range.begin)
			return true;
	}
	return false;
}
