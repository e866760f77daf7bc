// SPDX-License-Identifier: GPL-2.0
#include "object.h"

#include "util/hash_index.h"

/**
 * struct entry - an object and who holds it
 * @object: what others see
 * @number: element of struct objects' @entries
 * @hash: of what identifies the object
 * @holds: mappings of the object
 * @kept: the object stays, even if nobody holds it
 * @rooted: @object.root is known
 * @path: storage of @object.path
 */
struct entry {
	struct object object;
	u32 number;
	u64 hash;
	u64 holds;
	bool kept;
	bool rooted;
	char path[];
};

/**
 * struct objects - all objects
 * @index: finds elements of @entries
 * @entries: without gaps, in no order
 * @room: elements that @entries has memory for
 */
struct objects {
	struct hash_index index;
	struct entry **entries;
	u32 room;
};

struct objects *objects_new(void)
{
	return calloc(1, sizeof(struct objects));
}

static void free_entry(struct entry *entry)
{
	if (entry) {
		generator_release(entry->object.generator);
		kept_root_release(entry->object.root);
	}
	free(entry);
}

void objects_free(struct objects *objects)
{
	if (!objects)
		return;
	for (u32 i = 0; i < objects->index.count; i++)
		free_entry(objects->entries[i]);
	hash_index_free(&objects->index);
	free(objects->entries);
	free(objects);
}

static struct entry *entry_of(struct object *object)
{
	return (struct entry *)((char *)object - offsetof(struct entry, object));
}

/* What identifies an object. No NUL need follow the @len characters of @path. */
struct key {
	enum object_kind kind;
	const char *path;
	size_t len;
	dev_t dev;
	u64 inode;
	struct generator *generator;
};

static bool is_same(const void *entries, u32 number, const void *with)
{
	const struct object *object = &((struct entry *const *)entries)[number]->object;
	const struct key *key = with;

	return object->kind == key->kind && object->dev == key->dev &&
	       object->inode == key->inode && object->generator == key->generator &&
	       !strncmp(object->path, key->path, key->len) && !object->path[key->len];
}

static struct entry *find_or_make(struct objects *objects, struct key key, pid_t pid)
{
	u64 hash = gapp_hash_add(gapp_hash_add(key.kind, key.dev), key.inode);
	struct entry *entry;
	const char *slash;
	u32 number;

	hash = gapp_hash_add(hash, (uintptr_t)key.generator);
	hash = hash_bytes(hash, key.path, key.len);
	number = hash_index_find(&objects->index, hash, is_same, objects->entries, &key);
	if (number != HASH_NONE) {
		/* the process that mapped it last is the likeliest to live still */
		objects->entries[number]->object.pid = pid;
		return objects->entries[number];
	}
	number = objects->index.count;
	if (array_grow(&objects->entries, &objects->room, number, sizeof(entry)))
		return NULL;
	entry = calloc(1, sizeof(*entry) + key.len + 1);
	if (!entry || hash_index_add(&objects->index, hash, number)) {
		free(entry);
		return NULL;
	}
	memcpy(entry->path, key.path, key.len);
	slash = key.kind == OBJECT_FILE ? strrchr(entry->path, '/') : NULL;
	entry->object = (struct object){
		.kind = key.kind,
		.path = entry->path,
		.name = slash && slash[1] ? slash + 1 : entry->path,
		.dev = key.dev,
		.inode = key.inode,
		.generator = key.generator ? generator_hold(key.generator) : NULL,
		.pid = pid,
		.first_pid = pid,
	};
	entry->hash = hash;
	entry->number = number;
	objects->entries[number] = entry;
	return entry;
}

struct object *objects_get(struct objects *objects, enum object_kind kind, const char *name)
{
	struct key key = { .kind = kind, .path = name, .len = strlen(name) };
	struct entry *entry = find_or_make(objects, key, 0);

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
 * Length of a path without the mark that the kernel adds when the file was removed or replaced.
 * The inode tells this file from the file that has the path now.
 */
static size_t length_in_life(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), mark = sizeof(deleted) - 1;

	if (len > mark && !strcmp(path + len - mark, deleted))
		return len - mark;
	return len;
}

/* Name of memory that maps no file with symbols; NULL: @path may be such a file. */
static const char *anonymous_name(const char *path)
{
	/* The kernel's files that stand for memory are in no folder, so they are marked deleted. */
	bool deleted = path[length_in_life(path)];

	if (deleted && begins_with(path, "/memfd:"))
		return "[memfd]";
	if (deleted && begins_with(path, "/SYSV"))
		return "[shm]";
	if (begins_with(path, "/dev/zero") && strlen("/dev/zero") == length_in_life(path))
		return "[anon]";
	if (deleted && begins_with(path, "/anon_hugepage"))
		return "[anon]";
	/* the kernel calls a file "//toolong" or "//enomem" when it cannot give the path */
	if (path[0] == '/' && strcmp(path, "//anon"))
		return NULL;
	if (begins_with(path, "[stack"))
		return "[stack]";
	return strcmp(path, "[heap]") && strcmp(path, "[vsyscall]") ? "[anon]" : path;
}

struct object *objects_hold(struct objects *objects, const char *path, dev_t dev, u64 inode,
			    pid_t pid)
{
	struct key key = { .kind = OBJECT_FILE, .path = path, .dev = dev, .inode = inode };
	const char *anonymous = anonymous_name(path);
	struct entry *entry;

	if (!strcmp(path, "[vdso]"))
		key = (struct key){ .kind = OBJECT_VDSO, .path = path };
	else if (anonymous)
		key = (struct key){ .kind = OBJECT_ANONYMOUS, .path = anonymous };
	key.len = key.kind == OBJECT_FILE ? length_in_life(path) : strlen(key.path);
	entry = find_or_make(objects, key, pid);
	if (!entry)
		return NULL;
	entry->holds++;
	if (key.kind == OBJECT_FILE && !entry->rooted && pid > 0)
		entry->rooted = !kept_root_find(pid, &entry->object.root);
	return &entry->object;
}

bool object_is_generated(const char *path)
{
	return anonymous_name(path) && strcmp(path, "[vdso]") && strcmp(path, "[vsyscall]");
}

bool object_is_generated_as(const struct object *object, const char *path)
{
	return object->generator && !strcmp(object->path, anonymous_name(path));
}

struct object *objects_hold_generated(struct objects *objects, const char *path, u64 start,
				      struct generator *generator)
{
	struct key key = {
		.kind = OBJECT_ANONYMOUS,
		.path = anonymous_name(path),
		.inode = start,
		.generator = generator,
	};
	struct entry *entry;

	key.len = strlen(key.path);
	entry = find_or_make(objects, key, generator->pid);
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
	struct entry *entry = entry_of(object), *last;
	u32 number = entry->number;

	if (--entry->holds || entry->kept)
		return;
	last = objects->entries[objects->index.count - 1];
	hash_index_renumber(&objects->index, entry->hash, number, HASH_NONE);
	if (last != entry) {
		hash_index_renumber(&objects->index, last->hash, last->number, number);
		objects->entries[number] = last;
		last->number = number;
	}
	free_entry(entry);
}
