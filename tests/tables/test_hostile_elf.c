// SPDX-License-Identifier: GPL-2.0
/* Files made to hurt: each compiles to a valid table or to none, soon, and with bounded memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "unwind-table/unwind_table.h"
#include "core/table.h"
#include "subject.h"

#define ROUNDS 1500
#define FLIPS 4
#define SECONDS_MAX 20
/* What the sanitizers let pass of the address space is not limited, so memory in use is. */
#define RESIDENT_KB_MAX (700L << 10)

#define SHARED "-shared"

static const char ordinary[] = FUNCTION(".cfi_def_cfa_offset 16\n.cfi_offset rbp, -16", "48")
	FUNCTION(".cfi_personality 0x1b, there\n.cfi_lsda 0x1b, there\n.cfi_def_cfa r10, 0", "48")
		FUNCTION(".cfi_escape 0x0f,3,0x76,0x78,6\n.cfi_remember_state\n.cfi_restore_state",
			 "48") FUNCTION(".cfi_signal_frame\n.cfi_escape 0x0f,4,0x77,0xa0,1,6",
					"48") "there: nop\n";

/* Compiles what may be anything, and looks at the answer. */
static void survives(int fd)
{
	u64 begin = clock_ns();
	struct unwind_table code;
	struct gapp_table table;
	u64 bias;

	if (!unwind_table_compile(&code, fd, NULL)) {
		if (code.data)
			assert_true(gapp_table_open(&table, code.data, code.bytes));
		unwind_table_bias(&code, 0x7f0000000000, 0x1000, &bias);
	}
	unwind_table_free(&code);
	assert_true(clock_ns() - begin < SECONDS_MAX * NSEC_PER_SEC);
}

static void is_small(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	assert_true(usage.ru_maxrss < RESIDENT_KB_MAX);
}

static void cut_short_anywhere(void **state)
{
	_cleanup_free_ u8 *bytes = NULL;
	int whole = subject_assemble(ordinary, SHARED);
	size_t size;

	(void)state;
	bytes = subject_read(whole, &size);
	close(whole);
	for (size_t cut = 0; cut < size; cut += cut < 4096 ? 7 : 97) {
		_cleanup_close_ int fd = subject_copy(bytes, cut);

		survives(fd);
	}
}

static void is_changed(u8 *bytes, size_t from, size_t to, unsigned int *seed)
{
	static const u8 nasty[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (int i = 0; i < FLIPS; i++) {
		u8 *at = bytes + from + rand_r(seed) % (to - from);

		if (rand_r(seed) % 2)
			*at = nasty[rand_r(seed) % ARRAY_SIZE(nasty)];
		else
			*at ^= 1 << rand_r(seed) % 8;
	}
}

/* Where the frames are in the file, and the end. */
static void find_frames(const u8 *bytes, size_t *from, size_t *to)
{
	const Elf64_Ehdr *head = (const void *)bytes;
	const Elf64_Shdr *sections = (const void *)(bytes + head->e_shoff);
	const char *names = (const char *)bytes + sections[head->e_shstrndx].sh_offset;

	for (int i = 0; i < head->e_shnum; i++) {
		if (!strcmp(names + sections[i].sh_name, ".eh_frame")) {
			*from = sections[i].sh_offset;
			*to = *from + sections[i].sh_size;
		}
	}
}

static void bytes_changed_anywhere(void **state)
{
	_cleanup_close_ int whole = subject_assemble(ordinary, SHARED);
	_cleanup_free_ u8 *bytes = NULL, *copy = NULL;
	size_t size, from = 0, to = 0;
	unsigned int seed = 1;

	(void)state;
	bytes = subject_read(whole, &size);
	copy = malloc(size);
	assert_non_null(copy);
	find_frames(bytes, &from, &to);
	assert_true(to > from);
	for (int round = 0; round < ROUNDS; round++) {
		int fd;

		memcpy(copy, bytes, size);
		/* the frames, the headers, the section headers */
		if (round % 3 == 0)
			is_changed(copy, from, to, &seed);
		else if (round % 3 == 1)
			is_changed(copy, 16, 64 + 10 * sizeof(Elf64_Phdr), &seed);
		else
			is_changed(copy, ((Elf64_Ehdr *)bytes)->e_shoff, size, &seed);
		fd = subject_copy(copy, size);
		survives(fd);
		close(fd);
	}
	is_small();
}

/* What libdw would take gigabytes for is NONE, and its neighbours are as ever. */
static void instructions_that_need_memory(void **state)
{
	static const char *const texts[] = {
		/* a register of which there are not so many */
		FUNCTION(".cfi_escape 5,0xff,0xff,0xff,0x3f,1", "56"),
		FUNCTION(".cfi_escape 0x10,0xff,0xff,0xff,0x3f,2,0x76,0", "56"),
		/* only bit 63 tells that it is not register 5 */
		FUNCTION("nop\n.cfi_escape 5,0x85,0x80,0x80,0x80,0x80,0x80,0x80,0x80,0x80,1,1",
			 "55"),
		/* remembers more than anyone can */
		FUNCTION(".rept 100000\n.cfi_remember_state\n.endr", "56"),
		/* too long */
		FUNCTION(".rept 600000\n.cfi_escape 0x2e,0\n.endr", "56"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_free_ char *text = NULL;
		_cleanup_close_ int fd = -1;
		struct gapp_table table;
		struct unwind_table code;

		assert_true(asprintf(&text, "%s%s%s", FUNCTION("", "56"), texts[i],
				     FUNCTION(".cfi_def_cfa_offset 40", "56")) > 0);
		fd = subject_assemble(text, SHARED " -Wl,--no-eh-frame-hdr 2>/dev/null");
		code = subject_table(fd, &table);
		assert_int_equal(gapp_table_find(&table, SUBJECT_CODE)->cfa_offset, 8);
		assert_int_equal(gapp_table_find(&table, SUBJECT_CODE + 64)->cfa, GAPP_CFA_NONE);
		assert_int_equal(gapp_table_find(&table, SUBJECT_CODE + 128)->cfa_offset, 40);
		unwind_table_free(&code);
	}
	is_small();
}

/* To step through it takes time in proportion to the square of its length: it is given up. */
static void function_with_a_row_at_every_byte(void **state)
{
	static const char text[] = ".cfi_startproc\n.rept 120000\nnop\n.cfi_def_cfa_offset 16\n"
				   "nop\n.cfi_def_cfa_offset 24\n.endr\n.cfi_endproc\n";
	_cleanup_close_ int fd = subject_assemble(text, SHARED);

	(void)state;
	survives(fd);
	is_small();
}

static void function_without_end(void **state)
{
	_cleanup_close_ int whole = subject_assemble(FUNCTION("", "56"), SHARED), fd = -1;
	_cleanup_free_ u8 *bytes = NULL;
	size_t size, from = 0, to = 0;
	struct gapp_table table;
	struct unwind_table code;

	(void)state;
	bytes = subject_read(whole, &size);
	find_frames(bytes, &from, &to);
	/* the common part has 20 bytes behind its length; its description's size is its fourth word
	 */
	assert_int_equal(*(u32 *)(bytes + from), 20);
	*(u32 *)(bytes + from + 24 + 12) = 0x7fffffff;
	fd = subject_copy(bytes, size);
	code = subject_table(fd, &table);
	assert_int_equal(gapp_table_find(&table, SUBJECT_CODE)->cfa_offset, 8);
	assert_true(code.data->pages <= GAPP_TABLE_MAX_PAGES);
	unwind_table_free(&code);
}

static void more_rules_than_a_table_has(void **state)
{
	static const char text[] = ".cfi_startproc\n.set i, 0\n.rept 5000\nnop\n.set i, i + 8\n"
				   ".cfi_def_cfa_offset 8 + i\n.endr\nnop\n.cfi_endproc\n";
	_cleanup_close_ int fd = subject_assemble(text, SHARED);
	struct gapp_table table;
	struct unwind_table code = subject_table(fd, &table);

	(void)state;
	assert_int_equal(code.data->rules, GAPP_TABLE_MAX_RULES);
	assert_int_equal(gapp_table_find(&table, SUBJECT_CODE + 1000)->cfa_offset, 8008);
	assert_int_equal(gapp_table_find(&table, SUBJECT_CODE + 4900)->cfa, GAPP_CFA_NONE);
	unwind_table_free(&code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_short_anywhere),
		cmocka_unit_test(bytes_changed_anywhere),
		cmocka_unit_test(instructions_that_need_memory),
		cmocka_unit_test(function_with_a_row_at_every_byte),
		cmocka_unit_test(function_without_end),
		cmocka_unit_test(more_rules_than_a_table_has),
	};
	int failed;

	subject_begin();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	subject_end();
	return failed;
}
