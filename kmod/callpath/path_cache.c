// SPDX-License-Identifier: GPL-2.0
#include "compat/user_word.h"
#include "path_cache.h"

static_assert(GAPP_READ_WORDS % GAPP_PATH_CACHE_AT_ONCE == 0);

/* Not zero: it is not as it was. */
static __always_inline u64 changed(const struct gapp_read *read, int *error)
{
	return gapp_user_word(read->address, error) ^ read->word;
}

/*
 * Whether all words are there that were. Of current, interrupts off. User memory may be gone: it is
 * not faulted in. All of it is below the limit of user memory, or the walk could not have read it.
 */
bool gapp_path_cache_reads_hold(const struct gapp_cached_path *cached)
{
	const struct gapp_read *read = cached->reads.read, *const end = read + cached->reads.count;
	bool same = false;
	u64 differs;
	int error = 0;

	pagefault_disable();
	if (!user_read_access_begin((const void __user *)(unsigned long)cached->key.sp, 1))
		goto enable;
	while (!(same = read >= end)) {
		differs = changed(&read[0], &error) | changed(&read[1], &error) |
			  changed(&read[2], &error) | changed(&read[3], &error);
		if (differs | error)
			break;
		read += GAPP_PATH_CACHE_AT_ONCE;
	}
	user_read_access_end();
enable:
	pagefault_enable();
	return same;
}
