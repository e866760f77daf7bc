// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of aarch64. The assembler of x86-64 writes the call frame information,
 * with the other machine's numbers of registers; then the file gets the other
 * machine's number. Where there is a compiler for it, its code is looked at too.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <dwarf.h>
#include <elfutils/libdw.h>

#include "unwind-table/unwind_table.h"
#include "core/table.h"
#include "subject.h"

#define BEGIN ".balign 64, 0x90\n.cfi_startproc simple\n.cfi_return_column 30\n.cfi_def_cfa 31, 0\n"
#define OURS(directives) BEGIN directives "\n.fill 56, 1, 0x90\n.cfi_endproc\n"

static const struct {
	const char *text;
	struct gapp_rule rule;
} kinds[] = {
	/* a leaf: its return address is in the link register */
	{ OURS(""), { .cfa = GAPP_CFA_SP, .ra = GAPP_RA_REGISTER, .number = 30 } },
	{ OURS(".cfi_def_cfa_offset 32\n.cfi_offset 29, -32\n.cfi_offset 30, -24"),
	  { .cfa = GAPP_CFA_SP,
	    .cfa_offset = 32,
	    .fp = GAPP_FP_CFA,
	    .fp_offset = -32,
	    .ra_offset = -24 } },
	{ OURS(".cfi_def_cfa 29, 32\n.cfi_offset 29, -32\n.cfi_offset 30, -24"),
	  { .cfa = GAPP_CFA_FP,
	    .cfa_offset = 32,
	    .fp = GAPP_FP_CFA,
	    .fp_offset = -32,
	    .ra_offset = -24 } },
	/* DW_CFA_AARCH64_negate_ra_state: the return address is signed */
	{ OURS(".cfi_escape 0x2d\n.cfi_def_cfa_offset 16\n.cfi_offset 30, -8"),
	  { .cfa = GAPP_CFA_SP, .cfa_offset = 16, .ra_offset = -8 } },
	{ OURS(".cfi_signal_frame\n.cfi_def_cfa 29, 0\n.cfi_offset 29, 0\n.cfi_offset 30, 8"),
	  { .cfa = GAPP_CFA_SIGNAL } },
	{ OURS(".cfi_undefined 30"), { .cfa = GAPP_CFA_END } },
	{ OURS(".cfi_def_cfa 9, 16\n.cfi_offset 30, -8"),
	  { .cfa = GAPP_CFA_REGISTER, .cfa_offset = 16, .number = 9, .ra_offset = -8 } },
	{ OURS(".cfi_register 30, 15"),
	  { .cfa = GAPP_CFA_SP, .ra = GAPP_RA_REGISTER, .number = 15 } },
	/* of x86-64 alone */
	{ OURS(".cfi_escape 0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22"),
	  { .cfa = GAPP_CFA_NONE } },
};

static int as_aarch64(int fd)
{
	_cleanup_free_ u8 *bytes = NULL;
	size_t size;

	bytes = subject_read(fd, &size);
	((Elf64_Ehdr *)bytes)->e_machine = EM_AARCH64;
	return subject_copy(bytes, size);
}

static void every_kind_of_rule(void **state)
{
	_cleanup_close_ int fd = -1, ours = -1;
	_cleanup_free_ char *text = NULL;
	struct gapp_table table;
	struct unwind_table code;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		fputs(kinds[i].text, stream);
	assert_int_equal(fclose(stream), 0);
	ours = subject_assemble(text, "-shared");
	fd = as_aarch64(ours);
	code = subject_table(fd, &table);
	assert_int_equal(table.arch, GAPP_ARCH_AARCH64);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct gapp_rule *rule = gapp_table_find(&table, SUBJECT_CODE + 64 * i);

		if (memcmp(rule, &kinds[i].rule, sizeof(*rule)))
			fail_msg("%zu: cfa %u %d fp %u %d ra %u %d number %u", i, rule->cfa,
				 rule->cfa_offset, rule->fp, rule->fp_offset, rule->ra,
				 rule->ra_offset, rule->number);
	}
	unwind_table_free(&code);
}

/* libdwfl, too, finds all registers where the kernel saves them. */
static void image_describes(int fd, u64 at)
{
	_cleanup_close_ int image = cfi_image_open(fd, NULL);
	bool is_signal = false;
	Dwarf_Frame *frame;
	Dwarf_CFI *cfi;
	Dwarf_Op space[3], *ops;
	size_t count;
	Elf *elf;

	assert_true(image >= 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(image, ELF_C_READ, NULL);
	cfi = dwarf_getcfi_elf(elf);
	assert_non_null(cfi);
	assert_int_equal(dwarf_cfi_addrframe(cfi, at - 1, &frame), 0);
	assert_int_equal(dwarf_frame_info(frame, NULL, NULL, &is_signal), 32);
	assert_true(is_signal);
	assert_int_equal(dwarf_frame_cfa(frame, &ops, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(ops[0].atom, DW_OP_breg31);
	assert_int_equal(ops[0].number, 312 + 31 * 8);
	assert_int_equal(ops[1].atom, DW_OP_deref);
	for (int i = 0; i <= 32; i++) {
		if (i == 31)
			continue;
		assert_int_equal(dwarf_frame_register(frame, i, space, &ops, &count), 0);
		assert_int_equal(count, 2);
		assert_int_equal(ops[1].atom, DW_OP_breg31);
		assert_int_equal(ops[1].number, 312 + i * 8);
	}
	free(frame);
	assert_int_equal(dwarf_cfi_addrframe(cfi, at - 2, &frame), -1);
	assert_int_equal(dwarf_cfi_addrframe(cfi, at + 9, &frame), -1);
	dwarf_cfi_end(cfi);
	elf_end(elf);
}

/* The vDSO's code that returns from signals, which has no description since Linux 5.8. */
static void returns_from_a_signal(const char *text)
{
	const u64 at = SUBJECT_CODE + 128;
	_cleanup_close_ int fd = -1, ours = subject_assemble(text, "-shared -nostdlib");
	struct gapp_table table;
	struct unwind_table code;

	fd = as_aarch64(ours);
	code = subject_table(fd, &table);
	assert_int_equal(gapp_table_find(&table, at - 2)->cfa, GAPP_CFA_GAP);
	assert_int_equal(gapp_table_find(&table, at - 1)->cfa, GAPP_CFA_SIGNAL);
	assert_int_equal(gapp_table_find(&table, at + 8)->cfa, GAPP_CFA_SIGNAL);
	assert_int_equal(gapp_table_find(&table, at + 9)->cfa, GAPP_CFA_GAP);
	unwind_table_free(&code);
	image_describes(fd, at);
}

#define RETURN ".4byte 0xd503201f, 0xd2801168, 0xd4000001\n.fill 64, 1, 0x90\n"

static void return_from_a_signal_by_its_code(void **state)
{
	(void)state;
	returns_from_a_signal(OURS("") ".balign 64, 0x90\n.fill 60, 1, 0x90\n" RETURN);
	/* the vDSO of newer kernels describes nothing */
	returns_from_a_signal(".fill 124, 1, 0x90\n" RETURN);
}

#define OPTIONS                                                        \
	"--target=aarch64-linux-gnu -O1 -fasynchronous-unwind-tables " \
	"-mbranch-protection=standard -nostdlib -shared -fuse-ld=lld"

/* Rules of @table, by how their return address is found. */
static void count_rules(const struct unwind_table *code, const struct gapp_table *table,
			unsigned int count[GAPP_RA_KINDS])
{
	for (u32 i = 0; i < code->data->rules; i++) {
		if (table->rules[i].cfa >= GAPP_CFA_SP)
			count[table->rules[i].ra]++;
	}
}

static void code_of_a_compiler(void **state)
{
	static const char text[] =
		"int g(int *); int leaf(int a) { return a + 1; }\n"
		"int f(int n) { int a[100]; a[n] = n; return g(a) + g(a + 1) + n; }\n";
	unsigned int count[GAPP_RA_KINDS] = { 0 };
	char command[512], path[64];
	struct gapp_table table;
	struct unwind_table code;
	FILE *pipe;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/aarch64.so", subject_folder());
	snprintf(command, sizeof(command), "clang " OPTIONS " -o %s -x c - 2>/dev/null", path);
	pipe = popen(command, "we");
	assert_non_null(pipe);
	fputs(text, pipe);
	if (pclose(pipe)) {
		printf("skipped: clang and lld for aarch64 are not there\n");
		skip();
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	code = subject_table(fd, &table);
	assert_int_equal(table.arch, GAPP_ARCH_AARCH64);
	count_rules(&code, &table, count);
	assert_true(count[GAPP_RA_CFA] >= 1);
	assert_true(count[GAPP_RA_REGISTER] >= 1);
	unwind_table_free(&code);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_rule),
		cmocka_unit_test(return_from_a_signal_by_its_code),
		cmocka_unit_test(code_of_a_compiler),
	};
	int failed;

	subject_begin();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	subject_end();
	return failed;
}
