// SPDX-License-Identifier: GPL-2.0
#include "object.h"

#include "core/mix.h"

#define BUCKETS 4096

/**
 * struct entry - an object in the table
 * @object: what others see of it
 * @next: in its bucket
 * @hash: of all that makes it what it is
 * @holds: mappings of it
 * @kept: it stays, whoever holds it
 * @path: storage of @object.path
 */
struct entry {
	struct object object;
	struct entry *next;
	u64 hash;
	u64 holds;
	bool kept;
	char path[];
};

struct objects {
	struct entry *buckets[BUCKETS];
};

struct objects *objects_new(void)
{
	return calloc(1, sizeof(struct objects));
}

void objects_free(struct objects *objects)
{
	if (!objects)
		return;
	for (size_t i = 0; i < BUCKETS; i++) {
		while (objects->buckets[i]) {
			struct entry *entry = objects->buckets[i];

			objects->buckets[i] = entry->next;
			free(entry);
		}
	}
	free(objects);
}

static struct entry *entry_of(struct object *object)
{
	return (struct entry *)((char *)object - offsetof(struct entry, object));
}

static u64 hash_of(enum object_kind kind, const char *path, size_t len, dev_t dev, u64 inode)
{
	u64 hash = gapp_hash_add(kind, len);

	for (size_t i = 0; i < len; i += sizeof(u64)) {
		u64 word = 0;

		memcpy(&word, path + i, len - i < sizeof(word) ? len - i : sizeof(word));
		hash = gapp_hash_add(hash, word);
	}
	return gapp_hash_add(gapp_hash_add(hash, dev), inode);
}

static bool is_same(const struct object *object, enum object_kind kind, const char *path,
		    size_t len, dev_t dev, u64 inode)
{
	return object->kind == kind && object->dev == dev && object->inode == inode &&
	       !strncmp(object->path, path, len) && !object->path[len];
}

/* @path need not end behind its @len characters. */
static struct entry *find_or_make(struct objects *objects, enum object_kind kind, const char *path,
				  size_t len, dev_t dev, u64 inode, pid_t pid)
{
	u64 hash = hash_of(kind, path, len, dev, inode);
	struct entry **bucket = &objects->buckets[hash % BUCKETS], *entry;
	const char *slash;

	for (entry = *bucket; entry; entry = entry->next) {
		if (entry->hash != hash || !is_same(&entry->object, kind, path, len, dev, inode))
			continue;
		/* the one that came last is the likeliest to live still */
		entry->object.pid = pid;
		return entry;
	}

	entry = calloc(1, sizeof(*entry) + len + 1);
	if (!entry)
		return NULL;
	memcpy(entry->path, path, len);
	slash = kind == OBJECT_FILE ? strrchr(entry->path, '/') : NULL;
	entry->object = (struct object){
		.kind = kind,
		.path = entry->path,
		.name = slash && slash[1] ? slash + 1 : entry->path,
		.dev = dev,
		.inode = inode,
		.pid = pid,
		.first_pid = pid,
	};
	entry->hash = hash;
	entry->next = *bucket;
	*bucket = entry;
	return entry;
}

struct object *objects_get(struct objects *objects, enum object_kind kind, const char *path,
			   dev_t dev, u64 inode, pid_t pid)
{
	struct entry *entry = find_or_make(objects, kind, path, strlen(path), dev, inode, pid);

	if (!entry)
		return NULL;
	entry->kept = true;
	return &entry->object;
}

static bool begins_with(const char *path, const char *begin)
{
	return !strncmp(path, begin, strlen(begin));
}

/*
 * Length without the mark of a file that has been removed or replaced; such a one is still told
 * from the file that has its path now by its inode.
 */
static size_t length_in_life(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), mark = sizeof(deleted) - 1;

	if (len > mark && !strcmp(path + len - mark, deleted))
		return len - mark;
	return len;
}

/* The name of memory that is no file a symbol could come from; NULL: it is a file. */
static const char *anonymous_name(const char *path)
{
	/* files without a folder entry stand for memory: these are marked deleted from the first */
	bool deleted = path[length_in_life(path)];

	if (deleted && begins_with(path, "/memfd:"))
		return "[memfd]";
	if (deleted && begins_with(path, "/SYSV"))
		return "[shm]";
	if (begins_with(path, "/dev/zero") && strlen("/dev/zero") == length_in_life(path))
		return "[anon]";
	if (deleted && begins_with(path, "/anon_hugepage"))
		return "[anon]";
	/* but "//toolong" and "//enomem" are files whose path could not be given */
	if (path[0] == '/' && strcmp(path, "//anon"))
		return NULL;
	if (!strcmp(path, "[heap]"))
		return "[heap]";
	if (begins_with(path, "[stack"))
		return "[stack]";
	if (!strcmp(path, "[vsyscall]"))
		return "[vsyscall]";
	return "[anon]";
}

struct object *objects_hold(struct objects *objects, const char *path, dev_t dev, u64 inode,
			    pid_t pid)
{
	const char *anonymous = anonymous_name(path);
	struct entry *entry;

	if (!strcmp(path, "[vdso]"))
		entry = find_or_make(objects, OBJECT_VDSO, path, strlen(path), 0, 0, pid);
	else if (anonymous)
		entry = find_or_make(objects, OBJECT_ANONYMOUS, anonymous, strlen(anonymous), 0, 0,
				     pid);
	else
		entry = find_or_make(objects, OBJECT_FILE, path, length_in_life(path), dev, inode,
				     pid);
	if (!entry)
		return NULL;
	entry->holds++;
	return &entry->object;
}

void object_hold_again(struct object *object)
{
	entry_of(object)->holds++;
}

void object_keep(struct object *object)
{
	entry_of(object)->kept = true;
}

void objects_release(struct objects *objects, struct object *object)
{
	struct entry *entry = entry_of(object), **link;

	if (--entry->holds || entry->kept)
		return;
	link = &objects->buckets[entry->hash % BUCKETS];
	while (*link != entry)
		link = &(*link)->next;
	*link = entry->next;
	free(entry);
}
