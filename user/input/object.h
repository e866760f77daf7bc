/* SPDX-License-Identifier: GPL-2.0 */
/* What code is in: files that processes map, and the few things that are no file. */
#ifndef GAPP_READ_OBJECT_H
#define GAPP_READ_OBJECT_H

#include <sys/types.h>

#include "util/util.h"

enum object_kind {
	OBJECT_FILE,
	OBJECT_VDSO,
	OBJECT_ANONYMOUS, /* executable memory that is no file: generated code */
	OBJECT_UNKNOWN, /* nothing is known to be mapped there */
	OBJECT_KERNEL,
};

/**
 * struct object - one of them; the same file mapped by several processes is one object
 * @kind: enum object_kind
 * @path: the file's path as its process had it; "[vdso]" and the like for others
 * @name: last part of @path
 * @dev: device of the file
 * @inode: inode of the file
 * @pid: the last process that has mapped it: the file is found below /proc/PID/root while it lives
 * @first_pid: the first one, which may have outlived that
 * @symbols: what symbols.c knows of it, or NULL
 */
struct object {
	enum object_kind kind;
	char *path;
	const char *name;
	dev_t dev;
	u64 inode;
	pid_t pid;
	pid_t first_pid;
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

/* The object of that kind, path, device and inode; made when it is not there. NULL: no memory. */
struct object *objects_get(struct objects *objects, enum object_kind kind, const char *path,
			   dev_t dev, u64 inode, pid_t pid);

/*
 * Most of what a machine maps is never in a call path, so mappings only hold their objects: one
 * that nobody holds goes, unless objects_get() gave it or object_keep() was called for it.
 */

/* Holds what a mapping is, by its path as the kernel gives it. NULL: no memory. */
struct object *objects_hold(struct objects *objects, const char *path, dev_t dev, u64 inode,
			    pid_t pid);
void object_hold_again(struct object *object);
void objects_release(struct objects *objects, struct object *object);
void object_keep(struct object *object);

#endif /* GAPP_READ_OBJECT_H */
