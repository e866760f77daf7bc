// SPDX-License-Identifier: GPL-2.0
/*
 * Spin tables on disk, beside unwind tables. A file without a sure loop is kept as a head without
 * ranges, so that nobody looks for loops in it again.
 */
#include "spin_table.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "core/spin_table.h"
#include "spin/decoder.h"
#include "unwind-table/table_cache.h"

/* A larger file is looked at where it lies, and is kept only if it has a stamp. */
#define COPY_BYTES_MAX (32U << 20)
/* A larger file takes more than a millisecond to copy and digest. */
#define RECALL_BYTES_MAX (256U << 10)
/* Bytes to copy between two looks at whether the work is cancelled. */
#define COPY_AT_ONCE (16U << 20)

static const struct table_kind kind = { .prefix = "spins-", .version = SPINS_FINDER_VERSION };

/**
 * struct subject - a file whose table is asked for
 * @fd: the file
 * @folder: of the cache
 * @head: the file's build-id and machine
 * @stamped: @stamp is set
 * @stamp: leads to @key in the cache
 * @copy: a copy of the file; -1: none
 * @keyed: @key is set
 * @key: of the table
 *
 * The file's owner could change it between the digest and the search, and so make us keep a false
 * table of another file that has the digest. So both are of a copy, which nobody else can change.
 */
struct subject {
	int fd;
	int folder;
	struct cfi_file head;
	bool stamped;
	struct table_key stamp;
	int copy;
	bool keyed;
	struct table_key key;
};

static void subject_end(struct subject *subject)
{
	cleanup_close(&subject->copy);
	cleanup_close(&subject->folder);
	cfi_file_free(&subject->head);
}

static int subject_begin(struct subject *subject, int fd)
{
	*subject = (struct subject){ .fd = fd, .folder = table_cache_open(), .copy = -1 };
	if (cfi_file_read(&subject->head, fd, CFI_BUILD_ID, NULL))
		return -1;
	if (!machine_find(subject->head.machine)) {
		errno = ENOEXEC;
		return -1;
	}
	subject->stamped = table_stamp_set(&subject->stamp, &kind, fd, &subject->head);
	return 0;
}

/* Makes the copy. Returns 0, or -1 with errno set; EFBIG: the file has more than @most bytes. */
static int copy_subject(struct subject *subject, u64 most, const volatile bool *cancel)
{
	struct stat stat;
	ssize_t bytes = 1;
	u64 left;

	if (fstat(subject->fd, &stat))
		return -1;
	left = stat.st_size;
	if (left > most) {
		errno = EFBIG;
		return -1;
	}
	subject->copy = memfd_create("gapp", MFD_CLOEXEC);
	if (subject->copy < 0)
		return -1;
	for (off_t at = 0; left && bytes; left -= bytes) {
		if (is_cancelled(cancel)) {
			errno = ECANCELED;
			return -1;
		}
		bytes = sendfile(subject->copy, subject->fd, &at,
				 left < COPY_AT_ONCE ? left : COPY_AT_ONCE);
		if (bytes < 0)
			return -1;
	}
	return 0;
}

static void set_key(struct subject *subject, const void *bytes, size_t size)
{
	const u32 words[] = { kind.version, subject->head.arch };
	const struct iovec parts[] = {
		{ GAPP_VERSION, sizeof(GAPP_VERSION) },
		{ (void *)words, sizeof(words) },
		{ (void *)bytes, size },
	};

	subject->key = (struct table_key){ 0 };
	cfi_digest(subject->key.digest, parts, ARRAY_SIZE(parts));
	table_key_name(&subject->key, &kind, &subject->head);
	subject->keyed = true;
}

static int digest_copy(struct subject *subject)
{
	struct stat stat;
	void *bytes;

	if (fstat(subject->copy, &stat))
		return -1;
	bytes = mmap(NULL, stat.st_size, PROT_READ, MAP_PRIVATE, subject->copy, 0);
	if (bytes == MAP_FAILED)
		return -1;
	set_key(subject, bytes, stat.st_size);
	munmap(bytes, stat.st_size);
	return 0;
}

static struct gapp_spin_head head_without_ranges(enum gapp_arch arch)
{
	return (struct gapp_spin_head){ .magic = GAPP_SPIN_MAGIC,
					.version = GAPP_SPIN_VERSION,
					.arch = arch };
}

static bool is_without_ranges(const void *data, size_t bytes, enum gapp_arch arch)
{
	struct gapp_spin_head empty = head_without_ranges(arch);

	return bytes == sizeof(empty) && !memcmp(data, &empty, sizeof(empty));
}

/* Takes the table with @key from the cache. */
static bool take_kept(struct spin_table *table, const struct subject *subject)
{
	struct gapp_spin_table parts;
	const void *data;
	size_t bytes;
	bool empty;

	data = table_cache_map(subject->folder, &subject->key, &bytes);
	if (!data)
		return false;
	empty = is_without_ranges(data, bytes, subject->head.arch);
	if (!empty && gapp_spin_table_open(&parts, data, bytes)) {
		*table = (struct spin_table){ (struct gapp_spin_head *)data, bytes, true };
		if (table->data->arch == subject->head.arch)
			return true;
		*table = (struct spin_table){ 0 };
	}
	table_cache_unmap(data, bytes);
	return empty;
}

static bool take_by_stamp(struct spin_table *table, struct subject *subject)
{
	return subject->stamped &&
	       table_index_get(subject->folder, &subject->stamp, &subject->key) &&
	       take_kept(table, subject);
}

static bool take_by_digest(struct spin_table *table, struct subject *subject)
{
	return !digest_copy(subject) && take_kept(table, subject);
}

/* A stamp is of one file only, so what is kept for it alone harms no other file. */
static void set_key_of_stamp(struct subject *subject)
{
	set_key(subject, subject->stamp.digest, sizeof(subject->stamp.digest));
}

static void keep(const struct subject *subject, const struct spin_table *table)
{
	struct gapp_spin_head empty = head_without_ranges(subject->head.arch);

	table_cache_put(subject->folder, &subject->key, table->data ?: &empty,
			table->data ? table->bytes : sizeof(empty));
}

static void keep_index(const struct subject *subject)
{
	if (subject->stamped &&
	    table_stamp_holds(&subject->stamp, &kind, subject->fd, &subject->head))
		table_cache_put(subject->folder, &subject->stamp, &subject->key,
				sizeof(subject->key));
}

bool spin_table_recall(struct spin_table *table, int fd)
{
	_cleanup_(subject_end) struct subject subject;

	*table = (struct spin_table){ 0 };
	if (subject_begin(&subject, fd))
		return false;
	/* of a file that can have a stamp the index has it, if anybody has looked at the file */
	if (subject.stamped)
		return take_by_stamp(table, &subject);
	return !copy_subject(&subject, RECALL_BYTES_MAX, NULL) && take_by_digest(table, &subject);
}

int spin_table_find(struct spins *spins, int fd)
{
	_cleanup_(subject_end) struct subject subject;
	_cleanup_spin_table_ struct spin_table table = { 0 };

	if (subject_begin(&subject, fd) || copy_subject(&subject, COPY_BYTES_MAX, NULL) ||
	    digest_copy(&subject))
		return spins_find_until(spins, fd, true, NULL);
	if (spins_find_until(spins, subject.copy, true, NULL))
		return -1;
	if (!spin_table_make(&table, spins, subject.head.arch)) {
		keep(&subject, &table);
		keep_index(&subject);
	}
	return 0;
}

int spin_table_get(struct spin_table *table, int fd, bool complains, const volatile bool *cancel)
{
	_cleanup_(subject_end) struct subject subject;
	_cleanup_spins_ struct spins spins = { 0 };
	bool copied;

	*table = (struct spin_table){ 0 };
	if (subject_begin(&subject, fd))
		return -1;
	if (take_by_stamp(table, &subject))
		return 0;
	/* without a decoder there is nothing to keep either */
	if (!spins_can_find(subject.head.machine, complains)) {
		errno = ENOTSUP;
		return -1;
	}
	copied = !copy_subject(&subject, COPY_BYTES_MAX, cancel);
	if (!copied && errno != EFBIG)
		return -1;
	if (copied && take_by_digest(table, &subject)) {
		keep_index(&subject);
		return 0;
	}
	if (!copied && subject.stamped)
		set_key_of_stamp(&subject);
	if (spins_find_until(&spins, copied ? subject.copy : fd, complains, cancel) ||
	    spin_table_make(table, &spins, subject.head.arch))
		return -1;
	if (subject.keyed) {
		keep(&subject, table);
		keep_index(&subject);
	}
	return 0;
}
