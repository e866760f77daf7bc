// SPDX-License-Identifier: GPL-2.0
/* Names and lines of the kernel's functions, by a made-up kernel that KASLR has moved. */
#include "subject.h"

#include <elf.h>
#include <limits.h>
#include <sys/utsname.h>

#include "made_up.h"

#define SHIFT 0x12400000ULL
#define BUILD_ID "0123456789abcdef"
#define OTHER_ID "0123456789abcdee"
/* Where vmlinux is, below the root; %s: the release. */
#define DEBUG_PLACE "usr/lib/debug/boot/vmlinux-%s"

static struct object kernel = { .kind = OBJECT_KERNEL,
				.path = (char *)"[kernel]",
				.name = "[kernel]" };

static void link_kernel(const char *id)
{
	run("%s -g -O1 -ffreestanding -fno-pie -mcmodel=kernel -c kernel.c -o kernel.o",
	    getenv("CC") ? getenv("CC") : "gcc");
	run("ld -Ttext=0xffffffff81000000 --build-id=0x%s -e schedule kernel.o -o vmlinux 2>/dev/null",
	    id);
}

/* The running kernel's notes: another one comes before the build id. */
static void write_notes(void)
{
	static const u8 bytes[] = { 1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	const Elf64_Nhdr other = { .n_namesz = 6, .n_descsz = 5, .n_type = 1 };
	const Elf64_Nhdr id = { .n_namesz = 4,
				.n_descsz = sizeof(bytes),
				.n_type = NT_GNU_BUILD_ID };
	FILE *file = fopen("notes", "w");

	assert_non_null(file);
	fwrite(&other, sizeof(other), 1, file);
	fwrite("Linux\0\0\0"
	       "12345\0\0\0",
	       1, 16, file);
	fwrite(&id, sizeof(id), 1, file);
	fwrite("GNU", 1, 4, file);
	fwrite(bytes, 1, sizeof(bytes), file);
	fclose(file);
}

static void put_symbol(FILE *file, const char *name, u64 shift)
{
	fprintf(file, "%llx T %s\n", symbol_address("vmlinux", name) + shift, name);
}

static void write_kallsyms(u64 shift_of_read)
{
	FILE *file = fopen("kallsyms", "w");

	assert_non_null(file);
	put_symbol(file, "schedule", SHIFT);
	put_symbol(file, "filemap_read", SHIFT);
	put_symbol(file, "vfs_read", shift_of_read);
	fprintf(file, "ffffffffc0001000 t ext4_sync_file\t[ext4]\n");
	fprintf(file, "ffffffffc0002000 t ret_from_fork\t[kernel]\n");
	fclose(file);
}

static void install(const char *place)
{
	_cleanup_free_ char *path = NULL;
	struct utsname name;

	assert_int_equal(uname(&name), 0);
	assert_true(asprintf(&path, place, name.release) > 0);
	run("mkdir -p root/$(dirname %s) && cp vmlinux root/%s", path, path);
}

static struct symbols *begin(void)
{
	static char root[PATH_MAX + 8];
	const struct kernel_files files = { .root = root,
					    .kallsyms = "kallsyms",
					    .notes = "notes" };
	struct symbols *symbols = symbols_new(NULL);

	assert_non_null(symbols);
	assert_non_null(realpath(".", root));
	strcat(root, "/root");
	symbols_set_kernel_files(symbols, &files);
	return symbols;
}

/* Compares with addr2line, at each byte of a function. */
static void agrees(struct symbols *symbols, const char *function)
{
	u64 address = symbol_address("vmlinux", function), size = symbol_size("vmlinux", function);
	struct judged *judged = judge("vmlinux", address, size);

	for (u64 i = 0; i < size; i++) {
		const struct code_address code = { &kernel, address + i + SHIFT };
		const struct frame *frames;
		size_t count = symbols_frames(symbols, code, false, &frames);

		assert_int_equal(count, judged[i].count);
		for (size_t j = 0; j < count; j++) {
			assert_string_equal(frames[j].function, judged[i].names[j]);
			assert_int_equal(frames[j].line, judged[i].lines[j]);
			assert_true(frames[j].kernel);
			assert_string_equal(frames[j].module, "[kernel]");
		}
	}
	judged_drop(judged, size);
}

static const struct frame *outer_frame(struct symbols *symbols, u64 address)
{
	const struct code_address code = { &kernel, address };
	const struct frame *frames;
	size_t count = symbols_frames(symbols, code, false, &frames);

	assert_true(count > 0);
	return &frames[count - 1];
}

static bool any_line(struct symbols *symbols)
{
	return outer_frame(symbols, symbol_address("vmlinux", "schedule") + SHIFT)->file;
}

static void lines_are_those_of_vmlinux(void **state)
{
	struct symbols *symbols;

	(void)state;
	link_kernel(BUILD_ID);
	write_notes();
	write_kallsyms(SHIFT);
	install(DEBUG_PLACE);
	symbols = begin();
	agrees(symbols, "schedule");
	agrees(symbols, "vfs_read");
	agrees(symbols, "filemap_read");
	/* of a module there is a name */
	assert_string_equal(outer_frame(symbols, 0xffffffffc0001004)->function, "ext4_sync_file");
	assert_string_equal(outer_frame(symbols, 0xffffffffc0001004)->module, "[ext4]");
	assert_true(outer_frame(symbols, 0xffffffffc0001004)->kernel);
	assert_null(outer_frame(symbols, 0xffffffffc0001004)->file);
	assert_false(outer_frame(symbols, 0xffffffffc0001004)->outermost);
	assert_true(outer_frame(symbols, 0xffffffffc0002004)->outermost);
	symbols_free(symbols);
}

static void every_place_is_looked_at(void **state)
{
	static const char *const places[] = {
		DEBUG_PLACE,
		"usr/lib/debug/lib/modules/%s/vmlinux",
		"boot/vmlinux-%s",
		"lib/modules/%s/vmlinux",
		"lib/modules/%s/build/vmlinux",
	};

	(void)state;
	link_kernel(BUILD_ID);
	write_notes();
	write_kallsyms(SHIFT);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct symbols *symbols;

		run("rm -rf root");
		symbols = begin();
		assert_false(any_line(symbols));
		symbols_free(symbols);
		install(places[i]);
		symbols = begin();
		assert_true(any_line(symbols));
		symbols_free(symbols);
	}
}

/* No line is better than a wrong one. */
static void another_kernels_file_is_not_used(void **state)
{
	struct symbols *symbols;

	(void)state;
	run("rm -rf root");
	link_kernel(OTHER_ID);
	write_notes();
	write_kallsyms(SHIFT);
	install(DEBUG_PLACE);
	symbols = begin();
	assert_false(any_line(symbols));
	symbols_free(symbols);
	/* the right one in a later place */
	link_kernel(BUILD_ID);
	install("boot/vmlinux-%s");
	symbols = begin();
	assert_true(any_line(symbols));
	symbols_free(symbols);
	/* functions that do not lie as they do in the file */
	write_kallsyms(SHIFT + 16);
	symbols = begin();
	assert_false(any_line(symbols));
	assert_null(outer_frame(symbols, symbol_address("vmlinux", "vfs_read") + SHIFT + 16)->file);
	symbols_free(symbols);
}

static void notes_may_be_damaged(void **state)
{
	static const u32 damaged[][3] = {
		{ 0xffffffff, 8, NT_GNU_BUILD_ID },
		{ 4, 0xffffffff, NT_GNU_BUILD_ID },
		{ 4, 0, NT_GNU_BUILD_ID },
		{ 4, 8, 1 },
		{ 0, 0, 0 },
		{ 0xfffffffd, 0xfffffffd, 0 },
	};

	(void)state;
	run("rm -rf root");
	link_kernel(BUILD_ID);
	write_kallsyms(SHIFT);
	install(DEBUG_PLACE);
	for (size_t i = 0; i < ARRAY_SIZE(damaged); i++) {
		struct symbols *symbols;
		FILE *file = fopen("notes", "w");

		fwrite(damaged[i], sizeof(damaged[i]), 1, file);
		fwrite("GNU\0abcdefgh", 1, 12, file);
		fclose(file);
		symbols = begin();
		assert_false(any_line(symbols));
		symbols_free(symbols);
	}
	run("rm notes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_those_of_vmlinux),
		cmocka_unit_test(every_place_is_looked_at),
		cmocka_unit_test(another_kernels_file_is_not_used),
		cmocka_unit_test(notes_may_be_damaged),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("kernel_symbols", tests, subject_begin, subject_end);
}
