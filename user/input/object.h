/* SPDX-License-Identifier: GPL-2.0 */
/* Objects: the files that processes map, which are opened here, and other executable memory. */
#ifndef GAPP_READ_OBJECT_H
#define GAPP_READ_OBJECT_H

#include <sys/types.h>

#include "build_id.h"
#include "generator.h"
#include "util/util.h"

enum object_kind {
	OBJECT_FILE,
	OBJECT_VDSO,
	OBJECT_ANONYMOUS, /* generated code, in memory that is no file */
	OBJECT_UNKNOWN, /* nothing is known to be mapped there */
	OBJECT_KERNEL,
};

/**
 * struct object - a file that is mapped by any number of processes, or other executable memory
 * @kind: enum object_kind
 * @path: the file's path as its process sees it; else a name such as "[vdso]"
 * @name: last part of @path
 * @dev: device of the file
 * @inode: inode of the file; of generated code its first address
 * @generator: the process that generated the code; NULL: it is no generated code
 * @pid: the last process that mapped it: the file is below /proc/PID/root as long as that lives
 * @first_pid: the first process that mapped it, which may live longer
 * @root: the root folder that @path is below; NULL: it is ours, or not known
 * @build_id: the file's when it was first read; of size 0 if it has none or was not read
 * @replaced: what is at @path now is another file, and the mapped one cannot be opened
 * @symbols: its symbols, or NULL; owned by symbol/
 */
struct object {
	enum object_kind kind;
	char *path;
	const char *name;
	dev_t dev;
	u64 inode;
	struct generator *generator;
	pid_t pid;
	pid_t first_pid;
	struct kept_root *root;
	struct build_id build_id;
	bool replaced;
	struct symbol_file *symbols;
};

/**
 * struct code_address - an address of code, independent of where a process has mapped it
 * @object: the object that it is in, never NULL
 * @offset: offset in the file for OBJECT_FILE and OBJECT_VDSO, else the address itself
 */
struct code_address {
	struct object *object;
	u64 offset;
};

struct objects;

struct objects *objects_new(void);
void objects_free(struct objects *objects);

/* Finds or makes an object that is no file, which then stays. NULL: no memory. */
struct object *objects_get(struct objects *objects, enum object_kind kind, const char *name);

/*
 * Most objects are never in a call path, so they are freed when no mapping holds them any more,
 * unless objects_get() or object_keep() was called for them.
 */

/* Finds or makes the object of a mapping, whose path the kernel gave. NULL: no memory. */
struct object *objects_hold(struct objects *objects, const char *path, dev_t dev, u64 inode,
			    pid_t pid);
/* Whether objects_hold_generated() is for a mapping of that path. */
bool object_is_generated(const char *path);
/* Whether the object is generated code, called as a mapping of that path. */
bool object_is_generated_as(const struct object *object, const char *path);
/*
 * Finds or makes the object of code that @generator has put to @start and behind it. NULL: no
 * memory.
 */
struct object *objects_hold_generated(struct objects *objects, const char *path, u64 start,
				      struct generator *generator);
void object_hold_again(struct object *object);
void objects_release(struct objects *objects, struct object *object);
void object_keep(struct object *object);

/*
 * The owner of a process controls its files, links and root folder. So only regular files are
 * opened, because opening a device or a pipe can have effects; and links below a process's root are
 * resolved below that root.
 */

/*
 * Opens the file of an OBJECT_FILE or OBJECT_VDSO: below the root of its process, also of one that
 * has ended, at its path, or through the process's mappings if it was deleted. -1: it cannot be
 * opened, or its path leads to another file by now.
 */
int elf_file_open(const struct object *object);

/* Whether its path leads to it for us, too. */
bool elf_file_is_ours(const struct object *object);

/* Whether elf_file_open() does not need the processes that map the file. */
bool elf_file_outlives(const struct object *object);

/*
 * Opens for reading the file that @found, an O_PATH descriptor, refers to. Returns -1 if @found is
 * -1, or the file is not regular, empty or too large.
 */
int elf_file_reopen(int found);

/* Opens any regular file by its absolute path; below the root of @pid, or ours if @pid is 0. */
int elf_file_open_path(pid_t pid, const char *path);

/* Opens any regular file by its absolute path below a folder; ours if @root is "". */
int elf_file_open_below(const char *root, const char *path);

/* Whether any file is at the object's path, as one of its processes sees it or saw it, or we. */
bool elf_file_is_there(const struct object *object);

/*
 * Opens a copy of the vDSO, the code that the kernel maps into every process. All processes of one
 * word size have the same vDSO. -1: the reader has no vDSO.
 */
int vdso_open(void);

#endif /* GAPP_READ_OBJECT_H */
