// SPDX-License-Identifier: GPL-2.0
/* Call paths that begin in the kernel and go on in the program that had entered it. */
#include "call_paths_private.h"

#define NO_USER 0xffffffffU

static u64 pair_hash(u32 kernel, const struct call_path *user)
{
	return gapp_hash_add(kernel, user ? user->id : NO_USER);
}

static bool same_pair(const void *list, u32 number, const void *with)
{
	const struct joined_path *joined = (const struct joined_path *)list + number, *pair = with;

	return joined->kernel == pair->kernel && joined->user == pair->user;
}

static void put_user(struct call_path *path, const struct call_path *user)
{
	path->flags = user->flags;
	path->method = user->method;
	path->cut = user->cut;
	path->unfinished = user->unfinished;
	path->count = path->kernel_count + user->count;
	memcpy(path->addresses + path->kernel_count, user->addresses,
	       user->count * sizeof(*user->addresses));
}

/* Makes the path in @paths->made. A user's path that is not known is cut at its begin. */
static void make(struct call_paths *paths, const struct raw_path *kernel,
		 const struct call_path *user)
{
	struct call_path *made = call_paths_make(paths, kernel);

	if (user)
		put_user(made, user);
	else
		made->flags = GAPP_PATH_KERNEL | GAPP_UNWIND_UNREADABLE;
}

/* Adds a pair. NULL: no memory. */
static const struct call_path *add(struct call_paths *paths, const struct joined_path *pair,
				   const struct raw_path *kernel)
{
	u64 hash = pair_hash(pair->kernel, pair->user);
	u32 number = paths->joined_index.count;
	struct call_path *path;

	if (array_grow(&paths->joined, &paths->joined_room, number, sizeof(*paths->joined)))
		return NULL;
	make(paths, kernel, pair->user);
	path = call_paths_add(paths, hash,
			      paths->made->unfinished ? kernel->count + GAPP_MAX_STACK :
							paths->made->count);
	if (!path || hash_index_add(&paths->joined_index, hash, number))
		return NULL;
	paths->joined[number] = *pair;
	paths->joined[number].path = path;
	return path;
}

const struct call_path *call_paths_join(struct call_paths *paths, u32 kernel,
					const struct call_path *user)
{
	const struct joined_path pair = { .kernel = kernel, .user = user };
	const struct call_path *path;
	struct raw_path raw = { 0 };
	u32 number;

	if (kernel & GAPP_PATH_COPY)
		return user;
	number = hash_index_find(&paths->joined_index, pair_hash(kernel, user), same_pair,
				 paths->joined, &pair);
	if (number != HASH_NONE)
		return paths->joined[number].path;
	if (paths->joined_index.count >= JOINED_MAX)
		return user;
	call_paths_read(paths, &raw, kernel);
	if (!raw.count || !(raw.flags & GAPP_PATH_KERNEL))
		return user;
	path = add(paths, &pair, &raw);
	return path ? path : call_paths_starve(paths);
}

void joined_paths_finish(struct call_paths *paths)
{
	for (u32 i = 0; i < paths->joined_index.count; i++) {
		const struct joined_path *joined = &paths->joined[i];

		/* also where no copy was kept: the user's path may have got another end */
		if (joined->user)
			put_user(joined->path, joined->user);
	}
}

void joined_paths_free(struct call_paths *paths)
{
	hash_index_free(&paths->joined_index);
	free(paths->joined);
}
