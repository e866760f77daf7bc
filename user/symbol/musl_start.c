// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of musl that begin programs and threads. musl has no call frame information, and in
 * most programs no names either: so they are found by what refers to them.
 *
 * clone() is written in assembler. pthread_create() loads the address of the function that begins a
 * thread and calls clone(). From a program's entry a few calls and jumps lead to the one that calls
 * main(). Both functions hand on what the call returns: to pthread_exit(), and to exit().
 */
#include "symbol_file.h"

/* In the new thread: clears %rbp, calls the function, and exits with its result. */
static const u8 clone_end[] = { 0x31, 0xed, 0x5f, 0x41, 0xff, 0xd1, 0x89, 0xc7,
				0x31, 0xc0, 0xb0, 0x3c, 0x0f, 0x05, 0xf4 };
/* Bytes of that before the call returns. */
#define CLONE_RETURN 6
/* Its first instructions: the number of the system call. */
static const u8 clone_begin[] = { 0x31, 0xc0, 0xb0, 0x38 };
#define CLONE_BYTES_MAX 64

/* Bytes before a call of clone() in which the addresses of functions are loaded. */
#define ARGUMENT_BYTES 128
/* Bytes of the longest function on the way from a program's entry to main(). */
#define WAY_BYTES 512
/* Bytes of the entry, behind which other code may follow at once. */
#define ENTRY_BYTES 32
/* Calls and jumps from the entry to main(), in programs that relocate themselves too. */
#define WAY_LEVELS 5
/* Functions that are looked at on the way. */
#define WAY_MAX 512
/* Bytes of a function that begins a program or thread. */
#define BEGIN_BYTES 256
/* Bytes of the instruction that calls the function, and of those that hand on its result. */
#define CALL_BYTES 3
#define RESULT_BYTES 4

/* The segment with code at @address; NULL: none. */
static const struct segment *code_at(const struct symbol_file *file, u64 address)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct segment *segment = &file->segments[i];

		if (segment->executable && address >= segment->address &&
		    address - segment->address < segment->size)
			return segment;
	}
	return NULL;
}

static void note(struct symbol_file *file, u64 begin)
{
	for (size_t i = 0; i < file->musl_count; i++) {
		if (file->musl[i] == begin)
			return;
	}
	if (file->musl_count < MUSL_MAX && code_at(file, begin))
		file->musl[file->musl_count++] = begin;
}

/* Notes all functions whose addresses the @size bytes at @address load. */
static void note_loaded(struct symbol_file *file, const u8 *code, u64 address, u64 size)
{
	for (u64 i = 0; i + REFERENCE_BYTES_MAX <= size; i++) {
		u64 target;

		if (reference_find(code + i, address + i, &target) == REFERENCE_ADDRESS)
			note(file, target);
	}
}

/* Where clone() begins that ends at @end of the segment's bytes; the segment's size: nowhere. */
static u64 begin_of_clone(const u8 *code, u64 end, u64 size)
{
	for (u64 back = sizeof(clone_begin); back <= CLONE_BYTES_MAX && back <= end; back++) {
		if (!memcmp(code + end - back, clone_begin, sizeof(clone_begin)))
			return end - back;
	}
	return size;
}

/* Notes what the callers of the function at @clone load before they call it. */
static void note_of_callers(struct symbol_file *file, const struct segment *segment, const u8 *code,
			    u64 clone)
{
	for (u64 i = 0; i + REFERENCE_BYTES_MAX <= segment->size; i++) {
		u64 from = i > ARGUMENT_BYTES ? i - ARGUMENT_BYTES : 0, target;

		if (reference_find(code + i, segment->address + i, &target) == REFERENCE_CALL &&
		    target == clone)
			note_loaded(file, code + from, segment->address + from,
				    i - from + REFERENCE_BYTES_MAX);
	}
}

static void note_thread_starts(struct symbol_file *file, const struct segment *segment)
{
	const u8 *code = symbol_file_bytes(file, segment->address, segment->size);
	const u8 *end = code ? memmem(code, segment->size, clone_end, sizeof(clone_end)) : NULL;
	u64 begin;

	if (!end)
		return;
	file->musl_clone = segment->address + (end - code) + CLONE_RETURN;
	begin = begin_of_clone(code, end - code, segment->size);
	if (begin < segment->size)
		note_of_callers(file, segment, code, segment->address + begin);
}

/**
 * struct way - functions on the way from a program's entry
 * @at: their first addresses
 * @count: how many there are
 */
struct way {
	u64 at[WAY_MAX];
	size_t count;
};

static void go_on(struct way *way, u64 to)
{
	for (size_t i = 0; i < way->count; i++) {
		if (way->at[i] == to)
			return;
	}
	if (way->count < WAY_MAX)
		way->at[way->count++] = to;
}

/* Adds all that up to @size bytes at @address refer to; notes those that could call main(). */
static void look_around(struct symbol_file *file, struct way *way, u64 address, u64 size)
{
	const struct segment *segment = code_at(file, address);
	const u8 *code;

	if (!segment)
		return;
	if (size > segment->address + segment->size - address)
		size = segment->address + segment->size - address;
	code = symbol_file_bytes(file, address, size);
	for (u64 i = 0; code && i + REFERENCE_BYTES_MAX <= size; i++) {
		u64 target;
		enum reference reference = reference_find(code + i, address + i, &target);

		if (reference == REFERENCE_NONE || !code_at(file, target))
			continue;
		go_on(way, target);
		if (reference == REFERENCE_ADDRESS)
			note(file, target);
		/* nothing after it is reached */
		if (reference == REFERENCE_JUMP && target - address >= size)
			return;
	}
}

static void note_program_start(struct symbol_file *file)
{
	const struct function *named = symtab_named(&file->symtab, "__libc_start_main");
	u64 entry = named ? named->begin : file->entry;
	struct way way = { .count = 0 };
	size_t next = 0;

	if (!entry)
		return;
	go_on(&way, entry);
	for (int level = 0; level < WAY_LEVELS; level++) {
		for (size_t end = way.count; next < end; next++)
			look_around(file, &way, way.at[next],
				    next || named ? WAY_BYTES : ENTRY_BYTES);
	}
}

static void read_starts(struct symbol_file *file)
{
	file->musl = calloc(MUSL_MAX, sizeof(*file->musl));
	for (size_t i = 0; file->musl && i < file->segment_count; i++) {
		if (file->segments[i].executable && !file->musl_clone)
			note_thread_starts(file, &file->segments[i]);
	}
	/* without its clone() it is no musl */
	if (file->musl_clone)
		note_program_start(file);
}

/* call *%REGISTER, call *(%REGISTER), call *OFFSET(%REGISTER): the last bytes before @behind. */
static bool is_indirect_call(const u8 *behind)
{
	return (behind[-2] == 0xff && (behind[-1] & 0x38) == 0x10) ||
	       (behind[-3] == 0xff && (behind[-2] & 0xf8) == 0x50);
}

/* mov %rax, %rdi or mov %eax, %edi or movslq %eax, %rdi; then call TARGET. */
static bool hands_on(const u8 *code)
{
	static const u8 forms[][3] = { { 0x48, 0x89, 0xc7 }, { 0x48, 0x63, 0xf8 } };

	if (code[0] == 0x89 && code[1] == 0xc7 && code[2] == 0xe8)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (!memcmp(code, forms[i], sizeof(forms[i])) && code[3] == 0xe8)
			return true;
	}
	return false;
}

/* Whether @address is where a call returns that begins a program or thread. */
static bool begins_at(struct symbol_file *file, u64 address)
{
	const u8 *code = symbol_file_bytes(file, address - CALL_BYTES, CALL_BYTES + RESULT_BYTES);

	if (address == file->musl_clone)
		return true;
	if (!code || !is_indirect_call(code + CALL_BYTES) || !hands_on(code + CALL_BYTES))
		return false;
	for (size_t i = 0; i < file->musl_count; i++) {
		if (address > file->musl[i] && address - file->musl[i] < BEGIN_BYTES)
			return true;
	}
	return false;
}

bool musl_start_is_at(struct symbol_file *file, u64 address)
{
	struct eh_range range;

	if (!file->x86_64 || (!file->linked_statically && !start_code_is_c_library(file->object)) ||
	    eh_range_find(file, address, &range))
		return false;
	if (!file->musl_read) {
		read_starts(file);
		file->musl_read = true;
	}
	return file->musl && file->musl_clone && begins_at(file, address + 1);
}

bool musl_start_is_named(struct symbol_file *file, const char *symbol, u64 begin)
{
	if (strcmp(symbol, "start") && strcmp(symbol, "start_c11"))
		return false;
	for (u64 at = begin; at - begin < BEGIN_BYTES; at++) {
		if (musl_start_is_at(file, at))
			return true;
	}
	return false;
}
