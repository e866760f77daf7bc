// SPDX-License-Identifier: GPL-2.0
#include "table_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "core/table.h"

const struct table_kind unwind_table_kind = { .prefix = "", .version = TABLE_COMPILER_VERSION };

#define ROOT_FOLDER "/var/cache"
#define PATH_SIZE 4096

#define MAGIC 0x3354435050414721ULL /* "!GAPPCT3" */
/* A file that changed this long ago gets another time at its next change, on any file system. */
#define FRESH_SECONDS 10

/* A use this long after the last one is noted, seconds; not each, for that changes the disk. */
#define NOTED_SECONDS 3600
/* Age, seconds, at which an unfinished file is removed: its writer must have died. */
#define UNFINISHED_SECONDS 3600
#define FILES_MAX 100000

/**
 * struct cached - begins each file; a table follows, or for a file of the index a struct table_key
 * @magic: MAGIC
 * @bytes: bytes of what follows
 * @digest: as in struct table_key
 * @hash: of the members before it and of what follows, to notice damage
 */
struct cached {
	u64 magic;
	u64 bytes;
	u8 digest[CFI_DIGEST_BYTES];
	u64 hash;
};

_Static_assert(sizeof(struct cached) == 56, "cached");

/**
 * struct found - a file in the cache
 * @used: when it was used last, to NOTED_SECONDS; nanoseconds of CLOCK_REALTIME
 * @bytes: bytes that it counts for
 * @name: its name in the folder
 */
struct found {
	s64 used;
	u64 bytes;
	char *name;
};

struct files {
	struct found *found;
	u32 count;
	u32 room;
	u64 bytes;
};

struct table_room table_cache_room = { .bytes = TABLE_CACHE_BYTES, .every = TABLE_TRIM_EVERY };

/* BLAKE2b, RFC 7693. */
#define ROUNDS 12
#define SCHEDULES 10
#define BLOCK_BYTES 128

/**
 * struct digest - a digest in the making
 * @state: of the blocks taken so far
 * @bytes: bytes in those blocks
 * @block: bytes that wait for the block to be full
 * @used: bytes in @block
 */
struct digest {
	u64 state[8];
	u64 bytes;
	u8 block[BLOCK_BYTES];
	size_t used;
};

/* Fractional parts of the square roots of the first eight primes. */
static const u64 initial[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

/* Which words of a block each step of a round takes. */
static const u8 schedule[SCHEDULES][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
	{ 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
	{ 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
	{ 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
	{ 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
	{ 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
	{ 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
	{ 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
	{ 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
};

static inline u64 rotate(u64 word, unsigned int right)
{
	return word >> right | word << (64 - right);
}

static inline void mix(u64 *a, u64 *b, u64 *c, u64 *d, u64 x, u64 y)
{
	*a += *b + x;
	*d = rotate(*d ^ *a, 32);
	*c += *d;
	*b = rotate(*b ^ *c, 24);
	*a += *b + y;
	*d = rotate(*d ^ *a, 16);
	*c += *d;
	*b = rotate(*b ^ *c, 63);
}

/* Without a loop, so that the compiler can keep the words of @v in registers. */
static inline void mix_all(u64 *v, const u64 *words, const u8 *order)
{
	/* columns */
	mix(&v[0], &v[4], &v[8], &v[12], words[order[0]], words[order[1]]);
	mix(&v[1], &v[5], &v[9], &v[13], words[order[2]], words[order[3]]);
	mix(&v[2], &v[6], &v[10], &v[14], words[order[4]], words[order[5]]);
	mix(&v[3], &v[7], &v[11], &v[15], words[order[6]], words[order[7]]);
	/* diagonals */
	mix(&v[0], &v[5], &v[10], &v[15], words[order[8]], words[order[9]]);
	mix(&v[1], &v[6], &v[11], &v[12], words[order[10]], words[order[11]]);
	mix(&v[2], &v[7], &v[8], &v[13], words[order[12]], words[order[13]]);
	mix(&v[3], &v[4], &v[9], &v[14], words[order[14]], words[order[15]]);
}

static void take_block(struct digest *digest, bool last)
{
	u64 v[16], words[16];

	digest->bytes += digest->used;
	digest->used = 0;
	memcpy(words, digest->block, sizeof(words));
	memcpy(v, digest->state, sizeof(digest->state));
	memcpy(v + 8, initial, sizeof(initial));
	v[12] ^= digest->bytes;
	if (last)
		v[14] = ~v[14];
	for (unsigned int round = 0; round < ROUNDS; round++)
		mix_all(v, words, schedule[round % SCHEDULES]);
	for (unsigned int i = 0; i < 8; i++)
		digest->state[i] ^= v[i] ^ v[i + 8];
}

/* A full block waits for more data, because the last block is marked as such. */
static void add_to_digest(struct digest *digest, const u8 *data, size_t size)
{
	while (size) {
		size_t part = BLOCK_BYTES - digest->used;

		if (!part) {
			take_block(digest, false);
			continue;
		}
		if (part > size)
			part = size;
		memcpy(digest->block + digest->used, data, part);
		digest->used += part;
		data += part;
		size -= part;
	}
}

void cfi_digest(u8 result[CFI_DIGEST_BYTES], const struct iovec *parts, size_t count)
{
	struct digest digest = { 0 };

	memcpy(digest.state, initial, sizeof(initial));
	/* BLAKE2b's parameter block: fanout 1, depth 1, no key, a digest of CFI_DIGEST_BYTES */
	digest.state[0] ^= 0x01010000 ^ CFI_DIGEST_BYTES;
	for (size_t i = 0; i < count; i++)
		add_to_digest(&digest, parts[i].iov_base, parts[i].iov_len);
	memset(digest.block + digest.used, 0, BLOCK_BYTES - digest.used);
	take_block(&digest, true);
	memcpy(result, digest.state, CFI_DIGEST_BYTES);
}

static void note_file(struct files *files, int folder, const char *name)
{
	struct stat stat;
	struct found found;

	if (fstatat(folder, name, &stat, AT_SYMLINK_NOFOLLOW) || !S_ISREG(stat.st_mode))
		return;
	if (!strncmp(name, TABLE_UNFINISHED, sizeof(TABLE_UNFINISHED) - 1)) {
		if (stat.st_mtim.tv_sec < time(NULL) - UNFINISHED_SECONDS)
			unlinkat(folder, name, 0);
		return;
	}
	found = (struct found){
		.used = stat.st_mtim.tv_sec * (s64)NSEC_PER_SEC + stat.st_mtim.tv_nsec,
		.bytes = stat.st_blocks * 512ULL,
	};
	/* some file systems report 0 blocks for a small file, but its name takes room, too */
	if (found.bytes < TABLE_FILE_LEAST)
		found.bytes = TABLE_FILE_LEAST;
	if (array_grow(&files->found, &files->room, files->count, sizeof(found)))
		return;
	found.name = strdup(name);
	if (!found.name)
		return;
	files->found[files->count++] = found;
	files->bytes += found.bytes;
}

static int by_use(const void *a, const void *b)
{
	const struct found *one = a, *other = b;

	return one->used < other->used ? -1 : one->used > other->used;
}

void table_trim(int folder, u64 limit)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	struct files files = { 0 };
	struct dirent *entry;

	if (!stream) {
		cleanup_close(&copy);
		return;
	}
	while (files.count < FILES_MAX && (entry = readdir(stream)))
		note_file(&files, folder, entry->d_name);
	if (files.count)
		qsort(files.found, files.count, sizeof(*files.found), by_use);
	for (u32 i = 0; i < files.count; i++) {
		if (files.bytes > limit && !unlinkat(folder, files.found[i].name, 0))
			files.bytes -= files.found[i].bytes;
		free(files.found[i].name);
	}
	free(files.found);
	closedir(stream);
}

/* Trims the cache now and then; a file of @bytes was just written to it. */
static void note_written(int folder, u64 bytes)
{
	struct table_room *room = &table_cache_room;
	u64 before, after;

	bytes = (bytes + TABLE_FILE_LEAST - 1) & -(u64)TABLE_FILE_LEAST;
	/* summing up all files takes time: once for the first file, then every so many bytes */
	before = __atomic_fetch_add(&room->written, bytes, __ATOMIC_RELAXED);
	after = before + bytes;
	if (!before || before / room->every != after / room->every)
		table_trim(folder, room->bytes - room->every);
}

/*
 * Returns the open file (S_IFREG) or folder (S_IFDIR) if only we or root can change it; else closes
 * it and returns -1. Groups may write if we are not root: on many machines each user has a group of
 * his own.
 */
static int keep_if_safe(int fd, mode_t type)
{
	mode_t others = geteuid() ? 002 : 022;
	struct stat stat;

	if (fd >= 0 && !fstat(fd, &stat) && (stat.st_mode & S_IFMT) == type &&
	    (stat.st_uid == geteuid() || !stat.st_uid) && !(stat.st_mode & others))
		return fd;
	cleanup_close(&fd);
	return -1;
}

static u64 hash_of(const struct cached *head, const void *body, size_t bytes)
{
	return hash_bytes(hash_bytes(0, head, offsetof(struct cached, hash)), body, bytes);
}

/* Writes the file under another name, and then renames it. */
int table_cache_put(int folder, const struct table_key *key, const void *body, size_t bytes)
{
	char unfinished[sizeof(TABLE_UNFINISHED) + 16];
	struct cached head = { .magic = MAGIC, .bytes = bytes };
	bool written;
	u64 number;
	int fd;

	if (bytes > TABLE_CACHE_BYTES - sizeof(head) ||
	    getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -1;
	memcpy(head.digest, key->digest, sizeof(head.digest));
	head.hash = hash_of(&head, body, bytes);
	snprintf(unfinished, sizeof(unfinished), TABLE_UNFINISHED "%016llx",
		 (unsigned long long)number);
	fd = openat(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	written = cfi_write(fd, &head, sizeof(head)) && cfi_write(fd, body, bytes);
	if (!close(fd) && written && !renameat(folder, unfinished, folder, key->name)) {
		note_written(folder, sizeof(head) + bytes);
		return 0;
	}
	unlinkat(folder, unfinished, 0);
	return -1;
}

static bool is_undamaged(const struct cached *head, const struct table_key *key, size_t bytes)
{
	return head->magic == MAGIC && head->bytes == bytes &&
	       !memcmp(head->digest, key->digest, sizeof(head->digest)) &&
	       head->hash == hash_of(head, head + 1, bytes);
}

/*
 * A file that is damaged, or that other users can write, is as if it were not there. Its owner
 * could change it while it is mapped; nobody but its owner and root can, and we only remove such
 * files and rename others over them.
 */
const void *table_cache_map(int folder, const struct table_key *key, size_t *bytes)
{
	_cleanup_close_ int fd = -1;
	struct cached *head;
	struct stat stat;

	fd = openat(folder, key->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	fd = keep_if_safe(fd, S_IFREG);
	if (fd < 0 || fstat(fd, &stat) || stat.st_size <= (off_t)sizeof(*head) ||
	    stat.st_size > (off_t)TABLE_CACHE_BYTES)
		return NULL;
	/* at once, because a page fault each would cost more than to read the file */
	head = mmap(NULL, stat.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (head == MAP_FAILED)
		return NULL;
	*bytes = stat.st_size - sizeof(*head);
	if (is_undamaged(head, key, *bytes)) {
		/* so that table_trim() removes others first */
		if (stat.st_mtim.tv_sec < time(NULL) - NOTED_SECONDS)
			futimens(fd, NULL);
		return head + 1;
	}
	munmap(head, stat.st_size);
	return NULL;
}

void table_cache_unmap(const void *data, size_t bytes)
{
	struct cached *head = (struct cached *)data - 1;

	munmap(head, sizeof(*head) + bytes);
}

static void print_hex(char *to, const u8 *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sprintf(to + 2 * i, "%02x", bytes[i]);
}

void table_key_name(struct table_key *key, const struct table_kind *kind,
		    const struct cfi_file *file)
{
	char *to = stpcpy(key->name, kind->prefix);

	print_hex(to, file->build_id, file->build_id_size);
	to += 2 * file->build_id_size;
	if (file->build_id_size)
		*to++ = '-';
	print_hex(to, key->digest, TABLE_NAME_DIGEST);
}

void table_key_set(struct table_key *key, const struct cfi_file *file)
{
	const struct {
		u32 version, arch;
		u64 is_eh, address, frames, segments, returns;
	} head = {
		.version = TABLE_COMPILER_VERSION,
		.arch = file->arch,
		.is_eh = file->is_eh,
		.address = file->frames_address,
		.frames = file->frames_size,
		.segments = file->segment_count,
		.returns = file->return_count,
	};
	const struct iovec parts[] = {
		{ GAPP_VERSION, sizeof(GAPP_VERSION) },
		{ (void *)&head, sizeof(head) },
		{ file->frames, file->frames_size },
		{ file->segments, file->segment_count * sizeof(*file->segments) },
		{ file->returns, file->return_count * sizeof(*file->returns) },
	};

	*key = (struct table_key){ 0 };
	cfi_digest(key->digest, parts, ARRAY_SIZE(parts));
	table_key_name(key, &unwind_table_kind, file);
}

/* Opens a folder in @in, and makes it first if it is missing. */
static int open_folder(int in, const char *name)
{
	if (mkdirat(in, name, 0700) && errno != EEXIST)
		return -1;
	return keep_if_safe(openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
			    S_IFDIR);
}

/* Opens the folder of all programs' caches. */
static int open_base(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char path[PATH_SIZE] = ROOT_FOLDER;

	if (geteuid()) {
		if (cache && cache[0] == '/')
			snprintf(path, sizeof(path), "%s", cache);
		else if (home && home[0] == '/')
			snprintf(path, sizeof(path), "%s/.cache", home);
		else
			return -1;
		/* only the last folder of the path is made */
		if (mkdir(path, 0700) && errno != EEXIST)
			return -1;
	}
	return keep_if_safe(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), S_IFDIR);
}

int table_cache_open(void)
{
	_cleanup_close_ int base = open_base();
	_cleanup_close_ int gapp = base < 0 ? -1 : open_folder(base, "gapp");

	return gapp < 0 ? -1 : open_folder(gapp, "tables");
}

bool table_cache_get(int folder, const struct table_key *key, struct unwind_table *table)
{
	const void *data = table_cache_map(folder, key, &table->bytes);

	if (!data)
		return false;
	if (!gapp_table_parts(&table->parts, data, table->bytes)) {
		table_cache_unmap(data, table->bytes);
		return false;
	}
	table->data = (struct gapp_table_head *)data;
	table->cached = true;
	return true;
}

static void set_stamp(struct table_key *stamp, const struct table_kind *kind,
		      const struct stat *stat, const struct cfi_file *file)
{
	u64 words[] = {
		stat->st_dev,	       stat->st_ino,	      stat->st_size,
		stat->st_mtim.tv_sec,  stat->st_mtim.tv_nsec, stat->st_ctim.tv_sec,
		stat->st_ctim.tv_nsec, kind->version,	      file->build_id_size,
	};
	const struct iovec parts[] = {
		{ GAPP_VERSION, sizeof(GAPP_VERSION) },
		{ words, sizeof(words) },
		{ (void *)file->build_id, file->build_id_size },
	};

	*stamp = (struct table_key){ 0 };
	cfi_digest(stamp->digest, parts, ARRAY_SIZE(parts));
	print_hex(stpcpy(stpcpy(stamp->name, kind->prefix), "file-"), stamp->digest,
		  sizeof(stamp->digest));
}

bool table_stamp_set(struct table_key *stamp, const struct table_kind *kind, int fd,
		     const struct cfi_file *file)
{
	struct stat stat;

	if (!file->build_id_size || fstat(fd, &stat) || !major(stat.st_dev) ||
	    stat.st_ctim.tv_sec > time(NULL) - FRESH_SECONDS)
		return false;
	set_stamp(stamp, kind, &stat, file);
	return true;
}

bool table_stamp_holds(const struct table_key *stamp, const struct table_kind *kind, int fd,
		       const struct cfi_file *file)
{
	struct table_key now;

	return table_stamp_set(&now, kind, fd, file) &&
	       !memcmp(now.digest, stamp->digest, sizeof(now.digest));
}

/* Whether the name has only characters that table_key_name() uses: no "/", so no other folder. */
static bool is_name(const struct table_key *key)
{
	size_t length = strnlen(key->name, sizeof(key->name));

	return length && length < sizeof(key->name) &&
	       strspn(key->name, "0123456789abcdefghijklmnopqrstuvwxyz-") == length;
}

bool table_index_get(int folder, const struct table_key *stamp, struct table_key *key)
{
	const void *body;
	size_t bytes;

	body = table_cache_map(folder, stamp, &bytes);
	if (!body)
		return false;
	if (bytes == sizeof(*key))
		memcpy(key, body, bytes);
	table_cache_unmap(body, bytes);
	return bytes == sizeof(*key) && is_name(key);
}
