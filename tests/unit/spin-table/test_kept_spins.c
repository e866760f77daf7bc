// SPDX-License-Identifier: GPL-2.0
/* Spin tables on disk: kept, checked and found again, with a finder that is made up. */
#include "spin-table/spin_table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include <cmocka.h>

#include "core/spin_table.h"
#include "unwind-table/table_cache.h"

#define LARGE (5 << 20)
#define NOBODY 65534

static const struct table_kind kind = { "spins-", SPINS_FINDER_VERSION };
static char base[64];
static time_t later;

/**
 * struct finder - the finder
 * @begin: address of the loop that it finds; 0: none
 * @error: why it finds nothing, or 0
 * @calls: how often it was asked
 * @meanwhile: is called while it looks, or NULL
 */
static struct finder {
	u64 begin;
	int error;
	unsigned int calls;
	void (*meanwhile)(void);
} finder;

/* In place of libc's: how long files have been there is ours to say. */
time_t time(time_t *to)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (to)
		*to = now.tv_sec + later;
	return now.tv_sec + later;
}

/* In place of libc's: root's cache is that of the machine. */
uid_t geteuid(void)
{
	return NOBODY;
}

/* In place of libc's: as if all files but those in memory were on a disk. */
int fstat(int fd, struct stat *stat)
{
	int result = fstatat(fd, "", stat, AT_EMPTY_PATH);

	if (!result && !major(stat->st_dev) && stat->st_nlink)
		stat->st_dev = makedev(8, 1);
	return result;
}

/* In place of the real one. */
bool spins_can_find(u16 machine, bool complains)
{
	(void)machine;
	(void)complains;
	return finder.error != ENOTSUP;
}

/* In place of the real one. */
int spins_find_until(struct spins *spins, int fd, bool complains, const volatile bool *cancel)
{
	(void)fd;
	(void)complains;
	(void)cancel;
	finder.calls++;
	*spins = (struct spins){ 0 };
	if (finder.meanwhile)
		finder.meanwhile();
	if (finder.error) {
		errno = finder.error;
		return -1;
	}
	if (!finder.begin)
		return 0;
	spins->spins = calloc(1, sizeof(*spins->spins));
	assert_non_null(spins->spins);
	spins->count = 1;
	spins->spins->tier = SPIN_HIGH;
	spins->spins->ranges = calloc(1, sizeof(struct spin_range));
	assert_non_null(spins->spins->ranges);
	spins->spins->range_count = 1;
	*spins->spins->ranges = (struct spin_range){ finder.begin, finder.begin + 16 };
	return 0;
}

/* In place of the real one. */
void spins_free(struct spins *spins)
{
	if (spins->spins)
		free(spins->spins->ranges);
	free(spins->spins);
	*spins = (struct spins){ 0 };
}

/**
 * struct elf - a file with code and a build-id
 */
struct elf {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2];
	Elf64_Nhdr note;
	char name[4];
	u8 build_id[20];
	u8 code[64];
};

/* Writes the file, of @size bytes or more, whose code is that byte. */
static void write_elf(int fd, u16 machine, u8 code, size_t size)
{
	struct elf elf = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT },
			.e_type = ET_DYN,
			.e_machine = machine,
			.e_version = EV_CURRENT,
			.e_phoff = offsetof(struct elf, segments),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 2,
		},
		.segments = {
			{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = sizeof(elf) },
			{ .p_type = PT_NOTE, .p_offset = offsetof(struct elf, note),
			  .p_filesz = sizeof(elf.note) + sizeof(elf.name) + sizeof(elf.build_id) },
		},
		.note = { .n_namesz = sizeof(elf.name), .n_descsz = sizeof(elf.build_id),
			  .n_type = NT_GNU_BUILD_ID },
		.name = ELF_NOTE_GNU,
		.build_id = { 0xab, 0xcd },
	};

	memset(elf.code, code, sizeof(elf.code));
	assert_int_equal(pwrite(fd, &elf, sizeof(elf), 0), sizeof(elf));
	assert_int_equal(ftruncate(fd, size > sizeof(elf) ? size : sizeof(elf)), 0);
}

static int open_elf(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", base, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	return fd;
}

/* A file on a disk, which has a stamp once it is old enough. */
static int make_elf(u8 code)
{
	int fd = open_elf("elf");

	write_elf(fd, EM_X86_64, code, 0);
	return fd;
}

/* A file that never has a stamp. */
static int make_unstamped(u8 code, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	write_elf(fd, EM_X86_64, code, size);
	return fd;
}

static int open_cache(void)
{
	int folder = table_cache_open();

	assert_true(folder >= 0);
	return folder;
}

static void each_file(int folder, void (*call)(int folder, const char *name, void *context),
		      void *context)
{
	DIR *stream = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY));
	struct dirent *entry;

	assert_non_null(stream);
	while ((entry = readdir(stream)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "copy"))
			call(folder, entry->d_name, context);
	closedir(stream);
}

/* How many files there are in the cache: tables, and entries of the index. */
struct kept {
	unsigned int tables;
	unsigned int index;
	char table[256];
};

static void count_one(_unused_ int folder, const char *name, void *context)
{
	struct kept *kept = context;

	assert_false(strncmp(name, "spins-", 6));
	if (!strncmp(name, "spins-file-", 11)) {
		kept->index++;
		return;
	}
	kept->tables++;
	snprintf(kept->table, sizeof(kept->table), "%s", name);
}

static struct kept count_kept(void)
{
	_cleanup_close_ int folder = open_cache();
	struct kept kept = { 0 };

	each_file(folder, count_one, &kept);
	return kept;
}

/* Gets the table, which must have the one loop, or none. */
static bool get(int fd, u64 begin)
{
	_cleanup_spin_table_ struct spin_table table = { 0 };
	struct gapp_spin_table parts;

	assert_int_equal(spin_table_get(&table, fd, false, NULL), 0);
	assert_true(!table.data == !begin);
	if (!begin)
		return false;
	assert_true(gapp_spin_table_open(&parts, table.data, table.bytes));
	assert_int_equal(parts.count, 1);
	assert_true(parts.ranges->begin == begin);
	return table.cached;
}

/* False: the cache does not have it, or not soon. */
static bool recall(int fd, u64 begin)
{
	_cleanup_spin_table_ struct spin_table table = { 0 };

	if (!spin_table_recall(&table, fd)) {
		assert_null(table.data);
		return false;
	}
	assert_true(!table.data == !begin);
	assert_true(!begin || ((struct gapp_spin_range *)(table.data + 1))->begin == begin);
	return true;
}

static void looked_at_once(void **state)
{
	_cleanup_close_ int fd = make_elf(1);

	(void)state;
	later = 60;
	assert_false(recall(fd, 0x1000));
	assert_false(get(fd, 0x1000));
	assert_true(recall(fd, 0x1000));
	assert_true(get(fd, 0x1000));
	assert_int_equal(finder.calls, 1);
	assert_int_equal(count_kept().tables, 1);
	assert_int_equal(count_kept().index, 1);
	/* its name begins with the build-id, and is no name of an unwind table */
	assert_false(strncmp(count_kept().table, "spins-abcd0000", 14));
}

static void without_loops_is_kept_too(void **state)
{
	_cleanup_close_ int fd = make_elf(1);

	(void)state;
	later = 60;
	finder.begin = 0;
	get(fd, 0);
	assert_int_equal(finder.calls, 1);
	/* what would be found now */
	finder.begin = 0x1000;
	assert_true(recall(fd, 0));
	get(fd, 0);
	assert_int_equal(finder.calls, 1);
}

/* Without a stamp, a file is known by what is in it, as long as it is small. */
static void without_a_stamp(void **state)
{
	_cleanup_close_ int small = make_unstamped(1, 0), copy = make_unstamped(1, 0);
	_cleanup_close_ int large = make_unstamped(1, LARGE);
	_cleanup_close_ int on_disk = open_elf("large");

	(void)state;
	get(small, 0x1000);
	assert_true(recall(copy, 0x1000));
	assert_true(get(copy, 0x1000));
	assert_int_equal(count_kept().index, 0);
	get(large, 0x1000);
	assert_int_equal(finder.calls, 2);
	assert_false(recall(large, 0x1000));
	assert_true(get(large, 0x1000));
	assert_int_equal(finder.calls, 2);

	/* one that has a stamp is found by it at once */
	write_elf(on_disk, EM_X86_64, 1, LARGE);
	later = 60;
	assert_true(get(on_disk, 0x1000));
	assert_true(recall(on_disk, 0x1000));
	assert_int_equal(finder.calls, 2);
}

/* The build-id stays, so that nothing but the code tells. */
static void another_file_with_the_build_id(void **state)
{
	_cleanup_close_ int fd = make_elf(1);

	(void)state;
	later = 60;
	get(fd, 0x1000);
	finder.begin = 0x2000;
	write_elf(fd, EM_X86_64, 2, 0);
	assert_false(recall(fd, 0x2000));
	assert_false(get(fd, 0x2000));
	assert_int_equal(finder.calls, 2);
	assert_true(recall(fd, 0x2000));
	assert_int_equal(count_kept().tables, 2);
}

static void change_elf(void)
{
	_cleanup_close_ int fd = open_elf("elf");

	write_elf(fd, EM_X86_64, 2, 0);
	finder.meanwhile = NULL;
}

/* What was found is of the copy, so it is kept for what was in the copy. */
static void changed_while_it_is_looked_at(void **state)
{
	_cleanup_close_ int fd = make_elf(1), former = make_unstamped(1, 0);

	(void)state;
	later = 60;
	finder.meanwhile = change_elf;
	get(fd, 0x1000);
	assert_int_equal(count_kept().index, 0);
	finder.begin = 0x2000;
	assert_false(recall(fd, 0x2000));
	get(fd, 0x2000);
	assert_int_equal(finder.calls, 2);
	assert_true(recall(former, 0x1000));
}

static void write_file(int folder, const char *name, const void *bytes, size_t size)
{
	int fd;

	unlinkat(folder, name, 0);
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static void damage_is_noticed_and_mended(void **state)
{
	_cleanup_close_ int fd = make_elf(1), folder = open_cache(), file = -1;
	struct kept kept;
	u8 bytes[4096];
	ssize_t size;

	(void)state;
	later = 60;
	get(fd, 0x1000);
	kept = count_kept();
	file = openat(folder, kept.table, O_RDONLY);
	size = read(file, bytes, sizeof(bytes));
	assert_in_range(size, sizeof(struct gapp_spin_head), sizeof(bytes) - 1);
	for (ssize_t i = 0; i < size; i++) {
		bytes[i] ^= 0x10;
		write_file(folder, kept.table, bytes, size);
		assert_false(recall(fd, 0x1000));
		bytes[i] ^= 0x10;
		write_file(folder, kept.table, bytes, i);
		assert_false(recall(fd, 0x1000));
	}
	assert_false(get(fd, 0x1000));
	assert_int_equal(finder.calls, 2);
	assert_true(recall(fd, 0x1000));
}

struct two_ranges {
	struct gapp_spin_head head;
	struct gapp_spin_range ranges[2];
};

static const struct two_ranges good = {
	.head = { .magic = GAPP_SPIN_MAGIC,
		  .version = GAPP_SPIN_VERSION,
		  .arch = GAPP_ARCH_X86_64,
		  .ranges = 2 },
	.ranges = { { 0x1000, 16, 0 }, { 0x2000, 16, GAPP_SPIN_CALLS } },
};

/* Its sum is right, but the module would not take it, or it is of another machine. */
static void what_is_kept_must_be_a_table(void **state)
{
	_cleanup_cfi_file_ struct cfi_file head;
	_cleanup_close_ int fd = make_elf(1), folder = open_cache();
	struct table_key stamp, key;
	struct two_ranges body;

	(void)state;
	later = 60;
	get(fd, 0x1000);
	assert_int_equal(cfi_file_read(&head, fd, CFI_BUILD_ID, NULL), 0);
	assert_true(table_stamp_set(&stamp, &kind, fd, &head));
	assert_true(table_index_get(folder, &stamp, &key));
	for (int i = 0; i < 7; i++) {
		size_t bytes = sizeof(body);

		body = good;
		body.head.version += i == 1;
		body.head.arch = i == 2 ? GAPP_ARCH_AARCH64 : body.head.arch;
		body.ranges[1].begin -= i == 3 ? 0xff8 : 0;
		body.ranges[1].bytes = i == 4 ? 0 : 16;
		body.ranges[1].flags = i == 5 ? 8 : 0;
		if (i == 6) {
			/* no ranges, but of another machine */
			body.head.ranges = 0;
			body.head.arch = GAPP_ARCH_AARCH64;
			bytes = sizeof(body.head);
		}
		assert_int_equal(table_cache_put(folder, &key, &body, bytes), 0);
		assert_true(recall(fd, 0x1000) == !i);
	}
	get(fd, 0x1000);
	assert_int_equal(finder.calls, 2);
}

static void failures_are_not_kept(void **state)
{
	static const int errors[] = { ENOTSUP, ENOEXEC, ENOMEM, ECANCELED };
	_cleanup_close_ int fd = make_elf(1);
	struct spin_table table;
	bool cancel = true;

	(void)state;
	later = 60;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		finder.error = errors[i];
		assert_int_equal(spin_table_get(&table, fd, false, NULL), -1);
		assert_int_equal(errno, errors[i]);
		assert_null(table.data);
		assert_int_equal(count_kept().tables + count_kept().index, 0);
	}
	finder = (struct finder){ 0 };
	assert_int_equal(spin_table_get(&table, fd, false, &cancel), -1);
	assert_int_equal(errno, ECANCELED);
	/* no decoder is for it */
	write_elf(fd, EM_AARCH64, 1, 0);
	assert_int_equal(spin_table_get(&table, fd, false, NULL), -1);
	assert_int_equal(errno, ENOEXEC);
	assert_int_equal(finder.calls, 0);
}

static void remove_one(int folder, const char *name, _unused_ void *context)
{
	assert_int_equal(unlinkat(folder, name, 0), 0);
}

static int begin(void **state)
{
	_cleanup_close_ int folder = open_cache();

	(void)state;
	later = 0;
	finder = (struct finder){ .begin = 0x1000 };
	each_file(folder, remove_one, NULL);
	return 0;
}

#define TEST(function) cmocka_unit_test_setup(function, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(looked_at_once),
		TEST(without_loops_is_kept_too),
		TEST(without_a_stamp),
		TEST(another_file_with_the_build_id),
		TEST(changed_while_it_is_looked_at),
		TEST(damage_is_noticed_and_mended),
		TEST(what_is_kept_must_be_a_table),
		TEST(failures_are_not_kept),
	};
	char command[128];
	int failed;

	snprintf(base, sizeof(base), "/tmp/gapp-spins-XXXXXX");
	if (!mkdtemp(base))
		return 1;
	setenv("XDG_CACHE_HOME", base, 1);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = cmocka_run_group_tests_name("kept_spins", tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf '%s'", base);
	return system(command) || failed;
}
