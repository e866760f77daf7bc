// SPDX-License-Identifier: GPL-2.0
/* Each kind of rule, from call frame information made by the assembler. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "unwind-table/cfi.h"
#include "core/table.h"
#include "subject.h"
#include "input/object.h"

/* Requests for memory until one finds none. */
static size_t memory = SIZE_MAX;

/* In place of libc's. */
void *reallocarray(void *old, size_t count, size_t size)
{
	if (memory--)
		return realloc(old, count * size);
	errno = ENOMEM;
	return NULL;
}

#define FUNCTION_BYTES 64
/* What functions here have, so that a small hole is between two. */
#define USUAL "56"

#define SHARED "-shared"

/**
 * struct expected - a function, and what its table must say
 * @text: directives
 * @rule: at its first byte
 */
struct expected {
	const char *text;
	struct gapp_rule rule;
};

#define SP(offset) .cfa = GAPP_CFA_SP, .cfa_offset = (offset)
#define RA .ra_offset = -8

static const struct expected kinds[] = {
	{ "", { SP(8), RA } },
	{ ".cfi_def_cfa_offset 100000", { SP(100000), RA } },
	{ ".cfi_def_cfa rbp, 16\n.cfi_offset rbp, -16",
	  { .cfa = GAPP_CFA_FP, .cfa_offset = 16, .fp = GAPP_FP_CFA, .fp_offset = -16, RA } },
	{ ".cfi_offset rip, -24", { SP(8), .ra_offset = -24 } },
	/* linkage tables, with their two forms */
	{ ".cfi_escape 0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22",
	  { .cfa = GAPP_CFA_PLT, .cfa_offset = 11, RA } },
	{ ".cfi_escape 0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x3a,0x2a,0x33,0x24,0x22",
	  { .cfa = GAPP_CFA_PLT, .cfa_offset = 10, RA } },
	/* the same with something else in it */
	{ ".cfi_escape 0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x3b,0x2a,0x32,0x24,0x22",
	  { .cfa = GAPP_CFA_NONE } },
	/* signals; and a function that is only marked as one's frame */
	{ ".cfi_signal_frame\n.cfi_escape 0x0f,4,0x77,0xa0,1,6\n.cfi_escape 0x10,6,3,0x77,0xf8,0\n"
	  ".cfi_escape 0x10,16,3,0x77,0xa8,1",
	  { .cfa = GAPP_CFA_SIGNAL } },
	{ ".cfi_signal_frame", { SP(8), RA } },
	/* a stack that was realigned */
	{ ".cfi_escape 0x0f,3,0x76,0x78,6\n.cfi_escape 0x10,6,2,0x76,0",
	  { .cfa = GAPP_CFA_DEREF_FP, .cfa_offset = (s32)0xfff80000, .fp = GAPP_FP_DEREF_FP, RA } },
	{ ".cfi_escape 0x0f,5,0x77,0x10,6,0x23,8",
	  { .cfa = GAPP_CFA_DEREF_SP, .cfa_offset = 16 << 16 | 8, RA } },
	{ ".cfi_escape 0x0f,5,0x77,0xc0,0xb8,2,6", { .cfa = GAPP_CFA_NONE } },
	/* other registers */
	{ ".cfi_def_cfa r10, 8", { .cfa = GAPP_CFA_REGISTER, .cfa_offset = 8, .number = 10, RA } },
	{ ".cfi_register rip, rdi", { SP(8), .ra = GAPP_RA_REGISTER, .number = 5 } },
	{ ".cfi_register rip, rsp", { .cfa = GAPP_CFA_NONE } },
	{ ".cfi_def_cfa r10, 8\n.cfi_register rip, rdi", { .cfa = GAPP_CFA_NONE } },
	{ ".cfi_def_cfa r10, 8\n.cfi_register rip, r10",
	  { .cfa = GAPP_CFA_REGISTER, .cfa_offset = 8, .ra = GAPP_RA_REGISTER, .number = 10 } },
	{ ".cfi_def_cfa 17, 8", { .cfa = GAPP_CFA_NONE } },
	{ ".cfi_undefined rip", { .cfa = GAPP_CFA_END } },
	/* rsp + r9 * 8 */
	{ ".cfi_escape 0x0f,7,0x77,0,0x79,0,0x38,0x1e,0x22", { .cfa = GAPP_CFA_NONE } },
	/* frame pointers */
	{ ".cfi_register rbp, rax", { SP(8), .fp = GAPP_FP_LOST, RA } },
	{ ".cfi_undefined rbp", { SP(8), .fp = GAPP_FP_LOST, RA } },
	{ ".cfi_def_cfa_offset 32\n.cfi_escape 0x10,6,2,0x77,8",
	  { SP(32), .fp = GAPP_FP_CFA, .fp_offset = -24, RA } },
	/* a pointer of two bytes (DW_EH_PE_udata2) before the encoding of addresses */
	{ ".cfi_personality 2, 0", { SP(8), RA } },
	/* rbp is saved 32 GiB below the CFA */
	{ ".cfi_escape 0x86,0x80,0x80,0x80,0x80,0x10", { SP(8), .fp = GAPP_FP_LOST, RA } },
	/* from an address 64 KiB below the operand on, which has 4 bytes (DW_CFA_set_loc) */
	{ ".cfi_escape 1,0,0,0xff,0xff\n.cfi_def_cfa_offset 24", { SP(24), RA } },
	/* more states than compilers remember; a state that nothing remembered */
	{ ".rept 9\n.cfi_remember_state\n.endr\n.cfi_def_cfa_offset 24", { SP(24), RA } },
	{ ".cfi_escape 0x0b", { .cfa = GAPP_CFA_NONE } },
	/* not an instruction */
	{ ".cfi_escape 0x3f", { .cfa = GAPP_CFA_NONE } },
};

static void is_rule(const struct gapp_rule *got, const struct gapp_rule *wanted, const char *what)
{
	if (memcmp(got, wanted, sizeof(*got)))
		fail_msg("%s: cfa %u %d fp %u %d ra %u %d number %u", what, got->cfa,
			 got->cfa_offset, got->fp, got->fp_offset, got->ra, got->ra_offset,
			 got->number);
}

static char *all_kinds(void)
{
	size_t size;
	char *text;
	FILE *stream = open_memstream(&text, &size);

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		fprintf(stream, FUNCTION("%s", USUAL), kinds[i].text);
	assert_int_equal(fclose(stream), 0);
	return text;
}

static void are_kinds(const struct gapp_table *table)
{
	u64 at = SUBJECT_CODE;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++, at += FUNCTION_BYTES) {
		is_rule(gapp_table_find(table, at), &kinds[i].rule, kinds[i].text);
		is_rule(gapp_table_find(table, at + 55), &kinds[i].rule, kinds[i].text);
		/* the hole behind it is small, but for that of the last */
		if (i + 1 < ARRAY_SIZE(kinds))
			is_rule(gapp_table_find(table, at + 63), &kinds[i].rule, "small hole");
	}
	assert_int_equal(gapp_table_find(table, at - 8)->cfa, GAPP_CFA_GAP);
}

static void every_kind_of_rule(void **state)
{
	_cleanup_free_ char *text = all_kinds();
	int fd = subject_assemble(text, SHARED);
	struct gapp_table table;
	struct unwind_table code = subject_table(fd, &table);

	(void)state;
	are_kinds(&table);
	unwind_table_free(&code);
	close(fd);
}

static void debug_frame_where_there_is_no_other(void **state)
{
	_cleanup_free_ char *text = all_kinds(), *both = NULL;
	int fd;
	struct gapp_table table;
	struct unwind_table code;

	(void)state;
	assert_true(asprintf(&both, ".cfi_sections .debug_frame\n%s", text) > 0);
	for (int packed = 0; packed < 2; packed++) {
		const struct gapp_rule usual = { SP(8), RA };

		fd = subject_assemble(both, packed ? SHARED " -Wl,--compress-debug-sections=zlib" :
						     SHARED);
		code = subject_table(fd, &table);
		is_rule(gapp_table_find(&table, SUBJECT_CODE), &usual, "first");
		is_rule(gapp_table_find(&table, SUBJECT_CODE + 2 * 64), &kinds[2].rule, "third");
		is_rule(gapp_table_find(&table, SUBJECT_CODE + 4 * 64), &kinds[4].rule, "fifth");
		unwind_table_free(&code);
		close(fd);
	}
}

/* Whether the file of these bytes has the table that the whole file has. */
static void is_table_of(const u8 *bytes, size_t size, const struct unwind_table *whole)
{
	_cleanup_close_ int fd = subject_copy(bytes, size);
	struct gapp_table table;
	struct unwind_table code = subject_table(fd, &table);

	assert_int_equal(code.bytes, whole->bytes);
	assert_memory_equal(code.data, whole->data, whole->bytes);
	unwind_table_free(&code);
}

static void the_same_without_sections(void **state)
{
	_cleanup_free_ char *text = all_kinds();
	_cleanup_close_ int fd = subject_assemble(text, SHARED);
	_cleanup_free_ u8 *bytes = NULL;
	struct unwind_table whole;
	struct gapp_table table;
	Elf64_Shdr *sections;
	Elf64_Ehdr *head;
	size_t size;

	(void)state;
	bytes = subject_read(fd, &size);
	whole = subject_table(fd, &table);
	head = (Elf64_Ehdr *)bytes;
	sections = (Elf64_Shdr *)(bytes + head->e_shoff);
	/* they have no names */
	sections[head->e_shstrndx].sh_type = SHT_PROGBITS;
	is_table_of(bytes, size, &whole);
	head->e_shstrndx = head->e_shnum;
	is_table_of(bytes, size, &whole);
	head->e_shoff = 0;
	head->e_shnum = 0;
	head->e_shstrndx = 0;
	is_table_of(bytes, size, &whole);
	unwind_table_free(&whole);
}

static void rules_of_one_function(void **state)
{
	static const char text[] =
		".cfi_startproc\npush %rbp\n.cfi_def_cfa_offset 16\n"
		".cfi_offset rbp, -16\nmov %rsp, %rbp\n.cfi_def_cfa_register rbp\n"
		".fill 20, 1, 0x90\npop %rbp\n.cfi_def_cfa rsp, 8\n"
		".cfi_restore rbp\nret\n.cfi_endproc\n";
	static const struct {
		u64 from;
		struct gapp_rule rule;
	} rows[] = {
		{ 0, { SP(8), RA } },
		{ 1, { SP(16), .fp = GAPP_FP_CFA, .fp_offset = -16, RA } },
		{ 4,
		  { .cfa = GAPP_CFA_FP,
		    .cfa_offset = 16,
		    .fp = GAPP_FP_CFA,
		    .fp_offset = -16,
		    RA } },
		{ 25, { SP(8), RA } },
		{ 26, { .cfa = GAPP_CFA_GAP } },
	};
	_cleanup_close_ int fd = subject_assemble(text, SHARED);
	struct gapp_table table;
	struct unwind_table code = subject_table(fd, &table);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		is_rule(gapp_table_find(&table, SUBJECT_CODE + rows[i].from), &rows[i].rule, "row");
		if (i)
			is_rule(gapp_table_find(&table, SUBJECT_CODE + rows[i].from - 1),
				&rows[i - 1].rule, "before a row");
	}
	assert_int_equal(code.data->rows, 5);
	assert_int_equal(code.data->rules, 5);
	unwind_table_free(&code);
}

static void holes(void **state)
{
	/* 15 bytes without a description, then 16, then an equal neighbour */
	static const char text[] = FUNCTION("", "49") FUNCTION(".cfi_def_cfa_offset 24", "48")
		FUNCTION(".cfi_def_cfa_offset 24", "64") FUNCTION(".cfi_def_cfa_offset 24", "64");
	_cleanup_close_ int fd = subject_assemble(text, SHARED);
	struct gapp_table table;
	struct unwind_table code = subject_table(fd, &table);

	(void)state;
	assert_int_equal(gapp_table_find(&table, SUBJECT_CODE + 63)->cfa_offset, 8);
	assert_int_equal(gapp_table_find(&table, SUBJECT_CODE + 64 + 47)->cfa_offset, 24);
	assert_int_equal(gapp_table_find(&table, SUBJECT_CODE + 64 + 48)->cfa, GAPP_CFA_GAP);
	assert_int_equal(gapp_table_find(&table, SUBJECT_CODE + 127)->cfa, GAPP_CFA_GAP);
	assert_int_equal(gapp_table_find(&table, SUBJECT_CODE + 128)->cfa_offset, 24);
	assert_int_equal(gapp_table_find(&table, SUBJECT_CODE - 1)->cfa, GAPP_CFA_GAP);
	assert_int_equal(code.data->rows, 5);
	unwind_table_free(&code);
}

static void functions_over_pages(void **state)
{
	static const char text[] = FUNCTION("", "200000")
		FUNCTION(".cfi_def_cfa_offset 24", "200000");
	_cleanup_close_ int fd = subject_assemble(text, SHARED);
	struct gapp_table table;
	struct unwind_table code = subject_table(fd, &table);

	(void)state;
	for (u64 at = SUBJECT_CODE; at < SUBJECT_CODE + 200000; at += 4096)
		assert_int_equal(gapp_table_find(&table, at)->cfa_offset, 8);
	for (u64 at = SUBJECT_CODE + 200000; at < SUBJECT_CODE + 400000; at += 4096)
		assert_int_equal(gapp_table_find(&table, at)->cfa_offset, 24);
	assert_int_equal(gapp_table_find(&table, SUBJECT_CODE + 65535)->cfa_offset, 8);
	assert_int_equal(gapp_table_find(&table, SUBJECT_CODE + 65536)->cfa_offset, 8);
	assert_int_equal(code.data->pages, 7);
	unwind_table_free(&code);
}

/* musl's restorer, which has no description. */
static void return_from_a_signal_by_its_code(void **state)
{
	static const char text[] =
		FUNCTION("", "40") ".balign 64, 0x90\nnop\nmov $15, %rax\nsyscall\n"
				   ".balign 64, 0x90\n" FUNCTION("mov $15, %rax\nsyscall", "40");
	const u64 at = SUBJECT_CODE + 64;
	_cleanup_close_ int fd = subject_assemble(text, SHARED), other = -1;
	struct gapp_table table;
	struct unwind_table code = subject_table(fd, &table);

	(void)state;
	assert_int_equal(gapp_table_find(&table, at - 1)->cfa, GAPP_CFA_GAP);
	assert_int_equal(gapp_table_find(&table, at)->cfa, GAPP_CFA_SIGNAL);
	assert_int_equal(gapp_table_find(&table, at + 9)->cfa, GAPP_CFA_SIGNAL);
	assert_int_equal(gapp_table_find(&table, at + 10)->cfa, GAPP_CFA_GAP);
	assert_int_equal(gapp_table_find(&table, at + 64)->cfa, GAPP_CFA_SP);
	unwind_table_free(&code);
	/* it is another file's */
	other = subject_assemble(text, SHARED " -Wl,--no-as-needed -lc");
	code = subject_table(other, &table);
	assert_int_equal(gapp_table_find(&table, at)->cfa, GAPP_CFA_GAP);
	unwind_table_free(&code);
}

/*
 * Each time another request finds no memory, until there are no more: half of the functions, or
 * none that return from a signal, would be no table of the file. So many functions fill what there
 * is room for.
 */
static void no_memory(void **state)
{
	static const char text[] =
		".rept 128\n" FUNCTION("", "56") ".endr\n"
						 ".balign 64, 0x90\nnop\nmov $15, %rax\nsyscall\n";
	_cleanup_close_ int fd = subject_assemble(text, SHARED);
	struct gapp_table table;
	struct unwind_table whole = subject_table(fd, &table);
	size_t failures = 0;
	bool starved = true;

	(void)state;
	assert_int_equal(gapp_table_find(&table, SUBJECT_CODE + 128 * 64 + 1)->cfa,
			 GAPP_CFA_SIGNAL);
	for (size_t requests = 0; starved; requests++) {
		struct unwind_table code;
		bool failed;

		memory = requests;
		failed = unwind_table_compile(&code, fd, NULL);
		starved = memory > requests;
		memory = SIZE_MAX;
		failures += failed;
		if (failed) {
			assert_int_equal(errno, ENOMEM);
			assert_null(code.data);
			continue;
		}
		assert_int_equal(code.bytes, whole.bytes);
		assert_memory_equal(code.data, whole.data, whole.bytes);
		unwind_table_free(&code);
	}
	assert_true(failures >= 3);
	unwind_table_free(&whole);
}

static void kernel_s_own_code(void **state)
{
	_cleanup_close_ int fd = vdso_open();
	struct gapp_table table;
	struct unwind_table code;

	(void)state;
	if (fd < 0) {
		printf("skipped: this kernel has no vdso\n");
		skip();
	}
	code = subject_table(fd, &table);
	assert_true(code.segment_count);
	assert_true(code.data->rules > 2);
	unwind_table_free(&code);
}

/* For libdwfl, which looks functions up in a sorted list. */
static void images_have_all_functions(void **state)
{
	static const char text[] = FUNCTION("", "64") FUNCTION(".cfi_def_cfa_offset 24", "64")
		FUNCTION("", "64") FUNCTION(".cfi_def_cfa_offset 24", "64");
	_cleanup_close_ int fd = subject_assemble(text, SHARED), image = cfi_image_open(fd, NULL);
	const struct gapp_rule odd = { SP(24), RA }, even = { SP(8), RA };
	Dwarf_Frame *frame;
	Dwarf_CFI *cfi;
	Elf *elf;

	(void)state;
	assert_true(image >= 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(image, ELF_C_READ, NULL);
	cfi = dwarf_getcfi_elf(elf);
	assert_non_null(cfi);
	for (u64 at = 0; at < 4 * 64; at += 21) {
		struct gapp_rule rule;

		assert_int_equal(dwarf_cfi_addrframe(cfi, SUBJECT_CODE + at, &frame), 0);
		rule = cfi_rule(frame, GAPP_ARCH_X86_64);
		is_rule(&rule, at / 64 % 2 ? &odd : &even, "image");
		free(frame);
	}
	assert_int_equal(dwarf_cfi_addrframe(cfi, SUBJECT_CODE - 1, &frame), -1);
	assert_int_equal(dwarf_cfi_addrframe(cfi, SUBJECT_CODE + 4 * 64, &frame), -1);
	dwarf_cfi_end(cfi);
	elf_end(elf);
}

static void bias_of_mappings(void **state)
{
	struct code_segment segments[] = { { 0x1234, 0x5000, 0x401234 },
					   { 0x9000, 0x800, 0x80a000 } };
	struct unwind_table code = { .segments = segments, .segment_count = 2 };
	u64 bias;

	(void)state;
	/* a mapping begins with a whole page, and may be a later part of a segment */
	assert_true(unwind_table_bias(&code, 0x7f0000001000, 0x1000, &bias));
	assert_int_equal(bias, 0x7f0000001000 - 0x401000);
	assert_true(unwind_table_bias(&code, 0x7f0000003000, 0x3000, &bias));
	assert_int_equal(bias, 0x7f0000001000 - 0x401000);
	assert_true(unwind_table_bias(&code, 0x80a000, 0x9000, &bias));
	assert_int_equal(bias, 0);
	assert_false(unwind_table_bias(&code, 0x7f0000001000, 0, &bias));
	assert_false(unwind_table_bias(&code, 0x7f0000001000, 0x8000, &bias));
	assert_false(unwind_table_bias(&code, 0x7f0000001000, 0x9800, &bias));
	assert_false(unwind_table_bias(&code, 0x7f0000001000, ~0ULL, &bias));
}

static void build_ids(void **state)
{
	static const u8 wanted[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	_cleanup_close_ int with =
		subject_assemble(FUNCTION("", "56"), SHARED " -Wl,--build-id=0x0102030405060708");
	_cleanup_close_ int without =
		subject_assemble(FUNCTION("", "56"), SHARED " -Wl,--build-id=none");
	struct cfi_file file;

	(void)state;
	assert_int_equal(cfi_file_read(&file, with, CFI_BUILD_ID, NULL), 0);
	assert_int_equal(file.build_id_size, sizeof(wanted));
	assert_memory_equal(file.build_id, wanted, sizeof(wanted));
	cfi_file_free(&file);
	assert_int_equal(cfi_file_read(&file, without, CFI_BUILD_ID, NULL), 0);
	assert_int_equal(file.build_id_size, 0);
	cfi_file_free(&file);
}

static void files_that_have_no_table(void **state)
{
	static const char bare[] = ".globl _start\n_start: nop\n";
	_cleanup_close_ int none = subject_assemble(bare, SHARED), text = -1, object = -1;
	const volatile bool cancelled = true;
	_cleanup_free_ char *kinds_text = all_kinds();
	_cleanup_close_ int full = subject_assemble(kinds_text, SHARED), many = -1;
	struct unwind_table code;
	struct cfi_file file;

	(void)state;
	assert_int_equal(unwind_table_compile(&code, none, NULL), 0);
	assert_null(code.data);
	assert_int_equal(code.bytes, 0);
	assert_int_equal(code.segment_count, 1);
	unwind_table_free(&code);

	text = subject_copy("#!/bin/sh\n", 10);
	assert_int_equal(unwind_table_compile(&code, text, NULL), -1);
	assert_int_equal(errno, ENOEXEC);
	object = subject_assemble(bare, "-r -Wl,--build-id=none");
	assert_int_equal(unwind_table_compile(&code, object, NULL), -1);
	assert_int_equal(errno, ENOEXEC);
	assert_int_equal(unwind_table_compile(&code, -1, NULL), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(unwind_table_compile(&code, full, &cancelled), -1);
	assert_int_equal(errno, ECANCELED);

	many = subject_assemble(".rept 1100\n" FUNCTION("", "56") ".endr", SHARED);
	assert_int_equal(cfi_file_read(&file, many, CFI_EH_FRAME, NULL), 0);
	errno = 0;
	assert_int_equal(cfi_entries_read(&file, &cancelled), -1);
	assert_int_equal(errno, ECANCELED);
	cfi_file_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_rule),
		cmocka_unit_test(debug_frame_where_there_is_no_other),
		cmocka_unit_test(the_same_without_sections),
		cmocka_unit_test(rules_of_one_function),
		cmocka_unit_test(holes),
		cmocka_unit_test(functions_over_pages),
		cmocka_unit_test(return_from_a_signal_by_its_code),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(kernel_s_own_code),
		cmocka_unit_test(images_have_all_functions),
		cmocka_unit_test(bias_of_mappings),
		cmocka_unit_test(build_ids),
		cmocka_unit_test(files_that_have_no_table),
	};
	int failed;

	subject_begin();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	subject_end();
	return failed;
}
