/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which code of a program is behind an address at which a thread enters the kernel: that is in the
 * C library, and the thread's call paths that begin at it know who called it.
 */
#ifndef GAPP_READ_ENTRY_PLACES_H
#define GAPP_READ_ENTRY_PLACES_H

#include "path_names.h"
#include "util/hash_index.h"

/* A thread, and the id of a call path of the profile. */
struct thread_path_key {
	s32 tid;
	s32 tgid;
	u32 path;
};

/**
 * struct thread_path - a call path on which slices of a thread ended
 * @slices: how many
 */
struct thread_path {
	struct thread_path_key key;
	u64 slices;
};

/* Paths of threads; beyond these many there is no room for another one. */
#define THREAD_PATHS_MAX 65536

struct thread_paths {
	KEYED(thread_path) paths;
};

void thread_paths_free(struct thread_paths *paths);
/* So many slices of a thread ended on a path. Returns 0, or -1 without memory. */
int thread_paths_add(struct thread_paths *paths, const struct thread_path_key *key, u64 slices);

struct entry_places;

/* @names: of the profile that @paths are of. NULL: no memory. */
struct entry_places *entry_places_new(const struct path_names *names,
				      const struct thread_paths *paths);
void entry_places_free(struct entry_places *places);

/*
 * The innermost own code on nearly all call paths of a thread that begin at @entry; NULL: there is
 * no such path, they differ, or @entry itself is own code.
 */
const struct frame *entry_places_find(const struct entry_places *places, s32 tgid, s32 tid,
				      struct code_address entry);

#endif /* GAPP_READ_ENTRY_PLACES_H */
