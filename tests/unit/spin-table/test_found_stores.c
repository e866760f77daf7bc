// SPDX-License-Identifier: GPL-2.0
/* What instructions store, and where: those below, found in this program's own file. */
#include "found_stores.h"
#include "spin-table/store_point.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef __x86_64__

#define NONE GAPP_SPIN_NO_REGISTER

/* Registers by their DWARF numbers. */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R12 = 12, R13, R15 = 15 };

/**
 * struct row - an instruction that stores
 * @code: as it is written below, in the same order
 * @wanted: what is found; without @scale there is no index
 */
struct row {
	const char *code;
	struct gapp_store_point wanted;
};

static const struct row rows[] = {
	{ "movb $5, (%rdi)", { .base = RDI, .bytes = 1, .how = GAPP_STORE_SETS, .number = 5 } },
	{ "movw $0x1234, (%rdi)",
	  { .base = RDI, .bytes = 2, .how = GAPP_STORE_SETS, .number = 0x1234 } },
	{ "movl $-1, 8(%rsi)",
	  { .base = RSI, .offset = 8, .bytes = 4, .how = GAPP_STORE_SETS, .number = -1 } },
	{ "movq $-2, -8(%rbp)",
	  { .base = RBP, .offset = -8ULL, .bytes = 8, .how = GAPP_STORE_SETS, .number = -2 } },
	{ "movl $0, (%rax)", { .base = RAX, .bytes = 4, .how = GAPP_STORE_SETS, .number = 0 } },
	{ "movb %sil, (%rdi)",
	  { .base = RDI, .bytes = 1, .how = GAPP_STORE_SETS, .with = RSI + 1 } },
	{ "movw %r9w, (%rdi)",
	  { .base = RDI, .bytes = 2, .how = GAPP_STORE_SETS, .with = R9 + 1 } },
	{ "movl %eax, (%rdi)",
	  { .base = RDI, .bytes = 4, .how = GAPP_STORE_SETS, .with = RAX + 1 } },
	{ "movq %r15, (%rsp)",
	  { .base = RSP, .bytes = 8, .how = GAPP_STORE_SETS, .with = R15 + 1 } },
	{ "movl %ebx, (%rdi,%rcx,4)",
	  { .base = RDI,
	    .index = RCX,
	    .scale = 4,
	    .bytes = 4,
	    .how = GAPP_STORE_SETS,
	    .with = RBX + 1 } },
	{ "movq %rdx, 0x12345678(%r12,%r13,8)",
	  { .base = R12,
	    .index = R13,
	    .scale = 8,
	    .offset = 0x12345678,
	    .bytes = 8,
	    .how = GAPP_STORE_SETS,
	    .with = RDX + 1 } },
	{ "movl %edx, -0x123(%r8,%rax)",
	  { .base = R8,
	    .index = RAX,
	    .scale = 1,
	    .offset = -0x123ULL,
	    .bytes = 4,
	    .how = GAPP_STORE_SETS,
	    .with = RDX + 1 } },
	{ "movb %al, 0x40(,%rdx,2)",
	  { .base = NONE,
	    .index = RDX,
	    .scale = 2,
	    .offset = 0x40,
	    .bytes = 1,
	    .how = GAPP_STORE_SETS,
	    .with = RAX + 1 } },
	{ "movl %ecx, 0x7ffff000",
	  { .base = NONE,
	    .offset = 0x7ffff000,
	    .bytes = 4,
	    .how = GAPP_STORE_SETS,
	    .with = RCX + 1 } },
	{ "movnti %eax, (%rdi)",
	  { .base = RDI, .bytes = 4, .how = GAPP_STORE_SETS, .with = RAX + 1 } },
	{ "xchgl %ecx, (%rdi)",
	  { .base = RDI, .bytes = 4, .how = GAPP_STORE_SETS, .with = RCX + 1 } },
	{ "xchgb %dl, 1(%rdi)",
	  { .base = RDI, .offset = 1, .bytes = 1, .how = GAPP_STORE_SETS, .with = RDX + 1 } },
	{ "xchgq %rax, (%r8)",
	  { .base = R8, .bytes = 8, .how = GAPP_STORE_SETS, .with = RAX + 1 } },
	{ "addl $3, (%rdi)", { .base = RDI, .bytes = 4, .how = GAPP_STORE_ADDS, .number = 3 } },
	{ "addq $-1, (%rdi)", { .base = RDI, .bytes = 8, .how = GAPP_STORE_ADDS, .number = -1 } },
	{ "addw %cx, (%rdi)",
	  { .base = RDI, .bytes = 2, .how = GAPP_STORE_ADDS, .with = RCX + 1 } },
	{ "subl $1, (%rdi)",
	  { .base = RDI, .bytes = 4, .how = GAPP_STORE_SUBTRACTS, .number = 1 } },
	{ "subq %rdx, (%rdi)",
	  { .base = RDI, .bytes = 8, .how = GAPP_STORE_SUBTRACTS, .with = RDX + 1 } },
	{ "andb $0x7f, (%rdi)",
	  { .base = RDI, .bytes = 1, .how = GAPP_STORE_ANDS, .number = 0x7f } },
	{ "xorl %eax, (%rdi)",
	  { .base = RDI, .bytes = 4, .how = GAPP_STORE_XORS, .with = RAX + 1 } },
};

/* They store nothing, or it is not known what, or where; in the same order as below. */
static const char *const others[] = {
	"movl (%rdi), %eax",
	"addl (%rdi), %eax",
	"cmpl $0, (%rdi)",
	"testl $1, (%rdi)",
	"movl $1, %eax",
	"leaq (%rdi), %rax",
	"lock addl $1, (%rdi)",
	"lock andl %eax, (%rdi)",
	"lock orl $0, (%rsp)",
	"lock xaddl %eax, (%rdi)",
	"xaddl %eax, (%rdi)",
	"lock cmpxchgl %ecx, (%rdi)",
	"cmpxchgl %ecx, (%rdi)",
	"lock btsl $0, (%rdi)",
	"btsl $0, (%rdi)",
	"incl (%rdi)",
	"lock decl (%rdi)",
	"orl $1, (%rdi)",
	"adcl $1, (%rdi)",
	"sbbl $1, (%rdi)",
	"negl (%rdi)",
	"notl (%rdi)",
	"shll $1, (%rdi)",
	"sete (%rdi)",
	"movss %xmm0, (%rdi)",
	"movq %xmm0, (%rdi)",
	"movd %xmm0, (%rdi)",
	"movups %xmm0, (%rdi)",
	"vmovdqu %ymm0, (%rdi)",
	"stosl",
	"movsb",
	"movl $0, %fs:0x10",
	"movq %rax, %gs:(%rdi)",
	"movb %ah, (%rdi)",
	"xchgb %dh, (%rdi)",
	"movbel %eax, (%rdi)",
	"movw %ds, (%rdi)",
	"pushq %rax",
	"nopl (%rdi)",
};

/* Nobody calls it. Behind it there is code of no function. */
static __attribute__((used)) void code(void)
{
	asm(".pushsection .text.stores, \"ax\", @progbits\n"
	    ".macro code insn:vararg\n"
	    "9:	\\insn\n"
	    "	.pushsection .data.rel.ro.code, \"aw\"\n"
	    "	.quad 9b\n"
	    "	.popsection\n"
	    ".endm\n"
	    ".pushsection .data.rel.ro.code, \"aw\"\n"
	    ".balign 8\n"
	    "code_stores:\n"
	    ".popsection\n"
	    ".type stores, @function\n"
	    "stores:\n"
	    "	code movb $5, (%rdi)\n"
	    "	code movw $0x1234, (%rdi)\n"
	    "	code movl $-1, 8(%rsi)\n"
	    "	code movq $-2, -8(%rbp)\n"
	    "	code movl $0, (%rax)\n"
	    "	code movb %sil, (%rdi)\n"
	    "	code movw %r9w, (%rdi)\n"
	    "	code movl %eax, (%rdi)\n"
	    "	code movq %r15, (%rsp)\n"
	    "	code movl %ebx, (%rdi,%rcx,4)\n"
	    "	code movq %rdx, 0x12345678(%r12,%r13,8)\n"
	    "	code movl %edx, -0x123(%r8,%rax)\n"
	    "	code movb %al, 0x40(,%rdx,2)\n"
	    "	code movl %ecx, 0x7ffff000\n"
	    "	code movnti %eax, (%rdi)\n"
	    "	code xchgl %ecx, (%rdi)\n"
	    "	code xchgb %dl, 1(%rdi)\n"
	    "	code xchgq %rax, (%r8)\n"
	    "	code addl $3, (%rdi)\n"
	    "	code addq $-1, (%rdi)\n"
	    "	code addw %cx, (%rdi)\n"
	    "	code subl $1, (%rdi)\n"
	    "	code subq %rdx, (%rdi)\n"
	    "	code andb $0x7f, (%rdi)\n"
	    "	code xorl %eax, (%rdi)\n"
	    ".pushsection .data.rel.ro.code\n"
	    "code_stores_end:\n"
	    "code_others:\n"
	    ".popsection\n"
	    "	code movl (%rdi), %eax\n"
	    "	code addl (%rdi), %eax\n"
	    "	code cmpl $0, (%rdi)\n"
	    "	code testl $1, (%rdi)\n"
	    "	code movl $1, %eax\n"
	    "	code leaq (%rdi), %rax\n"
	    "	code lock addl $1, (%rdi)\n"
	    "	code lock andl %eax, (%rdi)\n"
	    "	code lock orl $0, (%rsp)\n"
	    "	code lock xaddl %eax, (%rdi)\n"
	    "	code xaddl %eax, (%rdi)\n"
	    "	code lock cmpxchgl %ecx, (%rdi)\n"
	    "	code cmpxchgl %ecx, (%rdi)\n"
	    "	code lock btsl $0, (%rdi)\n"
	    "	code btsl $0, (%rdi)\n"
	    "	code incl (%rdi)\n"
	    "	code lock decl (%rdi)\n"
	    "	code orl $1, (%rdi)\n"
	    "	code adcl $1, (%rdi)\n"
	    "	code sbbl $1, (%rdi)\n"
	    "	code negl (%rdi)\n"
	    "	code notl (%rdi)\n"
	    "	code shll $1, (%rdi)\n"
	    "	code sete (%rdi)\n"
	    "	code movss %xmm0, (%rdi)\n"
	    "	code movq %xmm0, (%rdi)\n"
	    "	code movd %xmm0, (%rdi)\n"
	    "	code movups %xmm0, (%rdi)\n"
	    "	code vmovdqu %ymm0, (%rdi)\n"
	    "	code stosl\n"
	    "	code movsb\n"
	    "	code movl $0, %fs:0x10\n"
	    "	code movq %rax, %gs:(%rdi)\n"
	    "	code movb %ah, (%rdi)\n"
	    "	code xchgb %dh, (%rdi)\n"
	    "	code movbel %eax, (%rdi)\n"
	    "	code movw %ds, (%rdi)\n"
	    "	code pushq %rax\n"
	    "	code nopl (%rdi)\n"
	    ".pushsection .data.rel.ro.code\n"
	    "code_others_end:\n"
	    ".popsection\n"
	    "code_relative:\n"
	    "	movl $7, stored_word+8(%rip)\n"
	    "code_relative_register:\n"
	    "	movq %rax, stored_word-4(%rip)\n"
	    "code_end:\n"
	    "	ret\n"
	    ".size stores, . - stores\n"
	    ".skip 64, 0xcc\n"
	    "code_outside:\n"
	    "	movl $0, (%rdi)\n"
	    "	ret\n"
	    ".skip 64, 0xcc\n"
	    ".popsection\n");
}

u64 stored_word[4] asm("stored_word");

/* Where this program's file has the byte at @at. */
static u64 offset_of(const char *at)
{
	const u64 address = (u64)(uintptr_t)at;
	FILE *maps = fopen("/proc/self/maps", "re");
	u64 begin, end, offset, found = UINT64_MAX;
	char line[4096];

	assert_non_null(maps);
	while (found == UINT64_MAX && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx %*s %llx", &begin, &end, &offset) == 3 &&
		    address >= begin && address < end)
			found = address - begin + offset;
	fclose(maps);
	assert_int_not_equal(found, UINT64_MAX);
	return found;
}

static int find_offset(struct found_store *found, u64 offset)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), ret, error;

	assert_true(fd >= 0);
	ret = store_point_find(found, fd, offset);
	error = errno;
	close(fd);
	errno = error;
	return ret;
}

static int find(struct found_store *found, const char *at)
{
	return find_offset(found, offset_of(at));
}

/* As the module is asked for it, where the program has it in its memory. */
static bool place(struct gapp_store_point *point, const char *at)
{
	struct found_store found;

	if (find(&found, at))
		return false;
	store_point_place(point, &found, (u64)(uintptr_t)at);
	return true;
}

static bool is_same(const struct gapp_store_point *one, const struct gapp_store_point *other)
{
	const u64 bits = one->bytes == 8 ? UINT64_MAX : (1ULL << one->bytes * 8) - 1;

	return one->address == other->address && one->offset == other->offset &&
	       (((u64)one->number ^ (u64)other->number) & bits) == 0 && one->base == other->base &&
	       one->index == other->index && one->scale == other->scale &&
	       one->bytes == other->bytes && one->how == other->how && one->with == other->with;
}

static const char *code_of(const char *code)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].code, code))
			return code_stores[i];
	fail_msg("no row is %s", code);
	return NULL;
}

static void what_instructions_store(void **state)
{
	unsigned int wrong = 0;

	assert_int_equal(code_stores_end - code_stores, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct gapp_store_point wanted = rows[i].wanted, point;

		wanted.address = (u64)(uintptr_t)code_stores[i];
		if (!wanted.scale)
			wanted.index = NONE;
		if (!place(&point, code_stores[i]))
			print_message("# why: %s is not found\n", rows[i].code);
		else if (!is_same(&wanted, &point))
			print_message("# why: %s is another one\n", rows[i].code);
		else
			continue;
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void what_others_store_is_not_known(void **state)
{
	unsigned int wrong = 0;

	assert_int_equal(code_others_end - code_others, ARRAY_SIZE(others));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct found_store found;

		if (find(&found, code_others[i]) && errno == ENOENT)
			continue;
		print_message("# why: %s is found, or why not is %d\n", others[i], errno);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

/* Wherever the file is loaded, its word is as far from the instruction. */
static void a_word_of_the_file_moves_with_it(void **state)
{
	const char *absolute = code_of("movl %ecx, 0x7ffff000");
	struct gapp_store_point point, moved;
	struct found_store found;

	assert_true(place(&point, code_relative));
	assert_int_equal(point.base, NONE);
	assert_int_equal(point.index, NONE);
	assert_int_equal(point.scale, 0);
	assert_int_equal(point.offset, (u64)(uintptr_t)stored_word + 8);
	assert_int_equal(point.number, 7);
	assert_int_equal(point.with, 0);
	assert_true(place(&point, code_relative_register));
	assert_int_equal(point.offset, (u64)(uintptr_t)stored_word - 4);
	assert_int_equal(point.with, RAX + 1);
	assert_int_equal(find(&found, code_relative_register), 0);
	store_point_place(&moved, &found, (u64)(uintptr_t)code_relative_register + 0x5000);
	assert_int_equal(moved.address, point.address + 0x5000);
	assert_int_equal(moved.offset, point.offset + 0x5000);
	/* a word at an address of its own does not */
	assert_int_equal(find(&found, absolute), 0);
	store_point_place(&moved, &found, (u64)(uintptr_t)absolute + 0x5000);
	assert_int_equal(moved.offset, 0x7ffff000);
	assert_int_equal(moved.address, (u64)(uintptr_t)absolute + 0x5000);
}

/* A watch finds the last byte of the instruction, or any. */
static void any_byte_of_an_instruction_finds_it(void **state)
{
	const char *begin = code_of("movq %rdx, 0x12345678(%r12,%r13,8)");
	const char *end = code_of("movl %edx, -0x123(%r8,%rax)");
	struct gapp_store_point first, point;

	assert_true(place(&first, begin));
	assert_int_equal(first.address, (u64)(uintptr_t)begin);
	for (const char *at = begin; at < end; at++) {
		assert_true(place(&point, at));
		assert_memory_equal(&point, &first, sizeof(point));
	}
	assert_true(place(&point, end));
	assert_int_equal(point.address, (u64)(uintptr_t)end);
}

static void outside_all_functions_nothing_is_known(void **state)
{
	const u64 offsets[] = { offset_of(code_end), offset_of(code_outside), 1ULL << 40,
				UINT64_MAX };
	struct found_store found;

	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		assert_int_equal(find_offset(&found, offsets[i]), -1);
		assert_int_equal(errno, ENOENT);
	}
}

static void only_elf_files_are_looked_at(void **state)
{
	static const char text[4096] = "#!/bin/sh\n";
	int fd = memfd_create("text", MFD_CLOEXEC);
	struct found_store found;

	assert_true(fd >= 0);
	assert_int_equal(store_point_find(&found, fd, 0), -1);
	assert_int_equal(errno, ENOEXEC);
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	assert_int_equal(store_point_find(&found, fd, 0), -1);
	assert_int_equal(errno, ENOEXEC);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_instructions_store),
		cmocka_unit_test(what_others_store_is_not_known),
		cmocka_unit_test(a_word_of_the_file_moves_with_it),
		cmocka_unit_test(any_byte_of_an_instruction_finds_it),
		cmocka_unit_test(outside_all_functions_nothing_is_known),
		cmocka_unit_test(only_elf_files_are_looked_at),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("found_stores", tests, NULL, NULL);
}

#endif
